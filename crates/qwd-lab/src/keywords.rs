//! Keyword queries made of documents: k random words of a document ask for what the document links to.
//!
//! Paper 2, section 4.2. A query is the mate of the document that it was taken from, so links say what suits it
//! ([`qwd_data::Signal::MateLinks`]) and the document itself is not there to be found. The words are drawn among the
//! different ones of the document that a vocabulary knows; a document with fewer than k gives all it has. They depend on
//! the document's id, its words and the seed, and those of a smaller k are among those of a larger one.

use qwd_core::random::mix;
use qwd_core::{Error, Result, Rng, parameters};
use qwd_data::fingerprint::Fnv1a;
use qwd_data::{Dataset, Query, Signal};
use qwd_text::Vectorizer;

parameters! {
    /// How keywords are drawn.
    #[derive(Copy)]
    pub struct KeywordParams {
        /// The number of words of a query (k). At least 1.
        pub n_words: usize = 10,
        /// The seed of the draw.
        pub seed: u64 = 0,
    }
}

/// Returns the data set with one query of keywords for every document that links to another.
pub fn keyword_queries(dataset: &Dataset, words: &Vectorizer, params: &KeywordParams) -> Result<Dataset> {
    if params.n_words == 0 {
        return Err(Error::param("n_words", 0, "at least 1"));
    }
    if !dataset.signals().contains(&Signal::Links) {
        let what = format!("{} has no links, so nothing to ask for", dataset.manifest.name);
        return Err(Error::bad_data(what, "add links.tsv"));
    }
    let mut sources: Vec<u32> = dataset.links.iter().map(|link| link.0).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut asked = Dataset {
        manifest: dataset.manifest.clone(),
        documents: dataset.documents.clone(),
        document_ids: dataset.document_ids.clone(),
        links: dataset.links.clone(),
        files: dataset.files.clone(),
        ..Dataset::default()
    };
    for row in sources {
        let document = &dataset.documents[row as usize];
        let text = draw(&document.full_text(), &document.id, words, params);
        let (query, _) = asked.query_ids.insert(&document.id)?;
        asked.queries.push(Query { id: document.id.clone(), text, ..Query::default() });
        asked.mates.push((query, row));
    }
    Ok(asked)
}

fn draw(text: &str, id: &str, words: &Vectorizer, params: &KeywordParams) -> String {
    let bag = words.bag(text);
    let mut known: Vec<&str> = bag.counts().iter().map(|&(word, _)| words.vocabulary().word(word)).collect();
    // The numbers of words depend on other documents; their spelling does not.
    known.sort_unstable();
    Rng::new(mix(Fnv1a::of(id.as_bytes()) ^ mix(params.seed))).shuffle(&mut known);
    known.truncate(params.n_words);
    known.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Threads;
    use qwd_data::{Document, Split, SplitRule};
    use qwd_text::{VectorizerParams, VocabularyParams};

    fn dataset() -> Dataset {
        let mut dataset = Dataset::default();
        for (id, text) in [("a", "one two two three four"), ("b", "five six seven eight"), ("c", "nine"), ("d", "ten")]
        {
            dataset.document_ids.insert(id).expect("few ids");
            dataset.documents.push(Document { id: id.into(), text: text.into(), ..Document::default() });
        }
        dataset.links = vec![(2, 0), (0, 1), (0, 2)];
        dataset
    }

    fn queries(n_words: usize, seed: u64) -> Dataset {
        let texts = ["one two two three four", "five six seven", "nine"];
        let words = VectorizerParams::default().fit(&VocabularyParams::default(), texts, &Threads::default());
        keyword_queries(&dataset(), &words.expect("words"), &KeywordParams { n_words, seed }).expect("queries")
    }

    #[test]
    fn words_are_drawn_from_the_document_and_ask_for_its_links() {
        let three = queries(3, 0);
        assert_eq!((three.query_ids.len(), &three.mates[..]), (2, &[(0, 0), (1, 2)][..]));
        let drawn: Vec<&str> = three.queries[0].text.split(' ').collect();
        assert_eq!(drawn.len(), 3);
        assert!(
            drawn.iter().enumerate().all(|(i, word)| "one two three four".contains(word) && !drawn[..i].contains(word))
        );
        assert_eq!(three.queries[1].text, "nine", "a document with fewer words gives all it has");
        assert!(three.queries[0].text.starts_with(&queries(2, 0).queries[0].text), "fewer are among more");
        assert!((1..9).any(|seed| queries(3, seed).queries[0].text != three.queries[0].text));
        let tasks = Split::ALL.map(|split| three.task_of(Signal::MateLinks, split, &SplitRule::default()));
        let tasks: Vec<_> = tasks.into_iter().filter_map(|task| task.expect("a task")).collect();
        let n_links: usize = tasks.iter().flat_map(|task| (0..task.queries.len()).map(|i| task.grades(i).len())).sum();
        assert_eq!(n_links, 3);
        let own = |query: u32| [0, 2][query as usize];
        for task in &tasks {
            assert!((0..task.queries.len()).all(|i| task.hidden(i).contains(&own(task.queries[i]))));
        }
    }

    #[test]
    fn without_links_or_words_there_is_no_query() {
        let words = VectorizerParams::default().fit(&VocabularyParams::default(), ["nine"], &Threads::default());
        let words = words.expect("a word");
        let none = KeywordParams { n_words: 0, ..KeywordParams::default() };
        assert!(keyword_queries(&dataset(), &words, &none).is_err());
        let unlinked = Dataset { links: Vec::new(), ..dataset() };
        assert!(keyword_queries(&unlinked, &words, &KeywordParams::default()).is_err());
        let unknown = keyword_queries(&dataset(), &words, &KeywordParams::default()).expect("queries");
        assert_eq!(unknown.queries[0].text, "", "no word of the document is known");
    }
}
