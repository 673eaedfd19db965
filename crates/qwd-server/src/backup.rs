//! A consistent copy of an index with all that its users told and that was learned from it, whether it is served or not; and
//! the way back.

use crate::served::FEEDBACK_FOLDER;
use qwd_core::{Error, Result};
use qwd_online::{Learner, OnlineParams};
use qwd_search::{Index, Writer};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// The commit of the index.
    pub generation: u64,
    /// Its documents.
    pub n_documents: u64,
    /// The records of its log, if it learns.
    pub n_records: Option<u64>,
    /// The bytes of its documents and its model.
    pub n_bytes: u64,
}

/// Copies the index in a folder into a new folder, all of it or nothing; every byte is checked on its way. Nobody has to stop
/// for it: the copy is of one commit, and of the log as far as it went then.
pub fn copy_index(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Copied> {
    let (from, to) = (from.as_ref(), to.as_ref());
    if to.exists() {
        return Err(Error::bad_data(format!("{} is there already", to.display()), "name a folder that is not"));
    }
    let partial = partial(to)?;
    let copied = fill(from, &partial).and_then(|copied| {
        fs::rename(&partial, to).map_err(|e| Error::io(to, "make", e))?;
        Ok(copied)
    });
    if copied.is_err() {
        // The first error is the one to tell.
        fs::remove_dir_all(&partial).ok();
    }
    copied
}

/// Where a copy is made before it gets its name: beside it, so that one rename is enough.
fn partial(to: &Path) -> Result<PathBuf> {
    let Some(name) = to.file_name() else {
        return Err(Error::param("folder", to.display(), "the name of a new folder"));
    };
    static N_MADE: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), N_MADE.fetch_add(1, Ordering::Relaxed));
    Ok(to.with_file_name(format!(".{}.{process}-{number}", name.to_string_lossy())))
}

fn fill(from: &Path, to: &Path) -> Result<Copied> {
    // The documents first: what was told afterwards brings its own texts.
    let snapshot = Index::open(from)?.snapshot();
    let n_bytes = snapshot.save_to(to)?;
    let feedback = from.join(FEEDBACK_FOLDER);
    let n_records = match Learner::is_at(&feedback) {
        true => {
            let n_records = qwd_online::back_up(feedback, to.join(FEEDBACK_FOLDER))?;
            rank_by_the_log(to)?;
            Some(n_records)
        }
        false => None,
    };
    let unsound = qwd_search::verify(to)?.into_iter().find_map(|s| Some((s.name, s.problem?)));
    if let Some((name, problem)) = unsound {
        return Err(Error::corrupt(to, name, problem));
    }
    let generation = Index::open(to)?.snapshot().generation();
    Ok(Copied { generation, n_documents: snapshot.n_documents(), n_records, n_bytes })
}

/// A version that was published between the two copies ranks in the copy as well.
fn rank_by_the_log(folder: &Path) -> Result<()> {
    let params = OnlineParams { keep_versions: usize::MAX, ..OnlineParams::default() };
    let no_base = || Err(Error::internal("a learner without a base"));
    let learner = Learner::open(folder.join(FEEDBACK_FOLDER), params, no_base)?;
    let model = learner.ranking(learner.standing().current)?;
    if model.to_bytes()? != Index::open(folder)?.snapshot().model().to_bytes()? {
        Writer::open(folder)?.set_model(&model)?;
    }
    Ok(())
}
