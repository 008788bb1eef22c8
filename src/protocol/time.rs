//! The daemon's timestamps: RFC 3339, 0 to 9 fraction digits, `Z` or an offset (protocol, section 3).
//!
//! They stay strings until somebody shows them; these are the two questions asked of them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
    let between = milliseconds(end)?.checked_sub(milliseconds(start)?)?;
    u64::try_from(between).ok()
}

/// Whole milliseconds since 1970, as a timestamp shows them.
fn milliseconds(timestamp: &str) -> Option<u128> {
    let age = moment(timestamp)?.duration_since(UNIX_EPOCH).ok()?;
    Some(age.as_millis())
}

/// The moment that a timestamp means; `None` if it is none, or lies before 1970.
#[must_use]
pub fn moment(timestamp: &str) -> Option<SystemTime> {
    if let Some(utc) = timestamp.strip_suffix('Z') {
        return local(utc);
    }
    // humantime reads UTC alone.
    let (time, offset) =
        timestamp.split_at_checked(timestamp.len().checked_sub("+00:00".len())?)?;
    let (sign, offset) = offset.split_at_checked(1)?;
    let (hours, minutes) = offset.split_once(':')?;
    let offset = Duration::from_secs(60 * (60 * number(hours, 23)? + number(minutes, 59)?));
    match sign {
        "+" => local(time)?.checked_sub(offset),
        "-" => local(time)?.checked_add(offset),
        _ => None,
    }
}

/// A time without `Z` or offset, as if it were UTC.
fn local(time: &str) -> Option<SystemTime> {
    let is_bare = !time.contains(['Z', '+']) && !time.ends_with('.');
    let moment = humantime::parse_rfc3339_weak(time).ok()?;
    is_bare.then_some(moment)
}

/// Two digits, of which the bound is the most.
fn number(digits: &str, bound: u64) -> Option<u64> {
    let two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok()?;
    (two && number <= bound).then_some(number)
}

#[cfg(test)]
mod tests {
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
    fn a_moment_is_the_same_wherever_it_is_noted() {
        let utc = moment("2026-03-01T00:30:00.5Z");
        assert!(utc.is_some());
        for same in [
            "2026-02-28T21:00:00.500-03:30",
            "2026-03-01T02:30:00.500000000+02:00",
            "2026-03-01T00:30:00.5+00:00",
            "2026-03-01T00:30:00.5-00:00",
        ] {
            assert_eq!(moment(same), utc, "{same}");
        }
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        for text in [
            "",
            "Z",
            "+00:00",
            "2026-12-01",
            "2026-12-01T05:00:00",
            "2026-12-01T05:00:00.Z",
            "2026-12-01T05:00:00ZZ",
            "2026-12-01T05:00:00Z ",
            "2026-12-01T05:00:00+00:00Z",
            "2026-12-01T05:00:00Z+00:00",
            "2026-12-01T05:00:00+00:00+00:00",
            "2026-12-01T24:00:00Z",
            "2026-12-01T05:60:00Z",
            "2026-12-01T05:00:61Z",
            "2026-02-29T05:00:00Z",
            "2026-13-01T05:00:00Z",
            "2026-00-01T05:00:00Z",
            "2026-12-00T05:00:00Z",
            "2026-12-01T05:00:00+1:00",
            "2026-12-01T05:00:00+24:00",
            "2026-12-01T05:00:00+00:60",
            "2026-12-01T05:00:00+0é:0",
            "1969-12-31T23:59:59Z",
            "+026-12-01T05:00:00Z",
            "２026-12-01T05:00:00Z",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
