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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;
    use qwd_data::{Classes, Manifest};

    #[test]
    fn a_dev_split_that_is_there_stays() {
        let data = demo::dataset().expect("sound");
        let (same, split) = with_validation(data.clone(), &SplitRule::default()).expect("a dev split");
        assert_eq!((same, split), (data, Split::Dev));
    }

    #[test]
    fn judgments_without_a_dev_split_are_divided_by_query() {
        let Opened::Texts(mut dataset) = demo::dataset().expect("sound") else { panic!("texts") };
        dataset.judgments.remove(&Split::Dev);
        let before = dataset.judgments[&Split::Train].len();
        let (data, _) = with_validation(Opened::Texts(dataset), &SplitRule::default()).expect("large enough");
        let Opened::Texts(dataset) = data else { panic!("texts") };
        let [train, dev] = [Split::Train, Split::Dev].map(|split| dataset.judgments[&split].clone());
        assert_eq!(train.len() + dev.len(), before);
        assert!(dev.len() > 50 && dev.iter().all(|d| train.iter().all(|t| t.query != d.query)));
    }

    #[test]
    fn vectors_are_divided_by_row() {
        let rows = || {
            let mut rows = Csr::empty(1);
            (0..100).for_each(|_| rows.push(qwd_core::SparseVec::default().view()).expect("fits"));
            VectorSplit { rows, class_of: vec![0; 100] }
        };
        let classes = Classes::of_numbers([1.0]).expect("a class");
        let manifest = Manifest::default();
        let data = VectorDataset { manifest, classes, train: rows(), test: rows(), files: Vec::new() };
        let (data, split) =
            with_validation(Opened::Vectors(Box::new(data)), &SplitRule::default()).expect("large enough");
        let Opened::Vectors(data) = data else { panic!("vectors") };
        let (n_train, n_held) = (data.train.rows.n_rows(), data.test.rows.n_rows());
        assert_eq!((n_train + n_held, split), (100, Split::Test));
        assert!((3..30).contains(&n_held), "{n_held}");
    }
}
