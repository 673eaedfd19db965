//! What a ranker learns from: documents as feature vectors, grouped by query, each with a grade.
//!
//! Values are held dense and by column, as `f32`: a linear ranker reads whole columns (a score is a sum of few columns,
//! a gradient one inner product per column), a tree bins whole columns, and no second copy is ever needed. The documents
//! of a query are neighbours, so a query is a range of rows.
//!
//! Memory: 4 bytes per document and feature. When not to use it: bags of words; there `qwd-train` has the sparse forms.

use qwd_core::{Error, Result};
use std::ops::Range;

/// The highest grade: gains are 2^grade − 1.
pub const MAX_GRADE: i32 = 31;

/// Documents with features and grades, grouped by query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FeatureSet {
    columns: Vec<Vec<f32>>,
    grades: Vec<i32>,
    /// Where each query begins, and at the end the number of documents.
    starts: Vec<usize>,
    query_ids: Vec<String>,
    /// One for each document, or none at all.
    document_ids: Vec<String>,
}

impl FeatureSet {
    /// Puts a set together from columns of values, grades, and the queries as (id, number of documents) in order.
    pub fn from_parts(columns: Vec<Vec<f32>>, grades: Vec<i32>, queries: Vec<(String, usize)>) -> Result<Self> {
        let refuse =
            |what: String| Err(Error::bad_data(what, "give every document one value per feature and one grade"));
        if let Some((j, column)) = columns.iter().enumerate().find(|(_, column)| column.len() != grades.len()) {
            return refuse(format!("feature {} has {} values for {} documents", j + 1, column.len(), grades.len()));
        }
        if let Some(j) = columns.iter().position(|column| column.iter().any(|x| !x.is_finite())) {
            return refuse(format!("feature {} has a value that is not finite", j + 1));
        }
        if let Some(grade) = grades.iter().find(|grade| !(0..=MAX_GRADE).contains(*grade)) {
            return refuse(format!("grade {grade} is not between 0 and {MAX_GRADE}"));
        }
        let mut starts = vec![0];
        let mut query_ids = Vec::with_capacity(queries.len());
        let mut end = 0;
        for (id, n_documents) in queries {
            if n_documents == 0 {
                return refuse(format!("query {id} has no documents"));
            }
            end += n_documents;
            starts.push(end);
            query_ids.push(id);
        }
        if end != grades.len() {
            return refuse(format!("the queries have {end} documents in all, but there are {}", grades.len()));
        }
        Ok(Self { columns, grades, starts, query_ids, document_ids: Vec::new() })
    }

    /// Names the documents, one id for each.
    pub fn with_document_ids(mut self, ids: Vec<String>) -> Result<Self> {
        if ids.len() != self.n_documents() {
            let what = format!("{} ids for {} documents", ids.len(), self.n_documents());
            return Err(Error::bad_data(what, "give one id for each document"));
        }
        self.document_ids = ids;
        Ok(self)
    }

    /// Returns the number of documents, over all queries.
    pub fn n_documents(&self) -> usize {
        self.grades.len()
    }

    /// Returns the number of features.
    pub fn n_features(&self) -> usize {
        self.columns.len()
    }

    /// Returns the number of queries.
    pub fn n_queries(&self) -> usize {
        self.query_ids.len()
    }

    /// Returns the values of feature `j`, counted from 0, for all documents.
    pub fn column(&self, j: usize) -> &[f32] {
        &self.columns[j]
    }

    /// Returns the columns, one per feature.
    pub fn columns(&self) -> &[Vec<f32>] {
        &self.columns
    }

    /// Returns the grades of all documents.
    pub fn grades(&self) -> &[i32] {
        &self.grades
    }

    /// Returns the documents of query `q` as a range of rows.
    pub fn query(&self, q: usize) -> Range<usize> {
        self.starts[q]..self.starts[q + 1]
    }

    /// Returns the ranges of all queries, in order.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        (0..self.n_queries()).map(|q| self.query(q))
    }

    /// Returns the id of query `q`.
    pub fn query_id(&self, q: usize) -> &str {
        &self.query_ids[q]
    }

    /// Returns the id of a document, if the documents have any.
    pub fn document_id(&self, row: usize) -> Option<&str> {
        self.document_ids.get(row).map(String::as_str)
    }

    /// Returns the features of one document.
    pub fn row(&self, row: usize) -> Vec<f32> {
        self.columns.iter().map(|column| column[row]).collect()
    }

    /// Tells how many queries have documents of two grades or more; the others teach nothing about order.
    pub fn n_ordered_queries(&self) -> usize {
        self.queries().filter(|query| has_two_grades(&self.grades[query.clone()])).count()
    }

    /// Adds columns of zeros up to `n_features`, so that train, validation and test have the same.
    pub fn widen(&mut self, n_features: usize) {
        while self.columns.len() < n_features {
            self.columns.push(vec![0.0; self.grades.len()]);
        }
    }

    /// Returns the set with only some of its features, in the order given.
    pub fn select(&self, features: &[usize]) -> Self {
        let columns = features.iter().map(|&j| self.columns[j].clone()).collect();
        Self { columns, ..self.without_values() }
    }

    /// Refuses a set with another number of features than a ranker or another set has.
    pub fn expect_features(&self, n_features: usize) -> Result<()> {
        if self.n_features() == n_features {
            return Ok(());
        }
        let what = format!("the documents have {} features, {n_features} are expected", self.n_features());
        Err(Error::bad_data(what, "use files of one collection, or widen them to the same number of features"))
    }

    /// Refuses a set from which no order can be learned.
    pub(crate) fn expect_order(&self) -> Result<()> {
        if self.n_ordered_queries() > 0 {
            return Ok(());
        }
        let what = "no query has two documents of different grades, so there is no order to learn";
        Err(Error::bad_data(what, "add judgments, or train on another file"))
    }

    pub(crate) fn columns_mut(&mut self) -> &mut [Vec<f32>] {
        &mut self.columns
    }

    fn without_values(&self) -> Self {
        Self {
            columns: Vec::new(),
            grades: self.grades.clone(),
            starts: self.starts.clone(),
            query_ids: self.query_ids.clone(),
            document_ids: self.document_ids.clone(),
        }
    }
}

fn has_two_grades(grades: &[i32]) -> bool {
    grades.windows(2).any(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let make =
            |column: Vec<f32>, grades: Vec<i32>, n| FeatureSet::from_parts(vec![column], grades, vec![("1".into(), n)]);
        assert!(make(vec![0.5, 1.0], vec![0, 1], 2).is_ok());
        for bad in [
            make(vec![0.5], vec![0, 1], 2),
            make(vec![0.5, f32::NAN], vec![0, 1], 2),
            make(vec![0.5, 1.0], vec![0, -1], 2),
            make(vec![0.5, 1.0], vec![0, 32], 2),
            make(vec![0.5, 1.0], vec![0, 1], 3),
            make(vec![], vec![], 0),
        ] {
            assert!(bad.is_err());
        }
    }
}
