//! Any bytes from a `volley` server, as a datagram or of the stream: no panic; a message that reads comes back when it is
//! written, and so does a Frame, whatever it differs from.
#![no_main]

use std::sync::Arc;

use game::Class;
use libfuzzer_sys::fuzz_target;
use protocol::volley::{
    baselines::Baselines,
    wire::control::{FROM_SERVER_MAX_BYTES, FromServer, next_message},
    wire::events::EventSender,
    wire::snapshot::{Shown, Snapshot, Writing},
};

fuzz_target!(|bytes: &[u8]| {
    // The second half differs from what the first half shows.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    frame(bytes, &Shown::default());
    if let Some(base) = frame(first, &Shown::default()) {
        frame(second, &base);
    }
    let Ok(Some(message)) = next_message(bytes, FROM_SERVER_MAX_BYTES) else { return };
    let Ok(read) = FromServer::read(message) else { return };
    let mut out = Vec::new();
    read.write(&mut out);
    assert_eq!(FromServer::read(&out[2..]), Ok(read));
});

fn frame(bytes: &[u8], base: &Shown) -> Option<Shown> {
    let Snapshot { number, distance, shown, .. } = Snapshot::read(bytes, base).ok()?;
    let from = (distance > 0).then_some((distance, base));
    let writing = Writing { number, base: from, target: &shown.view, inputs: shown.inputs, copies: 1 };
    let mut out = Vec::new();
    let told = writing.write(&mut Baselines::default(), &mut EventSender::default(), &mut out);
    let base = if distance > 0 { base.clone() } else { Shown::default() };
    let again = Snapshot::read(&out, &base).expect("what we write reads");
    assert_eq!(with_ages_that_matter(again.shown), with_ages_that_matter(told));
    Some(shown)
}

/// Only effects go by their age, so that of other things is not told.
fn with_ages_that_matter(mut shown: Shown) -> Shown {
    let view = Arc::make_mut(&mut shown.view);
    for viewed in view.entities.iter_mut().filter(|viewed| viewed.entity.kind.class() != Class::Effect) {
        viewed.age = 0;
    }
    shown
}
