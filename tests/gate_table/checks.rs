//! A row of the table against what is expected of it.

use serde_json::{Value, json};

use super::rule::{Expected, Told, strings};

/// Compares the summary with what is expected.
pub(super) fn check_summary(
    row: &str,
    summary: &Value,
    reason: Option<&str>,
    completion: &Value,
    right: &Expected,
) {
    assert_eq!(summary["schema_version"], 1, "{row}");
    assert_eq!(summary["reason"], json!(reason), "{row}: {summary}");
    assert_eq!(summary["exit_code"], right.code, "{row}: {summary}");
    assert_eq!(summary["accepted"], right.accepted, "{row}: {summary}");
    let gates: Vec<(&str, bool)> = summary["gates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| {
            (
                gate["name"].as_str().unwrap(),
                gate["passed"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(gates, right.gates, "{row}: {summary}");
    assert_eq!(
        summary["completion"].is_null(),
        completion.is_null(),
        "{row}: {summary}"
    );
    if !completion.is_null() {
        for list in ["met", "unmet", "unavailable", "touched_protected"] {
            assert_eq!(
                strings(&summary["completion"][list]),
                strings(&completion[list]),
                "{row}: {summary}"
            );
        }
    }
    assert_eq!(
        summary["message"].is_null(),
        right.told == Told::Nothing,
        "{row}: {summary}"
    );
    assert_eq!(summary["capped_by_client"], false, "{row}");
}

/// Compares stderr under `--json` with what is expected.
pub(super) fn check_objects(row: &str, stderr: &[Value], right: &Expected) {
    let line = match &right.told {
        Told::Nothing => return assert!(stderr.is_empty(), "{row}: {stderr:?}"),
        Told::Calmly(name) => {
            assert_eq!(stderr[0]["notice"]["code"], *name, "{row}: {stderr:?}");
            &stderr[0]["notice"]
        }
        Told::Loudly(name) => {
            assert_eq!(stderr[0]["error"]["code"], *name, "{row}: {stderr:?}");
            assert_eq!(
                stderr[0]["error"]["exit_code"], right.code,
                "{row}: {stderr:?}"
            );
            &stderr[0]["error"]
        }
    };
    assert_eq!(stderr.len(), 1, "{row}: {stderr:?}");
    let message = line["message"].as_str().unwrap();
    for name in &right.naming {
        assert!(
            message.contains(name),
            "{row}: {name} is not in {message:?}"
        );
    }
}

/// Compares stderr as people see it with what is expected.
pub(super) fn check_lines(row: &str, stderr: &str, right: &Expected) {
    let (start, code) = match &right.told {
        Told::Nothing => return assert_eq!(stderr, "", "{row}"),
        Told::Calmly(_) => ("dcodectl: note: ", right.code),
        Told::Loudly(_) => ("dcodectl: error: ", right.code),
    };
    let line = stderr.lines().next().unwrap_or_default();
    assert!(line.starts_with(start), "{row}: {stderr:?}");
    assert!(
        code == 0 || line.contains(&format!("(exit code {code})")),
        "{row}: {stderr:?}"
    );
    assert_eq!(stderr.matches("dcodectl: ").count(), 1, "{row}: {stderr:?}");
    for name in &right.naming {
        assert!(line.contains(name), "{row}: {name} is not in {line:?}");
    }
}
