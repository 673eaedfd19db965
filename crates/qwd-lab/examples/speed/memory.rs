//! Peak memory of a whole training run, and the size of the saved model.

use crate::arguments::Arguments;
use crate::machine::peak_resident;
use crate::{quality, setup};
use qwd_core::{Error, Result, Silent, Threads};
use qwd_train::Constraints;
use serde_json::{Value, json};

pub(crate) fn run(arguments: &Arguments) -> Result<Value> {
    let plan = setup::plan(arguments)?;
    let threads = Threads::new(arguments.number("threads", 1)?)?;
    let data = setup::open(arguments)?;
    let prepared = setup::vectors(&data, &plan, &threads)?;
    let before_training = peak_resident();
    let outcome = plan.run_prepared(&prepared, &Constraints::default(), None, &threads, &Silent)?;
    let trained = peak_resident();
    let folder = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), "create a folder in", e))?;
    let size = |name: &str, model: &qwd_model::Model| -> Result<u64> {
        let path = folder.path().join(name);
        model.save(&path)?;
        Ok(std::fs::metadata(&path).map_err(|e| Error::io(&path, "look at", e))?.len())
    };
    let with_state = size("model.qwd", &outcome.model)?;
    let saved = peak_resident();
    let without_state = size("served.qwd", &outcome.model.clone().without_state())?;
    let words = prepared.train_vectors().queries.n_cols();
    let mut report = json!({
        "words": words,
        "tuples": plan.tuples,
        "params": plan.train.params(),
        "density": outcome.model.matrix().density(),
        "entries": outcome.model.matrix().n_parameters(),
        "peak_bytes_before_training": before_training,
        "peak_bytes_trained": trained,
        "peak_bytes_saved": saved,
        "model_bytes": with_state,
        "model_bytes_without_state": without_state,
    });
    if arguments.has("figures") {
        report["figures"] = quality::figures(outcome.model.matrix(), &prepared, &threads)?;
    }
    Ok(report)
}
