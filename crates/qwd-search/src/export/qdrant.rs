//! Points and queries for Qdrant, one JSON object on a line. Its inner products take weights of either sign, so the ranking is
//! ours; it prunes nothing then, which costs time only. A point has a number; the id of a document is in its payload.

use super::{Words, to_json};
use qwd_core::Result;
use qwd_data::Document;
use serde_json::{Value, json};

fn sparse(words: &Words<'_>) -> Value {
    let view = words.vector.view();
    json!({"indices": view.indices(), "values": view.values()})
}

pub(super) fn document(document: &Document, number: u64, words: &Words<'_>, out: &mut String) -> Result<()> {
    let point = json!({"id": number, "vector": {"words": sparse(words)}, "payload": document});
    out.push_str(&to_json(&point)?);
    out.push('\n');
    Ok(())
}

pub(super) fn query(id: &str, k: usize, words: &Words<'_>, out: &mut String) -> Result<()> {
    let body = json!({"query": sparse(words), "using": "words", "limit": k, "with_payload": true});
    out.push_str(&to_json(&json!({"_id": id, "body": body}))?);
    out.push('\n');
    Ok(())
}
