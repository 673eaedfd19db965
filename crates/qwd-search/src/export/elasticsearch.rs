//! Bulk lines for Elasticsearch (`sparse_vector`) and OpenSearch (`rank_features`), and bodies of searches.
//!
//! Both take weights above 0 only, keep about nine bits of each, and take no dots in names of features: a dot is written
//! `%2E`, and a percent sign `%25`.

use super::{Words, to_json};
use qwd_core::Result;
use qwd_data::Document;
use serde_json::{Map, Value, json};

fn features(words: &Words<'_>) -> Map<String, Value> {
    words.iter().map(|(word, weight)| (word.replace('%', "%25").replace('.', "%2E"), json!(weight))).collect()
}

pub(super) fn document(document: &Document, words: &Words<'_>, out: &mut String) -> Result<()> {
    let mut fields = document.extra.clone();
    fields.insert("title".into(), document.title.as_str().into());
    fields.insert("text".into(), document.text.as_str().into());
    fields.insert("words".into(), features(words).into());
    out.push_str(&to_json(&json!({"index": {"_id": document.id}}))?);
    out.push('\n');
    out.push_str(&to_json(&fields)?);
    out.push('\n');
    Ok(())
}

pub(super) fn query(id: &str, k: usize, words: &Words<'_>, out: &mut String) -> Result<()> {
    let search = json!({"sparse_vector": {"field": "words", "query_vector": features(words)}});
    line(id, k, search, out)
}

/// OpenSearch has a query of its own for it.
pub(super) fn opensearch_query(id: &str, k: usize, words: &Words<'_>, out: &mut String) -> Result<()> {
    let search = json!({"neural_sparse": {"words": {"query_tokens": features(words)}}});
    line(id, k, search, out)
}

fn line(id: &str, k: usize, search: Value, out: &mut String) -> Result<()> {
    out.push_str(&to_json(&json!({"_id": id, "body": {"size": k, "query": search}}))?);
    out.push('\n');
    Ok(())
}
