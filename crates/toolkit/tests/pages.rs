//! The tables of the documentation that are measured: they are played again here, and compared.
//!
//! `RENEW_PAGES=1 cargo nextest run -p toolkit --test pages` rewrites them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, atomic::AtomicBool},
};

use toolkit::{
    bridge::pairs::{self, DELAY_MAX, Feature},
    client_lines, protocols,
};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// One at a time changes a page.
static PAGE: Mutex<()> = Mutex::new(());

/// What stands on the page between the mark of that name and the next `end`, or how to rewrite it.
fn compare(page: &str, name: &str, wanted: &str) {
    let _turn = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = repository(page);
    let text = fs::read_to_string(&path).expect("the page");
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) = text.split_once(&mark).expect("the table has its place");
    let (table, after) = rest.split_once("<!-- end -->").expect("the table ends");
    let wanted = format!("\n{}\n", wanted.trim_end()) + "\n";
    if std::env::var_os("RENEW_PAGES").is_some() {
        fs::write(path, format!("{before}{mark}{wanted}<!-- end -->{after}")).expect("written");
    } else {
        assert_eq!(table, wanted, "{page}: run this with RENEW_PAGES=1");
    }
}

#[test]
fn what_each_pair_of_a_bridge_loses_is_on_its_page_and_nothing_is_kept_for_more_than_a_tick() {
    let report = pairs::run(2, &AtomicBool::new(false), |_, _| {}).expect("every pair can be played");
    assert_eq!(report.pairs.len(), 36);
    for pair in &report.pairs {
        let (name, delay) = (format!("{} to {}", pair.from.name(), pair.to.name()), pair.measured.delay);
        assert!(delay.up <= DELAY_MAX && delay.down <= DELAY_MAX, "{name}: {delay:?}");
        assert!(!delay.up.is_zero() && !delay.down.is_zero(), "{name}: nothing was measured");
        for feature in [Feature::Flight, Feature::Shots, Feature::Beam, Feature::Force, Feature::Others] {
            assert!(pair.measured.works(feature), "{name}: {}", feature.head());
        }
    }
    compare("docs/bridge.md", "pairs", &report.to_string());
    let columns: String =
        Feature::ALL.iter().map(|feature| format!("| {} | {} |\n", feature.head(), feature.meaning())).collect();
    compare("docs/bridge.md", "columns", &format!("| column | yes means |\n|---|---|\n{columns}"));
}

#[test]
fn what_each_protocol_costs_and_how_it_takes_loss_is_on_the_page_that_compares_them() {
    let report = protocols::run(|_| {}).expect("every dialect can be played");
    compare("docs/which-protocol.md", "protocols", &report.to_string());
}

#[test]
fn the_lines_of_code_of_a_client_are_on_that_page_too() {
    let table = client_lines::table(&repository("crates/protocol/src")).expect("the sources");
    compare("docs/which-protocol.md", "client lines", &table);
}
