//! The daemon's timestamps: RFC 3339, 0 to 9 fraction digits, `Z` or an offset (protocol, section 3).
//!
//! They stay strings until somebody shows them; these are the two questions asked of them.

use jiff::Timestamp;

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
    let start: Timestamp = start.parse().ok()?;
    let end: Timestamp = end.parse().ok()?;
    u64::try_from(end.as_millisecond() - start.as_millisecond()).ok()
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
}
