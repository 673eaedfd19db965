//! Learning all over again from the log: the same records lead to the same model.

use crate::course::Course;
use crate::learner::log_path;
use crate::record::Record;
use crate::version;
use qwd_core::{Error, Result};
use qwd_model::Model;
use qwd_store::Log;
use std::collections::BTreeMap;
use std::path::Path;

/// What a log leads to.
#[derive(Debug)]
pub struct Replayed {
    /// The version that ranks.
    pub version: u64,
    /// Its model, as it was learned again.
    pub model: Model,
    /// The same as it ranks: with what is set by hand, without its state of training.
    pub ranking: Model,
    /// The rounds that were repeated.
    pub n_rounds: u64,
}

/// Repeats every round of a learner's log, from its base on. All versions are held in memory meanwhile.
pub fn replay(folder: impl AsRef<Path>) -> Result<Replayed> {
    let folder = folder.as_ref();
    let mut course = Course::default();
    let mut models: BTreeMap<u64, Model> = BTreeMap::new();
    let (mut current, mut tip, mut n_rounds) = (0, 0, 0);
    let mut knows_all = true;
    Log::read(log_path(folder), |number, bytes| {
        let record = Record::from_bytes(number, bytes)?;
        course.take(&record);
        if let Record::Base { version, origin, .. } = &record {
            // What was held out before the base has been forgotten, and does not measure again.
            knows_all = version == origin;
        }
        match record {
            Record::Base { version, .. } | Record::Load { version } => {
                models.insert(version, version::open(folder, version)?);
                (current, tip) = (version, version);
            }
            Record::Use { version } => (current, tip) = (version, version),
            Record::Round { through, params, seed, version, published, held_out } => {
                let model = models.get(&tip).ok_or_else(|| unlike(number))?;
                let learned = course.learn(model, through, &params)?.ok_or_else(|| unlike(number))?;
                let same = learned.held_out == held_out && learned.is_no_worse() == version.is_some();
                if knows_all && !same {
                    return Err(unlike(number));
                }
                course.finish(seed, through, &params, version.is_some());
                if let Some(version) = version {
                    models.insert(version, learned.model);
                    tip = version;
                    current = if published { version } else { current };
                }
                n_rounds += 1;
            }
            Record::Text { .. } | Record::Feedback(_) | Record::Pin { .. } => {}
        }
        Ok(())
    })?;
    let model = models.remove(&current).ok_or_else(|| unlike(0))?;
    let ranking = course.pins().applied(&model, u64::MAX)?;
    Ok(Replayed { version: current, model, ranking, n_rounds })
}

fn unlike(number: u64) -> Error {
    let what = format!("learning again came to something else at record {}", number + 1);
    Error::bad_data(what, "use the version of qwd that wrote the log")
}
