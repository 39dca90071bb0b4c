//! The places of our own stages in French: in a map they have English names.

/// The checkpoints of our own stages, in English and French.
const PLACES: [(&str, &str); 15] = [
    ("hull", "coque"),
    ("graveyard", "cimetière"),
    ("cargo hold", "soute"),
    ("second half", "seconde moitié"),
    ("shipyard", "chantier"),
    ("slalom", "slalom"),
    ("throat", "gosier"),
    ("gut", "entrailles"),
    ("second stomach", "second estomac"),
    ("nest", "nid"),
    ("bow", "proue"),
    ("trench", "tranchée"),
    ("airlock", "sas"),
    ("corridor", "coursive"),
    ("reactor", "réacteur"),
];

/// What a place of our own stages is called in French.
pub(crate) fn french_place(name: &str) -> Option<&'static str> {
    PLACES.iter().find(|(english, _)| *english == name).map(|(_, french)| *french)
}
