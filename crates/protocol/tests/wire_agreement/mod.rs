//! Whether a dialect's field table and its `wire` agree about some bytes: on whether they are valid, and on every value.
//!
//! `wire` prints what it read with `{:?}`, under the document's names; the table reports fields under the same names. So each printed value
//! must be that of a field, and each field that is not a size, count or type must be printed. The fuzz target `field_tables` uses this too.

use protocol::{
    Channel, Dialect, Malformed, aecs,
    field_table::{FieldValue, ReadFault, Sender, Shape, Value, ValueItems, Visitor, WalkMemory},
    rfc2020, rfc53952, snapshot, typeuh, volley,
};

/// What `wire` counts otherwise than the bytes do: its name, the field's, and how many times as much.
const SCALED: [(&str, &str, u64); 1] = [("steps", "ticks", 2)];

/// Compares what table and `wire` say of these bytes. The error says how they differ.
pub fn check(dialect: Dialect, sender: Sender, channel: Channel, bytes: &[u8]) -> Result<(), String> {
    let mut told = Tokens::default();
    let by_table = read_by_table(dialect, (sender, channel), bytes, &mut told);
    match (read_by_wire(dialect, sender, channel, bytes), by_table) {
        (Err(_), Err(_)) => Ok(()),
        (Ok(message), Ok(())) => told.compare(&message),
        (Ok(message), Err(fault)) => Err(format!("wire reads {message}, the table finds {fault:?}")),
        (Err(malformed), Ok(())) => Err(format!("wire finds {malformed:?}, the table reads {told:?}")),
    }
}

/// What the table finds wrong, and what it reports.
pub fn read_by_table<'a>(
    dialect: Dialect,
    (sender, channel): (Sender, Channel),
    bytes: &'a [u8],
    visitor: &mut impl Visitor<'a>,
) -> Result<(), ReadFault> {
    let table = dialect.entry().fields;
    let mut memory = WalkMemory::default();
    if channel == Channel::Datagram {
        return table.read_datagram(sender, bytes, &mut memory, visitor);
    }
    match table.next_message(sender, bytes)? {
        None => Err(ReadFault::at_start(Malformed::Short)),
        Some(size) if size < bytes.len() => Err(ReadFault::at_start(Malformed::Trailing)),
        Some(_) => table.read_message(sender, bytes, &mut memory, visitor),
    }
}

/// What `wire` reads, in `{:?}`.
pub fn read_by_wire(dialect: Dialect, sender: Sender, channel: Channel, bytes: &[u8]) -> Result<String, Malformed> {
    if channel == Channel::Stream {
        let size = match dialect.name() {
            "aecs" => aecs::wire::whole_packet(bytes, aecs::wire::PACKET_MAX_BYTES)?,
            "rfc2020" => rfc2020::wire::whole_message(bytes)?,
            _ => Some(bytes.len()),
        };
        match size {
            None => return Err(Malformed::Short),
            Some(size) if size < bytes.len() => return Err(Malformed::Trailing),
            Some(_) => {}
        }
    }
    match (dialect.name(), sender) {
        ("typeuh", Sender::Client) => {
            typeuh::wire::KeyEvents::read(bytes).collect::<Result<Vec<_>, _>>().map(|it| format!("{it:?}"))
        }
        ("typeuh", Sender::Server) => read_typeuh(bytes),
        ("aecs", Sender::Client) => aecs::wire::FromClient::read(bytes).map(|it| format!("{it:?}")),
        ("aecs", Sender::Server) => aecs::wire::FromServer::read(bytes).map(|it| format!("{it:?}")),
        ("snapshot", Sender::Client) => snapshot::wire::FromClient::read(bytes).map(|it| format!("{it:?}")),
        ("snapshot", Sender::Server) => snapshot::wire::FromServer::read(bytes).map(|it| format!("{it:?}")),
        ("rfc2020", Sender::Client) => {
            rfc2020::wire::Message::<rfc2020::wire::FromClient>::read(bytes).map(|it| format!("{it:?}"))
        }
        ("rfc2020", Sender::Server) => {
            rfc2020::wire::Message::<rfc2020::wire::FromServer>::read(bytes).map(|it| format!("{it:?}"))
        }
        ("rfc53952", Sender::Client) => {
            rfc53952::wire::Packet::<rfc53952::wire::FromClient>::read(bytes).map(|it| format!("{it:?}"))
        }
        ("rfc53952", Sender::Server) => {
            rfc53952::wire::Packet::<rfc53952::wire::FromServer>::read(bytes).map(|it| format!("{it:?}"))
        }
        ("volley", _) => read_volley(sender, channel, bytes),
        (name, _) => panic!("nothing here reads {name}"),
    }
}

/// A datagram that is wholly an initialisation is one (ruling T2).
fn read_typeuh(bytes: &[u8]) -> Result<String, Malformed> {
    if let Ok(initialisation) = typeuh::wire::Initialisation::read(bytes) {
        return Ok(format!("{initialisation:?}"));
    }
    let table = typeuh::component::ComponentTable::own();
    typeuh::wire::Instructions::read(bytes, &table).collect::<Result<Vec<_>, _>>().map(|it| format!("{it:?}"))
}

fn read_volley(sender: Sender, channel: Channel, bytes: &[u8]) -> Result<String, Malformed> {
    use volley::wire::{control, report, snapshot};
    let single = |max| {
        let message = control::next_message(bytes, max)?.ok_or(Malformed::Short)?;
        if bytes.len() == message.len() + 2 { Ok(message) } else { Err(Malformed::Trailing) }
    };
    match (sender, channel) {
        (Sender::Client, Channel::Stream) => {
            control::FromClient::read(single(control::FROM_CLIENT_MAX_BYTES)?).map(|it| format!("{it:?}"))
        }
        (Sender::Server, Channel::Stream) => {
            control::FromServer::read(single(control::FROM_SERVER_MAX_BYTES)?).map(|it| format!("{it:?}"))
        }
        (Sender::Client, Channel::Datagram) => report::Report::read(bytes).map(|it| format!("{it:?}")),
        (Sender::Server, Channel::Datagram) => match snapshot::peek(bytes)? {
            (_, 0) => snapshot::Snapshot::read(bytes, &snapshot::Shown::default()).map(|it| format!("{it:?}")),
            (number, distance) => Ok(format!("Start {{ number: {number}, distance: {distance} }}")),
        },
    }
}

/// What the table told, in order, and what of it was found in the text of `wire`.
#[derive(Debug, Default)]
pub struct Tokens {
    told: Vec<Token>,
    /// Whether there are bytes that only `wire` can read: it then prints more than the table reports.
    is_opaque: bool,
}

#[derive(Debug)]
struct Token {
    name: &'static str,
    /// As `{:?}` prints it: several, for bytes.
    texts: Vec<String>,
    /// What the value is called.
    word: String,
    kind: TokenKind,
    found: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    /// What a message is.
    Case,
    Value,
    /// A size, a count or a type.
    Structure,
    /// What `wire` has in place of a missing value.
    Absent,
}

impl<'a> Visitor<'a> for Tokens {
    fn begin_case(&mut self, case: &'static ValueItems, _at: usize) {
        for word in case.wire.split_whitespace() {
            self.push("", vec![word.to_owned()], word, TokenKind::Case);
        }
    }

    fn value(&mut self, told: FieldValue<'a>) {
        let field = told.field;
        if field.shape == Shape::Opaque {
            self.is_opaque = true;
            return;
        }
        let (texts, word) = match told.value {
            Value::Unsigned(number) => (vec![number.to_string()], field.names.of(number).unwrap_or_default()),
            Value::Signed(number) => (vec![number.to_string()], ""),
            Value::Float(number) => (vec![format!("{number:?}")], ""),
            Value::Text(text) => (vec![format!("{text:?}")], text),
            Value::Bytes(bytes) => (bytes.iter().map(u8::to_string).collect(), ""),
            Value::Nothing => (vec!["None".to_owned()], ""),
        };
        let kind = if field.is_structure { TokenKind::Structure } else { TokenKind::Value };
        self.push(field.name, texts, word, kind);
    }

    fn absent(&mut self, value: &'static str) {
        if !value.is_empty() {
            self.push("", vec![value.to_owned()], value, TokenKind::Absent);
        }
    }
}

impl Tokens {
    fn push(&mut self, name: &'static str, texts: Vec<String>, word: &str, kind: TokenKind) {
        self.told.push(Token { name, texts, word: normal(word), kind, found: 0 });
    }

    fn compare(mut self, printed: &str) -> Result<(), String> {
        for piece in pieces(printed) {
            self.find(&piece).map_err(|why| format!("{why} in {printed}; the table tells {self:?}"))?;
        }
        let left = self.told.iter().find(|token| token.kind != TokenKind::Structure && !token.is_found());
        match left {
            Some(token) => Err(format!("the table tells {token:?}, which is not in {printed}")),
            None => Ok(()),
        }
    }

    fn find(&mut self, piece: &Piece) -> Result<(), String> {
        if self.sized(piece) {
            return Ok(());
        }
        let named = self.named(piece.name).filter(|_| !piece.is_wrapper);
        if let Some(token) = named {
            return if token.take(&piece.text, piece.name) { Ok(()) } else { Err(format!("{piece:?} differs")) };
        }
        // A type that is called like its field is around the value, whatever that says.
        let is_word = |token: &Token| token.word == normal(&piece.text) && token.word != normal(token.name);
        if let Some(token) = self.named(piece.name).filter(|token| is_word(token)) {
            token.found += 1;
            return Ok(());
        }
        let mut open = self.told.iter_mut().filter(|token| !token.is_found());
        let word = |token: &&mut Token| matches!(token.kind, TokenKind::Case | TokenKind::Absent);
        if let Some(token) = open.find(word).filter(|token| token.texts[0] == piece.text) {
            token.found += 1;
            return Ok(());
        }
        let absent = self.told.iter_mut().find(|token| token.kind == TokenKind::Absent && !token.is_found());
        if let Some(token) = absent.filter(|token| token.texts[0] == piece.text) {
            token.found += 1;
            return Ok(());
        }
        if piece.is_wrapper || piece.text == "None" {
            return Ok(());
        }
        let value = self.told.iter_mut().find(|token| token.kind == TokenKind::Value && !token.is_found());
        let is_told = value.is_some_and(|token| token.take(&piece.text, ""));
        if is_told || self.is_opaque { Ok(()) } else { Err(format!("{piece:?} is not told")) }
    }

    /// Whether it is a size, a count or a type that `wire` prints all the same.
    fn sized(&mut self, piece: &Piece) -> bool {
        let is_it = |token: &Token| token.kind == TokenKind::Structure && token.name == piece.name && !token.is_found();
        let found = self.told.iter_mut().find(|token| is_it(token) && token.texts[0] == piece.text);
        found.map(|token| token.found += 1).is_some()
    }

    /// The next value under that name.
    fn named(&mut self, name: &str) -> Option<&mut Token> {
        let alias = SCALED.iter().find(|(printed, ..)| *printed == name).map_or(name, |(_, told, _)| told);
        let fits = |token: &Token| {
            let is_name = token.name == alias || token.name.strip_suffix(alias).is_some_and(|rest| rest.ends_with('_'));
            is_name && !alias.is_empty() && !token.is_found() && token.kind == TokenKind::Value
        };
        self.told.iter_mut().find(|token| fits(token))
    }
}

impl Token {
    fn is_found(&self) -> bool {
        self.found >= self.texts.len()
    }

    /// Whether the text is what comes next of this value.
    fn take(&mut self, text: &str, name: &str) -> bool {
        if text == ".." {
            // A secret.
            self.found = self.texts.len();
            return true;
        }
        let times = SCALED.iter().find(|(printed, ..)| *printed == name).map_or(1, |(.., times)| *times);
        let next = &self.texts[self.found];
        let scaled = next.parse::<u64>().ok().map(|number| (number * times).to_string());
        let is_it = scaled.as_ref().unwrap_or(next) == text || (!self.word.is_empty() && self.word == normal(text));
        self.found += 1;
        is_it
    }
}

/// Letters and digits alone, in lower case: `KeyDown` and "key down" are the same.
fn normal(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// A value in the text of `wire`, or the name of a struct or a variant that has something in it.
#[derive(Clone, Debug)]
struct Piece<'t> {
    name: &'t str,
    text: String,
    is_wrapper: bool,
}

fn pieces(printed: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut name) = (printed, "");
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => quoted(rest),
            '.' => rest.bytes().take_while(|byte| *byte == b'.').count(),
            letter if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+');
                rest.bytes().take_while(is_part).count()
            }
            other => {
                rest = &rest[other.len_utf8()..];
                continue;
            }
        };
        let (text, behind) = rest.split_at(length);
        let next = behind.trim_start().chars().next();
        match next {
            Some(':') => name = text,
            _ => {
                let is_wrapper = matches!(next, Some('{' | '(')) && !text.starts_with('"');
                pieces.push(Piece { name, text: text.to_owned(), is_wrapper });
                if next == Some('(') {
                    // What is inside has no name.
                    name = "";
                }
            }
        }
        rest = behind;
    }
    pieces
}

/// The length of the string that a text begins with.
fn quoted(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
