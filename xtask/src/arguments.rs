//! The command line of `cargo xtask`. A small parser reads it, because a newcomer waits while this crate is compiled.

use std::{ffi::OsString, path::PathBuf};

use anyhow::{Result, anyhow, bail, ensure};
use lexopt::{Arg, Parser, ValueExt};

use crate::web::WasmCompiler;

pub const HELP: &str = "\
Volley's automation.

Usage: cargo xtask COMMAND

  play [-- OPTIONS]       Build the web client and a node that has it inside, run it, and say where to click.
                          OPTIONS are those of `volley serve`: cargo xtask play -- --bind 0.0.0.0
  web [--with target|debian]
                          Build the client that browsers load; the node takes it along when it is built afterwards.
                          --with insists on the toolchain's own target or on Debian's packages
  desktop [-- OPTIONS]    Build the client in a window and run it. OPTIONS are those of `volley-desktop`
  test [--fuzz-seconds S] Check everything: formatting, lints, tests, browsers, a window, documentation, tidy, and
                          fuzz targets for S seconds each [default: 2]. With CI=true, a skipped part fails
  art [DIR] [--readme]    Draw contact sheets of all sprites, tiles, backdrops and stages, and the scenes of the golden
                          pictures, into DIR [default: target/art]. --readme draws the pictures of the documentation
                          instead, from games of bots [default: docs/pictures]
  tidy                    Check the invariants of ARCHITECTURE.md; print each breach as file:line: reason
  new-dialect             Add the dialect of docs/adding-a-dialect.md to a copy of the project, and play with it
  fuzz [TARGET] [--seconds S | --runs N | --replay FILE]
                          Search for bytes that make a reader panic, hang or use too much memory: all targets or one, S
                          seconds [default: 60] or N runs each, or once on the bytes of FILE
  storm [-- OPTIONS]      Attack a node of its own on this machine in many ways while people play there, and print a table.
                          OPTIONS are those of `volley bench storm`
  dist [--check]          Make a release in target/dist: programs, man pages, completions, licences, Debian packages
                          and checksums. --check installs, upgrades and purges the package on this machine, as root
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Play { options: Vec<OsString> },
    Web { way: Option<WasmCompiler> },
    Desktop { options: Vec<OsString> },
    Test { fuzz_seconds: u64 },
    Art { directory: Option<PathBuf>, is_readme: bool },
    Tidy,
    NewDialect,
    Fuzz(Fuzz),
    Storm { options: Vec<OsString> },
    Dist { check: bool },
}

/// When a target has run for long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzLimit {
    Seconds(u64),
    Runs(u64),
}

/// What `cargo xtask fuzz` was told.
#[derive(Debug, PartialEq, Eq)]
pub struct Fuzz {
    /// A file of `fuzz/fuzz_targets` without `.rs`; all of them if not given.
    pub target: Option<String>,
    pub limit: FuzzLimit,
    /// Run the target once, on the bytes of this file.
    pub replay: Option<PathBuf>,
}

pub fn parse(mut parser: Parser) -> Result<Command> {
    let command = match parser.next()? {
        Some(Arg::Value(command)) => command.string()?,
        None | Some(Arg::Long("help") | Arg::Short('h')) => return Ok(Command::Help),
        Some(other) => return Err(other.unexpected().into()),
    };
    match command.as_str() {
        "help" => Ok(Command::Help),
        "play" => Ok(Command::Play { options: passed_on(&mut parser)? }),
        "desktop" => Ok(Command::Desktop { options: passed_on(&mut parser)? }),
        "web" => web(&mut parser),
        "test" => test(&mut parser),
        "art" => art(&mut parser),
        "tidy" => nothing_more(&mut parser, Command::Tidy),
        "new-dialect" => nothing_more(&mut parser, Command::NewDialect),
        "fuzz" => fuzz(&mut parser),
        "storm" => Ok(Command::Storm { options: passed_on(&mut parser)? }),
        "dist" => dist(&mut parser),
        _ => Err(anyhow!("there is no command {command}")),
    }
}

/// All that follows, for another program; a first `--` only says so.
fn passed_on(parser: &mut Parser) -> Result<Vec<OsString>> {
    let mut options: Vec<OsString> = parser.raw_args()?.collect();
    if options.first().is_some_and(|first| first == "--") {
        options.remove(0);
    }
    Ok(options)
}

fn web(parser: &mut Parser) -> Result<Command> {
    let mut way = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("with") => way = Some(parser.value()?.parse()?),
            Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Web { way })
}

fn test(parser: &mut Parser) -> Result<Command> {
    let mut fuzz_seconds = 2;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("fuzz-seconds") => fuzz_seconds = seconds(parser)?,
            Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Test { fuzz_seconds })
}

fn fuzz(parser: &mut Parser) -> Result<Command> {
    let mut fuzz = Fuzz { target: None, limit: FuzzLimit::Seconds(60), replay: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("seconds") => fuzz.limit = FuzzLimit::Seconds(seconds(parser)?),
            Arg::Long("runs") => fuzz.limit = FuzzLimit::Runs(parser.value()?.parse()?),
            Arg::Long("replay") => fuzz.replay = Some(parser.value()?.into()),
            Arg::Long("help") => return Ok(Command::Help),
            Arg::Value(target) if fuzz.target.is_none() => fuzz.target = Some(target.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    ensure!(fuzz.replay.is_none() || fuzz.target.is_some(), "--replay needs the name of a target as well");
    Ok(Command::Fuzz(fuzz))
}

fn dist(parser: &mut Parser) -> Result<Command> {
    let mut check = false;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("check") => check = true,
            Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Dist { check })
}

fn art(parser: &mut Parser) -> Result<Command> {
    let (mut directory, mut is_readme) = (None, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("readme") => is_readme = true,
            Arg::Value(value) if directory.is_none() => directory = Some(value.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Art { directory, is_readme })
}

fn seconds(parser: &mut Parser) -> Result<u64> {
    match parser.value()?.parse()? {
        0 => bail!("a target needs at least 1 second"),
        seconds => Ok(seconds),
    }
}

fn nothing_more(parser: &mut Parser, command: Command) -> Result<Command> {
    match parser.next()? {
        None => Ok(command),
        Some(Arg::Long("help")) => Ok(Command::Help),
        Some(other) => Err(other.unexpected().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(Parser::from_args(line.split_whitespace())).map_err(|error| error.to_string())
    }

    #[test]
    fn options_of_other_programs_pass_through() {
        let options = |line: &str| match parsed(line) {
            Ok(Command::Play { options } | Command::Desktop { options }) => options,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(options("play"), Vec::<OsString>::new());
        assert_eq!(options("play -- --bind 0.0.0.0 --help"), ["--bind", "0.0.0.0", "--help"]);
        assert_eq!(options("play --bind ::"), ["--bind", "::"]);
        assert_eq!(options("desktop -- -- a"), ["--", "a"]);
    }

    #[test]
    fn each_command_takes_its_own_options() {
        assert_eq!(parsed("web --with debian"), Ok(Command::Web { way: Some(WasmCompiler::Debian) }));
        assert_eq!(parsed("test"), Ok(Command::Test { fuzz_seconds: 2 }));
        assert_eq!(parsed("test --fuzz-seconds=7"), Ok(Command::Test { fuzz_seconds: 7 }));
        let fuzz = Fuzz { target: Some("a".into()), limit: FuzzLimit::Seconds(9), replay: Some("b".into()) };
        assert_eq!(parsed("fuzz a --seconds 9 --replay b"), Ok(Command::Fuzz(fuzz)));
        let fuzz = Fuzz { target: None, limit: FuzzLimit::Runs(1000), replay: None };
        assert_eq!(parsed("fuzz --runs 1000"), Ok(Command::Fuzz(fuzz)));
        assert_eq!(parsed("art"), Ok(Command::Art { directory: None, is_readme: false }));
        assert_eq!(parsed("art a --readme"), Ok(Command::Art { directory: Some("a".into()), is_readme: true }));
        assert_eq!(parsed("tidy"), Ok(Command::Tidy));
        assert_eq!(parsed("dist"), Ok(Command::Dist { check: false }));
        assert_eq!(parsed("dist --check"), Ok(Command::Dist { check: true }));
    }

    #[test]
    fn help_is_there_without_a_command_and_with_each() {
        for line in ["", "--help", "help", "web --help", "test --help", "art --help", "tidy --help", "fuzz --help"] {
            assert_eq!(parsed(line), Ok(Command::Help), "{line}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (line, word) in [
            ("fly", "fly"),
            ("tidy --now", "--now"),
            ("web --with gcc", "gcc"),
            ("test --fuzz-seconds 0", "1 second"),
            ("art a b", "\"b\""),
            ("fuzz a b", "\"b\""),
            ("fuzz --replay x", "--replay"),
        ] {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
