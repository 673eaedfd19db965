//! `qwd export`: documents and queries as other engines read them, or W as a file of synonyms.

use super::index::Expanded;
use crate::data::{Strictness, tell_skipped};
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::percent;
use crate::surroundings::Surroundings;
use clap::{Args, ValueEnum};
use qwd_core::{Error, Result};
use qwd_data::{Input, Output, corpus, create};
use qwd_model::Model;
use qwd_search::{Engine, Exporter, Index, Loss, Snapshot, SynonymParams, export::synonyms};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Text that is gathered before it is written.
const GATHERED: usize = 1 << 16;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Bulk lines with a sparse_vector.
    Elasticsearch,
    /// Bulk lines with rank_features.
    Opensearch,
    /// Points with a sparse vector.
    Qdrant,
    /// SQL with a sparsevec.
    Pgvector,
    /// JSON vectors of whole numbers, for Lucene.
    Anserini,
    /// A file of synonyms for Lucene, Solr and Elasticsearch.
    Synonyms,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The folder of an index; for synonyms a model will do.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The engine.
    #[arg(long, value_name = "ENGINE")]
    to: To,
    /// The file of the documents, or of the synonyms; packed if its name ends in .gz or .zst.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What is expanded by W.
    #[arg(long, value_name = "WHAT", default_value = "documents")]
    expand: Expanded,
    /// Keep only so many terms of an expanded query or document, the strongest.
    #[arg(long, value_name = "N")]
    prune: Option<usize>,
    /// Also export the queries of this file (queries.jsonl).
    #[arg(long, value_name = "FILE", requires = "queries_out")]
    queries: Option<PathBuf>,
    /// The file of the exported queries.
    #[arg(long, value_name = "FILE", requires = "queries")]
    queries_out: Option<PathBuf>,
    /// How many documents each query asks for.
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    k: usize,
    /// How many synonyms of each word.
    #[arg(long, value_name = "N", default_value_t = SynonymParams::default().per_word)]
    per_word: usize,
    /// The least weight of a synonym, as a share of that of the word with itself.
    #[arg(long, value_name = "SHARE", default_value_t = SynonymParams::default().min_weight)]
    min_weight: f32,
    /// Write weights behind synonyms, as Solr's delimited boosts.
    #[arg(long)]
    boosts: bool,
    #[command(flatten)]
    strictness: Strictness,
}

#[derive(Debug, Serialize)]
struct Exported<'a> {
    out: &'a Path,
    documents: Loss,
    queries: Loss,
}

pub(crate) fn run(args: &ExportArgs, here: &Surroundings) -> Outcome {
    let engine = match args.to {
        To::Elasticsearch => Engine::Elasticsearch,
        To::Opensearch => Engine::Opensearch,
        To::Qdrant => Engine::Qdrant,
        To::Pgvector => Engine::Pgvector,
        To::Anserini => Engine::Anserini,
        To::Synonyms => return args.synonyms(here),
    };
    let snapshot = Index::open(&args.index)?.snapshot();
    let mut exporter = Exporter::new(Arc::clone(snapshot.model()), engine, args.expand.into(), args.prune)?;
    args.documents(&snapshot, &mut exporter)?;
    if let (Some(queries), Some(out)) = (&args.queries, &args.queries_out) {
        args.export_queries(queries, out, &mut exporter, here)?;
    }
    let (documents, queries) = (exporter.of_documents, exporter.of_queries);
    here.output.show(format_args!("{} documents written to {}", documents.n_vectors, args.out.display()))?;
    for (what, loss) in [("documents", documents), ("queries", queries)] {
        if loss.n_negative > 0 {
            here.output.show(format_args!(
                "{} weights below 0 were left out of {what}, which this engine does not take: {} of the squared weights",
                loss.n_negative,
                percent(loss.negative)
            ))?;
        }
        if loss.pruned > 0.0 {
            let share = percent(loss.pruned);
            here.output.show(format_args!("pruning left out {share} of the squared weights of {what}"))?;
        }
    }
    here.output.answer(&Exported { out: &args.out, documents, queries })
}

impl ExportArgs {
    fn documents(&self, snapshot: &Snapshot, exporter: &mut Exporter) -> Result<()> {
        interrupt::will_write(&self.out);
        let mut out = create(&self.out)?;
        let mut text = String::new();
        exporter.head(&mut text);
        snapshot.for_each_document(|document| {
            exporter.document(&document, &mut text)?;
            pass_on(&mut text, GATHERED, &mut out)
        })?;
        exporter.tail(&mut text);
        pass_on(&mut text, 0, &mut out)?;
        out.finish().map(drop)
    }

    fn export_queries(&self, queries: &Path, out: &Path, exporter: &mut Exporter, here: &Surroundings) -> Result<()> {
        let mut reading = self.strictness.reading();
        let (queries, _) = corpus::read_queries(Input::open(queries)?, &mut reading)?;
        tell_skipped(&reading, here.output);
        interrupt::will_write(out);
        let mut out = create(out)?;
        let mut text = String::new();
        for query in &queries {
            exporter.query(&query.id, &query.text, self.k, &mut text)?;
            pass_on(&mut text, GATHERED, &mut out)?;
        }
        pass_on(&mut text, 0, &mut out)?;
        out.finish().map(drop)
    }

    fn synonyms(&self, here: &Surroundings) -> Outcome {
        let model = match self.index.is_dir() {
            true => Arc::clone(Index::open(&self.index)?.snapshot().model()),
            false => Arc::new(Model::open_without_state(&self.index)?),
        };
        let params = SynonymParams { per_word: self.per_word, min_weight: self.min_weight, boosts: self.boosts };
        let mut text = String::new();
        let n_lines = synonyms(&model, &params, &mut text)?;
        interrupt::will_write(&self.out);
        let mut out = create(&self.out)?;
        out.bytes(text.as_bytes())?;
        out.finish()?;
        here.output.show(format_args!("synonyms of {n_lines} words written to {}", self.out.display()))?;
        here.output.answer(&serde_json::json!({"out": self.out, "n_words": n_lines}))
    }
}

/// Writes text that has come together, if there is more than so much of it.
fn pass_on(text: &mut String, more_than: usize, out: &mut Output) -> Result<()> {
    if interrupt::is_requested() {
        return Err(Error::Interrupted);
    }
    if text.len() > more_than {
        out.bytes(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}
