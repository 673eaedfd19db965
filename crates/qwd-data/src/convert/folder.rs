//! The originals' folder, and the new one that appears only when it is complete.

use super::Original;
use crate::fingerprint::Fingerprint;
use crate::input::{self, Input};
use crate::manifest::Manifest;
use crate::output::{Output, create};
use qwd_core::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Opens the first of several files that is there, plain or compressed.
pub(super) fn open_original(folder: &Path, names: &[&str]) -> Result<Input> {
    for name in names {
        if let Some(path) = input::find(folder, name)? {
            return Input::open(path);
        }
    }
    let what = format!("{} holds no {}, plain or as .gz, .zst, .bz2", folder.display(), names.join(" or "));
    Err(Error::bad_data(what, "fetch the data set, or name the folder that holds it"))
}

/// A folder being made, under another name until it is published.
#[derive(Debug)]
pub(super) struct NewFolder {
    target: PathBuf,
    partial: PathBuf,
    manifest: Manifest,
}

impl NewFolder {
    /// Begins a folder, which must not be there yet or be empty.
    pub(super) fn create(target: &Path, original: &Original) -> Result<Self> {
        if fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_some()) || target.is_file() {
            let e = io::Error::new(io::ErrorKind::AlreadyExists, "it is there already: remove it or choose another");
            return Err(Error::io(target, "create", e));
        }
        let name = target.file_name().ok_or_else(|| Error::param("folder", target.display(), "a folder's name"))?;
        let partial = target.with_file_name(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
        // What an earlier process of the same number left behind is of no use.
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(|e| Error::io(&partial, "remove", e))?;
        }
        fs::create_dir_all(&partial).map_err(|e| Error::io(&partial, "create", e))?;
        let manifest = Manifest {
            name: original.name.to_string(),
            description: original.description.to_string(),
            ..Manifest::default()
        };
        Ok(Self { target: target.to_path_buf(), partial, manifest })
    }

    /// Writes one file of the folder.
    pub(super) fn write(&mut self, name: &str, fill: impl FnOnce(&mut Output) -> Result<()>) -> Result<()> {
        let path = self.partial.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|e| Error::io(parent, "create", e))?;
        }
        let mut out = create(&path)?;
        fill(&mut out)?;
        self.note(&out.finish()?);
        Ok(())
    }

    /// Copies a file as it is; `content` is its fingerprint after decompression.
    pub(super) fn copy(&mut self, content: &Fingerprint) -> Result<()> {
        let name = content.path.file_name().unwrap_or_default();
        let path = self.partial.join(name);
        fs::copy(&content.path, &path).map_err(|e| Error::io(&content.path, "copy", e))?;
        self.note(&Fingerprint { path, ..content.clone() });
        Ok(())
    }

    fn note(&mut self, fingerprint: &Fingerprint) {
        self.manifest.note(&self.partial, fingerprint);
    }

    /// Adds the manifest and gives the folder its name.
    pub(super) fn publish(self) -> Result<()> {
        self.manifest.write(&self.partial)?;
        if self.target.is_dir() {
            fs::remove_dir(&self.target).map_err(|e| Error::io(&self.target, "replace", e))?;
        }
        fs::rename(&self.partial, &self.target).map_err(|e| Error::io(&self.target, "create", e))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After publishing there is nothing left under the partial name; after an error nobody is left to hear of one.
        let _ = fs::remove_dir_all(&self.partial);
    }
}
