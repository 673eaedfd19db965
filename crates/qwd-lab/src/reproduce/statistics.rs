//! Tables of data sets: how many documents, classes and words.

use super::definition::Definition;
use super::{Row, Setting, open};
use qwd_core::Result;
use qwd_data::{Split, SplitRule, Truth};
use qwd_train::Prepared;

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let name = row.dataset.as_deref().unwrap_or(&row.method);
        // A table of data sets shows those that are there.
        if !setting.data.join(name).is_dir() {
            continue;
        }
        let data = open(name, setting)?;
        let prepared = Prepared::fit(&data, &definition.plan(row)?.text, SplitRule::default(), setting.threads)?;
        let (train, vectors) = prepared.task(Split::Train)?;
        let (test, _) = prepared.task(Split::Test)?;
        let n_words = f64::from(vectors.documents.n_cols());
        let mut metrics = std::collections::BTreeMap::from([
            ("training_samples".to_string(), train.documents.len() as f64),
            ("testing_samples".to_string(), test.documents.len() as f64),
            ("dictionary_size".to_string(), n_words),
            ("free_parameters".to_string(), n_words * n_words),
        ]);
        if let Truth::Classes { classes, .. } = &train.truth {
            metrics.insert("classes".into(), classes.len() as f64);
        }
        rows.push(Row {
            method: row.method.clone(),
            dataset: row.method.clone(),
            metrics,
            paper: row.paper.clone(),
            ..Row::default()
        });
    }
    Ok(rows)
}
