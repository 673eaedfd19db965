//! Settings of a plan as people write them: `learning_rate=5`, `text.vocabulary.n_words=10000`, a configuration file.
//!
//! A bare key is a parameter of the training method, or else of the plan; a dotted key is a path into the plan. A value is
//! read as JSON where it is JSON, and is a text otherwise. The names, defaults and meanings come from the parameter
//! structs themselves, so help, errors and what is accepted cannot disagree.

use qwd_core::parameters::Parameter;
use qwd_core::{Error, Result};
use qwd_data::SampleParams;
use qwd_store::read_file;
use qwd_text::{AnalyzerParams, VocabularyParams, WeightingParams};
use qwd_train::plan::{RefitPlan, StopParams};
use qwd_train::{CorrelatedHashingParams, METHODS, Method, Plan, RefitParams, TextParams};
use serde_json::Value;
use std::path::Path;
use std::str::FromStr;

/// The longest configuration file that is read.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Where the method's own parameters lie in a plan.
const METHOD_PARAMS: &str = "train.params";

/// One `key=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The key, bare or dotted.
    pub key: String,
    /// The value.
    pub value: Value,
}

impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Self { key: key.trim().to_string(), value: parse_value(value) })
            }
            _ => Err(Error::param("setting", text, "key=value")),
        }
    }
}

/// Reads a value as JSON, as a number without its leading 0, or else as a text; a whole number may be written with an exponent.
pub fn parse_value(text: &str) -> Value {
    let as_number = || text.trim().strip_prefix('.').and_then(|digits| format!("0.{digits}").parse::<f64>().ok());
    let value = serde_json::from_str::<Value>(text.trim()).ok().or_else(|| as_number().map(Value::from));
    let Some(value) = value else { return Value::String(text.to_string()) };
    let whole =
        value.as_f64().filter(|x| value.is_f64() && !text.contains('.') && x.fract() == 0.0 && (0.0..9e15).contains(x));
    whole.map_or(value, |x| Value::from(x as u64))
}

/// Puts settings into a plan, one after the other.
pub fn apply(plan: &Plan, settings: &[Setting]) -> Result<Plan> {
    settings.iter().try_fold(plan.clone(), |plan, setting| set(&plan, setting))
}

fn set(plan: &Plan, setting: &Setting) -> Result<Plan> {
    let mut root = to_json(plan)?;
    let path = full_path(&setting.key);
    let mut place = &mut root;
    let mut walked = String::new();
    for part in path.split('.') {
        if place.is_null() {
            *place = default_of_optional(&walked)?;
        }
        let known = place.as_object_mut().and_then(|object| object.get_mut(part));
        place = known.ok_or_else(|| unknown(plan, setting, &walked))?;
        walked = if walked.is_empty() { part.to_string() } else { format!("{walked}.{part}") };
    }
    *place = match (&setting.value, default_of_optional(&walked)) {
        (Value::Bool(true), Ok(default)) => default,
        (Value::Bool(false), Ok(_)) => Value::Null,
        (value, _) => value.clone(),
    };
    serde_json::from_value(root).map_err(|e| Error::param(&setting.key, &setting.value, e.to_string()))
}

/// Merges a configuration (all of a plan or parts of it) into a plan.
pub fn configure(plan: &Plan, config: Value, path: &Path) -> Result<Plan> {
    let broken = |e: String| Error::param("config", path.display(), format!("parts of a plan: {e}"));
    let mut root = to_json(plan)?;
    let method = config.pointer("/train/method").and_then(Value::as_str);
    if let Some(method) = method.filter(|method| *method != plan.train.name()) {
        root["train"] = to_json(&Method::from_json(method, Value::Object(serde_json::Map::new()))?)?;
    }
    merge(&mut root, config);
    serde_json::from_value(root).map_err(|e| broken(e.to_string()))
}

/// Reads a configuration file: TOML if its name ends so, else JSON.
pub fn read_config(path: &Path) -> Result<Value> {
    let bytes = read_file(path, MAX_CONFIG_BYTES)?;
    let broken = |e: String| Error::param("config", path.display(), format!("TOML (by its ending) or JSON: {e}"));
    let text = std::str::from_utf8(&bytes).map_err(|e| broken(e.to_string()))?;
    if path.extension().is_some_and(|e| e == "toml") {
        return toml::from_str(text).map_err(|e| broken(e.to_string()));
    }
    serde_json::from_str(text).map_err(|e| broken(e.to_string()))
}

/// A group of keys, for help texts.
#[derive(Debug, Clone)]
pub struct Group {
    /// The path before the keys; empty for the plan's own.
    pub path: &'static str,
    /// The keys, their defaults as JSON, and what they mean.
    pub keys: Vec<(&'static str, Value, &'static str)>,
}

/// All keys of a plan but those of its method.
pub fn plan_keys() -> Result<Vec<Group>> {
    let text = TextParams { query_analyzer: Some(AnalyzerParams::default()), ..TextParams::default() };
    let (refit, stop) = (Some(RefitPlan::default()), Some(StopParams::default()));
    let hashing = Some(CorrelatedHashingParams::default());
    let plan = to_json(&Plan { refit, stop, hashing, text, ..Plan::default() })?;
    let group = |&(path, parameters): &(&'static str, &'static [Parameter])| {
        let pointer = if path.is_empty() { String::new() } else { format!("/{}", path.replace('.', "/")) };
        Group { path, keys: keys(parameters, plan.pointer(&pointer).unwrap_or(&Value::Null)) }
    };
    Ok(TABLES.iter().map(group).collect())
}

/// The keys of a method.
pub fn method_keys(name: &str) -> Result<Group> {
    let method = Method::from_json(name, Value::Object(serde_json::Map::new()))?;
    Ok(Group { path: METHOD_PARAMS, keys: keys(parameters_of(name), &method.params()) })
}

/// The tables of parameters by their path in a plan.
const TABLES: &[(&str, &[Parameter])] = &[
    ("", Plan::PARAMETERS),
    ("text", TextParams::PARAMETERS),
    ("text.analyzer", AnalyzerParams::PARAMETERS),
    ("text.query_analyzer", AnalyzerParams::PARAMETERS),
    ("text.vocabulary", VocabularyParams::PARAMETERS),
    ("text.document", WeightingParams::PARAMETERS),
    ("text.query", WeightingParams::PARAMETERS),
    ("sample", SampleParams::PARAMETERS),
    ("refit", RefitPlan::PARAMETERS),
    ("refit.params", RefitParams::PARAMETERS),
    ("stop", StopParams::PARAMETERS),
    ("hashing", CorrelatedHashingParams::PARAMETERS),
];

fn keys(parameters: &'static [Parameter], defaults: &Value) -> Vec<(&'static str, Value, &'static str)> {
    let default = |name: &str| defaults.get(name).filter(|d| !d.is_object()).cloned().unwrap_or(Value::Null);
    parameters.iter().map(|p| (p.name, default(p.name), p.doc.trim())).collect()
}

fn parameters_of(method: &str) -> &'static [Parameter] {
    METHODS.iter().find(|m| m.name == method).map_or(&[], |m| m.parameters)
}

/// A bare key is the method's, or else the plan's.
fn full_path(key: &str) -> String {
    let is_plans = key.contains('.') || Plan::PARAMETERS.iter().any(|p| p.name == key);
    if is_plans { key.to_string() } else { format!("{METHOD_PARAMS}.{key}") }
}

/// What the parts of a plan that may be missing begin with when one of their keys is set.
fn default_of_optional(path: &str) -> Result<Value> {
    match path {
        "refit" => to_json(&RefitPlan::default()),
        "text.query_analyzer" => to_json(&AnalyzerParams::default()),
        "stop" => to_json(&StopParams::default()),
        "hashing" => to_json(&CorrelatedHashingParams::default()),
        _ => Err(Error::internal(format!("{path} is no optional part of a plan"))),
    }
}

fn unknown(plan: &Plan, setting: &Setting, walked: &str) -> Error {
    let table = TABLES.iter().find(|(path, _)| *path == walked).map(|(_, parameters)| *parameters);
    let method = plan.train.name();
    let (owner, parameters) = match table {
        Some(parameters) if walked.is_empty() => ("a part of the plan".to_string(), parameters),
        Some(parameters) => (format!("a part of {walked}"), parameters),
        None if walked == METHOD_PARAMS => (format!("a parameter of {method}"), parameters_of(method)),
        None => ("a known key".to_string(), Plan::PARAMETERS),
    };
    let lines: String = parameters.iter().map(|p| format!("\n  {:<20} {}", p.name, p.doc.trim())).collect();
    let more = if walked == METHOD_PARAMS { "\nor a part of the plan, see `qwd train --help`" } else { "" };
    Error::param(&setting.key, &setting.value, format!("{owner}:{lines}{more}"))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

fn to_json(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::internal(format!("a plan that is not JSON: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(settings: &[&str]) -> Result<Plan> {
        let settings: Vec<Setting> = settings.iter().map(|s| s.parse()).collect::<Result<_>>()?;
        apply(&Plan::default(), &settings)
    }

    #[test]
    fn bare_keys_are_the_methods_and_dotted_ones_paths() {
        let given = [
            "l1=1e-4",
            "learning_rate=.5",
            "text.vocabulary.n_words=1e4",
            "text.analyzer.tokenizer=letters",
            "passes=2",
        ];
        let plan = with(&given).expect("all known");
        assert_eq!((&plan.train.params()["l1"], &plan.train.params()["learning_rate"]), (&json!(1e-4), &json!(0.5)));
        assert_eq!((plan.text.vocabulary.n_words, plan.passes), (10_000, 2));
        assert_eq!(plan.text.analyzer.tokenizer, qwd_text::Tokenizer::Letters);
    }

    #[test]
    fn parts_that_may_be_missing_appear_and_go() {
        let plan = with(&["hashing.bins=100"]).expect("all known");
        assert_eq!(plan.hashing.map(|h| h.bins), Some(100));
        let plan = with(&["refit.passes=2", "stop=true", "stop.metric=ndcg@10"]).expect("all known");
        assert_eq!(plan.refit.as_ref().map(|r| (r.passes, r.params.learning_rate)), Some((2, 200.0)));
        assert_eq!(plan.stop.map(|s| s.metric).as_deref(), Some("ndcg@10"));
        let plan = with(&["refit.passes=2", "refit=false"]).expect("all known");
        assert_eq!(plan.refit, None);
        let plan = with(&["text.query_analyzer.tokenizer=characters", "text.language=fr"]).expect("all known");
        assert_eq!(plan.text.query_analyzer.map(|a| a.tokenizer), Some(qwd_text::Tokenizer::Characters));
    }

    #[test]
    fn unknown_keys_and_values_are_told_what_exists() {
        let message = |setting: &str| with(&[setting]).expect_err(setting).to_string();
        assert!(message("learning_rat=3").contains("learning_rate        The rate"), "{}", message("learning_rat=3"));
        assert!(message("text.vocabulary.words=3").contains("n_words"), "{}", message("text.vocabulary.words=3"));
        assert!(message("schedule=slow").contains("`decaying`"), "{}", message("schedule=slow"));
        assert!(message("l1=NaN").contains("l1 = \"NaN\""), "{}", message("l1=NaN"));
        assert!(message("tuples.x=1").contains("the plan") || message("tuples.x=1").contains("a known key"));
    }

    #[test]
    fn a_configuration_changes_what_it_names() {
        let config = json!({ "train": { "method": "ftrl", "params": { "l1": 0.5 } }, "seed": 7 });
        let plan = configure(&Plan::default(), config, Path::new("c.json")).expect("known keys");
        assert_eq!((plan.train.name(), plan.seed), ("ftrl", 7));
        assert_eq!(plan.train.params()["l1"], json!(0.5));
        configure(&Plan::default(), json!({ "sed": 7 }), Path::new("c.json")).expect_err("unknown key");
    }

    #[test]
    fn every_key_of_a_plan_is_described() {
        for group in plan_keys().expect("described") {
            assert!(group.keys.iter().all(|(_, _, doc)| !doc.is_empty()), "{}", group.path);
        }
    }
}
