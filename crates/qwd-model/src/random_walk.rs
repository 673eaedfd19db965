//! The backward random walk on the click graph (Craswell and Szummer, SIGIR 2007). It is no W: it matches queries with
//! documents through what others clicked, and knows nothing of words.
//!
//! A walker at a query or document stays with probability s, and else follows one of its clicks. A document's score for a
//! query is the probability that a walk which ended at the query after t steps had begun at the document, all beginnings
//! being equally likely before: `Aᵗ[document][query]`, divided by the sum over all beginnings, with A the transitions.
//!
//! Cost of a query: the clicks within t steps around it. A query without clicks reaches nothing.

use crate::matrix::bin;
use qwd_core::error::{Error, Result};
use qwd_core::{Csr, SparseVec, parameters};

parameters! {
    /// How the walker goes.
    pub struct RandomWalkParams {
        /// The probability of staying, 0 to below 1. Symbol: s.
        pub self_transition: f64 = 0.9,
        /// The number of steps, 1 to 100. Symbol: t.
        pub steps: usize = 5,
    }
}

impl RandomWalkParams {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.self_transition) {
            return Err(Error::param("self_transition", self.self_transition, "0 to below 1"));
        }
        if !(1..=100).contains(&self.steps) {
            return Err(Error::param("steps", self.steps, "1 to 100"));
        }
        Ok(())
    }
}

/// A click graph to walk on.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomWalk {
    params: RandomWalkParams,
    /// For each query, its documents with the probability that each of them steps to the query.
    from_documents: Csr,
    /// For each document, its queries with the probability that each of them steps to the document.
    from_queries: Csr,
}

impl RandomWalk {
    /// Takes clicks, queries by documents, all above 0.
    pub fn new(clicks: &Csr, params: RandomWalkParams) -> Result<Self> {
        params.check()?;
        if clicks.parts().2.iter().any(|&n| n <= 0.0) {
            return Err(Error::bad_data("a pair without clicks in the click graph", "give only pairs with clicks"));
        }
        let by_document = clicks.transpose();
        let [of_query, of_document] = [clicks, &by_document].map(|side| {
            let totals = side.rows().map(|row| row.values().iter().map(|&n| f64::from(n)).sum::<f64>());
            totals.collect::<Vec<f64>>()
        });
        let from_documents = divided(clicks, &of_document)?;
        let from_queries = divided(&by_document, &of_query)?;
        Ok(Self { params, from_documents, from_queries })
    }

    /// The parameters.
    pub fn params(&self) -> &RandomWalkParams {
        &self.params
    }

    /// The number of queries and documents.
    pub fn size(&self) -> [usize; 2] {
        [self.from_documents.n_rows(), self.from_queries.n_rows()]
    }

    /// The probabilities that a walk which ended at the query began at each of the documents; those it cannot have begun
    /// at have no entry.
    pub fn scores(&self, query: usize) -> Result<SparseVec> {
        let [n_queries, _] = self.size();
        if query >= n_queries {
            let what = format!("query {query} of a click graph of {n_queries}");
            return Err(Error::bad_data(what, "number queries by the rows of the click graph"));
        }
        let mut at_queries = SparseVec::try_new(vec![query as u32], vec![1.0])?;
        let mut at_documents = SparseVec::default();
        for _ in 0..self.params.steps {
            let to_documents = bin(at_queries.view(), &self.from_documents)?;
            let to_queries = bin(at_documents.view(), &self.from_queries)?;
            at_queries = self.step(&at_queries, &to_queries)?;
            at_documents = self.step(&at_documents, &to_documents)?;
        }
        let total: f64 =
            [&at_queries, &at_documents].iter().flat_map(|x| x.view().values()).map(|&p| f64::from(p)).sum();
        if total > 0.0 {
            at_documents.scale((1.0 / total) as f32);
        }
        Ok(at_documents)
    }

    /// What stays and what arrives.
    fn step(&self, here: &SparseVec, arriving: &SparseVec) -> Result<SparseVec> {
        let stay = self.params.self_transition;
        let kept = here.view().iter().map(|(i, p)| (i, (stay * f64::from(p)) as f32));
        let came = arriving.view().iter().map(|(i, p)| (i, ((1.0 - stay) * f64::from(p)) as f32));
        SparseVec::from_pairs(kept.chain(came).collect())
    }
}

/// Each entry divided by the total of its column.
fn divided(rows: &Csr, totals: &[f64]) -> Result<Csr> {
    let (indptr, indices, values) = rows.parts();
    let shares = indices.iter().zip(values).map(|(&column, &n)| (f64::from(n) / totals[column as usize]) as f32);
    Csr::from_parts(rows.n_cols(), indptr.to_vec(), indices.to_vec(), shares.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clicks(n_documents: u32, rows: &[&[(u32, f32)]]) -> Csr {
        let mut csr = Csr::empty(n_documents);
        for row in rows {
            csr.push(SparseVec::from_pairs(row.to_vec()).expect("finite").view()).expect("in range");
        }
        csr
    }

    /// The transition matrix over queries and documents, written out, to the power of t.
    fn plain(clicks: &Csr, stay: f64, steps: usize) -> Vec<Vec<f64>> {
        let (n_queries, n) = (clicks.n_rows(), clicks.n_rows() + clicks.n_cols() as usize);
        let mut a = vec![vec![0.0; n]; n];
        for (q, row) in clicks.rows().enumerate() {
            for (d, c) in row.iter() {
                a[q][n_queries + d as usize] = f64::from(c);
                a[n_queries + d as usize][q] = f64::from(c);
            }
        }
        for (i, row) in a.iter_mut().enumerate() {
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x *= if total > 0.0 { (1.0 - stay) / total } else { 0.0 });
            row[i] = stay;
        }
        let mut power = a.clone();
        for _ in 1..steps {
            power = (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| power[i][k] * a[k][j]).sum()).collect()).collect();
        }
        power
    }

    proptest! {
        #[test]
        fn equals_the_power_of_the_transition_matrix(
            cells in proptest::collection::vec((0u32..4, 0u32..5, 1u8..9), 0..12),
            steps in 1usize..6,
            stay in 0.0f64..0.95,
        ) {
            let mut rows = vec![Vec::new(); 4];
            cells.iter().for_each(|&(q, d, n)| rows[q as usize].push((d, f32::from(n))));
            let rows: Vec<&[(u32, f32)]> = rows.iter().map(Vec::as_slice).collect();
            let clicks = clicks(5, &rows);
            let params = RandomWalkParams { self_transition: stay, steps };
            let walk = RandomWalk::new(&clicks, params).expect("clicks");
            let power = plain(&clicks, stay, steps);
            for q in 0..4 {
                let found = walk.scores(q).expect("a query");
                let total: f64 = power.iter().map(|row| row[q]).sum();
                for d in 0..5u32 {
                    let score = found.view().iter().find(|(i, _)| *i == d).map_or(0.0, |(_, p)| f64::from(p));
                    let expected = if total > 0.0 { power[4 + d as usize][q] / total } else { 0.0 };
                    prop_assert!((score - expected).abs() < 1e-6, "{} {}: {} {}", q, d, score, expected);
                }
            }
        }
    }

    #[test]
    fn more_steps_reach_further() {
        // Query 0 and 1 share document 1; document 2 was clicked for query 1 only.
        let clicks = clicks(3, &[&[(0, 2.0), (1, 1.0)], &[(1, 1.0), (2, 1.0)], &[]]);
        let found = |steps| {
            let walk = RandomWalk::new(&clicks, RandomWalkParams { steps, ..RandomWalkParams::default() });
            walk.expect("clicks").scores(0).expect("a query").view().indices().to_vec()
        };
        assert_eq!((found(1), found(3)), (vec![0, 1], vec![0, 1, 2]));
        let walk = RandomWalk::new(&clicks, RandomWalkParams::default()).expect("clicks");
        assert!(walk.scores(2).expect("no clicks").view().is_empty());
        assert!(walk.scores(3).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let good = clicks(1, &[&[(0, 1.0)]]);
        for params in [
            RandomWalkParams { self_transition: 1.0, ..RandomWalkParams::default() },
            RandomWalkParams { self_transition: f64::NAN, ..RandomWalkParams::default() },
            RandomWalkParams { steps: 0, ..RandomWalkParams::default() },
        ] {
            assert!(RandomWalk::new(&good, params).is_err());
        }
        assert!(RandomWalk::new(&clicks(1, &[&[(0, -1.0)]]), RandomWalkParams::default()).is_err());
    }
}
