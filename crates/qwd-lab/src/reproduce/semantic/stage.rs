//! What is asked: of which documents, by which queries, and what suits them.

use crate::keywords::{KeywordParams, keyword_queries};
use crate::translation::{Dictionary, IbmModel1Params};
use qwd_core::{Error, Result, Threads};
use qwd_data::{Dataset, LinkSplit, Shares, Signal, Split, SplitRule};
use qwd_train::TextParams;
use serde::{Deserialize, Serialize};

/// What is asked in a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(in crate::reproduce) struct Stage {
    /// What suits a query.
    pub(super) signal: Asked,
    /// What is dealt out to the splits: links or documents.
    pub(super) split: LinkSplit,
    /// Queries are so many random words of a document, if given.
    pub(super) keywords: Option<usize>,
    /// Queries are translated word by word, by a dictionary learned from the mates of the training split.
    pub(super) translated: bool,
}

/// What suits a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Asked {
    /// What a document links to.
    #[default]
    Links,
    /// What the mate of a query links to.
    MateLinks,
    /// The mate of a query.
    Mates,
    /// What is judged to suit it.
    Judgments,
}

impl Stage {
    /// Links are divided as in the paper; judgments come divided.
    pub(super) fn rule(&self, seed: u64) -> SplitRule {
        SplitRule { seed, shares: Shares::SEVENTY_THIRTY, links: self.split }
    }

    /// The data set as it is asked here.
    pub(super) fn set(&self, base: &Dataset, text: &TextParams, seed: u64, threads: &Threads) -> Result<Dataset> {
        let mut dataset = base.clone();
        match self.signal {
            Asked::Links => {
                dataset.queries.clear();
                dataset.query_ids = Default::default();
                dataset.mates.clear();
            }
            Asked::Mates => dataset.links.clear(),
            Asked::MateLinks | Asked::Judgments => {}
        }
        if let Some(n_words) = self.keywords {
            let [words, _] = text.sides()?;
            let texts: Vec<_> = dataset.documents.iter().map(qwd_data::Document::full_text).collect();
            let words = words.fit(&text.vocabulary, texts.iter().map(AsRef::as_ref), threads)?;
            dataset = keyword_queries(&dataset, &words, &KeywordParams { n_words, seed })?;
        }
        if self.translated {
            dataset = self.dictionary(base, text, seed, threads)?.translate_queries(&dataset, threads);
        }
        Ok(dataset)
    }

    fn dictionary(&self, base: &Dataset, text: &TextParams, seed: u64, threads: &Threads) -> Result<Dictionary> {
        let Some(mates) = base.task_of(Signal::Mates, Split::Train, &self.rule(seed))? else {
            return Err(Error::bad_data(
                "there are no mates to learn a dictionary from",
                "give a data set with mates.tsv",
            ));
        };
        let [query, document] = text.sides()?;
        let analyzers = [&query.analyzer, &document.analyzer];
        Dictionary::learn(base, &mates, analyzers, &text.vocabulary, &IbmModel1Params::default(), threads)
    }
}
