//! Strings: where one ends, and whether its escapes are any.
//!
//! Most of a large event is one string, full of `\n` and `\"`. 64 bytes are looked at together: a bit mask says where
//! something stands in them that means anything, arithmetic on it which backslashes begin an escape, and only those
//! are looked at one by one.

use wide::u8x16;

/// How many bytes are looked at together: one for each bit of a mask.
const BLOCK: usize = u64::BITS as usize;

/// How many bytes a register holds.
const LANES: usize = 16;

/// The bits of the bytes at even places of a block.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// Behind the closing quote of the string whose inside begins at `at`.
#[inline]
pub(super) fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    // Most strings are keys and ids, which end soon.
    if let Some(start) = rest.first_chunk::<LANES>()
        && let Some(place) = first(specials(*start))
        && start[place] == b'"'
    {
        return Some(at + place + 1);
    }
    long_end(rest).map(|end| at + end)
}

/// Where the inside of a string ends that has no escape.
pub(super) fn plain_end(text: &[u8]) -> Option<usize> {
    let (blocks, rest) = text.as_chunks::<LANES>();
    let found = blocks.iter().enumerate().find_map(|(number, block)| {
        let place = first(specials(*block))?;
        Some(number * LANES + place)
    });
    let end = match found {
        Some(end) => end,
        None => text.len() - rest.len() + first(specials(padded(rest)))?,
    };
    (text.get(end)? == &b'"').then_some(end)
}

/// As [`string_end`], of a string that begins at 0.
fn long_end(text: &[u8]) -> Option<usize> {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let last = padded(rest);
    // Set in its lowest bit if the block before ended in the backslash of an escape.
    let mut carried = 0;
    for (number, block) in blocks.iter().chain([&last]).enumerate() {
        let start = number * BLOCK;
        let masks = Masks::of(block);
        let begins = escapes(masks.backslashes & !carried);
        let mut left = begins;
        let shifted = text.get(start + 1..).unwrap_or_default();
        while left != 0 {
            // A backslash behind the end of this string belongs to another one, where it has to be right as well.
            if !is_escape(shifted, left.trailing_zeros() as usize) {
                return None;
            }
            left &= left - 1;
        }
        let behind = begins << 1 | carried;
        if let Some(place) = first(masks.ends & !behind) {
            return (block[place] == b'"').then_some(start + place + 1);
        }
        carried = begins >> (BLOCK - 1);
    }
    None
}

/// The backslashes that begin an escape. In a row of them that is every other one, from the first on.
///
/// Adding the first bit of a row to the row carries it out of the row, so that none of its bits is left. Done for the
/// rows that begin at an even place only, this tells them from the others.
#[inline]
fn escapes(backslashes: u64) -> u64 {
    let begin = backslashes & !(backslashes << 1);
    let from_odd = backslashes & backslashes.wrapping_add(begin & EVEN);
    // Of the rows that begin at an even place the even bits, of the others the odd ones.
    backslashes & (from_odd ^ EVEN)
}

/// Whether what begins at `at`, behind a backslash, is an escape.
#[inline]
fn is_escape(text: &[u8], at: usize) -> bool {
    let Some(letter) = text.get(at) else {
        return false;
    };
    let is_unicode = || {
        let digits = text[at + 1..].first_chunk().copied();
        *letter == b'u' && digits.is_some_and(is_hex)
    };
    ROLES[usize::from(*letter)].is_escape || is_unicode()
}

#[inline]
fn is_hex(digits: [u8; 4]) -> bool {
    let is_hex = |digit: u8| ROLES[usize::from(digit)].is_hex;
    let [first, second, third, last] = digits;
    is_hex(first) && is_hex(second) && is_hex(third) && is_hex(last)
}

/// What a byte can stand for in an escape.
#[derive(Clone, Copy)]
struct Role {
    /// Behind the backslash it is the whole escape.
    is_escape: bool,
    is_hex: bool,
}

static ROLES: [Role; 256] = {
    let mut roles = [Role {
        is_escape: false,
        is_hex: false,
    }; 256];
    let escapes = br#""\/bfnrt"#;
    let mut at = 0;
    while at < escapes.len() {
        roles[escapes[at] as usize].is_escape = true;
        at += 1;
    }
    let hex = b"0123456789abcdefABCDEF";
    let mut at = 0;
    while at < hex.len() {
        roles[hex[at] as usize].is_hex = true;
        at += 1;
    }
    roles
};

/// Where something stands in a block, the first byte in the lowest bit.
struct Masks {
    backslashes: u64,
    /// Quotes, and control characters, which no string may hold.
    ends: u64,
}

impl Masks {
    /// Written out four times, as a compiler that minds the size of the program leaves a loop a loop.
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let part = |number: usize| {
            let part = block[number * LANES..].first_chunk();
            u8x16::new(*part.unwrap_or(&[0; LANES]))
        };
        let parts = [part(0), part(1), part(2), part(3)];
        let joined = |find: fn(u8x16) -> u8x16| {
            let [low, next, third, high] = parts;
            let low = bits(find(low)) | bits(find(next)) << LANES;
            let high = bits(find(third)) | bits(find(high)) << LANES;
            low | high << (2 * LANES)
        };
        Self {
            backslashes: joined(backslashes),
            ends: joined(ends),
        }
    }
}

/// The quotes, backslashes and control characters.
#[inline]
fn specials(part: [u8; LANES]) -> u64 {
    let part = u8x16::new(part);
    bits(ends(part) | backslashes(part))
}

#[inline]
fn backslashes(part: u8x16) -> u8x16 {
    part.simd_eq(u8x16::splat(b'\\'))
}

/// Exchanging 0x20 with 0x22 puts the quote next to the control characters, so that one comparison finds both.
#[inline]
fn ends(part: u8x16) -> u8x16 {
    let bound = u8x16::splat(0x20);
    let exchanged = part ^ u8x16::splat(b'"' ^ 0x20);
    exchanged.min(bound).simd_eq(exchanged)
}

#[inline]
fn bits(part: u8x16) -> u64 {
    u64::from(part.to_bitmask())
}

/// The place of the first bit.
#[inline]
fn first(mask: u64) -> Option<usize> {
    (mask != 0).then(|| mask.trailing_zeros() as usize)
}

/// A block of what is left at the end of a text. The rest of it is zero, where no string goes on.
#[inline]
fn padded<const N: usize>(rest: &[u8]) -> [u8; N] {
    let mut block = [0; N];
    block[..rest.len()].copy_from_slice(rest);
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The end of a string, byte by byte.
    fn slow_end(text: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            at += match *text.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => match text.get(at + 1)? {
                    b'u' if is_hex(text.get(at + 2..at + 6)?.try_into().ok()?) => 6,
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                    _ => return None,
                },
                0..0x20 => return None,
                _ => 1,
            };
        }
    }

    #[test]
    fn each_byte_that_means_something_is_seen_in_its_place() {
        for special in 0..=u8::MAX {
            for at in 0..2 * BLOCK {
                let mut text = vec![b'\xe9'; 3 * BLOCK];
                text[at] = special;
                text[at + 1] = b'n';
                text[3 * BLOCK - 1] = b'"';
                assert_eq!(string_end(&text, 0), slow_end(&text), "{special} at {at}");
                let plain = (special == b'"').then_some(at);
                let plain = match special {
                    0..0x20 | b'\\' | b'"' => plain,
                    _ => Some(3 * BLOCK - 1),
                };
                assert_eq!(plain_end(&text), plain, "{special} at {at}");
            }
        }
    }

    #[test]
    fn no_string_ends_in_what_fills_the_last_block() {
        for length in 0..2 * BLOCK {
            let text = vec![b'x'; length];
            assert_eq!((string_end(&text, 0), plain_end(&text)), (None, None));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_other_backslash_of_a_row_begins_an_escape(backslashes: u64, more: u64, fewer: u64) {
            for backslashes in [backslashes, backslashes | more, backslashes & fewer] {
                let (mut expected, mut escaped) = (0, false);
                for place in 0..u64::BITS {
                    escaped = !escaped && backslashes >> place & 1 == 1;
                    expected |= u64::from(escaped) << place;
                }
                prop_assert_eq!(escapes(backslashes), expected, "{:b}", backslashes);
            }
        }

        #[test]
        fn a_string_ends_where_it_does_byte_by_byte(
            before in 0..70_usize,
            text in r#"(x{1,20}|\\{1,9}|\\n|\\"|\\u00e9|\\u0|\\x|é|\t){0,20}""#,
        ) {
            let text = "x".repeat(before) + &text;
            // What comes behind the end may be refused, if it is wrong as well.
            let expected = slow_end(text.as_bytes()).filter(|end| *end == text.len());
            if let Some(end) = expected {
                prop_assert_eq!(string_end(text.as_bytes(), 0), Some(end), "{}", text);
            } else if slow_end(text.as_bytes()).is_none() {
                prop_assert_eq!(string_end(text.as_bytes(), 0), None, "{}", text);
            }
        }
    }
}
