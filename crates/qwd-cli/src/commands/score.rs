//! `qwd score`: a model scores raw text by itself, and says why.

use crate::exit::Outcome;
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_model::{Model, Side, WordReason};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The query.
    #[arg(long, value_name = "TEXT")]
    query: String,
    /// The document.
    #[arg(long, value_name = "TEXT")]
    document: String,
    /// Also list the word pairs that the score is the sum of.
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<WordReason>>,
    /// Words of the query that the model does not know.
    unknown_words: Vec<String>,
}

pub(crate) fn run(args: &ScoreArgs, here: &Surroundings) -> Outcome {
    let model = Model::open_without_state(&args.model)?;
    let score = model.score_text(&args.query, &args.document)?;
    let explain = || model.explain_text(&args.query, &args.document);
    let reasons: Option<Vec<WordReason>> = args.explain.then(explain).transpose()?;
    let unknown_words = model.vectorizer(Side::Query).map(|v| v.unknown_words(&args.query)).unwrap_or_default();
    here.output.show(score)?;
    if let Some(reasons) = &reasons {
        let row = |r: &WordReason| vec![r.query.clone(), r.document.clone(), format!("{:+.4}", r.value)];
        here.output.show(table(&["query", "document", "part of the score"], reasons.iter().map(row)))?;
    }
    if !unknown_words.is_empty() {
        here.output.remark(format_args!("the model does not know: {}", unknown_words.join(", ")));
    }
    here.output.answer(&Answer { score, reasons, unknown_words })
}
