//! How many lines of code a client of each dialect takes, as Markdown.
//!
//! `cargo run -p toolkit --example client_lines`

use std::{io, path::Path};

fn main() -> io::Result<()> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/src");
    print!("{}", toolkit::client_lines::table(&sources)?);
    Ok(())
}
