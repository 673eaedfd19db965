//! Tensors on their way to the disk: borrowed, in little endian, with checksums.

use super::header;
use qwd_core::error::{Error, Result};
use qwd_store::HashingWriter;
use safetensors::tensor::{Dtype, TensorInfo};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How many elements are converted at a time.
const CHUNK: usize = 1 << 14;

/// The elements of a tensor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Elements<'a> {
    U8(&'a [u8]),
    /// Numbers below 65,536, two bytes each.
    U16(&'a [u32]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    /// A single number.
    OneF32(f32),
}

impl Elements<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U8(x) => x.len(),
            Self::U16(x) | Self::U32(x) => x.len(),
            Self::U64(x) => x.len(),
            Self::F32(x) => x.len(),
            Self::OneF32(_) => 1,
        }
    }

    fn dtype(&self) -> Dtype {
        match self {
            Self::U8(_) => Dtype::U8,
            Self::U16(_) => Dtype::U16,
            Self::U32(_) => Dtype::U32,
            Self::U64(_) => Dtype::U64,
            Self::F32(_) | Self::OneF32(_) => Dtype::F32,
        }
    }

    fn element_bytes(&self) -> usize {
        match self {
            Self::U8(_) => 1,
            Self::U16(_) => 2,
            Self::U32(_) | Self::F32(_) | Self::OneF32(_) => 4,
            Self::U64(_) => 8,
        }
    }

    fn write_to(&self, w: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::U8(x) => w.write_all(x),
            Self::U16(x) => write_all(w, x, |v| (v as u16).to_le_bytes()),
            Self::U32(x) => write_all(w, x, u32::to_le_bytes),
            Self::U64(x) => write_all(w, x, u64::to_le_bytes),
            Self::F32(x) => write_all(w, x, f32::to_le_bytes),
            Self::OneF32(x) => write_all(w, &[*x], f32::to_le_bytes),
        }
    }
}

fn write_all<T: Copy, const N: usize>(w: &mut dyn Write, x: &[T], bytes: impl Fn(T) -> [u8; N]) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK * N);
    for chunk in x.chunks(CHUNK) {
        buffer.clear();
        buffer.extend(chunk.iter().flat_map(|&v| bytes(v)));
        w.write_all(&buffer)?;
    }
    Ok(())
}

#[derive(Debug)]
struct Tensor<'a> {
    name: String,
    shape: Vec<usize>,
    elements: Elements<'a>,
}

/// Gathers metadata and tensors, then writes them.
#[derive(Debug, Default)]
pub(super) struct Encoder<'a> {
    metadata: BTreeMap<String, String>,
    tensors: Vec<Tensor<'a>>,
    header: Vec<u8>,
}

impl<'a> Encoder<'a> {
    /// Adds a value to the metadata, as a string of JSON.
    pub(super) fn json(&mut self, key: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)
            .map_err(|e| Error::internal(format!("metadata {key} that is not JSON: {e}")))?;
        self.metadata.insert(key.to_string(), text);
        Ok(())
    }

    /// Adds a tensor of one dimension.
    pub(super) fn tensor(&mut self, name: impl Into<String>, elements: Elements<'a>) {
        self.shaped(name, vec![elements.len()], elements);
    }

    /// Adds a tensor.
    pub(super) fn shaped(&mut self, name: impl Into<String>, shape: Vec<usize>, elements: Elements<'a>) {
        self.tensors.push(Tensor { name: name.into(), shape, elements });
    }

    /// Orders the tensors, computes all checksums and makes the header.
    pub(super) fn seal(&mut self) -> Result<()> {
        // Wide elements first, so that every tensor begins at a multiple of its elements' size.
        let order = |t: &Tensor<'_>| (std::cmp::Reverse(t.elements.element_bytes()), t.name.clone());
        self.tensors.sort_by_cached_key(order);
        let (mut infos, mut checksums, mut offset) = (Vec::new(), BTreeMap::new(), 0);
        for tensor in &self.tensors {
            let mut hasher = HashingWriter::new(io::sink());
            tensor.elements.write_to(&mut hasher).map_err(|e| Error::internal(format!("a sink that fails: {e}")))?;
            checksums.insert(tensor.name.as_str(), header::digits(hasher.crc32()));
            let end = offset + tensor.elements.len() * tensor.elements.element_bytes();
            let (dtype, shape) = (tensor.elements.dtype(), tensor.shape.clone());
            infos.push((tensor.name.as_str(), TensorInfo { dtype, shape, data_offsets: (offset, end) }));
            offset = end;
        }
        let text = serde_json::to_string(&checksums).map_err(|e| Error::internal(format!("checksums: {e}")))?;
        self.metadata.insert("crc32".into(), text);
        self.metadata.insert("format".into(), header::FORMAT.into());
        self.metadata.insert("format_version".into(), header::FORMAT_VERSION.into());
        self.header = header::write(&self.metadata, &infos)?;
        Ok(())
    }

    /// Writes what was sealed.
    pub(super) fn write_to(&self, w: &mut dyn Write) -> io::Result<()> {
        w.write_all(&self.header)?;
        self.tensors.iter().try_for_each(|tensor| tensor.elements.write_to(w))
    }
}
