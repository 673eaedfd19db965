//! Collections cut into parts for training, validation and testing.
//!
//! | collection | layout | function |
//! |---|---|---|
//! | LETOR 3.0, 4.0 | `Fold1` … `Fold5` with `train.txt`, `vali.txt`, `test.txt` or `trainingset.txt`, `validationset.txt`, `testset.txt` | [`open_letor`] |
//! | MSLR-WEB10K, 30K | the same; 136 features that are not scaled | [`open_mslr`] |
//! | Yahoo's challenge | `set1.train.txt`, `set1.valid.txt`, `set1.test.txt`, and `set2`; 700 features | [`open_yahoo`] |
//!
//! [`open`] finds out which of them a folder has. Every file may be `.gz` or `.zst`. The parts of a fold get the same number of features.

use crate::feature_set::FeatureSet;
use crate::reader::{ReadParams, read};
use crate::scaling::{Scaler, Scaling};
use qwd_core::{Error, Result};
use qwd_data::Reading;
use std::path::{Path, PathBuf};

/// The names that each part of a fold may have.
const TRAIN: &[&str] = &["train.txt", "trainingset.txt"];
const VALIDATION: &[&str] = &["vali.txt", "validationset.txt"];
const TEST: &[&str] = &["test.txt", "testset.txt"];

/// One division of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// Its name: that of its folder, or of its files' beginning.
    pub name: String,
    /// What to learn from.
    pub train: FeatureSet,
    /// What parameters are chosen on.
    pub validation: FeatureSet,
    /// What is reported.
    pub test: FeatureSet,
}

impl Fold {
    /// Puts a fold together and gives its parts the same number of features.
    pub fn new(name: impl Into<String>, train: FeatureSet, validation: FeatureSet, test: FeatureSet) -> Self {
        let mut fold = Self { name: name.into(), train, validation, test };
        let n = fold.train.n_features().max(fold.validation.n_features()).max(fold.test.n_features());
        fold.train.widen(n);
        fold.validation.widen(n);
        fold.test.widen(n);
        fold
    }

    /// Scales all parts, `Overall` by the range of the training part; returns what was applied.
    pub fn scale(&mut self, scaling: Scaling) -> Scaler {
        let scaler = Scaler::fit(scaling, &self.train);
        scaler.apply(&mut self.train);
        scaler.apply(&mut self.validation);
        scaler.apply(&mut self.test);
        scaler
    }
}

/// Opens a folder in whichever layout it has: LETOR's folds, Yahoo's sets, or the three parts of one fold as they are.
pub fn open(folder: &Path, params: ReadParams, reading: &mut Reading) -> Result<Vec<Fold>> {
    if folder.join("Fold1").is_dir() {
        return open_letor(folder, params, reading);
    }
    if find(folder, TRAIN).is_ok() {
        let name = folder.file_name().map_or_else(|| "fold".into(), |name| name.to_string_lossy().into_owned());
        return Ok(vec![open_fold(name, folder, params, reading)?]);
    }
    if ["set1.train.txt", "set2.train.txt"].iter().any(|name| find(folder, &[name]).is_ok()) {
        return open_yahoo(folder, params, reading);
    }
    std::fs::read_dir(folder).map_err(|e| Error::io(folder, "open", e))?;
    let what = format!("{} holds neither Fold1, nor train.txt, nor set1.train.txt", folder.display());
    Err(Error::bad_data(what, "name the folder of a collection in LETOR's or Yahoo's layout"))
}

/// Opens a folder with `Fold1`, `Fold2`, …, as the LETOR collections have them.
pub fn open_letor(folder: &Path, params: ReadParams, reading: &mut Reading) -> Result<Vec<Fold>> {
    let mut folds = Vec::new();
    for number in 1.. {
        let name = format!("Fold{number}");
        let inside = folder.join(&name);
        if !inside.is_dir() {
            break;
        }
        folds.push(open_fold(name, &inside, params, reading)?);
    }
    if folds.is_empty() {
        let what = format!("{}: no folder Fold1 inside", folder.display());
        return Err(Error::bad_data(what, "name the folder that holds Fold1, Fold2, …"));
    }
    Ok(folds)
}

fn open_fold(name: String, folder: &Path, params: ReadParams, reading: &mut Reading) -> Result<Fold> {
    let mut part = |names: &[&str]| read(&find(folder, names)?, params, reading);
    Ok(Fold::new(name, part(TRAIN)?, part(VALIDATION)?, part(TEST)?))
}

/// Opens MSLR-WEB10K or 30K: LETOR's layout, features scaled to [0, 1] by their range over the training part.
pub fn open_mslr(folder: &Path, params: ReadParams, reading: &mut Reading) -> Result<Vec<Fold>> {
    let mut folds = open_letor(folder, params, reading)?;
    for fold in &mut folds {
        fold.scale(Scaling::Overall);
    }
    Ok(folds)
}

/// Opens the files of Yahoo's learning to rank challenge: one fold per set that is there.
pub fn open_yahoo(folder: &Path, params: ReadParams, reading: &mut Reading) -> Result<Vec<Fold>> {
    let mut folds = Vec::new();
    for set in ["set1", "set2"] {
        let name = |part: &str| format!("{set}.{part}.txt");
        if find(folder, &[&name("train")]).is_err() {
            continue;
        }
        let mut part = |part: &str| read(&find(folder, &[&name(part)])?, params, reading);
        let (train, validation, test) = (part("train")?, part("valid")?, part("test")?);
        folds.push(Fold::new(set, train, validation, test));
    }
    if folds.is_empty() {
        let what = format!("{}: neither set1.train.txt nor set2.train.txt inside", folder.display());
        return Err(Error::bad_data(what, "name the folder with the challenge's files"));
    }
    Ok(folds)
}

/// The first of some names that exists, plain or compressed.
fn find(folder: &Path, names: &[&str]) -> Result<PathBuf> {
    let endings = ["", ".gz", ".zst", ".bz2"];
    let candidates = names.iter().flat_map(|name| endings.map(|ending| folder.join(format!("{name}{ending}"))));
    candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let what = format!("{}: no file {} inside", folder.display(), names.join(" or "));
        Error::bad_data(what, "complete the folder")
    })
}
