//! `--report`: what a turn is told as, besides stdout, for the CI that runs it.

use std::path::Path;

use super::Context;
use super::files::{FileOutput, open};
use crate::cli::ReportTarget;
use crate::error::Result;
use crate::protocol::Event;
use crate::report::{GitHub, JUnit, Markdown, Reporter, Verdict};
use crate::streams::Sink;

/// The reports that were asked for.
#[derive(Default)]
pub(super) struct Reports {
    pub(super) files: Vec<FileOutput>,
    /// Annotations without a file for the outputs of the step.
    annotations: Option<GitHub>,
}

impl Reports {
    /// Opens the files, and empties those that are not appended to; all of them, so that none is
    /// left with what an earlier run wrote.
    ///
    /// # Errors
    /// 74 if one cannot be opened: the first of them.
    pub(super) fn open(
        &mut self,
        targets: &[ReportTarget],
        context: &mut Context<'_>,
    ) -> Result<()> {
        let mut result = Ok(());
        for (at, target) in targets.iter().enumerate() {
            // Asked for twice, `github` is told once.
            if targets[..at].contains(target) {
                continue;
            }
            result = result.and(self.open_one(target, context));
        }
        result
    }

    fn open_one(&mut self, target: &ReportTarget, context: &mut Context<'_>) -> Result<()> {
        match target {
            ReportTarget::JUnit(path) => {
                self.add(path, false, context, |sink| Box::new(JUnit::new(sink)))
            }
            ReportTarget::Markdown(path) => {
                self.add(path, true, context, |sink| Box::new(Markdown::new(sink)))
            }
            ReportTarget::GitHub => {
                let console = context.console.clone();
                let Some(path) = context.surroundings.set("GITHUB_OUTPUT") else {
                    self.annotations = Some(GitHub::new(console, None));
                    return Ok(());
                };
                self.add(Path::new(&path), true, context, |sink| {
                    Box::new(GitHub::new(console, Some(Box::new(sink))))
                })
            }
        }
    }

    fn add(
        &mut self,
        path: &Path,
        append: bool,
        context: &mut Context<'_>,
        reporter: impl FnOnce(Sink) -> Box<dyn Reporter>,
    ) -> Result<()> {
        let sink = open(path, append, context)?;
        self.files
            .push(FileOutput::new(path, sink.clone(), reporter(sink)));
        Ok(())
    }

    /// Whether none was asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.annotations.is_none()
    }

    /// One more event.
    pub(super) fn event(&mut self, event: &Event<'_>) {
        self.each(|reporter| reporter.event(event));
    }

    /// Writes them.
    pub(super) fn end(&mut self, verdict: Option<&Verdict>) {
        self.each(|reporter| reporter.end(verdict));
    }

    /// A failure stays with the sink, where it is looked for.
    fn each(&mut self, mut act: impl FnMut(&mut dyn Reporter) -> std::io::Result<()>) {
        for file in &mut self.files {
            let _ = act(file.reporter.as_mut());
        }
        if let Some(annotations) = &mut self.annotations {
            let _ = act(annotations);
        }
    }
}
