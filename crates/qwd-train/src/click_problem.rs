//! What matching learns from: vectors of queries and documents, and how strongly each query answers to which documents.

use qwd_core::{Csr, Error, Result, SparseVec};
use qwd_data::{Task, Truth};
use qwd_model::bounds::Sample;
use std::borrow::Cow;

/// A click-through graph whose nodes carry features: the rows of X and Y are queries and documents, R says how strongly a
/// query and a document belong together (clicks, rates, grades), with no entry where nothing is known.
///
/// A query without features, or without a response, teaches nothing and is allowed; so is a document.
#[derive(Debug, Clone, Copy)]
pub struct ClickProblem<'a> {
    /// The queries' features, one row each. Symbol: X.
    pub queries: &'a Csr,
    /// The documents' features, one row each. Symbol: Y.
    pub documents: &'a Csr,
    /// The responses, queries by documents, all above 0. Symbol: R.
    pub response: &'a Csr,
}

impl<'a> ClickProblem<'a> {
    /// Takes what [`ClickProblem::check`] accepts.
    pub fn try_new(queries: &'a Csr, documents: &'a Csr, response: &'a Csr) -> Result<Self> {
        let problem = Self { queries, documents, response };
        problem.check()?;
        Ok(problem)
    }

    /// Checks that the sizes fit, that there are features and at least one response, and that all responses are above 0.
    pub fn check(&self) -> Result<()> {
        if self.queries.n_cols() == 0 || self.documents.n_cols() == 0 {
            return Err(Error::bad_data("the vocabulary is empty", "give more text or a larger vocabulary"));
        }
        let (n_queries, n_documents) = (self.queries.n_rows(), self.documents.n_rows());
        if (self.response.n_rows(), self.response.n_cols() as usize) != (n_queries, n_documents) {
            return Err(Error::bad_data(
                format!(
                    "responses of {} queries by {} documents, where there are {n_queries} and {n_documents}",
                    self.response.n_rows(),
                    self.response.n_cols()
                ),
                "give one row for every query and one column for every document",
            ));
        }
        if let Some(&value) = self.response.parts().2.iter().find(|&&r| r <= 0.0) {
            return Err(Error::bad_data(
                format!("a response of {value}"),
                "give only pairs with clicks: responses are above 0",
            ));
        }
        if self.response.nnz() == 0 {
            return Err(Error::bad_data(
                "no query has a response: the click graph is empty",
                "give clicks or judgments",
            ));
        }
        Ok(())
    }

    /// The number of queries that have a response. Symbol: nˣ.
    pub fn n_answered(&self) -> usize {
        self.response.rows().filter(|row| !row.is_empty()).count()
    }

    /// What bounds on a model need to know of this sample.
    pub fn sample(&self) -> Sample {
        let answered = || self.response.rows().filter(|row| !row.is_empty());
        let n_queries = answered().count() as u64;
        let inverse: f64 = answered().map(|row| 1.0 / row.len() as f64).sum();
        let most = |rows: &Csr| rows.rows().map(|row| row.len()).max().unwrap_or(0) as u64;
        let longest = |rows: &Csr| rows.rows().map(|row| row.norm()).fold(0.0, f64::max);
        Sample {
            n_queries,
            documents_per_query: n_queries as f64 / inverse,
            largest_response: f64::from(self.response.parts().2.iter().copied().fold(0.0, f32::max)),
            most_query_features: most(self.queries),
            most_document_features: most(self.documents),
            longest_query: longest(self.queries),
            longest_document: longest(self.documents),
        }
    }
}

/// Responses in which queries with many clicks weigh less: each row is divided by its sum to the power of `damping`, so
/// that at 0 nothing changes and at 1 every query weighs the same. Unlike a logarithm of single responses, this leaves the
/// proportions between the documents of a query as they are.
pub fn damped(response: &Csr, damping: f64) -> Result<Cow<'_, Csr>> {
    if !(0.0..=1.0).contains(&damping) {
        return Err(Error::param("damping", damping, "0 (as given) to 1 (every query weighs the same)"));
    }
    if damping == 0.0 {
        return Ok(Cow::Borrowed(response));
    }
    let (indptr, indices, values) = response.parts();
    let mut weighed = Vec::with_capacity(values.len());
    for row in response.rows() {
        let sum: f64 = row.values().iter().map(|&r| f64::from(r)).sum();
        weighed.extend(row.values().iter().map(|&r| (f64::from(r) / sum.powf(damping)) as f32));
    }
    Csr::from_parts(response.n_cols(), indptr.to_vec(), indices.to_vec(), weighed).map(Cow::Owned)
}

/// The responses that a task implies: grades above 0, or for preferences the summed weights of the better documents.
/// Classes say too much about too many pairs to be written down: they have none.
pub fn response_of_task(task: &Task, n_queries: usize, n_documents: usize) -> Result<Option<Csr>> {
    let triples: Vec<(u32, u32, f32)> = match &task.truth {
        Truth::Classes { .. } => return Ok(None),
        Truth::Judgments(judgments) => {
            let suits = judgments.iter().filter(|judgment| judgment.grade > 0);
            suits.map(|judgment| (judgment.query, judgment.document, judgment.grade as f32)).collect()
        }
        Truth::Preferences(given) => given.iter().map(|p| (p.query, p.better, p.weight)).collect(),
    };
    response_of_triples(triples, n_queries, n_documents).map(Some)
}

/// Responses given as (query, document, response), in any order; those of one pair are added up.
pub fn response_of_triples(mut triples: Vec<(u32, u32, f32)>, n_queries: usize, n_documents: usize) -> Result<Csr> {
    triples.sort_by_key(|&(query, document, _)| (query, document));
    let mut response = Csr::with_capacity(n_documents as u32, n_queries, triples.len());
    let mut rest = triples.as_slice();
    for query in 0..n_queries as u32 {
        let n = rest.partition_point(|&(q, ..)| q == query);
        let row = rest[..n].iter().map(|&(_, document, r)| (document, r)).collect();
        response.push(SparseVec::from_pairs(row)?.view())?;
        rest = &rest[n..];
    }
    if let Some((query, ..)) = rest.first() {
        return Err(Error::bad_data(
            format!("a response names query {query} of {n_queries}"),
            "number queries by the rows of their matrix",
        ));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n_cols: u32, rows: &[&[(u32, f32)]]) -> Csr {
        let mut csr = Csr::empty(n_cols);
        for row in rows {
            csr.push(SparseVec::from_pairs(row.to_vec()).expect("finite").view()).expect("in range");
        }
        csr
    }

    #[test]
    fn what_makes_no_graph_is_refused() {
        let (x, y) = (rows(2, &[&[(0, 1.0)], &[]]), rows(3, &[&[(2, 1.0)]]));
        let message = |r: &Csr| ClickProblem::try_new(&x, &y, r).expect_err("refused").to_string();
        assert!(message(&rows(1, &[&[], &[]])).contains("the click graph is empty"));
        assert!(message(&rows(1, &[&[(0, -1.0)], &[]])).contains("a response of -1"));
        assert!(message(&rows(1, &[&[(0, 1.0)]])).contains("responses of 1 queries by 1 documents"));
        assert!(ClickProblem::try_new(&rows(0, &[&[], &[]]), &y, &rows(1, &[&[(0, 1.0)], &[]])).is_err());
        // A query without features or responses is no mistake.
        let one = rows(1, &[&[(0, 2.0)], &[]]);
        assert_eq!(ClickProblem::try_new(&x, &y, &one).expect("a graph").n_answered(), 1);
    }

    #[test]
    fn responses_of_a_pair_add_up() {
        let response = response_of_triples(vec![(2, 1, 1.0), (0, 3, 2.0), (2, 1, 0.5)], 3, 4).expect("in range");
        assert_eq!(response, rows(4, &[&[(3, 2.0)], &[], &[(1, 1.5)]]));
        assert!(response_of_triples(vec![(3, 0, 1.0)], 3, 4).is_err());
        assert!(response_of_triples(vec![(0, 4, 1.0)], 3, 4).is_err());
    }

    #[test]
    fn damping_keeps_proportions() {
        let response = rows(3, &[&[(0, 1.0), (2, 3.0)], &[], &[(1, 100.0)]]);
        assert_eq!(*damped(&response, 0.0).expect("a power"), response);
        assert_eq!(*damped(&response, 1.0).expect("a power"), rows(3, &[&[(0, 0.25), (2, 0.75)], &[], &[(1, 1.0)]]));
        assert_eq!(*damped(&response, 0.5).expect("a power"), rows(3, &[&[(0, 0.5), (2, 1.5)], &[], &[(1, 10.0)]]));
        assert!(damped(&response, 1.5).is_err() && damped(&response, f64::NAN).is_err());
    }

    #[test]
    fn the_sample_is_counted() {
        let (x, y) = (rows(2, &[&[(0, 3.0), (1, 4.0)], &[], &[]]), rows(3, &[&[(2, 2.0)], &[(0, 1.0)]]));
        let response = rows(2, &[&[(0, 1.0), (1, 7.0)], &[], &[(1, 2.0)]]);
        let sample = ClickProblem::try_new(&x, &y, &response).expect("a graph").sample();
        assert_eq!((sample.n_queries, sample.most_query_features, sample.most_document_features), (2, 2, 1));
        assert_eq!((sample.longest_query, sample.longest_document, sample.largest_response), (5.0, 2.0, 7.0));
        assert!((sample.documents_per_query - 2.0 / 1.5).abs() < 1e-12);
    }

    #[test]
    fn grades_and_better_documents_are_responses() {
        let judgment = |query, document, grade| qwd_data::Judgment { query, document, grade };
        let judged = Task::of_judgments(vec![judgment(0, 1, 2), judgment(1, 0, 0)], vec![0, 1], false);
        let of_grades = response_of_task(&judged, 2, 2).expect("in range").expect("grades");
        assert_eq!(of_grades, rows(2, &[&[(1, 2.0)], &[]]));
        let prefer = |query, better, worse, weight| qwd_data::Preference { query, better, worse, weight };
        let given = vec![prefer(1, 0, 1, 1.0), prefer(1, 0, 1, 2.0)];
        let preferred = Task::of_preferences(given, vec![0, 1], false);
        let of_preferences = response_of_task(&preferred, 2, 2).expect("in range").expect("preferences");
        assert_eq!(of_preferences, rows(2, &[&[], &[(0, 3.0)]]));
    }
}
