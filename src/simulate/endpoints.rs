//! The thirteen endpoints (protocol, section 2): which input gives which answer.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::protocol::{Decision, ErrorCode, NAME_LIMIT, PROTOCOL_VERSION, SandboxMode};

use super::answer::Answer;
use super::core::{Core, Wanted};
use super::json::{self, Fields, Malformed};
use super::player::Player;
use super::routes::{self, Route};
use super::session::{Refused, Session, Subscription};

/// What a request comes to.
pub(super) enum Reply {
    Answer(Answer),
    Stream(Subscription),
}

/// Reads the body, once somebody wants it.
pub(super) type ReadBody<'a> = dyn FnMut() -> std::io::Result<Vec<u8>> + 'a;

/// An error answer, or a connection that broke.
enum Failed {
    Answer(Answer),
    Connection(std::io::Error),
}

type Outcome = Result<Answer, Failed>;

impl From<Answer> for Failed {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl From<Malformed> for Failed {
    fn from(error: Malformed) -> Self {
        refuse(&ErrorCode::Internal, &malformed(&error)).into()
    }
}

impl From<Refused> for Failed {
    fn from((code, message): Refused) -> Self {
        refuse(&code, message).into()
    }
}

impl From<(ErrorCode, String)> for Failed {
    fn from((code, message): (ErrorCode, String)) -> Self {
        refuse(&code, &message).into()
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Connection(error)
    }
}

/// Answers a request to an endpoint with a method it knows.
pub(super) fn handle(
    core: &Arc<Core>,
    route: &Route,
    method: &str,
    query: &str,
    body: &mut ReadBody<'_>,
) -> std::io::Result<Reply> {
    if let Route::Events(id) = route {
        return Ok(match events(core, id, query) {
            Ok(subscription) => Reply::Stream(subscription),
            Err(answer) => Reply::Answer(answer),
        });
    }
    match answer(core, route, method, body) {
        Ok(answer) | Err(Failed::Answer(answer)) => Ok(Reply::Answer(answer)),
        Err(Failed::Connection(error)) => Err(error),
    }
}

fn answer(core: &Arc<Core>, route: &Route, method: &str, body: &mut ReadBody<'_>) -> Outcome {
    match route {
        Route::Health => Ok(Answer::json(200, "{\"status\":\"ok\"}")),
        Route::Version => {
            let version = json::quoted(&core.options.version);
            let text = format!("{{\"protocol\":\"{PROTOCOL_VERSION}\",\"version\":{version}}}");
            Ok(Answer::json(200, &text))
        }
        Route::Sessions if method == "POST" => create(core, &body()?),
        Route::Sessions => {
            let all: Vec<String> = core.sessions().iter().map(|one| one.json()).collect();
            Ok(Answer::json(200, &format!("[{}]", all.join(","))))
        }
        Route::Session(id) if method == "DELETE" => {
            if core.delete(id) {
                Ok(Answer::empty(204))
            } else {
                Err(no_session(id).into())
            }
        }
        Route::Session(id) => Ok(Answer::json(200, &find(core, id)?.json())),
        Route::Turns(id) => submit(core, &find(core, id)?, body),
        Route::Interrupt(id) => {
            find(core, id)?.interrupt();
            Ok(Answer::empty(204))
        }
        Route::Steer(id) => steer(&*find(core, id)?, &body()?),
        Route::Undo(id) => undo(&*find(core, id)?),
        Route::Name(id) => rename(core, id, &body()?),
        Route::Approval(id, approval) => decide(&*find(core, id)?, approval, &body()?),
        Route::Events(_) => Ok(Answer::not_found()),
    }
}

fn refuse(code: &ErrorCode, message: &str) -> Answer {
    Answer::error(code, message)
}

fn malformed(error: &Malformed) -> String {
    format!("malformed request: {}", error.0)
}

fn no_session(id: &str) -> Answer {
    refuse(&ErrorCode::SessionNotFound, &format!("no session {id}"))
}

fn find(core: &Core, id: &str) -> Result<Arc<Session>, Answer> {
    core.session(id).ok_or_else(|| no_session(id))
}

fn create(core: &Core, body: &[u8]) -> Outcome {
    let invalid = |message: &str| Failed::from(refuse(&ErrorCode::WorkspaceInvalid, message));
    let not_json = |error: Malformed| invalid(&malformed(&error));
    let fields = Fields::read(body, "CreateSessionRequest").map_err(not_json)?;
    let workspace = fields.string("workspace").map_err(not_json)?;
    let model = fields.string("model").map_err(not_json)?;
    let mode = fields.string("sandbox_mode").map_err(not_json)?;
    let resume = fields.string("resume").map_err(not_json)?;
    let workspace = checked_workspace(&workspace).map_err(|message| invalid(&message))?;
    if !(mode.is_empty() || SandboxMode::from(mode.as_str()).is_known()) {
        return Err(invalid(&format!(
            "policy: unknown sandbox mode {mode:?}; valid: read-only, workspace-write, full-access"
        )));
    }
    let context_window = context_window(&model)?;
    let or = |text: String, default: &str| {
        if text.is_empty() {
            default.to_owned()
        } else {
            text
        }
    };
    let session = core.create(&Wanted {
        workspace,
        model: or(model, "MiniMax-M3"),
        sandbox_mode: or(mode, SandboxMode::WorkspaceWrite.as_str()),
        context_window,
        resume: (!resume.is_empty()).then_some(resume),
    })?;
    Ok(Answer::json(201, &session.json()))
}

/// The workspace as the answer shows it: absolute, cleaned, a directory.
fn checked_workspace(workspace: &str) -> Result<String, String> {
    if !workspace.starts_with('/') {
        return Err(format!(
            "workspace must be an absolute path, got {workspace:?}"
        ));
    }
    let mut clean = PathBuf::from("/");
    for component in Path::new(workspace).components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(name) => clean.push(name),
            _ => {}
        }
    }
    let shown = clean.display();
    match std::fs::metadata(&clean) {
        Ok(metadata) if metadata.is_dir() => Ok(shown.to_string()),
        Ok(_) => Err(format!("the workspace {shown} is not a directory")),
        Err(error) => {
            let why = match error.kind() {
                std::io::ErrorKind::NotFound => "no such file or directory",
                std::io::ErrorKind::PermissionDenied => "permission denied",
                _ => "not a directory",
            };
            Err(format!(
                "the workspace {shown} cannot be opened: stat {shown}: {why}"
            ))
        }
    }
}

fn context_window(model: &str) -> Result<u64, Answer> {
    let lower = model.to_ascii_lowercase();
    if lower.is_empty() || lower.starts_with("minimax") {
        Ok(1_000_000)
    } else if lower.starts_with("claude") || lower.starts_with("generic") {
        Ok(200_000)
    } else {
        let message = format!(
            "provider: no family claims model {model:?}; available: claude, generic, minimax-m3"
        );
        Err(refuse(&ErrorCode::Internal, &message))
    }
}

fn events(core: &Core, id: &str, query: &str) -> Result<Subscription, Answer> {
    let session = find(core, id)?;
    let from = routes::query_value(query, "from").unwrap_or_default();
    let digits = from.bytes().all(|byte| byte.is_ascii_digit());
    let number = match from.as_str() {
        "" => Some(1),
        text => text.parse().ok().filter(|_| digits),
    };
    let Some(number) = number else {
        let message = format!("invalid from: {from:?}");
        return Err(refuse(&ErrorCode::Internal, &message));
    };
    session.subscribe(number).map_err(|first| {
        let message =
            format!("events before {number} are no longer held; the earliest available is {first}");
        refuse(&ErrorCode::EventsExpired, &message)
    })
}

fn submit(core: &Arc<Core>, session: &Arc<Session>, body: &mut ReadBody<'_>) -> Outcome {
    let fields = Fields::read(&body()?, "SubmitTurnRequest")?;
    let text = fields.string("text")?;
    check_images(&fields)?;
    let turn = session.begin_turn()?;
    let steps = core.options.source.turn(turn - 1);
    let player = Player::new(Arc::clone(core), Arc::clone(session), turn, text);
    core.spawn(move |_| player.play(&steps));
    Ok(Answer::empty(202))
}

fn check_images(fields: &Fields) -> Result<(), Failed> {
    let images = match fields.get("images") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(images)) => images,
        Some(other) => return Err(fields.wrong_type("images", other, "[]api.Image").into()),
    };
    for image in images {
        let data = match image.get("data") {
            None | Some(Value::Null) => "",
            Some(Value::String(data)) => data,
            Some(other) => return Err(fields.wrong_type("images.data", other, "string").into()),
        };
        json::check_base64(data).map_err(|at| {
            let message =
                format!("an image could not be decoded: illegal base64 data at input byte {at}");
            refuse(&ErrorCode::Internal, &message)
        })?;
    }
    Ok(())
}

fn steer(session: &Session, body: &[u8]) -> Outcome {
    let text = Fields::read(body, "SteerRequest")?.string("text")?;
    if text.trim().is_empty() {
        return Err(refuse(&ErrorCode::InvalidInput, "nothing to say").into());
    }
    session.steer(text)?;
    Ok(Answer::empty(202))
}

fn undo(session: &Session) -> Outcome {
    let (restored, refused) = session.undo()?;
    let list = |paths: &[String]| {
        if paths.is_empty() {
            return "null".to_owned();
        }
        let quoted: Vec<String> = paths.iter().map(|path| json::quoted(path)).collect();
        format!("[{}]", quoted.join(","))
    };
    let (restored, refused) = (list(&restored), list(&refused));
    let text = format!("{{\"restored\":{restored},\"refused\":{refused}}}");
    Ok(Answer::json(200, &text))
}

/// Parses the body first: here alone a malformed one outranks an unknown session.
fn rename(core: &Core, id: &str, body: &[u8]) -> Outcome {
    let name = Fields::read(body, "NameRequest")?.string("name")?;
    let name: String = name
        .chars()
        .filter(|&c| c >= ' ' && c != '\u{7f}')
        .collect();
    let name = name.trim();
    let invalid = |message: &str| Failed::from(refuse(&ErrorCode::InvalidInput, message));
    if !core.options.keep_records {
        return Err(invalid(
            "this daemon keeps no transcripts, so there is nothing to name",
        ));
    }
    if name.chars().count() > NAME_LIMIT {
        return Err(invalid("a name is at most 120 characters"));
    }
    let Some(record) = core.record(id) else {
        let message = "no recorded conversation with that id";
        return Err(refuse(&ErrorCode::SessionNotFound, message).into());
    };
    if record.is_oversized() {
        return Err(invalid("bufio.Scanner: token too long"));
    }
    record.rename(name);
    Ok(Answer::empty(204))
}

/// Checks the word before the id.
fn decide(session: &Session, approval: &str, body: &[u8]) -> Outcome {
    let word = Fields::read(body, "ApprovalRequest")?.string("decision")?;
    let decision = Decision::from(word.as_str());
    if !decision.is_valid() {
        let message = format!("unknown decision {word:?}");
        return Err(refuse(&ErrorCode::Internal, &message).into());
    }
    session.answer(approval, decision)?;
    Ok(Answer::empty(204))
}
