//! An index as it was after one commit: immutable, shared by any number of threads.

use crate::evaluate::{Pool, View, Wanted, best};
use crate::filter::Filter;
use crate::manifest::{FileRecord, Manifest, load_file};
use crate::matching::{Asked, Matching, prune};
use crate::phrase;
use crate::query::{Answer, Hit, Query};
use crate::segment::Segment;
use crate::segment::postings::n_ranges;
use crate::segment::weights::Recipe;
use crate::snippet::Highlighter;
use crate::spelling::Speller;
use qwd_core::top_k::Scored;
use qwd_core::{Error, Result, SparseVec, SparseView};
use qwd_data::Document;
use qwd_model::{Model, Side, WordReason};
use roaring::RoaringBitmap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An index after one commit.
#[derive(Debug)]
pub struct Snapshot {
    manifest: Manifest,
    matching: Matching,
    parts: Vec<Arc<Part>>,
    /// The number of each part's first document.
    bases: Vec<u32>,
    damaged: Vec<String>,
    pool: Pool,
    speller: OnceLock<Speller>,
}

/// A segment and its deleted documents.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) segment: Segment,
    pub(crate) deleted: RoaringBitmap,
    /// The living documents as bits, if any was deleted.
    living: Option<Vec<u64>>,
}

/// What to do about a segment that is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDamage {
    /// Refuse the index.
    #[default]
    Refuse,
    /// Check every segment first and serve the sound ones; [`Snapshot::damaged`] tells which were left out.
    LeaveOut,
}

impl Snapshot {
    /// Opens what the manifest of a folder names; parts that `earlier` has open are shared with it.
    pub(crate) fn open(folder: &Path, earlier: Option<&Self>, on_damage: OnDamage) -> Result<Self> {
        let manifest = Manifest::load(folder)?;
        let same_model = earlier.filter(|e| e.manifest.model == manifest.model);
        let model = match same_model {
            Some(earlier) => Arc::clone(earlier.matching.model()),
            None => Arc::new(open_model(folder, &manifest.model)?),
        };
        let recipe = Recipe::of_documents(&model);
        let matching = Matching::new(model, manifest.expand, manifest.prune);
        let (mut parts, mut damaged) = (Vec::new(), Vec::new());
        for (i, record) in manifest.segments.iter().enumerate() {
            let known = same_model.and_then(|e| {
                let at = e.manifest.segments.iter().position(|r| r == record)?;
                (e.damaged.is_empty() && e.manifest.segments.len() == e.parts.len()).then(|| Arc::clone(&e.parts[at]))
            });
            let opened = match known {
                Some(part) => Ok(part),
                None => Part::open(folder, &manifest, i, recipe.as_ref(), &matching, on_damage).map(Arc::new),
            };
            match opened {
                Ok(part) => parts.push(part),
                Err(e @ Error::Corrupt { .. }) if on_damage == OnDamage::LeaveOut => damaged.push(e.to_string()),
                Err(e) => return Err(e),
            }
        }
        let mut bases = Vec::with_capacity(parts.len());
        let mut next = 0u64;
        for part in &parts {
            bases.push(next as u32);
            next += part.segment.n_docs() as u64;
        }
        if next > u64::from(u32::MAX) {
            return Err(Error::corrupt(folder, "manifest", "it has more documents than an index can hold"));
        }
        Ok(Self { manifest, matching, parts, bases, damaged, pool: Pool::default(), speller: OnceLock::new() })
    }

    /// Counts the commits that led here.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// The model that ranks.
    pub fn model(&self) -> &Arc<Model> {
        self.matching.model()
    }

    /// The number of documents that can be found.
    pub fn n_documents(&self) -> u64 {
        self.parts.iter().map(|p| p.segment.n_docs() as u64 - p.deleted.len()).sum()
    }

    /// What is wrong with the segments that were left out.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(crate) fn matching(&self) -> &Matching {
        &self.matching
    }

    pub(crate) fn parts(&self) -> &[Arc<Part>] {
        &self.parts
    }

    /// Answers a query: the exact best k of all documents, ties to the document that was added first.
    pub fn search(&self, query: &Query) -> Result<Answer> {
        self.answer(query, None)
    }

    /// Answers a query by another model over the same words, as an index of it would: for comparing two versions.
    pub fn search_by(&self, model: &Model, query: &Query) -> Result<Answer> {
        if self.matching.has_values() {
            let what = "the documents of this index are expanded by its own model";
            return Err(Error::bad_data(what, "compare models where queries are expanded"));
        }
        let same = [Side::Query, Side::Document].map(|side| same_words(self.model(), model, side));
        if same != [true, true] {
            return Err(Error::bad_data("the two models have other words", "compare versions of one model"));
        }
        self.answer(query, Some(model))
    }

    fn answer(&self, query: &Query, other: Option<&Model>) -> Result<Answer> {
        let mut parsed = phrase::parse(&query.text);
        if !query.phrases {
            parsed.phrases.clear();
        }
        let vectorizer = self.model().vectorizer(Side::Query).ok_or_else(|| {
            Error::bad_data("the model has no vocabulary for query words", "search with a vector, or train from text")
        })?;
        let mut answer = Answer::default();
        let mut bag = vectorizer.bag(&parsed.text);
        if bag.n_unknown() > 0 {
            answer.unknown_words = vectorizer.unknown_words(&parsed.text);
            if query.correct_spelling {
                let speller = self.speller.get_or_init(|| Speller::new(vectorizer));
                let (text, corrections) = speller.correct(&parsed.text, &answer.unknown_words, vectorizer);
                (bag, answer.corrections) = (vectorizer.bag(&text), corrections);
            }
        }
        let q = vectorizer.weighting().weigh(&bag, vectorizer.vocabulary());
        let asked = match other {
            None => self.ask(q.view(), query.prune)?,
            Some(model) => {
                let expanded = model.matrix().expand(q.view())?;
                let (terms, lost) = prune(expanded, query.prune.or(self.manifest.prune));
                Asked { terms, lost, ..Asked::default() }
            }
        };
        answer.lost = asked.lost;
        let scored = match parsed.phrases.as_slice() {
            [] => self.best(&asked, query, query.filter.as_ref())?,
            phrases => self.best_with_phrases(&asked, query, phrases)?,
        };
        answer.hits = self.hits(&scored, &q, query, &asked, other.unwrap_or(self.model()))?;
        Ok(answer)
    }

    /// Answers a query that is a vector over the query words of the model, with numbers of documents.
    pub fn search_vector(&self, q: SparseView<'_>, query: &Query) -> Result<Vec<Hit>> {
        let asked = self.ask(q, query.prune)?;
        let scored = self.best(&asked, query, query.filter.as_ref())?;
        self.hits(&scored, &q.to_owned(), query, &asked, self.model())
    }

    /// Answers a query that is expanded already: signed weights of the document words of the model (of its query words,
    /// where documents are expanded).
    pub fn search_expanded(&self, terms: SparseVec, query: &Query) -> Result<Vec<Hit>> {
        let asked = Asked { terms, ..Asked::default() };
        let scored = self.best(&asked, query, query.filter.as_ref())?;
        self.hits(&scored, &SparseVec::default(), query, &asked, self.model())
    }

    fn ask(&self, q: SparseView<'_>, prune: Option<usize>) -> Result<Asked> {
        match prune {
            Some(_) => Matching::new(Arc::clone(self.model()), self.manifest.expand, prune).query(q),
            None => self.matching.query(q),
        }
    }

    fn best(&self, asked: &Asked, query: &Query, filter: Option<&Filter>) -> Result<Vec<Scored>> {
        let filtered: Option<Vec<Vec<u64>>> = filter
            .map(|filter| self.parts.iter().map(|part| part.allowed_by(filter)).collect::<Result<_>>())
            .transpose()?;
        self.best_among(asked, query, query.k, filtered.as_deref())
    }

    fn best_among(&self, asked: &Asked, query: &Query, k: usize, allowed: Option<&[Vec<u64>]>) -> Result<Vec<Scored>> {
        let view = |i: usize| View {
            segment: &self.parts[i].segment,
            base: self.bases[i],
            number: i as u32,
            allowed: match allowed {
                Some(allowed) => Some(allowed[i].as_slice()),
                None => self.parts[i].living.as_deref(),
            },
        };
        let views: Vec<View<'_>> = (0..self.parts.len()).map(view).collect();
        let wanted = Wanted { k, all: query.all, strategy: query.strategy, groups: query.groups };
        best(&views, asked, wanted, &self.pool)
    }

    /// The best documents that hold all phrases: candidates have all their words, and are then read, best first.
    fn best_with_phrases(&self, asked: &Asked, query: &Query, phrases: &[String]) -> Result<Vec<Scored>> {
        let Some(vectorizer) = self.model().vectorizer(Side::Document) else { return Ok(Vec::new()) };
        let phrases: Vec<Vec<String>> = phrases.iter().map(|p| vectorizer.analyzer().terms(p)).collect();
        let mut allowed = Vec::new();
        for part in &self.parts {
            let mut words = match &query.filter {
                Some(filter) => part.allowed_by(filter)?,
                None => part.living_words(),
            };
            if !self.matching.has_values() {
                phrase::require_words(&part.segment, &phrases, vectorizer.vocabulary(), &mut words)?;
            }
            allowed.push(words);
        }
        let (mut k, mut checked) = (query.k.max(1).saturating_mul(4), Vec::new());
        loop {
            let scored = self.best_among(asked, query, k, Some(&allowed))?;
            let is_last = scored.len() < k;
            for &hit in scored.iter().skip(checked.len()) {
                let document = self.stored(hit.item)?;
                let text = document.full_text();
                checked.push((hit, phrases.iter().all(|p| phrase::is_in(p, &text, vectorizer.analyzer()))));
            }
            let n_found = checked.iter().filter(|(_, has)| *has).count();
            if is_last || n_found >= query.k {
                return Ok(checked.into_iter().filter(|(_, has)| *has).map(|(hit, _)| hit).take(query.k).collect());
            }
            k = k.saturating_mul(4);
        }
    }

    fn hits(&self, scored: &[Scored], q: &SparseVec, query: &Query, asked: &Asked, model: &Model) -> Result<Vec<Hit>> {
        let highlighter = query.snippets.then(|| Highlighter::new(model, q, asked, self.matching.has_values()));
        let mut hits = Vec::with_capacity(scored.len());
        for &Scored { item, score } in scored {
            let (part, doc) = self.place(item)?;
            let mut hit = Hit { id: part.segment.id(doc)?.to_string(), number: item, score, ..Hit::default() };
            if query.explain || query.documents || query.snippets {
                let document = part.segment.document(doc)?;
                if query.explain {
                    hit.reasons = Some(self.reasons(q, &document, query, asked, model)?);
                }
                hit.snippet = highlighter.as_ref().map(|h| h.snippet(&document.text));
                hit.document = query.documents.then_some(document);
            }
            hits.push(hit);
        }
        Ok(hits)
    }

    /// The word pairs that a score is the sum of. With a pruned expansion the words that were left out give nothing.
    fn reasons(
        &self,
        q: &SparseVec,
        document: &Document,
        query: &Query,
        asked: &Asked,
        model: &Model,
    ) -> Result<Vec<WordReason>> {
        let d = model.vector(Side::Document, &document.full_text())?;
        let mut reasons = model.matrix().explain(q.view(), d.view())?;
        if query.prune.or(self.manifest.prune).is_some() && !self.matching.has_values() {
            reasons.retain(|r| asked.terms.view().indices().binary_search(&r.document).is_ok());
        }
        let word = |side, term: u32| {
            let vectorizer = model.vectorizer(side);
            vectorizer.map_or_else(|| term.to_string(), |v| v.vocabulary().word(term).to_string())
        };
        let name = |r: &qwd_model::Reason| WordReason {
            query: word(Side::Query, r.query),
            document: word(Side::Document, r.document),
            value: r.value,
        };
        Ok(reasons.iter().map(name).collect())
    }

    /// A document by its id.
    pub fn document(&self, id: &str) -> Result<Option<Document>> {
        match self.find(id)? {
            Some(number) => self.stored(number).map(Some),
            None => Ok(None),
        }
    }

    /// The number of the living document with an id.
    pub fn find(&self, id: &str) -> Result<Option<u32>> {
        for (part, base) in self.parts.iter().zip(&self.bases) {
            if let Some(doc) = part.segment.find_id(id)?.filter(|&doc| !part.deleted.contains(doc)) {
                return Ok(Some(base + doc));
            }
        }
        Ok(None)
    }

    /// A document by its number.
    pub fn stored(&self, number: u32) -> Result<Document> {
        let (part, doc) = self.place(number)?;
        part.segment.document(doc)
    }

    /// Shows every living document in order.
    pub fn for_each_document(&self, mut show: impl FnMut(Document) -> Result<()>) -> Result<()> {
        for part in &self.parts {
            let container = part.segment.container();
            crate::segment::stored::for_each(container, |doc, line| match part.deleted.contains(doc) {
                true => Ok(()),
                false => show(crate::segment::stored::parse(container, line)?),
            })?;
        }
        Ok(())
    }

    fn place(&self, number: u32) -> Result<(&Part, u32)> {
        let at = self.bases.partition_point(|&base| base <= number);
        let found = at.checked_sub(1).map(|at| (&*self.parts[at], number - self.bases[at]));
        found
            .filter(|(part, doc)| (*doc as usize) < part.segment.n_docs())
            .ok_or_else(|| Error::bad_data(format!("the index has no document {number}"), "search again"))
    }
}

impl Part {
    fn open(
        folder: &Path,
        manifest: &Manifest,
        i: usize,
        recipe: Option<&Recipe>,
        matching: &Matching,
        on_damage: OnDamage,
    ) -> Result<Self> {
        let record = &manifest.segments[i];
        let path = folder.join(&record.file.file);
        let segment = Segment::open(&path, recipe)?;
        let container = segment.container();
        if container.header_crc32() != record.file.crc32 || segment.meta().n_docs != record.n_docs {
            return Err(Error::corrupt(&path, "header", "it is not that of the segment in the manifest"));
        }
        if segment.meta().values != matching.has_values() || segment.meta().rank as usize != matching.rank() {
            return Err(Error::corrupt(&path, "meta", "the segment was made with another model"));
        }
        if on_damage == OnDamage::LeaveOut {
            let names: Vec<String> = container.sections().map(|(name, _)| name.to_string()).collect();
            names.iter().try_for_each(|name| container.section(name).map(|_| ()))?;
        }
        let deleted = match &record.deleted {
            None => RoaringBitmap::new(),
            Some(file) => {
                let bytes = load_file(folder, file)?;
                let set = RoaringBitmap::deserialize_from(bytes.as_slice());
                set.map_err(|_| Error::corrupt(folder.join(&file.file), "file", "it is no set of documents"))?
            }
        };
        if deleted.max().is_some_and(|doc| doc >= record.n_docs) {
            return Err(Error::corrupt(&path, "deleted", "a deleted document is beyond the last"));
        }
        Ok(Self::new(segment, deleted))
    }

    fn new(segment: Segment, deleted: RoaringBitmap) -> Self {
        let mut part = Self { segment, deleted, living: None };
        if !part.deleted.is_empty() {
            part.living = Some(part.living_words());
        }
        part
    }

    /// The living documents as bits.
    fn living_words(&self) -> Vec<u64> {
        let mut words = vec![u64::MAX; n_ranges(self.segment.n_docs())];
        let rest = self.segment.n_docs() % 64;
        if let (true, Some(last)) = (rest > 0, words.last_mut()) {
            *last = (1 << rest) - 1;
        }
        self.deleted.iter().for_each(|doc| words[doc as usize / 64] &= !(1 << (doc % 64)));
        words
    }

    fn allowed_by(&self, filter: &Filter) -> Result<Vec<u64>> {
        let found = filter.documents(&self.segment)?;
        let mut words = vec![0u64; n_ranges(self.segment.n_docs())];
        let living = |doc: &u32| !self.deleted.contains(*doc);
        for doc in found.iter().filter(living) {
            if let Some(word) = words.get_mut(doc as usize / 64) {
                *word |= 1 << (doc % 64);
            }
        }
        Ok(words)
    }
}

fn open_model(folder: &Path, record: &FileRecord) -> Result<Model> {
    let bytes = load_file(folder, record)?;
    Model::from_bytes(&bytes).map_err(|e| match e {
        Error::Corrupt { section, what, .. } => Error::corrupt(folder.join(&record.file), section, what),
        e => e,
    })
}

/// Whether texts of a side become the same vectors with both models.
pub(crate) fn same_words(a: &Model, b: &Model, side: Side) -> bool {
    match (a.vectorizer(side), b.vectorizer(side)) {
        (Some(a), Some(b)) => {
            a.params() == b.params()
                && (Arc::ptr_eq(a.vocabulary(), b.vocabulary())
                    || a.vocabulary().to_parts() == b.vocabulary().to_parts())
        }
        _ => false,
    }
}
