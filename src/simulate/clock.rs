//! Times and numbers that must look like the daemon's: timestamps, HTTP dates, session ids.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::protocol::Civil;

/// The time that means "not set" (protocol, section 3).
pub(super) const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Now, as the daemon writes it into events.
pub(super) fn now() -> String {
    timestamp(age())
}

/// So long after the beginning of 1970; the fraction of the second as short as it can be.
fn timestamp(age: Duration) -> String {
    let at = Civil::at(age.as_secs());
    let date = format!("{:04}-{:02}-{:02}", at.year, at.month, at.day);
    let time = format!("{:02}:{:02}:{:02}", at.hour, at.minute, at.second);
    let fraction = format!(".{:09}", age.subsec_nanos());
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{date}T{time}{fraction}Z")
}

/// Now, as the `Date` header has it.
pub(super) fn http_date() -> String {
    let at = Civil::at(age().as_secs());
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        .into_iter()
        .zip(0..)
        .find_map(|(name, number)| (number == at.weekday).then_some(name));
    let month = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    .into_iter()
    .zip(1..)
    .find_map(|(name, number)| (number == at.month).then_some(name));
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        weekday.unwrap_or_default(),
        at.day,
        month.unwrap_or_default(),
        at.year,
        at.hour,
        at.minute,
        at.second
    )
}

/// The time since the beginning of 1970.
fn age() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Gives out session ids: 19 lowercase hexadecimal digits that sort by creation.
#[derive(Default)]
pub(super) struct Ids(Mutex<u128>);

impl Ids {
    /// Milliseconds since 1970 in eleven digits, the rest of the nanoseconds in eight.
    pub(super) fn next(&self) -> String {
        let age = age();
        let fresh = (age.as_millis() << 32) | (u128::from(age.subsec_nanos() % 1_000_000) << 12);
        let mut last = super::lock(&self.0);
        // Two sessions of one instant, or a clock set back: the order of creation still holds.
        *last = fresh.max(*last + 1);
        format!("{:019x}", *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_nineteen_digits_and_rise() {
        let ids = Ids::default();
        let mut before = String::new();
        for _ in 0..1000 {
            let id = ids.next();
            assert_eq!(id.len(), 19);
            assert!(id > before);
            before = id;
        }
    }

    #[test]
    fn events_carry_the_time_with_no_more_digits_than_needed() {
        let distance = jiff::Timestamp::now().duration_since(now().parse().unwrap());
        assert!(distance.abs() < jiff::SignedDuration::from_mins(1));
        for (age, expected) in [
            (Duration::ZERO, "1970-01-01T00:00:00Z"),
            (
                Duration::from_millis(951_827_696_700),
                "2000-02-29T12:34:56.7Z",
            ),
            (Duration::new(10, 120), "1970-01-01T00:00:10.00000012Z"),
        ] {
            assert_eq!(timestamp(age), expected);
        }
    }

    #[test]
    fn dates_look_like_a_servers() {
        let date = http_date();
        assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
        let parsed = jiff::fmt::rfc2822::parse(&date).unwrap().timestamp();
        let distance = jiff::Timestamp::now().duration_since(parsed);
        assert!(
            distance.abs() < jiff::SignedDuration::from_mins(1),
            "{date}"
        );
    }
}
