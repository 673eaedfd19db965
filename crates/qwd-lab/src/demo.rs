//! The data set inside the program: help-centre articles, and questions asked in other words than the articles use.
//!
//! 240 articles of an internet provider, 1,440 questions, judged and divided into train, dev and test. It needs no file
//! and no network, so it is what a newcomer sees first, what examples are made of, and what quick checks run on.

use crate::defaults::default_plan;
use crate::settings::apply;
use qwd_core::{Error, Result};
use qwd_data::qrels::{self, Layout};
use qwd_data::{Dataset, Input, Judgment, Manifest, Opened, Reading, Split, corpus};
use qwd_train::Plan;

const CORPUS: &str = include_str!("../demo/corpus.jsonl");
const QUERIES: &str = include_str!("../demo/queries.jsonl");
const QRELS: [(Split, &str); 3] = [
    (Split::Train, include_str!("../demo/qrels/train.tsv")),
    (Split::Dev, include_str!("../demo/qrels/dev.tsv")),
    (Split::Test, include_str!("../demo/qrels/test.tsv")),
];

/// Opens the data set.
pub fn dataset() -> Result<Opened> {
    let mut reading = Reading::default();
    let manifest = Manifest {
        name: "demo".to_string(),
        description: "Help-centre articles of an internet provider, with questions in other words".to_string(),
        ..Manifest::default()
    };
    let (documents, document_ids) = corpus::read_documents(embedded("corpus.jsonl", CORPUS)?, &mut reading)?;
    let (queries, query_ids) = corpus::read_queries(embedded("queries.jsonl", QUERIES)?, &mut reading)?;
    let mut dataset = Dataset { manifest, documents, document_ids, queries, query_ids, ..Dataset::default() };
    for (split, text) in QRELS {
        let judged = qrels::read(embedded(&format!("{split}.tsv"), text)?, Layout::Beir, &mut reading)?;
        let row = |ids: &qwd_data::IdMap, id: &str| {
            ids.get(id).ok_or_else(|| Error::internal(format!("the demo judges {id:?}, which does not exist")))
        };
        let judgments = judged.judgments.iter().map(|j| {
            let query = row(&dataset.query_ids, judged.queries.name(j.query))?;
            let document = row(&dataset.document_ids, judged.documents.name(j.document))?;
            Ok(Judgment { query, document, grade: j.grade })
        });
        let judgments = judgments.collect::<Result<Vec<_>>>()?;
        dataset.judgments.insert(split, judgments);
    }
    dataset.files = reading.files().to_vec();
    Ok(Opened::Texts(Box::new(dataset)))
}

/// The plan of the demonstration, chosen on the dev split: the usual one for judged questions, sparser and a little longer.
pub fn plan() -> Result<Plan> {
    let usual = default_plan(&dataset()?)?;
    let settings = ["l1=1e-5", "tuples=500000", "sample.unjudged=only"];
    apply(&usual, &settings.iter().map(|s| s.parse()).collect::<Result<Vec<_>>>()?)
}

fn embedded(name: &str, text: &'static str) -> Result<Input> {
    Input::from_reader(name, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_data::SplitRule;

    #[test]
    fn the_corpus_has_all_its_parts() {
        let Opened::Texts(dataset) = dataset().expect("sound") else { panic!("texts") };
        assert_eq!((dataset.documents.len(), dataset.queries.len()), (240, 1440));
        let n_queries = Split::ALL.map(|s| dataset.task(s, &SplitRule::default()).expect("judged").queries.len());
        assert!(n_queries.iter().all(|&n| n >= 200), "{n_queries:?}");
        assert_eq!(dataset.files.len(), 5);
    }
}
