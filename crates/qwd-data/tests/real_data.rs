//! Conversions of the real originals, where the environment variable `QWD_DATA` names the folder that holds them.

use qwd_data::convert::Original;
use qwd_data::{Opened, Reading, SampleParams, Sampler, Split, SplitRule, Task};
use std::path::PathBuf;

/// A converted data set, its counts and the temporary folder in which it lies.
struct Real {
    counts: Vec<(&'static str, u64)>,
    opened: Opened,
    _folder: tempfile::TempDir,
}

fn real(name: &str) -> Option<Real> {
    let original = Original::named(name).expect("a known data set");
    let from = std::env::var_os("QWD_DATA").map(|folder| PathBuf::from(folder).join(original.folder));
    let Some(from) = from.filter(|from| from.is_dir()) else {
        skip(name);
        return None;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let to = folder.path().join(name);
    let converted = original.convert(&from, &to, &mut Reading::default()).expect("converted");
    let opened = Opened::open(&to, &mut Reading::default()).expect("a data set");
    let counts = converted.counts.into_iter().map(|count| (count.what, count.n)).collect();
    Some(Real { counts, opened, _folder: folder })
}

#[expect(clippy::print_stderr, reason = "a test that did not run must not look like one that passed")]
fn skip(name: &str) {
    eprintln!("SKIPPED: no real {name}; set QWD_DATA to the folder that holds the data sets");
}

impl Real {
    fn task(&self, split: Split) -> Task {
        match &self.opened {
            Opened::Texts(dataset) => dataset.task(split, &SplitRule::default()).expect("a task"),
            Opened::Vectors(vectors) => vectors.task(split).expect("a task").1,
        }
    }

    fn sizes(&self) -> (usize, usize) {
        (self.task(Split::Train).queries.len(), self.task(Split::Test).queries.len())
    }
}

#[test]
fn twenty_newsgroups() {
    let Some(real) = real("20newsgroups") else { return };
    assert_eq!(real.counts, [("train documents", 11_314), ("test documents", 7_532), ("classes", 20)]);
    assert_eq!(real.sizes(), (11_314, 7_532));
    let sampler = Sampler::of_task(&real.task(Split::Train), &SampleParams::default()).expect("a sampler");
    assert_eq!(sampler.sample(100_000).expect("tuples").len(), 100_000);
}

#[test]
fn mnist() {
    let Some(real) = real("mnist") else { return };
    let expected = [("train images", 60_000), ("test images", 10_000), ("classes", 10), ("pixels", 784)];
    assert_eq!(real.counts, expected);
    assert_eq!(real.sizes(), (60_000, 10_000));
}

#[test]
fn reuters21578() {
    let Some(real) = real("reuters21578") else { return };
    let expected = [
        ("stories", 21_578),
        ("stories of the ModApte split", 12_902),
        ("train documents", 6_532),
        ("test documents", 2_568),
        ("classes", 52),
    ];
    assert_eq!(real.counts, expected);
    assert_eq!(real.sizes(), (6_532, 2_568));
}

#[test]
fn nfcorpus() {
    let Some(real) = real("nfcorpus") else { return };
    let expected = [
        ("documents", 3_395),
        ("queries", 3_244),
        ("train judgments", 110_075),
        ("train judgments of missing documents", 500),
        ("train queries left without documents", 27),
        ("dev judgments", 11_385),
        ("dev judgments of missing documents", 0),
        ("dev queries left without documents", 0),
        ("test judgments", 12_334),
        ("test judgments of missing documents", 0),
        ("test queries left without documents", 0),
    ];
    assert_eq!(real.counts, expected);
    assert_eq!(real.sizes(), (2_563, 323));
    let sampler = Sampler::of_task(&real.task(Split::Train), &SampleParams::default()).expect("a sampler");
    assert_eq!(sampler.n_skipped_queries(), 0);
}

#[test]
fn wikispeedia() {
    let Some(real) = real("wikispeedia") else { return };
    let expected = [
        ("documents", 4_604),
        ("links", 119_772),
        ("links of a page to itself, left out", 110),
        ("links to calendar years, left out", 0),
        ("links of unknown pages, left out", 0),
        ("paths", 24_875),
    ];
    assert_eq!(real.counts[..6], expected);
}

#[test]
fn mdn_docs() {
    let Some(real) = real("mdn_docs_ja") else { return };
    assert_eq!(real.counts[..2], [("documents", 14_593), ("links", 130_450)]);
    assert_eq!(real.counts[5..], [("queries", 10_204), ("mates", 10_174)]);
}

#[test]
fn insuranceqa() {
    let Some(real) = real("insuranceqa") else { return };
    let expected = [
        ("documents", 27_413),
        ("train questions", 12_889),
        ("train right answers", 21_325),
        ("dev questions", 2_000),
        ("dev right answers", 3_354),
        ("test questions", 2_000),
        ("test right answers", 3_308),
    ];
    assert_eq!(real.counts, expected);
}

#[test]
fn zzquerylog() {
    let Some(real) = real("zzquerylog") else { return };
    let [_, wikidata, queries, pairs, clicks] = real.counts.as_slice() else { panic!("five counts") };
    assert_eq!((wikidata.1, queries.1, clicks.1), (1_593, 500, 1_893_821));
    assert!((6_000..=6_856).contains(&pairs.1), "{pairs:?}");
    let (train, test) = real.sizes();
    assert!(train > 350 && test > 30, "{train} {test}");
}

#[test]
fn sogou_sample() {
    let Some(real) = real("sogou-sample") else { return };
    assert_eq!(real.counts[..3], [("documents", 35_908), ("queries", 3_389), ("sessions", 8_809)]);
    let Opened::Texts(dataset) = &real.opened else { panic!("texts") };
    let mut by_position = [0; 10];
    for session in &dataset.sessions[..7_018] {
        session.clicked_positions().iter().for_each(|&position| by_position[position as usize] += 1);
    }
    assert_eq!(by_position, [3087, 1239, 885, 706, 439, 343, 255, 230, 194, 150], "as its makers count them");
}
