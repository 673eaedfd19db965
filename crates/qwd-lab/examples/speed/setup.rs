//! The data, the plan and the tuples that all commands share: experiment `1-table2-20ng`, the paper's setting.

use crate::arguments::Arguments;
use qwd_core::{Error, Result, Threads};
use qwd_data::convert::Original;
use qwd_data::{Opened, Preference, Reading, Split, SplitRule};
use qwd_train::{Method, Plan, Prepared, Problem};
use serde_json::{Value, json};

/// Turns the originals into a data set's folder.
pub(crate) fn convert(arguments: &Arguments) -> Result<Value> {
    let (from, to) = (arguments.path("data")?, arguments.path("out")?);
    let converted = Original::named("20newsgroups")?.convert(&from, &to, &mut Reading::default())?;
    Ok(converted.counts.iter().map(|count| (count.what.to_string(), json!(count.n))).collect())
}

/// Opens the folder `--data`; originals are converted first, into a folder that is removed again.
pub(crate) fn open(arguments: &Arguments) -> Result<Opened> {
    let folder = arguments.path("data")?;
    if folder.join("corpus.jsonl").exists() {
        return Opened::open(&folder, &mut Reading::default());
    }
    let scratch = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), "create a folder in", e))?;
    let original = Original::named("20newsgroups")?;
    let converted = original.convert(&folder, &scratch.path().join("20newsgroups"), &mut Reading::default())?;
    Opened::open(&converted.folder, &mut Reading::default())
}

/// The plan that the command line asks for.
pub(crate) fn plan(arguments: &Arguments) -> Result<Plan> {
    let method = arguments.text("method").unwrap_or("sparse-sgd");
    let train = Method::from_json(method, Value::Object(arguments.settings()?))?;
    plan_of(train, arguments.number("tuples", 100_000)?, arguments.number("words", 10_000)?)
}

/// The paper's plan with this method, number of tuples and number of words.
pub(crate) fn plan_of(train: Method, n_tuples: u64, n_words: u64) -> Result<Plan> {
    let weighting = json!({ "tf": "raw", "idf": "plain", "norm": "l2" });
    let plan = json!({
        "tuples": n_tuples,
        "sample": { "distinct": true },
        "text": {
            "analyzer": { "tokenizer": "letters" },
            "vocabulary": { "n_words": n_words },
            "document": weighting,
            "query": weighting,
        },
    });
    let plan: Plan = serde_json::from_value(plan).map_err(|e| Error::internal(format!("the plan: {e}")))?;
    let plan = Plan { train, ..plan };
    plan.check()?;
    Ok(plan)
}

/// Makes the vectors of a plan.
pub(crate) fn vectors<'a>(data: &'a Opened, plan: &Plan, threads: &Threads) -> Result<Prepared<'a>> {
    Prepared::fit(data, &plan.text, SplitRule { seed: plan.seed, ..SplitRule::default() }, threads)
}

/// The training tuples of a plan.
pub(crate) fn tuples(prepared: &Prepared<'_>, plan: &Plan) -> Result<Vec<Preference>> {
    plan.tuples_of(&prepared.task(Split::Train)?.0)
}

/// What is to be learned from the first tuples.
pub(crate) fn problem<'a>(prepared: &'a Prepared<'_>, tuples: &'a [Preference]) -> Result<Problem<'a>> {
    let vectors = prepared.train_vectors();
    Problem::try_new(&vectors.queries, &vectors.documents, tuples)
}
