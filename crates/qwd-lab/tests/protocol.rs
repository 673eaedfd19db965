//! Paper 2's protocol on real data, where the environment variable `QWD_DATA` names the folder that holds it.

use qwd_core::Threads;
use qwd_data::{Opened, Shares, Split, SplitRule};
use qwd_lab::collection;
use qwd_lab::protocol::{MatrixScorer, Protocol, ProtocolParams};
use qwd_model::Matrix;
use qwd_text::{VocabularyParams, WeightingParams};
use qwd_train::{Prepared, TextParams};
use std::path::PathBuf;

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must not look like one that passed")]
fn cosine_on_wikispeedia() {
    let Some(folder) = std::env::var_os("QWD_DATA").map(PathBuf::from).filter(|f| f.join("wikispeedia").is_dir())
    else {
        eprintln!("SKIPPED: no real wikispeedia; set QWD_DATA to the folder that holds the data sets");
        return;
    };
    let data = collection::open(&folder, "wikispeedia").expect("a data set");
    let Opened::Texts(dataset) = &data else { panic!("texts") };
    let weighting = WeightingParams::preset("tfidf").expect("known");
    let text = TextParams {
        vocabulary: VocabularyParams { n_words: 30_000, ..VocabularyParams::default() },
        document: weighting.clone(),
        query: weighting,
        ..TextParams::default()
    };
    let rule = SplitRule { shares: Shares::SEVENTY_THIRTY, ..SplitRule::default() };
    let threads = Threads::new(2).expect("a pool");
    let prepared = Prepared::fit(&data, &text, rule, &threads).expect("vectors");
    let (task, vectors) = prepared.task(Split::Test).expect("a task");
    let protocol = Protocol::of_task(&task, dataset, &ProtocolParams::default()).expect("a protocol");
    let matrix = Matrix::identity(30_000).expect("few words");
    let scorer = MatrixScorer::try_new(&matrix, vectors).expect("they fit");
    let figures = protocol.measure(&scorer, &threads).expect("figures").figures();
    // A prototype that drew tuples by link, not by query, and other links for testing had 0.051, 0.167 and 0.138.
    for (name, expected) in [("rank_loss", 0.0443), ("map", 0.1772), ("p@10", 0.1490)] {
        assert!((figures[name] - expected).abs() < 0.0005, "{name}, not about {expected}: {figures:?}");
    }
}
