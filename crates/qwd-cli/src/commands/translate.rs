//! `qwd translate`: the queries of a data set in the language of its documents, word by word.

use crate::data::DataArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::Error;
use qwd_data::corpus::write_queries;
use qwd_data::{Opened, Signal, Split, SplitRule, create};
use qwd_lab::translation::{Dictionary, IbmModel1Params};
use qwd_train::TextParams;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct TranslateArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The file to write: queries with the same ids, for `--queries` of other commands.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The language of the documents, as a two-letter code.
    #[arg(long, value_name = "CODE", default_value = "none")]
    language: String,
    /// The language of the queries, as a two-letter code.
    #[arg(long, value_name = "CODE", default_value = "none")]
    query_language: String,
    /// The seed of the splits: only mates of the training split are learned from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Serialize)]
struct Answer {
    queries: PathBuf,
    n_queries: usize,
    n_mates: usize,
}

pub(crate) fn run(args: &TranslateArgs, here: &Surroundings) -> Outcome {
    let Opened::Texts(dataset) = args.data.open(here.output)? else {
        return Err(Error::bad_data("vectors cannot be translated", "give a data set of texts").into());
    };
    let rule = SplitRule { seed: args.seed, ..SplitRule::default() };
    let Some(mates) = dataset.task_of(Signal::Mates, Split::Train, &rule)? else {
        return Err(Error::bad_data("there are no mates to learn a dictionary from", "give mates.tsv").into());
    };
    let (language, query_language) = (args.language.clone(), args.query_language.clone());
    let text = TextParams { language, query_language, ..TextParams::default() };
    let [query, document] = text.sides()?;
    let analyzers = [&query.analyzer, &document.analyzer];
    let params = IbmModel1Params::default();
    let dictionary = Dictionary::learn(&dataset, &mates, analyzers, &text.vocabulary, &params, &here.threads)?;
    let translated = dictionary.translate_queries(&dataset, &here.threads);
    interrupt::will_write(&args.out);
    let mut out = create(&args.out)?;
    write_queries(&mut out, &translated.queries)?;
    out.finish()?;
    let answer =
        Answer { queries: args.out.clone(), n_queries: translated.queries.len(), n_mates: mates.queries.len() };
    here.output.show(format_args!(
        "{} queries translated word by word, by a dictionary from {} pairs, in {}",
        answer.n_queries,
        answer.n_mates,
        answer.queries.display()
    ))?;
    here.output.answer(&answer)
}
