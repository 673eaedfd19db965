//! The share of a query's (better, worse) pairs of documents that is scored the wrong way round or tied.
//!
//! error = |{(b, w) : grade(b) > grade(w), score(b) ≤ score(w)}| / |{(b, w) : grade(b) > grade(w)}|
//!
//! An unjudged document counts as grade 0. A judged document that the ranking lacks counts as scored below everything
//! in it, all such documents being tied: a cut ranking cannot hide its mistakes. A query without any such pair has no value
//! and is left out of the mean. With two grades this is 1 minus the area under the ROC curve, ties counted fully against.
//!
//! Citation: the test error rate of Chen, Bai, Qi, Lin and Carbonell, "Learning Preferences with Millions of Parameters by
//! Enforcing Sparsity", ICDM 2010, here over all pairs of a query instead of a sample of them.
//! Cost: O(n log g) for n documents of g distinct grades, by a Fenwick tree of counts.

use crate::ranking::Ranking;

/// Returns the pair error of a ranking, or nothing if no two of the query's documents differ in grade.
pub fn pair_error(ranking: &Ranking) -> Option<f64> {
    let missing = missing_grades(ranking);
    let mut levels: Vec<i32> = ranking.grades().iter().map(|&g| g.max(0)).chain(missing.iter().copied()).collect();
    levels.sort_unstable();
    levels.dedup();
    let level = |grade: i32| levels.partition_point(|&l| l < grade.max(0));
    let mut counts = Counts::new(levels.len());
    let mut n_wrong = 0u64;
    let mut place = |tied: &[i32]| {
        for &grade in tied {
            counts.add(level(grade));
        }
        // With the tied ones already counted, a worse document above or beside each better one is one wrong pair.
        n_wrong += tied.iter().map(|&grade| counts.below(level(grade))).sum::<u64>();
    };
    match ranking.scores() {
        None => ranking.grades().chunks(1).for_each(&mut place),
        Some(scores) => {
            let mut rest = ranking.grades();
            for tied in scores.chunk_by(|a, b| a == b) {
                let (group, after) = rest.split_at(tied.len());
                place(group);
                rest = after;
            }
        }
    }
    place(&missing);
    let n_pairs: u64 = (0..levels.len()).map(|l| counts.at(l) * counts.below(l)).sum();
    (n_pairs > 0).then(|| n_wrong as f64 / n_pairs as f64)
}

/// The grades of the judged documents that the ranking does not hold.
fn missing_grades(ranking: &Ranking) -> Vec<i32> {
    let mut ranked: Vec<i32> = ranking.grades().iter().copied().filter(|&grade| grade >= 0).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    let n_zeros = ranking.judged().n_nonrelevant();
    let judged = ranking.judged().ideal().iter().copied().chain(std::iter::repeat_n(0, n_zeros));
    let mut ranked = ranked.into_iter().peekable();
    let is_missing = |grade: &i32| {
        while ranked.next_if(|r| r > grade).is_some() {}
        ranked.next_if_eq(grade).is_none()
    };
    judged.filter(is_missing).collect()
}

/// How many documents of each level were placed so far: a Fenwick tree beside the plain counts.
struct Counts {
    at: Vec<u64>,
    tree: Vec<u64>,
}

impl Counts {
    fn new(n_levels: usize) -> Self {
        Self { at: vec![0; n_levels], tree: vec![0; n_levels + 1] }
    }

    fn add(&mut self, level: usize) {
        self.at[level] += 1;
        let mut i = level + 1;
        while i < self.tree.len() {
            self.tree[i] += 1;
            i += i & i.wrapping_neg();
        }
    }

    fn at(&self, level: usize) -> u64 {
        self.at[level]
    }

    fn below(&self, level: usize) -> u64 {
        let (mut i, mut sum) = (level, 0);
        while i > 0 {
            sum += self.tree[i];
            i &= i - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Judged;

    fn error(grades: &[i32], scores: &[f32], judged: &[i32]) -> Option<f64> {
        let judged = Judged::new(judged.iter().copied());
        pair_error(&Ranking::try_new(grades.to_vec(), scores.to_vec(), judged).expect("in order"))
    }

    #[test]
    fn ties_are_wrong_and_equal_grades_are_no_pair() {
        assert_eq!(error(&[1, 0], &[2.0, 1.0], &[1, 0]), Some(0.0));
        assert_eq!(error(&[1, 0], &[1.0, 1.0], &[1, 0]), Some(1.0));
        assert_eq!(error(&[0, 2, 1], &[3.0, 2.0, 1.0], &[0, 1, 2]), Some(2.0 / 3.0));
        assert_eq!(error(&[1, 1], &[3.0, 2.0], &[1, 1]), None);
        assert_eq!(error(&[], &[], &[]), None);
    }

    #[test]
    fn a_missing_document_is_tied_below_the_others() {
        // Ranked: an unjudged one. Missing: grades 1 and 0, tied with each other.
        assert_eq!(error(&[-1], &[5.0], &[1, 0]), Some(1.0));
        // Ranked: 1 above 0. Missing: 0, rightly below.
        assert_eq!(error(&[1, 0], &[5.0, 4.0], &[1, 0, 0]), Some(0.0));
    }
}
