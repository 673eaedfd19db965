//! What one field of a document says about a query, in five numbers.
//!
//! With n_q and n_d the frequency of word w in query and field, L the field's length, A its mean, N the number of documents,
//! df the number of those with w, and p(w) the share of w among all words of the field in the collection:
//!
//! | feature | formula, Σ over the query's words that the collection has |
//! |---|---|
//! | `bm25` | Σ n_q · ln(1 + (N − df + ½)/(df + ½)) · n_d (k₁ + 1)/(n_d + k₁(1 − b + b L/A)), k₁ = 1.2, b = 0.75 |
//! | `cosine` | of vectors with entries (1 + ln n) ln(N/df) |
//! | `lm-dirichlet` | Σ n_q · ln((n_d + μ p(w))/(L + μ)), μ = 2000 |
//! | `lm-jelinek-mercer` | Σ n_q · ln((1 − λ) n_d/L + λ p(w)), λ = 0.1 |
//! | `length` | L |
//!
//! Robertson and Walker, SIGIR 1994; Zhai and Lafferty, "A Study of Smoothing Methods for Language Models Applied to Information
//! Retrieval", *TOIS* 22(2), 2004. A field that is empty in every document has zeros. Cost: the query's words times the
//! logarithm of the field's for one pair; memory: 8 bytes per word of each document.

use qwd_core::{Result, Threads};
use qwd_text::{
    AnalyzerParams, BagOfWords, Vectorizer, VectorizerParams, Vocabulary, VocabularyParams, Weighting, WeightingParams,
};

/// The names of the features, in order.
pub const NAMES: [&str; 5] = ["bm25", "cosine", "lm-dirichlet", "lm-jelinek-mercer", "length"];

/// The prior weight of the collection in Dirichlet smoothing. Symbol: μ.
const MU: f64 = 2000.0;
/// The share of the collection in Jelinek-Mercer smoothing. Symbol: λ.
const LAMBDA: f64 = 0.1;

/// One field of all documents, counted.
#[derive(Debug)]
pub struct Field {
    /// Nothing where the field is empty in every document.
    words: Option<Words>,
}

#[derive(Debug)]
struct Words {
    counter: Vectorizer,
    bm25: Weighting,
    bags: Vec<BagOfWords>,
    /// The Euclidean length of each document's vector.
    norms: Vec<f64>,
}

impl Field {
    /// Counts a field of all documents.
    pub fn count<T: AsRef<str> + Sync>(texts: &[T], analyzer: &AnalyzerParams, threads: &Threads) -> Result<Self> {
        let plain: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let vocabulary = VocabularyParams::default().fit(&analyzer.build()?, &plain, threads)?;
        if vocabulary.is_empty() {
            return Ok(Self { words: None });
        }
        let params = VectorizerParams { analyzer: analyzer.clone(), weighting: WeightingParams::preset("log-tfidf")? };
        let counter = Vectorizer::from_parts(params, vocabulary.into())?;
        let bags = threads.map(plain.len(), |row| counter.bag(plain[row]));
        let norms = bags.iter().map(|bag| norm(bag, &counter)).collect();
        let bm25 = WeightingParams::preset("bm25-document")?.build()?;
        Ok(Self { words: Some(Words { counter, bm25, bags, norms }) })
    }

    /// Counts a query's words.
    pub fn query(&self, text: &str) -> BagOfWords {
        self.words.as_ref().map(|words| words.counter.bag(text)).unwrap_or_default()
    }

    /// Returns the features of a query and a document, in the order of [`NAMES`].
    pub fn features(&self, query: &BagOfWords, document: usize) -> [f32; NAMES.len()] {
        let Some(words) = &self.words else { return [0.0; NAMES.len()] };
        words.features(query, document).map(|x| x as f32)
    }

    /// Returns BM25 alone.
    pub fn bm25(&self, query: &BagOfWords, document: usize) -> f32 {
        let Some(words) = &self.words else { return 0.0 };
        let bag = &words.bags[document];
        query.counts().iter().map(|&(word, n)| f64::from(n) * words.bm25(word, bag)).sum::<f64>() as f32
    }
}

impl Words {
    fn vocabulary(&self) -> &Vocabulary {
        self.counter.vocabulary()
    }

    fn features(&self, query: &BagOfWords, document: usize) -> [f64; NAMES.len()] {
        let bag = &self.bags[document];
        let length = bag.n_tokens() as f64;
        let (mut bm25, mut product, mut dirichlet, mut jelinek_mercer) = (0.0, 0.0, 0.0, 0.0);
        for &(word, n_query) in query.counts() {
            let n_q = f64::from(n_query);
            let n_document = count(bag, word);
            let n_d = f64::from(n_document);
            let share =
                self.vocabulary().collection_frequencies()[word as usize] as f64 / self.vocabulary().n_tokens() as f64;
            let seen = if length > 0.0 { n_d / length } else { 0.0 };
            dirichlet += n_q * ((n_d + MU * share) / (length + MU)).ln();
            jelinek_mercer += n_q * ((1.0 - LAMBDA) * seen + LAMBDA * share).ln();
            bm25 += n_q * self.bm25(word, bag);
            if n_document > 0 {
                product += weight(word, n_query, &self.counter) * weight(word, n_document, &self.counter);
            }
        }
        let norms = self.norms[document] * norm(query, &self.counter);
        let cosine = if norms > 0.0 { product / norms } else { 0.0 };
        [bm25, cosine, dirichlet, jelinek_mercer, length]
    }

    /// What one word adds to BM25 for each time it stands in the query.
    fn bm25(&self, word: u32, bag: &BagOfWords) -> f64 {
        let n = count(bag, word);
        if n == 0 {
            return 0.0;
        }
        let vocabulary = self.vocabulary();
        let relative_length = bag.n_tokens() as f64 / vocabulary.average_length();
        let df = vocabulary.document_frequencies()[word as usize];
        self.bm25.tf(n, relative_length) * self.bm25.idf(df, vocabulary.n_documents())
    }
}

fn count(bag: &BagOfWords, word: u32) -> u32 {
    bag.counts().binary_search_by_key(&word, |&(w, _)| w).map_or(0, |at| bag.counts()[at].1)
}

fn weight(word: u32, n: u32, counter: &Vectorizer) -> f64 {
    let vocabulary = counter.vocabulary();
    let df = vocabulary.document_frequencies()[word as usize];
    counter.weighting().tf(n, 1.0) * counter.weighting().idf(df, vocabulary.n_documents())
}

fn norm(bag: &BagOfWords, counter: &Vectorizer) -> f64 {
    bag.counts().iter().map(|&(word, n)| weight(word, n, counter).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "cat" stands in two of three texts, "dog" in one; seven words in all.
    fn field() -> Field {
        Field::count(&["cat cat dog", "cat bird", "bird bird"], &AnalyzerParams::default(), &Threads::default())
            .expect("counts")
    }

    #[test]
    fn the_numbers_are_those_of_the_formulas() {
        let field = field();
        let [bm25, cosine, dirichlet, jelinek_mercer, length] = field.features(&field.query("cat unknown"), 0);
        let idf = (1.0f64 + (3.0 - 2.0 + 0.5) / (2.0 + 0.5)).ln();
        let tf = 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 3.0 / (7.0 / 3.0)));
        assert!((f64::from(bm25) - idf * tf).abs() < 1e-6);
        let (cat, dog) = ((1.0 + 2.0f64.ln()) * 1.5f64.ln(), 3.0f64.ln());
        assert!((f64::from(cosine) - cat / cat.hypot(dog)).abs() < 1e-6);
        let share = 3.0f64 / 7.0;
        assert!((f64::from(dirichlet) - ((2.0 + 2000.0 * share) / 2003.0f64).ln()).abs() < 1e-6);
        assert!((f64::from(jelinek_mercer) - (0.9 * 2.0 / 3.0 + 0.1 * share).ln()).abs() < 1e-6);
        assert_eq!(length, 3.0);
        assert_eq!(field.bm25(&field.query("cat unknown"), 0), bm25);
    }

    #[test]
    fn words_of_the_query_alone_and_empty_fields_are_survived() {
        let field = field();
        let [bm25, cosine, dirichlet, jelinek_mercer, _] = field.features(&field.query("dog"), 2);
        assert_eq!((bm25, cosine), (0.0, 0.0));
        assert!(dirichlet < 0.0 && jelinek_mercer < 0.0);
        let empty = Field::count(&["", " "], &AnalyzerParams::default(), &Threads::default()).expect("counts");
        assert_eq!(empty.features(&empty.query("cat"), 1), [0.0; 5]);
    }
}
