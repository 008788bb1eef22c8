//! Times and numbers that must look like the daemon's: timestamps, HTTP dates, session ids.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// The time that means "not set" (protocol, section 3).
pub(super) const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Now, as the daemon writes it into events.
pub(super) fn now() -> String {
    Timestamp::now().to_string()
}

/// Now, as the `Date` header has it.
pub(super) fn http_date() -> String {
    jiff::fmt::rfc2822::DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&Timestamp::now())
        .unwrap_or_default()
}

/// Gives out session ids: 19 lowercase hexadecimal digits that sort by creation.
#[derive(Default)]
pub(super) struct Ids(Mutex<u128>);

impl Ids {
    /// Milliseconds since 1970 in eleven digits, the rest of the nanoseconds in eight.
    pub(super) fn next(&self) -> String {
        let age = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
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
    fn dates_look_like_a_servers() {
        let date = http_date();
        assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
    }
}
