//! Binary preference: how often judged documents that are not relevant precede relevant ones.
//!
//! bpref = (1/R) · Σ over retrieved relevant documents r of 1 − min(n(r), R) / min(N, R)
//!
//! with R and N the numbers of documents judged relevant and not relevant, and n(r) the number of the latter ranked above r;
//! the fraction is 0 where n(r) = 0. Unjudged documents are passed over. Conventions are trec_eval's; a query without relevant
//! documents has 0.
//!
//! Citation: Buckley and Voorhees, "Retrieval Evaluation with Incomplete Information", SIGIR 2004, in the corrected form
//! of trec_eval 8 and later. Cost: O(n).

use crate::average_precision::share;
use crate::ranking::Ranking;

/// Returns the binary preference of a ranking.
pub fn bpref(ranking: &Ranking) -> f64 {
    let (n_relevant, n_nonrelevant) = (ranking.judged().n_relevant(), ranking.judged().n_nonrelevant());
    let (mut n_above, mut sum) = (0, 0.0);
    for &grade in ranking.grades() {
        match grade {
            ..0 => {}
            0 => n_above += 1,
            _ if n_above == 0 => sum += 1.0,
            _ => sum += 1.0 - n_above.min(n_relevant) as f64 / n_nonrelevant.min(n_relevant).max(1) as f64,
        }
    }
    share(sum, n_relevant)
}
