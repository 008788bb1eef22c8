//! Whatever a log holds, every reporter takes it: nothing panics, no control character comes out,
//! a JUnit report is XML, and nothing acts as a command of a workflow's runner.

#![no_main]

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use dcodectl::protocol::Event;
use dcodectl::report::{
    ConsoleOptions, GitHub, Human, HumanOptions, JUnit, Markdown, Palette, Reporter, SharedConsole,
};
use libfuzzer_sys::fuzz_target;

/// A writer whose clones tell what was written.
#[derive(Clone, Default)]
struct Capture(Rc<RefCell<Vec<u8>>>);

impl Capture {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn console(err: &Capture, workflow_safe: bool) -> SharedConsole {
    let options = ConsoleOptions {
        json: false,
        quiet: false,
        status: false,
        shared: false,
        palette: Palette::plain(),
        width: Box::new(|| 80),
        workflow_safe,
    };
    SharedConsole::new(Box::new(err.clone()), options)
}

fn play(mut reporter: impl Reporter, events: &[Event<'_>]) {
    for event in events {
        reporter.event(event).unwrap();
    }
    reporter.idle().unwrap();
    reporter.end(None).unwrap();
}

fn human(events: &[Event<'_>], verbosity: i8, width: usize, workflow_safe: bool) -> String {
    let (out, err) = (Capture::default(), Capture::default());
    let options = HumanOptions {
        palette: Palette::plain(),
        verbosity,
        width: Box::new(move || width),
        show_status: false,
        workflow_safe,
    };
    let console = console(&err, workflow_safe);
    play(Human::new(Box::new(out.clone()), console, options), events);
    out.text() + &err.text()
}

fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|character| !character.is_control() || matches!(character, '\n' | '\t'))
}

fn no_commands(text: &str) {
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::"), "{text:?}");
    }
}

fuzz_target!(|log: &str| {
    let events: Vec<Event<'_>> = log.lines().filter_map(|line| Event::parse(line).ok()).collect();
    if events.is_empty() {
        return;
    }
    for verbosity in -1..=2 {
        let text = human(&events, verbosity, 20 + 30 * (log.len() % 4), false);
        assert!(is_plain(&text), "{text:?}");
    }
    no_commands(&human(&events, 2, 80, true));
    let markdown = Capture::default();
    play(Markdown::new(markdown.clone()), &events);
    assert!(is_plain(&markdown.text()), "{:?}", markdown.text());
    let junit = Capture::default();
    play(JUnit::new(junit.clone()), &events);
    let xml = junit.text();
    if let Err(error) = roxmltree::Document::parse(&xml) {
        panic!("{error}: {xml:?}");
    }
    let (err, output) = (Capture::default(), Capture::default());
    play(GitHub::new(console(&err, true), Some(Box::new(output.clone()))), &events);
    for line in err.text().lines() {
        assert!(line.starts_with("::error") || line.starts_with("::warning") || line.starts_with("::notice"), "{line:?}");
    }
});
