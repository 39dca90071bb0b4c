//! `volley replay`: turns arguments into calls of the toolkit.

use std::io::{self, BufWriter, Write};

use toolkit::{
    UserError,
    replay::{self, FilmOptions, PacketOptions, Replay},
};

use crate::{arguments::ReplayArguments, commands::print};

/// How long a film is if nobody says so, in ticks.
const FILM_TICKS: u32 = 10 * 60;

/// `volley replay`.
pub fn replay(arguments: &ReplayArguments) -> anyhow::Result<()> {
    let game = replay::open(&arguments.file)?;
    play(&game, arguments).map_err(|error| match error.downcast_ref::<replay::ReplayError>() {
        // With --verify, this is the answer and no mistake of the user's.
        Some(error) if !arguments.verify => replay::unplayable(&arguments.file, error).into(),
        _ => error,
    })
}

fn play(game: &Replay, arguments: &ReplayArguments) -> anyhow::Result<()> {
    let from = arguments.from.0;
    if from > game.ticks() {
        return Err(UserError(format!("the game ends at {}; --from is later", replay::clock(game.ticks()))).into());
    }
    let to = arguments.to.map_or(game.ticks(), |to| to.0.min(game.ticks()));
    let follows = arguments.follow.and_then(replay::seat);
    if arguments.verify {
        let mut out = BufWriter::new(io::stdout().lock());
        return replay::allow_broken_pipe(replay::write_verification(game, &mut out).and_then(|()| Ok(out.flush()?)));
    }
    if arguments.text {
        let mut out = BufWriter::new(io::stdout().lock());
        return replay::allow_broken_pipe(replay::write_text(game, from..=to, arguments.every, &mut out));
    }
    if let (Some(dialect), Some(path)) = (arguments.pcap, &arguments.out) {
        let packets = replay::write_pcap(game, &PacketOptions { dialect, ticks: from..=to, seat: follows }, path)?;
        return print(&format!("{}: {packets} packets\n", path.display()));
    }
    if let Some(path) = &arguments.png {
        replay::write_png(game, &FilmOptions { ticks: from..=from, follows }, path)?;
        return print(&format!("{}\n", path.display()));
    }
    if let Some(path) = &arguments.gif {
        let to = if arguments.to.is_some() { to } else { to.min(from + FILM_TICKS) };
        let pictures = replay::write_gif(game, &FilmOptions { ticks: from..=to, follows }, path)?;
        return print(&format!("{}: {pictures} pictures\n", path.display()));
    }
    replay::show(game, from, follows)
}
