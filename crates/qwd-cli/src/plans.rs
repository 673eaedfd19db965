//! The plan of a training run: what the data suggest, then a configuration file, then options, then `--set`.

use clap::Args;
use qwd_core::Result;
use qwd_data::Opened;
use qwd_lab::auto::{Candidate, candidates};
use qwd_lab::defaults::{METHOD, default_plan_for};
use qwd_lab::settings::{Group, Setting, apply, configure, method_keys, plan_keys, read_config};
use qwd_train::{METHODS, Method, Plan};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The options that make a plan.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The training method: sparse-sgd, low-rank, diagonal, identity or another of those below [default: sparse-sgd].
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Sets a parameter: of the method by its name, of the plan by its path. May be given many times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<Setting>,
    /// Parts of a plan as TOML or JSON, for example what `qwd tune --out` wrote.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The number of training tuples to draw.
    #[arg(long, value_name = "N")]
    tuples: Option<u64>,
    /// Passes over the tuples.
    #[arg(long, value_name = "N")]
    passes: Option<u32>,
}

impl PlanArgs {
    /// Whether nothing is said of how to train, but for the seed.
    pub(crate) fn is_open(&self) -> bool {
        let unsaid = self.method.is_none() && self.config.is_none() && self.settings.is_empty();
        unsaid && self.tuples.is_none() && self.passes.is_none()
    }

    /// The plans to choose from when nothing is said.
    pub(crate) fn candidates(&self, data: &Opened) -> Result<Vec<Candidate>> {
        candidates(data, self.seed.unwrap_or(Plan::default().seed))
    }

    /// Makes the plan for a data set.
    pub(crate) fn plan(&self, data: &Opened) -> Result<Plan> {
        let config = self.config.as_deref().map(|path| Ok((read_config(path)?, path)));
        let config: Option<(Value, _)> = config.transpose()?;
        let configured = config.as_ref().and_then(|(config, _)| config.pointer("/train/method")?.as_str());
        let method = self.method.as_deref().or(configured).unwrap_or(METHOD).to_string();
        let mut plan = default_plan_for(data, &method)?;
        if let Some((config, path)) = config {
            plan = configure(&plan, config, path)?;
        }
        if plan.train.name() != method {
            plan.train = Method::from_json(&method, json!({}))?;
        }
        plan.seed = self.seed.unwrap_or(plan.seed);
        plan.tuples = self.tuples.unwrap_or(plan.tuples);
        plan.passes = self.passes.unwrap_or(plan.passes);
        let plan = apply(&plan, &self.settings)?;
        plan.check()?;
        Ok(plan)
    }
}

/// The methods and all parameters, for `--help`: the same tables that `--set` is checked against.
pub(crate) fn help() -> String {
    let mut text = String::from("METHODS AND THEIR PARAMETERS (--set NAME=VALUE)\n");
    for method in METHODS {
        text += &format!("\n  {}: {}\n", method.name, method.summary);
        if let Ok(group) = method_keys(method.name) {
            text += &lines(&group, "");
        }
    }
    text += "\nPARTS OF A PLAN (--set PATH=VALUE, or a table of --config)\n\n";
    for group in plan_keys().unwrap_or_default() {
        let prefix = if group.path.is_empty() { String::new() } else { format!("{}.", group.path) };
        text += &lines(&group, &prefix);
    }
    text + "\nDefaults are those of the plan itself; what a data set suggests goes before them, see the report of a run."
}

fn lines(group: &Group, prefix: &str) -> String {
    let line = |(name, default, doc): &(&str, Value, &str)| {
        let default = if default.is_null() { String::new() } else { format!(" [{default}]") };
        format!("    {prefix}{name}{default}\n          {doc}\n")
    };
    group.keys.iter().map(line).collect()
}
