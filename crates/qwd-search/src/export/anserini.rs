//! JSON vectors and topics for Anserini, and so for Lucene's impact scores. Weights are whole numbers there: hundredths,
//! rounded, of which those below 1 are left out. A word of a topic is repeated as often as it weighs.

use super::{Words, to_json};
use qwd_core::Result;
use qwd_data::Document;
use serde_json::{Map, Value, json};

/// What a weight of 1 becomes.
const SCALE: f32 = 100.0;
/// The most that a word of a topic is repeated.
const MAX_REPEATS: usize = 10_000;

/// Words that are split at spaces would be others: n-grams are joined.
fn impacts<'a>(words: &'a Words<'_>) -> impl Iterator<Item = (String, u64)> + 'a {
    let impact =
        |(word, weight): (&str, f32)| (word.replace(char::is_whitespace, "_"), (SCALE * weight).round() as u64);
    words.iter().map(impact).filter(|(_, impact)| *impact > 0)
}

pub(super) fn document(document: &Document, words: &Words<'_>, out: &mut String) -> Result<()> {
    let vector: Map<String, Value> = impacts(words).map(|(word, impact)| (word, impact.into())).collect();
    let contents = document.full_text();
    out.push_str(&to_json(&json!({"id": document.id, "contents": contents, "vector": vector}))?);
    out.push('\n');
    Ok(())
}

pub(super) fn query(id: &str, words: &Words<'_>, out: &mut String) -> Result<()> {
    let repeated = impacts(words).flat_map(|(word, n)| std::iter::repeat_n(word, (n as usize).min(MAX_REPEATS)));
    out.push_str(&id.replace(char::is_whitespace, "_"));
    out.push('\t');
    out.push_str(&repeated.collect::<Vec<_>>().join(" "));
    out.push('\n');
    Ok(())
}
