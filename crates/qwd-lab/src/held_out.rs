//! A dev split for data that bring none, so that parameters can be chosen on what training has not seen.

use qwd_core::{Csr, Error, Result};
use qwd_data::vectors::VectorSplit;
use qwd_data::{Dataset, Opened, Split, SplitRule, VectorDataset};

/// The data with a part of the training split set aside where no dev split is there, and the split that it went to.
///
/// The part is that on which early stopping validates too. Vectors have no dev split: theirs takes the place of test.
pub fn with_validation(data: Opened, rule: &SplitRule) -> Result<(Opened, Split)> {
    match data {
        Opened::Texts(dataset) => Ok((Opened::Texts(Box::new(of_texts(*dataset, rule)?)), Split::Dev)),
        Opened::Vectors(dataset) => Ok((Opened::Vectors(Box::new(of_vectors(*dataset, rule)?)), Split::Test)),
    }
}

fn of_texts(mut dataset: Dataset, rule: &SplitRule) -> Result<Dataset> {
    for signal in dataset.signals() {
        if dataset.task_of(signal, Split::Dev, rule)?.is_some() {
            return Ok(dataset);
        }
    }
    for document in dataset.documents.iter_mut().filter(|d| d.split == Some(Split::Train)) {
        if rule.holds_out(&document.id) {
            document.split = Some(Split::Dev);
        }
    }
    let ids = if dataset.queries_are_documents() { &dataset.document_ids } else { &dataset.query_ids };
    if let Some(judgments) = dataset.judgments.remove(&Split::Train) {
        let (held, kept) = judgments.into_iter().partition(|j| rule.holds_out(ids.name(j.query)));
        dataset.judgments.insert(Split::Dev, held);
        dataset.judgments.insert(Split::Train, kept);
    }
    dataset.task(Split::Dev, rule).map_err(|_| too_small(&dataset.manifest.name))?;
    Ok(dataset)
}

fn of_vectors(dataset: VectorDataset, rule: &SplitRule) -> Result<VectorDataset> {
    let is_held = |row: usize| rule.holds_out(&row.to_string());
    let part = |held: bool| -> Result<VectorSplit> {
        let mut rows = Csr::empty(dataset.train.rows.n_cols());
        let mut class_of = Vec::new();
        for row in (0..dataset.train.rows.n_rows()).filter(|&row| is_held(row) == held) {
            rows.push(dataset.train.rows.row(row))?;
            class_of.push(dataset.train.class_of[row]);
        }
        if class_of.is_empty() {
            return Err(too_small(&dataset.manifest.name));
        }
        Ok(VectorSplit { rows, class_of })
    };
    let (train, test) = (part(false)?, part(true)?);
    Ok(VectorDataset { train, test, ..dataset })
}

fn too_small(name: &str) -> Error {
    Error::bad_data(format!("the train split of {name} is too small to hold a part out"), "add data or a dev split")
}
