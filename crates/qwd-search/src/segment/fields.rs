//! Which documents have which value of a stored field: what filters ask.
//!
//! Every text, number, truth value, and element of a list of such, of a document's extra fields, its label and its split has
//! an entry; long texts have none. A key is the field's name, a zero byte, and the value as JSON.

use super::container::{Container, u32_at};
use qwd_core::{Error, Result};
use qwd_data::Document;
use roaring::RoaringBitmap;
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) const SECTION: &str = "fields";

/// Values of more bytes are not looked up.
pub(crate) const MAX_VALUE_BYTES: usize = 256;

/// Place and size of a key, place and size of its documents.
const ENTRY_BYTES: usize = 16;

/// Gathers the values of documents.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    documents: BTreeMap<Vec<u8>, RoaringBitmap>,
}

/// The keys of a document's values.
pub(crate) fn keys(document: &Document) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let mut add = |field: &str, value: &Value| keys.extend(key(field, value));
    if let Some(label) = &document.label {
        add("label", &Value::from(label.as_str()));
    }
    if let Some(Ok(split)) = document.split.map(serde_json::to_value) {
        add("split", &split);
    }
    for (field, value) in &document.extra {
        match value {
            Value::Array(values) => values.iter().for_each(|value| add(field, value)),
            value => add(field, value),
        }
    }
    keys
}

/// The key of a field and a value, if it can be looked up.
pub(crate) fn key(field: &str, value: &Value) -> Option<Vec<u8>> {
    let text = match value {
        Value::String(_) | Value::Bool(_) => value.to_string(),
        // 1 and 1.0 are one value.
        Value::Number(number) => number.as_f64()?.to_string(),
        _ => return None,
    };
    (text.len() <= MAX_VALUE_BYTES).then(|| [field.as_bytes(), &[0], text.as_bytes()].concat())
}

impl Gatherer {
    /// Adds a document's keys; documents come in order.
    pub(crate) fn push(&mut self, doc: u32, keys: Vec<Vec<u8>>) {
        for key in keys {
            self.documents.entry(key).or_default().insert(doc);
        }
    }

    /// Returns the section.
    pub(crate) fn finish(self) -> Result<(&'static str, Vec<u8>)> {
        let mut table = Vec::with_capacity(4 + ENTRY_BYTES * self.documents.len());
        table.extend_from_slice(&(self.documents.len() as u32).to_le_bytes());
        let start = 4 + ENTRY_BYTES * self.documents.len();
        let mut blobs = Vec::new();
        for (key, documents) in &self.documents {
            table.extend_from_slice(&((start + blobs.len()) as u32).to_le_bytes());
            table.extend_from_slice(&(key.len() as u32).to_le_bytes());
            blobs.extend_from_slice(key);
            table.extend_from_slice(&((start + blobs.len()) as u32).to_le_bytes());
            table.extend_from_slice(&(documents.serialized_size() as u32).to_le_bytes());
            documents.serialize_into(&mut blobs).map_err(|e| Error::internal(format!("a set of documents: {e}")))?;
        }
        if u32::try_from(start + blobs.len()).is_err() {
            let remedy = "index fewer fields, or the documents in several indexes";
            return Err(Error::limit("bytes of fields", u64::from(u32::MAX), (start + blobs.len()) as u64, remedy));
        }
        table.extend_from_slice(&blobs);
        Ok((SECTION, table))
    }
}

/// The documents whose key is one of those that `wanted` accepts, among the keys that begin with `prefix`.
pub(crate) fn find(container: &Container, prefix: &[u8], wanted: impl Fn(&[u8]) -> bool) -> Result<RoaringBitmap> {
    let damaged = |what: &str| container.damaged(SECTION, what);
    let bytes = container.section(SECTION)?;
    let n = u32_at(bytes, 0).unwrap_or(0) as usize;
    let blob = |i: usize, half: usize| {
        let entry = 4 + i * ENTRY_BYTES + half;
        let (from, n) = (u32_at(bytes, entry)? as usize, u32_at(bytes, entry + 4)? as usize);
        bytes.get(from..from.checked_add(n)?)
    };
    let key = |i: usize| blob(i, 0).ok_or_else(|| damaged("a key lies beyond the end"));
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = (low + high) / 2;
        if key(middle)? < prefix { low = middle + 1 } else { high = middle }
    }
    let mut found = RoaringBitmap::new();
    for i in low..n {
        let key = key(i)?;
        if !key.starts_with(prefix) {
            break;
        }
        if wanted(&key[prefix.len()..]) {
            let documents = blob(i, 8).ok_or_else(|| damaged("a set lies beyond the end"))?;
            found |= RoaringBitmap::deserialize_from(documents).map_err(|_| damaged("a set cannot be read"))?;
        }
    }
    Ok(found)
}
