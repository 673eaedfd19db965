//! MNIST's idx files: unsigned bytes under a header with their dimensions.
//!
//! A header is four bytes `0 0 8 n`, then n dimensions of four bytes each, highest byte first. What it promises is
//! compared with what arrives; memory grows only with the latter.

use crate::input::Input;
use crate::reading::Reading;
use qwd_core::{Csr, Error, Result, SparseVec};

/// The largest content accepted: 1 GiB (MNIST has 47 MB).
pub const MAX_BYTES: u64 = 1 << 30;

/// Reads an idx1 file of labels.
pub fn read_labels(input: Input, reading: &mut Reading) -> Result<Vec<u8>> {
    let ([_], labels) = read(input, reading)?;
    Ok(labels)
}

/// Reads an idx3 file of images: one row for each, one column for each pixel, values from 0 to 1.
pub fn read_images(input: Input, reading: &mut Reading) -> Result<Csr> {
    let ([n_images, height, width], pixels) = read(input, reading)?;
    // The product was checked to be small when the header was read.
    let n_pixels = height * width;
    let mut images = Csr::empty(n_pixels);
    for i in 0..n_images as usize {
        let image = &pixels[i * n_pixels as usize..][..n_pixels as usize];
        let lit = image.iter().enumerate().filter(|&(_, &byte)| byte > 0);
        let (columns, values) = lit.map(|(column, &byte)| (column as u32, f32::from(byte) / 255.0)).unzip();
        images.push(SparseVec::try_new(columns, values)?.view())?;
    }
    Ok(images)
}

/// Reads a file of `N` dimensions.
fn read<const N: usize>(mut input: Input, reading: &mut Reading) -> Result<([u32; N], Vec<u8>)> {
    let mut head = Vec::new();
    input.read_up_to(4 + 4 * N as u64, &mut head)?;
    if !head.starts_with(&[0, 0, 8, N as u8]) {
        let what = format!("this is no idx file of unsigned bytes in {N} dimension{}", if N == 1 { "" } else { "s" });
        return Err(refuse(&input, what));
    }
    if head.len() < 4 + 4 * N {
        return Err(refuse(&input, "the file ends within its header".to_string()));
    }
    let mut dimensions = [0u32; N];
    for (dimension, bytes) in dimensions.iter_mut().zip(head[4..].chunks_exact(4)) {
        *dimension = bytes.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
    }
    let promised = dimensions.iter().try_fold(1u64, |product, &d| product.checked_mul(u64::from(d)));
    let promised = promised.unwrap_or(u64::MAX);
    // One dimension alone may be absurd while another is 0.
    let row: u64 = dimensions[1..].iter().map(|&d| u64::from(d)).fold(1, u64::saturating_mul);
    if promised > MAX_BYTES || row > MAX_BYTES {
        let what = format!("{}: the size promised by the header", input.path().display());
        return Err(Error::limit(what, MAX_BYTES, promised.max(row), "fetch the file again"));
    }
    let mut content = Vec::new();
    input.read_up_to(promised + 1, &mut content)?;
    if (content.len() as u64) < promised {
        let n = content.len();
        return Err(refuse(&input, format!("the header promises {promised} bytes, only {n} follow")));
    }
    if content.len() as u64 > promised {
        return Err(refuse(&input, format!("the header promises {promised} bytes, more follow")));
    }
    reading.finish(input)?;
    Ok((dimensions, content))
}

fn refuse(input: &Input, what: String) -> Error {
    Error::parse(input.place(), what, "fetch the file again or check that it is the right one")
}
