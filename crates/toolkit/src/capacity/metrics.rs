//! What a node says of itself at `/metrics`, asked over HTTP and read as numbers.

use std::time::Duration;

use anyhow::Context;

const PATIENCE: Duration = Duration::from_secs(10);
/// Far more than a node has to say.
const ANSWER_MAX_BYTES: u64 = 1 << 20;

/// The text of `/metrics`.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Asks the node whose HTTP is at that port of this machine.
    pub(crate) fn ask(port: u16) -> anyhow::Result<Metrics> {
        let url = format!("http://127.0.0.1:{port}/metrics");
        let text = get(&url).with_context(|| format!("cannot read {url}"))?;
        Ok(Metrics(text))
    }

    /// The sum of a metric over all its labels, or over those with this one. None: it is not told.
    pub(crate) fn sum(&self, name: &str, label: Option<(&str, &str)>) -> Option<f64> {
        let wanted = label.map(|(key, value)| format!("{key}=\"{value}\""));
        let fits = |labels: &str| wanted.as_ref().is_none_or(|wanted| labels.split(',').any(|label| label == wanted));
        let values: Vec<f64> = self
            .0
            .lines()
            .filter_map(|line| sample(line, name))
            .filter(|(labels, _)| fits(labels))
            .map(|s| s.1)
            .collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }
}

/// The labels and the value of a line, if it is about this metric.
fn sample<'a>(line: &'a str, name: &str) -> Option<(&'a str, f64)> {
    let rest = line.strip_prefix(name)?;
    let (labels, value) = match rest.strip_prefix('{') {
        Some(labelled) => labelled.split_once("} ")?,
        None => ("", rest.strip_prefix(' ')?),
    };
    Some((labels, value.trim().parse().ok()?))
}

fn get(url: &str) -> Result<String, ureq::Error> {
    // A node on this machine is never asked by way of a proxy, whatever the environment says.
    let request = ureq::get(url).config().timeout_global(Some(PATIENCE)).proxy(None).build();
    request.call()?.body_mut().with_config().limit(ANSWER_MAX_BYTES).read_to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_summed_over_labels() {
        let text = "# HELP x_total y\nx_total{dialect=\"aecs\",shard=\"0\"} 5\nx_total{dialect=\"aecs\",shard=\"1\"} 7\n\
                    x_total{dialect=\"typeuh\",shard=\"0\"} 1\nx_total_more 100\nplain 0.5\n";
        let metrics = Metrics(text.into());
        assert_eq!(metrics.sum("x_total", None), Some(13.0));
        assert_eq!(metrics.sum("x_total", Some(("dialect", "aecs"))), Some(12.0));
        assert_eq!(metrics.sum("x_total", Some(("dialect", "snapshot"))), None);
        assert_eq!((metrics.sum("plain", None), metrics.sum("x", None)), (Some(0.5), None));
    }
}
