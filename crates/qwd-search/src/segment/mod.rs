//! A segment: some documents, indexed once and never changed.
//!
//! | module | question it answers |
//! |---|---|
//! | `container` | how do sections lie in a file, and is each of them whole? |
//! | `terms` | where is the list of a term, and how heavy are its heaviest postings? |
//! | `postings` | which documents have a term? |
//! | `weights` | what does a posting weigh? |
//! | `projections` | where are the documents in a latent space? |
//! | `clusters` | which of them lie near each other there? |
//! | `ids`, `stored`, `fields` | what was each document? |
//! | `build`, `merge` | how does a segment come to be? |

pub(crate) mod build;
pub(crate) mod clusters;
pub(crate) mod container;
pub(crate) mod fields;
pub(crate) mod ids;
pub(crate) mod merge;
pub(crate) mod postings;
pub(crate) mod projections;
pub(crate) mod stored;
pub(crate) mod terms;
pub(crate) mod weights;

use container::{Container, Place, u32_at, u64_at};
use postings::List;
use qwd_core::Result;
use qwd_data::Document;
use serde::{Deserialize, Serialize};
use std::path::Path;
use terms::Entry;
use weights::{Approximation, Recipe, Valued};

pub(crate) const META: &str = "meta";
pub(crate) const POSTINGS: &str = "postings";
pub(crate) const LENGTHS: &str = "lengths";
pub(crate) const NORMS: &str = "norms";

/// What a segment holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Meta {
    pub(crate) n_docs: u32,
    pub(crate) n_terms: u32,
    pub(crate) n_postings: u64,
    /// Whether postings carry weights in place of counts.
    pub(crate) values: bool,
    /// The number of dimensions of the documents' projections; 0 without.
    pub(crate) rank: u32,
}

/// An opened segment.
#[derive(Debug)]
pub(crate) struct Segment {
    container: Container,
    meta: Meta,
    recipe: Option<Recipe>,
    approximation: Approximation,
    places: Places,
}

/// Where the sections are that every query reads.
#[derive(Debug)]
struct Places {
    terms: Place,
    postings: Place,
    lengths: Place,
    norms: Place,
}

impl Segment {
    /// Opens a segment: its header, and what every query needs of its documents.
    pub(crate) fn open(path: &Path, recipe: Option<&Recipe>) -> Result<Self> {
        let container = Container::open(path)?;
        let meta: Meta = serde_json::from_slice(container.section(META)?)
            .map_err(|e| container.damaged(META, format!("it is not readable: {e}")))?;
        let n = meta.n_docs as usize;
        let expect = |name: &str, n_bytes: usize| match container.section(name)?.len() == n_bytes {
            true => Ok(()),
            false => Err(container.damaged(name, "it has another size than its documents ask for")),
        };
        expect(LENGTHS, 4 * n)?;
        if !container.section(NORMS)?.is_empty() {
            expect(NORMS, 8 * n)?;
        }
        if meta.rank > 0 {
            let sizes = container.sections().filter(|(name, _)| *name == projections::NUMBERS).map(|(_, n)| n);
            if sizes.sum::<u64>() != 4 * u64::from(meta.n_docs) * u64::from(meta.rank) {
                return Err(container.damaged(projections::NUMBERS, "it has another size than its documents ask for"));
            }
        }
        let approximation = match recipe {
            Some(recipe) if !meta.values => {
                let lengths = container.section(LENGTHS)?.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b));
                let norms = container.section(NORMS)?.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b));
                Approximation::of_counts(recipe, lengths, norms)
            }
            None if !meta.values => return Err(container.damaged(META, "it has counts, but the model has no words")),
            _ => Approximation::Valued(Valued),
        };
        let places = Places {
            terms: container.place(terms::SECTION)?,
            postings: container.place(POSTINGS)?,
            lengths: container.place(LENGTHS)?,
            norms: container.place(NORMS)?,
        };
        Ok(Self { container, meta, recipe: recipe.cloned(), approximation, places })
    }

    pub(crate) fn n_docs(&self) -> usize {
        self.meta.n_docs as usize
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(crate) fn container(&self) -> &Container {
        &self.container
    }

    pub(crate) fn approximation(&self) -> &Approximation {
        &self.approximation
    }

    /// What is known of a term, if a document here has it.
    pub(crate) fn entry(&self, term: u32) -> Result<Option<Entry>> {
        terms::find(self.container.bytes(self.places.terms)?, self.meta.n_terms as usize, term)
            .map_err(|what| self.container.damaged(terms::SECTION, what))
    }

    /// The list of a term.
    pub(crate) fn list(&self, entry: &Entry) -> Result<List<'_>> {
        let postings = self.container.bytes(self.places.postings)?;
        let bytes = postings.get(entry.from as usize..entry.to.map_or(postings.len(), |to| to as usize));
        let list = bytes.and_then(|bytes| List::new(bytes, entry.df as usize, self.n_docs()));
        list.ok_or_else(|| self.container.damaged(POSTINGS, "a list lies beyond the end"))
    }

    /// The part of a weight that the term decides: 1 where postings carry weights.
    pub(crate) fn idf(&self, term: u32) -> f64 {
        match &self.recipe {
            Some(recipe) if !self.meta.values => recipe.idf(term),
            _ => 1.0,
        }
    }

    /// The exact weight of a posting.
    pub(crate) fn weight(&self, idf: f64, payload: u32, doc: u32) -> Result<f32> {
        match &self.recipe {
            Some(recipe) if !self.meta.values => {
                let n_tokens = u32_at(self.container.bytes(self.places.lengths)?, 4 * doc as usize).unwrap_or(0);
                let norm =
                    u64_at(self.container.bytes(self.places.norms)?, 8 * doc as usize).map_or(1.0, f64::from_bits);
                Ok(recipe.weight(idf, payload, u64::from(n_tokens), norm))
            }
            _ => Ok(f32::from_bits(payload)),
        }
    }

    /// The payload of a document in a list.
    pub(crate) fn payload(&self, list: &List<'_>, doc: u32) -> Option<u32> {
        if self.meta.values { list.find::<true>(doc) } else { list.find::<false>(doc) }
    }

    /// The id of a document.
    pub(crate) fn id(&self, doc: u32) -> Result<&str> {
        ids::name(&self.container, doc)
    }

    /// The number of the document with an id.
    pub(crate) fn find_id(&self, id: &str) -> Result<Option<u32>> {
        Ok(ids::find(&self.container, id)?.filter(|&doc| doc < self.meta.n_docs))
    }

    /// A document as it came.
    pub(crate) fn document(&self, doc: u32) -> Result<Document> {
        stored::parse(&self.container, &stored::read(&self.container, doc)?)
    }
}
