//! The strongest pairs of different words in a W: what it has learned, in words.

use crate::plot::HeatMap;
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Error, Result};
use qwd_model::{Model, Side};
use serde::Serialize;

/// Entries of a row that are looked at; a word with more strong partners shows only these.
const PER_WORD: usize = 50;

/// A query word, a document word and their weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordPair {
    /// The word of the query.
    pub query: String,
    /// The word of the document.
    pub document: String,
    /// The entry of W.
    pub weight: f32,
}

/// Returns the `k` pairs of different words with the greatest `worth`, which sees the number of each word and the weight;
/// pairs without worth are left out.
pub fn strongest_pairs(model: &Model, k: usize, worth: impl Fn(u32, u32, f32) -> Option<f32>) -> Result<Vec<WordPair>> {
    let (query, document) = sides(model)?;
    let mut pairs = Vec::new();
    for s in 0..model.matrix().n_rows() as u32 {
        for partner in model.matrix().related(Side::Query, s, PER_WORD)? {
            let same = query.word(s) == document.word(partner.term);
            if let Some(worth) = worth(s, partner.term, partner.weight).filter(|_| !same) {
                pairs.push((s, partner.term, partner.weight, worth));
            }
        }
    }
    let scored = pairs.iter().zip(0u32..).map(|(&(.., worth), item)| Scored { item, score: worth });
    let pair = |best: &Scored| {
        let (s, t, weight, _) = pairs[best.item as usize];
        WordPair { query: query.word(s).to_string(), document: document.word(t).to_string(), weight }
    };
    Ok(top_k(scored, k).iter().map(pair).collect())
}

/// A heat map of the words with the strongest weights between them, at most `n_words` a side.
pub fn heat_map(model: &Model, n_words: usize, title: String) -> Result<HeatMap> {
    let strongest = strongest_pairs(model, 20 * n_words, |_, _, weight| Some(weight.abs()))?;
    let mut map = HeatMap { title, ..HeatMap::default() };
    for pair in strongest {
        let is_new = |words: &[String], word: &String| !words.contains(word) && words.len() < n_words;
        let (row, column) = (is_new(&map.query_words, &pair.query), is_new(&map.document_words, &pair.document));
        let (has_row, has_column) =
            (map.query_words.contains(&pair.query), map.document_words.contains(&pair.document));
        if row && (column || has_column) {
            map.query_words.push(pair.query);
        }
        if column && (row || has_row) {
            map.document_words.push(pair.document);
        }
    }
    if map.query_words.is_empty() {
        return Err(Error::bad_data("W ties no two different words together", "train a model that learns word pairs"));
    }
    for word in &map.query_words {
        let s = model.term(Side::Query, word)?;
        let entry = |word: &String| Ok(f64::from(model.matrix().entry(s, model.term(Side::Document, word)?)?));
        map.weights.push(map.document_words.iter().map(entry).collect::<Result<_>>()?);
    }
    Ok(map)
}

fn sides(model: &Model) -> Result<(&qwd_text::Vocabulary, &qwd_text::Vocabulary)> {
    match (model.vectorizer(Side::Query), model.vectorizer(Side::Document)) {
        (Some(query), Some(document)) => Ok((query.vocabulary(), document.vocabulary())),
        _ => Err(Error::bad_data("the model has no words", "train a model from text")),
    }
}
