//! How well a bot plays. The rules do not know it: it is the word that bots, lobbies and dialects have in common.

/// How well a bot plays. The numbers are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Skill {
    /// A beginner: slow to notice, aims badly, knows neither beam nor Force.
    Easy = 0,
    /// Somebody who has played for an evening.
    #[default]
    Normal = 1,
    /// Somebody who plays well.
    Good = 2,
}

impl Skill {
    /// All of them, from the worst on.
    pub const ALL: [Skill; 3] = [Skill::Easy, Skill::Normal, Skill::Good];

    pub fn from_number(number: u8) -> Option<Skill> {
        Skill::ALL.get(usize::from(number)).copied()
    }

    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Skill::Easy => "easy",
            Skill::Normal => "normal",
            Skill::Good => "good",
        }
    }

    pub fn from_name(name: &str) -> Option<Skill> {
        Skill::ALL.into_iter().find(|skill| skill.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_has_a_name_and_a_number() {
        for skill in Skill::ALL {
            assert_eq!(Skill::from_name(skill.name()), Some(skill));
            assert_eq!(Skill::from_number(skill.number()), Some(skill));
        }
        assert_eq!((Skill::from_name("Good"), Skill::from_number(3)), (None, None));
    }
}
