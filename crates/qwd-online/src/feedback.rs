//! What users tell: clicks, lists with their clicks, and preferences.

use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most documents of one list.
const MAX_SHOWN: usize = 1000;
/// The longest query, in bytes.
const MAX_QUERY_BYTES: usize = 4096;
/// The longest id of a document, a search or a user, in bytes.
const MAX_ID_BYTES: usize = 512;

/// One thing that a user told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The query as it was asked.
    pub query: String,
    /// What was told about it.
    #[serde(flatten)]
    pub told: Told,
    /// Who told it: what erasure goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When, in seconds since 1970: what retention goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// The kinds of feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// A click on one document of a list.
    Click(Click),
    /// A list and all its clicks.
    Session(Session),
    /// One document suits the query better than another.
    Preference(Preferred),
}

/// A click on one document of a list; clicks of the same search belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Click {
    /// The document.
    pub document: String,
    /// The documents that were shown, from the first position down.
    pub shown: Vec<String>,
    /// Which search showed them, if it had a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

/// A list and all its clicks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The documents, from the first position down.
    pub shown: Vec<String>,
    /// The clicked ones among them, in the order of the clicks.
    pub clicked: Vec<String>,
}

/// One document suits the query better than another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preferred {
    /// The document that suits it better.
    pub better: String,
    /// The other one.
    pub worse: String,
}

impl Feedback {
    /// Refuses what no user can have told.
    pub fn check(&self) -> Result<()> {
        let refuse = |what: String| Err(Error::bad_data(what, "correct the feedback"));
        if self.query.trim().is_empty() || self.query.len() > MAX_QUERY_BYTES {
            return refuse(format!("the query is empty or longer than {MAX_QUERY_BYTES} bytes"));
        }
        if self.time.is_some_and(|time| !time.is_finite()) {
            return refuse("the time is not a finite number".into());
        }
        let (shown, clicked): (&[String], &[String]) = match &self.told {
            Told::Click(click) => (&click.shown, std::slice::from_ref(&click.document)),
            Told::Session(session) => (&session.shown, &session.clicked),
            Told::Preference(told) if told.better == told.worse => {
                return refuse(format!("document {:?} is preferred to itself", told.better));
            }
            Told::Preference(_) => (&[], &[]),
        };
        if shown.len() > MAX_SHOWN || clicked.len() > MAX_SHOWN {
            return refuse(format!("a list of more than {MAX_SHOWN} documents"));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = shown.iter().find(|id| !seen.insert(id.as_str())) {
            return refuse(format!("document {twice:?} is shown twice"));
        }
        if let Some(stray) = clicked.iter().find(|id| !seen.contains(id.as_str())) {
            return refuse(format!("document {stray:?} was clicked but not shown"));
        }
        let search = match &self.told {
            Told::Click(click) => click.search.as_deref(),
            _ => None,
        };
        let ids = self.documents().chain(search).chain(self.user.as_deref());
        match ids.into_iter().find(|id| id.is_empty() || id.len() > MAX_ID_BYTES) {
            Some(_) => refuse(format!("an id is empty or longer than {MAX_ID_BYTES} bytes")),
            None => Ok(()),
        }
    }

    /// The documents that it names.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        let (list, pair): (&[String], Option<[&str; 2]>) = match &self.told {
            Told::Click(click) => (&click.shown, None),
            Told::Session(session) => (&session.shown, None),
            Told::Preference(told) => (&[], Some([told.better.as_str(), told.worse.as_str()])),
        };
        list.iter().map(String::as_str).chain(pair.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_kinds_are_read_and_impossible_ones_refused() {
        let read = |text: &str| -> Result<Feedback> {
            let feedback: Feedback = serde_json::from_str(text).map_err(|e| Error::bad_data(e.to_string(), ""))?;
            feedback.check().map(|()| feedback)
        };
        read(r#"{"query":"q","click":{"document":"b","shown":["a","b"],"search":"s1"},"user":"u","time":1.5}"#)
            .expect("a click");
        read(r#"{"query":"q","session":{"shown":["a","b"],"clicked":["b"]}}"#).expect("a session");
        let told = read(r#"{"query":"q","preference":{"better":"a","worse":"b"}}"#).expect("a preference");
        assert_eq!(told.documents().collect::<Vec<_>>(), ["a", "b"]);
        for bad in [
            r#"{"query":"q"}"#,
            r#"{"query":" ","preference":{"better":"a","worse":"b"}}"#,
            r#"{"query":"q","preference":{"better":"a","worse":"a"}}"#,
            r#"{"query":"q","preference":{"better":"","worse":"a"}}"#,
            r#"{"query":"q","click":{"document":"c","shown":["a","b"]}}"#,
            r#"{"query":"q","session":{"shown":["a","a"],"clicked":["a"]}}"#,
            r#"{"query":"q","session":{"shown":["a"],"clicked":["a"],"extra":1}}"#,
            r#"{"query":"q","preference":{"better":"a","worse":"b"},"user":""}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
