//! What a tester is asked about a client: something that a person must be shown, which no byte on the wire tells.

/// A question to the tester, answered with yes or no.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// As the tester reads it.
    pub text: String,
    /// What is asked, for a tester that is a program.
    pub about: About,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// The player is told that there is no room.
    Refused,
    /// The player is told that the connection is lost.
    Lost,
    /// Something of that kind is shown at a place of the field, in pixels of 480 × 270.
    Entity {
        kind: &'static str,
        x: i32,
        y: i32,
    },
    /// Nothing of that kind is shown.
    NoEntity {
        kind: &'static str,
    },
    Score(u32),
    Lives(u8),
    /// How many ships are shown.
    Ships(usize),
}

impl Question {
    pub fn new(about: About) -> Question {
        let text = match &about {
            About::Refused => "Does the client tell the player that there is no room?".to_owned(),
            About::Lost => "Does the client tell the player that the connection is lost?".to_owned(),
            About::Entity { kind, x, y } => {
                format!("Is a {kind} shown at {}% of the width and {}% of the height?", x * 100 / 480, y * 100 / 270)
            }
            About::NoEntity { kind } => format!("Is no {kind} shown any more?"),
            About::Score(score) => format!("Is a score of {score} shown?"),
            About::Lives(lives) => format!("Are {lives} lives shown?"),
            About::Ships(count) => format!("Are {count} ships shown?"),
        };
        Question { text, about }
    }
}
