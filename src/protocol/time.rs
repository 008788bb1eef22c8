//! The daemon's timestamps: RFC 3339, 0 to 9 fraction digits, `Z` or an offset (protocol, section 3).
//!
//! They stay strings until somebody shows them; these are the two questions asked of them.

use std::time::Duration;

/// Whether the timestamp means a moment. The zero time means "not set".
#[must_use]
pub fn is_set(timestamp: &str) -> bool {
    !timestamp.is_empty() && !timestamp.starts_with("0001-01-01T00:00:00")
}

/// Milliseconds from one timestamp to a later one; `None` if either is not set or not a time, or
/// the order is wrong.
#[must_use]
pub fn milliseconds_between(start: &str, end: &str) -> Option<u64> {
    if !is_set(start) || !is_set(end) {
        return None;
    }
    let (start, end) = (Moment::parse(start)?, Moment::parse(end)?);
    u64::try_from(end.milliseconds() - start.milliseconds()).ok()
}

/// A moment, to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Since the beginning of 1970, in nanoseconds.
    since_1970: i128,
}

impl Moment {
    /// Reads an RFC 3339 timestamp; `None` if it is none. A leap second is the one before it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.as_bytes();
        let year = digits(&mut rest, 4)?;
        byte(&mut rest, b"-")?;
        let month = digits(&mut rest, 2).filter(|month| (1..=12).contains(month))?;
        byte(&mut rest, b"-")?;
        let day = digits(&mut rest, 2).filter(|day| (1..=days_in(year, month)).contains(day))?;
        byte(&mut rest, b"Tt ")?;
        let hour = digits(&mut rest, 2).filter(|hour| *hour < 24)?;
        byte(&mut rest, b":")?;
        let minute = digits(&mut rest, 2).filter(|minute| *minute < 60)?;
        byte(&mut rest, b":")?;
        let second = digits(&mut rest, 2).filter(|second| *second <= 60)?.min(59);
        let nanoseconds = match byte(&mut rest, b".") {
            Some(_) => fraction(&mut rest)?,
            None => 0,
        };
        let offset = offset(&mut rest)?;
        if !rest.is_empty() {
            return None;
        }
        let seconds = (days_before(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
        Some(Self {
            since_1970: i128::from(seconds - offset) * 1_000_000_000 + i128::from(nanoseconds),
        })
    }

    /// The time from an earlier moment to this one; none if that one is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let nanoseconds = u128::try_from(self.since_1970 - earlier.since_1970).unwrap_or(0);
        let second = 1_000_000_000;
        // What is left of a second fits, and the years of timestamps have four digits.
        Duration::new(
            u64::try_from(nanoseconds / second).unwrap_or(u64::MAX),
            u32::try_from(nanoseconds % second).unwrap_or(0),
        )
    }

    fn milliseconds(self) -> i128 {
        self.since_1970.div_euclid(1_000_000)
    }
}

/// Takes exactly so many digits.
fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (taken, behind) = rest.split_at_checked(count)?;
    *rest = behind;
    taken.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + i64::from(byte - b'0'))
    })
}

/// Takes one of the bytes.
fn byte(rest: &mut &[u8], expected: &[u8]) -> Option<u8> {
    let (first, behind) = rest.split_first()?;
    if !expected.contains(first) {
        return None;
    }
    *rest = behind;
    Some(*first)
}

/// Takes one to nine digits behind a point, as nanoseconds.
fn fraction(rest: &mut &[u8]) -> Option<i64> {
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let places = u32::try_from(count)
        .ok()
        .filter(|count| (1..=9).contains(count))?;
    Some(digits(rest, count)? * 10_i64.pow(9 - places))
}

/// Takes `Z` or an offset, as seconds.
fn offset(rest: &mut &[u8]) -> Option<i64> {
    let sign = match byte(rest, b"Zz+-")? {
        b'+' => 1,
        b'-' => -1,
        _ => return Some(0),
    };
    let hours = digits(rest, 2).filter(|hours| *hours < 24)?;
    byte(rest, b":")?;
    let minutes = digits(rest, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 60 + minutes) * 60)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from the beginning of 1970 to this one. Years here begin in March, so that the day that leap years have
/// more is their last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (months * 153 + 2) / 5 + day - 1 - DAYS_TO_1970
}

/// From 1 March of the year 0 to 1 January 1970.
const DAYS_TO_1970: i64 = 719_468;

/// A moment of the calendar, as the simulated daemon writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// With four digits.
    pub year: u64,
    /// From 1.
    pub month: u64,
    /// From 1.
    pub day: u64,
    /// From 0, a Sunday.
    pub weekday: u64,
    /// Of the day.
    pub hour: u64,
    /// Of the hour.
    pub minute: u64,
    /// Of the minute.
    pub second: u64,
}

impl Civil {
    /// What the calendar says, in UTC, so many seconds after the beginning of 1970.
    #[must_use]
    pub fn at(seconds: u64) -> Self {
        const DAYS_OF_400_YEARS: u64 = 146_097;
        let since_1970 = seconds / 86_400;
        let days = since_1970 + DAYS_TO_1970.unsigned_abs();
        let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let january = u64::from(month >= 10);
        Self {
            year: era * 400 + year + january,
            month: if january == 1 { month - 9 } else { month + 3 },
            day: day - (153 * month + 2) / 5 + 1,
            weekday: (since_1970 + 4) % 7,
            hour: seconds / 3600 % 24,
            minute: seconds / 60 % 60,
            second: seconds % 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zero_time_is_not_set() {
        assert!(!is_set("0001-01-01T00:00:00Z"));
        assert!(!is_set(""));
        assert!(is_set("2026-12-01T05:04:07.7Z"));
    }

    #[test]
    fn offsets_and_any_number_of_fraction_digits_are_read() {
        let table = [
            ("2026-12-01T05:00:00Z", "2026-12-01T05:00:01.5Z", Some(1500)),
            (
                "2026-12-01T02:00:00-03:00",
                "2026-12-01T05:00:00.123456789Z",
                Some(123),
            ),
            ("2026-12-01T05:00:01Z", "2026-12-01T05:00:00Z", None),
            ("0001-01-01T00:00:00Z", "2026-12-01T05:00:00Z", None),
            ("yesterday", "2026-12-01T05:00:00Z", None),
        ];
        for (start, end, expected) in table {
            assert_eq!(milliseconds_between(start, end), expected, "{start} {end}");
        }
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        let wrong = [
            "",
            "2026-12-01",
            "2026-12-01T05:00:00",
            "2026-12-01T05:00:00.Z",
            "2026-12-01T05:00:00.1234567890Z",
            "2026-12-01T05:00:00Z ",
            "2026-12-01T24:00:00Z",
            "2026-12-01T05:60:00Z",
            "2026-12-01T05:00:61Z",
            "2026-02-29T05:00:00Z",
            "2026-13-01T05:00:00Z",
            "2026-00-01T05:00:00Z",
            "2026-12-00T05:00:00Z",
            "2026-12-01T05:00:00+1:00",
            "2026-12-01T05:00:00+24:00",
            "+026-12-01T05:00:00Z",
            "２026-12-01T05:00:00Z",
        ];
        for text in wrong {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    /// Seconds since 1970, as a library of calendars has them.
    fn judged(text: &str) -> Option<i128> {
        let timestamp: jiff::Timestamp = text.parse().ok()?;
        Some(timestamp.as_nanosecond())
    }

    proptest! {
        #[test]
        fn moments_are_those_of_a_calendar(
            (year, month, day) in (1_i64..=9998, 1_i64..=12, 1_i64..=31),
            (hour, minute, second) in (0..24, 0..60, 0..=60),
            fraction in "(\\.[0-9]{1,9})?",
            offset in "Z|z|[+-](0[0-9]|1[0-9]|2[0-3]):[0-5][0-9]",
        ) {
            let text =
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{offset}");
            let moment = Moment::parse(&text).map(|moment| moment.since_1970);
            prop_assert_eq!(moment, judged(&text), "{}", text);
        }

        #[test]
        fn the_calendar_is_right(seconds in 0_u64..=253_402_200_000) {
            let civil = Civil::at(seconds);
            let text = format!(
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
            );
            prop_assert_eq!(judged(&text), Some(i128::from(seconds) * 1_000_000_000), "{}", text);
            let weekday = jiff::civil::date(1970, 1, 1).weekday();
            let days = i64::try_from(seconds / 86_400).unwrap();
            let weekday = weekday.wrapping_add(days).to_sunday_zero_offset();
            prop_assert_eq!(i64::try_from(civil.weekday).unwrap(), i64::from(weekday));
        }
    }
}
