//! What is done when nothing is said: a plan for each kind of data.
//!
//! | data | signal | plan |
//! |---|---|---|
//! | queries of their own | judgments | C = 10; query words weighed without idf; early stopping by nDCG@10 |
//! | queries of their own | preferences | the same, in the given order and to the end, so that training can go on later |
//! | documents as queries | labels, links | paper 1: C = 200, λ = 1e-5, T = 100, then refitting |
//! | vectors | labels | paper 1 |
//!
//! A short query has each of its words for a reason, and the rare ones among them are seldom the words that articles
//! use; so its words weigh the same and W learns which matter. The figures that these choices rest on are in the tests
//! and in `experiments/`.

use qwd_core::Result;
use qwd_data::sample::given::Order;
use qwd_data::{Opened, SampleParams, Signal};
use qwd_text::{Idf, Norm, Tf, VocabularyParams, WeightingParams};
use qwd_train::plan::{RefitPlan, StopParams};
use qwd_train::{Method, Plan, TextParams};
use serde_json::{Value, json};

/// The method that is used when none is named.
pub const METHOD: &str = "sparse-sgd";

/// The plan for a data set when nothing is said.
pub fn default_plan(data: &Opened) -> Result<Plan> {
    default_plan_for(data, METHOD)
}

/// The plan for a data set when only a method is named.
pub fn default_plan_for(data: &Opened, method: &str) -> Result<Plan> {
    match data {
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
    Ok(Plan { train: with_rate(method, 10.0)?, text: short_queries(), stop: learns.then_some(stop), ..Plan::default() })
}

fn for_preferences(method: &str) -> Result<Plan> {
    let sample = SampleParams { order: Order::AsGiven, ..SampleParams::default() };
    Ok(Plan { train: with_rate(method, 10.0)?, text: short_queries(), sample, ..Plan::default() })
}

fn for_labels(method: &str) -> Result<Plan> {
    let text = TextParams {
        vocabulary: VocabularyParams { n_words: 10_000, ..VocabularyParams::default() },
        ..TextParams::default()
    };
    let refit = (method == METHOD).then(RefitPlan::default);
    Ok(Plan { train: Method::from_json(method, json!({}))?, text, refit, ..Plan::default() })
}

/// The method with a rate for short queries, where its steps are plain SGD's.
fn with_rate(method: &str, learning_rate: f64) -> Result<Method> {
    let is_sgd = matches!(method, "sparse-sgd" | "sgd" | "group-lasso");
    let params: Value = if is_sgd { json!({ "learning_rate": learning_rate }) } else { json!({}) };
    Method::from_json(method, params)
}

fn short_queries() -> TextParams {
    let query = WeightingParams { tf: Tf::Log, idf: Idf::None, norm: Norm::L2, ..WeightingParams::default() };
    TextParams { query, ..TextParams::default() }
}
