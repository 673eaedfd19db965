//! `qwd demo`: everything at once on the corpus inside the program, and then the user's own
//! questions, in the terminal and on the web page.

use crate::demo_page::DemoPage;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{p_value, table, with_error};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Csr, Error, Result};
use qwd_data::{Dataset, Opened, Split, SplitRule};
use qwd_lab::compare::{Comparison, Difference, of_evaluations};
use qwd_lab::contender::{Contender, Entrant};
use qwd_lab::demo;
use qwd_lab::metrics::parse_metrics;
use qwd_lab::word_pairs::{WordPair, strongest_pairs};
use qwd_metrics::Metric;
use qwd_model::rank_all::rank_all;
use qwd_model::{Model, Side, WordReason};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::time::Instant;

/// What is measured.
const METRICS: &str = "mrr,map,ndcg@10";
/// How many learned word pairs are shown.
const N_PAIRS: usize = 15;
/// How many articles answer a question.
const N_HITS: usize = 3;
/// How many word pairs say why.
const N_REASONS: usize = 4;

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Answer this question too; may be given many times.
    #[arg(long, value_name = "QUESTION")]
    ask: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Answer {
    seconds: f64,
    density: f64,
    #[serde(flatten)]
    comparison: Comparison,
    pairs: Vec<WordPair>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<Hits>,
}

/// The best articles for a question.
#[derive(Debug, Serialize)]
struct Hits {
    query: String,
    hits: Vec<Hit>,
    unknown_words: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Hit {
    id: String,
    title: String,
    score: f32,
    reasons: Vec<WordReason>,
}

pub(crate) fn run(args: &DemoArgs, here: &Surroundings) -> Outcome {
    let started = Instant::now();
    let data = demo::dataset()?;
    let Opened::Texts(dataset) = &data else { return Err(Error::internal("the demo has no texts").into()) };
    introduce(dataset, here)?;
    let plan = demo::plan()?;
    let trained = plan.run(&data, &here.threads, &here.bar)?;
    here.bar.finish();
    let metrics = parse_metrics(METRICS)?;
    let rule = SplitRule { seed: plan.seed, ..SplitRule::default() };
    let cosine = Entrant::of_baseline(&Contender::Cosine, &plan.text, &data, rule, &here.threads)?;
    let learned = Entrant::of_model(&trained.model, &data, &here.threads)?;
    let evaluations = [&cosine, &learned].map(|e| e.evaluate(Split::Test, &metrics, &here.threads));
    let names = ["cosine", "learned W"].map(String::from);
    let comparison = of_evaluations(&names, evaluations.into_iter().collect::<Result<_>>()?)?;
    show_figures(&comparison, &metrics, here)?;
    let pairs = learned_pairs(&trained.model, dataset)?;
    show_pairs(&pairs, here)?;
    let searcher =
        Searcher { model: &trained.model, dataset, documents: &learned.prepared().train_vectors().documents };
    let seconds = started.elapsed().as_secs_f64();
    let density = trained.model.matrix().density();
    here.output
        .show(format_args!("\nTrained and measured in {seconds:.1} s; {:.3} % of W is not 0.", 100.0 * density))?;
    let answers = args.ask.iter().map(|question| searcher.search(question)).collect::<Result<Vec<_>>>()?;
    answers.iter().try_for_each(|hits| show_hits(hits, here))?;
    here.output.answer(&Answer { seconds, density, comparison, pairs, answers })?;
    converse(&searcher, here)
}

fn introduce(dataset: &Dataset, here: &Surroundings) -> Outcome {
    here.output.show(format_args!(
        "{} help-centre articles, {} questions in other words than the articles use.\n\
         Training on {} judged questions, then measuring on questions never seen ...\n",
        dataset.documents.len(),
        dataset.queries.len(),
        dataset.task(Split::Train, &SplitRule::default())?.queries.len(),
    ))
}

fn show_figures(comparison: &Comparison, metrics: &[Metric], here: &Surroundings) -> Outcome {
    let row = |&metric: &Metric| {
        let figure = |i: usize| {
            let summary = &comparison.systems[i].summary;
            with_error(summary.metrics.get(metric), summary.standard_errors.get(metric))
        };
        let difference = comparison.differences.iter().find(|d: &&Difference| d.metric == metric);
        let (gain, p) = difference.map_or((0.0, 1.0), |d| (d.difference, d.randomization_p));
        vec![metric.to_string(), figure(0), figure(1), format!("{gain:+.4}"), p_value(p)]
    };
    let header = ["test questions", "cosine", "learned W", "difference", "p (randomisation)"];
    here.output.show(table(&header, metrics.iter().map(row)))
}

/// Pairs that a reader finds telling: strong, between words of some length that are frequent enough to be no accident.
fn learned_pairs(model: &Model, dataset: &Dataset) -> Result<Vec<WordPair>> {
    let Some(words) = model.vectorizer(Side::Query) else { return Ok(Vec::new()) };
    let words = words.vocabulary();
    let in_articles: BTreeSet<String> = {
        let analyzer = model.vectorizer(Side::Document).map(|v| v.analyzer().clone());
        let terms = |d: &qwd_data::Document| analyzer.as_ref().map(|a| a.terms(&d.full_text())).unwrap_or_default();
        dataset.documents.iter().flat_map(terms).collect()
    };
    let is_telling =
        |word: u32| words.word(word).chars().count() > 3 && words.document_frequencies()[word as usize] > 4;
    let worth = |s: u32, t: u32, weight: f32| {
        let other_words = !in_articles.contains(words.word(s));
        (is_telling(s) && is_telling(t) && weight > 0.0).then_some(if other_words { 2.0 * weight } else { weight })
    };
    let mut seen = BTreeSet::new();
    let mut pairs = strongest_pairs(model, 8 * N_PAIRS, worth)?;
    pairs.retain(|pair| seen.insert(pair.query.clone()));
    pairs.truncate(N_PAIRS);
    Ok(pairs)
}

fn show_pairs(pairs: &[WordPair], here: &Surroundings) -> Outcome {
    let row = |pair: &WordPair| vec![pair.query.clone(), pair.document.clone(), format!("{:+.3}", pair.weight)];
    here.output.show(format_args!("\nSome of what it learned:"))?;
    here.output.show(table(&["a question says", "the article says", "weight"], pairs.iter().map(row)))
}

/// Answers questions from the articles.
struct Searcher<'a> {
    model: &'a Model,
    dataset: &'a Dataset,
    documents: &'a Csr,
}

impl Searcher<'_> {
    fn search(&self, question: &str) -> Result<Hits> {
        let query = self.model.vector(Side::Query, question)?;
        let best = rank_all(self.model.matrix(), query.view(), self.documents, N_HITS)?;
        let hit = |scored: &qwd_core::top_k::Scored| {
            let document = &self.dataset.documents[scored.item as usize];
            let mut reasons = self.model.explain_text(question, &document.full_text())?;
            reasons.truncate(N_REASONS);
            Ok(Hit { id: document.id.clone(), title: document.title.clone(), score: scored.score, reasons })
        };
        let hits = best.iter().map(hit).collect::<Result<_>>()?;
        let unknown_words = self.model.vectorizer(Side::Query).map(|v| v.unknown_words(question)).unwrap_or_default();
        Ok(Hits { query: question.to_string(), hits, unknown_words })
    }
}

fn show_hits(answer: &Hits, here: &Surroundings) -> Outcome {
    here.output.show(format_args!("\n> {}", answer.query))?;
    for (i, hit) in answer.hits.iter().enumerate() {
        let reason = |r: &WordReason| match r.query == r.document {
            true => format!("{} {:+.3}", r.query, r.value),
            false => format!("{}→{} {:+.3}", r.query, r.document, r.value),
        };
        let reasons: Vec<String> = hit.reasons.iter().map(reason).collect();
        here.output.show(format_args!("{}. {:.2}  {}  [{}]", i + 1, hit.score, hit.title, reasons.join(", ")))?;
    }
    if !answer.unknown_words.is_empty() {
        here.output.show(format_args!("   (words never seen: {})", answer.unknown_words.join(", ")))?;
    }
    Ok(())
}

/// Answers what is typed, while someone is there to type.
fn converse(searcher: &Searcher<'_>, here: &Surroundings) -> Outcome {
    let stdin = std::io::stdin();
    if here.output.is_json() || !stdin.is_terminal() {
        return Ok(());
    }
    let page = DemoPage::start(searcher.model, searcher.dataset)?;
    here.output.remark(format_args!("\nThe same on a web page that learns from your clicks: http://{}", page.address));
    page.open_browser();
    here.output.remark("\nAsk something here or there, for example \"my bill is too high\"; an empty line ends.");
    loop {
        let _ = write!(std::io::stderr(), "> ").and_then(|()| std::io::stderr().flush());
        let mut question = String::new();
        let n_read = interrupt::while_idle(|| stdin.lock().read_line(&mut question));
        if n_read.map_err(|e| Error::io("standard input", "read", e))? == 0 || question.trim().is_empty() {
            return Ok(());
        }
        show_hits(&searcher.search(question.trim())?, here)?;
    }
}
