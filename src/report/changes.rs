//! What a turn changed, as far as the daemon measured it.

use serde::Serialize;

use crate::protocol::ToolCompleted;

/// Paths that are kept at most.
const PATHS: usize = 1000;

/// Sums over the calls that carry a diff. Reads and searches set `files` too and do not count; the
/// lines are the daemon's net figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Changes {
    pub(super) files: u64,
    pub(super) added: u64,
    pub(super) removed: u64,
    #[serde(skip)]
    pub(super) calls: u64,
}

impl Changes {
    pub(super) fn count(&mut self, done: &ToolCompleted<'_>) {
        if done.diff.as_ref().is_none_or(|diff| diff.is_empty()) {
            return;
        }
        self.calls += 1;
        let sum = |total: &mut u64, more: Option<u64>| {
            *total = total.saturating_add(more.unwrap_or(0));
        };
        sum(&mut self.files, done.files);
        sum(&mut self.added, done.added);
        sum(&mut self.removed, done.removed);
    }
}

/// A file that a diff names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChangedFile {
    /// As received.
    pub(super) path: String,
    /// Net lines; unknown if a call changed several files at once.
    pub(super) lines: Option<(u64, u64)>,
}

/// The files that the diffs of a turn name, in the order of their first change.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    pub(super) list: Vec<ChangedFile>,
    /// More were named than are kept.
    pub(super) cut: bool,
}

impl ChangedFiles {
    pub(super) fn count(&mut self, done: &ToolCompleted<'_>) {
        let mut paths: Vec<&str> = Vec::new();
        for path in done
            .diff
            .iter()
            .flat_map(|diff| diff.lines())
            .filter_map(hunk)
        {
            if !paths.contains(&path) && paths.len() <= PATHS {
                paths.push(path);
            }
        }
        let lines = (done.added.unwrap_or(0), done.removed.unwrap_or(0));
        let lines = (paths.len() == 1).then_some(lines);
        for path in paths {
            self.add(path, lines);
        }
    }

    fn add(&mut self, path: &str, lines: Option<(u64, u64)>) {
        if let Some(known) = self.list.iter_mut().find(|file| file.path == path) {
            let both = known.lines.zip(lines);
            known.lines = both.map(|((added, removed), (more, less))| {
                (added.saturating_add(more), removed.saturating_add(less))
            });
        } else if self.list.len() < PATHS {
            self.list.push(ChangedFile {
                path: path.to_owned(),
                lines,
            });
        } else {
            self.cut = true;
        }
    }
}

/// The path in a hunk's first line, `@@ -a,b +c,d @@ path`. Lines of content begin otherwise.
fn hunk(line: &str) -> Option<&str> {
    let (_, path) = line.strip_prefix("@@ -")?.split_once(" @@ ")?;
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(json: &str) -> ToolCompleted<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn files_are_those_that_the_hunks_name() {
        let mut files = ChangedFiles::default();
        let one = r#"{"tool_call_id":"c","added":2,"diff":"@@ -1,3 +1,5 @@ a b.py\n @@ -9 +9 @@ no\n+@@ -9 +9 @@ no\n@@ -8,1 +9,1 @@ a b.py\n x"}"#;
        files.count(&done(one));
        files.count(&done(one));
        files.count(&done(
            r#"{"tool_call_id":"c","removed":1,"diff":"@@ -1 +1 @@ x\n@@ -1 +1 @@ y"}"#,
        ));
        files.count(&done(r#"{"tool_call_id":"c","files":3}"#));
        let file = |path: &str, lines| ChangedFile {
            path: path.to_owned(),
            lines,
        };
        let expected = [
            file("a b.py", Some((4, 0))),
            file("x", None),
            file("y", None),
        ];
        assert_eq!(files.list, expected);
    }
}
