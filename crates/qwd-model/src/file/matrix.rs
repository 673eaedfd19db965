//! W in the file: its form and size in the metadata, its weights in the tensors `w` and `w.…`.

use super::csr::{self, Parts};
use super::decoder::Decoder;
use super::encoder::{Elements, Encoder};
use crate::matrix::{MAX_TERMS, Matrix};
use crate::state::{LazyWeights, check_pending};
use qwd_core::error::Result;
use qwd_core::kernel::shrink;
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek};

/// The metadata `matrix`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) form: String,
    pub(super) n_rows: u64,
    pub(super) n_cols: u64,
}

const NAME: &str = "w";
pub(super) const VALUES: &str = "w.values";
const PENDING: &str = "w.pending";

pub(super) fn encode<'a>(encoder: &mut Encoder<'a>, matrix: &'a Matrix, lazy: Option<&'a LazyWeights>) -> Result<()> {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    let shape = Shape { form: matrix.name().to_string(), n_rows: n_rows as u64, n_cols: n_cols as u64 };
    encoder.json("matrix", &shape)?;
    match matrix {
        Matrix::Identity(_) => {}
        Matrix::Diagonal(diagonal) => encoder.tensor(NAME, Elements::F32(diagonal.weights())),
        Matrix::Dense(dense) => encoder.shaped(NAME, vec![n_rows, n_cols], Elements::F32(dense.weights())),
        Matrix::Sparse(sparse) => {
            csr::encode(encoder, NAME, sparse.csr(), lazy.map(LazyWeights::values));
            if let Some(lazy) = lazy {
                encoder.tensor(PENDING, Elements::F32(lazy.pending()));
            }
        }
    }
    Ok(())
}

/// Reads W as it is served and, if it is kept and asked for, as training left it.
pub(super) fn decode<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    with_state: bool,
) -> Result<(Matrix, Option<LazyWeights>)> {
    let shape: Shape = decoder.json("matrix")?;
    let [n_rows, n_cols] = [shape.n_rows, shape.n_cols].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if n_rows.max(n_cols) > MAX_TERMS {
        let what = format!("a matrix of {} x {}; at most {MAX_TERMS} terms are read", shape.n_rows, shape.n_cols);
        return Err(decoder.corrupt("header", what));
    }
    if matches!(shape.form.as_str(), "identity" | "diagonal") && n_rows != n_cols {
        return Err(decoder.corrupt("header", format!("the form {} for {n_rows} x {n_cols} terms", shape.form)));
    }
    let mut lazy = None;
    let matrix = match shape.form.as_str() {
        "identity" => Matrix::identity(n_rows),
        "diagonal" => Matrix::diagonal(decoder.f32s(NAME, &[n_rows])?),
        "dense" => Matrix::dense(n_rows, n_cols, decoder.f32s(NAME, &[n_rows, n_cols])?),
        "sparse" => {
            let mut parts = csr::decode(decoder, NAME, n_rows, n_cols)?;
            if decoder.has(PENDING) {
                lazy = decode_lazy(decoder, &mut parts, n_rows, with_state)?;
            }
            Matrix::sparse(parts.into_csr(decoder, NAME, n_cols)?)
        }
        form => {
            return Err(decoder.unsupported(format!("a matrix of the form {form:?}; use a newer qwd")));
        }
    };
    Ok((matrix.map_err(|e| decoder.damaged(NAME, &e))?, lazy))
}

/// Turns values before shrinkage into served ones.
fn decode_lazy<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    parts: &mut Parts,
    n_rows: usize,
    with_state: bool,
) -> Result<Option<LazyWeights>> {
    let pending = decoder.f32s(PENDING, &[n_rows])?;
    check_pending(&pending, n_rows).map_err(|e| decoder.damaged(PENDING, &e))?;
    let before = with_state.then(|| parts.values.clone());
    for (row, &threshold) in parts.indptr.windows(2).zip(&pending) {
        for value in &mut parts.values[row[0] as usize..row[1] as usize] {
            *value = shrink(*value, threshold);
            if *value == 0.0 {
                return Err(decoder.corrupt(VALUES, "a value that its row's pending shrinkage makes 0"));
            }
        }
    }
    Ok(before.map(|values| LazyWeights::from_parts(values, pending)))
}
