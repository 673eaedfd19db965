//! The tables of methods and parameters, from which Python makes its classes, signatures and documentation.

use crate::errors::OrRaise;
use pyo3::prelude::*;
use qwd::Result;
use qwd::lab::settings::{method_keys, plan_keys};
use serde_json::{Value, json};

/// All methods as JSON: those that learn W, the rankers of the second stage, and the parts of a plan.
#[pyfunction]
pub(crate) fn method_tables() -> PyResult<String> {
    tables().map(|tables| tables.to_string()).or_raise()
}

fn tables() -> Result<Value> {
    let key = |(name, default, doc): &(&str, Value, &str)| json!({ "name": name, "default": default, "doc": doc });
    let mut matching = Vec::new();
    for method in qwd::train::METHODS {
        let keys: Vec<Value> = method_keys(method.name)?.keys.iter().map(key).collect();
        matching.push(json!({ "name": method.name, "summary": method.summary, "parameters": keys }));
    }
    let mut ranking = Vec::new();
    for method in qwd::rank::METHODS {
        let defaults = qwd::rank::Method::from_name(method.name)?.params();
        let of = |p: &qwd::core::parameters::Parameter| key(&(p.name, defaults[p.name].clone(), p.doc.trim()));
        let keys: Vec<Value> = method.parameters.iter().map(of).collect();
        ranking.push(json!({ "name": method.name, "summary": method.summary, "parameters": keys }));
    }
    let groups = plan_keys()?;
    let plan =
        groups.iter().map(|g| json!({ "path": g.path, "parameters": g.keys.iter().map(key).collect::<Vec<_>>() }));
    Ok(json!({ "matching": matching, "ranking": ranking, "plan": plan.collect::<Vec<_>>() }))
}
