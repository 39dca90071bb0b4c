//! Tells the player what is wrong with the server: that it cannot be understood at all, or that part of it is left out.

use protocol::{InitialisationFault, ServerFault, UnknownNames};

use super::Client;
use crate::{
    draw::{
        Colour, Font, Picture,
        hud::{self, Banner},
        widgets,
    },
    language::Phrase,
};

/// Ticks for which names that are left out are shown: time to read them in the midst of a game.
const NAMES_TICKS: u32 = 600;
/// Where they are shown, below the line about the player's ship.
const NAMES_Y: i32 = 52;

impl Client {
    /// Notes since when there is something wrong.
    pub(super) fn note_fault(&mut self) {
        let ticks = self.clock.ticks();
        self.fault_since = self.connection.fault().and(self.fault_since.or(Some(ticks)));
    }

    pub(super) fn draw_fault(&self, picture: &mut Picture) {
        let (Some(fault), Some(since)) = (self.connection.fault(), self.fault_since) else { return };
        match fault {
            ServerFault::BadInitialisation(fault) => self.draw_bad_initialisation(*fault, picture),
            ServerFault::UnknownComponents(names) if self.clock.ticks().wrapping_sub(since) < NAMES_TICKS => {
                self.draw_unknown(names, picture);
            }
            ServerFault::UnknownComponents(_) => {}
        }
    }

    fn draw_bad_initialisation(&self, fault: InitialisationFault, picture: &mut Picture) {
        let title = self.translate(Phrase::BadInitialisationTitle);
        let line = format!("{} {}", self.translate(Phrase::BadInitialisation), self.translate(fault_phrase(fault)));
        hud::draw_banner(&Banner { title, line: &line, colour: Colour::RED }, picture);
    }

    /// The names come from a server that may have any: they are cut to the width of the picture.
    fn draw_unknown(&self, names: &UnknownNames, picture: &mut Picture) {
        let more = match names.more() {
            0 => String::new(),
            more => format!(" + {more} {}", self.translate(Phrase::AndMore)),
        };
        let room = Picture::WIDTH - 16 - Font::Small.width(&more);
        let line = format!("{}{more}", Font::Small.fitting(&names.to_string(), room));
        widgets::centred(Font::Small, NAMES_Y, self.translate(Phrase::UnknownComponents), Colour::GOLD, picture);
        widgets::centred(Font::Small, NAMES_Y + 12, &line, Colour::PALE, picture);
    }
}

fn fault_phrase(fault: InitialisationFault) -> Phrase {
    match fault {
        InitialisationFault::Count => Phrase::FaultCount,
        InitialisationFault::Padding => Phrase::FaultPadding,
        InitialisationFault::Characters => Phrase::FaultCharacters,
        InitialisationFault::EndMark => Phrase::FaultEndMark,
        InitialisationFault::MissingPart => Phrase::FaultMissingPart,
    }
}
