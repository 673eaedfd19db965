//! Documents to the bytes of a segment.

use super::postings::encode;
use super::weights::Recipe;
use super::{LENGTHS, META, Meta, NORMS, POSTINGS, clusters, container, fields, ids, projections, stored, terms};
use qwd_core::Result;

/// A document, ready to be added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prepared {
    pub(crate) id: String,
    /// The terms in rising order, each with its count or the bits of its weight.
    pub(crate) payloads: Vec<(u32, u32)>,
    /// The number of tokens and the norm, where counts are kept.
    pub(crate) n_tokens: u32,
    pub(crate) norm: f64,
    /// The numbers in the latent space.
    pub(crate) projection: Vec<f32>,
    /// The document as a line.
    pub(crate) line: Vec<u8>,
    /// The keys of its fields.
    pub(crate) keys: Vec<Vec<u8>>,
}

/// Gathers documents in memory.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    terms: Vec<u32>,
    payloads: Vec<u32>,
    /// Where each document's terms begin, and the end of the last.
    starts: Vec<usize>,
    about: About,
}

/// What is kept of documents besides their terms.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) ids: Vec<String>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) norms: Vec<f64>,
    pub(crate) projections: Vec<f32>,
    pub(crate) stored: stored::Packer,
    pub(crate) fields: fields::Gatherer,
}

impl Builder {
    pub(crate) fn n_docs(&self) -> usize {
        self.about.ids.len()
    }

    pub(crate) fn n_postings(&self) -> usize {
        self.terms.len()
    }

    /// The bytes of memory that the documents take so far, about.
    pub(crate) fn push(&mut self, document: Prepared) -> Result<()> {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for (term, payload) in document.payloads {
            self.terms.push(term);
            self.payloads.push(payload);
        }
        self.starts.push(self.terms.len());
        let doc = self.n_docs() as u32;
        self.about.lengths.push(document.n_tokens);
        self.about.norms.push(document.norm);
        self.about.projections.extend_from_slice(&document.projection);
        self.about.stored.push(&document.line)?;
        self.about.fields.push(doc, document.keys);
        self.about.ids.push(document.id);
        Ok(())
    }

    /// The bytes of the segment. `recipe` tells what counts weigh; without it, postings carry weights.
    pub(crate) fn finish(self, recipe: Option<&Recipe>, rank: usize) -> Result<Vec<u8>> {
        let n_terms = self.terms.iter().max().map_or(0, |&term| term as usize + 1);
        // Documents by term: counted, then placed, so that documents of a term stay in order.
        let mut ends = vec![0usize; n_terms + 1];
        self.terms.iter().for_each(|&term| ends[term as usize + 1] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let firsts = ends.clone();
        let (mut docs, mut payloads) = (vec![0u32; self.terms.len()], vec![0u32; self.terms.len()]);
        for doc in 0..self.n_docs() {
            for at in self.starts[doc]..self.starts[doc + 1] {
                let place = &mut ends[self.terms[at] as usize];
                docs[*place] = doc as u32;
                payloads[*place] = self.payloads[at];
                *place += 1;
            }
        }
        drop((self.terms, self.payloads, self.starts));
        let mut lists = Lists::new(self.about.ids.len(), recipe);
        for term in 0..n_terms {
            let range = firsts[term]..firsts[term + 1];
            lists.push(term as u32, &docs[range.clone()], &payloads[range], &self.about);
        }
        lists.finish(self.about, rank)
    }
}

/// Writes lists, term by term.
pub(crate) struct Lists<'a> {
    n_docs: usize,
    recipe: Option<&'a Recipe>,
    table: terms::Table,
    postings: Vec<u8>,
    n_terms: u32,
    n_postings: u64,
    weights: Vec<f32>,
}

impl<'a> Lists<'a> {
    pub(crate) fn new(n_docs: usize, recipe: Option<&'a Recipe>) -> Self {
        Self {
            n_docs,
            recipe,
            table: terms::Table::default(),
            postings: Vec::new(),
            n_terms: 0,
            n_postings: 0,
            weights: Vec::new(),
        }
    }

    /// Adds the list of a term, greater than those before; an empty list is none.
    pub(crate) fn push(&mut self, term: u32, docs: &[u32], payloads: &[u32], about: &About) {
        if docs.is_empty() {
            return;
        }
        self.weights.clear();
        let from = self.postings.len() as u64;
        match self.recipe {
            Some(recipe) => {
                let idf = recipe.idf(term);
                let weight = |(&doc, &n): (&u32, &u32)| {
                    let n_tokens = u64::from(about.lengths[doc as usize]);
                    recipe.weight(idf, n, n_tokens, about.norms[doc as usize])
                };
                self.weights.extend(docs.iter().zip(payloads).map(weight));
                encode::<false>(docs, payloads, &self.weights, self.n_docs, &mut self.postings);
            }
            None => {
                self.weights.extend(payloads.iter().map(|&bits| f32::from_bits(bits)));
                encode::<true>(docs, payloads, &self.weights, self.n_docs, &mut self.postings);
            }
        }
        self.table.push(term, from, &mut self.weights);
        self.n_terms += 1;
        self.n_postings += docs.len() as u64;
    }

    /// The bytes of the segment.
    pub(crate) fn finish(self, about: About, rank: usize) -> Result<Vec<u8>> {
        let meta = Meta {
            n_docs: self.n_docs as u32,
            n_terms: self.n_terms,
            n_postings: self.n_postings,
            values: self.recipe.is_none(),
            rank: rank as u32,
        };
        let meta = serde_json::to_vec(&meta).map_err(|e| qwd_core::Error::internal(format!("meta: {e}")))?;
        let mut sections = vec![(META, meta), self.table.finish(), (POSTINGS, self.postings)];
        sections.push((LENGTHS, about.lengths.iter().flat_map(|n| n.to_le_bytes()).collect()));
        // Weights that are divided by nothing, as those of BM25, need no norms.
        let divided = about.norms.iter().any(|&norm| norm != 1.0);
        let norms = if divided { about.norms.iter().flat_map(|n| n.to_le_bytes()).collect() } else { Vec::new() };
        sections.push((NORMS, norms));
        sections.extend(ids::encode(&about.ids));
        sections.extend(about.stored.finish()?);
        sections.push(about.fields.finish()?);
        if rank > 0 {
            sections.extend(projections::encode(&about.projections, rank));
            if cfg!(feature = "approximate") {
                sections.extend(clusters::encode(&about.projections, rank));
            }
        }
        Ok(container::encode(&sections))
    }
}
