//! A folder that holds data sets by name, in qwd's layout or as published.

use qwd_core::{Error, Result};
use qwd_data::convert::Original;
use qwd_data::{Opened, Reading};
use std::path::Path;

/// Opens a data set by its name: in the layout, or as published, which is then converted into a temporary folder.
pub fn open(collection: &Path, name: &str) -> Result<Opened> {
    let original = Original::named(name)?;
    let laid_out = collection.join(name);
    if laid_out.join("corpus.jsonl").exists() || laid_out.join("train.svm").exists() {
        return Opened::open(&laid_out, &mut Reading::default());
    }
    let published = collection.join(original.folder);
    if !published.is_dir() {
        return Err(Error::bad_data(
            format!("there is no data set {name} in {}", collection.display()),
            format!("get it with: qwd dataset get {name} --out {}", laid_out.display()),
        ));
    }
    let scratch = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), "create a folder in", e))?;
    let converted = original.convert(&published, &scratch.path().join(name), &mut Reading::default())?;
    Opened::open(&converted.folder, &mut Reading::default())
}
