//! The command that repeats one case, ready to be pasted into a shell.

use super::{
    case::{Case, Needs},
    runner::{Options, TestedPeer},
};

/// The command that repeats a case against the same peer.
pub fn command(options: &Options, case: &Case) -> String {
    let suite = options.suite;
    let mut words: Vec<String> =
        ["volley", "conform", suite.side.name(), "--dialect", suite.dialect.name()].map(String::from).into();
    let (direction, address) = match &options.peer {
        TestedPeer::Server { name, .. } => ("--to", name.clone()),
        TestedPeer::Client { listen, .. } => ("--listen", listen.to_string()),
    };
    words.extend([direction.into(), address, "--case".into(), case.number.into()]);
    words.extend(["--seed".into(), options.seed.to_string()]);
    let switches = [
        (case.needs == Needs::Time, "--slow"),
        (case.needs == Needs::Person, "--ask"),
        (options.is_strict, "--strict"),
    ];
    words.extend(switches.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| (*name).to_owned()));
    if let TestedPeer::Client { command, .. } = &options.peer
        && !command.is_empty()
    {
        words.push("--".into());
        words.extend(command.iter().cloned());
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::Dialect;

    use super::*;
    use crate::conform::{
        selection::Selection,
        suite::{self, TestedSide},
    };

    fn options(side: TestedSide, peer: TestedPeer, is_strict: bool) -> Options {
        Options {
            suite: suite::find(Dialect::Snapshot, side).expect("it has a suite"),
            peer,
            selection: Selection::default(),
            jobs: 1,
            is_strict,
            asks: false,
            client_wait: Duration::ZERO,
            seed: 7,
            captures: None,
        }
    }

    fn case(options: &Options, needs: Needs) -> &'static Case {
        options.suite.cases().find(|case| case.needs == needs).expect("there is one")
    }

    #[test]
    fn what_a_case_needs_is_in_its_command() {
        let address = ([127, 0, 0, 1], 4_300).into();
        let server = options(TestedSide::Server, TestedPeer::Server { address, name: "there:4300".into() }, true);
        let slow = case(&server, Needs::Time);
        let wanted = format!(
            "volley conform server --dialect snapshot --to there:4300 --case {} --seed 7 --slow --strict",
            slow.number
        );
        assert_eq!(command(&server, slow), wanted);
        let words = ["./my client", "--name", "it's", ""].map(String::from).into();
        let client = options(TestedSide::Client, TestedPeer::Client { listen: address, command: words }, false);
        let asks = case(&client, Needs::Person);
        let wanted = format!(
            "volley conform client --dialect snapshot --listen 127.0.0.1:4300 --case {} --seed 7 --ask -- './my client' --name 'it'\\''s' ''",
            asks.number
        );
        assert_eq!(command(&client, asks), wanted);
    }
}
