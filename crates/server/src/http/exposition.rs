//! Prometheus' text format, version 0.0.4: families of samples, each with its help and its type.

use std::{
    fmt::{Display, Write},
    time::Duration,
};

use crate::core::Histogram;

/// The text as it is being written.
#[derive(Default)]
pub struct Exposition {
    text: String,
    family: &'static str,
}

/// The type of a family.
#[derive(Clone, Copy)]
pub enum MetricType {
    Counter,
    Gauge,
    Histogram,
}

impl Exposition {
    /// Begins a family; its samples follow.
    pub fn family(&mut self, name: &'static str, kind: MetricType, help: &str) -> &mut Exposition {
        let kind = match kind {
            MetricType::Counter => "counter",
            MetricType::Gauge => "gauge",
            MetricType::Histogram => "histogram",
        };
        self.family = name;
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
        self
    }

    /// The only sample of the family, without labels.
    pub fn value(&mut self, value: impl Display) {
        self.sample(&[], value);
    }

    /// A sample of the family. Names and values of labels are our own words, so nothing needs escaping.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let name = self.family;
        match labels.is_empty() {
            true => self.line(format_args!("{name} {value}")),
            false => self.line(format_args!("{name}{{{}}} {value}", labels.join(","))),
        }
    }

    /// All samples of a histogram, with some of its buckets.
    pub fn histogram(&mut self, histogram: &Histogram, buckets: impl Iterator<Item = (Duration, u64)>) {
        let name = self.family;
        for (bound, count) in buckets {
            self.line(format_args!("{name}_bucket{{le=\"{}\"}} {count}", bound.as_secs_f64()));
        }
        let (count, sum) = (histogram.count(), histogram.sum().as_secs_f64());
        self.line(format_args!("{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}"));
    }

    pub fn text(self) -> String {
        self.text
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        // Writing to a String does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}
