//! Relative links and pictures in Markdown point to a file or directory of the project.

use pulldown_cmark::{Event, Parser, Tag};

use super::{
    Breach,
    tree::{File, Tree},
};

pub fn check(tree: &Tree) -> Vec<Breach> {
    tree.files().iter().filter(|file| file.path.ends_with(".md")).flat_map(|file| dead_links(tree, file)).collect()
}

fn dead_links(tree: &Tree, file: &File) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (event, place) in Parser::new(&file.text).into_offset_iter() {
        let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) = event else {
            continue;
        };
        if relative(&dest_url).is_some_and(|target| !arrives(tree, &file.path, target)) {
            let line = file.text[..place.start].matches('\n').count() + 1;
            breaches.push(Breach::new(&file.path, line, format!("links to {dest_url}, which is not there")));
        }
    }
    breaches
}

/// The path in a link; `None` for another site and for a place on the same page.
fn relative(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let elsewhere = path.contains("://") || path.starts_with("mailto:");
    (!elsewhere && !path.is_empty()).then_some(path)
}

fn arrives(tree: &Tree, from: &str, target: &str) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return false,
            ".." => {}
            name => parts.push(name),
        }
    }
    // A link that begins with `/` means the site's root on one host and the project's on another.
    !target.starts_with('/') && tree.holds(&parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let tree = Tree::of(&[("docs/a.md", text), ("README.md", ""), ("docs/pictures/b.png", "")]);
        check(&tree).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn dead_links_are_found() {
        assert_eq!(
            lines("[a](b.md)\n\n![c](pictures/d.png) [e](../../README.md)\n\n[f]: g.md\n\n[f] [h](/README.md)\n"),
            [1, 3, 3, 7, 7]
        );
    }

    #[test]
    fn living_links_other_sites_and_code_are_fine() {
        let text = "[a](../README.md#top) [b](pictures/) ![c](./pictures/b.png) [d](#here) <https://example.org/x.md>\n\
                    `[e](no.md)`\n\n```\n[f](no.md)\n```\n[g](https://example.org/no.md) [h](mailto:a@example.org)\n";
        assert!(lines(text).is_empty());
    }
}
