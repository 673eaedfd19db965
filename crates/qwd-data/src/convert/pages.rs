//! Pages and the links between them, as the data sets of linked pages bring them.

use super::{Count, Options, count};
use crate::corpus::Document;
use crate::id_map::IdMap;
use crate::input::Input;
use crate::json;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::links::is_calendar_year;
use crate::reading::Reading;
use qwd_core::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A page as it is written: like a document, but for the name of its id.
#[derive(Deserialize)]
struct Page {
    id: String,
    #[serde(default)]
    title: String,
    text: String,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// Reads pages, one JSON object on each line, in the order of the file.
pub(super) fn read_pages(input: Input, reading: &mut Reading) -> Result<(Vec<Document>, IdMap)> {
    let (mut pages, mut ids) = (Vec::new(), IdMap::new());
    reading.each_line(input, |line| {
        let Page { id, title, text, extra } = json::parse(line)?;
        if !ids.insert(&id)?.1 {
            return Err(line.error(1, format!("page {} appears twice", quote(&id)), CORRECT_OR_SKIP));
        }
        pages.push(Document { id, title, text, extra, ..Document::default() });
        Ok(())
    })?;
    Ok((pages, ids))
}

/// Hands every line that is no comment to `record`, cut at its tabs.
pub(super) fn each_row<const N: usize>(
    input: Input,
    layout: &str,
    reading: &mut Reading,
    mut record: impl FnMut([Field<'_>; N], &Line<'_>) -> Result<()>,
) -> Result<()> {
    reading.each_line(input, |line| {
        if line.text.starts_with('#') {
            return Ok(());
        }
        let mut fields = [Field { text: "", column: 1 }; N];
        for (field, column) in fields.iter_mut().zip(line.columns::<N>(N, layout)?) {
            *field = column.ok_or_else(|| Error::internal("all columns were promised"))?;
        }
        record(fields, line)
    })
}

/// The links between pages that are worth keeping, and how many were not.
#[derive(Default)]
pub(super) struct PageLinks {
    links: BTreeSet<(u32, u32)>,
    n_unknown: usize,
    n_to_itself: usize,
    n_years: usize,
}

impl PageLinks {
    /// Takes in a link; one that is repeated counts once.
    pub(super) fn add(&mut self, from: &str, to: &str, ids: &IdMap, options: Options) {
        match (ids.get(from), ids.get(to)) {
            (Some(a), Some(b)) if a == b => self.n_to_itself += 1,
            (Some(_), Some(_)) if is_calendar_year(to) && !options.keep_year_links => self.n_years += 1,
            (Some(a), Some(b)) => {
                self.links.insert((a, b));
            }
            _ => self.n_unknown += 1,
        }
    }

    /// Returns the links by the names of their pages, in the order of the pages.
    pub(super) fn names<'a>(&'a self, ids: &'a IdMap) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.links.iter().map(|&(from, to)| (ids.name(from), ids.name(to)))
    }

    /// What there is to tell about them.
    pub(super) fn counts(&self) -> [Count; 4] {
        [
            count("links", self.links.len()),
            count("links of a page to itself, left out", self.n_to_itself),
            count("links to calendar years, left out", self.n_years),
            count("links of unknown pages, left out", self.n_unknown),
        ]
    }
}
