//! What the phrases must keep to, whatever they say.

use super::*;
use crate::draw::{Font, Picture, widgets};

#[test]
fn every_phrase_exists_in_every_language_and_fits_the_picture() {
    for &phrase in Phrase::ALL {
        for language in Language::ALL {
            let text = language.translate(phrase);
            assert!(!text.is_empty() && Picture::text_width(text) < 400, "{text}");
        }
    }
    assert_eq!(Language::from_name("klingon"), None);
}

#[test]
fn a_locale_has_a_language() {
    for locale in ["fr", "FR", "fr-CA", "fr_FR.UTF-8"] {
        assert_eq!(Language::of_locale(locale), Language::French, "{locale}");
    }
    for locale in ["", "C", "en-GB", "frr", "de_DE.UTF-8"] {
        assert_eq!(Language::of_locale(locale), Language::English, "{locale}");
    }
}

/// What is said elsewhere than at the foot of a screen: on a card, or on a title that has room for one.
const NOT_AT_THE_FOOT: [Phrase; 8] = [
    Phrase::AboutPlayArrows,
    Phrase::AboutEndlessArrows,
    Phrase::AboutSwarm,
    Phrase::AboutHaste,
    Phrase::AboutGlass,
    Phrase::AboutForceless,
    Phrase::AboutOvercharge,
    Phrase::AboutRevenge,
];

#[test]
fn what_an_entry_does_fits_into_one_line_of_large_letters() {
    let is_at_the_foot = |phrase: &&Phrase| format!("{phrase:?}").starts_with("About");
    for &phrase in Phrase::ALL.iter().filter(is_at_the_foot).filter(|phrase| !NOT_AT_THE_FOOT.contains(phrase)) {
        for language in Language::ALL {
            let text = language.translate(phrase);
            let width = Font::Large.width(text);
            assert!(width <= widgets::FOOT_WIDTH, "{text:?} has {width} pixels");
        }
    }
}
