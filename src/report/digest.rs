//! The digest by which a prompt is recognised without being repeated.

use std::fmt::Write as _;

/// SHA-256 of the text's bytes, in 64 lowercase hexadecimal digits.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    let mut digits = String::with_capacity(64);
    for byte in hmac_sha256::Hash::hash(text.as_bytes()) {
        // Writing to a `String` cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_what_sha256sum_prints() {
        let table = [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ];
        for (text, digest) in table {
            assert_eq!(sha256_hex(text), digest);
        }
    }
}
