//! Trained rows, kept in a folder: a run that was interrupted goes on where it stopped, and tables that share rows train
//! them once.
//!
//! A file's name is a hash of all that the training depends on besides the data, so a changed definition is trained anew.

use qwd_core::{Error, Result};
use qwd_model::Model;
use qwd_store::{read_file, save_atomically};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most bytes of a kept row.
const LIMIT: u64 = 16 << 30;

/// A folder of trained rows, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a>(pub(super) Option<&'a Path>);

impl Kept<'_> {
    /// What is kept under a key; else what `make` makes, kept from now on.
    pub(super) fn or_make<T, K>(self, key: &K, make: impl FnOnce() -> Result<T>) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        K: Serialize,
    {
        let Some(path) = self.path(key)? else { return make() };
        if path.exists() {
            let bytes = read_file(&path, LIMIT)?;
            return serde_json::from_slice(&bytes).map_err(|e| {
                Error::bad_data(format!("{}: {e}", path.display()), "delete the file and run the experiment again")
            });
        }
        let made = make()?;
        save_atomically(&path, |file| serde_json::to_writer(file, &made).map_err(|e| Error::internal(e.to_string())))?;
        Ok(made)
    }

    /// As [`Kept::or_make`], for a model and what is known of it. The model's file lies beside that of the figures and is
    /// written first.
    pub(super) fn or_train<K: Serialize>(
        self,
        key: &K,
        train: impl FnOnce() -> Result<(Model, BTreeMap<String, f64>)>,
    ) -> Result<(Model, BTreeMap<String, f64>)> {
        let Some(file) = self.path(key)?.map(|path| path.with_extension("qwd")) else { return train() };
        let mut trained = None;
        let figures = self.or_make(key, || {
            let (model, figures) = train()?;
            model.save(&file)?;
            trained = Some(model);
            Ok(figures)
        })?;
        let model = match trained {
            Some(model) => model,
            None => Model::from_bytes(&read_file(&file, LIMIT)?)?,
        };
        Ok((model, figures))
    }

    fn path(self, key: &impl Serialize) -> Result<Option<PathBuf>> {
        let Some(folder) = self.0 else { return Ok(None) };
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        let key = serde_json::to_vec(key).map_err(|e| Error::internal(e.to_string()))?;
        let name: String = Sha256::digest(&key)[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Some(folder.join(format!("{name}.json"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_once_is_not_made_again_unless_its_key_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept(Some(folder.path()));
        let first = kept.or_make(&("lsi", 100), || Ok(vec![0.1f32, 1e-30])).expect("made");
        let again = kept.or_make(&("lsi", 100), || Err::<Vec<f32>, _>(Error::internal("made again"))).expect("kept");
        assert_eq!(first, again);
        assert_eq!(kept.or_make(&("lsi", 200), || Ok(vec![2.0f32])).expect("made"), [2.0]);
        assert!(Kept(None).or_make(&("lsi", 100), || Err::<u32, _>(Error::internal("made"))).is_err());
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept(Some(folder.path()));
        kept.or_make(&1, || Ok(7u32)).expect("made");
        let file = std::fs::read_dir(folder.path()).expect("files").next().expect("a file").expect("a file").path();
        std::fs::write(&file, "{").expect("written");
        let told = kept.or_make(&1, || Ok(7u32)).expect_err("damaged").to_string();
        assert!(told.contains(&file.display().to_string()), "{told}");
    }
}
