//! What the Descriptions of ClientEvents (F6) and UpdateEntity (F7) mean. The document gives one example of each; the
//! rulings give the rest. What neither names is `Unknown`: validated, and ignored.

use std::fmt;

use game::{GameState, Seat, Side};

use super::wire::{FromClient, Text};

/// What a ClientEvents says (F6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientEvent<'a> {
    /// 1 `left`: start to fly that way.
    Start(Direction),
    /// 1 `-left`: stop flying that way.
    Stop(Direction),
    /// 1 `stop`: stop flying any way.
    StopAll,
    /// 2 `press`: the fire button goes down.
    Press,
    /// 2 `release`: the fire button comes up.
    Release,
    /// 2 without description: one shot.
    Shot,
    /// 3: the Force button.
    Force,
    /// 4: start the game.
    StartGame,
    /// None of these.
    Unknown { id_event: u8, description: &'a str },
}

/// Where a player flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
}

impl<'a> ClientEvent<'a> {
    /// Every event that is known.
    pub const ALL: [ClientEvent<'static>; 14] = [
        ClientEvent::Start(Direction::Left),
        ClientEvent::Start(Direction::Right),
        ClientEvent::Start(Direction::Up),
        ClientEvent::Start(Direction::Down),
        ClientEvent::Stop(Direction::Left),
        ClientEvent::Stop(Direction::Right),
        ClientEvent::Stop(Direction::Up),
        ClientEvent::Stop(Direction::Down),
        ClientEvent::StopAll,
        ClientEvent::Press,
        ClientEvent::Release,
        ClientEvent::Shot,
        ClientEvent::Force,
        ClientEvent::StartGame,
    ];

    /// What these two fields mean. Blanks around the description mean nothing.
    pub fn read(id_event: u8, description: Text<'a>) -> Self {
        let description = description.as_str().trim();
        match (id_event, description) {
            (1, "stop") => ClientEvent::StopAll,
            (1, text) => read_move(text).unwrap_or(ClientEvent::Unknown { id_event, description }),
            (2, "press") => ClientEvent::Press,
            (2, "release") => ClientEvent::Release,
            (2, "") => ClientEvent::Shot,
            (3, "") => ClientEvent::Force,
            (4, "") => ClientEvent::StartGame,
            _ => ClientEvent::Unknown { id_event, description },
        }
    }

    /// The packet that says this; `None` for an unknown one whose description cannot travel.
    pub fn packet(self) -> Option<FromClient<'a>> {
        let (id_event, description) = match self {
            ClientEvent::Start(direction) => (1, direction.name()),
            ClientEvent::Stop(direction) => (1, direction.stop_name()),
            ClientEvent::StopAll => (1, "stop"),
            ClientEvent::Press => (2, "press"),
            ClientEvent::Release => (2, "release"),
            ClientEvent::Shot => (2, ""),
            ClientEvent::Force => (3, ""),
            ClientEvent::StartGame => (4, ""),
            ClientEvent::Unknown { id_event, description } => (id_event, description),
        };
        Some(FromClient::ClientEvents { id_event, description: Text::new(description).ok()? })
    }
}

fn read_move(text: &str) -> Option<ClientEvent<'static>> {
    match text.strip_prefix('-') {
        Some(name) => Direction::from_name(name).map(ClientEvent::Stop),
        None => Direction::from_name(text).map(ClientEvent::Start),
    }
}

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Direction::Left => "left",
            Direction::Right => "right",
            Direction::Up => "up",
            Direction::Down => "down",
        }
    }

    const fn stop_name(self) -> &'static str {
        match self {
            Direction::Left => "-left",
            Direction::Right => "-right",
            Direction::Up => "-up",
            Direction::Down => "-down",
        }
    }

    fn from_name(name: &str) -> Option<Direction> {
        [Direction::Left, Direction::Right, Direction::Up, Direction::Down]
            .into_iter()
            .find(|direction| direction.name() == name)
    }
}

/// What an UpdateEntity says (F7): a key, `=` and a value. Its `Display` is the Description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update<'a> {
    /// `score = 100`, of the game.
    Score(u32),
    /// `lives = 2`, of a ship.
    Lives(u8),
    /// `health = 3`.
    Health(u16),
    /// `state = running`, of the game.
    State(GameState),
    /// `seat = 0`, of a ship or what belongs to one.
    Seat(Seat),
    /// `attached = 12 front`: held by that Network Id at that side.
    Attached(u32, Side),
    /// `attached = none`: held no more. F7 does not name it, but without it a Force that was launched stays docked.
    Detached,
    /// `own = 1`, said only to the ship's own client.
    Own,
    /// `size = 1920 64`: width and height of a wall (ruling C12).
    Size(u32, u32),
    /// None of these.
    Unknown(&'a str),
}

impl<'a> Update<'a> {
    /// What this Description means. Blanks around it and around `=` mean nothing.
    pub fn read(description: Text<'a>) -> Self {
        let text = description.as_str();
        read_update(text).unwrap_or(Update::Unknown(text))
    }
}

fn read_update(text: &str) -> Option<Update<'static>> {
    let (key, value) = text.split_once('=')?;
    let value = value.trim();
    Some(match key.trim() {
        "score" => Update::Score(value.parse().ok()?),
        "lives" => Update::Lives(value.parse().ok()?),
        "health" => Update::Health(value.parse().ok()?),
        "state" => Update::State(state_of_name(value)?),
        "seat" => Update::Seat(Seat::new(value.parse().ok()?)?),
        "attached" if value == "none" => Update::Detached,
        "attached" => read_attached(value)?,
        "own" if value == "1" => Update::Own,
        "size" => read_size(value)?,
        _ => return None,
    })
}

fn read_attached(value: &str) -> Option<Update<'static>> {
    let (network_id, side) = value.split_once(' ')?;
    let side = match side.trim_start() {
        "front" => Side::Front,
        "back" => Side::Back,
        _ => return None,
    };
    Some(Update::Attached(network_id.parse().ok()?, side))
}

fn read_size(value: &str) -> Option<Update<'static>> {
    let (width, height) = value.split_once(' ')?;
    Some(Update::Size(width.parse().ok()?, height.trim_start().parse().ok()?))
}

fn state_of_name(name: &str) -> Option<GameState> {
    (0..).map_while(GameState::from_number).find(|state| state.name() == name)
}

impl fmt::Display for Update<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Update::Score(score) => write!(formatter, "score = {score}"),
            Update::Lives(lives) => write!(formatter, "lives = {lives}"),
            Update::Health(health) => write!(formatter, "health = {health}"),
            Update::State(state) => write!(formatter, "state = {}", state.name()),
            Update::Seat(seat) => write!(formatter, "seat = {}", seat.number()),
            Update::Attached(network_id, Side::Front) => write!(formatter, "attached = {network_id} front"),
            Update::Attached(network_id, Side::Back) => write!(formatter, "attached = {network_id} back"),
            Update::Detached => formatter.write_str("attached = none"),
            Update::Own => formatter.write_str("own = 1"),
            Update::Size(width, height) => write!(formatter, "size = {width} {height}"),
            Update::Unknown(text) => formatter.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id_event: u8, description: &str) -> ClientEvent<'_> {
        ClientEvent::read(id_event, Text::new(description).unwrap())
    }

    fn update(description: &str) -> Update<'_> {
        Update::read(Text::new(description).unwrap())
    }

    #[test]
    fn f6_events_are_these_words() {
        let words = [
            (1, "left"),
            (1, "right"),
            (1, "up"),
            (1, "down"),
            (1, "-left"),
            (1, "-right"),
            (1, "-up"),
            (1, "-down"),
            (1, "stop"),
            (2, "press"),
            (2, "release"),
            (2, ""),
            (3, ""),
            (4, ""),
        ];
        for ((id_event, word), known) in words.into_iter().zip(ClientEvent::ALL) {
            assert_eq!(event(id_event, word), known);
            assert_eq!(event(id_event, &format!(" {word} ")), known);
            let description = Text::new(word).unwrap();
            assert_eq!(known.packet(), Some(FromClient::ClientEvents { id_event, description }));
        }
        assert_eq!(event(3, "\0"), ClientEvent::Force);
    }

    #[test]
    fn f6_other_events_are_unknown() {
        for (id_event, description) in [(0, ""), (5, ""), (1, ""), (1, "--left"), (1, "Left"), (2, "hold"), (3, "x")] {
            assert_eq!(event(id_event, description), ClientEvent::Unknown { id_event, description });
        }
        assert_eq!(ClientEvent::Unknown { id_event: 9, description: "a\nb" }.packet(), None);
    }

    #[test]
    fn f7_updates_are_these_words() {
        for (text, known) in [
            ("score = 100", Update::Score(100)),
            ("score = 4294967295", Update::Score(u32::MAX)),
            ("lives = 2", Update::Lives(2)),
            ("health = 3", Update::Health(3)),
            ("state = waiting", Update::State(GameState::Waiting)),
            ("state = running", Update::State(GameState::Running)),
            ("state = won", Update::State(GameState::Won)),
            ("state = lost", Update::State(GameState::Lost)),
            ("state = timeout", Update::State(GameState::TimedOut)),
            ("seat = 3", Update::Seat(Seat::ALL[3])),
            ("attached = 12 front", Update::Attached(12, Side::Front)),
            ("attached = 0 back", Update::Attached(0, Side::Back)),
            ("attached = none", Update::Detached),
            ("own = 1", Update::Own),
        ] {
            assert_eq!(update(text), known);
            assert_eq!(known.to_string(), text);
            assert_eq!(update(&text.replace(" = ", "=")), known);
            assert_eq!(update(&format!("  {}  ", text.replace(" = ", "   =  "))), known);
        }
        assert_eq!(update("attached=12  front"), Update::Attached(12, Side::Front));
    }

    #[test]
    fn f7_other_updates_are_unknown() {
        for text in [
            "",
            "score",
            "score = ",
            "score = many",
            "score = -1",
            "score = 4294967296",
            "lives = 256",
            "seat = 4",
            "state = paused",
            "attached = 12",
            "attached = 12 top",
            "own = 2",
            "colour = red",
        ] {
            assert_eq!(update(text), Update::Unknown(text));
            assert_eq!(Update::Unknown(text).to_string(), text);
        }
    }
}
