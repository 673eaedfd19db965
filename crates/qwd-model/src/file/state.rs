//! The training state in the file: tensors `state.…`, and the lazy weights that lie with W.

use super::csr;
use super::decoder::Decoder;
use super::encoder::{Elements, Encoder};
use crate::state::{LazyWeights, TrainingState};
use qwd_core::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Seek};

/// How the names of the state's own tensors begin.
pub(super) const PREFIX: &str = "state.";

/// The metadata `state`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Described {
    pub(super) step: u64,
    /// The bits of each number: decimal digits might not bring back the same one.
    #[serde(default)]
    numbers: BTreeMap<String, u64>,
    /// Rows and columns of each matrix.
    matrices: BTreeMap<String, [u64; 2]>,
    vectors: Vec<String>,
}

pub(super) fn encode<'a>(encoder: &mut Encoder<'a>, state: &'a TrainingState) -> Result<()> {
    let size = |m: &qwd_core::Csr| [m.n_rows() as u64, u64::from(m.n_cols())];
    let described = Described {
        step: state.step,
        numbers: state.numbers.iter().map(|(name, x)| (name.clone(), x.to_bits())).collect(),
        matrices: state.matrices.iter().map(|(name, m)| (name.clone(), size(m))).collect(),
        vectors: state.vectors.keys().cloned().collect(),
    };
    encoder.json("state", &described)?;
    for (name, matrix) in &state.matrices {
        csr::encode(encoder, &matrix_name(name), matrix, None);
    }
    for (name, vector) in &state.vectors {
        encoder.tensor(vector_name(name), Elements::F32(vector));
    }
    Ok(())
}

pub(super) fn decode<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    lazy_weights: Option<LazyWeights>,
) -> Result<Option<TrainingState>> {
    if !decoder.has_key("state") {
        return match lazy_weights {
            None => Ok(None),
            Some(_) => Err(decoder.corrupt("header", "pending shrinkage without a training state")),
        };
    }
    let described: Described = decoder.json("state")?;
    let numbers = described.numbers.into_iter().map(|(name, bits)| (name, f64::from_bits(bits))).collect();
    let mut state = TrainingState { step: described.step, numbers, lazy_weights, ..TrainingState::default() };
    for (name, [n_rows, n_cols]) in described.matrices {
        let tensor = matrix_name(&name);
        let [n_rows, n_cols] = [n_rows, n_cols].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let parts = csr::decode(decoder, &tensor, n_rows, n_cols)?;
        state.matrices.insert(name, parts.into_csr(decoder, &tensor, n_cols)?);
    }
    for name in described.vectors {
        let tensor = vector_name(&name);
        let n = decoder.len_of(&tensor)?;
        let values = decoder.f32s(&tensor, &[n])?;
        state.vectors.insert(name, values);
    }
    Ok(Some(state))
}

fn matrix_name(name: &str) -> String {
    format!("{PREFIX}matrix.{name}")
}

fn vector_name(name: &str) -> String {
    format!("{PREFIX}vector.{name}")
}
