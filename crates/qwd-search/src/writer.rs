//! An index on disk, as its one writer sees it: documents are added, replaced and deleted in memory, and a commit makes all of
//! it visible at once.

use crate::manifest::{FileRecord, Manifest, SegmentRecord, save_file};
use crate::matching::{Expand, Matching};
use crate::segment::build::{Builder, Prepared};
use crate::segment::weights::Recipe;
use crate::segment::{fields, merge, stored};
use crate::snapshot::{OnDamage, Snapshot, same_words};
use qwd_core::{Error, Result, Threads, parameters};
use qwd_data::Document;
use qwd_model::{Model, Side};
use qwd_store::lock_file;
use roaring::RoaringBitmap;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that a writer holds locked.
const LOCK: &str = "writer.lock";

/// Documents that are prepared together, whatever the number of threads.
const BATCH: usize = 1024;

/// The most documents of a segment.
const MAX_DOCUMENTS: usize = 1 << 28;

/// A commit merges the latest segments when there are more than so many.
const MAX_SEGMENTS: usize = 12;

parameters! {
    /// How an index is made.
    #[derive(Eq)]
    pub struct IndexParams {
        /// Where the words that W adds are added: `queries`, or `documents` for short queries and a larger index.
        pub expand: Expand = Expand::Queries,
        /// How many terms of an expanded query or document are kept, the strongest; none means all.
        pub prune: Option<usize> = None,
        /// How many postings are gathered in memory before a segment is written.
        pub max_postings: usize = 1 << 28,
    }
}

/// What a writer has done since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Changes {
    /// Documents added, those that replaced others too.
    pub added: u64,
    /// Documents deleted, those that were replaced too.
    pub deleted: u64,
    /// The mean share of squared weights that pruning left out of expanded documents.
    pub lost: f64,
}

/// Writes an index.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    /// Held for as long as the writer lives.
    _lock: File,
    base: Snapshot,
    /// Documents deleted from each committed segment, those from before included.
    deleted: Vec<RoaringBitmap>,
    matching: Matching,
    recipe: Option<Recipe>,
    max_postings: usize,
    pending: Vec<Document>,
    builder: Builder,
    new_ids: HashMap<String, u32>,
    new_deleted: RoaringBitmap,
    /// Segments that were written but are in no manifest yet.
    written: Vec<(SegmentRecord, RoaringBitmap)>,
    next_segment: u64,
    threads: Threads,
    changes: Changes,
    lost: f64,
    is_changed: bool,
}

impl Writer {
    /// Makes an empty index in a folder that holds none.
    pub fn create(folder: impl AsRef<Path>, model: &Model, params: &IndexParams) -> Result<Self> {
        let folder = folder.as_ref();
        if params.prune == Some(0) || params.max_postings == 0 {
            return Err(Error::param("prune and max_postings", 0, "at least 1"));
        }
        if Manifest::is_at(folder) {
            let what = format!("{} holds an index already", folder.display());
            return Err(Error::bad_data(what, "name another folder, or add to it"));
        }
        for side in [Side::Query, Side::Document] {
            model.vectorizer(side).ok_or_else(|| {
                let what = format!("the model has no vocabulary for {} words", side.name());
                Error::bad_data(what, "train a model from text")
            })?;
        }
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        let lock = lock(folder)?;
        let model = save_model(folder, model)?;
        let manifest = Manifest {
            generation: 1,
            expand: params.expand,
            prune: params.prune,
            model,
            segments: Vec::new(),
            next_segment: 1,
        };
        manifest.save(folder)?;
        Self::with_lock(folder, lock, params.max_postings)
    }

    /// Opens an index to change it. There is one writer at a time.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        Manifest::require(folder)?;
        let lock = lock(folder)?;
        Self::with_lock(folder, lock, IndexParams::default().max_postings)
    }

    fn with_lock(folder: &Path, lock: File, max_postings: usize) -> Result<Self> {
        let base = Snapshot::open(folder, None, OnDamage::Refuse)?;
        let mut matching = base.matching().clone();
        matching.prepare_documents()?;
        let recipe = Recipe::of_documents(matching.model()).filter(|_| !matching.has_values());
        Ok(Self {
            folder: folder.to_path_buf(),
            _lock: lock,
            deleted: base.parts().iter().map(|part| part.deleted.clone()).collect(),
            next_segment: base.manifest().next_segment,
            base,
            matching,
            recipe,
            max_postings,
            pending: Vec::new(),
            builder: Builder::default(),
            new_ids: HashMap::new(),
            new_deleted: RoaringBitmap::new(),
            written: Vec::new(),
            threads: Threads::default(),
            changes: Changes::default(),
            lost: 0.0,
            is_changed: false,
        })
    }

    /// Prepares documents with several threads; the bytes are the same.
    pub fn with_threads(mut self, n: usize) -> Result<Self> {
        self.threads = Threads::new(n)?;
        Ok(self)
    }

    /// What was done since the writer was opened.
    pub fn changes(&self) -> Changes {
        let n = self.changes.added.max(1) as f64;
        Changes { lost: self.lost / n, ..self.changes }
    }

    /// Adds a document; one with the same id is replaced.
    pub fn add(&mut self, document: Document) -> Result<()> {
        if document.id.is_empty() || document.id.contains(char::is_control) {
            let what = format!("the document id {:?} is empty or has a control character", document.id);
            return Err(Error::bad_data(what, "give every document an id"));
        }
        self.pending.push(document);
        if self.pending.len() >= BATCH { self.prepare_pending() } else { Ok(()) }
    }

    /// Deletes the document with an id; tells whether there was one.
    pub fn delete(&mut self, id: &str) -> Result<bool> {
        self.prepare_pending()?;
        self.remove(id)
    }

    /// Makes all changes visible at once; without any it does nothing.
    pub fn commit(&mut self) -> Result<()> {
        if self.publish_changes()? && self.base.parts().len() > MAX_SEGMENTS { self.merge_latest() } else { Ok(()) }
    }

    /// Writes what has changed and makes it visible; tells whether anything had.
    fn publish_changes(&mut self) -> Result<bool> {
        self.prepare_pending()?;
        self.write_segment()?;
        if !self.is_changed {
            return Ok(false);
        }
        let mut manifest = self.base.manifest().clone();
        manifest.generation += 1;
        manifest.next_segment = self.next_segment;
        for (record, deleted) in manifest.segments.iter_mut().zip(&self.deleted) {
            record.deleted = self.save_deleted(record, deleted, manifest.generation)?;
        }
        for (record, deleted) in std::mem::take(&mut self.written) {
            let saved = self.save_deleted(&record, &deleted, manifest.generation)?;
            manifest.segments.push(SegmentRecord { deleted: saved, ..record });
        }
        self.publish(manifest)?;
        Ok(true)
    }

    /// Takes over the documents of other indexes of the same model, made in other places, as if they were added now, one
    /// index after the other; of documents with one id the last stays. Their segments are copied, not made anew.
    pub fn adopt(&mut self, folders: &[PathBuf]) -> Result<()> {
        self.publish_changes()?;
        let mut others = Vec::with_capacity(folders.len());
        for folder in folders {
            let other = Snapshot::open(folder, None, OnDamage::Refuse)?;
            let (own, theirs) = (self.base.manifest(), other.manifest());
            if (&own.model, own.expand, own.prune) != (&theirs.model, theirs.expand, theirs.prune) {
                let what = format!("{} is an index of another model or of other parameters", folder.display());
                return Err(Error::bad_data(what, "make all parts with one model and the same parameters"));
            }
            others.push(other);
        }
        let (mut seen, mut taken) = (HashSet::new(), Vec::new());
        for (folder, other) in folders.iter().zip(&others).rev() {
            for (record, part) in other.manifest().segments.iter().zip(other.parts()).rev() {
                let mut deleted = part.deleted.clone();
                for doc in 0..part.segment.n_docs() as u32 {
                    if !deleted.contains(doc) && !seen.insert(part.segment.id(doc)?.to_string()) {
                        deleted.insert(doc);
                    }
                }
                taken.push((folder.join(&record.file.file), deleted));
            }
        }
        for id in &seen {
            self.remove(id)?;
        }
        for (path, deleted) in taken.into_iter().rev() {
            let bytes = fs::read(&path).map_err(|e| Error::io(&path, "read", e))?;
            let record = self.save_segment(&bytes)?;
            self.written.push((record, deleted));
            self.is_changed = true;
        }
        self.changes.added += seen.len() as u64;
        Ok(())
    }

    /// Merges all segments into one, without what was deleted.
    pub fn merge(&mut self) -> Result<()> {
        self.publish_changes()?;
        let parts = self.base.parts();
        if parts.len() > 1 || parts.iter().any(|part| !part.deleted.is_empty()) { self.merge_from(0) } else { Ok(()) }
    }

    /// Puts another model in the place of the index's own. Where only W differs, nothing but W is written; otherwise all
    /// documents are indexed anew.
    pub fn set_model(&mut self, model: &Model) -> Result<()> {
        self.commit()?;
        let record = save_model(&self.folder, model)?;
        let mut manifest = self.base.manifest().clone();
        manifest.generation += 1;
        manifest.model = record;
        let matching = Matching::new(Arc::new(model.clone()), manifest.expand, manifest.prune);
        let keeps_postings = !matching.has_values()
            && matching.rank() == 0
            && (self.matching.has_values(), self.matching.rank()) == (false, 0)
            && same_words(self.matching.model(), model, Side::Document);
        if keeps_postings {
            return self.publish(manifest);
        }
        let old = Snapshot::open(&self.folder, None, OnDamage::Refuse)?;
        self.matching = matching;
        self.matching.prepare_documents()?;
        self.recipe = Recipe::of_documents(self.matching.model()).filter(|_| !self.matching.has_values());
        let before = self.changes;
        old.for_each_document(|document| {
            self.pending.push(document);
            if self.pending.len() >= BATCH { self.prepare_new() } else { Ok(()) }
        })?;
        self.prepare_new()?;
        self.write_segment()?;
        self.changes = before;
        manifest.next_segment = self.next_segment;
        manifest.segments = std::mem::take(&mut self.written).into_iter().map(|(record, _)| record).collect();
        self.publish(manifest)
    }

    /// Prepares documents that wait, and takes those of the same ids away.
    fn prepare_pending(&mut self) -> Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        // Of two in one batch the later one counts.
        let mut seen = HashSet::new();
        let is_last: Vec<bool> = pending.iter().rev().map(|d| seen.insert(d.id.as_str())).collect();
        let mut is_last = is_last.into_iter().rev();
        pending.retain(|_| is_last.next().unwrap_or(true));
        for document in &pending {
            self.remove(&document.id)?;
        }
        self.pending = pending;
        self.prepare_new()
    }

    /// Prepares documents that wait and whose ids are new.
    fn prepare_new(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let documents = std::mem::take(&mut self.pending);
        let prepared = self.threads.map(documents.len(), |i| self.prepare(&documents[i]));
        for prepared in prepared {
            let (prepared, lost) = prepared?;
            self.lost += lost;
            self.new_ids.insert(prepared.id.clone(), self.builder.n_docs() as u32);
            self.builder.push(prepared)?;
            self.changes.added += 1;
        }
        self.is_changed = true;
        if self.builder.n_postings() >= self.max_postings || self.builder.n_docs() >= MAX_DOCUMENTS {
            self.write_segment()?;
        }
        Ok(())
    }

    fn prepare(&self, document: &Document) -> Result<(Prepared, f64)> {
        let model = self.matching.model();
        let Some(vectorizer) = model.vectorizer(Side::Document) else {
            return Err(Error::internal("a model without words of documents in an index"));
        };
        let bag = vectorizer.bag(&document.full_text());
        let vector = vectorizer.weighting().weigh(&bag, vectorizer.vocabulary());
        let mut prepared = Prepared {
            id: document.id.clone(),
            n_tokens: u32::try_from(bag.n_tokens()).unwrap_or(u32::MAX),
            projection: self.matching.project(vector.view()),
            line: stored::line(document)?,
            keys: fields::keys(document),
            ..Prepared::default()
        };
        let mut lost = 0.0;
        match &self.recipe {
            Some(recipe) => {
                // Words of no weight have no place in the vector, and none in the index.
                let kept = vector.view().indices();
                let mut kept = kept.iter().peekable();
                let counts = bag.counts().iter().filter(|(term, _)| kept.next_if_eq(&term).is_some());
                prepared.payloads = counts.copied().collect();
                prepared.norm = recipe.norm(bag.counts(), bag.n_tokens());
            }
            None => {
                let (expanded, share) = self.matching.expand_document(vector.view())?;
                prepared.payloads = expanded.view().iter().map(|(term, w)| (term, w.to_bits())).collect();
                prepared.norm = 1.0;
                lost = share;
            }
        }
        Ok((prepared, lost))
    }

    /// Marks the document with an id as deleted, wherever it is.
    fn remove(&mut self, id: &str) -> Result<bool> {
        if let Some(doc) = self.new_ids.remove(id) {
            self.new_deleted.insert(doc);
            self.note_deletion();
            return Ok(true);
        }
        for (part, deleted) in self.base.parts().iter().zip(&mut self.deleted) {
            if let Some(doc) = part.segment.find_id(id)?
                && deleted.insert(doc)
            {
                self.note_deletion();
                return Ok(true);
            }
        }
        for (record, deleted) in &mut self.written {
            let segment = crate::segment::Segment::open(&self.folder.join(&record.file.file), self.recipe.as_ref())?;
            if let Some(doc) = segment.find_id(id)?
                && deleted.insert(doc)
            {
                self.note_deletion();
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn note_deletion(&mut self) {
        self.changes.deleted += 1;
        self.is_changed = true;
    }

    /// Writes what was gathered as a segment, which no manifest names yet.
    fn write_segment(&mut self) -> Result<()> {
        if self.builder.n_docs() == 0 {
            return Ok(());
        }
        let builder = std::mem::take(&mut self.builder);
        let bytes = builder.finish(self.recipe.as_ref(), self.matching.rank())?;
        self.new_ids.clear();
        let deleted = std::mem::take(&mut self.new_deleted);
        let record = self.save_segment(&bytes)?;
        self.written.push((record, deleted));
        Ok(())
    }

    fn save_segment(&mut self, bytes: &[u8]) -> Result<SegmentRecord> {
        let file = save_file(&self.folder, format!("segment-{}.qws", self.next_segment), bytes)?;
        self.next_segment += 1;
        let segment = crate::segment::Segment::open(&self.folder.join(&file.file), self.recipe.as_ref())?;
        let crc32 = segment.container().header_crc32();
        Ok(SegmentRecord { file: FileRecord { crc32, ..file }, n_docs: segment.meta().n_docs, deleted: None })
    }

    /// Saves the deleted documents of a segment, unless they are saved already.
    fn save_deleted(
        &self,
        record: &SegmentRecord,
        deleted: &RoaringBitmap,
        generation: u64,
    ) -> Result<Option<FileRecord>> {
        if deleted.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        deleted.serialize_into(&mut bytes).map_err(|e| Error::internal(format!("a set of documents: {e}")))?;
        let saved =
            record.deleted.as_ref().filter(|d| d.crc32 == qwd_store::crc32(&bytes) && d.n_bytes == bytes.len() as u64);
        if let Some(saved) = saved {
            return Ok(Some(saved.clone()));
        }
        let name = record.file.file.trim_end_matches(".qws");
        save_file(&self.folder, format!("{name}-deleted-{generation}.qwb"), &bytes).map(Some)
    }

    /// Merges the latest segments that are small against each other.
    fn merge_latest(&mut self) -> Result<()> {
        let sizes: Vec<u64> = self.base.parts().iter().map(|p| p.segment.n_docs() as u64).collect();
        let (mut from, mut sum) = (sizes.len() - 1, sizes[sizes.len() - 1]);
        while from > 0 && (sizes[from - 1] <= 2 * sum || from > MAX_SEGMENTS / 2) {
            from -= 1;
            sum += sizes[from];
        }
        self.merge_from(from)
    }

    fn merge_from(&mut self, from: usize) -> Result<()> {
        let parts: Vec<merge::Part<'_>> = self.base.parts()[from..].iter().map(|p| (&p.segment, &p.deleted)).collect();
        let bytes = merge::merge(&parts, self.recipe.as_ref(), self.matching.rank())?;
        let mut manifest = self.base.manifest().clone();
        manifest.generation += 1;
        manifest.segments.truncate(from);
        let record = self.save_segment(&bytes)?;
        if record.n_docs > 0 {
            manifest.segments.push(record);
        }
        manifest.next_segment = self.next_segment;
        self.publish(manifest)
    }

    /// Saves a manifest, opens what it names, and removes files that it does not name.
    fn publish(&mut self, manifest: Manifest) -> Result<()> {
        manifest.save(&self.folder)?;
        self.base = Snapshot::open(&self.folder, Some(&self.base), OnDamage::Refuse)?;
        self.deleted = self.base.parts().iter().map(|part| part.deleted.clone()).collect();
        let mut matching = self.base.matching().clone();
        matching.prepare_documents()?;
        self.matching = matching;
        self.recipe = Recipe::of_documents(self.matching.model()).filter(|_| !self.matching.has_values());
        self.is_changed = false;
        remove_unnamed(&self.folder, &manifest);
        Ok(())
    }
}

/// Takes the place of the one writer.
fn lock(folder: &Path) -> Result<File> {
    lock_file(&folder.join(LOCK), || {
        let what = format!("another process is changing the index in {}", folder.display());
        Error::bad_data(what, "wait for it to end")
    })
}

fn save_model(folder: &Path, model: &Model) -> Result<FileRecord> {
    let bytes = model.clone().without_state().to_bytes()?;
    let name = format!("model-{:08x}.qwd", qwd_store::crc32(&bytes));
    save_file(folder, name, &bytes)
}

/// Removes files of earlier commits. Whoever has them open keeps them; what cannot be removed is removed next time.
fn remove_unnamed(folder: &Path, manifest: &Manifest) {
    let named = manifest.files();
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = [".qws", ".qwb", ".qwd", ".tmp"].iter().any(|suffix| name.ends_with(suffix));
        if is_ours && !named.contains(&name.as_str()) {
            fs::remove_file(entry.path()).ok();
        }
    }
}
