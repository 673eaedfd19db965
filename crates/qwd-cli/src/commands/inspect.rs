//! `qwd inspect`: what is in a model's or a ranker's file, or in an index.

use crate::exit::Outcome;
use crate::output::{bytes, percent, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_model::{Bounds, Model, Summary, bounds, inspect};
use qwd_rank::RankerFile;
use qwd_search::{Expand, Index, describe};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The model, ranker or index.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also bound how far the alignment of a mapping on its training sample is from the truth (rmls, pls).
    #[arg(long)]
    bounds: bool,
    /// The probability with which each of the two bounds may fail.
    #[arg(long, default_value_t = 0.05, requires = "bounds")]
    delta: f64,
}

/// What scripts are told.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
}

pub(crate) fn run(args: &InspectArgs, here: &Surroundings) -> Outcome {
    if RankerFile::is_at(&args.file) {
        return super::rank::inspect::of_file(&args.file, here);
    }
    if Index::is_at(&args.file) {
        return of_index(&args.file, here);
    }
    let summary = inspect(&args.file)?;
    here.output.show(table(&["", "model"], facts(&summary)))?;
    let shape = |shape: &[usize]| shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ");
    let tensors = summary.tensors.iter();
    let rows = tensors.map(|t| vec![t.name.clone(), t.dtype.clone(), shape(&t.shape), bytes(t.n_bytes)]);
    here.output.show(format_args!("\n{}", table(&["tensor", "type", "shape", "size"], rows)))?;
    here.output.show(format_args!("\nparameters: {:#}", summary.provenance.params))?;
    let bounds = if args.bounds { Some(bounds(&Model::open_without_state(&args.file)?, args.delta)?) } else { None };
    if let Some(bounds) = &bounds {
        here.output.show(format_args!("\n{}", table(&["bound", "value"], of_bounds(bounds))))?;
    }
    here.output.answer(&Answer { summary, bounds })
}

fn of_bounds(bounds: &Bounds) -> Vec<Vec<String>> {
    let rows = [
        (format!("product of two images' lengths, B (theorem {})", bounds.theorem), bounds.b),
        (format!("norm of W, C (theorem {})", bounds.theorem), bounds.c),
        (format!("gap by the documents drawn (theorem 1, δ = {})", bounds.delta), bounds.of_documents),
        (format!("gap by the queries drawn (theorem 2, δ = {})", bounds.delta), bounds.of_queries),
        ("gap in all (theorem 3)".to_owned(), bounds.of_both),
    ];
    rows.into_iter().map(|(name, value)| vec![name, format!("{value:.4}")]).collect()
}

fn of_index(folder: &Path, here: &Surroundings) -> Outcome {
    let index = describe(folder)?;
    let expanded = match (index.expand, index.prune) {
        (Expand::Queries, None) => "queries".to_string(),
        (Expand::Documents, None) => "documents".to_string(),
        (Expand::Queries, Some(n)) => format!("queries, {n} terms of each"),
        (Expand::Documents, Some(n)) => format!("documents, {n} terms of each"),
    };
    let facts = [
        ("form of W", format!("{} ({})", index.form, index.method)),
        ("expanded by W", expanded),
        ("documents", index.n_documents.to_string()),
        ("deleted and still there", index.n_deleted.to_string()),
        ("segments", index.n_segments.to_string()),
        ("postings", format!("{}, {:.2} bytes each", index.n_postings, index.bytes_per_posting)),
        ("size", bytes(index.n_bytes)),
        ("commits", index.generation.to_string()),
    ];
    here.output.show(table(&["", "index"], facts.map(|(name, value)| vec![name.to_string(), value])))?;
    let sections = index.sections.iter().map(|(name, n)| vec![name.clone(), bytes(*n)]);
    here.output.show(format_args!("\n{}", table(&["section", "size"], sections)))?;
    here.output.answer(&index)
}

fn facts(summary: &Summary) -> Vec<Vec<String>> {
    let provenance = &summary.provenance;
    let words = match (summary.query_words, summary.document_words, summary.shared_words) {
        (true, true, true) => "one vocabulary for both sides",
        (true, true, false) => "a vocabulary for each side",
        (false, false, _) => "none: vectors only",
        _ => "of one side only",
    };
    let mut rows = vec![
        ("method", provenance.method.clone()),
        ("form of W", format!("{}, {} query words × {} document words", summary.form, summary.n_rows, summary.n_cols)),
        ("learned weights", format!("{} (density {})", summary.n_parameters, percent(summary.density))),
        ("words", words.to_string()),
        ("size", bytes(summary.file_bytes)),
        ("training steps", provenance.n_tuples.to_string()),
        ("can be updated", if summary.step.is_some() { "yes" } else { "no" }.to_string()),
        ("seed", provenance.seed.to_string()),
        ("trained by", format!("qwd {}", provenance.qwd_version)),
        ("format version", summary.format_version.clone()),
    ];
    rows.extend(provenance.data.iter().map(|(name, hash)| ("data", format!("{name} {hash}"))));
    rows.extend(provenance.notes.iter().map(|note| ("note", note.clone())));
    rows.into_iter().map(|(name, value)| vec![name.to_string(), value]).collect()
}
