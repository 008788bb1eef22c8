//! `--report` and `schema`: what a turn is told as, and in which shape.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

use super::nearest;

/// Reports of a turn.
#[derive(Debug, Clone, Args)]
pub struct Reports {
    /// junit=FILE, markdown=FILE (appended) or github
    ///
    /// May be repeated.
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        value_parser = OsStringValueParser::new().try_map(ReportTarget::parse)
    )]
    pub report: Vec<ReportTarget>,
}

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportTarget {
    /// A suite a turn and a case a criterion.
    JUnit(PathBuf),
    /// A section a turn, appended.
    Markdown(PathBuf),
    /// Annotations on stderr, and the outputs of the step.
    GitHub,
}

impl ReportTarget {
    /// Reads the value of `--report`. The path may be any bytes.
    fn parse(value: OsString) -> Result<Self, String> {
        const FORMS: &str = "expected junit=FILE, markdown=FILE or github";
        if value == OsStr::new("github") {
            return Ok(Self::GitHub);
        }
        let bytes = value.into_vec();
        let Some(at) = bytes.iter().position(|&byte| byte == b'=') else {
            return Err(FORMS.to_owned());
        };
        let file = &bytes[at + 1..];
        if file.is_empty() || file == b"-" {
            return Err(format!("{FORMS}; a report goes to a file"));
        }
        let path = PathBuf::from(OsStr::from_bytes(file));
        match &bytes[..at] {
            b"junit" => Ok(Self::JUnit(path)),
            b"markdown" => Ok(Self::Markdown(path)),
            other => {
                let typed = String::from_utf8_lossy(other);
                let meant = nearest(&typed, ["junit", "markdown"])
                    .map(|name| format!("; did you mean {name}={}?", path.display()))
                    .unwrap_or_default();
                Err(format!("{FORMS}{meant}"))
            }
        }
    }
}

/// `schema`
#[derive(Debug, Args)]
pub struct Schema {
    /// Of NDJSON lines or of the summary
    #[arg(value_enum, value_name = "NAME")]
    pub name: SchemaName,
}

/// What there is a schema of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// The envelope and the payloads of NDJSON output.
    Events,
    /// The object about a turn's outcome.
    Summary,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_format_and_a_file() {
        let parse = |text: &str| ReportTarget::parse(OsString::from(text));
        assert_eq!(parse("github"), Ok(ReportTarget::GitHub));
        assert_eq!(parse("junit=a=b"), Ok(ReportTarget::JUnit("a=b".into())));
        assert_eq!(
            parse("markdown=/x y"),
            Ok(ReportTarget::Markdown("/x y".into()))
        );
        let odd = OsString::from_vec(b"junit=\xff".to_vec());
        let path = PathBuf::from(OsStr::from_bytes(b"\xff"));
        assert_eq!(ReportTarget::parse(odd), Ok(ReportTarget::JUnit(path)));
        for wrong in [
            "", "junit", "junit=", "junit=-", "github=x", "xml=x", "=x", "JUnit=x",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
