//! How many lines of code a client of each dialect takes: what is in the dialect's folder, without the server's half, the field
//! tables of the decoder, tests, comments and blank lines.

use std::{fs, io, path::Path};

use protocol::Dialect;

/// Files and folders that a client does not need.
const LEFT_OUT: [&str; 15] = [
    "server.rs",
    "shared.rs",
    "world_writer.rs",
    "desk.rs",
    "port_rewriter.rs",
    "baselines.rs",
    "server_view.rs",
    "instruction_queue.rs",
    "lobby_messages.rs",
    "chat.rs",
    "priority.rs",
    "aecs/reliability.rs",
    "fields.rs",
    "fields",
    "mod.rs",
];

/// As Markdown, for the dialects' folders in `sources`.
///
/// # Errors
/// If a folder cannot be read.
pub fn table(sources: &Path) -> io::Result<String> {
    let mut table = String::from("| protocol | lines of code of a client |\n|---|--:|\n");
    for dialect in Dialect::ALL {
        let lines = lines_in(&sources.join(dialect.name()))?;
        table += &format!("| `{}` | {lines} |\n", dialect.name());
    }
    Ok(table)
}

fn lines_in(folder: &Path) -> io::Result<usize> {
    let mut lines = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if LEFT_OUT.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        lines += if path.is_dir() { lines_in(&path)? } else { code_lines(&fs::read_to_string(&path)?) };
    }
    Ok(lines)
}

/// Lines of code before the tests.
fn code_lines(text: &str) -> usize {
    let before_tests = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    before_tests.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}
