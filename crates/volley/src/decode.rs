//! `volley decode` and `volley dissector`: turn arguments into calls of the toolkit.

use std::io::{self, IsTerminal};

use toolkit::{
    decode::{self, Form, Options},
    dissector,
};

use crate::{
    arguments::{Decode, Dissector},
    commands::print,
};

/// `volley decode`.
pub fn decode(arguments: &Decode) -> anyhow::Result<()> {
    let has_colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let options = Options {
        input: arguments.input.clone(),
        dialect: arguments.dialect.0,
        filter: arguments.filter.clone(),
        form: if arguments.json { Form::Json } else { Form::Text { has_colour } },
    };
    match decode::run(&options, io::stdout().lock()) {
        // A reader that has quit is not an error.
        Err(error) if is_broken_pipe(&error) => Ok(()),
        other => other,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    errors.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// `volley dissector`.
pub fn dissector(arguments: &Dissector) -> anyhow::Result<()> {
    let names = dissector::write(&arguments.out)?;
    let (count, directory) = (names.len(), arguments.out.display());
    print(&format!(
        "{count} dissectors in {directory}. Wireshark loads them from its personal plugin folder (Help, About, Folders),\n\
         tshark can also load them with -X lua_script:{directory}/{}\n",
        names[0]
    ))
}
