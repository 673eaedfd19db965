//! What may be typed: one definition for parsing, help, completions and the manual page.

use crate::commands::{
    backup, clicks, compare, completions, dataset, demo, eval, export, features, index, inspect, man, mix, models,
    plot, rank, related, reproduce, score, search, serve, simulate_clicks, sparsify, train, translate, tune, update,
    verify,
};
use clap::{Parser, Subcommand};

/// Learns to rank from raw words: a sparse W in score(q, d) = qᵀWd.
#[derive(Debug, Parser)]
#[command(name = "qwd", version, propagate_version = true, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Threads to work with; 0 means one for each core. The result does not depend on it.
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 environment or internal fault, 2 usage, 3 bad data, 4 damaged or \
                          unsupported file, 5 negative answer, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train, compare and ask on a small built-in corpus: no files, no network.
    Demo(demo::DemoArgs),
    /// List public data sets, or bring one into the layout that qwd reads.
    Dataset(dataset::DatasetArgs),
    /// Learn a model from labelled, judged or preferred documents.
    Train(train::TrainArgs),
    /// Choose parameters on the validation split.
    Tune(tune::TuneArgs),
    /// Train a model further on new preferences, as if they had come in the same run.
    Update(update::UpdateArgs),
    /// Put queries into the language of the documents, word by word, by a dictionary learned from mates.
    Translate(translate::TranslateArgs),
    /// Add models up, with weights learned on the validation part.
    Mix(mix::MixArgs),
    /// Make any model sparse, so that an inverted index can hold it, and tell the loss.
    Sparsify(sparsify::SparsifyArgs),
    /// Measure a model, or a run, against judgments, labels or preferences.
    Eval(eval::EvalArgs),
    /// Put models side by side, with tests of significance.
    Compare(compare::CompareArgs),
    /// List the strongest partners of words.
    Related(related::RelatedArgs),
    /// Score a document for a query, and say why.
    Score(score::ScoreArgs),
    /// Make an index of documents and a model, or change the documents of one.
    Index(index::IndexArgs),
    /// Ask an index.
    Search(search::SearchArgs),
    /// Serve indexes over HTTP, with a web page, and learn from clicks.
    Serve(serve::ServeArgs),
    /// List the versions that a served index has learned, or go back to one.
    Models(models::ModelsArgs),
    /// Copy an index with its feedback and its versions, while it is served or not.
    Backup(backup::BackupArgs),
    /// Make an index of a backup.
    Restore(backup::RestoreArgs),
    /// Write documents and queries, expanded by W, as other engines read them; or W as a file of synonyms.
    Export(export::ExportArgs),
    /// Tell what is in a model's, a ranker's or an index's file or folder.
    Inspect(inspect::InspectArgs),
    /// Check a model, a ranker or an index to its last bit.
    Verify(verify::VerifyArgs),
    /// Draw a figure as SVG or PNG.
    Plot(plot::PlotArgs),
    /// Write matching scores as features of the second stage: a LETOR file from texts and models.
    Features(features::FeaturesArgs),
    /// The second stage: train, measure, cross-validate and compare rankers over feature vectors.
    Rank(rank::RankArgs),
    /// Tell what a click log holds, what it prefers, and which of two rankers it speaks for.
    Clicks(clicks::ClicksArgs),
    /// Make a click log of any size, with its truth known.
    SimulateClicks(simulate_clicks::SimulateClicksArgs),
    /// Run an experiment of the papers.
    Reproduce(reproduce::ReproduceArgs),
    /// Print a script that completes commands in a shell.
    Completions(completions::CompletionsArgs),
    /// Print the manual page.
    Man(man::ManArgs),
}
