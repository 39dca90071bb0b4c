//! What is wrong with a server, so that the player can be told rather than left with a game in which something is missing.
//!
//! The words come from a peer that may be hostile: what is kept of them is bounded here, once for all who show them.

use std::fmt;

/// Unknown names that are kept; of the others it is known how many there are.
const NAMES_MAX: usize = 4;
/// Characters of a name that are kept.
const NAME_CHARACTERS_MAX: usize = 20;

/// Something that is wrong with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFault {
    /// It uses components that this client does not know. What they say is left out.
    UnknownComponents(UnknownNames),
    /// Its initialisation failed a check, so that nothing of the game can be understood.
    BadInitialisation(InitialisationFault),
}

/// The first few names that are not known, each cut to a length that can be shown, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownNames {
    names: Vec<String>,
    more: usize,
}

/// The check that an initialisation failed (ruling T2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialisationFault {
    /// There are more or fewer names than it announces.
    Count,
    /// A name is empty, or goes on behind the zeros that fill it up.
    Padding,
    /// A name has a character that names do not have.
    Characters,
    /// It does not end with 0xffff.
    EndMark,
    /// A part of it did not come.
    MissingPart,
}

impl UnknownNames {
    /// Takes one more name.
    pub fn push(&mut self, name: &str) {
        if self.names.len() < NAMES_MAX {
            self.names.push(name.chars().take(NAME_CHARACTERS_MAX).collect());
        } else {
            self.more += 1;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many there are beside those that are named.
    pub fn more(&self) -> usize {
        self.more
    }
}

/// The names that are kept, with commas.
impl fmt::Display for UnknownNames {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.names.join(", "))
    }
}

/// In English, for a terminal or a log.
impl fmt::Display for ServerFault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ServerFault::UnknownComponents(names) => {
                write!(formatter, "the server uses components that this client does not know: {names}")?;
                if names.more > 0 { write!(formatter, " and {} more", names.more) } else { Ok(()) }
            }
            ServerFault::BadInitialisation(fault) => write!(formatter, "the server's initialisation is wrong: {fault}"),
        }
    }
}

impl fmt::Display for InitialisationFault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            InitialisationFault::Count => "the number of components does not match the names",
            InitialisationFault::Padding => "a name is empty, or not padded with zeros",
            InitialisationFault::Characters => "a name has a character that is not allowed",
            InitialisationFault::EndMark => "the end mark ff ff is missing",
            InitialisationFault::MissingPart => "a part is missing",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_unknown_names_a_server_has_little_is_kept_of_them() {
        let mut names = UnknownNames::default();
        for number in 0..60_000 {
            names.push(&format!("{number}{}", "x".repeat(250)));
        }
        let text = ServerFault::UnknownComponents(names).to_string();
        assert!(text.len() < 200 && text.ends_with("and 59996 more"), "{text}");
    }
}
