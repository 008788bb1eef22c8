//! The rule that the table is generated from: the contract's sections 3 and 4, in the test's words.

use serde_json::{Value, json};

/// The stop reasons with the code of each; `None` is an end that names none.
pub(super) const REASONS: [(Option<&str>, u8); 10] = [
    (Some("done"), 0),
    (Some("unverified"), 10),
    (Some("incomplete"), 11),
    (Some("max_iterations"), 12),
    (Some("repeat_loop"), 13),
    (Some("max_tokens"), 14),
    (Some("interrupted"), 15),
    (Some("error"), 16),
    (Some("from_tomorrow"), 19),
    (None, 19),
];

/// What can be accepted.
pub(super) const ACCEPTABLE: &str =
    "done,unverified,incomplete,max_iterations,repeat_loop,max_tokens,interrupted,error";

/// The completions: what they are called here, and the daemon's JSON.
pub(super) fn shapes() -> Vec<(&'static str, Value)> {
    let tests = ["tests/test_parser.py"];
    vec![
        ("absent", Value::Null),
        (
            "passed",
            json!({"verification": "passed", "met": ["build", "test"]}),
        ),
        ("passed, nothing named", json!({"verification": "passed"})),
        ("met, without a seal", json!({"met": ["test"]})),
        (
            "failed",
            json!({"verification": "failed", "met": ["build"], "unmet": ["test"]}),
        ),
        ("stale", json!({"verification": "stale", "met": ["test"]})),
        (
            "unavailable",
            json!({"verification": "unavailable", "met": ["build"], "unavailable": ["test"]}),
        ),
        ("clean", json!({"verification": "clean", "met": ["test"]})),
        (
            "both, sealed failed",
            json!({"verification": "failed", "unmet": ["test"], "unavailable": ["lint"]}),
        ),
        (
            "both, sealed unavailable",
            json!({"verification": "unavailable", "unmet": ["test"], "unavailable": ["lint"]}),
        ),
        (
            "both, sealed passed",
            json!({"verification": "passed", "met": ["a"], "unmet": ["test"], "unavailable": ["lint"]}),
        ),
        (
            "touched, met",
            json!({"verification": "passed", "met": ["test"], "touched_protected": tests}),
        ),
        (
            "touched, unmet",
            json!({"verification": "failed", "unmet": ["test"], "touched_protected": tests}),
        ),
        (
            "lists that are null",
            json!({"verification": "passed", "met": ["test"], "unmet": null, "unavailable": null, "touched_protected": null}),
        ),
    ]
}

/// The two options of the gate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gates {
    pub(super) require_verified: bool,
    pub(super) forbid_protected: bool,
}

/// How stderr says it: with which name, or not at all.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    Nothing,
    Calmly(String),
    Loudly(String),
}

/// What the contract says of a row.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) code: u8,
    pub(super) accepted: bool,
    /// The gates that were asked for, and whether each holds.
    pub(super) gates: Vec<(&'static str, bool)>,
    pub(super) told: Told,
    /// What the text has to name.
    pub(super) naming: Vec<String>,
}

pub(super) fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// The rule: the contract's sections 3 and 4.
pub(super) fn expected(
    (reason, own): (Option<&str>, u8),
    completion: &Value,
    accept: &str,
    gates: Gates,
) -> Expected {
    let list = |name: &str| strings(&completion[name]);
    let measured_now = matches!(reason, Some("done" | "unverified" | "incomplete"));
    let verified = measured_now
        && !list("met").is_empty()
        && list("unmet").is_empty()
        && list("unavailable").is_empty()
        && completion["verification"] == "passed";
    let clean = list("touched_protected").is_empty();
    let accepted = (10..=16).contains(&own) && accept.split(',').any(|name| reason == Some(name));
    let name = if own == 19 {
        "unknown_reason"
    } else {
        reason.unwrap()
    };
    let mut naming = Vec::new();
    let (code, told) = if own != 0 && !accepted {
        let told = if own == 10 || own == 11 {
            Told::Calmly
        } else {
            Told::Loudly
        };
        naming.extend(reason.map(str::to_owned));
        (own, told(name.to_owned()))
    } else if gates.require_verified && !verified {
        // The criteria that stand against it, by name, if the completion is this turn's.
        let against = [list("unmet"), list("unavailable")];
        let first = against.into_iter().find(|names| !names.is_empty());
        naming.extend(first.filter(|_| measured_now).unwrap_or_default());
        (17, Told::Loudly("not_verified".to_owned()))
    } else if gates.forbid_protected && !clean {
        naming.extend(list("touched_protected"));
        naming.push("session".to_owned());
        (18, Told::Loudly("protected_touched".to_owned()))
    } else if accepted {
        naming.push("accepted".to_owned());
        (0, Told::Calmly(name.to_owned()))
    } else {
        (0, Told::Nothing)
    };
    let asked = [
        ("require-verified", gates.require_verified, verified),
        ("forbid-protected", gates.forbid_protected, clean),
    ];
    let asked = asked.into_iter().filter(|(_, asked, _)| *asked);
    Expected {
        code,
        accepted,
        gates: asked.map(|(name, _, holds)| (name, holds)).collect(),
        told,
        naming,
    }
}

/// The lists of accepted outcomes that make a difference for a reason.
pub(super) fn accept_lists(reason: Option<&str>) -> Vec<String> {
    let others: Vec<&str> = ACCEPTABLE
        .split(',')
        .filter(|name| Some(*name) != reason)
        .collect();
    let own = ACCEPTABLE.split(',').find(|name| Some(*name) == reason);
    let lists = [Some(""), own, Some(ACCEPTABLE)].into_iter().flatten();
    lists.map(str::to_owned).chain([others.join(",")]).collect()
}

/// The four choices of gates.
pub(super) fn gate_choices() -> impl Iterator<Item = Gates> {
    (0..4).map(|bits| Gates {
        require_verified: bits & 1 != 0,
        forbid_protected: bits & 2 != 0,
    })
}

/// The options of a row.
pub(super) fn options(accept: &str, gates: Gates) -> Vec<String> {
    let mut options = Vec::new();
    if !accept.is_empty() {
        options.extend(["--accept".to_owned(), accept.to_owned()]);
    }
    options.extend(
        gates
            .require_verified
            .then(|| "--require-verified".to_owned()),
    );
    options.extend(
        gates
            .forbid_protected
            .then(|| "--forbid-protected".to_owned()),
    );
    options
}
