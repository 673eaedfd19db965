//! Typing mistakes: a word that the model does not know is replaced by the nearest that it knows.
//!
//! Near is one insertion, deletion, substitution or exchange of neighbours in a word of 4 to 7 letters, up to two in longer
//! ones. Of the nearest the most frequent is taken. A word's letters, hashed to bits, leave few words to compare.

use qwd_text::{Vectorizer, Vocabulary};
use serde::Serialize;
use std::sync::Arc;

/// A word that took the place of an unknown one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Correction {
    /// The word of the query.
    pub word: String,
    /// The word in its place.
    pub replaced_by: String,
}

/// Finds near words of a vocabulary.
#[derive(Debug)]
pub(crate) struct Speller {
    vocabulary: Arc<Vocabulary>,
    /// For every word its letters as bits, and its number of letters.
    words: Vec<(u64, u8)>,
}

impl Speller {
    pub(crate) fn new(vectorizer: &Vectorizer) -> Self {
        let vocabulary = Arc::clone(vectorizer.vocabulary());
        let describe = |word: &str| (letters(word), word.chars().count().min(255) as u8);
        let words = vocabulary.words().map(describe).collect();
        Self { vocabulary, words }
    }

    /// Replaces the unknown words of a text, as far as a near word is known.
    pub(crate) fn correct(&self, text: &str, unknown: &[String], vectorizer: &Vectorizer) -> (String, Vec<Correction>) {
        let near =
            unknown.iter().filter_map(|word| Some(Correction { word: word.clone(), replaced_by: self.near(word)? }));
        let corrections: Vec<Correction> = near.collect();
        if corrections.is_empty() {
            return (text.to_string(), corrections);
        }
        let replace = |piece: &str| match vectorizer.analyzer().terms(piece).as_slice() {
            [term] => corrections.iter().find(|c| c.word == *term).map(|c| c.replaced_by.clone()),
            _ => None,
        };
        let pieces = text.split_whitespace().map(|piece| replace(piece).unwrap_or_else(|| piece.to_string()));
        (pieces.collect::<Vec<_>>().join(" "), corrections)
    }

    /// The nearest word, if one is near.
    fn near(&self, word: &str) -> Option<String> {
        let wanted: Vec<char> = word.chars().collect();
        let most = match wanted.len() {
            0..=3 => return None,
            4..=7 => 1,
            _ => 2,
        };
        let (bits, n) = (letters(word), wanted.len() as i32);
        let mut best: Option<(usize, std::cmp::Reverse<u32>, u32)> = None;
        for (id, &(of_word, n_letters)) in (0u32..).zip(&self.words) {
            let differing = (bits ^ of_word).count_ones() as usize;
            if (i32::from(n_letters) - n).unsigned_abs() as usize > most || differing > 2 * most {
                continue;
            }
            let other: Vec<char> = self.vocabulary.word(id).chars().collect();
            if let Some(d) = distance(&wanted, &other, most) {
                let frequency = self.vocabulary.document_frequencies()[id as usize];
                let found = (d, std::cmp::Reverse(frequency), id);
                best = Some(best.map_or(found, |b| b.min(found)));
            }
        }
        best.map(|(_, _, id)| self.vocabulary.word(id).to_string())
    }
}

fn letters(word: &str) -> u64 {
    word.chars().fold(0, |bits, c| bits | 1 << (c as u32 % 64))
}

/// The number of insertions, deletions, substitutions and exchanges of neighbours between two words, if at most `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    let (mut two_before, mut before) = (Vec::new(), (0..=b.len()).collect::<Vec<usize>>());
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = before[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_before[j - 2] + 1);
            }
        }
        if row.iter().all(|&d| d > most) {
            return None;
        }
        two_before = std::mem::replace(&mut before, row);
    }
    Some(before[b.len()]).filter(|&d| d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_each_kind_of_mistake_once() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>(), 2);
        assert_eq!(d("router", "router"), Some(0));
        assert_eq!(d("ruoter", "router"), Some(1));
        assert_eq!(d("rooter", "router"), Some(1));
        assert_eq!(d("rout", "router"), Some(2));
        assert_eq!(d("routerss", "router"), Some(2));
        assert_eq!(d("cat", "router"), None);
        assert_eq!(d("", ""), Some(0));
    }
}
