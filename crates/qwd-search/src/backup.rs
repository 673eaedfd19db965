//! A copy of one commit in another folder, made while others go on to read and write.
//!
//! A snapshot has its files open, so a commit that removes them meanwhile takes nothing away. Every section is checked on its
//! way, and the manifest is written last: a copy that was cut off is no index.

use crate::manifest::{FileRecord, Manifest, save_file};
use crate::snapshot::Snapshot;
use qwd_core::{Error, Result};
use std::path::Path;

impl Snapshot {
    /// Writes this commit into a folder that holds no index; tells how many bytes it has.
    pub fn save_to(&self, folder: impl AsRef<Path>) -> Result<u64> {
        let folder = folder.as_ref();
        if Manifest::is_at(folder) {
            let what = format!("{} holds an index already", folder.display());
            return Err(Error::bad_data(what, "name another folder"));
        }
        if let Some(what) = self.damaged().first() {
            return Err(Error::bad_data(format!("a part of the index is left out: {what}"), "restore it first"));
        }
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        let mut manifest = self.manifest().clone();
        manifest.model = self.save_model_to(folder)?;
        let mut n_bytes = manifest.model.n_bytes;
        for (record, part) in manifest.segments.iter_mut().zip(self.parts()) {
            n_bytes += save_file(folder, record.file.file.clone(), part.segment.container().whole()?)?.n_bytes;
            if let Some(deleted) = &mut record.deleted {
                let mut bytes = Vec::new();
                let written = part.deleted.serialize_into(&mut bytes);
                written.map_err(|e| Error::internal(format!("a set of documents: {e}")))?;
                *deleted = save_file(folder, deleted.file.clone(), &bytes)?;
                n_bytes += deleted.n_bytes;
            }
        }
        manifest.save(folder)?;
        Ok(n_bytes)
    }

    fn save_model_to(&self, folder: &Path) -> Result<FileRecord> {
        let bytes = self.model().to_bytes()?;
        save_file(folder, format!("model-{:08x}.qwd", qwd_store::crc32(&bytes)), &bytes)
    }
}
