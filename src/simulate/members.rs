//! The members of an object of a scenario file, taken one by one.
//!
//! By hand: what serde derives for the lines of scenarios is several times their own size.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What is left of an object.
pub(super) struct Members<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Members<'a> {
    /// Reads an object.
    pub(super) fn read(text: &'a str) -> Result<Self, String> {
        let members = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self(members))
    }

    /// Takes the JSON text of a member.
    pub(super) fn raw(&mut self, name: &str) -> Option<&'a RawValue> {
        self.0.remove(name)
    }

    /// Takes a member that may be missing.
    pub(super) fn take<T: Deserialize<'a>>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(raw) = self.raw(name) else {
            return Ok(None);
        };
        let value = serde_json::from_str(raw.get());
        value.map_err(|error| format!("{name}: {error}"))
    }

    /// Takes a member that must be there.
    pub(super) fn demand<T: Deserialize<'a>>(&mut self, name: &str) -> Result<T, String> {
        self.take(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    /// Says that nothing else is known.
    pub(super) fn end(self) -> Result<(), String> {
        match self.0.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("unknown member {name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_taken_once_and_what_is_left_is_told() {
        let mut members =
            Members::read(r#"{"count":3,"text":"a","none":null,"raw":{"b":[]},"more":1}"#).unwrap();
        assert_eq!(members.take::<u64>("count"), Ok(Some(3)));
        assert_eq!(members.take::<u64>("count"), Ok(None));
        assert!(members.demand::<u64>("count").is_err());
        assert!(members.take::<u64>("text").is_err());
        assert_eq!(members.take::<String>("none"), Ok(None));
        assert_eq!(members.raw("raw").unwrap().get(), r#"{"b":[]}"#);
        assert_eq!(members.end(), Err("unknown member more".to_owned()));
        assert!(Members::read("[]").is_err());
    }
}
