//! The table of dialects. A new one is a line here, a line in `lib.rs` and a folder: docs/adding-a-dialect.md.
//!
//! Everything else follows from this table: flags, doors, help, bots, metrics, fuzzing, and the tests of all dialects.

use crate::{ClientSession, DialectEntry, Plan, Resumption, ServerSession, StreamUse, Welcome};

/// A line of the table is the dialect's name in code and its folder; the folder's `ENTRY` says the rest. The order is that
/// of lists and reports.
macro_rules! table_of_dialects {
    ($($dialect:ident => $folder:ident,)*) => {
        /// A protocol that players may come with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dialect {
            $(
                #[doc = concat!("See [`", stringify!($folder), "`](crate::", stringify!($folder), ").")]
                $dialect,
            )*
        }

        impl Dialect {
            pub const ALL: [Dialect; [$(Dialect::$dialect),*].len()] = [$(Dialect::$dialect),*];

            /// Everything that is known of the dialect outside its folder.
            pub fn entry(self) -> &'static DialectEntry {
                match self {
                    $(Dialect::$dialect => &crate::$folder::ENTRY,)*
                }
            }
        }
    };
}

table_of_dialects! {
    Typeuh => typeuh,
    Aecs => aecs,
    Snapshot => snapshot,
    Rfc2020 => rfc2020,
    Rfc53952 => rfc53952,
    Volley => volley,
}

impl Dialect {
    /// Those that have ports of their own, over bare UDP and TCP.
    pub fn with_ports() -> impl Iterator<Item = Dialect> + Clone {
        let has_port = |dialect: &Dialect| !matches!(dialect.entry().stream, StreamUse::Link(_));
        Dialect::ALL.into_iter().filter(has_port)
    }

    /// Its name, as in options and the API.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Opens the server's half of a session.
    pub fn accept(self, welcome: Welcome) -> Box<dyn ServerSession> {
        (self.entry().accept)(welcome)
    }

    /// Opens the server's half of a session that goes on after the node was started again.
    pub fn resume(self, resumption: Resumption) -> Box<dyn ServerSession> {
        (self.entry().resume)(resumption)
    }

    /// Opens the client's half of a session.
    pub fn connect(self, plan: Plan) -> Box<dyn ClientSession> {
        (self.entry().connect)(plan)
    }
}
