//! What is in an index, and whether it is sound to its last bit.

use crate::manifest::{MANIFEST, Manifest, load_file};
use crate::matching::{Expand, Matching};
use crate::segment::Segment;
use crate::segment::weights::Recipe;
use qwd_core::{Error, Result};
use qwd_model::{Model, Section};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What is in an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// Counts the commits.
    pub generation: u64,
    /// The form of W.
    pub form: String,
    /// The method that the model was trained by.
    pub method: String,
    /// Where the words that W adds are added.
    pub expand: Expand,
    /// How many terms of an expansion are kept.
    pub prune: Option<usize>,
    /// Documents that can be found.
    pub n_documents: u64,
    /// Documents that were deleted and are still there.
    pub n_deleted: u64,
    /// Segments.
    pub n_segments: usize,
    /// Postings.
    pub n_postings: u64,
    /// The bytes of postings, terms and what weights follow from, for each posting.
    pub bytes_per_posting: f64,
    /// The bytes of all files.
    pub n_bytes: u64,
    /// The bytes of each kind of section.
    pub sections: BTreeMap<String, u64>,
}

/// Describes the index in a folder.
pub fn describe(folder: impl AsRef<Path>) -> Result<Description> {
    let folder = folder.as_ref();
    let index = crate::Index::open(folder)?;
    let snapshot = index.snapshot();
    let manifest = snapshot.manifest();
    let mut sections: BTreeMap<String, u64> = BTreeMap::new();
    sections.insert("model".into(), manifest.model.n_bytes);
    let mut n_bytes = manifest.model.n_bytes;
    for (part, record) in snapshot.parts().iter().zip(&manifest.segments) {
        n_bytes += record.file.n_bytes + record.deleted.as_ref().map_or(0, |d| d.n_bytes);
        for (name, n) in part.segment.container().sections() {
            *sections.entry(name.to_string()).or_default() += n;
        }
    }
    let n_postings: u64 = snapshot.parts().iter().map(|p| p.segment.meta().n_postings).sum();
    let of_postings: u64 =
        ["postings", "terms", "lengths", "norms"].iter().filter_map(|name| sections.get(*name)).sum();
    Ok(Description {
        generation: manifest.generation,
        form: snapshot.model().matrix().name().to_string(),
        method: snapshot.model().provenance().method.clone(),
        expand: manifest.expand,
        prune: manifest.prune,
        n_documents: snapshot.n_documents(),
        n_deleted: snapshot.parts().iter().map(|p| p.deleted.len()).sum(),
        n_segments: snapshot.parts().len(),
        n_postings,
        bytes_per_posting: if n_postings == 0 { 0.0 } else { of_postings as f64 / n_postings as f64 },
        n_bytes,
        sections,
    })
}

/// Checks every file of an index to its last bit; each section says what is wrong with it.
pub fn verify(folder: impl AsRef<Path>) -> Result<Vec<Section>> {
    let folder = folder.as_ref();
    let mut found = Vec::new();
    let Some(manifest) = note(&mut found, MANIFEST.to_string(), Manifest::load(folder))? else { return Ok(found) };
    let model = load_file(folder, &manifest.model).and_then(|bytes| Model::from_bytes(&bytes));
    let Some(model) = note(&mut found, manifest.model.file.clone(), model)? else { return Ok(found) };
    let recipe = Recipe::of_documents(&model);
    let matching = Matching::new(Arc::new(model), manifest.expand, manifest.prune);
    for record in &manifest.segments {
        let name = &record.file.file;
        let opened = Segment::open(&folder.join(name), recipe.as_ref()).and_then(|segment| {
            let same = segment.container().header_crc32() == record.file.crc32
                && segment.meta().n_docs == record.n_docs
                && segment.meta().values == matching.has_values();
            let path = segment.container().path();
            if same { Ok(segment) } else { Err(Error::corrupt(path, "header", "it is not that of the manifest")) }
        });
        if let Some(segment) = note(&mut found, name.clone(), opened)? {
            let container = segment.container();
            let sections: Vec<String> = container.sections().map(|(section, _)| section.to_string()).collect();
            for section in sections {
                let checked = container.section(&section).map(|_| ());
                note(&mut found, format!("{name}: {section}"), checked)?;
            }
        }
        if let Some(deleted) = &record.deleted {
            note(&mut found, deleted.file.clone(), load_file(folder, deleted))?;
        }
    }
    Ok(found)
}

/// Notes the outcome of a check; damage and missing files are findings, other errors are errors.
fn note<T>(found: &mut Vec<Section>, name: String, outcome: Result<T>) -> Result<Option<T>> {
    let problem = match outcome {
        Ok(value) => {
            found.push(Section { name, problem: None });
            return Ok(Some(value));
        }
        Err(Error::Corrupt { section, what, .. }) => format!("{section}: {what}"),
        Err(e @ (Error::Io { .. } | Error::Limit { .. })) if name != MANIFEST => e.to_string(),
        Err(e) => return Err(e),
    };
    found.push(Section { name, problem: Some(problem) });
    Ok(None)
}
