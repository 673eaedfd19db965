//! A data set of vectors with classes: svmlight files, or MNIST's idx files.

use crate::classes::Classes;
use crate::fingerprint::Fingerprint;
use crate::idx;
use crate::input::{Input, find};
use crate::manifest::{self, Manifest};
use crate::reading::Reading;
use crate::split::{Split, SplitRule};
use crate::svmlight::{self, IndexBase, SvmParams};
use crate::task::Task;
use qwd_core::{Csr, Error, Result};
use std::path::{Path, PathBuf};

/// Vectors and their classes, in a train and a test split.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorDataset {
    /// What the folder says of itself.
    pub manifest: Manifest,
    /// The classes of both splits.
    pub classes: Classes,
    /// What models learn from.
    pub train: VectorSplit,
    /// What is reported; it has as many columns.
    pub test: VectorSplit,
    /// The files that were read.
    pub files: Vec<Fingerprint>,
}

/// The vectors of one split.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSplit {
    /// One row for each item.
    pub rows: Csr,
    /// The class of each item.
    pub class_of: Vec<u32>,
}

impl VectorDataset {
    /// Reads a folder with `train.svm` and `test.svm`, or with MNIST's four files.
    pub fn open(folder: impl AsRef<Path>, reading: &mut Reading) -> Result<Self> {
        let folder = folder.as_ref();
        Self::in_folder(folder, reading)?.ok_or_else(|| {
            let what = format!("{} holds no train.svm and no train-images-idx3-ubyte", folder.display());
            Error::bad_data(what, "add them, plain or as .gz, .zst, .bz2")
        })
    }

    pub(crate) fn in_folder(folder: &Path, reading: &mut Reading) -> Result<Option<Self>> {
        let before = reading.files().len();
        let manifest = Manifest::of_folder(folder)?;
        let [train, test] = if find(folder, "train.svm")?.is_some() {
            read_svm(folder, &manifest, reading)?
        } else if find(folder, "train-images-idx3-ubyte")?.is_some() {
            [read_idx(folder, "train", reading)?, read_idx(folder, "t10k", reading)?]
        } else {
            return Ok(None);
        };
        let files = reading.files()[before..].to_vec();
        manifest.check(folder, &files)?;
        if train.0.n_cols() != test.0.n_cols() {
            let what = format!("{}: images of train and test differ in size", folder.display());
            return Err(Error::bad_data(what, "fetch the files again"));
        }
        let classes = Classes::of_numbers(train.1.iter().chain(&test.1).copied())?;
        let with_classes = |(rows, labels): Labelled| {
            let class_of = labels.iter().map(|&label| classes.number_of(label)).collect::<Option<_>>();
            let class_of = class_of.ok_or_else(|| Error::internal("a label was not among all labels"))?;
            Ok(VectorSplit { rows, class_of })
        };
        let (train, test) = (with_classes(train)?, with_classes(test)?);
        Ok(Some(Self { manifest, classes, train, test, files }))
    }

    /// Returns the vectors of a split, and its task over their rows; there is no dev split.
    pub fn task(&self, split: Split) -> Result<(&Csr, Task)> {
        let part = match split {
            Split::Train => &self.train,
            Split::Test => &self.test,
            Split::Dev => {
                let what = format!("the dev split of {} is empty: vectors come as train and test", self.manifest.name);
                return Err(Error::bad_data(what, "choose another split"));
            }
        };
        let rows = (0..part.rows.n_rows() as u32).collect();
        Ok((&part.rows, Task::of_classes(rows, part.class_of.clone(), self.classes.clone())))
    }

    /// Divides the training rows by a hash of their numbers: what stays, and what is held out for choosing parameters.
    pub fn train_and_validation(&self, rule: &SplitRule) -> Result<(Task, Task)> {
        let (_, train) = self.task(Split::Train)?;
        let (train, validation) = train.hold_out(|row| rule.holds_out(&row.to_string()));
        if train.queries.is_empty() || validation.queries.is_empty() {
            let what = format!("the train split of {} is too small to hold a part out", self.manifest.name);
            return Err(Error::bad_data(what, "add data"));
        }
        Ok((train, validation))
    }
}

/// Rows and labels of one split.
type Labelled = (Csr, Vec<f64>);

fn read_svm(folder: &Path, manifest: &Manifest, reading: &mut Reading) -> Result<[Labelled; 2]> {
    let base = match manifest.index_base {
        Some(0) => IndexBase::Zero,
        None | Some(1) => IndexBase::One,
        Some(other) => return Err(Error::param("index_base", other, format!("0 or 1 in {}", manifest::FILE_NAME))),
    };
    let params = SvmParams { base, ..SvmParams::default() };
    let train = svmlight::read(Input::open(present(folder, "train.svm")?)?, params, reading)?;
    let test = svmlight::read(Input::open(present(folder, "test.svm")?)?, params, reading)?;
    let n_cols = train.n_features().max(test.n_features());
    let mut both = Vec::with_capacity(2);
    for mut rows in [train, test] {
        let labels = std::mem::take(&mut rows.labels);
        both.push((rows.into_csr(n_cols)?, labels));
    }
    both.try_into().map_err(|_| Error::internal("two splits were read"))
}

fn read_idx(folder: &Path, part: &str, reading: &mut Reading) -> Result<Labelled> {
    let images = present(folder, &format!("{part}-images-idx3-ubyte"))?;
    let labels_path = present(folder, &format!("{part}-labels-idx1-ubyte"))?;
    let rows = idx::read_images(Input::open(&images)?, reading)?;
    let labels = idx::read_labels(Input::open(&labels_path)?, reading)?;
    if rows.n_rows() != labels.len() {
        let (n_images, n_labels) = (rows.n_rows(), labels.len());
        let what =
            format!("{} has {n_images} images but {} has {n_labels} labels", images.display(), labels_path.display());
        return Err(Error::bad_data(what, "fetch both files again"));
    }
    Ok((rows, labels.into_iter().map(f64::from).collect()))
}

/// Finds a file that must be there because its sibling is.
fn present(folder: &Path, name: &str) -> Result<PathBuf> {
    find(folder, name)?.ok_or_else(|| {
        let what = format!("{} is missing", folder.join(name).display());
        Error::bad_data(what, "add it, plain or as .gz, .zst, .bz2")
    })
}
