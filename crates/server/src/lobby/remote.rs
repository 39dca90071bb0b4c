//! A lobby whose game is played on another server: what happens in it instead of a tick of a world.

use std::sync::Arc;

use game::{Seat, Stage};
use protocol::{End, LobbyNotice, PlayerKind, StreamUse, Time};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::{
    outgoing::Context,
    peer::PeerKey,
    remote::{RemoteGame, RemoteJoin, RemoteNews, RemoteWish, SharedRemoteServer},
};

/// The other server, and the game there.
pub(super) struct RemoteLobby {
    pub server: SharedRemoteServer,
    wish: RemoteWish,
    game: Option<Box<dyn RemoteGame>>,
    /// What is played there, once that is known.
    stage: Option<Arc<Stage>>,
    /// Whether the game's player is gone.
    is_left: bool,
}

impl RemoteLobby {
    pub fn new(server: SharedRemoteServer, wish: RemoteWish) -> RemoteLobby {
        RemoteLobby { server, wish, game: None, stage: None, is_left: false }
    }

    /// The game, while somebody plays it.
    fn played(&mut self) -> Option<&mut Box<dyn RemoteGame>> {
        self.game.as_mut().filter(|_| !self.is_left)
    }
}

impl Lobby {
    /// A player sits down: the game begins, unless it is that of the same player, who has come back.
    pub(super) fn join_remotely(&mut self, cx: &mut Context, seat: Seat, peer: PeerKey, name: &str) {
        let Some(remote) = &mut self.remote else { return };
        if remote.played().is_some() {
            return;
        }
        let dialect = peer.dialect();
        let starts_at_once = matches!(dialect.entry().stream, StreamUse::None | StreamUse::OpensSession);
        let wish = remote.wish.clone();
        let join = RemoteJoin { seat, dialect, name: name.into(), wish, starts_at_once };
        (remote.game, remote.is_left) = (Some(remote.server.0.join(cx.now, join)), false);
    }

    pub(super) fn leave_remotely(&mut self, cx: &mut Context) {
        if let Some(remote) = &mut self.remote
            && let Some(game) = remote.played()
        {
            game.leave(cx.now);
            remote.is_left = true;
        }
    }

    /// Passes on what the player does, and shows what is seen on the other server.
    pub(super) fn play_remotely(&mut self, cx: &mut Context) {
        let inputs = self.gather(cx.now);
        let Some(remote) = &mut self.remote else { return };
        self.scene.frame.events.clear();
        if let Some(game) = &mut remote.game {
            // Such a lobby has the first seat only.
            game.tick(cx.now, inputs[0], &mut self.scene);
        }
        self.scene.update(cx.now);
        self.take_news(cx);
        let stage = self.world.stage().clone();
        self.tell_changes(cx.now, &stage);
        self.publish(cx);
    }

    fn take_news(&mut self, cx: &mut Context) {
        while let Some(remote) = &mut self.remote
            && let Some(news) = remote.game.as_mut().and_then(|game| game.news())
        {
            match news {
                RemoteNews::Players => self.announced.change_details(),
                RemoteNews::Stage(stage) => {
                    self.notify_all(cx.now, &LobbyNotice::Stage(&stage));
                    self.announced.change_details();
                    if let Some(remote) = &mut self.remote {
                        remote.stage = Some(stage);
                    }
                }
                RemoteNews::Lobby(code) => self.events.push_back(LobbyEvent::RemoteLobby(code)),
                RemoteNews::Said { seat, name, text } => {
                    self.notify_all(cx.now, &LobbyNotice::Said { seat, name: &name, text: &text });
                }
                RemoteNews::Ended(why) => self.end_remotely(cx, why),
            }
        }
    }

    /// The game is over. Its player, if there is one, is told so in the words of the dialect.
    fn end_remotely(&mut self, cx: &mut Context, why: End) {
        let Some(remote) = &mut self.remote else { return };
        let is_left = remote.is_left;
        remote.game = None;
        if is_left {
            return;
        }
        tracing::warn!(lobby = %self.log_name(), ?why, "the game on the other server is over");
        for seat in Seat::ALL {
            let member = MemberKey::Seat(seat);
            if let Some(session) = self.members.get_mut(member) {
                session.end(cx.now, why);
                self.flush(cx, member);
                self.remove(cx, member);
            }
            self.free_kept_seat(cx, seat);
        }
    }

    /// The stage that is played, here or there.
    pub(super) fn shown_stage(&self) -> &Arc<Stage> {
        let there = self.remote.as_ref().and_then(|remote| remote.stage.as_ref());
        there.unwrap_or_else(|| self.world.stage())
    }

    /// Who plays in a seat on the other server. What they speak there is not known: it is what the server speaks.
    pub(super) fn remote_player_kind(&self, seat: Seat) -> Option<PlayerKind> {
        let remote = self.remote.as_ref()?;
        self.scene.frame.players[seat.index()].map(|_| PlayerKind::Person(remote.server.0.dialect()))
    }

    /// Starts the game over there; whether there is one.
    pub(super) fn start_remotely(&mut self, now: Time) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        if let Some(game) = remote.played() {
            game.start(now);
        }
        true
    }

    /// Says something over there; whether there is such a place.
    pub(super) fn say_remotely(&mut self, now: Time, text: &str) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        if let Some(game) = remote.played() {
            game.say(now, text);
        }
        true
    }
}
