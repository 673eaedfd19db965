//! Session logs: what was shown for a query and what was clicked, `{"query", "shown": […], "clicked": […]}` on each line.
//!
//! `shown` is from the first position down. `clicked` is in the order of the clicks, as far as it is known; a document that
//! was clicked again may stand there again. `user` (any text) and `time` (seconds) may stand beside them: filters use them.

use crate::input::Input;
use crate::json;
use crate::lines::{CORRECT_OR_SKIP, Line, quote};
use crate::output::Output;
use crate::reading::Reading;
use qwd_core::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One list of results and what happened to it, by ids.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(expecting = "a session as a JSON object")]
pub struct SessionRecord {
    /// The query's id.
    pub query: String,
    /// The documents, from the first position down.
    pub shown: Vec<String>,
    /// The clicked ones among them, in the order of the clicks.
    pub clicked: Vec<String>,
    /// Who asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// One list of results and what happened to it, by rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// The row of the query.
    pub query: u32,
    /// The rows of the documents, from the first position down; no row twice.
    pub shown: Vec<u32>,
    /// The positions that were clicked, from 0, in the order of the clicks.
    pub clicked: Vec<u32>,
    /// The number of whoever asked.
    pub user: Option<u32>,
    /// When, in seconds.
    pub time: Option<f64>,
}

impl Session {
    /// The clicked positions from the top, each once.
    pub fn clicked_positions(&self) -> Vec<u32> {
        let mut positions = self.clicked.clone();
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

/// Hands every session to `record`.
pub fn each_session(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut(SessionRecord, &Line<'_>) -> Result<()>,
) -> Result<()> {
    reading.each_line(input, |line| {
        let session: SessionRecord = json::parse(line)?;
        check(&session).map_err(|what| line.error(1, what, CORRECT_OR_SKIP))?;
        record(session, line)
    })
}

/// Writes one session.
pub fn write(out: &mut Output, session: &SessionRecord) -> Result<()> {
    out.json_line(session)
}

fn check(session: &SessionRecord) -> Result<(), String> {
    if session.query.is_empty() {
        return Err("empty query id".into());
    }
    if session.shown.is_empty() {
        return Err("a session in which nothing was shown".into());
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = session.shown.iter().find(|id| id.is_empty() || !seen.insert(id.as_str())) {
        return Err(format!("document {} is shown twice or has no id", quote(twice)));
    }
    if let Some(stray) = session.clicked.iter().find(|id| !seen.contains(id.as_str())) {
        return Err(format!("document {} was clicked but not shown", quote(stray)));
    }
    match session.time {
        Some(time) if !time.is_finite() => Err("the time is not a finite number".into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<SessionRecord>> {
        let mut sessions = Vec::new();
        each_session(Input::from_bytes("sessions.jsonl", text)?, &mut Reading::default(), |session, _| {
            sessions.push(session);
            Ok(())
        })?;
        Ok(sessions)
    }

    #[test]
    fn a_session_has_what_was_shown_and_clicked() {
        let text = "{\"query\":\"q\",\"shown\":[\"a\",\"b\"],\"clicked\":[\"b\",\"b\"],\"user\":\"u\",\"time\":1.5}\n";
        let sessions = read(text).expect("a session");
        assert_eq!((sessions[0].clicked.len(), sessions[0].time), (2, Some(1.5)));
        let session = Session { shown: vec![4, 7, 9], clicked: vec![2, 0, 2], ..Session::default() };
        assert_eq!(session.clicked_positions(), [0, 2]);
    }

    #[test]
    fn impossible_sessions_name_their_line() {
        for (text, problem) in [
            (
                "{\"query\":\"q\",\"shown\":[\"a\"],\"clicked\":[\"b\"]}",
                "sessions.jsonl:1:1: document \"b\" was clicked",
            ),
            ("{\"query\":\"q\",\"shown\":[\"a\",\"a\"],\"clicked\":[]}", "shown twice"),
            ("{\"query\":\"q\",\"shown\":[],\"clicked\":[]}", "nothing was shown"),
            ("{\"query\":\"\",\"shown\":[\"a\"],\"clicked\":[]}", "empty query id"),
            ("{\"query\":\"q\",\"shown\":[\"a\"]}", "missing field `clicked`"),
        ] {
            let message = read(text).expect_err(text).to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
