//! `qwd rank compare`: rankers on one file, or cross-validated methods on the same folds.

use super::cv::{Answer, ProtocolArgs};
use super::eval::evaluate;
use crate::data::tell_skipped;
use crate::exit::{Failure, Outcome};
use crate::interrupt;
use crate::output::{figure, p_value, table};
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_core::{Error, Result};
use qwd_lab::plot::Plot;
use qwd_lab::ranker_curves;
use qwd_metrics::Evaluation;
use qwd_metrics::significance::Alternative;
use qwd_rank::cross_validation::CrossValidated;
use qwd_rank::measure::Figures;
use qwd_rank::reader::{ReadParams, read};
use qwd_rank::{Comparison, Method, Named, RankerFile, compare_evaluations};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The folds to cross-validate methods over, as for `qwd rank cv`.
    #[arg(long, value_name = "DIR", requires = "methods", required_unless_present = "on")]
    folds: Option<PathBuf>,
    /// A method to cross-validate over --folds; the others are compared with the first.
    #[arg(long = "method", value_name = "NAME", requires = "folds", conflicts_with = "models")]
    methods: Vec<String>,
    /// Documents to measure rankers on.
    #[arg(long, value_name = "FILE", requires = "models", conflicts_with = "folds")]
    on: Option<PathBuf>,
    /// A ranker's file; the others are compared with the first.
    #[arg(long = "model", value_name = "RANKER", requires = "on")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    protocol: ProtocolArgs,
    /// Test whether the first is better (one-sided, as the paper's tests look) in place of whether they differ.
    #[arg(long)]
    one_sided: bool,
    /// Exit with code 5 if any other is worse than the first by nDCG at the greatest depth.
    #[arg(long)]
    fail_if_worse: bool,
    /// Draw nDCG at 1 to 10 of all as SVG or PNG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// One of those compared.
struct Contender {
    name: String,
    figures: Named,
    evaluation: Evaluation,
}

/// A ranker as scripts are told of it.
#[derive(Debug, Serialize)]
struct Measured {
    model: String,
    #[serde(flatten)]
    figures: Figures,
}

/// One line of the significance table: the first minus another.
#[derive(Debug, Serialize)]
struct Difference<'a> {
    first: &'a str,
    other: &'a str,
    #[serde(flatten)]
    comparison: Comparison,
}

pub(crate) fn run(args: &CompareArgs, here: &Surroundings) -> Outcome {
    match (&args.folds, &args.on) {
        (Some(folds), None) => args.of_methods(folds, here),
        (None, Some(file)) => args.of_models(file, here),
        _ => Err(Error::internal("the argument parser let an incomplete command through").into()),
    }
}

impl CompareArgs {
    fn of_methods(&self, folds: &Path, here: &Surroundings) -> Outcome {
        let methods: Vec<Method> = self.methods.iter().map(|name| Method::from_name(name)).collect::<Result<_>>()?;
        let (folds, _) = self.protocol.open(folds, here)?;
        let mut results: Vec<CrossValidated> = Vec::new();
        for (name, method) in self.methods.iter().zip(methods) {
            let run = self.protocol.cross_validation(method, None, self.plot.is_some())?;
            let mut result = run.run(&folds, &here.threads, &here.bar)?;
            result.method = name.clone();
            results.push(result);
        }
        here.bar.finish();
        let named = results.first().map(|result| result.named.clone()).unwrap_or_default();
        let contenders: Vec<Contender> = results
            .iter()
            .map(|r| Contender { name: r.method.clone(), figures: r.mean.clone(), evaluation: r.evaluation.clone() })
            .collect();
        let answers: Vec<Answer<'_>> = results.iter().map(Answer::of).collect();
        self.tell(&contenders, &named, "methods", &answers, here)
    }

    fn of_models(&self, file: &Path, here: &Surroundings) -> Outcome {
        let mut reading = self.protocol.strictness.reading();
        let set = read(file, ReadParams::default(), &mut reading)?;
        tell_skipped(&reading, here.output);
        let measure = &self.protocol.measure;
        let curve = (1..=10).filter(|k| self.plot.is_some() && !measure.depths.contains(k));
        let named = measure.metrics.metrics(&measure.depths.iter().copied().chain(curve).collect::<Vec<_>>())?;
        let (mut contenders, mut answers) = (Vec::new(), Vec::new());
        for path in &self.models {
            let (evaluation, _) = evaluate(&RankerFile::open(path)?, set.clone(), &named, here)?;
            let figures = Figures::of(&evaluation, &named);
            let name = path.display().to_string();
            contenders.push(Contender { name: name.clone(), figures: figures.metrics.clone(), evaluation });
            answers.push(Measured { model: name, figures });
        }
        self.tell(&contenders, &named, "models", &answers, here)
    }

    fn tell(
        &self,
        contenders: &[Contender],
        named: &[(String, qwd_metrics::Metric)],
        kind: &str,
        answers: &impl Serialize,
        here: &Surroundings,
    ) -> Outcome {
        let Some((first, others)) = contenders.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Err(Error::param(format!("--{kind}"), contenders.len(), "two or more to compare").into());
        };
        let alternative = if self.one_sided { Alternative::Greater } else { Alternative::TwoSided };
        let mut differences = Vec::new();
        for other in others {
            let rows = compare_evaluations(&first.evaluation, &other.evaluation, named, alternative)?;
            let row = |comparison| Difference { first: &first.name, other: &other.name, comparison };
            differences.extend(rows.into_iter().map(row));
        }
        if let Some(path) = &self.plot {
            let curves: Vec<(&str, &Named)> = contenders.iter().map(|c| (c.name.as_str(), &c.figures)).collect();
            interrupt::will_write(path);
            Plot::try_new(ranker_curves::ndcg(&curves, "")?)?.save(path)?;
        }
        show(contenders, &differences, here)?;
        here.output.answer(&serde_json::json!({ kind: answers, "differences": &differences }))?;
        let deepest = self.protocol.measure.depths.iter().max().map(|depth| format!("ndcg@{depth}"));
        let is_worse =
            |d: &&Difference<'_>| Some(&d.comparison.metric) == deepest.as_ref() && d.comparison.difference > 0.0;
        let worse = differences.iter().find(is_worse);
        match worse.filter(|_| self.fail_if_worse) {
            None => Ok(()),
            Some(Difference { first, other, comparison }) => {
                let Comparison { metric, difference, .. } = comparison;
                here.output.remark(format_args!("{other} is worse than {first} by {metric} ({:+.4})", -difference));
                Err(Failure::Negative)
            }
        }
    }
}

fn show(contenders: &[Contender], differences: &[Difference<'_>], here: &Surroundings) -> Outcome {
    let names: Vec<&str> = contenders[0].figures.0.iter().map(|(name, _)| name.as_str()).collect();
    let header = [vec![""], names.clone()].concat();
    let row = |c: &Contender| {
        let figures = names.iter().map(|name| c.figures.get(name).map(figure).unwrap_or_default());
        std::iter::once(c.name.clone()).chain(figures).collect()
    };
    here.output.show(table(&header, contenders.iter().map(row)))?;
    let header = ["against", "metric", "difference", "p (t-test)", "p (randomisation)"];
    let row = |d: &Difference<'_>| {
        let Comparison { metric, difference, t_test, randomization, .. } = &d.comparison;
        vec![d.other.into(), metric.clone(), format!("{difference:+.4}"), p_value(*t_test), p_value(*randomization)]
    };
    here.output.show(format_args!("\n{} against the others:", contenders[0].name))?;
    here.output.show(table(&header, differences.iter().map(row)))
}
