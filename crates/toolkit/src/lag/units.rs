//! Times, shares and rates as people write them: `80ms`, `5%`, `256kbit`.

use std::time::Duration;

use network::{Bursts, Chance, Faults, Outages};

/// How long a delay lasts before it is another one.
pub const JITTER_MEMORY: Duration = Duration::from_millis(50);
/// The longest time that can be given.
const TIME_MAX: Duration = Duration::from_secs(3600);

/// A time with its unit: `us`, `ms`, `s` or `min`.
pub fn time(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 80ms, 1.5s or 2min, up to an hour".to_owned();
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" => number,
        "min" => number * 60.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= TIME_MAX).ok_or_else(wrong)
}

/// A share such as `5%`.
pub fn share(text: &str) -> Result<Chance, String> {
    let wrong = || "expected a share from 0% to 100%, such as 5% or 0.1%".to_owned();
    let (number, unit) = split(text).ok_or_else(wrong)?;
    if unit != "%" || number > 100.0 {
        return Err(wrong());
    }
    Ok(Chance::millionths((number * 10_000.0).round() as u32))
}

/// Bytes a second, from bits a second such as `256kbit`.
pub fn rate(text: &str) -> Result<u32, String> {
    let wrong = || "expected a rate from 8kbit to 10gbit, such as 256kbit or 2mbit".to_owned();
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let bits = match unit {
        "kbit" => number * 1e3,
        "mbit" => number * 1e6,
        "gbit" => number * 1e9,
        _ => return Err(wrong()),
    };
    if (8e3..=1e10).contains(&bits) { Ok((bits / 8.0) as u32) } else { Err(wrong()) }
}

/// A number of bytes such as `64KB`.
pub fn size(text: &str) -> Result<u32, String> {
    let wrong = || "expected a size from 1KB to 1024MB, such as 64KB".to_owned();
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let bytes = match unit {
        "B" => number,
        "KB" => number * 1024.0,
        "MB" => number * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    if (1024.0..=1_073_741_824.0).contains(&bytes) { Ok(bytes as u32) } else { Err(wrong()) }
}

/// Outages such as `2s/60s`: two seconds in each minute.
pub fn outages(text: &str) -> Result<Outages, String> {
    let wrong = || "expected a length and a period, such as 2s/60s, the length the shorter one".to_owned();
    let (lasting, every) = text.split_once('/').ok_or_else(wrong)?;
    let outages = Outages { lasting: time(lasting)?, every: time(every)? };
    if outages.lasting < outages.every { Ok(outages) } else { Err(wrong()) }
}

/// Loss of that share in all, in bursts of that length on average.
pub const fn bursts(share: Chance, length: u32) -> Bursts {
    let (lost, whole) = (share.in_millionths() as u64, Chance::ALWAYS.in_millionths() as u64);
    let length = if length == 0 { 1 } else { length as u64 };
    let end = whole / length;
    // In the long run the line is bad for begin / (begin + end) of all datagrams.
    let begin = if lost >= whole { whole } else { end * lost / (whole - lost) };
    let begin = if begin > whole { whole } else { begin };
    let end = if lost >= whole { 0 } else { end };
    Bursts { begin: Chance::millionths(begin as u32), end: Chance::millionths(end as u32), loss: Chance::ALWAYS }
}

/// What is lost in the long run, single datagrams and bursts together.
pub fn share_lost(faults: &Faults) -> Chance {
    let share = |chance: Chance| f64::from(chance.in_millionths()) / 1e6;
    let in_bursts = faults.bursts.map_or(0.0, |bursts| {
        let (begin, end) = (share(bursts.begin), share(bursts.end));
        if begin > 0.0 { share(bursts.loss) * begin / (begin + end) } else { 0.0 }
    });
    let lost = 1.0 - (1.0 - share(faults.loss)) * (1.0 - in_bursts);
    Chance::millionths((lost * 1e6).round() as u32)
}

/// A number that is not negative, and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..unit_at].parse().ok()?;
    Some((number, &text[unit_at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_an_end() {
        let millis = |text| time(text).map(|time| time.as_micros());
        assert_eq!(
            [millis("80ms"), millis("1.5s"), millis("250us"), millis("2min")],
            [Ok(80_000), Ok(1_500_000), Ok(250), Ok(120_000_000)]
        );
        for wrong in ["", "80", "ms", "-1ms", "1h", "1e9s", "61min", "1..5s", "80 ms", "NaNs", "infs"] {
            assert!(time(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn shares_rates_sizes_and_outages() {
        assert_eq!(share("5%").map(Chance::in_millionths), Ok(50_000));
        assert_eq!(share("0.1%").map(Chance::in_millionths), Ok(1_000));
        assert!(["5", "101%", "-1%", "%", "5 %"].iter().all(|wrong| share(wrong).is_err()));
        assert_eq!((rate("256kbit"), rate("2mbit")), (Ok(32_000), Ok(250_000)));
        assert!(["256", "1kbit", "20gbit", "kbit"].iter().all(|wrong| rate(wrong).is_err()));
        assert_eq!((size("64KB"), size("1.5MB")), (Ok(65_536), Ok(1_572_864)));
        assert!(["64", "1B", "2000MB"].iter().all(|wrong| size(wrong).is_err()));
        let two_of_sixty = Outages { lasting: Duration::from_secs(2), every: Duration::from_secs(60) };
        assert_eq!(outages("2s/60s"), Ok(two_of_sixty));
        assert!(["2s", "60s/2s", "2s/", "2/60"].iter().all(|wrong| outages(wrong).is_err()));
    }

    #[test]
    fn bursts_lose_the_share_that_was_asked_for() {
        for (percent, length) in [(5, 4), (1, 8), (50, 3), (20, 1)] {
            let Bursts { begin, end, .. } = bursts(Chance::percent(percent), length);
            let [begin, end] = [begin, end].map(|chance| f64::from(chance.in_millionths()));
            let lost = begin / (begin + end) * 100.0;
            assert!((lost - f64::from(percent)).abs() < 0.1, "{percent} % in bursts of {length}: {lost}");
            assert!((1e6 / end - f64::from(length)).abs() < 0.1);
        }
        let all = bursts(Chance::ALWAYS, 4);
        assert_eq!((all.begin, all.end), (Chance::ALWAYS, Chance::NEVER));
    }
}
