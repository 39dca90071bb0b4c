//! One function a command: turns arguments into calls of the toolkit.

use std::io::{self, BufWriter, Write};

use toolkit::{
    stages,
    watch::{self, Options},
};

use crate::arguments::Watch;

/// `volley watch`.
pub fn watch(arguments: &Watch) -> anyhow::Result<()> {
    let options = Options {
        stage: stages::find(&arguments.stage)?,
        players: usize::from(arguments.players),
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
        ticks: arguments.ticks,
    };
    if arguments.text {
        watch::write_text(&options, arguments.every, &mut BufWriter::new(io::stdout().lock()))?;
        return Ok(());
    }
    let seed = watch::show(&options, arguments.speed)?;
    say(&format!("To see the last game again: volley watch --seed {seed} --stage {}\n", arguments.stage))
}

/// `volley stages`.
pub fn stages() -> anyhow::Result<()> {
    let mut table = format!("{:<10} {:>6}  {:>8}  {}\n", "name", "number", "length", "title");
    for stage in stages::all() {
        let length = stages::seconds(&stage).map_or("no end".into(), |seconds| format!("{seconds} s"));
        table += &format!("{:<10} {:>6}  {length:>8}  {}\n", stage.name, stage.number, stage.title);
    }
    say(&table)
}

/// Writes to standard output; a reader who has gone is no error.
fn say(text: &str) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
