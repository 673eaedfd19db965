//! `qwd related`: the strongest partners of words in W.

use crate::exit::Outcome;
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::{Args, ValueEnum};
use qwd_core::Result;
use qwd_model::{Model, RelatedWord, Side};
use serde::Serialize;
use std::path::PathBuf;

/// A side of W, as the user names it.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SideName {
    /// The words are words of queries; their partners are words of documents.
    Query,
    /// The words are words of documents; their partners are words of queries.
    Document,
}

impl From<SideName> for Side {
    fn from(name: SideName) -> Self {
        match name {
            SideName::Query => Self::Query,
            SideName::Document => Self::Document,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RelatedArgs {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The words.
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// How many partners of each word.
    #[arg(short, value_name = "K", default_value_t = 5)]
    k: usize,
    /// Which side the words are of.
    #[arg(long, value_name = "SIDE", default_value = "query")]
    side: SideName,
}

#[derive(Debug, Serialize)]
struct Answer {
    words: Vec<Partners>,
}

#[derive(Debug, Serialize)]
struct Partners {
    word: String,
    related: Vec<RelatedWord>,
}

pub(crate) fn run(args: &RelatedArgs, here: &Surroundings) -> Outcome {
    let model = Model::open_without_state(&args.model)?;
    let side = Side::from(args.side);
    let partners = |word: &String| Ok(Partners { word: word.clone(), related: model.related(side, word, args.k)? });
    let words = args.words.iter().map(partners).collect::<Result<Vec<_>>>()?;
    for Partners { word, related } in &words {
        let row = |r: &RelatedWord| vec![r.word.clone(), format!("{:+.4}", r.weight)];
        here.output.show(table(&[word, "weight"], related.iter().map(row)))?;
    }
    here.output.answer(&Answer { words })
}
