//! What a metric looks at: the grades of one query's documents in rank order, and all that was judged for the query.

use crate::tie_order::{TieOrder, order_documents};
use qwd_core::{Error, Result};

/// The grade of a document that nobody judged; every negative grade means the same.
pub const UNJUDGED: i32 = -1;

/// The grades of all judged documents of one query, whether a ranking holds them or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    relevant: Vec<i32>,
    n_nonrelevant: usize,
}

impl Judged {
    /// Collects the judged grades of a query in any order; negative ones are passed over.
    pub fn new(grades: impl IntoIterator<Item = i32>) -> Self {
        let mut judged = Self::default();
        for grade in grades {
            match grade {
                ..0 => {}
                0 => judged.n_nonrelevant += 1,
                _ => judged.relevant.push(grade),
            }
        }
        judged.relevant.sort_unstable_by(|a, b| b.cmp(a));
        judged
    }

    /// Returns the grades of the relevant documents, best first: the ideal ranking.
    pub fn ideal(&self) -> &[i32] {
        &self.relevant
    }

    /// Returns the number of documents judged relevant.
    pub fn n_relevant(&self) -> usize {
        self.relevant.len()
    }

    /// Returns the number of documents judged not relevant.
    pub fn n_nonrelevant(&self) -> usize {
        self.n_nonrelevant
    }

    /// Returns the highest grade, 0 if nothing is relevant.
    pub fn max_grade(&self) -> i32 {
        self.relevant.first().copied().unwrap_or(0)
    }
}

/// One query's ranked documents, best first, with their grades and scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    grades: Vec<i32>,
    scores: Option<Vec<f32>>,
    judged: Judged,
    max_grade: i32,
}

impl Ranking {
    /// Takes the grades in rank order, each also among `judged` unless negative; without scores, no two documents are tied.
    pub fn from_grades(grades: Vec<i32>, judged: Judged) -> Self {
        let max_grade = judged.max_grade();
        Self { grades, scores: None, judged, max_grade }
    }

    /// Takes grades and scores in rank order; the scores must not rise.
    pub fn try_new(grades: Vec<i32>, scores: Vec<f32>, judged: Judged) -> Result<Self> {
        if grades.len() != scores.len() {
            let what = format!("a ranking has {} grades and {} scores", grades.len(), scores.len());
            return Err(Error::bad_data(what, "give one score for each ranked document"));
        }
        if scores.iter().any(|s| s.is_nan()) || !scores.is_sorted_by(|a, b| a >= b) {
            return Err(Error::bad_data("the scores of a ranking rise or are not numbers", "order them first"));
        }
        Ok(Self { scores: Some(scores), ..Self::from_grades(grades, judged) })
    }

    /// Ranks documents named by ids as trec_eval does; a document that `grade_of` does not know is unjudged.
    pub fn of_documents<D: AsRef<str>>(
        hits: &[(D, f32)],
        grade_of: impl Fn(&str) -> Option<i32>,
        judged: Judged,
    ) -> Result<Self> {
        let order = order_documents(hits)?;
        let ranked = order.iter().map(|&i| &hits[i]);
        let grades = ranked.clone().map(|(id, _)| grade_of(id.as_ref()).unwrap_or(UNJUDGED)).collect();
        Self::try_new(grades, ranked.map(|&(_, score)| score).collect(), judged)
    }

    /// Ranks numbered items, each with its score and its grade; all items of the query are given.
    pub fn of_items(scores: &[f32], grades: &[i32], ties: &TieOrder) -> Result<Self> {
        if scores.len() != grades.len() {
            let what = format!("a query has {} scores and {} grades", scores.len(), grades.len());
            return Err(Error::bad_data(what, "give one grade for each scored item"));
        }
        let order = ties.rank(scores)?;
        let ranked_grades = order.iter().map(|&i| grades[i as usize]).collect();
        let ranked_scores = order.iter().map(|&i| scores[i as usize]).collect();
        Self::try_new(ranked_grades, ranked_scores, Judged::new(grades.iter().copied()))
    }

    /// Sets the highest grade of the collection's scale, which is otherwise the highest of the query.
    pub fn with_max_grade(mut self, max_grade: i32) -> Self {
        self.max_grade = max_grade;
        self
    }

    /// Returns the grades in rank order; negative where nobody judged.
    pub fn grades(&self) -> &[i32] {
        &self.grades
    }

    /// Returns the scores in rank order, if they are known.
    pub fn scores(&self) -> Option<&[f32]> {
        self.scores.as_deref()
    }

    /// Returns what was judged for the query.
    pub fn judged(&self) -> &Judged {
        &self.judged
    }

    /// Returns the highest grade of the scale.
    pub fn max_grade(&self) -> i32 {
        self.max_grade
    }
}

/// Whether a grade means relevant, for the metrics that know only relevant and not.
pub(crate) fn is_relevant(grade: i32) -> bool {
    grade >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judged_grades_are_sorted_and_negative_ones_left_out() {
        let judged = Judged::new([0, 2, -1, 4, 0, 1]);
        assert_eq!((judged.ideal(), judged.n_nonrelevant(), judged.max_grade()), ([4, 2, 1].as_slice(), 2, 4));
    }

    #[test]
    fn rising_scores_and_nan_are_refused() {
        let make = |scores| Ranking::try_new(vec![0, 1], scores, Judged::default());
        assert!(make(vec![1.0, 2.0]).is_err() && make(vec![1.0, f32::NAN]).is_err() && make(vec![1.0]).is_err());
        assert!(make(vec![1.0, 1.0]).is_ok());
    }

    #[test]
    fn ties_go_to_the_greater_document_id() {
        let hits = [("d1", 1.0), ("d9", 1.0), ("d10", 1.0), ("d2", 7.0)];
        let grade = |id: &str| id[1..].parse().ok();
        let ranking = Ranking::of_documents(&hits, grade, Judged::default()).expect("distinct ids");
        assert_eq!(ranking.grades(), [2, 9, 10, 1]);
    }
}
