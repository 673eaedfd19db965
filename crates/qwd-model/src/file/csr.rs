//! A sparse matrix as three tensors: `NAME.indptr`, `NAME.indices`, `NAME.values`.

use super::decoder::Decoder;
use super::encoder::{Elements, Encoder};
use qwd_core::Csr;
use qwd_core::error::Result;
use std::io::{Read, Seek};

/// With this many columns or fewer, an index takes two bytes.
const MAX_NARROW: usize = 1 << 16;

/// The tensors of a sparse matrix with sound row pointers; the rows are not yet checked.
pub(super) struct Parts {
    pub(super) indptr: Vec<u64>,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
}

/// Adds a sparse matrix; `values` may stand in for the matrix's own.
pub(super) fn encode<'a>(encoder: &mut Encoder<'a>, name: &str, csr: &'a Csr, values: Option<&'a [f32]>) {
    let (indptr, indices, own_values) = csr.parts();
    let narrow = csr.n_cols() as usize <= MAX_NARROW;
    encoder.tensor(format!("{name}.indptr"), Elements::U64(indptr));
    encoder.tensor(format!("{name}.indices"), if narrow { Elements::U16(indices) } else { Elements::U32(indices) });
    encoder.tensor(format!("{name}.values"), Elements::F32(values.unwrap_or(own_values)));
}

/// Reads the tensors of a sparse matrix of given size.
pub(super) fn decode<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    name: &str,
    n_rows: usize,
    n_cols: usize,
) -> Result<Parts> {
    let (of_rows, of_indices, of_values) =
        (format!("{name}.indptr"), format!("{name}.indices"), format!("{name}.values"));
    let indptr = decoder.u64s(&of_rows, n_rows.saturating_add(1))?;
    let n_entries = decoder.len_of(&of_values)?;
    let whole = indptr.first() == Some(&0) && indptr.last() == Some(&(n_entries as u64)) && indptr.is_sorted();
    if !whole {
        return Err(decoder.corrupt(&of_rows, "row pointers that do not rise from 0 to the number of entries"));
    }
    let indices = if n_cols <= MAX_NARROW {
        decoder.u16s(&of_indices, n_entries)?
    } else {
        decoder.u32s(&of_indices, n_entries)?
    };
    let values = decoder.f32s(&of_values, &[n_entries])?;
    Ok(Parts { indptr, indices, values })
}

impl Parts {
    /// Checks the parts and makes the matrix of them.
    pub(super) fn into_csr<R: Read + Seek>(self, decoder: &Decoder<R>, name: &str, n_cols: usize) -> Result<Csr> {
        let n_cols = u32::try_from(n_cols).map_err(|_| decoder.corrupt(name, "too many columns"))?;
        Csr::from_parts(n_cols, self.indptr, self.indices, self.values).map_err(|e| decoder.damaged(name, &e))
    }
}
