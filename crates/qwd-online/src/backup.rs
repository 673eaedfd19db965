//! A copy of what was told and learned, made while the learner goes on.
//!
//! The log is copied first, as far as it goes; then the versions that the copy names. All of them are never changed, only
//! removed: should one that is needed be gone because the log has moved on, the copy starts again.

use crate::learner::{Learner, Lineage, log_path};
use crate::record::Record;
use crate::version;
use qwd_core::{Error, Result};
use qwd_store::{Log, open_regular, save_atomically};
use std::io::Read;
use std::path::Path;

/// How often a copy starts again.
const ATTEMPTS: usize = 10;

/// Copies a learner's folder into another, checking every record and every model; tells the number of records.
pub fn back_up(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<u64> {
    let (from, to) = (from.as_ref(), to.as_ref());
    if Learner::is_at(to) {
        return Err(Error::bad_data(format!("{} holds feedback already", to.display()), "name another folder"));
    }
    std::fs::create_dir_all(to).map_err(|e| Error::io(to, "create", e))?;
    let mut outcome = copy(from, to);
    for _ in 1..ATTEMPTS {
        match &outcome {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                outcome = copy(from, to);
            }
            _ => break,
        }
    }
    outcome
}

fn copy(from: &Path, to: &Path) -> Result<u64> {
    copy_file(&log_path(from), &log_path(to))?;
    let mut lineage = Lineage::default();
    // Opening cuts off a record that was being written.
    let (log, _) = Log::open(log_path(to), |number, bytes| {
        lineage.take(&Record::from_bytes(number, bytes)?);
        Ok(())
    })?;
    for v in &lineage.versions {
        let is_needed = [lineage.current, lineage.tip, lineage.base, lineage.origin].contains(&v.version);
        let (old, new) = (version::path(from, v.version), version::path(to, v.version));
        if !is_needed && !old.exists() {
            continue;
        }
        match copy_file(&old, &new) {
            Err(Error::Io { source, .. }) if !is_needed && source.kind() == std::io::ErrorKind::NotFound => continue,
            copied => copied?,
        }
        if let Some(bad) = qwd_model::verify(&new)?.sections.into_iter().find(|s| s.problem.is_some()) {
            return Err(Error::corrupt(old, bad.name, bad.problem.unwrap_or_default()));
        }
    }
    Ok(log.len())
}

/// Copies what a file has now; what is appended meanwhile is left out.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let (file, n_bytes) = open_regular(from)?;
    save_atomically(to, |w| {
        let copied = std::io::copy(&mut file.take(n_bytes), w);
        copied.map(drop).map_err(|e| Error::io(to, "write", e))
    })
}
