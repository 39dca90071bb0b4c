//! How many datagrams a second are explained: `cargo bench -p toolkit --bench decode`.
//!
//! The promise: at least 200,000 a second, printed as text. The captures are those of our own node in `tests/captures`, each many times over.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use protocol::Dialect;
use toolkit::decode::{Decoder, ExplanationOutput, Form, capture};

/// The head of a pcap file, before its first record.
const HEAD_BYTES: usize = 24;
const TIMES: usize = 200;
/// How long each is measured.
const TIME: Duration = Duration::from_secs(2);

fn main() {
    println!("{:<10} {:>16} {:>16}", "dialect", "text, a second", "JSON, a second");
    let mut all = [(0, Duration::ZERO); 2];
    for dialect in Dialect::with_ports() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/captures/{}.pcap", dialect.name()));
        let file = many_times(&fs::read(path).expect("the capture is there"));
        let forms = [Form::Text { has_colour: false }, Form::Json];
        let [text, json] = forms.map(|form| measure(&file, form));
        println!("{:<10} {:>16.0} {:>16.0}", dialect.name(), rate(text), rate(json));
        for (sum, part) in all.iter_mut().zip([text, json]) {
            *sum = (sum.0 + part.0, sum.1 + part.1);
        }
    }
    println!("{:<10} {:>16.0} {:>16.0}", "all", rate(all[0]), rate(all[1]));
}

/// A capture with the same records again and again.
fn many_times(file: &[u8]) -> Vec<u8> {
    let (head, records) = file.split_at(HEAD_BYTES);
    [head, &records.repeat(TIMES)].concat()
}

fn rate((datagrams, time): (u64, Duration)) -> f64 {
    datagrams as f64 / time.as_secs_f64()
}

/// Datagrams that were explained, and in what time.
fn measure(file: &[u8], form: Form) -> (u64, Duration) {
    let began = Instant::now();
    let mut explained = 0;
    while began.elapsed() < TIME {
        let mut decoder = Decoder::new(None, ExplanationOutput::new(io::sink(), form, None));
        capture::read_capture(file, |record| Ok(decoder.record(&record)?)).expect("the capture is whole");
        explained += decoder.finish().expect("nothing is written").0.explained;
    }
    (explained, began.elapsed())
}
