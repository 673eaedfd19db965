//! Which tokens of Japanese find related pages best, and what word-by-word translation brings: cosine on MDN Web Docs by
//! the protocol of paper 2.
//!
//! `cargo run --release -p qwd-lab --example tokenizers -- DATA [TOKENS]...`, DATA being the folder that holds `mdn_docs`;
//! what it printed is in `experiments/tokenizers.md`.
#![expect(clippy::print_stdout, reason = "a measurement is there to print")]

use qwd_core::{Error, Result, Threads};
use qwd_data::{Dataset, Opened, Shares, Signal, Split, SplitRule};
use qwd_lab::collection;
use qwd_lab::protocol::{MatrixScorer, Protocol, ProtocolParams};
use qwd_lab::translation::{Dictionary, IbmModel1Params};
use qwd_model::Matrix;
use qwd_text::{AnalyzerParams, Tokenizer, VocabularyParams, WeightingParams};
use qwd_train::{Prepared, TextParams};
use std::path::Path;
use std::time::Instant;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().ok_or_else(|| Error::param("DATA", "(none)", "the folder that holds mdn_docs"))?;
    let only: Vec<String> = arguments.collect();
    let Opened::Texts(crossing) = collection::open(Path::new(&data), "mdn_docs_ja")? else {
        return Err(Error::internal("MDN holds texts"));
    };
    let japanese = translated_pages(&crossing)?;
    let threads = Threads::new(0)?;
    println!("| tokens | task | rank loss | MAP | P@10 | seconds |\n|---|---|---|---|---|---|");
    for (name, analyzer) in
        analyzers()?.into_iter().filter(|(name, _)| only.is_empty() || only.iter().any(|o| o == name))
    {
        let row = |task: &str, dataset: &Dataset, signal| report(name, task, dataset, signal, &analyzer, &threads);
        row("Japanese to Japanese", &japanese, Signal::Links)?;
        row("Japanese to English, shared tokens", &crossing, Signal::MateLinks)?;
        row("mates, shared tokens", &crossing, Signal::Mates)?;
        let translated = translate(&crossing, &analyzer, &threads)?;
        row("Japanese to English, translated", &translated, Signal::MateLinks)?;
        row("mates, translated", &translated, Signal::Mates)?;
    }
    Ok(())
}

/// The ways to cut a text that are compared.
fn analyzers() -> Result<Vec<(&'static str, AnalyzerParams)>> {
    let words = AnalyzerParams::default();
    let characters = |min_char_ngram, max_char_ngram| AnalyzerParams {
        tokenizer: Tokenizer::Characters,
        min_char_ngram,
        max_char_ngram,
        ..AnalyzerParams::default()
    };
    Ok(vec![
        ("words", words.clone()),
        ("words-ja", words.clone().in_language("ja")?),
        ("word-pairs", AnalyzerParams { ngrams: 2, ..words }),
        ("characters-2", characters(2, 2)),
        ("characters-1-2", characters(1, 2)),
        ("characters-2-3", characters(2, 3)),
    ])
}

/// The Japanese pages that have a mate, as documents, with the links of their mates.
fn translated_pages(crossing: &Dataset) -> Result<Dataset> {
    let mut pages = Dataset { manifest: crossing.manifest.clone(), ..Dataset::default() };
    let mut row_of = vec![None; crossing.documents.len()];
    for &(query, mate) in &crossing.mates {
        let page = &crossing.queries[query as usize];
        let (row, _) = pages.document_ids.insert(&page.id)?;
        let document = qwd_data::Document { id: page.id.clone(), text: page.text.clone(), ..Default::default() };
        pages.documents.push(document);
        row_of[mate as usize] = Some(row);
    }
    let link = |&(from, to): &(u32, u32)| Some((row_of[from as usize]?, row_of[to as usize]?));
    pages.links = crossing.links.iter().filter_map(link).collect();
    Ok(pages)
}

fn rule() -> SplitRule {
    SplitRule { shares: Shares::SEVENTY_THIRTY, ..SplitRule::default() }
}

/// The queries translated by a dictionary from the mates of the training split.
fn translate(crossing: &Dataset, analyzer: &AnalyzerParams, threads: &Threads) -> Result<Dataset> {
    let mates = crossing.task_of(Signal::Mates, Split::Train, &rule())?;
    let mates = mates.ok_or_else(|| Error::internal("MDN has mates"))?;
    let vocabulary = VocabularyParams { n_words: 30_000, ..VocabularyParams::default() };
    let sides = [analyzer, &AnalyzerParams::default()];
    let dictionary = Dictionary::learn(crossing, &mates, sides, &vocabulary, &IbmModel1Params::default(), threads)?;
    Ok(dictionary.translate_queries(crossing, threads))
}

fn report(
    name: &str,
    task_name: &str,
    dataset: &Dataset,
    signal: Signal,
    analyzer: &AnalyzerParams,
    threads: &Threads,
) -> Result<()> {
    let started = Instant::now();
    let weighting = WeightingParams::preset("tfidf")?;
    // Translated queries are cut as their translation was written, between spaces.
    let analyzer = if task_name.ends_with("translated") { &AnalyzerParams::default() } else { analyzer };
    let text = TextParams {
        analyzer: analyzer.clone(),
        query: weighting.clone(),
        document: weighting,
        vocabulary: VocabularyParams { n_words: 60_000, ..VocabularyParams::default() },
        ..TextParams::default()
    };
    let data = Opened::Texts(Box::new(dataset.clone()));
    let prepared = Prepared::fit(&data, &text, rule(), threads)?;
    let vectors = prepared.train_vectors();
    let task = dataset.task_of(signal, Split::Test, &rule())?.ok_or_else(|| Error::internal("a task is empty"))?;
    let protocol = Protocol::of_task(&task, dataset, &ProtocolParams::default())?;
    let matrix = Matrix::identity(vectors.documents.n_cols() as usize)?;
    let figures = protocol.measure(&MatrixScorer::try_new(&matrix, vectors)?, threads)?.figures();
    let [loss, map, p10] = ["rank_loss", "map", "p@10"].map(|figure| figures[figure]);
    let seconds = started.elapsed().as_secs_f64();
    println!("| {name} | {task_name} | {:.2} % | {map:.4} | {p10:.4} | {seconds:.1} |", 100.0 * loss);
    Ok(())
}
