//! The model file: safetensors with qwd's metadata, specified byte by byte in FORMAT.md.
//!
//! | module | question it answers |
//! |---|---|
//! | `header` | is this a qwd model, of which version, and is its header whole? |
//! | `encoder`, `decoder` | how do tensors get to the disk and back, with their checksums? |
//! | `csr`, `matrix`, `state`, `words` | which tensors is each part of a model made of? |
//! | `inspect`, `verify` | what is in a file, and is it sound? |

mod csr;
mod decoder;
mod encoder;
mod header;
mod inspect;
mod matrix;
mod state;
mod verify;
mod words;

pub use header::{FORMAT, FORMAT_VERSION, MAX_HEADER_BYTES};
pub use inspect::{Summary, TensorSummary, inspect};
pub use verify::{Section, Verification, verify};

use crate::model::Model;
use crate::provenance::Provenance;
use decoder::Decoder;
use encoder::Encoder;
use qwd_core::error::{Error, Result};
use qwd_store::{Disk, RealDisk, open_regular, save_atomically_on};
use std::io::{Cursor, Read, Seek};
use std::path::Path;

impl Model {
    /// Opens a model file with everything in it, checking all of it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (file, n_bytes) = open_regular(path.as_ref())?;
        decode(Decoder::new(file, n_bytes, path.as_ref())?, true)
    }

    /// Opens a model file to serve from: what only training needs is neither read nor kept.
    pub fn open_without_state(path: impl AsRef<Path>) -> Result<Self> {
        let (file, n_bytes) = open_regular(path.as_ref())?;
        decode(Decoder::new(file, n_bytes, path.as_ref())?, false)
    }

    /// Reads a model from the bytes of a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        decode(Decoder::new(Cursor::new(bytes), bytes.len() as u64, Path::new("<memory>"))?, true)
    }

    /// Saves the model, all or nothing; the same model gives the same bytes.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_on(&RealDisk, path)
    }

    /// Does what [`Model::save`] does, on a given disk.
    pub fn save_on<D: Disk>(&self, disk: &D, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let encoder = encode(self)?;
        save_atomically_on(disk, path, |w| encoder.write_to(w).map_err(|e| Error::io(path, "write", e)))
    }

    /// The bytes that [`Model::save`] writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let encoder = encode(self)?;
        encoder.write_to(&mut bytes).map_err(|e| Error::io("<memory>", "write", e))?;
        Ok(bytes)
    }
}

fn encode(model: &Model) -> Result<Encoder<'_>> {
    let mut encoder = Encoder::default();
    encoder.json("provenance", model.provenance())?;
    let lazy = model.state().and_then(|s| s.lazy_weights.as_ref());
    matrix::encode(&mut encoder, model.matrix(), lazy)?;
    words::encode(&mut encoder, model)?;
    if let Some(of_training) = model.state() {
        state::encode(&mut encoder, of_training)?;
    }
    encoder.seal()?;
    Ok(encoder)
}

fn decode<R: Read + Seek>(mut decoder: Decoder<R>, with_state: bool) -> Result<Model> {
    let provenance: Provenance = decoder.json("provenance")?;
    let (matrix, lazy) = matrix::decode(&mut decoder, with_state)?;
    let (query, document) = words::decode(&mut decoder)?;
    let mut model = Model::new(matrix, provenance)
        .with_vectorizers(query, document)
        .map_err(|e| decoder.damaged("vocabulary", &e))?;
    if !with_state {
        decoder.skip(state::PREFIX);
    } else if let Some(of_training) = state::decode(&mut decoder, lazy)? {
        model = model.with_state(of_training).map_err(|e| decoder.damaged("state", &e))?;
    }
    decoder.finish()?;
    Ok(model)
}
