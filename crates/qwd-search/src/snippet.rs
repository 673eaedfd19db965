//! The passage of a text that speaks most for it, with the words that do.

use crate::matching::Asked;
use qwd_core::SparseVec;
use qwd_model::{Model, Side};
use qwd_text::Vectorizer;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;

/// How many words a passage has.
const WORDS: usize = 30;

/// The most bytes of a text that are looked at.
const MAX_BYTES: usize = 1 << 16;

/// A passage and the words in it that speak for the document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Snippet {
    /// The passage.
    pub text: String,
    /// Where the words begin and end in it, in bytes.
    pub highlights: Vec<(usize, usize)>,
}

impl Snippet {
    /// The passage with marks around the words.
    pub fn marked(&self, before: &str, after: &str) -> String {
        let mut out = String::new();
        let mut at = 0;
        for &(from, to) in &self.highlights {
            out.push_str(&self.text[at..from]);
            out.push_str(before);
            out.push_str(&self.text[from..to]);
            out.push_str(after);
            at = to;
        }
        out.push_str(&self.text[at..]);
        out
    }
}

/// Finds passages for one query.
#[derive(Debug)]
pub(crate) struct Highlighter<'a> {
    vectorizer: Option<&'a Vectorizer>,
    weights: HashMap<u32, f32>,
}

impl<'a> Highlighter<'a> {
    /// Words count by their weight in the expanded query; where documents are expanded, by the query's own words.
    pub(crate) fn new(model: &'a Model, q: &SparseVec, asked: &Asked, documents_expanded: bool) -> Self {
        let vectorizer = model.vectorizer(Side::Document);
        let expanded = || model.matrix().expand(q.view()).unwrap_or_default();
        let terms = if documents_expanded { expanded() } else { asked.terms.clone() };
        let idf = |term| {
            vectorizer.map_or(1.0, |v| {
                let df = v.vocabulary().document_frequencies()[term as usize];
                v.weighting().idf(df, v.vocabulary().n_documents()) as f32
            })
        };
        let mut weights: Vec<(u32, f32)> = terms.view().iter().map(|(term, w)| (term, w * idf(term))).collect();
        weights.retain(|&(_, w)| w > 0.0);
        // An expansion has many words that hardly count; marking them would mark everything.
        let greatest = weights.iter().fold(0.0f32, |a, &(_, w)| a.max(w));
        weights.retain(|&(_, w)| w > 0.1 * greatest);
        Self { vectorizer, weights: weights.into_iter().collect() }
    }

    /// The best passage of a text.
    pub(crate) fn snippet(&self, text: &str) -> Snippet {
        let end = (0..=MAX_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let words = words(&text[..end]);
        if words.is_empty() {
            return Snippet::default();
        }
        let mut known: HashMap<&str, f32> = HashMap::new();
        let weights: Vec<f32> =
            words.iter().map(|w| *known.entry(&text[w.clone()]).or_insert_with_key(|word| self.weight(word))).collect();
        let first = best_window(&weights);
        let last = (first + WORDS).min(words.len());
        let (from, to) = (words[first].start, words[last - 1].end);
        let marked = (first..last).filter(|&i| weights[i] > 0.0);
        let highlights = marked.map(|i| (words[i].start - from, words[i].end - from)).collect();
        Snippet { text: text[from..to].to_string(), highlights }
    }

    fn weight(&self, word: &str) -> f32 {
        let Some(vectorizer) = self.vectorizer else { return 0.0 };
        let terms = vectorizer.analyzer().terms(word);
        let weights = terms.iter().filter_map(|term| self.weights.get(&vectorizer.vocabulary().get(term)?));
        weights.fold(0.0, |a, &b| a.max(b))
    }
}

/// The first word of the window that weighs most; a word counts once in it.
fn best_window(weights: &[f32]) -> usize {
    let (mut best, mut at) = (0.0, 0);
    for first in (0..weights.len().saturating_sub(WORDS) + 1).step_by(3) {
        let window = &weights[first..(first + WORDS).min(weights.len())];
        let sum: f32 = window.iter().map(|w| w.sqrt()).sum();
        if sum > best {
            (best, at) = (sum, first);
        }
    }
    at
}

/// Runs of letters and digits; characters of scripts without spaces stand alone.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_alone = |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{f900}'..='\u{faff}').contains(&c);
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut joins = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let is_word = c.is_alphanumeric() || (joins && (c == '\'' || c == '’'));
        if is_word && joins && !is_alone(c) {
            words.last_mut().expect("joins to a word").end = end;
        } else if is_word {
            words.push(at..end);
        }
        joins = is_word && !is_alone(c);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_and_marks_are_set() {
        let text = "It's 東京 now.";
        let cut: Vec<&str> = words(text).into_iter().map(|w| &text[w]).collect();
        assert_eq!(cut, ["It's", "東", "京", "now"]);
        let snippet = Snippet { text: "a red car".into(), highlights: vec![(2, 5)] };
        assert_eq!(snippet.marked("<", ">"), "a <red> car");
    }
}
