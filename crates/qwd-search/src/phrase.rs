//! Phrases: words in double quotes that documents must hold one after the other.
//!
//! Lists tell which documents have all the words; whether they stand together is read in the stored text, best documents
//! first, so that nothing is stored for phrases and only documents that would be shown are read.

use crate::segment::Segment;
use crate::segment::postings::n_ranges;
use qwd_core::Result;
use qwd_text::{Analyzer, Vocabulary};

/// A query without its quotes, and what stood in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parsed {
    pub(crate) text: String,
    pub(crate) phrases: Vec<String>,
}

/// Takes phrases out of a query; their words stay part of its text. A quote that is never closed is none.
pub(crate) fn parse(text: &str) -> Parsed {
    let pieces: Vec<&str> = text.split('"').collect();
    let n_closed = (pieces.len() - 1) / 2 * 2;
    let inside = |i: &usize| i % 2 == 1 && *i < n_closed;
    let phrases = (0..pieces.len()).filter(inside).map(|i| pieces[i].to_string());
    Parsed { phrases: phrases.filter(|p| !p.trim().is_empty()).collect(), text: pieces.join(" ") }
}

/// Leaves only documents that have all words of all phrases. A word without a number is not looked for here.
pub(crate) fn require_words(
    segment: &Segment,
    phrases: &[Vec<String>],
    vocabulary: &Vocabulary,
    allowed: &mut [u64],
) -> Result<()> {
    let mut terms: Vec<u32> = phrases.iter().flatten().filter_map(|word| vocabulary.get(word)).collect();
    terms.sort_unstable();
    terms.dedup();
    for term in terms {
        // A word of no weight has no list.
        if segment.idf(term) <= 0.0 {
            continue;
        }
        let mut having = vec![0u64; n_ranges(segment.n_docs())];
        if let Some(entry) = segment.entry(term)? {
            segment.list(&entry)?.for_each::<false>(|doc, _| {
                if let Some(word) = having.get_mut(doc as usize / 64) {
                    *word |= 1 << (doc % 64);
                }
            });
        }
        allowed.iter_mut().zip(&having).for_each(|(a, h)| *a &= h);
    }
    Ok(())
}

/// Whether the terms of a phrase stand one after the other in a text.
pub(crate) fn is_in(phrase: &[String], text: &str, analyzer: &Analyzer) -> bool {
    if phrase.is_empty() {
        return true;
    }
    analyzer.terms(text).windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_make_phrases_and_an_open_one_makes_none() {
        let parsed = |text| (parse(text).text, parse(text).phrases);
        assert_eq!(parsed("a \"b c\" d"), ("a  b c  d".into(), vec!["b c".to_string()]));
        assert_eq!(parsed("a \"b c"), ("a  b c".into(), vec![]));
        assert_eq!(parsed("\"a\" \" \" \"b"), (" a       b".into(), vec!["a".to_string()]));
        assert_eq!(parsed(""), (String::new(), vec![]));
    }
}
