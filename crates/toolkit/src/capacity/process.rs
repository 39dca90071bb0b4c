//! What a process costs, as the system reports it in `/proc`.

use std::{fs, io, time::Duration};

use anyhow::Context;

/// The unit of `/proc/stat`: a hundredth of a second on every Linux.
const JIFFY: Duration = Duration::from_millis(10);

/// The time for which the threads of a process have run, to the nanosecond.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    let folder = format!("/proc/{pid}/task");
    let mut sum = 0;
    for thread in fs::read_dir(&folder).with_context(|| format!("cannot read {folder}"))? {
        // A thread may end while it is looked at.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        sum += first_number(&text).with_context(|| format!("{folder}: no schedstat"))?;
    }
    Ok(Duration::from_nanos(sum))
}

/// Bytes of a process in memory that are its own. Those of its program's file are not: they are read in when code first
/// runs, however few players there are.
pub(crate) fn own_bytes(pid: u32) -> anyhow::Result<u64> {
    let path = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(first_number).with_context(|| format!("{path}: no RssAnon"))?;
    Ok(kilobytes * 1024)
}

/// The time for which all cores of the machine together were busy, with whatever.
pub(crate) fn machine_time() -> io::Result<Duration> {
    let text = fs::read_to_string("/proc/stat")?;
    Ok(JIFFY * busy_jiffies(&text).unwrap_or(0) as u32)
}

/// Of `cpu user nice system idle iowait irq softirq steal`: all but idle and iowait.
fn busy_jiffies(stat: &str) -> Option<u64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).take(8).collect();
    Some(fields.iter().enumerate().filter(|(index, _)| !matches!(index, 3 | 4)).map(|(_, jiffies)| jiffies).sum())
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_has_memory() {
        let before = cpu_time(std::process::id()).expect("a time");
        while cpu_time(std::process::id()).expect("a time") < before + Duration::from_millis(5) {}
        assert!(own_bytes(std::process::id()).expect("a size") > 100_000);
        assert!(cpu_time(u32::MAX).is_err());
    }

    #[test]
    fn idle_time_is_not_busy() {
        assert_eq!(busy_jiffies("cpu  1 2 4 1000 2000 8 16 32 64 128\ncpu0 9 9\n"), Some(63));
        assert_eq!(busy_jiffies("intr 5"), None);
        assert!(machine_time().expect("a time") > Duration::ZERO);
    }
}
