//! Commands that are proposed for pasting.

use std::borrow::Cow;

/// A word of a command that is proposed for pasting: an id comes from the daemon, and a shell must
/// not act on it.
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"._@:/+-".contains(&byte);
    if !word.is_empty() && !word.starts_with('-') && word.bytes().all(harmless) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_acts_on_no_word() {
        for plain in ["1a2319", "@", "t1-0@14", "./a/b", "a:b+c_d"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (word, quoted) in [
            ("$(touch x)", "'$(touch x)'"),
            ("", "''"),
            ("-x", "'-x'"),
            ("it's", r"'it'\''s'"),
            ("a b", "'a b'"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
