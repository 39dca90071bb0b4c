//! What one client has not confirmed yet (ruling A3). The lobby's change log knows what that is; here is only how far the
//! client has come, and the packet of this tick.

use super::shared::{ChangeLog, SharedPacket};
use crate::{Scale, Scene};

/// The unconfirmed changes of one client.
#[derive(Debug)]
pub(super) struct UnconfirmedChanges {
    scale: Scale,
    /// The tick of the newest change.
    newest: u32,
    /// The client has every change up to this tick.
    confirmed: u32,
    /// A GAME_CHANGES of all that is unconfirmed, if anything is.
    packet: Option<SharedPacket>,
}

impl UnconfirmedChanges {
    /// Writes the whole state into a CONNECTED, and starts from there: its tick counts as confirmed.
    pub(super) fn connect(client_id: u8, scene: &Scene, scale: Scale, connected: &mut Vec<u8>) -> UnconfirmedChanges {
        let newest = open(scene, scale, |change_log| {
            change_log.write_connected(client_id, connected);
            change_log.attend(change_log.newest());
            change_log.newest()
        });
        UnconfirmedChanges { scale, newest, confirmed: newest, packet: None }
    }

    /// Ruling C16: starts from a client that may know anything up to a tick. It is told what is there with the next tick, and
    /// what is not there is removed.
    pub(super) fn resume(scene: &Scene, scale: Scale, last: u32) -> UnconfirmedChanges {
        let mut changes = open(scene, scale, |change_log| {
            let confirmed = change_log.begin_again_above(last, scene.ghosts());
            UnconfirmedChanges { scale, newest: change_log.newest(), confirmed, packet: None }
        });
        changes.record(scene);
        changes
    }

    /// The tick of the newest change.
    pub(super) fn newest(&self) -> u32 {
        self.newest
    }

    /// Sees a new Frame go by, of which nothing is to be said yet.
    pub(super) fn pass_over(&mut self, scene: &Scene) {
        self.attend(scene, |_| ());
    }

    /// Takes what there is to say after a new Frame.
    pub(super) fn record(&mut self, scene: &Scene) {
        let confirmed = self.confirmed;
        // Its memory is needed for the next, unless others are told it too.
        self.packet = None;
        self.packet = self.attend(scene, |change_log| change_log.game_changes(confirmed));
    }

    fn attend<T>(&mut self, scene: &Scene, read: impl FnOnce(&mut ChangeLog) -> T) -> T {
        open(scene, self.scale, |change_log| {
            change_log.attend(self.confirmed);
            self.newest = change_log.newest();
            read(change_log)
        })
    }

    /// The client has every change up to this tick. One that is confirmed already, or has not been, changes nothing.
    pub(super) fn confirm(&mut self, tick: u32) {
        let is_unconfirmed = self.newest.wrapping_sub(tick) < self.newest.wrapping_sub(self.confirmed);
        if is_unconfirmed {
            self.confirmed = tick;
        }
    }

    /// Appends the GAME_CHANGES. False: there is nothing.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>) -> bool {
        let packet = self.packet.take();
        packet.iter().for_each(|packet| buffer.extend_from_slice(packet));
        packet.is_some()
    }
}

/// Opens the lobby's change log, brought up to the Frame that is shown.
fn open<T>(scene: &Scene, scale: Scale, read: impl FnOnce(&mut ChangeLog) -> T) -> T {
    let make = || ChangeLog::new(&scene.frame, scale);
    scene.shared_at(scale, make, |change_log: &mut ChangeLog| {
        change_log.update(&scene.frame);
        read(change_log)
    })
}
