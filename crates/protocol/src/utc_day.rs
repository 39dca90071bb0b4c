//! Days in UTC: which day a time is on, and how it is written.

use ::time::{Date, Month};

use crate::Time;

const DAY_MICROS: u64 = 24 * 60 * 60 * 1_000_000;
/// The Julian day on which 1970 began.
const FIRST_JULIAN_DAY: i64 = 2_440_588;

/// Days since the first of January 1970.
pub fn day_of(time: Time) -> u32 {
    (time.micros() / DAY_MICROS).min(u32::MAX.into()) as u32
}

/// A day as `2026-11-16`. Days that no calendar has are written as the last one.
pub fn date_of(day: u32) -> String {
    let julian = i32::try_from(FIRST_JULIAN_DAY + i64::from(day)).unwrap_or(i32::MAX);
    Date::from_julian_day(julian).unwrap_or(Date::MAX).to_string()
}

/// Whether a text is a date as [`date_of`] writes it.
pub fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |digits: usize| -> Option<u16> {
        let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|it| it.is_ascii_digit()))?;
        part.parse().ok()
    };
    let Some(((year, month), day)) = number(4).zip(number(2)).zip(number(2)) else { return false };
    let month = Month::try_from(month as u8);
    parts.next().is_none() && month.is_ok_and(|month| Date::from_calendar_date(year.into(), month, day as u8).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let dates = [0, 59, 789, 11_016, 19_675, 20_773, 47_541].map(date_of);
        let known = ["1970-01-01", "1970-03-01", "1972-02-29", "2000-02-29", "2023-11-14", "2026-11-16", "2100-03-01"];
        assert_eq!(dates, known);
        assert_eq!(date_of(u32::MAX), "9999-12-31");
    }

    #[test]
    fn dates_are_told_from_other_text() {
        assert!(is_date("2026-11-16") && is_date("2024-02-29"));
        for wrong in
            ["", "2026", "2026-11", "2026-13-01", "2023-02-29", "2026-11-16-", "26-11-16", "2026-1-016", "+026-11-16"]
        {
            assert!(!is_date(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_day_begins_at_midnight() {
        let at = |seconds: u64| day_of(Time::from_micros(seconds * 1_000_000));
        assert_eq!((at(0), at(86_399), at(86_400)), (0, 0, 1));
    }
}
