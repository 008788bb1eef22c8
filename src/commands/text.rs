//! Prompts, corrections and images: read whole, checked, sent as they are.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Context;
use crate::cli::{Images, Text};
use crate::error::{Error, Result};
use crate::protocol::{Image, SubmitTurn};

/// Refuses a blank TEXT that stands in the arguments, before anything is opened or waited for.
///
/// # Errors
/// Code 2.
pub(super) fn check(text: &Text) -> Result<()> {
    match text.text.as_deref() {
        Some(typed) if typed != "-" => not_blank(typed),
        _ => Ok(()),
    }
}

/// Reads the TEXT that was asked for; stdin only if it was named by `-`.
///
/// # Errors
/// Code 2 if it cannot be read, is not UTF-8, or is blank. Those of waiting for it.
pub(super) fn read(text: &Text, context: &mut Context<'_>) -> Result<String> {
    let text = match (&text.file, text.text.as_deref()) {
        (Some(path), _) => {
            let path = path.clone();
            context.wait("the prompt's file", move || {
                utf8(read_file(&path)?, &path.display().to_string())
            })?
        }
        (None, Some("-")) => {
            let stdin = context.streams.stdin.take();
            let (bytes, stdin) = context.wait("the end of stdin", move || read_stdin(stdin))?;
            // A terminal goes on after its end of input: questions are still answered there.
            context.streams.stdin = stdin.filter(|_| context.streams.in_terminal);
            utf8(bytes, "stdin")?
        }
        (None, text) => text.unwrap_or_default().to_owned(),
    };
    not_blank(&text)?;
    Ok(text)
}

fn not_blank(text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::usage(
            "the text is empty: the daemon would take it and spend a turn on it",
        )
        .hint(
            "is a variable unset? a text from a variable stands behind --, as in: -- \"$TEXT\"",
        ));
    }
    Ok(())
}

/// Reads a prompt and its images.
///
/// # Errors
/// As [`read`] and [`images`].
pub(super) fn turn(text: &Text, images: &Images, context: &mut Context<'_>) -> Result<SubmitTurn> {
    Ok(SubmitTurn {
        text: read(text, context)?,
        images: self::images(&images.paths, context)?,
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |error: io::Error| {
        Error::usage(format!("{} cannot be read", path.display())).caused_by(error)
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(unreadable)?;
    Ok(bytes)
}

type Stdin = Option<Box<dyn Read + Send>>;

/// Everything up to the end of input, and the stream that had it.
fn read_stdin(mut stdin: Stdin) -> Result<(Vec<u8>, Stdin)> {
    let mut bytes = Vec::new();
    if let Some(stdin) = &mut stdin {
        stdin
            .read_to_end(&mut bytes)
            .map_err(|error| Error::usage("stdin cannot be read").caused_by(error))?;
    }
    Ok((bytes, stdin))
}

fn utf8(bytes: Vec<u8>, source: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!(
            "{source} is not UTF-8: the byte at {at} belongs to no character"
        ))
    })
}

/// Reads the images that go with a prompt.
///
/// # Errors
/// Code 2 if one cannot be read or is none of the four kinds, which its content tells.
fn images(paths: &[PathBuf], context: &mut Context<'_>) -> Result<Vec<Image>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let paths = paths.to_vec();
    context.wait("the images", move || {
        paths.iter().map(|path| image(path)).collect()
    })
}

fn image(path: &Path) -> Result<Image> {
    let bytes = read_file(path)?;
    let media_type = media_type(&bytes).ok_or_else(|| {
        Error::usage(format!("{} is no image that can be sent", path.display()))
            .hint("PNG, JPEG, GIF and WebP can, told by their content")
    })?;
    Ok(Image {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes),
    })
}

/// The kind of an image, by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_told_by_their_content() {
        let table: [(&[u8], Option<&str>); 8] = [
            (b"\x89PNG\r\n\x1a\n....", Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF87a", Some("image/gif")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg/>", None),
            (b"", None),
        ];
        for (bytes, expected) in table {
            assert_eq!(media_type(bytes), expected, "{bytes:?}");
        }
    }
}
