//! The ways to players of an earlier process of the node, whose lobbies it goes on with.

use protocol::LobbyId;

use super::{Location, Route, Router};
use crate::{
    lobby::{LobbyKey, LobbyPlan, MemberKey, RestoredSeat},
    outgoing::Context,
    peer::Endpoint,
};

impl Router {
    /// Enters a lobby of this shard in the directory, with its seats. False: there is no room for it.
    pub fn restore_lobby(&self, cx: &Context, plan: &LobbyPlan, seats: &[RestoredSeat]) -> bool {
        self.directory.lock().restore(cx.now, self.shard, plan, seats)
    }

    /// What comes from these players leads to their seats, and their lobby has the port that it had.
    pub fn restore_routes(&mut self, cx: &mut Context, id: LobbyId, lobby: LobbyKey, seats: &[RestoredSeat]) {
        for restored in seats.iter().filter(|restored| restored.token.is_none()) {
            let member = MemberKey::Seat(restored.seat);
            self.routes.set_peer(restored.peer, Route::Lobby(Location { lobby, member }));
            if let Endpoint::Lobby(dialect, port) = restored.peer.endpoint
                && self.directory.lock().take_port_again(port)
            {
                self.ports.reopen(id, port);
                cx.out.open_port(dialect, port);
            }
        }
    }
}
