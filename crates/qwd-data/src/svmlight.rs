//! Sparse vectors with labels, as SVMlight, LIBSVM and LETOR write them: `label [qid:n] index:value … [# comment]`.
//!
//! Indices may stand in any order and are sorted; one that appears twice in a row is an error. Zeros are dropped.

use crate::input::Input;
use crate::lines::{CORRECT_OR_SKIP, Field, Line, quote, words};
use crate::output::Output;
use crate::reading::Reading;
use qwd_core::{Csr, Error, Result};
use std::num::IntErrorKind;

/// The number of the first feature in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexBase {
    /// Features count from 0.
    Zero,
    /// Features count from 1, as SVMlight asks.
    #[default]
    One,
}

/// How a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SvmParams {
    /// The number of the first feature.
    pub base: IndexBase,
    /// The largest number of features accepted: whoever holds a column for each must be able to.
    pub max_features: u32,
    /// Whether to keep the comments, where LETOR has its document ids.
    pub keep_comments: bool,
}

impl Default for SvmParams {
    fn default() -> Self {
        Self { base: IndexBase::One, max_features: 1 << 26, keep_comments: false }
    }
}

/// One row as it stands in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmRow<'a> {
    /// The label: a class, a grade or a value; finite.
    pub label: f64,
    /// The query that the row belongs to.
    pub qid: Option<u64>,
    /// The features, counted from 0, strictly increasing and finite.
    pub features: &'a [(u32, f32)],
    /// The text behind `#`, without white space around it.
    pub comment: Option<&'a str>,
}

/// All rows of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SvmRows {
    /// The label of each row.
    pub labels: Vec<f64>,
    /// The query of each row; empty if the file has none.
    pub qids: Vec<u64>,
    /// The comment of each row, if they were to be kept.
    pub comments: Vec<String>,
    n_features: u32,
    indptr: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

/// Hands every row to `record`; either all rows have a `qid` or none.
pub fn each_row(
    input: Input,
    params: SvmParams,
    reading: &mut Reading,
    mut record: impl FnMut(SvmRow<'_>, &Line<'_>) -> Result<()>,
) -> Result<()> {
    let mut features = Vec::new();
    let mut has_qid = None;
    reading.each_line(input, |line| {
        if line.text.trim_ascii_start().starts_with('#') {
            return Ok(());
        }
        let row = parse(line, params, &mut features)?;
        if *has_qid.get_or_insert(row.qid.is_some()) != row.qid.is_some() {
            let what = "some rows have a qid and others have none";
            return Err(line.error(1, what, "give every row a qid or remove them all"));
        }
        record(row, line)
    })
}

/// Reads all rows.
pub fn read(input: Input, params: SvmParams, reading: &mut Reading) -> Result<SvmRows> {
    let mut rows = SvmRows { indptr: vec![0], ..SvmRows::default() };
    each_row(input, params, reading, |row, _| {
        rows.labels.push(row.label);
        rows.qids.extend(row.qid);
        if params.keep_comments {
            rows.comments.push(row.comment.unwrap_or_default().to_string());
        }
        for &(index, value) in row.features {
            rows.indices.push(index);
            rows.values.push(value);
        }
        rows.n_features = rows.n_features.max(row.features.last().map_or(0, |&(index, _)| index + 1));
        rows.indptr.push(rows.indices.len() as u64);
        Ok(())
    })?;
    Ok(rows)
}

impl SvmRows {
    /// Returns the number of features that appear: the highest one, counted from 1.
    pub fn n_features(&self) -> u32 {
        self.n_features
    }

    /// Turns the rows into a matrix of at least `n_cols` columns, so that train and test can have the same.
    pub fn into_csr(self, n_cols: u32) -> Result<Csr> {
        Csr::from_parts(n_cols.max(self.n_features), self.indptr, self.indices, self.values)
    }
}

/// Writes rows with their labels, and their queries unless `qids` is empty.
pub fn write(out: &mut Output, base: IndexBase, rows: &Csr, labels: &[f64], qids: &[u64]) -> Result<()> {
    if labels.len() != rows.n_rows() || !(qids.is_empty() || qids.len() == rows.n_rows()) {
        return Err(Error::internal("rows, labels and queries to be written are not as many"));
    }
    let first = first_index(base);
    for (i, (row, label)) in rows.rows().zip(labels).enumerate() {
        let mut text = label.to_string();
        if let Some(qid) = qids.get(i) {
            text.push_str(&format!(" qid:{qid}"));
        }
        for (index, value) in row.iter() {
            text.push_str(&format!(" {}:{value}", u64::from(index) + first));
        }
        out.line(format_args!("{text}"))?;
    }
    Ok(())
}

/// The number of the first feature, as it stands in the file.
fn first_index(base: IndexBase) -> u64 {
    match base {
        IndexBase::Zero => 0,
        IndexBase::One => 1,
    }
}

fn parse<'a>(line: &Line<'a>, params: SvmParams, features: &'a mut Vec<(u32, f32)>) -> Result<SvmRow<'a>> {
    let (body, comment) = match line.text.split_once('#') {
        Some((body, comment)) => (body, Some(comment.trim_ascii())),
        None => (line.text, None),
    };
    let mut pieces = words(body).peekable();
    let label = match pieces.next() {
        Some(field) => number::<f64>(field, "label", line)?,
        None => return Err(line.error(1, "expected a label", CORRECT_OR_SKIP)),
    };
    let qid = pieces.next_if(|field| field.text.starts_with("qid:")).map(|field| parse_qid(field, line)).transpose()?;
    let mut placed: Vec<(u32, u64, f32)> = Vec::new();
    for field in pieces {
        placed.push(feature(field, params, line)?);
    }
    placed.sort_unstable_by_key(|&(index, column, _)| (index, column));
    if let Some(twice) = placed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (index, column, _) = twice[1];
        let what = format!("feature {} appears twice in the row", u64::from(index) + first_index(params.base));
        return Err(line.error(column, what, CORRECT_OR_SKIP));
    }
    features.clear();
    features.extend(placed.iter().filter(|&&(_, _, value)| value != 0.0).map(|&(index, _, value)| (index, value)));
    Ok(SvmRow { label, qid, features, comment })
}

/// Reads `index:value`, and returns the index counted from 0, the column and the value.
fn feature(field: Field<'_>, params: SvmParams, line: &Line<'_>) -> Result<(u32, u64, f32)> {
    let refuse = |what: String| line.error(field.column, what, CORRECT_OR_SKIP);
    let Some((index, value)) = field.text.split_once(':') else {
        return Err(refuse(format!("expected index:value, found {}", quote(field.text))));
    };
    let first = first_index(params.base);
    let beyond = || refuse(format!("feature index {index} is beyond the limit of {} features", params.max_features));
    let number_of_feature = match index.parse::<i64>() {
        Ok(number) => number,
        Err(e) if *e.kind() == IntErrorKind::PosOverflow => return Err(beyond()),
        Err(_) => return Err(refuse(format!("feature index {} is not a whole number", quote(index)))),
    };
    let Some(from_zero) = number_of_feature.checked_sub(first as i64).and_then(|number| u64::try_from(number).ok())
    else {
        return Err(refuse(format!("feature index {index} in a file whose features count from {first}")));
    };
    if from_zero >= u64::from(params.max_features) {
        return Err(beyond());
    }
    let value_field = Field { text: value, column: field.column + index.len() as u64 + 1 };
    Ok((from_zero as u32, field.column, number::<f32>(value_field, "value", line)?))
}

fn parse_qid(field: Field<'_>, line: &Line<'_>) -> Result<u64> {
    field.text["qid:".len()..].parse().map_err(|_| {
        let what = format!("{} does not name a query by a whole number", quote(field.text));
        line.error(field.column, what, CORRECT_OR_SKIP)
    })
}

fn number<T: std::str::FromStr + Into<f64> + Copy>(field: Field<'_>, name: &str, line: &Line<'_>) -> Result<T> {
    field.text.parse().ok().filter(|&value: &T| value.into().is_finite()).ok_or_else(|| {
        line.error(field.column, format!("{name} {} is not a finite number", quote(field.text)), CORRECT_OR_SKIP)
    })
}
