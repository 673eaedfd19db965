//! Tables of words: the document words that a learned W connects most strongly with a query word.

use super::definition::Definition;
use super::{Row, Setting, open};
use qwd_core::Result;
use qwd_model::Side;

/// Words shown for each query word.
const SHOWN: usize = 5;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let Some(first) = definition.rows.first() else { return Ok(Vec::new()) };
    let model = definition.plan(first)?.run(&data, setting.threads, setting.observer)?.model;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let related = model.related(Side::Query, &row.method, SHOWN)?;
        let words: Vec<String> = related.iter().map(|r| r.word.clone()).collect();
        let shared = row.paper_words.iter().filter(|word| words.contains(word)).count();
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            metrics: [("shared_with_paper".to_string(), shared as f64)].into(),
            words,
            paper_words: row.paper_words.clone(),
            ..Row::default()
        });
    }
    Ok(rows)
}
