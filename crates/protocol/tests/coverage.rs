//! The pages in `docs/protocols/coverage` name tests and rulings for each sentence of the documents: those must exist.

#![allow(clippy::disallowed_methods, reason = "it reads the workspace's files")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use protocol::Dialect;

/// Number, sentence, server, client, person, and what shows it.
const CELLS: usize = 6;
/// The cell of what a person sees.
const PERSON: usize = 4;
const NOT_YET: &str = "not yet:";

// ---- The pages ----

#[test]
fn every_row_of_the_coverage_pages_names_tests_and_rulings_that_exist() {
    let tests = Tests::of_the_workspace();
    let pages = root().join("docs/protocols");
    let common = rulings(&[&read(&pages.join("README.md")), &read(&pages.join("coverage.md"))]);
    let mut mistakes = Vec::new();
    for dialect in documented() {
        let mut known = rulings(&[&read(&pages.join(format!("{dialect}.md")))]);
        known.extend(common.clone());
        let found = mistakes_of(&coverage_of(dialect), &tests, &known);
        mistakes.extend(found.into_iter().map(|mistake| format!("coverage/{dialect}.md: {mistake}")));
    }
    assert!(mistakes.is_empty(), "a test that was renamed has its new name there too\n{}", mistakes.join("\n"));
}

#[test]
fn the_coverage_table_counts_the_rows_of_each_page() {
    let index = read(&root().join("docs/protocols/coverage.md"));
    let line = |dialect| {
        let page = coverage_of(dialect);
        let is_open = |cells: &Vec<&str>| cells.last().is_some_and(|proof| proof.contains(NOT_YET));
        let (all, open) = (rows(&page).count(), rows(&page).filter(is_open).count());
        format!("| [`{dialect}`](coverage/{dialect}.md) | {all} | {open} |")
    };
    let table = documented().map(line).collect::<Vec<_>>().join("\n");
    assert!(index.contains(&table), "coverage.md should have\n{table}");
}

/// In the column of what a person sees, quotation marks hold what is on the screen; `<…>` stands for a name or a number.
#[test]
fn what_the_coverage_pages_quote_from_the_screen_is_on_the_screen() {
    let screen = read(&root().join("crates/client/src/language.rs"));
    let mut mistakes = Vec::new();
    for dialect in documented() {
        let page = coverage_of(dialect);
        for cells in rows(&page) {
            let quoted = cells[PERSON].split('"').skip(1).step_by(2);
            let missing = quoted.filter(|text| !fixed_parts(text).iter().all(|part| screen.contains(part)));
            mistakes.extend(missing.map(|text| format!("coverage/{dialect}.md, row {}: {text}", cells[0])));
        }
    }
    assert!(mistakes.is_empty(), "no screen has this text\n{}", mistakes.join("\n"));
}

/// The parts of a text between its placeholders.
fn fixed_parts(text: &str) -> Vec<&str> {
    let parts = text.split('<').enumerate();
    parts
        .filter_map(|(index, part)| if index == 0 { Some(part) } else { part.split_once('>').map(|it| it.1) })
        .collect()
}

/// The dialects whose documents are other people's: our own is written after its code.
fn documented() -> impl Iterator<Item = &'static str> {
    Dialect::with_ports().map(Dialect::name)
}

fn coverage_of(dialect: &str) -> String {
    read(&root().join(format!("docs/protocols/coverage/{dialect}.md")))
}

/// The cells of each row that has a number.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    page.lines().filter_map(|line| {
        let cells: Vec<&str> =
            line.strip_prefix('|')?.trim_end().strip_suffix('|')?.split('|').map(str::trim).collect();
        let is_numbered = cells.first()?.parse::<u32>().is_ok();
        is_numbered.then_some(cells)
    })
}

/// What stands in the first cell of each row that begins with a ruling.
fn rulings(pages: &[&str]) -> BTreeSet<String> {
    let lines = pages.iter().flat_map(|page| page.lines());
    let firsts = lines.filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    firsts.filter(|cell| is_ruling(cell)).map(str::to_owned).collect()
}

/// A letter and a number.
fn is_ruling(word: &str) -> bool {
    let digits = word.strip_prefix(['C', 'D', 'T', 'A', 'S', 'R', 'F']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

// ---- The checker ----

fn mistakes_of(page: &str, tests: &Tests, rulings: &BTreeSet<String>) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut numbers = BTreeSet::new();
    for cells in rows(page) {
        let number = cells[0];
        if !numbers.insert(number) {
            mistakes.push(format!("row {number} is there twice"));
        }
        if cells.len() != CELLS || cells.iter().any(|cell| cell.is_empty()) {
            mistakes.push(format!("row {number} should have {CELLS} cells, none of them empty"));
            continue;
        }
        let found = mistakes_of_proof(cells[CELLS - 1], tests, rulings);
        mistakes.extend(found.into_iter().map(|mistake| format!("row {number}: {mistake}")));
    }
    if numbers.is_empty() {
        mistakes.push("there are no rows".to_owned());
    }
    mistakes
}

fn mistakes_of_proof(proof: &str, tests: &Tests, rulings: &BTreeSet<String>) -> Vec<String> {
    let (shown, missing) = proof.split_once(NOT_YET).map_or((proof, None), |(shown, rest)| (shown, Some(rest.trim())));
    let references: Vec<&str> = shown.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let mut mistakes: Vec<String> = references.iter().filter_map(|part| mistake_of(part, tests, rulings)).collect();
    match missing {
        Some("") => mistakes.push("it does not say what is missing".to_owned()),
        None if references.is_empty() => mistakes.push("nothing shows it".to_owned()),
        Some(_) | None => {}
    }
    mistakes
}

fn mistake_of(reference: &str, tests: &Tests, rulings: &BTreeSet<String>) -> Option<String> {
    if let Some(test) = reference.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        return match tests.count(test) {
            0 => Some(format!("there is no test `{test}`")),
            1 => None,
            count => Some(format!("{count} tests are called `{test}`: put a file or folder before its name")),
        };
    }
    let is_known = is_ruling(reference) && rulings.contains(reference);
    (!is_known).then(|| format!("{reference} is neither a test nor a ruling of its page"))
}

// ---- The tests of the workspace ----

/// Every test by its name, and the folders and files that each is in.
#[derive(Default)]
struct Tests(BTreeMap<String, Vec<Vec<String>>>);

impl Tests {
    fn of_the_workspace() -> Tests {
        let mut tests = Tests::default();
        tests.add_folder(&root().join("crates"), &mut Vec::new());
        assert!(tests.0.len() > 500, "the sources are elsewhere: {} tests", tests.0.len());
        tests
    }

    fn add_folder(&mut self, folder: &Path, place: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry of a folder").path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            place.push(name);
            if path.is_dir() {
                self.add_folder(&path, place);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.add_source(&read(&path), place);
            }
            place.pop();
        }
    }

    fn add_source(&mut self, source: &str, place: &[String]) {
        for name in test_names(source) {
            self.0.entry(name.to_owned()).or_default().push(place.to_vec());
        }
    }

    /// How many tests have that name, in all the files and folders that stand before it.
    fn count(&self, reference: &str) -> usize {
        let mut parts: Vec<&str> = reference.split("::").collect();
        let name = parts.pop().unwrap_or_default();
        let is_there = |place: &&Vec<String>| parts.iter().all(|part| place.iter().any(|name| name == part));
        self.0.get(name).map_or(0, |places| places.iter().filter(is_there).count())
    }
}

/// The functions behind `#[test]`, also in a macro and behind other attributes.
fn test_names(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_marked = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_marked = true;
        } else if is_marked && !line.starts_with("#[") && !line.starts_with("//") {
            is_marked = false;
            let declared = line.trim_start_matches("pub ").trim_start_matches("async ").strip_prefix("fn ");
            names.extend(declared.and_then(|rest| rest.split(['(', '<']).next()));
        }
    }
    names
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// ---- The checker can fail ----

#[test]
fn the_coverage_checker_tells_what_is_wrong_with_a_row() {
    let mut tests = Tests::default();
    let place = |name: &str| vec!["protocol".to_owned(), "tests".to_owned(), name.to_owned()];
    tests.add_source("#[test]\nfn one() {}\n#[test]\n#[ignore]\n// why\nfn two() {}\nfn three() {}", &place("aecs"));
    tests.add_source("proptest! {\n    #[test]\n    fn two(byte: u8) {}\n}", &place("typeuh"));
    let known = rulings(&["| S4 | counts up | why |\n| S44 | |", "no table: C9"]);
    let mistakes = |proof: &str| {
        let page = format!(
            "| # | the document | server | client | person | shown by |\n|---|\n| 1 | a | b | c | – | {proof} |"
        );
        mistakes_of(&page, &tests, &known).len()
    };
    for sound in
        ["`one`", "S4", "`aecs::two`, `protocol::typeuh::two`, S44", "`one`; not yet: C9, more", "not yet: all"]
    {
        assert_eq!(mistakes(sound), 0, "{sound}");
    }
    for wrong in [
        "",
        "–",
        "`three`",
        "`two`",
        "`aecs::one::two`",
        "one",
        "S5",
        "C9",
        "`one`, S5",
        "not yet:",
        "`four`; not yet: x",
    ] {
        assert_eq!(mistakes(wrong), 1, "{wrong}");
    }
    assert_eq!(mistakes("`four`, S5, T"), 3);
    assert_eq!(mistakes_of("| 1 | a | b | c | d | S4 |\n| 1 | a | b | c | S4 |\n", &tests, &known).len(), 2);
    assert_eq!(mistakes_of("no rows", &tests, &known).len(), 1);
}
