//! The tuples as lines for Vowpal Wabbit: label 1, q in one namespace, d⁺ − d⁻ in the other.

use crate::arguments::Arguments;
use crate::setup;
use qwd_core::{Error, Result, SparseVec, SparseView, Threads};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};

pub(crate) fn run(arguments: &Arguments) -> Result<Value> {
    let data = setup::open(arguments)?;
    let plan = setup::plan(arguments)?;
    let prepared = setup::vectors(&data, &plan, &Threads::new(0)?)?;
    let tuples = setup::tuples(&prepared, &plan)?;
    let problem = setup::problem(&prepared, &tuples)?;
    let path = arguments.path("out")?;
    let failed = |e| Error::io(&path, "write", e);
    let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
    let mut difference = SparseVec::default();
    for tuple in &tuples {
        problem.difference(tuple, &mut difference);
        write_line(&mut out, problem.query(tuple), difference.view()).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    if let Some(path) = arguments.text("tuples-out") {
        let lines: String = tuples.iter().map(|t| format!("{}\t{}\t{}\n", t.query, t.better, t.worse)).collect();
        std::fs::write(path, lines).map_err(|e| Error::io(path, "write", e))?;
    }
    Ok(json!({ "tuples": tuples.len(), "words": problem.n_query_words() }))
}

fn write_line(out: &mut impl Write, query: SparseView<'_>, difference: SparseView<'_>) -> std::io::Result<()> {
    out.write_all(b"1 |q")?;
    query.iter().try_for_each(|(word, value)| write!(out, " {word}:{value}"))?;
    out.write_all(b" |d")?;
    difference.iter().try_for_each(|(word, value)| write!(out, " {word}:{value}"))?;
    out.write_all(b"\n")
}
