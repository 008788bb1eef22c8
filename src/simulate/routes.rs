//! From a request target to an endpoint (protocol, sections 1 and 2).

use percent_encoding::percent_decode_str;

/// An endpoint, with the ids of its path decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Health,
    Version,
    Sessions,
    Session(String),
    Events(String),
    Turns(String),
    Interrupt(String),
    Steer(String),
    Undo(String),
    Name(String),
    Approval(String, String),
}

impl Route {
    /// Finds the endpoint of an escaped path. A trailing slash or an empty id is no endpoint.
    pub(super) fn find(path: &str) -> Option<Self> {
        let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        if segments.iter().any(|segment| segment.is_empty()) {
            return None;
        }
        let id = |raw: &str| percent_decode_str(raw).decode_utf8_lossy().into_owned();
        Some(match segments.as_slice() {
            ["health"] => Self::Health,
            ["version"] => Self::Version,
            ["v1", "sessions"] => Self::Sessions,
            ["v1", "sessions", session] => Self::Session(id(session)),
            ["v1", "sessions", session, "events"] => Self::Events(id(session)),
            ["v1", "sessions", session, "turns"] => Self::Turns(id(session)),
            ["v1", "sessions", session, "interrupt"] => Self::Interrupt(id(session)),
            ["v1", "sessions", session, "steer"] => Self::Steer(id(session)),
            ["v1", "sessions", session, "undo"] => Self::Undo(id(session)),
            ["v1", "sessions", session, "name"] => Self::Name(id(session)),
            ["v1", "sessions", session, "approvals", approval] => {
                Self::Approval(id(session), id(approval))
            }
            _ => return None,
        })
    }

    /// The methods the endpoint knows, as the `Allow` header lists them.
    pub(super) fn allow(&self) -> &'static str {
        match self {
            Self::Health | Self::Version | Self::Events(_) => "GET, HEAD",
            Self::Sessions => "GET, HEAD, POST",
            Self::Session(_) => "DELETE, GET, HEAD",
            _ => "POST",
        }
    }

    /// Whether the endpoint knows the method.
    pub(super) fn allows(&self, method: &str) -> bool {
        self.allow().split(", ").any(|known| known == method)
    }
}

/// The path without `.`, `..` and empty segments, if it has any; the daemon redirects there.
/// Escaped dots are ordinary characters.
pub(super) fn cleaned(path: &str) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (index, segment) in segments.iter().enumerate() {
        match *segment {
            "" if index + 1 < segments.len() => {}
            "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let clean = format!("/{}", kept.join("/"));
    (clean != path).then_some(clean)
}

/// The first value of a query parameter, decoded.
pub(super) fn query_value(query: &str, name: &str) -> Option<String> {
    let decode = |raw: &str| {
        percent_decode_str(&raw.replace('+', " "))
            .decode_utf8_lossy()
            .into_owned()
    };
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key) == name).then(|| decode(value))
    })
}

/// Whether every `%` is followed by two hexadecimal digits.
pub(super) fn escapes_are_valid(path: &str) -> bool {
    path.split('%').skip(1).all(|rest| {
        let digits = rest.as_bytes();
        digits.len() >= 2 && digits[..2].iter().all(u8::is_ascii_hexdigit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_decoded_and_looked_up_literally() {
        assert_eq!(
            Route::find("/v1/sessions/a%2Fb"),
            Some(Route::Session("a/b".into()))
        );
        assert_eq!(
            Route::find("/v1/sessions/x/approvals/t1%2F0"),
            Some(Route::Approval("x".into(), "t1/0".into()))
        );
        for path in [
            "/nope",
            "/v1/sessions/",
            "/v1/sessions/x/",
            "/v1/sessions/x/approvals/",
            "/v1/sessions/a/b",
            "/v2/sessions",
        ] {
            assert_eq!(Route::find(path), None, "{path}");
        }
    }

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(cleaned("/v1/sessions"), None);
        assert_eq!(cleaned("/v1/sessions/"), None);
        assert_eq!(cleaned("/v1/sessions/%2E%2E"), None);
        let table = [
            ("//v1/sessions", "/v1/sessions"),
            ("/v1/sessions//", "/v1/sessions/"),
            ("/v1/sessions/../sessions", "/v1/sessions"),
            ("/v1//sessions/x/turns", "/v1/sessions/x/turns"),
        ];
        for (path, clean) in table {
            assert_eq!(cleaned(path).as_deref(), Some(clean), "{path}");
        }
    }

    #[test]
    fn the_first_parameter_counts_and_plus_is_a_space() {
        assert_eq!(query_value("from=2&from=1", "from").as_deref(), Some("2"));
        assert_eq!(query_value("from=+1", "from").as_deref(), Some(" 1"));
        assert_eq!(query_value("x=1", "from"), None);
    }
}
