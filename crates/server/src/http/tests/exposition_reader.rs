//! A strict reader of Prometheus' text format.

use std::collections::BTreeSet;

pub const EXPECTED: &[&str] = &[
    "volley_players",
    "volley_lobbies",
    "volley_ticks_total",
    "volley_ticks_skipped_total",
    "volley_datagrams_in_total",
    "volley_datagrams_out_total",
    "volley_bytes_in_total",
    "volley_bytes_out_total",
    "volley_drops_total",
    "volley_tick_lateness_seconds",
    "volley_tick_seconds",
    "volley_retransmissions_total",
    "volley_shard_busy_seconds_total",
    "volley_handovers_total",
    "volley_lobbies_broken_total",
    "volley_bots_refused_total",
    "volley_shard_bots",
    "volley_sessions_proved",
    "volley_sessions_unproved",
    "volley_shard_sessions",
    "volley_shard_lobbies",
    "volley_archive_errors_total",
    "volley_log_suppressed_total",
];

#[derive(Default)]
struct Family {
    name: String,
    kind: String,
    /// The last bucket of a histogram for each set of labels: its bound and count.
    rising: Option<(f64, f64)>,
}

/// Every family that a text names.
pub fn named_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with("volley_")).map(str::to_owned).collect()
}

pub fn read(text: &str) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    let mut samples = BTreeSet::new();
    let mut family = Family::default();
    let mut help: Option<String> = None;
    if !text.ends_with('\n') {
        return Err("the last line does not end".into());
    }
    for line in text.lines() {
        let fail = |what: &str| Err(format!("{what}: {line:?}"));
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let Some((name, words)) = rest.split_once(' ') else { return fail("no help") };
            if words.trim().is_empty() || help.is_some() || !names.insert(name.to_owned()) || !is_name(name) {
                return fail("a bad or repeated family");
            }
            help = Some(name.into());
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let Some((name, kind)) = rest.split_once(' ') else { return fail("no type") };
            if help.take().as_deref() != Some(name) || !["counter", "gauge", "histogram"].contains(&kind) {
                return fail("a type without its help");
            }
            if (kind == "counter") != name.ends_with("_total") {
                return fail("counters, and only they, are totals");
            }
            family = Family { name: name.into(), kind: kind.into(), rising: None };
        } else {
            let (name, labels, value) = sample(line).ok_or(format!("no sample: {line:?}"))?;
            if !samples.insert(format!("{name}{labels:?}")) {
                return fail("a repeated sample");
            }
            family.take(&name, &labels, value).map_err(|what| format!("{what}: {line:?}"))?;
        }
    }
    Ok(names)
}

impl Family {
    fn take(&mut self, name: &str, labels: &[(String, String)], value: f64) -> Result<(), &'static str> {
        if self.kind != "histogram" {
            return if name == self.name && value >= 0.0 { Ok(()) } else { Err("a sample of another family") };
        }
        match name.strip_prefix(&self.name) {
            Some("_bucket") => {
                let bound = labels.iter().find(|(name, _)| name == "le").ok_or("a bucket without a bound")?;
                let bound =
                    if bound.1 == "+Inf" { f64::INFINITY } else { bound.1.parse().map_err(|_| "a bad bound")? };
                if self.rising.is_some_and(|(last, count)| bound <= last || value < count) {
                    return Err("buckets that do not rise");
                }
                self.rising = Some((bound, value));
                Ok(())
            }
            Some("_sum") => Ok(()),
            Some("_count") if self.rising == Some((f64::INFINITY, value)) => Ok(()),
            _ => Err("not a part of a histogram, or not what its last bucket says"),
        }
    }
}

type Sample = (String, Vec<(String, String)>, f64);

fn sample(line: &str) -> Option<Sample> {
    let (head, value) = line.rsplit_once(' ')?;
    let value: f64 = value.parse().ok()?;
    let (name, labels) = match head.split_once('{') {
        Some((name, rest)) => (name, rest.strip_suffix('}')?),
        None => (head, ""),
    };
    let labels = labels.split(',').filter(|label| !label.is_empty()).map(|label| {
        let (name, value) = label.split_once('=')?;
        let value = value.strip_prefix('"')?.strip_suffix('"')?;
        (is_name(name) && !value.contains(['"', '\\', '\n'])).then(|| (name.to_owned(), value.to_owned()))
    });
    Some((name.to_owned(), labels.collect::<Option<_>>()?, value)).filter(|(name, _, _)| is_name(name))
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    first && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

#[test]
fn the_reader_is_strict() {
    let good = "# HELP a_total A.\n# TYPE a_total counter\na_total{b=\"c\"} 1\na_total{b=\"d\"} 2\n";
    assert!(read(good).is_ok());
    for wrong in [
        "a_total 1\n",
        "# TYPE a_total counter\na_total 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total 1\na_total 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\nb_total 1\n",
        "# HELP a A.\n# TYPE a counter\na 1\n",
        "# HELP a A.\n# TYPE a gauge\na one\n",
        "# HELP a A.\n# TYPE a gauge\na{b=c} 1\n",
        "# HELP a A.\n# TYPE a gauge\na 1",
        "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"2\"} 1\na_bucket{le=\"1\"} 1\n",
        "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
    ] {
        assert!(read(wrong).is_err(), "{wrong:?}");
    }
}
