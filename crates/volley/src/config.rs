//! The file of `--config`: it has the same names as the flags of `volley serve`, and is read as if its values stood before
//! them on the command line.
//!
//! No option is defined here: a key is looked up among the flags, and the flag's own parser reads its value. The line of each
//! key is remembered for errors that only turn up when the node starts.

use std::{collections::BTreeMap, ffi::OsString, io, path::Path};

use clap::{Arg, ArgAction, CommandFactory, Parser};
use server::data::check_token;
use toml::{Spanned, de::DeTable, de::DeValue};
use toolkit::UserError;

use crate::{arguments::Arguments, error_report};

/// A key without a flag: everybody on the machine can read a command line.
const TOKEN: &str = "admin-token";

/// The contents of a file.
#[derive(Debug, Default)]
pub struct Config {
    /// Flags, as on a command line.
    pub flags: Vec<OsString>,
    /// The admin token.
    pub admin_token: Option<String>,
    /// File, line and key of each flag in the file.
    positions: BTreeMap<String, String>,
}

/// Reads a file. A mistake names the file, the line and the key.
pub fn read(path: &Path) -> Result<Config, UserError> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    parse(&text, &name.to_string()).map_err(|(at, what)| UserError(format!("{name}:{}: {what}", line(&text, at))))
}

fn unreadable(path: &Path, error: &io::Error) -> UserError {
    let why = if path.is_dir() { "it is a directory".into() } else { error.to_string() };
    UserError(format!(
        "cannot read {}: {why}; check the path after --config and the file's permissions",
        path.display()
    ))
}

fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

/// The offset of an error in the text, and a description.
pub type ParseError = (usize, String);

/// Reads the text of a file of this name.
pub fn parse(text: &str, file: &str) -> Result<Config, ParseError> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, error.message().split_whitespace().collect::<Vec<_>>().join(" "))
    })?;
    let mut config = Config::default();
    let mut seen: Vec<String> = Vec::new();
    let mut pairs: Vec<_> = table.get_ref().iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in pairs {
        let at = key.span().start;
        let flag = key.get_ref().replace('_', "-");
        if seen.contains(&flag) {
            return Err((at, format!("{} appears twice", key.get_ref())));
        }
        config.take(&flag, value).map_err(|what| (at, format!("{}: {what}", key.get_ref())))?;
        config.positions.insert(flag.clone(), format!("{file}:{}: {}", line(text, at), key.get_ref()));
        seen.push(flag);
    }
    Ok(config)
}

impl Config {
    /// Forgets the positions of values that the command line replaces.
    pub fn overridden_by(&mut self, given: impl Fn(&str) -> bool) {
        self.positions.retain(|flag, _| !given(flag));
    }

    /// A mistake about some flags, with the position of the first one that the file sets.
    pub fn user_error(&self, flags: &[&str], why: &str) -> UserError {
        match flags.iter().find_map(|flag| self.positions.get(*flag)) {
            Some(position) => UserError(format!("{position}: {why}")),
            None => UserError(why.to_owned()),
        }
    }

    fn take(&mut self, flag: &str, value: &Spanned<DeValue>) -> Result<(), String> {
        if flag == TOKEN {
            self.admin_token = Some(token(value.get_ref())?);
            return Ok(());
        }
        let words = words(flag, value.get_ref())?;
        let line = ["volley", "serve"].into_iter().map(OsString::from).chain(words.iter().map(OsString::from));
        Arguments::try_parse_from(line).map_err(|error| error_report::reason(&error))?;
        self.flags.extend(words.into_iter().map(OsString::from));
        Ok(())
    }
}

/// A key and its value as they would stand on a command line.
fn words(flag: &str, value: &DeValue) -> Result<Vec<String>, String> {
    let command = Arguments::command();
    let flags: Vec<&Arg> = command
        .find_subcommand("serve")
        .into_iter()
        .flat_map(|serve| serve.get_arguments())
        .filter(|arg| arg.get_long().is_some_and(|long| !["config", "help"].contains(&long)))
        .collect();
    let Some(arg) = flags.iter().find(|arg| arg.get_long() == Some(flag)) else {
        let known: Vec<&str> = flags.iter().filter_map(|arg| arg.get_long()).chain([TOKEN]).collect();
        return Err(format!("unknown key; the keys are {}", known.join(", ")));
    };
    // A flag that needs no value is true or false.
    let is_switch = arg.get_num_args().is_some_and(|values| values.min_values() == 0);
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    match (value, is_switch) {
        (DeValue::Array(values), false) if is_list => {
            let texts = values.iter().map(|value| value.get_ref().as_str().ok_or("the values must be text".to_owned()));
            texts.map(|text| Ok(format!("--{flag}={}", text?))).collect()
        }
        (DeValue::Boolean(is_on), true) => Ok(vec![format!("--{flag}={is_on}")]),
        (_, true) => Err("the value must be true or false".into()),
        (DeValue::String(text), false) => Ok(vec![format!("--{flag}={text}")]),
        (DeValue::Integer(number), false) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Ok(vec![format!("--{flag}={number}")]),
            Err(_) => Err("the number is too large".into()),
        },
        (other, false) => Err(format!("the value must be a number or text, not {}", other.type_str())),
    }
}

fn token(value: &DeValue) -> Result<String, String> {
    check_token(value.as_str().ok_or("the value must be text")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Vec<String> {
        let config = parse(text, "a.toml").unwrap_or_else(|(_, what)| panic!("{text:?}: {what}"));
        config.flags.into_iter().map(|flag| flag.into_string().expect("text")).collect()
    }

    #[test]
    fn keys_are_the_names_of_flags() {
        let text =
            "bind = \"::\"\nhttp = 8080\naecs = \"off\"\nrfc2020-lobbies = \"1-9\"\nopen_unproved = true\nseed = 0x2a";
        let expected =
            ["--bind=::", "--http=8080", "--aecs=off", "--rfc2020-lobbies=1-9", "--open-unproved=true", "--seed=42"];
        assert_eq!(flags(text), expected);
        assert_eq!(flags("open-unproved = false"), ["--open-unproved=false"]);
        assert_eq!(flags("# nothing\n"), [""; 0]);
        let two = ["--allow-origin=https://a.example", "--allow-origin=http://b.example:8080"];
        assert_eq!(flags("allow-origin = [\"https://a.example\", \"http://b.example:8080\"]"), two);
        assert_eq!(flags("allow_origin = \"https://a.example\""), two[..1]);
        for wrong in ["allow-origin = [7]", "allow-origin = [\"a.example\"]", "bind = [\"::\"]"] {
            assert!(parse(wrong, "a.toml").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_can_be_set_in_the_file_and_must_be_long() {
        let config = parse("admin_token = \"0123456789abcdef\"", "a.toml").expect("a token");
        assert_eq!((config.admin_token.as_deref(), config.flags.len()), (Some("0123456789abcdef"), 0));
        for wrong in ["\"short\"", "\"with a space in it\"", "42"] {
            assert!(parse(&format!("admin-token = {wrong}"), "a.toml").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_later_error_names_the_line_unless_a_flag_replaced_the_value() {
        let mut config = parse("http = 1\n\nrfc2020_lobbies = \"1-9\"\nstage = \"x\"", "a.toml").expect("it is sound");
        let told = |config: &Config, flags: &[&str]| config.user_error(flags, "no").to_string();
        assert_eq!(told(&config, &["stage"]), "a.toml:4: stage: no");
        assert_eq!(told(&config, &["rfc2020-lobbies"]), "a.toml:3: rfc2020_lobbies: no");
        assert_eq!(told(&config, &["typeuh", "http"]), "a.toml:1: http: no");
        assert_eq!(told(&config, &["typeuh"]), "no");
        config.overridden_by(|flag| flag == "stage");
        assert_eq!(told(&config, &["stage"]), "no");
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line, part) in [
            ("bind = \"::\"\nhtpp = 1", 2, "htpp: unknown key; the keys are bind, http,"),
            ("http = \"banana\"", 1, "http: invalid value 'banana'"),
            ("http = 70000", 1, "expected a port"),
            ("\nlobbies = 0", 2, "lobbies: "),
            ("http = true", 1, "not boolean"),
            ("open-unproved = 1", 1, "true or false"),
            ("lobbies = 1.5", 1, "not float"),
            ("bind = [\"::\"]", 1, "not array"),
            ("[node]\nhttp = 1", 1, "node: unknown key"),
            ("config = \"other.toml\"", 1, "unknown key"),
            ("data = \"a\"\n\nhttp == 1", 3, ""),
            ("http = 1\nhttp = 2", 2, "duplicate key"),
            ("open-unproved = true\nopen_unproved = true", 2, "twice"),
            ("seed = 99999999999999999999999999", 1, "seed"),
        ] {
            let (at, what) = parse(text, "a.toml").expect_err(text);
            assert_eq!(super::line(text, at), line, "{text:?}: {what}");
            assert!(what.contains(part) && !what.contains('\n'), "{text:?}: {what}");
        }
    }
}
