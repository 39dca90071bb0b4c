//! What the sessions of a lobby share: how the game is now, and the views of it that their clients have.

use game::{Frame, Tick};

use super::{baselines::Baselines, server_view::ServerView};

/// What is the same for all sessions of a lobby.
#[derive(Debug, Default)]
pub struct SharedState {
    /// What was seen last: which update of the scene, and its tick.
    seen: Option<(u64, Tick)>,
    /// The game as it is.
    pub server_view: ServerView,
    /// The views of it that clients have.
    pub baselines: Baselines,
}

impl SharedState {
    /// Sees a Frame, unless another session has shown it already.
    pub fn see(&mut self, update: u64, frame: &Frame) {
        let seen = Some((update, frame.tick));
        if self.seen == seen {
            return;
        }
        self.seen = seen;
        self.baselines.turn();
        if is_news(self.server_view.view().head.tick, frame.tick) {
            self.server_view.update(frame);
        }
    }
}

/// Whether a Frame is another than the one before. One that is shown again while time stands still teaches nothing.
pub fn is_news(before: Tick, tick: Tick) -> bool {
    tick != before || tick.0 == 0
}

#[cfg(test)]
mod tests {
    use game::{Buttons, Input, Rules, SEATS, Seat, Stage, World};

    use crate::{
        Channel, Numbers, Scene, ServerSession, Time, Welcome,
        volley::{
            ENTRY,
            shared::SharedState,
            wire::report::{Acknowledged, Report},
        },
    };

    fn confirm(session: &mut dyn ServerSession, now: Time, frame: u16) {
        let frames = Some(Acknowledged { newest: frame, earlier: u32::MAX });
        let mut bytes = Vec::new();
        Report { frames, ..Report::default() }.write(&mut bytes);
        session.receive(now, Channel::Datagram, &bytes).expect("it reads");
    }

    /// Four come one after the other, and confirm at once: in nearly all of the last ticks one difference is for all.
    #[test]
    fn a_late_client_soon_shares_what_the_others_are_sent() {
        let mut world = World::new(Stage::endless(), Rules::default(), 3);
        let mut scene = Scene::new("endless");
        let mut sessions = Vec::new();
        let mut shared = 0;
        for tick in 0..1800_u64 {
            let now = Time::from_micros(tick * 16_667);
            if let (true, Some(seat)) = (tick.is_multiple_of(60), Seat::new((tick / 60).min(9) as u8)) {
                world.join(seat);
                world.start();
                let welcome =
                    Welcome { seat, now, started: now, scale: crate::Scale::default(), numbers: Numbers::default() };
                sessions.push((tick, (ENTRY.accept)(welcome)));
            }
            let held = if tick / 30 % 2 == 0 { Buttons::UP | Buttons::FIRE } else { Buttons::DOWN };
            world.tick(&[Input::holding(held); SEATS]);
            world.frame_into(&mut scene.frame);
            scene.update(now);
            for (since, session) in &mut sessions {
                session.publish(now, &scene);
                confirm(&mut **session, now, (tick - *since + 1) as u16);
            }
            shared +=
                u32::from(tick >= 1200 && scene.shared(|shared: &mut SharedState| shared.baselines.written()) == 1);
        }
        assert_eq!(sessions.len(), SEATS);
        assert!(shared > 500, "{shared} of 600");
    }
}
