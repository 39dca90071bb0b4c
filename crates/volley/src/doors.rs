//! The flags that name the doors of a node: one for each dialect of the table, none of them written by hand.

use std::{collections::BTreeMap, ops::RangeInclusive};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, builder::TypedValueParser, error::Error, value_parser};
use protocol::{Dialect, StreamUse};

use crate::arguments::{Port, port};

/// Where `volley serve` opens the door of each dialect that has a port of its own, unless it is off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedDoors(pub BTreeMap<Dialect, u16>);

/// Where the doors of a node are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDoors(pub BTreeMap<Dialect, u16>);

impl Args for ServedDoors {
    fn augment_args(command: Command) -> Command {
        let help = |dialect: Dialect| {
            format!("The port of the {} door ({}), or off", dialect.name(), dialect.entry().stream.transports())
        };
        command.args(Dialect::with_ports().map(|dialect| flag(dialect, &help(dialect), port)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ServedDoors {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ServedDoors, Error> {
        let given = |dialect: Dialect| matches.get_one::<Port>(dialect.name());
        let door = |dialect: Dialect| given(dialect).map_or(Some(dialect.entry().port), |port| port.0);
        Ok(ServedDoors(Dialect::with_ports().filter_map(|dialect| Some((dialect, door(dialect)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for NodeDoors {
    fn augment_args(command: Command) -> Command {
        const PORTS: RangeInclusive<i64> = 1..=u16::MAX as i64;
        let help = |dialect: Dialect| match dialect.entry().stream {
            StreamUse::Link(_) => {
                format!("The node's HTTP port, which also serves {} over a WebSocket", dialect.name())
            }
            StreamUse::None | StreamUse::OpensSession | StreamUse::Desk(_) => {
                format!("The port of the node's {} door", dialect.name())
            }
        };
        command.args(Dialect::ALL.map(|dialect| flag(dialect, &help(dialect), value_parser!(u16).range(PORTS))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for NodeDoors {
    fn from_arg_matches(matches: &ArgMatches) -> Result<NodeDoors, Error> {
        let door = |dialect: Dialect| matches.get_one(dialect.name()).copied().unwrap_or(dialect.entry().port);
        Ok(NodeDoors(Dialect::ALL.into_iter().map(|dialect| (dialect, door(dialect))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag<P: TypedValueParser<Value: Send + Sync + Clone>>(dialect: Dialect, help: &str, parser: P) -> Arg {
    let (name, port) = (dialect.name(), dialect.entry().port);
    let flag = Arg::new(name).long(name).value_name("PORT").allow_negative_numbers(true).value_parser(parser);
    flag.help(format!("{help} [default: {port}]"))
}
