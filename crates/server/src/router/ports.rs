//! The ports of this shard's lobbies: each lobby gets one when it is first asked for.
//!
//! Whether a port can be used is only known once it was tried, which is not done here: it is asked for with an effect, and
//! [`Router::port_opened`] takes the result. If the port cannot be used, the next one is tried.

use std::collections::{BTreeMap, HashMap};

use protocol::{DeskAnswer, LobbyId, Time};

use super::{PortRequest, Router, RouterEvent};
use crate::outgoing::Context;

/// The ports of this shard's lobbies.
#[derive(Default)]
pub(super) struct LobbyPorts {
    open: HashMap<LobbyId, u16>,
    opening: BTreeMap<u16, OpeningPort>,
}

impl LobbyPorts {
    /// The port that a lobby had before the node was started again is being opened. No desk waits for it.
    pub fn reopen(&mut self, lobby: LobbyId, port: u16) {
        self.opening.insert(port, OpeningPort { lobby, requests: Vec::new() });
    }
}

/// A port that is being opened for a lobby.
struct OpeningPort {
    lobby: LobbyId,
    /// The desks that wait for it.
    requests: Vec<PortRequest>,
}

impl Router {
    /// The port of a lobby of this shard; none if it has to be opened first, which is under way then.
    pub(super) fn ask_for_port(&mut self, cx: &mut Context, request: PortRequest) -> Option<DeskAnswer> {
        let id = request.lobby;
        if let Some(&port) = self.ports.open.get(&id) {
            return Some(self.found(cx.now, request, port));
        }
        if self.directory.lock().plan(id, self.shard).is_none() {
            return Some(DeskAnswer::Nothing);
        }
        self.events.push_back(RouterEvent::OpenLobby(id));
        if let Some(opening) = self.ports.opening.values_mut().find(|opening| opening.lobby == id) {
            opening.requests.push(request);
            return None;
        }
        let opening = OpeningPort { lobby: id, requests: vec![request] };
        self.try_port(cx, None, opening).err().map(|_| self.not_found(request))
    }

    /// A port that was asked for could be opened, or not. The answers that desks have waited for, if they need not wait on.
    pub(super) fn settle_port(&mut self, cx: &mut Context, port: u16, is_open: bool) -> Vec<(PortRequest, DeskAnswer)> {
        let Some(opening) = self.ports.opening.remove(&port) else { return Vec::new() };
        if !is_open {
            self.directory.lock().give_port_back(port);
            let given_up = self.try_port(cx, Some(port), opening).err();
            return given_up.map_or_else(Vec::new, |opening| self.none_found(opening));
        }
        let exists = self.directory.lock().note_port(opening.lobby, port);
        if !exists {
            // The lobby was closed meanwhile.
            cx.out.close_port(port);
            self.directory.lock().give_port_back(port);
            return self.none_found(opening);
        }
        self.ports.open.insert(opening.lobby, port);
        let requests = opening.requests.into_iter();
        requests.map(|request| (request, self.found(cx.now, request, port))).collect()
    }

    /// Gives back the port of a lobby that the directory has no longer.
    pub(super) fn release_port(&mut self, cx: &mut Context, id: LobbyId) {
        if let Some(port) = self.ports.open.remove(&id) {
            cx.out.close_port(port);
            self.directory.lock().give_port_back(port);
        }
    }

    /// Asks for the next port above one that could not be used. If there is none, what was to be opened comes back.
    fn try_port(&mut self, cx: &mut Context, above: Option<u16>, opening: OpeningPort) -> Result<(), OpeningPort> {
        // A lobby that had a port before the node was started again gets that one or none: nobody would look for another.
        let Some(dialect) = opening.requests.first().map(|request| request.dialect) else { return Err(opening) };
        let mut directory = self.directory.lock();
        let taken = directory.take_port(opening.lobby, above);
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        let Some(port) = taken else { return Err(opening) };
        self.ports.opening.insert(port, opening);
        cx.out.open_port(dialect, port);
        Ok(())
    }

    fn found(&mut self, now: Time, request: PortRequest, port: u16) -> DeskAnswer {
        if request.is_new {
            self.directory.lock().await_maker(now, request.lobby);
        }
        DeskAnswer::Lobby { port, id: request.lobby }
    }

    fn none_found(&mut self, opening: OpeningPort) -> Vec<(PortRequest, DeskAnswer)> {
        let requests = opening.requests.into_iter();
        requests.map(|request| (request, self.not_found(request))).collect()
    }

    /// A lobby that nobody can reach was not created.
    fn not_found(&mut self, request: PortRequest) -> DeskAnswer {
        if request.is_new && self.directory.lock().close_empty(request.lobby) {
            self.events.push_back(RouterEvent::DropLobby(request.lobby));
        }
        DeskAnswer::Nothing
    }
}
