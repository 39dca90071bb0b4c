//! The sentences of our rulings, as the pages of the dialects print them: a report shows them beside the document's words.

/// Rulings of all dialects have numbers of their own, so that a number names one of them.
const PAGES: [&str; 6] = [
    include_str!("../../../../docs/protocols/README.md"),
    include_str!("../../../../docs/protocols/typeuh.md"),
    include_str!("../../../../docs/protocols/aecs.md"),
    include_str!("../../../../docs/protocols/snapshot.md"),
    include_str!("../../../../docs/protocols/rfc2020.md"),
    include_str!("../../../../docs/protocols/rfc53952.md"),
];

/// The sentences of rulings that are separated by blanks, each behind its number.
pub fn sentences(rulings: &str) -> Vec<String> {
    let found = rulings.split_whitespace().filter_map(|number| {
        let sentence = PAGES.iter().find_map(|page| sentence(page, number))?;
        Some(format!("{number}: {sentence}"))
    });
    found.collect()
}

/// The second cell of the row that begins with a ruling's number.
fn sentence(page: &str, number: &str) -> Option<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let mut cells = rows.filter_map(|row| row.split_once(" | ")).filter(|(first, _)| first.trim() == number);
    let (_, rest) = cells.next()?;
    Some(rest.split(" | ").next().unwrap_or(rest).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::suite;

    #[test]
    fn every_ruling_that_a_case_names_has_a_sentence() {
        for suite in suite::ALL {
            for case in suite.cases() {
                let (named, found) = (case.rulings.split_whitespace().count(), sentences(case.rulings));
                assert_eq!(found.len(), named, "{} {}: {}", suite.dialect.name(), case.number, case.rulings);
            }
        }
    }

    #[test]
    fn a_sentence_stands_behind_its_number() {
        let found = sentences("S1 C7");
        assert!(found[0].starts_with("S1: ") && found[0].contains("KILLED"), "{found:?}");
        assert!(found[1].starts_with("C7: Bad bytes never end a session"), "{found:?}");
    }
}
