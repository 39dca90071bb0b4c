//! Hit-stop: for a few pictures after something great was destroyed, everything but the players' ships stands still. Only
//! the picture stops; the game goes on.

use game::{Class, Entity, Frame};

use crate::draw::View;

/// What is shown while everything stands still.
#[derive(Clone, Debug, Default)]
pub(super) struct HitStop {
    /// The moment that is held, and how far the stage had scrolled.
    held: Option<(Frame, i64)>,
    shown: Frame,
}

impl HitStop {
    /// The view, or that of the moment that is held, with the ships where they are now.
    pub(super) fn view<'a>(&'a mut self, view: &View<'a>, is_stopped: bool) -> View<'a> {
        if !is_stopped {
            self.held = None;
            return *view;
        }
        let (held, scroll) = self.held.get_or_insert_with(|| (view.frame.clone(), view.scroll));
        self.shown.clone_from(view.frame);
        self.shown.entities.retain(is_players);
        self.shown.entities.extend(held.entities.iter().filter(|entity| !is_players(entity)));
        self.shown.entities.sort_unstable_by_key(|entity| entity.id);
        View { frame: &self.shown, scroll: *scroll, ..*view }
    }
}

fn is_players(entity: &Entity) -> bool {
    matches!(entity.kind.class(), Class::Player | Class::Gear)
}

#[cfg(test)]
mod tests {
    use game::{EntityId, Kind, Vec2};

    use super::*;
    use crate::draw::Look;

    fn frame(x: i32) -> Frame {
        let entities = [(1, Kind::Player), (2, Kind::Drone)];
        let entities = entities.map(|(id, kind)| Entity::new(EntityId(id), kind, Vec2::new(x, 0)));
        Frame { entities: entities.to_vec(), ..Frame::default() }
    }

    fn places(hit_stop: &mut HitStop, frame: &Frame, is_stopped: bool) -> Vec<i32> {
        let scroll = i64::from(frame.entities[0].position.x);
        let view = View {
            frame,
            own: None,
            terrain: None,
            zones: &[],
            scroll,
            names: [""; 4],
            tick: 0,
            look: Look::default(),
        };
        let shown = hit_stop.view(&view, is_stopped);
        shown.frame.entities.iter().map(|entity| entity.position.x).chain([shown.scroll as i32]).collect()
    }

    #[test]
    fn everything_but_ships_stands_still_and_then_goes_on() {
        let mut hit_stop = HitStop::default();
        assert_eq!(places(&mut hit_stop, &frame(10), false), [10, 10, 10]);
        assert_eq!(places(&mut hit_stop, &frame(11), true), [11, 11, 11]);
        assert_eq!(places(&mut hit_stop, &frame(12), true), [12, 11, 11]);
        assert_eq!(places(&mut hit_stop, &frame(13), false), [13, 13, 13]);
    }
}
