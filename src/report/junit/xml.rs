//! XML as far as a report needs it: elements, attributes, and no character that XML forbids.

use std::fmt::Write as _;

use super::super::visible::hidden;

/// A start tag that is being written.
pub(super) struct Element<'x> {
    xml: &'x mut String,
}

impl<'x> Element<'x> {
    /// Begins an element. `name` is one of ours.
    pub(super) fn open(xml: &'x mut String, depth: usize, name: &str) -> Self {
        indent(xml, depth);
        xml.push('<');
        xml.push_str(name);
        Self { xml }
    }

    /// Adds an attribute; the value may be any text.
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.xml.push(' ');
        self.xml.push_str(name);
        self.xml.push_str("=\"");
        escape(self.xml, value);
        self.xml.push('"');
    }

    /// Ends the element: it is empty.
    pub(super) fn end(self) {
        self.xml.push_str("/>\n");
    }

    /// Ends the start tag; content follows, and [`close`].
    pub(super) fn content(self) -> &'x mut String {
        self.xml.push_str(">\n");
        self.xml
    }
}

/// The end tag.
pub(super) fn close(xml: &mut String, depth: usize, name: &str) {
    indent(xml, depth);
    xml.push_str("</");
    xml.push_str(name);
    xml.push_str(">\n");
}

fn indent(xml: &mut String, depth: usize) {
    xml.extend(std::iter::repeat_n("  ", depth));
}

/// Any text as the value of an attribute.
///
/// What XML forbids is dropped: there is no way to write it. What it allows but a terminal would
/// obey, or a reader not see, is written as a reference, and so read back as it was.
fn escape(xml: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\'' => xml.push_str("&apos;"),
            '\t' | '\n' | '\r' => reference(xml, character),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {}
            other if other.is_control() || hidden(other) => reference(xml, other),
            other => xml.push(other),
        }
    }
}

fn reference(xml: &mut String, character: char) {
    // Writing to a `String` cannot fail.
    let _ = write!(xml, "&#x{:x};", u32::from(character));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut xml = String::new();
        escape(&mut xml, text);
        xml
    }

    /// Reads it back as an XML parser does.
    fn read(xml: &str) -> String {
        let mut text = String::new();
        let mut rest = xml;
        while let Some(at) = rest.find('&') {
            let (before, reference) = rest.split_at(at);
            let (name, after) = reference[1..].split_once(';').unwrap();
            text.push_str(before);
            text.push(match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                number => {
                    let digits = number.strip_prefix("#x").unwrap();
                    char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap()
                }
            });
            rest = after;
        }
        text + rest
    }

    #[test]
    fn what_xml_forbids_is_dropped_and_the_rest_escaped() {
        let text = "a\0\x08\x1b[1m<&>\"']]>\n\u{fffe}\u{ffff}\u{9b}é🚀";
        let expected = "a[1m&lt;&amp;&gt;&quot;&apos;]]&gt;&#xa;&#x9b;é🚀";
        assert_eq!(escaped(text), expected);
    }

    proptest! {
        #[test]
        fn markup_never_comes_through_and_text_is_read_back(text in any::<String>()) {
            let xml = escaped(&text);
            prop_assert!(!xml.contains(['<', '>', '"', '\'']));
            let raw = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
            prop_assert!(!xml.chars().any(raw));
            let forbidden = |c: &char| !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c'
                | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
            prop_assert_eq!(read(&xml), text.chars().filter(forbidden).collect::<String>());
        }
    }
}
