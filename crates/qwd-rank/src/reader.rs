//! Files to feature sets: `grade qid:N index:value … # docid`, plain or compressed.
//!
//! Features may be missing (they are 0) and stand in any order. What is refused, with its line: a row without a query, a
//! query that comes back after another one, a grade that is not a whole number from 0 to 31, a feature number that is 0,
//! negative, repeated or beyond `max_features`, a value that is not finite, a file without rows. What is accepted: a
//! query with one document or one grade only (it is evaluated, and teaches nothing), features that never vary.
//!
//! A file without any `qid` may have a neighbour `FILE.query` with the number of documents of each query, one a line, as
//! LightGBM writes them.

use crate::feature_set::{FeatureSet, MAX_GRADE};
use qwd_core::error::Place;
use qwd_core::{Error, Result};
use qwd_data::svmlight::{SvmParams, SvmRow, each_row};
use qwd_data::{Input, Line, Reading};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How feature files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadParams {
    /// The highest feature number accepted: every document has a place for each.
    pub max_features: u32,
    /// Whether to keep the documents' ids from the comments.
    pub keep_document_ids: bool,
}

impl Default for ReadParams {
    fn default() -> Self {
        Self { max_features: 1 << 16, keep_document_ids: false }
    }
}

/// Reads a file.
pub fn read(path: &Path, params: ReadParams, reading: &mut Reading) -> Result<FeatureSet> {
    let groups = beside(path, ".query");
    let sizes = if groups.is_file() { Some(read_sizes(&groups, reading)?) } else { None };
    read_input(Input::open(path)?, sizes, params, reading)
}

/// Reads an open input; `sizes` are the numbers of documents per query, for rows without a `qid`.
pub fn read_input(
    input: Input,
    sizes: Option<Vec<usize>>,
    params: ReadParams,
    reading: &mut Reading,
) -> Result<FeatureSet> {
    let path = input.path().to_path_buf();
    let mut rows = Rows { params, sizes: sizes.is_some(), ..Rows::default() };
    let svm = SvmParams {
        max_features: params.max_features,
        keep_comments: params.keep_document_ids,
        ..SvmParams::default()
    };
    each_row(input, svm, reading, |row, line| rows.add(&row, line))?;
    rows.finish(&path, sizes)
}

#[derive(Default)]
struct Rows {
    params: ReadParams,
    sizes: bool,
    columns: Vec<Vec<f32>>,
    grades: Vec<i32>,
    document_ids: Vec<String>,
    queries: Vec<(String, usize)>,
    current: Option<u64>,
    /// The line where each query began.
    seen: HashMap<u64, u64>,
}

impl Rows {
    fn add(&mut self, row: &SvmRow<'_>, line: &Line<'_>) -> Result<()> {
        let grade = grade(row.label, line)?;
        if let Some(qid) = row.qid {
            self.enter(qid, line)?;
        } else if !self.sizes {
            let remedy =
                "write qid:N behind the label, or put the sizes of the queries into a file FILE.query beside it";
            return Err(line.error(1, "the row names no query", remedy));
        }
        let n = self.grades.len();
        for &(j, value) in row.features {
            if j as usize >= self.columns.len() {
                self.columns.resize_with(j as usize + 1, Vec::new);
            }
            let column = &mut self.columns[j as usize];
            column.resize(n, 0.0);
            column.push(value);
        }
        self.grades.push(grade);
        if self.params.keep_document_ids {
            self.document_ids.push(row.comment.map_or_else(String::new, document_id));
        }
        Ok(())
    }

    fn enter(&mut self, qid: u64, line: &Line<'_>) -> Result<()> {
        if self.current == Some(qid) {
            if let Some((_, n)) = self.queries.last_mut() {
                *n += 1;
            }
            return Ok(());
        }
        if let Some(first) = self.seen.insert(qid, line.number) {
            let what = format!("query {qid} comes back; it began at line {first} and others stand between");
            return Err(line.error(1, what, "sort the rows by query"));
        }
        self.current = Some(qid);
        self.queries.push((qid.to_string(), 1));
        Ok(())
    }

    fn finish(mut self, path: &Path, sizes: Option<Vec<usize>>) -> Result<FeatureSet> {
        let n = self.grades.len();
        let refuse = |what: String, remedy: &str| Err(Error::parse(Place::new(path, 0, 0), what, remedy));
        if n == 0 {
            return refuse("no rows".into(), "give a file with at least one document");
        }
        for column in &mut self.columns {
            column.resize(n, 0.0);
            column.shrink_to_fit();
        }
        if let (Some(sizes), true) = (sizes, self.queries.is_empty()) {
            let total: usize = sizes.iter().sum();
            if total != n {
                return refuse(
                    format!("{n} rows, but the file beside it gives the queries {total}"),
                    "correct one of the two",
                );
            }
            self.queries = sizes.into_iter().enumerate().map(|(q, size)| ((q + 1).to_string(), size)).collect();
        }
        let set = FeatureSet::from_parts(self.columns, self.grades, self.queries)?;
        if self.params.keep_document_ids { set.with_document_ids(self.document_ids) } else { Ok(set) }
    }
}

fn grade(label: f64, line: &Line<'_>) -> Result<i32> {
    if label.fract() == 0.0 && (0.0..=f64::from(MAX_GRADE)).contains(&label) {
        return Ok(label as i32);
    }
    let what = format!("label {label} is not a grade: a whole number from 0 to {MAX_GRADE}");
    Err(line.error(1, what, "correct the label, or leave documents that nobody judged out"))
}

/// The id in a comment: `docid = GX008-86-4444840 inc = 1 …` as LETOR writes it, or its first word.
fn document_id(comment: &str) -> String {
    let mut words = comment.split_ascii_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("docid"), Some("="), Some(id)) => id.to_string(),
        (Some(id), _, _) => id.to_string(),
        (None, _, _) => String::new(),
    }
}

fn read_sizes(path: &Path, reading: &mut Reading) -> Result<Vec<usize>> {
    let mut sizes = Vec::new();
    reading.each_line(Input::open(path)?, |line| {
        let size = line.text.trim_ascii().parse().ok().filter(|&n: &usize| n > 0 && n < 1 << 40);
        let refuse = || line.error(1, "expected the number of a query's documents, at least 1", "correct the line");
        sizes.push(size.ok_or_else(refuse)?);
        Ok(())
    })?;
    Ok(sizes)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    name.into()
}
