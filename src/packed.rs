//! Texts that few ask for, and that the program holds packed: a sixth of their size. `build.rs` packs them.

use miniz_oxide::inflate::decompress_to_vec;

/// The files of a folder.
#[derive(Debug, Clone, Copy)]
pub struct Packed(&'static [u8]);

macro_rules! packed {
    ($name:literal) => {
        Packed(include_bytes!(concat!(env!("OUT_DIR"), "/", $name)))
    };
}

/// Completion scripts.
pub const COMPLETIONS: Packed = packed!("completions");

/// The hand-written halves of the manual's pages.
pub const GUIDES: Packed = packed!("guides");

/// Pages of the manual.
pub const MANUAL: Packed = packed!("manual");

/// Scenarios of the simulated daemon.
pub const SCENARIOS: Packed = packed!("scenarios");

/// JSON Schemas of what the program prints.
pub const SCHEMAS: Packed = packed!("schemas");

impl Packed {
    /// Names and texts, in the order of the names. A test holds them against the folders.
    #[must_use]
    pub fn texts(self) -> Vec<(String, String)> {
        let bytes = decompress_to_vec(self.0).unwrap_or_default();
        let mut parts = bytes.split(|byte| *byte == 0);
        let mut texts = Vec::new();
        while let (Some(name), Some(text)) = (parts.next(), parts.next()) {
            let part = |bytes| String::from_utf8_lossy(bytes).into_owned();
            texts.push((part(name), part(text)));
        }
        texts
    }

    /// The text of the file of that name; empty if there is none.
    #[must_use]
    pub fn text(self, name: &str) -> String {
        let found = self.texts().into_iter().find(|(other, _)| other == name);
        found.map(|(_, text)| text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_packed_is_what_the_folders_hold() {
        for (packed, folder) in [
            (COMPLETIONS, "completions"),
            (GUIDES, "src/cli/guide"),
            (MANUAL, "man"),
            (SCENARIOS, "src/simulate/scenarios"),
            (SCHEMAS, "src/report/schema"),
        ] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let texts = packed.texts();
            assert_eq!(texts.len(), fs::read_dir(&folder).unwrap().count());
            for (name, text) in texts {
                assert_eq!(text, fs::read_to_string(folder.join(&name)).unwrap());
                assert_eq!(packed.text(&name), text);
            }
        }
        assert_eq!(MANUAL.text("dcodectl-none.1"), "");
    }
}
