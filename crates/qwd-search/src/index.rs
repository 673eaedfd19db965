//! An index on disk, as readers see it.

use crate::manifest::Manifest;
use crate::snapshot::{OnDamage, Snapshot};
use qwd_core::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

/// How often opening is tried anew when a commit removes files in between.
const ATTEMPTS: usize = 10;

/// An index that is open for reading, and can follow the commits of a writer.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    on_damage: OnDamage,
    current: RwLock<Arc<Snapshot>>,
}

impl Index {
    /// Opens the index in a folder.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(folder, OnDamage::Refuse)
    }

    /// Opens an index and says what to do about damaged segments.
    pub fn open_with(folder: impl AsRef<Path>, on_damage: OnDamage) -> Result<Self> {
        let folder = folder.as_ref().to_path_buf();
        let snapshot = open_latest(&folder, None, on_damage)?;
        Ok(Self { folder, on_damage, current: RwLock::new(Arc::new(snapshot)) })
    }

    /// Whether there is an index at a path.
    pub fn is_at(folder: impl AsRef<Path>) -> bool {
        Manifest::is_at(folder.as_ref())
    }

    /// An error that says how to make one, if there is no index at a path.
    pub fn require(folder: impl AsRef<Path>) -> Result<()> {
        Manifest::require(folder.as_ref())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The index as it was when last looked at; cheap, and unchanged for as long as it is held.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let current = self.current.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Looks for a newer commit; tells whether there was one. What has not changed is not opened again.
    pub fn reload(&self) -> Result<bool> {
        let held = self.snapshot();
        if Manifest::load(&self.folder)?.generation == held.generation() {
            return Ok(false);
        }
        let newer = Arc::new(open_latest(&self.folder, Some(&held), self.on_damage)?);
        *self.current.write().unwrap_or_else(std::sync::PoisonError::into_inner) = newer;
        Ok(true)
    }
}

/// Opens what the manifest names; should a commit remove a file between the two, the new manifest is taken.
fn open_latest(folder: &Path, earlier: Option<&Snapshot>, on_damage: OnDamage) -> Result<Snapshot> {
    let mut outcome = Snapshot::open(folder, earlier, on_damage);
    for _ in 0..ATTEMPTS {
        match &outcome {
            Err(Error::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound && Manifest::is_at(folder) =>
            {
                outcome = Snapshot::open(folder, earlier, on_damage);
            }
            _ => break,
        }
    }
    outcome
}
