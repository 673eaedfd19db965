//! Takes a model file apart and puts it together again with checksums that hold: what a stranger can do.

#![allow(dead_code, reason = "each test uses some of it")]

use qwd_model::Model;
use qwd_store::crc32;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const OPENING: &str = r#"{"__metadata__":{"header_crc32":""#;

/// A tensor that may lie about itself.
#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) shape: Value,
    pub(crate) bytes: Vec<u8>,
    /// Places to claim in the header in place of the true ones.
    pub(crate) offsets: Option<[u64; 2]>,
}

/// The parts of a model file.
#[derive(Clone)]
pub(crate) struct Forge {
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) tensors: Vec<Tensor>,
}

impl Forge {
    pub(crate) fn new(model: &Model) -> Self {
        let bytes = model.to_bytes().expect("encoded");
        let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
        let header: Map<String, Value> = serde_json::from_slice(&bytes[8..8 + n_header]).expect("JSON");
        let data = &bytes[8 + n_header..];
        let metadata = header["__metadata__"].as_object().expect("a map").clone().into_iter().collect();
        let mut tensors: Vec<(u64, Tensor)> = Vec::new();
        for (name, info) in header.iter().filter(|(name, _)| *name != "__metadata__") {
            let at = |i: usize| info["data_offsets"][i].as_u64().expect("an offset");
            let tensor = Tensor {
                name: name.clone(),
                dtype: info["dtype"].as_str().expect("a type").to_string(),
                shape: info["shape"].clone(),
                bytes: data[at(0) as usize..at(1) as usize].to_vec(),
                offsets: None,
            };
            tensors.push((at(0), tensor));
        }
        tensors.sort_by_key(|(at, t)| (*at, t.bytes.len()));
        Self { metadata, tensors: tensors.into_iter().map(|(_, t)| t).collect() }
    }

    pub(crate) fn tensor(&mut self, name: &str) -> &mut Tensor {
        self.tensors.iter_mut().find(|t| t.name == name).expect("a tensor of that name")
    }

    /// Changes a value of the metadata, a string of JSON.
    pub(crate) fn json(&mut self, key: &str, change: impl FnOnce(&mut Value)) {
        let text = self.metadata[key].as_str().expect("a string");
        let mut value = serde_json::from_str(text).expect("JSON");
        change(&mut value);
        self.metadata.insert(key.into(), value.to_string().into());
    }

    pub(crate) fn add(&mut self, name: &str, dtype: &str, shape: Value, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name: name.into(), dtype: dtype.into(), shape, bytes, offsets: None });
    }

    /// The file, with true checksums of the tensors and of the header.
    pub(crate) fn build(&self) -> Vec<u8> {
        let sums: Map<String, Value> =
            self.tensors.iter().map(|t| (t.name.clone(), format!("{:08x}", crc32(&t.bytes)).into())).collect();
        self.build_with_checksums(&Value::Object(sums))
    }

    pub(crate) fn build_with_checksums(&self, sums: &Value) -> Vec<u8> {
        let mut metadata = self.metadata.clone();
        metadata.remove("header_crc32");
        metadata.insert("crc32".into(), sums.to_string().into());
        let mut text = format!("{OPENING}00000000\"");
        for (key, value) in &metadata {
            text += &format!(",{}:{value}", json!(key));
        }
        text.push('}');
        let mut data = Vec::new();
        for t in &self.tensors {
            let from = data.len() as u64;
            data.extend_from_slice(&t.bytes);
            let offsets = t.offsets.unwrap_or([from, data.len() as u64]);
            let info = json!({"dtype": t.dtype, "shape": t.shape, "data_offsets": offsets});
            text += &format!(",{}:{info}", json!(t.name));
        }
        text.push('}');
        seal(&text, &data)
    }
}

/// Puts length and checksum to the text of a header, and the data after it.
pub(crate) fn seal(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    reseal(&mut bytes);
    bytes.extend_from_slice(data);
    bytes
}

/// Makes the header's checksum hold again after a change, if it has a place for one.
pub(crate) fn reseal(bytes: &mut [u8]) {
    let n_header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let place = 8 + OPENING.len()..16 + OPENING.len();
    let end = 8usize.saturating_add(n_header).min(bytes.len());
    if place.end <= end && bytes[8..].starts_with(OPENING.as_bytes()) {
        bytes[place.clone()].copy_from_slice(b"00000000");
        let sum = format!("{:08x}", crc32(&bytes[..end]));
        bytes[place].copy_from_slice(sum.as_bytes());
    }
}
