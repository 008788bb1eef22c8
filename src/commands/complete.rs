//! `__complete`: what a shell is told when a key is pressed. It prints candidates, a line each with a tab before the
//! description, and nothing else whatever fails; the code is 1 where the shell itself knows better, and 2 where it is to name files.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::Context;
use super::session::Variables;
use crate::cli::{self, Accept, Asked, ON_APPROVAL, Slot, Wanted};
use crate::client::socket::{self, Environment};
use crate::client::{Client, Timeouts};
use crate::error::Result;
use crate::exit::Exit;
use crate::follow::{self, Limits};
use crate::protocol::{EventKind, Session};
use crate::report::{approval_subject, visible};
use crate::simulate::scenarios;

/// A person is waiting at the keyboard: what is not there by now is not wanted any more.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long connecting may take of that.
const CONNECT: Duration = Duration::from_millis(100);

/// What the shell is told where it is to name files.
const FILES: u8 = 2;

/// A value and its description.
type Candidate = (String, String);

/// Prints the candidates for the place of the cursor.
///
/// # Errors
/// Those of writing to stdout.
pub fn complete(asked: &Asked, context: &mut Context<'_>) -> Result<u8> {
    let Some(slot) = cli::place(asked, &mut cli::command()) else {
        return Ok(Exit::Failure.number());
    };
    if slot.wanted == Wanted::Path {
        return Ok(FILES);
    }
    context.bound(Some(PATIENCE));
    let candidates = candidates(&slot, context).unwrap_or_default();
    for (value, description) in candidates {
        // It will stand in a command line: nothing that a shell would act on may come from outside.
        if value.starts_with(&slot.typed) && is_plain(&value) {
            let description = visible(&description).replace(['\t', '\n'], " ");
            context.print(&format!("{}{value}\t{description}", slot.before))?;
        }
    }
    Ok(Exit::Done.number())
}

fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=@+/".contains(c);
    !value.is_empty() && !value.starts_with('-') && value.chars().all(plain)
}

fn candidates(slot: &Slot, context: &mut Context<'_>) -> Result<Vec<Candidate>> {
    let owned = |(value, description): (&str, &str)| (value.to_owned(), description.to_owned());
    Ok(match slot.wanted {
        Wanted::Scenario => scenarios()
            .map(|scenario| owned((scenario.name, &scenario.about)))
            .collect(),
        Wanted::Topic => topics(),
        Wanted::Word => slot.words.clone(),
        Wanted::Path => Vec::new(),
        Wanted::Accept => outcomes(&slot.typed),
        Wanted::OnApproval => ON_APPROVAL.into_iter().map(owned).collect(),
        Wanted::Report => [
            ("junit=", "a case per criterion, to a file"),
            ("markdown=", "appended to a file"),
            ("github", "annotations and step outputs"),
        ]
        .into_iter()
        .map(owned)
        .collect(),
        Wanted::EventType => EventKind::KNOWN
            .iter()
            .map(|kind| owned((kind.as_str(), "")))
            .collect(),
        Wanted::Session => live(slot, context)?
            .into_iter()
            .filter(|session| !slot.positionals.contains(&session.id))
            .map(|session| {
                let description = format!("{} {}", session.state, session.workspace);
                (session.id, description)
            })
            .collect(),
        Wanted::Model => {
            let models: BTreeSet<String> = live(slot, context)?
                .into_iter()
                .map(|session| session.model)
                .collect();
            models
                .into_iter()
                .map(|model| (model, String::new()))
                .collect()
        }
        Wanted::Approval => open_question(slot, context)?,
    })
}

fn topics() -> Vec<Candidate> {
    let root = cli::command();
    let commands = root.get_subcommands().map(|command| {
        let about = command.get_about().map(ToString::to_string);
        (command.get_name().to_owned(), about.unwrap_or_default())
    });
    let tables = super::help::TOPICS
        .into_iter()
        .map(|topic| (topic.to_owned(), "a table".to_owned()));
    commands.chain(tables).collect()
}

/// Outcomes that are not in the list yet, behind those that are.
fn outcomes(typed: &str) -> Vec<Candidate> {
    let before = typed.rfind(',').map_or("", |comma| &typed[..=comma]);
    let taken: Vec<&str> = before.split(',').collect();
    Accept::possible()
        .filter(|exit| !taken.contains(&exit.name()))
        .map(|exit| {
            (
                format!("{before}{}", exit.name()),
                exit.sentence().to_owned(),
            )
        })
        .collect()
}

fn live(slot: &Slot, context: &mut Context<'_>) -> Result<Vec<Session>> {
    let find = finder(slot, context);
    context.wait("the sessions", move || {
        let sessions = find()?.list()?;
        Ok(sessions.into_iter().map(|session| session.value).collect())
    })
}

fn open_question(slot: &Slot, context: &mut Context<'_>) -> Result<Vec<Candidate>> {
    let find = finder(slot, context);
    let typed = slot.positionals.first().cloned().unwrap_or_default();
    let limits = Limits {
        lag: Duration::ZERO,
        ..context.limits
    };
    let question = context.wait("the question", move || {
        let client = find()?;
        let session = super::session::resolve(&client, &typed)?.value;
        follow::open_question(&client, &session.id, &limits)
    })?;
    let described = question.map(|question| {
        let input = super::approvals::input(&question);
        let subject = approval_subject(&question.request, input.as_deref()).unwrap_or_default();
        let tool = &question.request.tool;
        (question.handle(), format!("{tool} {subject}"))
    });
    Ok(described.into_iter().collect())
}

/// What finds the daemon, without a word about the paths that are passed over.
fn finder(slot: &Slot, context: &Context<'_>) -> impl FnOnce() -> Result<Client> + Send + use<> {
    let variables = Variables::of(context);
    let (uid, explicit) = (context.surroundings.uid, slot.socket.clone());
    move || {
        let get = |name: &str| variables.get(name);
        let environment = Environment { get: &get, uid };
        let found = socket::find(explicit.as_deref().map(Path::new), &environment, CONNECT)?;
        let timeouts = Timeouts {
            connect: CONNECT,
            head: PATIENCE,
            silence: PATIENCE,
        };
        Ok(Client::new(&found.path, uid, timeouts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_shell_acts_on_is_offered() {
        for value in [
            "$(x)", "a b", "`x`", "a;b", "a'b", "a\"b", "~x", "!x", "-x", "", "a\nb", "é",
        ] {
            assert!(!is_plain(value), "{value:?}");
        }
        for value in ["1a2b", "t1-0@9", "vendor/model-4.5:free", "done,unverified"] {
            assert!(is_plain(value), "{value}");
        }
    }

    #[test]
    fn a_list_of_outcomes_goes_on_behind_its_comma() {
        let names: Vec<String> = outcomes("unverified,")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert!(
            names.contains(&"unverified,incomplete".to_owned()),
            "{names:?}"
        );
        assert!(
            !names.contains(&"unverified,unverified".to_owned()),
            "{names:?}"
        );
    }
}
