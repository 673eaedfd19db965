//! Given preferences: by ids in `preferences.tsv`, or as raw texts in `preferences.jsonl`.

use crate::input::Input;
use crate::json;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote};
use crate::output::Output;
use crate::reading::Reading;
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// One preference as it stands in a line of `preferences.tsv`.
#[derive(Debug, Clone, Copy)]
pub struct PreferenceFields<'a> {
    /// The query's id.
    pub query: Field<'a>,
    /// The better document's id.
    pub better: Field<'a>,
    /// The worse document's id.
    pub worse: Field<'a>,
    /// The weight, 1 if the line gives none.
    pub weight: f32,
}

/// A preference between two raw texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a triple as a JSON object")]
pub struct TextTriple {
    /// The query.
    pub query: String,
    /// The better text.
    pub pos: String,
    /// The worse text.
    pub neg: String,
    /// How much it counts.
    #[serde(default = "one")]
    pub weight: f32,
}

/// Hands every preference of a `preferences.tsv` to `record`: `query<TAB>better<TAB>worse[<TAB>weight]`.
pub fn each_preference(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut(PreferenceFields<'_>, &Line<'_>) -> Result<()>,
) -> Result<()> {
    reading.each_line(input, |line| {
        let columns = line.columns::<4>(3, "query<TAB>better<TAB>worse[<TAB>weight]")?;
        let [Some(query), Some(better), Some(worse), weight] = columns else {
            return Err(Error::internal("three columns were promised"));
        };
        for (name, field) in [("query", query), ("better document", better), ("worse document", worse)] {
            if field.text.is_empty() {
                return Err(line.error(field.column, format!("empty id of the {name}"), CORRECT_OR_SKIP));
            }
        }
        if better.text == worse.text {
            let what = format!("document {} is preferred to itself", quote(better.text));
            return Err(line.error(worse.column, what, CORRECT_OR_SKIP));
        }
        let weight = weight.map_or(Ok(1.0), |field| parse_weight(field, line))?;
        record(PreferenceFields { query, better, worse, weight }, line)
    })
}

/// Hands every triple of a `preferences.jsonl` to `record`; fields beyond query, pos, neg and weight are ignored.
pub fn each_triple(
    input: Input,
    reading: &mut Reading,
    mut record: impl FnMut(TextTriple, &Line<'_>) -> Result<()>,
) -> Result<()> {
    reading.each_line(input, |line| {
        let triple: TextTriple = json::parse(line)?;
        if triple.pos == triple.neg {
            return Err(line.error(1, "pos and neg are the same text", CORRECT_OR_SKIP));
        }
        if !is_weight(triple.weight) {
            return Err(line.error(1, "the weight is not a finite number above 0", CORRECT_OR_SKIP));
        }
        record(triple, line)
    })
}

/// Writes one preference by ids; a weight of 1 is left out.
pub fn write_preference(out: &mut Output, query: &str, better: &str, worse: &str, weight: f32) -> Result<()> {
    if weight == 1.0 {
        out.line(format_args!("{query}\t{better}\t{worse}"))
    } else {
        out.line(format_args!("{query}\t{better}\t{worse}\t{weight}"))
    }
}

/// Writes one triple of raw texts.
pub fn write_triple(out: &mut Output, triple: &TextTriple) -> Result<()> {
    out.json_line(triple)
}

fn one() -> f32 {
    1.0
}

fn is_weight(weight: f32) -> bool {
    weight.is_finite() && weight > 0.0
}

fn parse_weight(field: Field<'_>, line: &Line<'_>) -> Result<f32> {
    field.text.parse().ok().filter(|&weight| is_weight(weight)).ok_or_else(|| {
        let what = format!("weight {} is not a finite number above 0", quote(field.text));
        line.error(field.column, what, CORRECT_OR_SKIP)
    })
}
