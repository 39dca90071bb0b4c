//! The table of kinds that goes over the wire is printed in the documentation, and this keeps the two the same.

use game::Kind;

const PAGE: &str = include_str!("../../../docs/protocols/kinds.md");

#[test]
fn every_kind_is_in_the_documentation_with_its_number_name_class_and_size() {
    // The first table of the page.
    let lines = PAGE.lines().skip_while(|line| !line.starts_with("| number")).skip(2);
    let rows: Vec<&str> = lines.take_while(|line| line.starts_with("| ")).collect();
    let kinds: Vec<String> = Kind::ALL
        .iter()
        .map(|kind| {
            let (width, height) = kind.size_px();
            let class = format!("{:?}", kind.class());
            format!("| {} | `{}` | {class} | {width} × {height} | {} |", kind.number(), kind.name(), kind.description())
        })
        .collect();
    assert_eq!(rows, kinds, "if a kind was added, copy the right side into docs/protocols/kinds.md");
}
