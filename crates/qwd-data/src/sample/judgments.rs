//! Tuples from graded judgments: a higher grade beats a lower one of the same query.
//!
//! The query is uniform over those that have a pair at all. Between judged documents the pair is uniform over all pairs
//! of different grades; with an unjudged worse document, the better one is uniform over the relevant ones (grade above
//! 0) and the worse one uniform over all documents without a judgment. A draw costs O(log n) in the judgments of its
//! query, and memory is O(judgments).

use crate::preference::{Judgment, Preference};
use crate::task::{Task, Truth};
use qwd_core::{Error, Result, Rng};
use serde::{Deserialize, Serialize};

/// Whether documents that nobody judged serve as the worse ones.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unjudged {
    /// Never: only judged documents are compared.
    Never,
    /// With this probability, from 0 to 1; a query that allows only one of the two ways always takes that one.
    Mixed(f64),
    /// Always.
    #[default]
    Only,
}

/// Draws tuples from judgments.
#[derive(Debug, Clone)]
pub struct JudgmentSampler {
    documents: Vec<u32>,
    queries: Vec<JudgedQuery>,
    n_skipped: usize,
    unjudged_share: f64,
}

#[derive(Debug, Clone)]
struct JudgedQuery {
    query: u32,
    /// Judged documents, best first.
    ranked: Vec<u32>,
    /// For each of them, where the lower grades begin.
    lower_from: Vec<u32>,
    /// For each of them, the number of pairs with an earlier one as the better.
    pairs_before: Vec<u64>,
    n_pairs: u64,
    n_relevant: usize,
    /// The positions, among all documents, of those that cannot be unjudged; in order.
    taken: Vec<u32>,
}

impl JudgmentSampler {
    /// Prepares to draw from a task of judgments.
    pub fn try_new(task: &Task, unjudged: Unjudged) -> Result<Self> {
        let (allow_judged, unjudged_share) = match unjudged {
            Unjudged::Never => (true, 0.0),
            Unjudged::Mixed(share) if (0.0..=1.0).contains(&share) => (true, share),
            Unjudged::Mixed(share) => return Err(Error::param("unjudged", share, "a probability from 0 to 1")),
            Unjudged::Only => (false, 1.0),
        };
        let Truth::Judgments(judgments) = &task.truth else {
            return Err(Error::internal("a task without judgments was given to the sampler of judgments"));
        };
        let mut queries = Vec::new();
        for (i, judged) in judgments.chunk_by(|a, b| a.query == b.query).enumerate() {
            let mut query = JudgedQuery::new(judged, &task.hidden(i), &task.documents);
            if !allow_judged {
                query.n_pairs = 0;
            }
            if unjudged == Unjudged::Never || query.taken.len() == task.documents.len() {
                query.n_relevant = 0;
            }
            if query.n_pairs > 0 || query.n_relevant > 0 {
                queries.push(query);
            }
        }
        if queries.is_empty() {
            let what = format!("none of {} queries has a better and a worse document", task.queries.len());
            return Err(Error::bad_data(what, "add judgments, or let unjudged documents be the worse ones"));
        }
        let n_skipped = task.queries.len() - queries.len();
        Ok(Self { documents: task.documents.clone(), queries, n_skipped, unjudged_share })
    }

    pub(super) fn n_skipped(&self) -> usize {
        self.n_skipped
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> Preference {
        let query = &self.queries[rng.below(self.queries.len())];
        let take_unjudged = match (query.n_pairs > 0, query.n_relevant > 0) {
            (true, true) => rng.unit() < self.unjudged_share,
            (_, only_unjudged) => only_unjudged,
        };
        let (better, worse) = if take_unjudged {
            let better = query.ranked[rng.below(query.n_relevant)];
            (better, self.documents[query.nth_free(rng.below(self.documents.len() - query.taken.len()))])
        } else {
            query.pair(rng.below(query.n_pairs as usize) as u64)
        };
        Preference { query: query.query, better, worse, weight: 1.0 }
    }
}

impl JudgedQuery {
    fn new(judged: &[Judgment], hidden: &[u32], documents: &[u32]) -> Self {
        let mut by_grade = judged.to_vec();
        by_grade.sort_unstable_by_key(|judgment| (std::cmp::Reverse(judgment.grade), judgment.document));
        let mut query = Self {
            query: judged[0].query,
            ranked: by_grade.iter().map(|judgment| judgment.document).collect(),
            lower_from: Vec::with_capacity(judged.len()),
            pairs_before: Vec::with_capacity(judged.len()),
            n_pairs: 0,
            n_relevant: by_grade.iter().filter(|judgment| judgment.grade > 0).count(),
            taken: Vec::new(),
        };
        for same in by_grade.chunk_by(|a, b| a.grade == b.grade) {
            let lower_from = query.lower_from.len() + same.len();
            for _ in same {
                query.lower_from.push(lower_from as u32);
                query.pairs_before.push(query.n_pairs);
                query.n_pairs += (judged.len() - lower_from) as u64;
            }
        }
        let rows = query.ranked.iter().chain(hidden);
        query.taken = rows.filter_map(|row| Some(documents.binary_search(row).ok()? as u32)).collect();
        query.taken.sort_unstable();
        query.taken.dedup();
        query
    }

    /// The `n`-th of all pairs of different grades.
    fn pair(&self, n: u64) -> (u32, u32) {
        let better = self.pairs_before.partition_point(|&before| before <= n) - 1;
        let worse = self.lower_from[better] as usize + (n - self.pairs_before[better]) as usize;
        (self.ranked[better], self.ranked[worse])
    }

    /// The position of the `n`-th document that is not taken.
    fn nth_free(&self, n: usize) -> usize {
        // Before the j-th taken position there are taken[j] - j free ones.
        let (mut low, mut high) = (0, self.taken.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.taken[middle] as usize - middle <= n { low = middle + 1 } else { high = middle }
        }
        n + low
    }
}
