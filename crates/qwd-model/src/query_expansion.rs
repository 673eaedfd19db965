//! Query expansion by blind feedback: rank, add the mean of the best E documents times β to the query, rank again (the
//! baseline QE of the supervised semantic indexing paper). It is no W: what it adds depends on all documents.
//!
//! Queries and documents must be over the same words. The expanded query is a query like any other, so everything that
//! scores queries scores it.

use crate::matrix::{Matrix, Side};
use crate::rank_all::map_scores;
use qwd_core::error::{Error, Result};
use qwd_core::parameters::not_negative;
use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, SparseVec, SparseView, Threads, parameters};

parameters! {
    /// How queries are expanded.
    pub struct QueryExpansion {
        /// The weight of what is added, at least 0. Symbol: β.
        pub beta: f64 = 0.5,
        /// The number of best documents whose mean is added, at least 1. Symbol: E.
        pub documents: usize = 10,
    }
}

impl QueryExpansion {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        not_negative("beta", self.beta)?;
        if self.documents == 0 { Err(Error::param("documents", 0, "at least 1")) } else { Ok(()) }
    }

    /// Expands each query by its best documents under `matrix`. `hidden(query, document)` tells documents that may not be
    /// looked at: the query itself, or what is known already.
    pub fn expand(
        &self,
        matrix: &Matrix,
        queries: &Csr,
        documents: &Csr,
        hidden: impl Fn(usize, u32) -> bool + Sync + Send,
        threads: &Threads,
    ) -> Result<Csr> {
        self.check()?;
        let best = best_documents(matrix, queries, documents, self.documents, hidden, threads)?;
        self.expand_by(queries, documents, &best)
    }

    /// Expands each query by its best documents, which are known; more of them than wanted are passed over.
    pub fn expand_by(&self, queries: &Csr, documents: &Csr, best: &[Vec<u32>]) -> Result<Csr> {
        self.check()?;
        let mut out = Csr::empty(queries.n_cols());
        for (query, best) in queries.rows().zip(best) {
            let best = &best[..best.len().min(self.documents)];
            out.push(self.add_mean(query, best.iter().map(|&row| documents.row(row as usize)))?.view())?;
        }
        Ok(out)
    }

    fn add_mean<'a>(
        &self,
        query: SparseView<'_>,
        documents: impl ExactSizeIterator<Item = SparseView<'a>>,
    ) -> Result<SparseVec> {
        let scale = (self.beta / documents.len().max(1) as f64) as f32;
        let mut pairs: Vec<(u32, f32)> = query.iter().collect();
        for document in documents {
            pairs.extend(document.iter().map(|(i, x)| (i, scale * x)));
        }
        SparseVec::from_pairs(pairs)
    }
}

/// The best `n` documents of each query under `matrix`, best first; they do not depend on what is made of them.
pub fn best_documents(
    matrix: &Matrix,
    queries: &Csr,
    documents: &Csr,
    n: usize,
    hidden: impl Fn(usize, u32) -> bool + Sync + Send,
    threads: &Threads,
) -> Result<Vec<Vec<u32>>> {
    if matrix.n_terms(Side::Query) != matrix.n_terms(Side::Document) {
        return Err(Error::bad_data("query expansion needs one vocabulary", "use it within one language"));
    }
    map_scores(matrix, queries, documents, threads, |i, scores| {
        let shown = (0u32..).zip(scores).filter(|&(document, _)| !hidden(i, document));
        top_k(shown.map(|(item, &score)| Scored { item, score }), n).iter().map(|hit| hit.item).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[(u32, f32)]]) -> Csr {
        let mut csr = Csr::empty(4);
        for row in rows {
            csr.push(SparseVec::from_pairs(row.to_vec()).expect("finite").view()).expect("in range");
        }
        csr
    }

    #[test]
    fn the_mean_of_the_best_is_added() {
        let identity = Matrix::identity(4).expect("small");
        let documents = rows(&[&[(0, 1.0), (1, 4.0)], &[(0, 0.5), (2, 2.0)], &[(3, 1.0)], &[(0, 9.0), (3, 9.0)]]);
        let queries = rows(&[&[(0, 1.0)]]);
        let expansion = QueryExpansion { beta: 0.5, documents: 2 };
        let expand = |e: &QueryExpansion| {
            e.expand(&identity, &queries, &documents, |_, document| document == 3, &Threads::default()).expect("fits")
        };
        let expanded = expand(&expansion);
        assert_eq!(expanded.row(0).iter().collect::<Vec<_>>(), [(0, 1.375), (1, 1.0), (2, 0.5)]);
        assert_eq!(expand(&QueryExpansion { beta: 0.0, documents: 2 }), queries);
        // More than there are: the mean of those that there are.
        let all = expand(&QueryExpansion { beta: 3.0, documents: 100 });
        assert_eq!(all.row(0).iter().collect::<Vec<_>>(), [(0, 2.5), (1, 4.0), (2, 2.0), (3, 1.0)]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let (none, threads) = (rows(&[]), Threads::default());
        for wrong in [
            QueryExpansion { documents: 0, ..QueryExpansion::default() },
            QueryExpansion { beta: f64::NAN, ..QueryExpansion::default() },
            QueryExpansion { beta: -1.0, ..QueryExpansion::default() },
        ] {
            let identity = Matrix::identity(4).expect("small");
            assert!(wrong.expand(&identity, &none, &none, |_, _| false, &threads).is_err());
        }
        let rectangle = Matrix::dense(2, 4, vec![1.0; 8]).expect("finite");
        let expansion = QueryExpansion::default();
        assert!(expansion.expand(&rectangle, &none, &none, |_, _| false, &threads).is_err());
    }
}
