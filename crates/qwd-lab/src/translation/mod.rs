//! Queries of one language as queries of another, word by word.
//!
//! A [`Dictionary`] is learned from mates ([`ibm_model1`]). It puts its most likely translation in the place of every word
//! and leaves a word as it stands where it knows none: names and identifiers are often the same in both languages.
//! Translations made by others are read with [`qwd_data::Dataset::with_query_texts`].

pub mod ibm_model1;

pub use ibm_model1::{IbmModel1, IbmModel1Params};

use qwd_core::{Error, Result, Threads};
use qwd_data::{Dataset, Task, Truth};
use qwd_text::{AnalyzerParams, Vectorizer, VectorizerParams, VocabularyParams, WeightingParams};

/// A dictionary from the words of queries to those of documents.
#[derive(Debug)]
pub struct Dictionary {
    source: Vectorizer,
    target: Vectorizer,
    model: IbmModel1,
}

impl Dictionary {
    /// Learns from the pairs of a task, usually the mates of the training split ([`qwd_data::Signal::Mates`]).
    pub fn learn(
        dataset: &Dataset,
        pairs: &Task,
        [query, document]: [&AnalyzerParams; 2],
        vocabulary: &VocabularyParams,
        params: &IbmModel1Params,
        threads: &Threads,
    ) -> Result<Self> {
        let Truth::Judgments(judgments) = &pairs.truth else {
            return Err(Error::bad_data("a dictionary needs pairs of texts", "give mates"));
        };
        let counts = |analyzer: &AnalyzerParams| -> Result<VectorizerParams> {
            // The weights of BM25's queries are the numbers of the words.
            Ok(VectorizerParams { analyzer: analyzer.clone(), weighting: WeightingParams::preset("bm25-query")? })
        };
        let queries: Vec<&str> = judgments.iter().map(|j| dataset.queries[j.query as usize].text.as_str()).collect();
        let documents: Vec<_> = judgments.iter().map(|j| dataset.documents[j.document as usize].full_text()).collect();
        let source = counts(query)?.fit(vocabulary, queries.iter().copied(), threads)?;
        let target = counts(document)?.fit(vocabulary, documents.iter().map(AsRef::as_ref), threads)?;
        let model = params.train(&source.matrix(&queries, threads), &target.matrix(&documents, threads), threads)?;
        Ok(Self { source, target, model })
    }

    /// Returns the likeliest translations of a word, likeliest first.
    pub fn translations(&self, word: &str, n: usize) -> Vec<(&str, f32)> {
        let Some(f) = self.source.vocabulary().get(word) else { return Vec::new() };
        let mut known: Vec<(u32, f32)> = self.model.table.row(f as usize).iter().collect();
        known.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        known.into_iter().take(n).map(|(e, t)| (self.target.vocabulary().word(e), t)).collect()
    }

    /// Translates a text word by word.
    pub fn translate(&self, text: &str) -> String {
        let terms = self.source.analyzer().terms(text);
        let words = terms.iter().map(|term| self.translations(term, 1).first().map_or(term.as_str(), |best| best.0));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the data set with all its queries translated.
    pub fn translate_queries(&self, dataset: &Dataset, threads: &Threads) -> Dataset {
        let texts = threads.map(dataset.queries.len(), |i| self.translate(&dataset.queries[i].text));
        let mut translated = dataset.clone();
        for (query, text) in translated.queries.iter_mut().zip(texts) {
            query.text = text;
        }
        translated
    }

    /// Returns what was learned.
    pub fn model(&self) -> &IbmModel1 {
        &self.model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_data::{Document, Query, Shares, Signal, Split, SplitRule};

    /// Pages of four concepts each, in "Japanese" and in English.
    fn pages() -> Dataset {
        let (ja, en) = (["犬", "猫", "家", "木", "水", "火"], ["dog", "cat", "house", "tree", "water", "fire"]);
        let mut rng = qwd_core::Rng::new(5);
        let mut dataset = Dataset::default();
        for i in 0..80u32 {
            let concepts: Vec<usize> = (0..4).map(|_| rng.below(6)).collect();
            let text = |words: [&str; 6]| concepts.iter().map(|&c| words[c]).collect::<Vec<_>>().join(" ");
            let id = format!("page{i}");
            dataset.query_ids.insert(&id).expect("few ids");
            dataset.document_ids.insert(&id).expect("few ids");
            dataset.queries.push(Query { id: id.clone(), text: text(ja), ..Query::default() });
            dataset.documents.push(Document { id, text: text(en), ..Document::default() });
            dataset.mates.push((i, i));
        }
        dataset
    }

    #[test]
    fn a_dictionary_is_learned_from_mates() {
        let dataset = pages();
        let rule = SplitRule { shares: Shares::SEVENTY_THIRTY, ..SplitRule::default() };
        let mates = dataset.task_of(Signal::Mates, Split::Train, &rule).expect("a task").expect("some");
        let (analyzer, threads) = (AnalyzerParams::default(), Threads::default());
        let vocabulary = VocabularyParams::default();
        let learn = |pairs: &Task| {
            let params = IbmModel1Params::default();
            Dictionary::learn(&dataset, pairs, [&analyzer, &analyzer], &vocabulary, &params, &threads)
        };
        let dictionary = learn(&mates).expect("learned");
        assert_eq!(dictionary.translate("猫 と 火 WebGL"), "cat と fire webgl");
        let (best, p) = dictionary.translations("犬", 2)[0];
        assert!(best == "dog" && p > 0.8, "{best} {p}");
        assert!(dictionary.translations("鳥", 2).is_empty() && dictionary.translate("").is_empty());
        let translated = dictionary.translate_queries(&dataset, &Threads::new(2).expect("a pool"));
        assert!(translated.queries.iter().zip(&dataset.documents).all(|(q, d)| q.text == d.text));
        assert_eq!(translated.mates, dataset.mates);
        let nothing = Task::of_preferences(Vec::new(), Vec::new(), false);
        assert!(learn(&nothing).is_err());
        assert!(learn(&Task::of_judgments(Vec::new(), Vec::new(), false)).is_err(), "an empty side");
    }
}
