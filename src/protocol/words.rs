//! The closed word lists of the protocol, each with a place for words that are not known yet.

/// Defines an enum over wire words that keeps an unknown word instead of refusing it.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$item_doc])* $item,)+
            /// A word this version does not know, as received.
            Other(String),
        }

        impl $name {
            /// Every known word, in the order of the protocol's description.
            pub const KNOWN: &[Self] = &[$(Self::$item),+];

            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$item => $word,)+
                    Self::Other(word) => word,
                }
            }

            /// Whether the word is one of [`Self::KNOWN`].
            #[must_use]
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$item,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(word))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<str> as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from(word.as_ref()))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
pub(super) use words;

words! {
    /// Why a turn ended (protocol, section 5).
    StopReason {
        /// The model stopped asking for tools, and no criterion was found unmet or uncheckable.
        Done = "done",
        /// Files were written, nothing is unmet, but a criterion could not be run.
        Unverified = "unverified",
        /// A criterion stayed unmet.
        Incomplete = "incomplete",
        /// Somebody interrupted the turn.
        Interrupted = "interrupted",
        /// The iteration limit was reached.
        MaxIterations = "max_iterations",
        /// Three identical calls in a row.
        RepeatLoop = "repeat_loop",
        /// The output-token limit was passed after a tool round.
        MaxTokens = "max_tokens",
        /// The model could not be used.
        Error = "error",
    }
}

words! {
    /// The state of a session (protocol, section 3). An unknown state counts as not idle.
    SessionState {
        /// No turn runs.
        Idle = "idle",
        /// A turn runs.
        Running = "running",
        /// A turn waits for the answer to a question.
        Blocked = "blocked",
        /// In the vocabulary, but never seen: a closed session is a 404.
        Closed = "closed",
    }
}

words! {
    /// What a `progress` event counts (protocol, section 4).
    ProgressKind {
        /// Bytes of a call's arguments that have arrived.
        Arguments = "arguments",
        /// Calls that were started together, of the session's parallel limit.
        InFlight = "in_flight",
        /// Files that a search has looked at.
        Files = "files",
        /// Rounds of the turn, of its iteration limit.
        Rounds = "rounds",
    }
}

words! {
    /// The state of one item of a plan (protocol, section 3).
    PlanStatus {
        /// Not begun.
        Pending = "pending",
        /// In work.
        Active = "active",
        /// Finished.
        Done = "done",
        /// Cannot go on; `blocked` says why.
        Blocked = "blocked",
    }
}

words! {
    /// The seal on a completion (protocol, section 3). It is unreliable when criteria are both
    /// unmet and unavailable: decide on the lists.
    Seal {
        /// Every criterion is met.
        Passed = "passed",
        /// A criterion is unmet.
        Failed = "failed",
        /// Files were written since the check.
        Stale = "stale",
        /// A criterion could not be run.
        Unavailable = "unavailable",
        /// In the vocabulary, but never seen.
        Clean = "clean",
    }
}

words! {
    /// What a session may write to (protocol, section 3).
    SandboxMode {
        /// Nothing.
        ReadOnly = "read-only",
        /// The workspace.
        WorkspaceWrite = "workspace-write",
        /// Everything.
        FullAccess = "full-access",
    }
}

words! {
    /// An answer to an approval question (protocol, section 9).
    Decision {
        /// This call (for the network: the rest of the session).
        Allow = "allow",
        /// The same rule, or the same tool and command, for the rest of the session.
        AllowSession = "allow_session",
        /// As `allow`; a network grant is remembered for the workspace.
        AllowProject = "allow_project",
        /// As `allow`; a network grant is remembered everywhere.
        AllowAlways = "allow_always",
        /// No.
        Deny = "deny",
    }
}

/// How far a decision reaches beyond the call it was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembered {
    /// This call only.
    No,
    /// The rest of the session.
    Session,
    /// The workspace, also in later sessions.
    Project,
    /// Everywhere.
    Always,
}

impl Decision {
    /// Whether the call may run. A word from a newer daemon is not taken for a grant.
    #[must_use]
    pub fn grants(&self) -> bool {
        match self {
            Self::Allow | Self::AllowSession | Self::AllowProject | Self::AllowAlways => true,
            Self::Deny | Self::Other(_) => false,
        }
    }

    /// How far the daemon remembers the decision.
    #[must_use]
    pub fn remembered(&self) -> Remembered {
        match self {
            Self::AllowSession => Remembered::Session,
            Self::AllowProject => Remembered::Project,
            Self::AllowAlways => Remembered::Always,
            Self::Allow | Self::Deny | Self::Other(_) => Remembered::No,
        }
    }

    /// Whether the daemon accepts the word as an answer; it refuses any other with a 500.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.is_known()
    }
}

words! {
    /// The type of an event (protocol, section 4).
    EventKind {
        /// Always the first event of a session.
        SessionCreated = "session.created",
        /// The second event of a resumed session.
        SessionResumed = "session.resumed",
        /// Only among the carried events of a resumed session.
        SessionRenamed = "session.renamed",
        /// Older history was summarised.
        SessionCompacted = "session.compacted",
        /// An error report; it ends neither stream nor session.
        SessionError = "session.error",
        /// The context grew past 60, 80 or 92 per cent.
        ContextBand = "context.band",
        /// A turn's input was accepted.
        TurnStarted = "turn.started",
        /// A piece of the answer.
        MessageDelta = "message.delta",
        /// A piece of the model's thinking.
        MessageReasoning = "message.reasoning",
        /// The model asks for a tool.
        ToolRequested = "tool.requested",
        /// A call waits for an answer.
        ToolApprovalRequired = "tool.approval_required",
        /// The question is closed, by whomever.
        ToolApprovalResolved = "tool.approval_resolved",
        /// A tool ran.
        ToolCompleted = "tool.completed",
        /// The whole plan, anew.
        PlanUpdated = "plan.updated",
        /// A count.
        Progress = "progress",
        /// A correction reached the model.
        TurnSteered = "turn.steered",
        /// The end of a turn.
        TurnCompleted = "turn.completed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_survive_both_ways_and_unknown_ones_are_kept() {
        for reason in StopReason::KNOWN {
            assert_eq!(&StopReason::from(reason.as_str()), reason);
            assert!(reason.is_known());
        }
        let tomorrow: StopReason = serde_json::from_str(r#""out_of_cheese""#).unwrap();
        assert_eq!(tomorrow, StopReason::Other("out_of_cheese".into()));
        assert_eq!(
            serde_json::to_string(&tomorrow).unwrap(),
            r#""out_of_cheese""#
        );
        let escaped: EventKind = serde_json::from_str(r#""turn\u002estarted""#).unwrap();
        assert_eq!(escaped, EventKind::TurnStarted);
    }

    #[test]
    fn decisions_say_what_they_grant_and_how_long() {
        let table = [
            ("allow", true, Remembered::No, true),
            ("allow_session", true, Remembered::Session, true),
            ("allow_project", true, Remembered::Project, true),
            ("allow_always", true, Remembered::Always, true),
            ("deny", false, Remembered::No, true),
            ("maybe", false, Remembered::No, false),
        ];
        for (word, grants, remembered, valid) in table {
            let decision = Decision::from(word);
            assert_eq!(decision.grants(), grants, "{word}");
            assert_eq!(decision.remembered(), remembered, "{word}");
            assert_eq!(decision.is_valid(), valid, "{word}");
        }
    }
}
