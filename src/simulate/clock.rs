//! Times and numbers that must look like the daemon's: timestamps, HTTP dates, session ids.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time that means "not set" (protocol, section 3).
pub(super) const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Now, as the daemon writes it into events.
pub(super) fn now() -> String {
    timestamp(SystemTime::now())
}

/// The fraction of the second is as short as it can be, and never alone.
fn timestamp(at: SystemTime) -> String {
    let text = humantime::format_rfc3339_nanos(at).to_string();
    let text = text.trim_end_matches('Z').trim_end_matches('0');
    match text.strip_suffix('.') {
        Some(seconds) => format!("{seconds}Z"),
        None => format!("{text}Z"),
    }
}

/// Now, as the `Date` header has it.
pub(super) fn http_date() -> String {
    httpdate::fmt_http_date(SystemTime::now())
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
        let written = crate::protocol::moment(&now()).unwrap();
        assert!(written.elapsed().unwrap() < Duration::from_mins(1));
        for (age, expected) in [
            (Duration::ZERO, "1970-01-01T00:00:00Z"),
            (
                Duration::from_millis(951_827_696_700),
                "2000-02-29T12:34:56.7Z",
            ),
            (Duration::new(10, 120), "1970-01-01T00:00:10.00000012Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + age), expected);
        }
    }

    #[test]
    fn dates_look_like_a_servers() {
        let date = http_date();
        assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
        let written = httpdate::parse_http_date(&date).unwrap();
        assert!(written.elapsed().unwrap() < Duration::from_mins(1));
    }
}
