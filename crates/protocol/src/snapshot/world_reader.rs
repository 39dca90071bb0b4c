//! The Frame that a client rebuilds from SNAPSHOTs, TIMEOUTs and KILLEDs.
//!
//! A SNAPSHOT is the whole truth: what is not in it is gone. Its ids are used again, the game's never are, so every
//! entity gets a name of its own here. Velocities are not in the dialect: they are what moved since the SNAPSHOT before.

use std::{mem, time::Duration};

use game::{
    Attached, Entity, EntityId, Event, Frame, GameState, Kind, Name, Player, SEATS, Seat, Tick, Vec2, px,
    units::TICKS_PER_SECOND,
};

use crate::{
    FrameBuilder, Scale, Time,
    snapshot::{
        entity::{self, Appearance},
        wire::{self, DATAGRAM_MAX_BYTES, Entities, Header, Loss},
    },
};

/// An id and kind that come back within this time are the same entity, left out for a moment for want of space: ids
/// rest two seconds before they are used again (ruling C4).
const SAME_WITHIN: Duration = Duration::from_secs(1);
/// SNAPSHOTs that count as older are believed after this long without a newer one: the server started counting again.
const NEWEST_FOR: Duration = Duration::from_secs(1);
/// A TIMEOUT or KILLED of a player within this time of the one before is a datagram that came twice. A ship returns
/// after two seconds at the soonest.
const ONE_NOTICE_WITHIN: Duration = Duration::from_secs(1);
/// How long a player's ship may be missing without a KILLED before the player is gone: its TIMEOUT was lost.
const RETURNS_WITHIN: Duration = Duration::from_secs(5);
/// A SNAPSHOT with less room than this may have left out explosions, which are the first to have none.
const ROOM_MIN_BYTES: usize = 80;
/// Timestamps further apart than this are not believed.
const APART_MAX_MS: u32 = 10_000;
/// Nothing flies faster than this, in sub-pixels per tick: what seems to has been put there.
const FASTEST: i32 = px(32);

/// What a client knows of the game.
#[derive(Clone, Debug)]
pub struct WorldReader {
    rebuilt: FrameBuilder,
    scale: Scale,
    /// By Entity ID.
    names: [Option<Meaning>; 256],
    /// Those that have a name: few of 256, and all are looked through for each SNAPSHOT.
    named: Ids,
    /// Those in the newest SNAPSHOT.
    shown: Ids,
    /// What the SNAPSHOT at hand shows; kept for its memory.
    written: Vec<Drawn>,
    last_name: u32,
    newest: Option<NewestSnapshot>,
    timed_out: [Option<Time>; SEATS],
    killed: [Option<Time>; SEATS],
    /// Since when a player has no ship, though no KILLED told why.
    missing_since: [Option<Time>; SEATS],
}

/// What an Entity ID means.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    entity: EntityId,
    kind: Kind,
    /// When it was last in a SNAPSHOT.
    seen: Time,
}

/// A set of Entity IDs.
#[derive(Clone, Copy, Debug, Default)]
struct Ids([u64; 4]);

/// An entity of a SNAPSHOT.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    entity_id: u8,
    position: Vec2,
    picture: Appearance,
}

#[derive(Clone, Copy, Debug)]
struct NewestSnapshot {
    header: Header,
    at: Time,
}

impl WorldReader {
    /// Nothing is seen yet.
    pub fn new(scale: Scale) -> WorldReader {
        WorldReader {
            rebuilt: FrameBuilder::default(),
            scale,
            names: [None; 256],
            named: Ids::default(),
            shown: Ids::default(),
            written: Vec::new(),
            last_name: 0,
            newest: None,
            timed_out: [None; SEATS],
            killed: [None; SEATS],
            missing_since: [None; SEATS],
        }
    }

    /// Copies the newest Frame out, with the events since the last time.
    pub fn take(&mut self, frame: &mut Frame) -> bool {
        self.rebuilt.take(frame)
    }

    /// Takes a SNAPSHOT in, unless there was a newer one (ruling S4).
    pub fn snapshot(&mut self, now: Time, header: Header, entities: Entities) {
        let is_current = self.is_newer(header) || self.newest.is_some_and(|newest| now.since(newest.at) >= NEWEST_FOR);
        if !is_current {
            return;
        }
        self.rebuilt.advance(now);
        self.rebuilt.set_crowded(entities.size_bytes() > DATAGRAM_MAX_BYTES - ROOM_MIN_BYTES);
        let ticks = self.ticks_until(now, header);
        self.begin_frame(header, ticks);
        self.newest = Some(NewestSnapshot { header, at: now });
        self.shown = Ids::default();
        let mut written = mem::take(&mut self.written);
        written.clear();
        // A foreign server may put something nowhere: then it is not seen.
        let placed = entities.iter().filter(|entity| entity.position_x.is_finite() && entity.position_y.is_finite());
        written.extend(placed.map(|entity| Drawn::read(&entity, self.scale)));
        // Names first: what is attached to a ship may come before it.
        written.iter().for_each(|entity| self.name(now, entity));
        written.iter().for_each(|entity| self.place(entity, ticks));
        self.written = written;
        self.remove_missing(now);
        Seat::ALL.into_iter().for_each(|seat| self.update_player(now, seat));
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) {
        self.rebuilt.advance(now);
    }

    /// A player's ship was destroyed.
    pub fn killed(&mut self, now: Time, header: Header, loss: &Loss) {
        let Some(seat) = Seat::new(loss.player_id) else { return };
        if is_repeated(now, &mut self.killed[seat.index()]) {
            return;
        }
        let ship = self.names[usize::from(loss.entity_id)].map(|name| name.entity);
        let ship = ship.unwrap_or_else(|| self.new_name());
        self.name_player(seat, loss);
        self.rebuilt.event(Event::Killed { seat, ship, by: None });
        self.forget(header, loss.entity_id);
        self.missing_since[seat.index()] = None;
        if let Some(player) = &mut self.rebuilt.frame().players[seat.index()] {
            player.ship = None;
        }
    }

    /// A player is gone.
    pub fn timed_out(&mut self, now: Time, header: Header, loss: &Loss) {
        let Some(seat) = Seat::new(loss.player_id) else { return };
        if is_repeated(now, &mut self.timed_out[seat.index()]) {
            return;
        }
        self.forget(header, loss.entity_id);
        self.name_player(seat, loss);
        self.rebuilt.event(Event::TimedOut { seat });
        self.remove_player(seat);
    }

    /// Only these two packets name a player.
    fn name_player(&mut self, seat: Seat, loss: &Loss) {
        self.rebuilt.frame().names[seat.index()] = Name::new(loss.username);
    }

    /// The name stays until somebody else takes the seat: what happened to them may not be reported yet.
    fn remove_player(&mut self, seat: Seat) {
        self.missing_since[seat.index()] = None;
        self.rebuilt.frame().players[seat.index()] = None;
    }

    /// Serial arithmetic. What is as new as the newest is newer too: some servers do not count.
    fn is_newer(&self, header: Header) -> bool {
        self.newest.is_none_or(|newest| header.packet_id.wrapping_sub(newest.header.packet_id) as i16 >= 0)
    }

    /// Ticks from the newest SNAPSHOT to this one, by their Timestamps; by our clock if they do not tell.
    fn ticks_until(&self, now: Time, header: Header) -> u32 {
        let Some(newest) = self.newest else { return 0 };
        let per_second = TICKS_PER_SECOND as u32;
        match header.timestamp.wrapping_sub(newest.header.timestamp) {
            ms @ 1..=APART_MAX_MS => ((ms * per_second + 500) / 1000).max(1),
            _ => {
                let ms = now.since(newest.at).as_millis().min(APART_MAX_MS.into()) as u32;
                (ms * per_second + 500) / 1000
            }
        }
    }

    fn begin_frame(&mut self, header: Header, ticks: u32) {
        let is_first = self.newest.is_none();
        let frame = self.rebuilt.frame();
        if is_first {
            frame.tick = Tick((u64::from(header.timestamp) * TICKS_PER_SECOND as u64 / 1000) as u32);
            frame.state = GameState::Running;
            self.rebuilt.event(Event::StateChanged { state: GameState::Running });
        } else {
            frame.tick = Tick(frame.tick.0.wrapping_add(ticks));
        }
    }

    fn name(&mut self, now: Time, written: &Drawn) {
        let index = usize::from(written.entity_id);
        let kind = written.picture.kind;
        let known = self.names[index];
        let same = known.filter(|name| name.kind == kind && now.since(name.seen) < SAME_WITHIN);
        if same.is_none()
            && let Some(other) = known
        {
            self.rebuilt.remove(other.entity);
        }
        let entity = same.map_or_else(|| self.new_name(), |name| name.entity);
        self.names[index] = Some(Meaning { entity, kind, seen: now });
        self.named.insert(written.entity_id);
        self.shown.insert(written.entity_id);
    }

    fn new_name(&mut self) -> EntityId {
        self.last_name = self.last_name.wrapping_add(1);
        EntityId(self.last_name)
    }

    fn place(&mut self, written: &Drawn, ticks: u32) {
        let Some(name) = self.names[usize::from(written.entity_id)] else { return };
        let Drawn { position, picture, .. } = *written;
        let before = self.rebuilt.peek().entity(name.entity);
        let velocity = before.map_or(Vec2::ZERO, |before| velocity(before, position, ticks));
        let ship = picture.seat.and_then(|seat| self.ship(seat));
        let attached = ship.zip(picture.dock).map(|(to, side)| Attached { to, side });
        let bare = Entity::new(name.entity, picture.kind, position);
        let Appearance { animation, seat, size_px, .. } = picture;
        self.rebuilt.insert(Entity { velocity, animation, seat, attached, size_px, ..bare });
    }

    /// The ship of a player, if the newest SNAPSHOT shows it (ruling S9).
    fn ship(&self, seat: Seat) -> Option<EntityId> {
        let is_shown = self.shown.contains(seat.number());
        let name = self.names[seat.index()].filter(|name| is_shown && name.kind == Kind::Player);
        name.map(|name| name.entity)
    }

    fn remove_missing(&mut self, now: Time) {
        for id in self.named.without(self.shown).iter() {
            let Some(name) = self.names[usize::from(id)] else { continue };
            self.rebuilt.remove(name.entity);
            if now.since(name.seen) >= SAME_WITHIN {
                self.names[usize::from(id)] = None;
                self.named.remove(id);
            }
        }
    }

    /// That someone plays is known by their ship.
    fn update_player(&mut self, now: Time, seat: Seat) {
        let ship = self.ship(seat);
        match (&mut self.rebuilt.frame().players[seat.index()], ship) {
            (Some(player), ship) => {
                let was_flying = player.ship.is_some();
                (player.ship, player.lives) = (ship, ship.is_some().into());
                self.note_missing(now, seat, was_flying);
            }
            (none, Some(_)) => {
                *none = Some(Player { ship, lives: 1, ..Player::of(seat) });
                self.rebuilt.frame().names[seat.index()] = Name::NONE;
                self.rebuilt.event(Event::Joined { seat });
            }
            (None, None) => {}
        }
    }

    /// A TIMEOUT may be lost, and a KILLED too, but a ship that was killed returns.
    fn note_missing(&mut self, now: Time, seat: Seat, was_flying: bool) {
        let missing_since = &mut self.missing_since[seat.index()];
        if self.rebuilt.peek().players[seat.index()].is_some_and(|player| player.ship.is_some()) {
            *missing_since = None;
        } else if was_flying {
            *missing_since = Some(now);
        } else if missing_since.is_some_and(|since| now.since(since) >= RETURNS_WITHIN) {
            self.rebuilt.event(Event::Left { seat });
            self.remove_player(seat);
        }
    }

    /// Takes an entity out, unless a newer SNAPSHOT has the word. Should its id come again, it is another.
    fn forget(&mut self, header: Header, entity_id: u8) {
        if self.is_newer(header)
            && let Some(name) = self.names[usize::from(entity_id)].take()
        {
            self.named.remove(entity_id);
            self.shown.remove(entity_id);
            self.rebuilt.remove(name.entity);
        }
    }
}

impl Drawn {
    fn read(entity: &wire::Entity, scale: Scale) -> Drawn {
        let position = scale.read_position(entity.position_x, entity.position_y);
        Drawn { entity_id: entity.entity_id, position, picture: entity::read(entity, scale) }
    }
}

impl Ids {
    fn insert(&mut self, id: u8) {
        self.0[usize::from(id / 64)] |= 1 << (id % 64);
    }

    fn remove(&mut self, id: u8) {
        self.0[usize::from(id / 64)] &= !(1 << (id % 64));
    }

    fn contains(self, id: u8) -> bool {
        self.0[usize::from(id / 64)] & 1 << (id % 64) != 0
    }

    fn without(mut self, others: Ids) -> Ids {
        self.0.iter_mut().zip(others.0).for_each(|(mine, theirs)| *mine &= !theirs);
        self
    }

    fn iter(self) -> impl Iterator<Item = u8> {
        let in_word = |(index, mut word): (usize, u64)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(index as u8 * 64 + bit)
            })
        };
        self.0.into_iter().enumerate().flat_map(in_word)
    }
}

/// Movement per tick since the SNAPSHOT before.
fn velocity(before: &Entity, position: Vec2, ticks: u32) -> Vec2 {
    if ticks == 0 {
        return before.velocity;
    }
    let moved = position - before.position;
    let velocity = Vec2::new(moved.x / ticks as i32, moved.y / ticks as i32);
    let is_jump = velocity.x.abs() > FASTEST || velocity.y.abs() > FASTEST;
    if is_jump { Vec2::ZERO } else { velocity }
}

fn is_repeated(now: Time, last: &mut Option<Time>) -> bool {
    let is_repeated = last.is_some_and(|last| now.since(last) < ONE_NOTICE_WITHIN);
    *last = Some(now);
    is_repeated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_ids_has_what_was_put_in_in_order() {
        let mut ids = Ids::default();
        [200, 0, 63, 64, 255, 7].into_iter().for_each(|id| ids.insert(id));
        ids.remove(7);
        assert_eq!(ids.iter().collect::<Vec<_>>(), [0, 63, 64, 200, 255]);
        let mut others = Ids::default();
        others.insert(64);
        let rest = ids.without(others);
        assert_eq!(rest.iter().collect::<Vec<_>>(), [0, 63, 200, 255]);
        assert!(rest.contains(63) && !rest.contains(64));
    }
}
