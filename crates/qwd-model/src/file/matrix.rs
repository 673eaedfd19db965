//! W in the file: its form and size in the metadata, its weights in the tensors `w` and `w.…`.

use super::csr::{self, Parts};
use super::decoder::Decoder;
use super::encoder::{Elements, Encoder};
use crate::matrix::{LowRankDiagonal, LowRankParts, MAX_DEPTH, MAX_TERMS, Matrix, Side};
use crate::state::{LazyWeights, check_pending};
use qwd_core::Csr;
use qwd_core::error::Result;
use qwd_core::kernel::shrink;
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek};
use std::sync::Arc;

/// The metadata `matrix`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) form: String,
    pub(super) n_rows: u64,
    pub(super) n_cols: u64,
    /// The matrices that this one is made of, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Shape>,
}

const NAME: &str = "w";
pub(super) const VALUES: &str = "w.values";
const PENDING: &str = "w.pending";

pub(super) fn encode<'a>(encoder: &mut Encoder<'a>, matrix: &'a Matrix, lazy: Option<&'a LazyWeights>) -> Result<()> {
    encoder.json("matrix", &shape(matrix))?;
    match (matrix, lazy) {
        (Matrix::Sparse(sparse), Some(lazy)) => {
            csr::encode(encoder, NAME, sparse.csr(), Some(lazy.values()));
            encoder.tensor(PENDING, Elements::F32(lazy.pending()));
        }
        _ => encode_weights(encoder, matrix, NAME),
    }
    Ok(())
}

fn shape(matrix: &Matrix) -> Shape {
    let parts = match matrix {
        Matrix::Binned(binned) => vec![shape(binned.inner())],
        Matrix::Mixture(mixture) => mixture.parts().iter().map(|(_, part)| shape(part)).collect(),
        _ => Vec::new(),
    };
    Shape { form: matrix.name().to_string(), n_rows: matrix.n_rows() as u64, n_cols: matrix.n_cols() as u64, parts }
}

/// The name of the tensors of a matrix's `i`-th part.
fn part_name(name: &str, i: usize) -> String {
    format!("{name}.{i}")
}

fn encode_weights<'a>(encoder: &mut Encoder<'a>, matrix: &'a Matrix, name: &str) {
    let (n_rows, n_cols) = (matrix.n_rows(), matrix.n_cols());
    match matrix {
        Matrix::Identity(_) => {}
        Matrix::Diagonal(diagonal) => encoder.tensor(name, Elements::F32(diagonal.weights())),
        Matrix::Dense(dense) => encoder.shaped(name, vec![n_rows, n_cols], Elements::F32(dense.weights())),
        Matrix::Sparse(sparse) => csr::encode(encoder, name, sparse.csr(), None),
        Matrix::LowRank(low_rank) => encode_low_rank(encoder, low_rank.parts(), name),
        Matrix::Hashed(hashed) => {
            encoder.tensor(name, Elements::F32(hashed.weights()));
            if let Some(alpha) = hashed.identity() {
                encoder.tensor(format!("{name}.identity"), Elements::OneF32(alpha));
            }
        }
        Matrix::Binned(binned) => {
            csr::encode(encoder, &format!("{name}.query"), binned.bins(Side::Query), None);
            if !Arc::ptr_eq(binned.bins(Side::Query), binned.bins(Side::Document)) {
                csr::encode(encoder, &format!("{name}.document"), binned.bins(Side::Document), None);
            }
            encode_weights(encoder, binned.inner(), &part_name(name, 0));
        }
        Matrix::Mixture(mixture) => {
            for (i, (weight, part)) in mixture.parts().iter().enumerate() {
                encoder.tensor(format!("{}.weight", part_name(name, i)), Elements::OneF32(*weight));
                encode_weights(encoder, part, &part_name(name, i));
            }
        }
    }
}

fn encode_low_rank<'a>(encoder: &mut Encoder<'a>, parts: &'a LowRankParts, name: &str) {
    let rows = |numbers: &[f32]| vec![numbers.len() / parts.rank, parts.rank];
    encoder.shaped(format!("{name}.u"), rows(&parts.u), Elements::F32(&parts.u));
    if let Some(v) = &parts.v {
        encoder.shaped(format!("{name}.v"), rows(v), Elements::F32(v));
    }
    match &parts.diagonal {
        LowRankDiagonal::None => {}
        LowRankDiagonal::Scaled(alpha) => encoder.tensor(format!("{name}.identity"), Elements::OneF32(*alpha)),
        LowRankDiagonal::Weights(weights) => encoder.tensor(format!("{name}.diagonal"), Elements::F32(weights)),
    }
}

/// Reads W as it is served and, if it is kept and asked for, as training left it.
pub(super) fn decode<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    with_state: bool,
) -> Result<(Matrix, Option<LazyWeights>)> {
    let shape: Shape = decoder.json("matrix")?;
    if shape.form == "sparse" && decoder.has(PENDING) {
        let (n_rows, n_cols) = size_of_shape(decoder, &shape)?;
        let mut parts = csr::decode(decoder, NAME, n_rows, n_cols)?;
        let lazy = decode_lazy(decoder, &mut parts, n_rows, with_state)?;
        let matrix = Matrix::sparse(parts.into_csr(decoder, NAME, n_cols)?);
        return Ok((matrix.map_err(|e| decoder.damaged(NAME, &e))?, lazy));
    }
    Ok((decode_weights(decoder, &shape, NAME, MAX_DEPTH)?, None))
}

fn size_of_shape<R: Read + Seek>(decoder: &Decoder<R>, shape: &Shape) -> Result<(usize, usize)> {
    let [n_rows, n_cols] = [shape.n_rows, shape.n_cols].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if n_rows.max(n_cols) > MAX_TERMS {
        let what = format!("a matrix of {} x {}; at most {MAX_TERMS} terms are read", shape.n_rows, shape.n_cols);
        return Err(decoder.corrupt("header", what));
    }
    if matches!(shape.form.as_str(), "identity" | "diagonal") && n_rows != n_cols {
        return Err(decoder.corrupt("header", format!("the form {} for {n_rows} x {n_cols} terms", shape.form)));
    }
    let n_parts = shape.parts.len();
    let has_parts = match shape.form.as_str() {
        "binned" => n_parts == 1,
        "mixture" => n_parts >= 1,
        _ => n_parts == 0,
    };
    if !has_parts {
        return Err(decoder.corrupt("header", format!("the form {} with {n_parts} parts", shape.form)));
    }
    Ok((n_rows, n_cols))
}

fn decode_weights<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    shape: &Shape,
    name: &str,
    depth_left: usize,
) -> Result<Matrix> {
    let (n_rows, n_cols) = size_of_shape(decoder, shape)?;
    let Some(depth_left) = depth_left.checked_sub(1) else {
        return Err(decoder.corrupt("header", format!("matrices inside matrices, more than {MAX_DEPTH} deep")));
    };
    let matrix = match shape.form.as_str() {
        "identity" => Matrix::identity(n_rows),
        "diagonal" => Matrix::diagonal(decoder.f32s(name, &[n_rows])?),
        "dense" => Matrix::dense(n_rows, n_cols, decoder.f32s(name, &[n_rows, n_cols])?),
        "sparse" => Matrix::sparse(decode_csr(decoder, name, n_rows, n_cols)?),
        "low-rank" => Matrix::low_rank(decode_low_rank(decoder, name, n_rows, n_cols)?),
        "hashed" => {
            let n_weights = decoder.len_of(name)?;
            let weights = decoder.f32s(name, &[n_weights])?;
            let identity = decode_number(decoder, &format!("{name}.identity"))?;
            Matrix::hashed(n_rows, n_cols, weights, identity)
        }
        "binned" => {
            let inner = decode_weights(decoder, &shape.parts[0], &part_name(name, 0), depth_left)?;
            let of_queries = Arc::new(decode_csr(decoder, &format!("{name}.query"), n_rows, inner.n_rows())?);
            let of_documents = format!("{name}.document");
            let of_documents = if decoder.has(&format!("{of_documents}.values")) {
                Arc::new(decode_csr(decoder, &of_documents, n_cols, inner.n_cols())?)
            } else {
                Arc::clone(&of_queries)
            };
            if of_documents.n_rows() != n_cols {
                return Err(decoder.corrupt(name, format!("bins of {n_rows} words for {n_cols} document terms")));
            }
            Matrix::binned(of_queries, of_documents, inner)
        }
        "mixture" => {
            let mut parts = Vec::new();
            for (i, of_part) in shape.parts.iter().enumerate() {
                let name = part_name(name, i);
                if (of_part.n_rows, of_part.n_cols) != (shape.n_rows, shape.n_cols) {
                    return Err(decoder.corrupt("header", "a mixture of matrices of several sizes"));
                }
                let of_weight = format!("{name}.weight");
                let weight = decode_number(decoder, &of_weight)?;
                let weight = weight.ok_or_else(|| decoder.corrupt(&of_weight, "it is missing"))?;
                parts.push((weight, decode_weights(decoder, of_part, &name, depth_left)?));
            }
            Matrix::mixture(parts)
        }
        form => {
            return Err(decoder.unsupported(format!("a matrix of the form {form:?}; use a newer qwd")));
        }
    };
    matrix.map_err(|e| decoder.damaged(name, &e))
}

fn decode_csr<R: Read + Seek>(decoder: &mut Decoder<R>, name: &str, n_rows: usize, n_cols: usize) -> Result<Csr> {
    csr::decode(decoder, name, n_rows, n_cols)?.into_csr(decoder, name, n_cols)
}

/// A single number, if the file has it.
fn decode_number<R: Read + Seek>(decoder: &mut Decoder<R>, name: &str) -> Result<Option<f32>> {
    if decoder.has(name) { Ok(Some(decoder.f32s(name, &[1])?[0])) } else { Ok(None) }
}

fn decode_low_rank<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    name: &str,
    n_rows: usize,
    n_cols: usize,
) -> Result<LowRankParts> {
    let [of_u, of_v] = ["u", "v"].map(|part| format!("{name}.{part}"));
    let [n_u, rank] = decoder.shape_of(&of_u)?;
    let u = decoder.f32s(&of_u, &[n_u, rank])?;
    let v = if decoder.has(&of_v) {
        let [n_v, _] = decoder.shape_of(&of_v)?;
        Some(decoder.f32s(&of_v, &[n_v, rank])?)
    } else {
        None
    };
    let of_weights = format!("{name}.diagonal");
    let diagonal = match decode_number(decoder, &format!("{name}.identity"))? {
        Some(alpha) => LowRankDiagonal::Scaled(alpha),
        None if decoder.has(&of_weights) => LowRankDiagonal::Weights(decoder.f32s(&of_weights, &[n_rows])?),
        None => LowRankDiagonal::None,
    };
    Ok(LowRankParts { n_rows, n_cols, rank, u, v, diagonal })
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
