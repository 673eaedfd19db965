//! nDCG as the evaluation scripts of the LETOR collections compute it, for comparison with papers that used them.
//!
//! The gain is 2^grade − 1; the discount is 1 at ranks 1 and 2 and 1/log₂(i) from rank 2 on, hence 1, 1, 1/log₂3, 1/2, ….
//! A query without relevant documents counts 0 in the mean. The script of LETOR 4.0 moreover leaves NDCG@k empty, hence 0 in
//! the mean, for a query with fewer than k documents, which makes its NDCG@10 so small; `letor3-ndcg` is the same formula
//! without that rule, for collections with long lists. The scripts break ties by the order of the file,
//! [`TieOrder::by_number`](crate::TieOrder::by_number).
//!
//! Citations: Qin, Liu, Xu and Li, "LETOR: A Benchmark Collection for Research on Learning to Rank for Information
//! Retrieval", Information Retrieval 13, 2010; Qin and Liu, "Introducing LETOR 4.0 Datasets", arXiv:1306.2597. Cost: O(k).
//! When not to use it: anywhere else; [`ndcg`](crate::ndcg) is the usual one.

use crate::depth::Depth;
use crate::ndcg::{Gain, normalized};
use crate::ranking::Ranking;

/// Returns LETOR's nDCG, documents that are missing at the end counted as not relevant.
pub fn letor3_ndcg(ranking: &Ranking, depth: Depth) -> f64 {
    normalized(ranking, depth, Gain::Exponential, |rank| if rank == 1 { 1.0 } else { (rank as f64).log2() })
}

/// Returns LETOR's nDCG, 0 if there are fewer documents than ranks to look at.
pub fn letor4_ndcg(ranking: &Ranking, depth: Depth) -> f64 {
    let too_short = depth.ranks().is_some_and(|k| ranking.grades().len() < k);
    if too_short { 0.0 } else { letor3_ndcg(ranking, depth) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Judged;

    #[test]
    fn the_first_two_ranks_are_worth_the_same() -> qwd_core::Result<()> {
        let grades = vec![0, 2, 1, 0];
        let ranking = Ranking::from_grades(grades.clone(), Judged::new(grades));
        // Gains 0, 3, 1, 0 under discounts 1, 1, 1/log2(3); the ideal has 3, 1.
        let expected = (3.0 + 1.0 / 3f64.log2()) / 4.0;
        assert_eq!(letor3_ndcg(&ranking, Depth::at(4)?), expected);
        assert_eq!(letor4_ndcg(&ranking, Depth::at(4)?), expected);
        assert_eq!(letor3_ndcg(&ranking, Depth::at(5)?), expected);
        assert_eq!(letor4_ndcg(&ranking, Depth::at(5)?), 0.0);
        assert_eq!(letor4_ndcg(&ranking, Depth::at(1)?), 0.0);
        Ok(())
    }
}
