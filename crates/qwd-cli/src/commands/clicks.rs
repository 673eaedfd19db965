//! `qwd clicks`: what a click log holds, what it prefers, and which of two rankers it speaks for.

use crate::data::DataArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::{figure, p_value, percent, table};
use crate::surroundings::Surroundings;
use clap::{Args, Subcommand};
use qwd_core::{Error, Result};
use qwd_data::click_rules::preferences;
use qwd_data::preferences::write_preference;
use qwd_data::{ClickFilterParams, ClickRule, Dataset, Opened, Session, SplitRule, create};
use qwd_lab::click_report::ClickReport;
use qwd_lab::contender::{Contender, Entrant};
use qwd_lab::off_policy::OffPolicyParams;
use qwd_lab::position_bias::PositionBiasParams;
use qwd_model::Model;
use qwd_train::TextParams;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ClicksArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Tell the sizes of the click graph, what each rule makes of the sessions, and the position bias.
    Report(DataArgs),
    /// Turn sessions into preferences by the rules of Joachims.
    Preferences(PreferencesArgs),
    /// Estimate from the sessions of one ranker how many clicks two others would have had (inverse propensities).
    Compare(CompareArgs),
}

#[derive(Debug, Args)]
struct PreferencesArgs {
    #[command(flatten)]
    data: DataArgs,
    /// A rule: click-skip-above, last-click-skip-above, click-earlier-click, click-skip-previous or click-no-click-next.
    /// May be given many times.
    #[arg(long = "rule", value_name = "RULE", value_parser = rule, default_value = "click-skip-above")]
    rules: Vec<ClickRule>,
    /// The file to write: query, better and worse document on each line.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct CompareArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Two models, or `cosine` or `bm25`.
    #[arg(long = "model", value_name = "MODEL", required = true)]
    models: Vec<String>,
}

pub(crate) fn run(args: &ClicksArgs, here: &Surroundings) -> Outcome {
    match &args.action {
        Action::Report(data) => report(data, here),
        Action::Preferences(args) => write_preferences(args, here),
        Action::Compare(args) => compare(args, here),
    }
}

fn rule(name: &str) -> Result<ClickRule, String> {
    let known = || ClickRule::ALL.map(ClickRule::name).join(", ");
    ClickRule::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| format!("one of {}", known()))
}

fn report(data: &DataArgs, here: &Surroundings) -> Outcome {
    let opened = data.open(here.output)?;
    let report = ClickReport::of(texts(&opened)?, &ClickFilterParams::default(), &here.threads)?;
    if let Some(graph) = &report.graph {
        let rows = [
            ("queries", graph.n_queries as f64),
            ("documents", graph.n_documents as f64),
            ("words", graph.n_words as f64),
            ("features of queries", graph.d_x as f64),
            ("features of documents", graph.d_y as f64),
            ("features a query", graph.c_x),
            ("features a document", graph.c_y),
            ("clicked documents a query", graph.n_y),
            ("queries a document", graph.n_x),
        ];
        let row = |(name, value): (&str, f64)| vec![name.to_string(), format!("{}", (value * 100.0).round() / 100.0)];
        here.output.show(table(&["click graph", ""], rows.map(row)))?;
    }
    if !report.rules.is_empty() {
        let share = |share: Option<f64>| share.map(percent).unwrap_or_default();
        let rows = report.rules.iter().map(|rule| {
            vec![
                rule.rule.name().to_string(),
                rule.n_preferences.to_string(),
                share(rule.contradicted),
                share(rule.broken),
            ]
        });
        here.output.show(table(&["rule", "preferences", "contradicted", "not confirmed by judgments"], rows))?;
        let rows = report.position_bias.iter().zip(1..).map(|(chance, k)| vec![k.to_string(), figure(*chance)]);
        here.output.show(table(&["position", "looked at"], rows))?;
    }
    here.output.answer(&report)
}

fn write_preferences(args: &PreferencesArgs, here: &Surroundings) -> Outcome {
    let opened = args.data.open(here.output)?;
    let dataset = texts(&opened)?;
    let sessions = filtered_sessions(dataset)?;
    let preferences = preferences(&sessions, &args.rules);
    interrupt::will_write(&args.out);
    let mut out = create(&args.out)?;
    let query_ids = if dataset.queries_are_documents() { &dataset.document_ids } else { &dataset.query_ids };
    for preference in &preferences {
        let [better, worse] = [preference.better, preference.worse].map(|row| dataset.document_ids.name(row));
        write_preference(&mut out, query_ids.name(preference.query), better, worse, preference.weight)?;
    }
    out.finish()?;
    here.output.remark(format_args!("{} preferences of {} sessions", preferences.len(), sessions.len()));
    here.output.answer(&json!({ "file": args.out, "n_sessions": sessions.len(), "n_preferences": preferences.len() }))
}

fn compare(args: &CompareArgs, here: &Surroundings) -> Outcome {
    let [a, b] = args.models.as_slice() else {
        return Err(Error::param("--model", args.models.join(", "), "two of them").into());
    };
    let opened = args.data.open(here.output)?;
    let sessions = filtered_sessions(texts(&opened)?)?;
    let propensities = PositionBiasParams::default().of_sessions(&sessions)?;
    let params = OffPolicyParams { propensities, ..OffPolicyParams::default() };
    let [one, other] = [a, b].map(|name| entrant(name, &opened, here));
    let (one, other) = (one?, other?);
    let found = params.compare(&sessions, &one.scorer()?, &other.scorer()?, &here.threads)?;
    let rows = [("logged", found.logged), (a.as_str(), found.a), (b.as_str(), found.b)];
    here.output
        .show(table(&["ranker", "clicks a session"], rows.map(|(name, x)| vec![name.to_string(), figure(x)])))?;
    here.output.show(format_args!("p = {} over {} sessions", p_value(found.p_value), found.n_sessions))?;
    here.output.answer(&found)
}

fn entrant<'a>(name: &str, data: &'a Opened, here: &Surroundings) -> Result<Entrant<'a>> {
    match Contender::named(name) {
        Contender::Model(path) => Entrant::of_model(&Model::open_without_state(&path)?, data, &here.threads),
        baseline => Entrant::of_baseline(&baseline, &TextParams::default(), data, SplitRule::default(), &here.threads),
    }
}

fn filtered_sessions(dataset: &Dataset) -> Result<Vec<Session>> {
    if dataset.sessions.is_empty() {
        let what = format!("{} has no sessions", dataset.manifest.name);
        return Err(Error::bad_data(what, "add sessions.jsonl: what was shown and what was clicked"));
    }
    let mut sessions = dataset.sessions.clone();
    ClickFilterParams::default().apply(&mut sessions)?;
    Ok(sessions)
}

fn texts(opened: &Opened) -> Result<&Dataset> {
    match opened {
        Opened::Texts(dataset) => Ok(dataset),
        Opened::Vectors(_) => {
            Err(Error::bad_data("the data are vectors, not clicks", "give clicks.tsv or sessions.jsonl"))
        }
    }
}
