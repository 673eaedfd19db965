//! Tables of correlated feature hashing: the frequent words that a word or run of words goes together with best.

use super::definition::Definition;
use super::{Row, Setting, open};
use qwd_core::{Error, Result};
use qwd_data::{Split, SplitRule};
use qwd_train::{Prepared, Units};

pub(super) fn run(definition: &Definition, setting: Setting<'_>) -> Result<Vec<Row>> {
    let data = open(&definition.dataset, setting)?;
    let plan = definition.shared_plan()?;
    let hashing = plan.hashing.ok_or_else(|| Error::internal("the experiment's plan has no hashing"))?.build()?;
    let prepared = Prepared::fit(&data, &plan.text, SplitRule::default(), setting.threads)?;
    let (task, vectors) = prepared.task(Split::Train)?;
    let (_, Some(vectorizer)) = prepared.vectorizers() else { return Err(Error::internal("texts without words")) };
    let vocabulary = vectorizer.vocabulary();
    let units = Units::of_rows(&vectors.documents, task.documents);
    let partners = hashing.partners(&units, vocabulary.len(), |term| !vocabulary.is_ngram(term), setting.threads)?;
    let mut rows = Vec::new();
    for row in definition.chosen(setting.only) {
        let Some(term) = vocabulary.get(&row.method) else {
            let what = format!("{} does not know {:?}", definition.dataset, row.method);
            return Err(Error::bad_data(what, "choose words of the corpus"));
        };
        let bins = partners.of_word[term as usize].iter();
        rows.push(Row {
            method: row.method.clone(),
            dataset: definition.label.clone(),
            words: bins.map(|bin| vocabulary.word(partners.bin_words[bin.item as usize]).to_string()).collect(),
            paper_words: row.paper_words.clone(),
            ..Row::default()
        });
    }
    Ok(rows)
}
