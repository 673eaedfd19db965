//! Methods, settings, metrics and scalings as the commands of the second stage take them.

use clap::Args;
use qwd_core::Result;
use qwd_lab::settings::Setting;
use qwd_rank::{METHODS, Method, MetricFamily, Scaling};

/// A method with its settings.
#[derive(Debug, Args)]
pub(super) struct MethodArgs {
    /// The method: fenchel, ranksvm-primal, ranksvm-struct, tgrank, rsrank, fs-rank, listnet, adarank, rankboost,
    /// coordinate-ascent, mart, lambdamart or blend.
    #[arg(long, value_name = "NAME", default_value = "fenchel")]
    method: String,
    /// Sets a parameter of the method. May be given many times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<Setting>,
}

impl MethodArgs {
    /// Makes the method.
    pub(super) fn method(&self) -> Result<Method> {
        let named = Method::from_name(&self.method)?;
        let method = self.settings.iter().try_fold(named, |method, s| method.with(&s.key, s.value.clone()))?;
        method.check()?;
        Ok(method)
    }
}

/// What is measured, and what is done to features first.
#[derive(Debug, Args)]
pub(super) struct MeasureArgs {
    /// Whose nDCG is meant by ndcg@k: letor3, letor4 (0 for queries with fewer than k documents) or standard.
    #[arg(long, value_name = "FAMILY", default_value = "standard", value_parser = MetricFamily::from_name)]
    pub(super) metrics: MetricFamily,
    /// The depths of nDCG to report.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,3,5,10")]
    pub(super) depths: Vec<usize>,
}

/// What is done to features before anything else.
#[derive(Debug, Args)]
pub(super) struct ScalingArgs {
    /// Brings features to [0, 1]: none, per-query, or overall (by their range over the training documents).
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Scaling::from_name)]
    pub(super) scaling: Scaling,
}

/// The methods and all parameters, for `--help`: the same tables that `--set` is checked against.
pub(super) fn help() -> String {
    let mut text = String::from("METHODS AND THEIR PARAMETERS (--set NAME=VALUE)\n");
    for method in METHODS {
        text += &format!("\n  {}: {}\n", method.name, method.summary);
        let defaults = Method::from_name(method.name).map(|m| m.params()).unwrap_or_default();
        for parameter in method.parameters {
            let default = defaults.get(parameter.name).map(|d| format!(" [{d}]")).unwrap_or_default();
            text += &format!("    {}{default}\n          {}\n", parameter.name, parameter.doc.trim());
        }
    }
    text + "\nadarank-ndcg, adarank-map and fs-rank-10 name a method together with its first parameter."
}
