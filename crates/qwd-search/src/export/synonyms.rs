//! W as a file of synonyms, as Lucene, Solr and Elasticsearch read them: for each word of queries the words of documents that
//! speak for it most. Such a file knows neither signs nor, without boosts, how strongly.

use qwd_core::{Error, Result, parameters};
use qwd_model::{Model, Side};
use std::fmt::Write;

parameters! {
    /// Which synonyms are written.
    pub struct SynonymParams {
        /// How many words for each word of queries, the strongest.
        pub per_word: usize = 5,
        /// The least weight of a synonym, as a share of the weight of the word with itself, or of 1 where it has none.
        pub min_weight: f32 = 0.1,
        /// Whether weights follow the words as `word|0.5`, for Solr's delimited boosts.
        pub boosts: bool = false,
    }
}

/// Writes a line `word => word, synonym, …` for each word that has synonyms; tells how many lines there are.
pub fn synonyms(model: &Model, params: &SynonymParams, out: &mut String) -> Result<usize> {
    if params.per_word == 0 || !(0.0..=f32::MAX).contains(&params.min_weight) {
        return Err(Error::param("per_word, min_weight", params.per_word, "at least 1 word, and a weight from 0 up"));
    }
    let (Some(queries), Some(documents)) = (model.vectorizer(Side::Query), model.vectorizer(Side::Document)) else {
        return Err(Error::bad_data("the model has no words", "train a model from text"));
    };
    let mut n_lines = 0;
    for (term, word) in (0u32..).zip(queries.vocabulary().words()) {
        let own = documents.vocabulary().get(word);
        let of_own = own.map_or(Ok(0.0), |t| model.matrix().entry(term, t))?;
        let scale = if of_own > 0.0 { of_own } else { 1.0 };
        // One more than is wanted: the word itself is no synonym. Strong weights below 0 take places, so ask for more.
        let related = model.matrix().related(Side::Query, term, 4 * params.per_word + 4)?;
        let strong =
            related.iter().filter(|p| Some(p.term) != own && p.weight > 0.0 && p.weight >= params.min_weight * scale);
        let strong: Vec<_> = strong.take(params.per_word).collect();
        if strong.is_empty() {
            continue;
        }
        let _ = write!(out, "{} => {}", escaped(word), boosted(word, 1.0, params));
        for partner in strong {
            let other = documents.vocabulary().word(partner.term);
            let _ = write!(out, ", {}", boosted(other, partner.weight / scale, params));
        }
        out.push('\n');
        n_lines += 1;
    }
    Ok(n_lines)
}

fn boosted(word: &str, weight: f32, params: &SynonymParams) -> String {
    match params.boosts {
        true => format!("{}|{weight:.3}", escaped(word)),
        false => escaped(word),
    }
}

/// What the layout gives a meaning is escaped.
fn escaped(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if matches!(c, '\\' | ',' | '=' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
