//! What is in a model file, from its header alone.

use super::decoder::Decoder;
use super::matrix::{Shape, VALUES};
use super::words::Words;
use super::{header, state};
use crate::matrix::Side;
use crate::provenance::Provenance;
use qwd_core::error::Result;
use qwd_store::open_regular;
use serde::Serialize;
use std::path::Path;

/// What the header of a model file says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The version of the format.
    pub format_version: String,
    /// The size of the file.
    pub file_bytes: u64,
    /// The form of W.
    pub form: String,
    /// The number of query terms.
    pub n_rows: u64,
    /// The number of document terms.
    pub n_cols: u64,
    /// The number of learned weights.
    pub n_parameters: u64,
    /// The share of entries of W that are stored; 1 for forms whose entries follow from few weights.
    pub density: f64,
    /// Whether texts of queries can be scored.
    pub query_words: bool,
    /// Whether texts of documents can be scored.
    pub document_words: bool,
    /// Whether both sides have the same words.
    pub shared_words: bool,
    /// The number of training steps, if training can go on.
    pub step: Option<u64>,
    /// Where the model comes from.
    pub provenance: Provenance,
    /// The tensors in the order of the file.
    pub tensors: Vec<TensorSummary>,
}

/// What the header says of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TensorSummary {
    /// Its name.
    pub name: String,
    /// The type of its elements, as safetensors names it.
    pub dtype: String,
    /// Its size in each dimension.
    pub shape: Vec<usize>,
    /// Its size.
    pub n_bytes: u64,
}

/// Reads what the header of a model file says; the tensors are not read.
pub fn inspect(path: impl AsRef<Path>) -> Result<Summary> {
    let (file, file_bytes) = open_regular(path.as_ref())?;
    let decoder = Decoder::new(file, file_bytes, path.as_ref())?;
    let shape: Shape = decoder.json("matrix")?;
    let n_entries = shape.n_rows as f64 * shape.n_cols as f64;
    let n_stored: f64 = match shape.form.as_str() {
        "identity" | "diagonal" => shape.n_rows as f64,
        "sparse" => decoder.len_of(VALUES)? as f64,
        _ => n_entries,
    };
    let n_parameters = match shape.form.as_str() {
        "identity" => 0,
        "diagonal" | "dense" | "sparse" => n_stored as u64,
        _ => decoder.n_weights(),
    };
    let words = |side: Side| -> Result<Option<Words>> {
        if decoder.has_key(side.name()) { decoder.json(side.name()).map(Some) } else { Ok(None) }
    };
    let (query, document) = (words(Side::Query)?, words(Side::Document)?);
    let step = if decoder.has_key("state") { Some(decoder.json::<state::Described>("state")?.step) } else { None };
    Ok(Summary {
        format_version: header::FORMAT_VERSION.to_string(),
        file_bytes,
        n_parameters,
        density: if n_entries == 0.0 { 0.0 } else { n_stored / n_entries },
        form: shape.form,
        n_rows: shape.n_rows,
        n_cols: shape.n_cols,
        query_words: query.is_some(),
        document_words: document.is_some(),
        shared_words: document.is_some_and(|d| d.vocabulary == Side::Query.name()),
        step,
        provenance: decoder.json("provenance")?,
        tensors: tensors(&decoder),
    })
}

fn tensors<R>(decoder: &Decoder<R>) -> Vec<TensorSummary> {
    let of_header = &decoder.header().tensors;
    let summary = |name: String| {
        let info = of_header.info(&name)?;
        Some(TensorSummary {
            dtype: info.dtype.to_string(),
            shape: info.shape.clone(),
            n_bytes: (info.data_offsets.1 - info.data_offsets.0) as u64,
            name,
        })
    };
    of_header.offset_keys().into_iter().filter_map(summary).collect()
}
