//! Man pages and shell completions, made from the definition of a command line so that they cannot differ from it.

use std::{fs, io, path::Path};

use clap::Command;
use clap_complete::Shell;

/// The shells that get completions.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Writes `man/*.1`, a page for the program and one for each of its commands, and `completions/`, a file for each shell.
pub fn write(mut command: Command, directory: &Path) -> io::Result<()> {
    let (pages, completions) = (directory.join("man"), directory.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    // Before the completions, which add a command `help` to each that has commands.
    clap_mangen::generate_to(command.clone(), pages)?;
    let name = command.get_name().to_owned();
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut command, &name, &completions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Arg;

    use super::*;

    fn names(directory: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(directory).expect("it was made");
        entries.map(|entry| entry.expect("listed").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn there_is_a_page_for_each_command_and_a_file_for_each_shell() {
        let serve = Command::new("serve").arg(Arg::new("bind").long("bind").help("Where it listens"));
        let command = Command::new("game").subcommand(serve).subcommand(Command::new("secret").hide(true));
        let directory = tempfile::tempdir().expect("a place for the test");
        write(command, directory.path()).expect("written");
        let expected = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(names(&directory.path().join("man")), expected(&["game.1", "game-serve.1"]));
        assert_eq!(names(&directory.path().join("completions")), expected(&["game.bash", "_game", "game.fish"]));
        let page = fs::read_to_string(directory.path().join("man/game-serve.1")).expect("is there");
        assert!(page.contains("Where it listens"), "{page}");
        let bash = fs::read_to_string(directory.path().join("completions/game.bash")).expect("is there");
        assert!(bash.contains("--bind"), "{bash}");
    }
}
