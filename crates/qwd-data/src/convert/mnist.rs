//! MNIST: 60,000 images of digits to train on, 10,000 to test on, 28 by 28 pixels.
//!
//! The idx files are already the most compact form that qwd reads (11 MB, against 100 MB as svmlight), so they are
//! checked and copied as they are.

use super::folder::{NewFolder, open_original};
use super::{Count, Options, Original, count, file};
use crate::reading::Reading;
use crate::vectors::VectorDataset;
use qwd_core::Result;
use std::path::Path;

/// What is known of the originals.
pub const ORIGINAL: Original = Original {
    name: "mnist",
    folder: "mnist",
    description: "MNIST: images of handwritten digits with the digit as class",
    files: &[
        file("train-images-idx3-ubyte.gz", "0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971"),
        file("train-labels-idx1-ubyte.gz", "1787548bbe0bff1ec2ecdc0ef292b02df999e2d1a6002d27500982c652b17203"),
        file("t10k-images-idx3-ubyte.gz", "1a1a05eab793c14bb050b398624a11b0ffd1a2953baed553b1b9bd079e2a20be"),
        file("t10k-labels-idx1-ubyte.gz", "b91679a0acfe4ba0e50a2437a903084cba1f5f92592b016a25a7dfd00455798b"),
    ],
    homes: &["http://yann.lecun.com/exdb/mnist/"],
    licence: "commonly quoted as CC BY-SA 3.0 (Y. LeCun, C. Cortes, C. Burges)",
    convert,
};

fn convert(from: &Path, to: &Path, _: Options, reading: &mut Reading) -> Result<Vec<Count>> {
    open_original(from, &["train-images-idx3-ubyte"])?;
    let mnist = VectorDataset::open(from, reading)?;
    let mut folder = NewFolder::create(to, &ORIGINAL)?;
    for content in &mnist.files {
        folder.copy(content)?;
    }
    folder.publish()?;
    Ok(vec![
        count("train images", mnist.train.rows.n_rows()),
        count("test images", mnist.test.rows.n_rows()),
        count("classes", mnist.classes.len()),
        count("pixels", mnist.train.rows.n_cols() as usize),
    ])
}
