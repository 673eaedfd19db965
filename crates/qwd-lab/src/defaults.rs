//! What is done when nothing is said: a plan for each kind of data.
//!
//! | data | signal | plan |
//! |---|---|---|
//! | queries of their own | judgments | small steps and a small margin; early stopping by nDCG@10 |
//! | queries of their own | preferences | the same, in the given order and to the end, so that training can go on later |
//! | documents as queries | labels, links | paper 1: C = 200, λ = 1e-5, T = 100, then refitting |
//! | vectors | labels | paper 1 |
//! | two languages | mates | for methods that can, a vocabulary for each side and a start from 0 |
//!
//! Methods of paper 2 have their own numbers, chosen on part of the training links of Wikispeedia: `low-rank` compares each
//! better document with all worse ones of a mini-batch.
//!
//! A short query has each of its words for a reason, so its words weigh the same and W learns which of them matter. Every
//! fifth tuple compares two judged documents, where grades differ; in the others the worse one is unjudged. The numbers
//! were chosen on the dev splits of the built-in corpus and of NFCorpus (titles), with `qwd tune`:
//!
//! | test split | nDCG@10 | MAP |
//! |---|---|---|
//! | built-in corpus | cosine 0.430, learned 0.699 | cosine 0.390, learned 0.644 |
//! | NFCorpus | cosine 0.307, BM25 0.310, learned 0.332 | cosine 0.155, BM25 0.156, learned 0.185 |

use qwd_core::Result;
use qwd_data::sample::given::Order;
use qwd_data::sample::judgments::Unjudged;
use qwd_data::{Opened, SampleParams, Signal};
use qwd_text::{Idf, Norm, Tf, VocabularyParams, WeightingParams};
use qwd_train::plan::{RefitPlan, StartFrom, StopParams};
use qwd_train::{Method, Plan, TextParams};
use serde_json::json;

/// The method that is used when none is named.
pub const METHOD: &str = "sparse-sgd";

/// The plan for a data set when nothing is said.
pub fn default_plan(data: &Opened) -> Result<Plan> {
    default_plan_for(data, METHOD)
}

/// The plan for a data set when only a method is named.
pub fn default_plan_for(data: &Opened, method: &str) -> Result<Plan> {
    match data {
        Opened::Texts(dataset) if dataset.signals().contains(&Signal::Mates) => for_mates(method),
        Opened::Texts(dataset) if !dataset.queries_are_documents() => {
            let given = !dataset.signals().contains(&Signal::Judgments) || is_train_preferred(dataset);
            Ok(if given { for_preferences(method)? } else { for_judgments(method)? })
        }
        _ => for_labels(method),
    }
}

/// Whether the training split has preferences and no judgments.
fn is_train_preferred(dataset: &qwd_data::Dataset) -> bool {
    let judged = dataset.judgments.get(&qwd_data::Split::Train).is_some_and(|j| !j.is_empty());
    !judged && dataset.undivided_judgments.is_empty() && dataset.signals().contains(&Signal::Preferences)
}

fn for_judgments(method: &str) -> Result<Plan> {
    let stop = StopParams { metric: "ndcg@10".to_string(), ..StopParams::default() };
    let learns = method != "identity";
    Ok(Plan { stop: learns.then_some(stop), ..for_short_queries(method)? })
}

fn for_preferences(method: &str) -> Result<Plan> {
    let sample = SampleParams { order: Order::AsGiven, ..SampleParams::default() };
    Ok(Plan { sample, ..for_short_queries(method)? })
}

fn for_mates(method: &str) -> Result<Plan> {
    let plan = for_labels(method)?;
    if !matches!(method, "low-rank" | "cl-lsi" | "hash-kernels") {
        return Ok(plan);
    }
    let text = TextParams { one_vocabulary: false, ..plan.text };
    Ok(Plan { text, start: StartFrom::Zero, ..plan })
}

fn for_labels(method: &str) -> Result<Plan> {
    if matches!(method, "low-rank" | "lsi" | "cl-lsi") {
        let params = if method == "low-rank" { low_rank() } else { json!({}) };
        return Ok(Plan { train: Method::from_json(method, params)?, tuples: 240_000, ..Plan::default() });
    }
    let text = TextParams {
        vocabulary: VocabularyParams { n_words: 10_000, ..VocabularyParams::default() },
        ..TextParams::default()
    };
    let refit = (method == METHOD).then(RefitPlan::default);
    Ok(Plan { train: Method::from_json(method, json!({}))?, text, refit, ..Plan::default() })
}

fn low_rank() -> serde_json::Value {
    json!({ "negatives": "batch", "loss": "logistic", "batch": 256, "learning_rate": 0.004, "margin": 0.025 })
}

fn for_short_queries(method: &str) -> Result<Plan> {
    let params = match method {
        "sparse-sgd" => json!({ "learning_rate": 1.0, "margin": 0.2, "l1": 2e-6 }),
        "sgd" | "diagonal" => json!({ "learning_rate": 1.0, "margin": 0.2 }),
        "adagrad" => json!({ "learning_rate": 0.01, "margin": 0.2, "l1": 1e-6 }),
        "ftrl" => json!({ "learning_rate": 0.02, "margin": 0.2, "l1": 0.1 }),
        "group-lasso" => json!({ "learning_rate": 1.0, "margin": 0.2, "group_l1": 1e-6 }),
        "low-rank" => low_rank(),
        _ => json!({}),
    };
    let query = WeightingParams { tf: Tf::Binary, idf: Idf::None, norm: Norm::L2, ..WeightingParams::default() };
    Ok(Plan {
        train: Method::from_json(method, params)?,
        tuples: 300_000,
        text: TextParams {
            query: if method == "identity" { WeightingParams::default() } else { query },
            ..TextParams::default()
        },
        sample: SampleParams { unjudged: Unjudged::Mixed(0.8), ..SampleParams::default() },
        ..Plan::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;
    use qwd_train::METHODS;

    #[test]
    fn every_method_has_a_sound_plan_for_every_kind_of_data() {
        let judged = demo::dataset().expect("sound");
        let Opened::Texts(dataset) = judged.clone() else { panic!("texts") };
        let labelled = qwd_data::Dataset { queries: Vec::new(), ..*dataset.clone() };
        let preferred = qwd_data::Dataset { judgments: Default::default(), ..*dataset };
        for data in [judged, Opened::Texts(Box::new(labelled)), Opened::Texts(Box::new(preferred))] {
            for method in METHODS {
                let plan = default_plan_for(&data, method.name).expect(method.name);
                plan.check().expect(method.name);
                assert_eq!(plan.train.name(), method.name);
            }
        }
    }
}
