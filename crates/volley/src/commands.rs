//! `volley watch`, `volley stages`, `volley assets` and `volley generate`: turn arguments into calls of the toolkit.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::Context;
use clap::CommandFactory;
use game::Skill;
use toolkit::{
    assets, manual, stages,
    watch::{self, Options},
};

use crate::arguments::{Arguments, BotSkill, Watch};

const CANNOT_WRITE: &str = "cannot write to standard output";

/// `volley watch`.
pub fn watch(arguments: &Watch) -> anyhow::Result<()> {
    let options = Options {
        stage: stages::find(&arguments.stage)?,
        players: usize::from(arguments.players),
        skill: arguments.skill.0,
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
        ticks: arguments.ticks,
    };
    if arguments.text {
        let mut out = BufWriter::new(io::stdout().lock());
        return watch::write_text(&options, arguments.every, &mut out).context(CANNOT_WRITE);
    }
    let seed = watch::show(&options, arguments.speed)?;
    let BotSkill(skill) = arguments.skill;
    let skill = if skill == Skill::Good { String::new() } else { format!(" --skill {}", skill.name()) };
    print(&format!("To see the last game again: volley watch --seed {seed} --stage {}{skill}\n", arguments.stage))
}

/// `volley stages`.
pub fn stages() -> anyhow::Result<()> {
    let mut table = format!("{:<10} {:>6}  {:>8}  {}\n", "name", "number", "length", "title");
    for stage in stages::all() {
        let length = stages::seconds(&stage).map_or("no end".into(), |seconds| format!("{seconds} s"));
        table += &format!("{:<10} {:>6}  {length:>8}  {}\n", stage.name, stage.number, stage.title);
    }
    print(&table)
}

/// `volley assets`.
pub fn assets(directory: &Path) -> anyhow::Result<()> {
    let (files, bytes) = assets::write(directory)?;
    print(&format!("{files} files, {} KB, in {}\n", bytes / 1024, directory.display()))
}

/// `volley generate`.
pub fn generate(directory: &Path) -> anyhow::Result<()> {
    manual::write(Arguments::command(), directory).with_context(|| format!("cannot write to {}", directory.display()))
}

/// Writes to standard output. A reader that has quit is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context(CANNOT_WRITE),
        _ => Ok(()),
    }
}
