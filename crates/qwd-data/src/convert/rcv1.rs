//! RCV1 as LIBSVM's multiclass files: 15,564 documents to train on, 518,571 to test on, 53 classes.
//!
//! The makers of these files removed documents of several classes and weighted the words, so what comes in are vectors,
//! not texts. Every row is checked, and then written as it stands.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, OriginalFile, count};
use crate::input::Input;
use crate::output::Output;
use crate::reading::Reading;
use crate::svmlight::{SvmParams, each_row};
use qwd_core::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "rcv1",
    folder: "rcv1",
    description: "RCV1, single-label: weighted words of Reuters news with their class",
    files: &[
        OriginalFile { name: "rcv1_train.multiclass.bz2", sha256: None },
        OriginalFile { name: "rcv1_test.multiclass.bz2", sha256: None },
    ],
    homes: &["https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html"],
    licence: "research use (Reuters, by agreement with NIST); cite Lewis et al. 2004",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    let train = open_original(from, &["rcv1_train.multiclass"])?;
    let test = open_original(from, &["rcv1_test.multiclass"])?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    let mut seen = Seen::default();
    folder.write("train.svm.zst", |out| seen.copy(train, reading, out))?;
    let n_train = seen.n_rows;
    folder.write("test.svm.zst", |out| seen.copy(test, reading, out))?;
    folder.publish()?;
    Ok(vec![
        count("train documents", n_train),
        count("test documents", seen.n_rows - n_train),
        count("classes", seen.classes.len()),
        count("words", seen.n_features as usize),
    ])
}

/// What the rows of both files have shown.
#[derive(Default)]
struct Seen {
    n_rows: usize,
    n_features: u32,
    classes: BTreeSet<u64>,
}

impl Seen {
    fn copy(&mut self, input: Input, reading: &mut Reading, out: &mut Output) -> Result<()> {
        each_row(input, SvmParams::default(), reading, |row, line| {
            self.n_rows += 1;
            self.n_features = self.n_features.max(row.features.last().map_or(0, |&(index, _)| index + 1));
            self.classes.insert(row.label.to_bits());
            out.line(format_args!("{}", line.text))
        })
    }
}
