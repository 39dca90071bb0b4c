//! A field table as Lua: the same items, one table each, for `runtime.lua` to walk.

use std::fmt::Write;

use protocol::{
    Dialect, Malformed, StreamUse,
    field_table::{
        BitPart, ByteOrder, Check, Field, FieldTable, Group, Item, Length, MessageKey, Names, Region, Sender, Shape,
        TextRule, UnknownValue, ValueItems,
    },
};

/// Everything that the runtime must know of a dialect.
pub fn dialect(dialect: Dialect) -> String {
    let entry = dialect.entry();
    let table = entry.fields;
    let order = match table.order {
        ByteOrder::Big => "big",
        ByteOrder::Little => "little",
    };
    let mut out = String::from("local dialect = {\n");
    line(&mut out, "name", &quoted(entry.name));
    line(&mut out, "document", &quoted(entry.document));
    line(&mut out, "order", &quoted(order));
    line(&mut out, "port", &entry.port.to_string());
    line(&mut out, "tables", tables(entry.stream));
    // Datagrams of a link travel inside QUIC or a WebSocket.
    line(&mut out, "is_recognised", if is_link(dialect) { "false" } else { "true" });
    line(&mut out, "untitled", r#"{ client = "Report", server = "Frame" }"#);
    let names: Vec<_> = Dialect::ALL.iter().map(|dialect| format!("{} = true", dialect.name())).collect();
    line(&mut out, "dialects", &format!("{{ {} }}", names.join(", ")));
    line(&mut out, "framing", &framing(table));
    line(
        &mut out,
        "pairings",
        &list(
            table
                .pairings
                .iter()
                .map(|pairing| format!("{{ request = {}, answer = {} }}", key(&pairing.request), key(&pairing.answer))),
        ),
    );
    line(&mut out, "fields", &fields(table));
    for sender in Sender::ALL {
        let sentences = table.sentences(sender);
        let datagram = sentences.datagram.map_or("nil".into(), items);
        let stream = sentences.stream.map_or("nil".into(), |stream| items(stream.message));
        line(&mut out, sender.name(), &format!("{{\n datagram = {datagram},\n stream = {stream} }}"));
    }
    out + "}\n"
}

/// Whether a dialect is carried by WebTransport and WebSocket.
pub fn is_link(dialect: Dialect) -> bool {
    matches!(dialect.entry().stream, StreamUse::Link(_))
}

fn line(out: &mut String, name: &str, value: &str) {
    // Writing into memory cannot fail.
    let _ = writeln!(out, "  {name} = {value},");
}

fn tables(stream: StreamUse) -> &'static str {
    match stream {
        StreamUse::None => r#"{ "udp.port" }"#,
        StreamUse::OpensSession | StreamUse::Desk(_) => r#"{ "udp.port", "tcp.port" }"#,
        StreamUse::Link(_) => "{}",
    }
}

fn framing(table: &FieldTable) -> String {
    let (Some(client), Some(server)) = (table.client.stream, table.server.stream) else { return "nil".into() };
    let (size_at, size_bytes, head_bytes) = (server.size_at, server.size_bytes, server.head_bytes);
    let (least, client_max, server_max) = (server.sizes.0, client.sizes.1, server.sizes.1);
    format!(
        "{{ size_at = {size_at}, size_bytes = {size_bytes}, head_bytes = {head_bytes}, least = {least}, \
         client_max = {client_max}, server_max = {server_max} }}"
    )
}

fn key(key: &MessageKey) -> String {
    let fields = list(key.fields.iter().map(|name| quoted(name)));
    let MessageKey { on, value, is_other, .. } = key;
    format!("{{ on = {}, value = {value}, is_other = {is_other}, fields = {fields} }}", quoted(on))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { "{}".into() } else { format!("{{ {} }}", parts.join(", ")) }
}

/// What Wireshark must know of each field before it meets one.
fn fields(table: &FieldTable) -> String {
    let mut known: Vec<(&str, String)> = Vec::new();
    let mut add = |field: &'static Field, masked: Option<(usize, u64)>| {
        if known.iter().all(|(name, _)| *name != field.name) {
            known.push((field.name, registered(field, masked)));
        }
    };
    // Bits first: the shape of their field is that of the bytes that they share.
    each_bits(table, &mut |bytes, part| {
        let mask = ((1 << part.count) - 1) << (8 * bytes as u32).saturating_sub(part.first + part.count);
        add(&part.field, Some((bytes, mask)));
    });
    table.each_field(|field| add(field, None));
    let lines: Vec<_> = known.into_iter().map(|(name, field)| format!("    [{}] = {field},\n", quoted(name))).collect();
    format!("{{\n{}  }}", lines.concat())
}

fn each_bits(table: &FieldTable, call: &mut dyn FnMut(usize, &'static BitPart)) {
    for sender in Sender::ALL {
        let sentences = table.sentences(sender);
        for items in [sentences.datagram, sentences.stream.map(|stream| stream.message)].into_iter().flatten() {
            bits_of(items, call);
        }
    }
}

/// Bits stand at the beginning of messages, perhaps in a part that several share.
fn bits_of(items: &'static [Item], call: &mut dyn FnMut(usize, &'static BitPart)) {
    for item in items {
        match item {
            Item::Bits { bytes, parts, .. } => parts.iter().for_each(|part| call(*bytes, part)),
            Item::All(items) => bits_of(items, call),
            _ => {}
        }
    }
}

fn registered(field: &Field, masked: Option<(usize, u64)>) -> String {
    let shape = match masked {
        Some((bytes, _)) => format!("u{}", 8 * bytes),
        None => shape_name(field.shape).to_owned(),
    };
    let mut out =
        format!("{{ shape = {}, label = {}, about = {}", quoted(&shape), quoted(field.label), quoted(field.about));
    if !field.unit.is_empty() {
        out += &format!(", unit = {}", quoted(field.unit));
    }
    if let Some((_, mask)) = masked {
        out += &format!(", mask = {mask}");
    }
    if !matches!(field.names, Names::None) {
        let names = field.names.list().into_iter().map(|(value, name)| format!("[{value}] = {}", quoted(name)));
        out += &format!(", names = {}", list(names));
    }
    out + " }"
}

fn items(items: &'static [Item]) -> String {
    list(items.iter().map(item))
}

fn item(item: &'static Item) -> String {
    let of = |kind: &str, rest: String| format!("{{ kind = {}, {rest} }}\n", quoted(kind));
    match item {
        Item::Value(field) => of("value", value(field)),
        Item::Bits { whole, bytes, parts } => {
            let parts =
                list(parts.iter().map(|part| {
                    format!("{{ {}, first = {}, count = {} }}", value(&part.field), part.first, part.count)
                }));
            of("bits", format!("whole = {}, bytes = {bytes}, parts = {parts}", quoted(whole)))
        }
        Item::AtLeast { bytes, fault, ruling } => {
            of("at_least", format!("bytes = {bytes}, fault = {}, ruling = {}", malformed(*fault), quoted(ruling)))
        }
        Item::AtMost { bytes, ruling } => of("at_most", format!("bytes = {bytes}, ruling = {}", quoted(ruling))),
        Item::ProductMax { factors: [first, second], more, bytes } => {
            let (first, second) = (quoted(first), quoted(second));
            of("product_max", format!("first = {first}, second = {second}, more = {more}, bytes = {bytes}"))
        }
        Item::Sized(region) => of("sized", sized(region)),
        Item::Times { count, each } => of("times", format!("count = {}, each = {}", quoted(count), group(each))),
        Item::Repeated(each) => of("repeated", format!("each = {}", group(each))),
        Item::Choice { on, cases, otherwise } => {
            let cases = list(cases.iter().map(|entry| format!("[{}] = {}", entry.value, case(entry))));
            let (otherwise, ruling) = match otherwise {
                UnknownValue::Refuse(ruling) => ("nil".into(), *ruling),
                UnknownValue::Read(items) => (self::items(items), ""),
            };
            let ruling = quoted(ruling);
            of("choice", format!("on = {}, cases = {cases}, otherwise = {otherwise}, ruling = {ruling}", quoted(on)))
        }
        Item::Lookup { on, unlearned, cases, ruling } => {
            let cases = list(cases.iter().map(|entry| format!("[{}] = {}", quoted(entry.name), case(entry))));
            let unlearned = list(unlearned.iter().map(|name| quoted(name)));
            let (on, ruling) = (quoted(on), quoted(ruling));
            of("lookup", format!("on = {on}, unlearned = {unlearned}, cases = {cases}, ruling = {ruling}"))
        }
        Item::Named(entry) => of("named", format!("case = {}", case(entry))),
        Item::Optional(inner, _) => of("optional", format!("items = {}", items(inner))),
        Item::All(inner) => of("all", format!("items = {}", items(inner))),
        Item::Either { first, second, meant_from } => {
            let (first, second) = (items(first), items(second));
            of("either", format!("first = {first}, second = {second}, meant_from = {meant_from}"))
        }
        Item::Learn => of("learn", String::new()),
    }
}

fn sized(region: &'static Region) -> String {
    let fault = region.fault.map_or("nil".into(), malformed);
    let (size, is_last) = (value(&region.size), region.is_last);
    format!("size = {{ {size} }}, items = {}, is_last = {is_last}, fault = {fault}", items(region.items))
}

fn group(group: &'static Group) -> String {
    format!("{{ name = {}, items = {} }}", quoted(group.name), items(group.items))
}

fn case(case: &'static ValueItems) -> String {
    format!("{{ name = {}, clause = {}, items = {} }}", quoted(case.name), quoted(case.clause), items(case.items))
}

fn value(field: &Field) -> String {
    let shape = quoted(shape_name(field.shape));
    let mut out = format!("field = {}, shape = {shape}, label = {}", quoted(field.name), quoted(field.label));
    if !field.clause.is_empty() {
        out += &format!(", clause = {}", quoted(field.clause));
    }
    if !field.ruling.is_empty() {
        out += &format!(", ruling = {}", quoted(field.ruling));
    }
    if let Some(check) = check(field.check) {
        out += &format!(", check = {check}");
    }
    match field.shape {
        Shape::Text(length, rule) => {
            out += &format!(", length = {}, rule = {}", self::length(length), self::rule(rule))
        }
        Shape::Bytes(length) => out += &format!(", length = {}", self::length(length)),
        Shape::Opaque => out += &format!(", length = {}", length(Length::Rest)),
        _ => {}
    }
    for (is_set, name) in [(field.is_kept, "kept"), (field.is_learned, "learned")] {
        if is_set {
            out += &format!(", {name} = true");
        }
    }
    out
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::U8 => "u8",
        Shape::U16 => "u16",
        Shape::U32 => "u32",
        Shape::U64 => "u64",
        Shape::I16 => "i16",
        Shape::I64 => "i64",
        Shape::F32 => "f32",
        Shape::Text(..) => "text",
        Shape::Bytes(_) | Shape::Opaque => "bytes",
    }
}

fn check(check: Check) -> Option<String> {
    Some(match check {
        Check::Any => return None,
        Check::Named(fault) => format!("{{ \"named\", {} }}", malformed(fault)),
        Check::Range(least, most, other) => {
            format!("{{ \"range\", {least}, {most}, {} }}", other.map_or("nil".into(), |other| other.to_string()))
        }
        Check::Is(this) => format!("{{ \"is\", {this} }}"),
        Check::Finite => "{ \"finite\" }".into(),
        Check::WholeSize => "{ \"whole_size\" }".into(),
        Check::RestSize(less) => format!("{{ \"rest_size\", {less} }}"),
        Check::Expected(least, most) => format!("{{ \"expected\", {least}, {most} }}"),
        Check::ExpectedNamed => "{ \"expected_named\" }".into(),
    })
}

fn length(length: Length) -> String {
    match length {
        Length::Rest => "{ \"rest\" }".into(),
        Length::RestBut(behind) => format!("{{ \"rest_but\", {behind} }}"),
        Length::Fixed(size) => format!("{{ \"fixed\", {size} }}"),
        Length::Of(name) => format!("{{ \"of\", {} }}", quoted(name)),
    }
}

fn rule(rule: TextRule) -> String {
    let (name, max) = match rule {
        TextRule::Utf8 => ("utf8", 0),
        TextRule::Visible(max) => ("visible", max),
        TextRule::Trimmed(max) => ("trimmed", max),
        TextRule::Username(max) => ("username", max),
        TextRule::NulEnded(max) => ("nul_ended", max),
        TextRule::Loose => ("loose", 0),
        TextRule::LooseNotEmpty => ("loose_not_empty", 0),
        TextRule::PaddedName => ("padded_name", 0),
        TextRule::LobbyCode => ("lobby_code", 0),
        TextRule::LobbyCodeOrNone => ("lobby_code_or_none", 0),
        TextRule::DialectName(max) => ("dialect_name", max),
    };
    format!("{{ \"{name}\", {max} }}")
}

fn malformed(malformed: Malformed) -> String {
    quoted(&format!("{malformed:?}"))
}

/// A string of Lua. Our tables hold no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
