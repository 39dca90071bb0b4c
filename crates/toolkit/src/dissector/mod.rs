//! `volley dissector`: dissectors for Wireshark, one file of Lua for each dialect.
//!
//! A file is a dialect's field table as Lua (`lua.rs`) and the code that walks it (`runtime.lua`), which is the same for all. Each stands
//! alone, so that a person can install only the one they need.

mod lua;

use std::{fs, path::Path};

use protocol::Dialect;

use crate::UserError;

const RUNTIME: &str = include_str!("runtime.lua");
const LINK: &str = include_str!("link.lua");

/// Writes the dissectors of all dialects into a directory, which is made if it does not exist. Returns the names of the files.
///
/// # Errors
/// If the directory cannot be written to.
pub fn write(directory: &Path) -> Result<Vec<String>, UserError> {
    let mut names = Vec::new();
    for dialect in Dialect::ALL {
        let name = file_name(dialect);
        let path = directory.join(&name);
        let written = fs::create_dir_all(directory).and_then(|()| fs::write(&path, script(dialect)));
        written
            .map_err(|error| UserError(format!("cannot write {}: {error}; choose another --out", path.display())))?;
        names.push(name);
    }
    Ok(names)
}

fn file_name(dialect: Dialect) -> String {
    format!("rtype_{}.lua", dialect.name())
}

/// The dissector of a dialect.
pub fn script(dialect: Dialect) -> String {
    let name = dialect.name();
    let head = format!(
        "-- A Wireshark dissector for {name}, one of the protocols of R-Type. Written by `volley dissector`: change the field table in\n\
         -- crates/protocol/src/{name}/fields.rs and write it again. Filter with rtype.{name}.FIELD, for example\n\
         -- rtype.{name}.message or rtype.{name}.violation.\n\n"
    );
    let table = lua::dialect(dialect);
    let link = if lua::is_link(dialect) { LINK } else { "" };
    [&head, &table, "\n", RUNTIME, link].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_every_dialect_is_registered_with_what_it_says() {
        for dialect in Dialect::ALL {
            let script = script(dialect);
            dialect.entry().fields.each_field(|field| {
                assert!(script.contains(&format!("[\"{}\"] = {{ shape", field.name)), "{}", field.name);
                assert!(script.contains(field.about), "{}", field.about);
            });
        }
    }
}
