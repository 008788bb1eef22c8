//! From the small part of Markdown that the guides are written in to roff.

use std::fmt::Write as _;

/// Text that stands as it is: nothing in it is a request, a minus is one that can be copied.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            other => out.push(other),
        }
    }
    protected(out)
}

/// A line that begins like a request is none.
fn protected(line: String) -> String {
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

/// A line of prose: `code` is bold, *emphasis* in italics.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::new();
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            let _ = write!(out, "\\fB{}\\fR", plain(part));
            continue;
        }
        for (number, part) in part.split('*').enumerate() {
            let part = part.replace('\\', "\\e");
            match number % 2 {
                0 => out.push_str(&part),
                _ => {
                    let _ = write!(out, "\\fI{part}\\fR");
                }
            }
        }
    }
    protected(out)
}

pub(super) fn section(title: &str) -> String {
    format!(".SH {title}\n")
}

/// A term and what it means.
pub(super) fn item(term: &str, text: &str) -> String {
    format!(".TP\n{}\n{}\n", inline(term), inline(text))
}

/// A guide, or a part of one: headings, paragraphs, blocks of code.
pub(super) fn of_markdown(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().filter(|line| !line.starts_with("<!--"));
    // A paragraph begins with the first line behind a blank one, and needs no mark behind a heading.
    let (mut is_new, mut behind_heading) = (false, true);
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("# ") {
            out += &section(title);
            (is_new, behind_heading) = (false, true);
        } else if line.starts_with("```") {
            out += ".PP\n.RS 4\n.nf\n";
            for code in lines.by_ref().take_while(|line| *line != "```") {
                out += &format!("{}\n", plain(code));
            }
            out += ".fi\n.RE\n";
            (is_new, behind_heading) = (true, false);
        } else if line.is_empty() {
            is_new = true;
        } else {
            if is_new && !behind_heading {
                out += ".PP\n";
            }
            (is_new, behind_heading) = (false, false);
            out += &format!("{}\n", inline(line));
        }
    }
    out
}

/// Long lines of prose are folded, as a page's source is read, too; code stays as it is.
pub(super) fn folded(page: &str) -> String {
    let (mut out, mut is_code) = (String::new(), false);
    for line in page.lines() {
        is_code = (is_code || line == ".nf") && line != ".fi";
        if is_code || line.starts_with('.') {
            out += &format!("{}\n", line.trim_end());
            continue;
        }
        let mut length = 0;
        for word in line.split(' ').filter(|word| !word.is_empty()) {
            // Not before what would be a request at the start of a line.
            let may_break = !word.starts_with(['.', '\'']);
            if length > 0 && length + word.len() >= 78 && may_break {
                out.push('\n');
                length = 0;
            } else if length > 0 {
                out.push(' ');
            }
            out += word;
            length += word.len() + 1;
        }
        out.push('\n');
    }
    out
}

#[test]
fn nothing_in_a_text_is_a_request() {
    assert_eq!(plain(".sh -x 'a\\b'"), "\\&.sh \\-x \\(aqa\\eb\\(aq");
    assert_eq!(
        inline("use `-x`, *well*\\"),
        "use \\fB\\-x\\fR, \\fIwell\\fR\\e"
    );
    let page = of_markdown("# A\n\none\ntwo\n\nthree\n\n```sh\n.x\n```\n\nfour\n");
    let expected = ".SH A\none\ntwo\n.PP\nthree\n.PP\n.RS 4\n.nf\n\\&.x\n.fi\n.RE\n.PP\nfour\n";
    assert_eq!(page, expected);
}
