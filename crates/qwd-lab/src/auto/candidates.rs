//! The plans that are tried, by the kind of the data.

use crate::defaults::{default_plan, default_plan_for};
use crate::settings::{Setting, apply};
use qwd_core::Result;
use qwd_data::sample::labels::Singletons;
use qwd_data::{Opened, Signal};
use qwd_train::Plan;
use serde_json::{Value, json};

/// A plan to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What tells it from the others.
    pub name: &'static str,
    /// The plan.
    pub plan: Plan,
}

/// The plans to try for a data set; one alone where there is nothing to choose.
pub fn candidates(data: &Opened, seed: u64) -> Result<Vec<Candidate>> {
    let mut all = unseeded(data)?;
    for Candidate { plan, .. } in &mut all {
        plan.seed = seed;
        // What is held out to decide may leave a document alone in its class.
        plan.sample.singletons = Singletons::Skip;
    }
    Ok(all)
}

fn unseeded(data: &Opened) -> Result<Vec<Candidate>> {
    let Opened::Texts(dataset) = data else {
        return made(data, &[("as it starts", "identity", json!({})), ("sparse", "sparse-sgd", json!({}))]);
    };
    let signals = dataset.signals();
    if default_plan(data)?.sample.order == qwd_data::sample::given::Order::AsGiven {
        return made(data, &[("sparse", "sparse-sgd", json!({}))]);
    }
    if signals.contains(&Signal::Mates) {
        return made(data, &[("common directions", "cl-lsi", json!({})), ("low rank", "low-rank", json!({}))]);
    }
    if !dataset.queries_are_documents() {
        return made(data, &for_judged_queries());
    }
    if signals.contains(&Signal::Labels) { made(data, &for_labels()) } else { made(data, &for_links()) }
}

/// A name, a method, and settings besides its defaults.
type Sketch = (&'static str, &'static str, Value);

fn for_judged_queries() -> Vec<Sketch> {
    let bm25 = json!({ "tf": "bm25", "idf": "bm25", "norm": "none", "k1": 0.8, "b": 0.5 });
    let plain = json!({ "tf": "raw", "idf": "none", "norm": "none" });
    let pairs = json!({
        "text.analyzer.stemmer": "en", "text.analyzer.ngrams": 2, "text.vocabulary.n_words": 100_000,
        "text.document": bm25, "text.query": plain,
    });
    let mut against_its_best = pairs.clone();
    extend(
        &mut against_its_best,
        json!({
            "tuples": 180_000, "hard": 50, "sample.unjudged": "never",
            "schedule": "fixed", "learning_rate": 2e-5, "l1": 1e-3, "margin": 5.0,
        }),
    );
    vec![
        ("cosine", "identity", json!({})),
        (
            "bm25",
            "identity",
            json!({
                "text.document": { "tf": "bm25", "idf": "bm25", "norm": "none" }, "text.query": plain,
            }),
        ),
        ("bm25 of stems and pairs", "identity", pairs),
        ("sparse over words", "sparse-sgd", json!({})),
        (
            "sparse over stems",
            "sparse-sgd",
            json!({
                "text.analyzer.stemmer": "en", "text.vocabulary.n_words": 20_000, "tuples": 1_800_000,
                "text.query": { "tf": "log", "idf": "plain", "norm": "l2" },
                "learning_rate": 2.0, "l1": 1e-7, "margin": 0.15,
            }),
        ),
        ("sparse over bm25's best", "sparse-sgd", against_its_best),
        ("low rank", "low-rank", json!({})),
    ]
}

fn for_links() -> Vec<Sketch> {
    let raw = json!({ "tf": "raw", "idf": "plain", "norm": "l2" });
    let counts = json!({ "text.document": raw, "text.query": raw, "text.vocabulary.n_words": 30_000 });
    let mut wide = counts.clone();
    extend(&mut wide, json!({ "rank": 200, "learning_rate": 0.01, "margin": 0.05, "tuples": 720_000 }));
    vec![
        ("cosine", "identity", counts.clone()),
        ("cosine of damped counts", "identity", json!({})),
        ("low rank of counts", "low-rank", counts),
        ("low rank of damped counts", "low-rank", json!({ "text.vocabulary.n_words": 30_000 })),
        ("wide low rank of counts", "low-rank", wide),
        ("sparse", "sparse-sgd", json!({})),
    ]
}

fn for_labels() -> Vec<Sketch> {
    let symmetric = json!({
        "symmetric": true, "l1": 1e-6, "refit.passes": 4, "refit.params.symmetric": true, "refit.params.prune_to": 0.0999,
        "text.analyzer.tokenizer": "letters", "text.analyzer.stop_words": "en", "text.analyzer.min_token_length": 2,
    });
    vec![
        ("cosine", "identity", json!({})),
        ("diagonal", "diagonal", json!({})),
        ("sparse", "sparse-sgd", json!({})),
        ("symmetric sparse", "sparse-sgd", symmetric),
    ]
}

fn extend(settings: &mut Value, more: Value) {
    if let (Value::Object(settings), Value::Object(more)) = (settings, more) {
        settings.extend(more);
    }
}

fn made(data: &Opened, sketches: &[Sketch]) -> Result<Vec<Candidate>> {
    let make = |(name, method, settings): &Sketch| {
        let settings: Vec<Setting> = settings
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| Setting { key: key.clone(), value: value.clone() })
            .collect();
        let plan = apply(&default_plan_for(data, method)?, &settings)?;
        Ok(Candidate { name, plan: Plan { tuples: plan.tuples.min(most_tuples(data)), ..plan } })
    };
    sketches.iter().map(make).collect()
}

/// As many tuples as say something new: each judgment is drawn some sixteen times.
fn most_tuples(data: &Opened) -> u64 {
    match data {
        Opened::Texts(dataset) if !dataset.queries_are_documents() => {
            let n_judged: usize = dataset.judgments.values().map(Vec::len).sum();
            (16 * n_judged.max(dataset.undivided_judgments.len()) as u64).max(50_000)
        }
        _ => u64::MAX,
    }
}
