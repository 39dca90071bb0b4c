//! The cases of `typeuh`: `server/` against a server, `client.rs` against a client, and what both need to speak it. The
//! document numbers nothing: sections count its headings, as in `docs/conformance.md`.

mod client;
mod server;
mod test_client;
mod test_server;

use protocol::{
    Dialect,
    typeuh::{
        component::ComponentTable,
        wire::{Initialisation, Instruction, Instructions, KeyEvent},
    },
};

use super::suite::{Speaker, Suite, TestedSide};

pub static SERVER: Suite = Suite {
    dialect: Dialect::Typeuh,
    side: TestedSide::Server,
    chapters: server::CHAPTERS,
    greet: test_client::greet,
    describe,
};

pub static CLIENT: Suite = Suite {
    dialect: Dialect::Typeuh,
    side: TestedSide::Client,
    chapters: client::CHAPTERS,
    greet: test_server::greet,
    describe,
};

fn describe(speaker: Speaker, bytes: &[u8]) -> String {
    match (speaker, bytes) {
        (Speaker::Client, []) => "hello".into(),
        (Speaker::Client, bytes) => {
            let keys: Vec<String> = bytes
                .iter()
                .map(|byte| KeyEvent::from_opcode(*byte).map_or(format!("{byte:#04x}?"), |key| format!("{key:?}")))
                .collect();
            keys.join(", ")
        }
        (Speaker::Server, bytes) => match Initialisation::read(bytes) {
            Ok(initialisation) => format!("{initialisation:?}"),
            Err(_) => describe_instructions(bytes),
        },
    }
}

/// By our own table of components: another server's numbers may mean something else.
fn describe_instructions(bytes: &[u8]) -> String {
    let table = ComponentTable::own();
    let (good, fault) = read_instructions(bytes, &table);
    let mut lines: Vec<String> = good.iter().take(6).map(|instruction| format!("{instruction:?}")).collect();
    if good.len() > 6 {
        lines.push(format!("and {} more", good.len() - 6));
    }
    lines.extend(fault.map(|fault| format!("{fault:?}")));
    lines.join("; ")
}

/// What is wrong with a datagram of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    UnknownOpcode(u8),
    UnknownComponent(u16),
    Short,
}

/// The instructions of a datagram, and what is wrong behind the last good one.
fn read_instructions(bytes: &[u8], table: &ComponentTable) -> (Vec<Instruction>, Option<Fault>) {
    let mut good = Vec::new();
    for instruction in Instructions::read(bytes, table) {
        match instruction {
            Ok(instruction) => good.push(instruction),
            Err(_) => {
                let fault = fault(bytes, &good, table);
                return (good, Some(fault));
            }
        }
    }
    (good, None)
}

fn fault(bytes: &[u8], good: &[Instruction], table: &ComponentTable) -> Fault {
    let mut read = Vec::new();
    good.iter().for_each(|instruction| instruction.write(&mut read));
    match bytes.get(read.len()..) {
        Some([opcode @ 5..=255, ..]) => Fault::UnknownOpcode(*opcode),
        Some([3, _, _, high, low, ..]) => {
            let component_id = u16::from_be_bytes([*high, *low]);
            if table.name(component_id).is_some() { Fault::Short } else { Fault::UnknownComponent(component_id) }
        }
        _ => Fault::Short,
    }
}
