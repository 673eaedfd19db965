//! One split as the trainer and the evaluator see it: rows of matrices, and which document suits which query.
//!
//! A task knows no texts and no vectors, so that text, images and feature vectors all become one.

use crate::classes::Classes;
use crate::preference::{Judgment, Preference};
use qwd_core::Result;
use qwd_core::random::mix;

/// Who the queries of a split are, who its documents, and what is known about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The rows of the queries, strictly increasing.
    pub queries: Vec<u32>,
    /// The rows of the documents that are ranked for each of them, strictly increasing.
    pub documents: Vec<u32>,
    /// Whether the queries are documents themselves: their rows are rows of the document matrix, and a query is never
    /// its own answer.
    pub queries_are_documents: bool,
    /// Pairs of query and document, in order, that are known from elsewhere and so are not ranked.
    pub known: Vec<(u32, u32)>,
    /// What is known about them.
    pub truth: Truth,
}

/// What says which document suits which query.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// Documents suit each other if they are of the same class; the documents are the queries.
    Classes {
        /// The classes of the whole data set.
        classes: Classes,
        /// The class of each document, in the order of the task's documents.
        class_of: Vec<u32>,
    },
    /// Graded judgments, in order of query and document.
    Judgments(Vec<Judgment>),
    /// Preferences as they were given.
    Preferences(Vec<Preference>),
}

impl Task {
    /// Makes a task of judgments; its queries are those that are judged.
    pub fn of_judgments(mut judgments: Vec<Judgment>, documents: Vec<u32>, queries_are_documents: bool) -> Self {
        judgments.sort_unstable();
        let mut queries: Vec<u32> = judgments.iter().map(|judgment| judgment.query).collect();
        queries.dedup();
        Self { queries, documents, queries_are_documents, known: Vec::new(), truth: Truth::Judgments(judgments) }
    }

    /// Makes a task of given preferences; its queries are those that appear in them.
    pub fn of_preferences(preferences: Vec<Preference>, documents: Vec<u32>, queries_are_documents: bool) -> Self {
        let mut queries: Vec<u32> = preferences.iter().map(|preference| preference.query).collect();
        queries.sort_unstable();
        queries.dedup();
        Self { queries, documents, queries_are_documents, known: Vec::new(), truth: Truth::Preferences(preferences) }
    }

    /// Makes a task of items and their classes, each item a query and a document; `rows` must be strictly increasing.
    pub fn of_classes(rows: Vec<u32>, class_of: Vec<u32>, classes: Classes) -> Self {
        Self {
            queries: rows.clone(),
            documents: rows,
            queries_are_documents: true,
            known: Vec::new(),
            truth: Truth::Classes { classes, class_of },
        }
    }

    /// Returns the judged documents of the `i`-th query and their grades, in order of their rows: for classes, every
    /// other document of the query's class with grade 1; for preferences, nothing.
    pub fn grades(&self, i: usize) -> Vec<(u32, i32)> {
        let query = self.queries[i];
        match &self.truth {
            Truth::Classes { class_of, .. } => {
                let others = self.documents.iter().zip(class_of).enumerate().filter(|&(j, _)| j != i);
                others.filter(|(_, (_, class))| **class == class_of[i]).map(|(_, (&row, _))| (row, 1)).collect()
            }
            Truth::Judgments(judgments) => {
                let of_query = run_of(judgments, |judgment| judgment.query, query);
                of_query.iter().map(|judgment| (judgment.document, judgment.grade)).collect()
            }
            Truth::Preferences(_) => Vec::new(),
        }
    }

    /// Returns the rows that are not ranked for the `i`-th query, in order: itself, and what is known already.
    pub fn hidden(&self, i: usize) -> Vec<u32> {
        let query = self.queries[i];
        let mut rows: Vec<u32> = run_of(&self.known, |pair| pair.0, query).iter().map(|pair| pair.1).collect();
        if self.queries_are_documents {
            rows.push(query);
            rows.sort_unstable();
            rows.dedup();
        }
        rows
    }

    /// Keeps about a share of the judgments, chosen by a hash of their rows; other kinds of truth stay whole.
    ///
    /// What is left out counts as not judged. It is how paper 2 (Figure 2) trains on 1 % of the pairs.
    pub fn thinned(self, share: f64, seed: u64) -> Result<Self> {
        qwd_core::parameters::share("share", share)?;
        let Truth::Judgments(judgments) = self.truth else { return Ok(self) };
        let unit = |judgment: &Judgment| {
            let pair = u64::from(judgment.query) << 32 | u64::from(judgment.document);
            (mix(pair ^ mix(seed)) >> 11) as f64 / (1u64 << 53) as f64
        };
        let kept = judgments.into_iter().filter(|judgment| unit(judgment) < share).collect();
        Ok(Self { known: self.known, ..Self::of_judgments(kept, self.documents, self.queries_are_documents) })
    }

    /// About `n` of the queries, chosen by a hash of their rows; all of them where there are no more.
    pub fn sampled(self, n: usize, seed: u64) -> Self {
        let n_queries = self.queries.len();
        if n_queries <= n {
            return self;
        }
        self.hold_out(|query| mix(u64::from(query) ^ mix(seed)) % (n_queries as u64) < n as u64).1
    }

    /// Divides the task by its queries into the part that stays and the part that is held out.
    pub fn hold_out(self, held: impl Fn(u32) -> bool) -> (Self, Self) {
        let known = self.known;
        let with_known = |task: Self| Self { known: known.clone(), ..task };
        match self.truth {
            Truth::Classes { classes, class_of } => {
                let labelled = self.documents.into_iter().zip(class_of);
                let (out, stay): (Vec<_>, Vec<_>) = labelled.partition(|&(row, _)| held(row));
                let [stay, out] = [stay, out].map(|part: Vec<(u32, u32)>| {
                    let (rows, class_of) = part.into_iter().unzip();
                    with_known(Self::of_classes(rows, class_of, classes.clone()))
                });
                (stay, out)
            }
            Truth::Judgments(judgments) => {
                let (out, stay): (Vec<_>, Vec<_>) = judgments.into_iter().partition(|judgment| held(judgment.query));
                let [stay, out] = [stay, out].map(|part| {
                    with_known(Self::of_judgments(part, self.documents.clone(), self.queries_are_documents))
                });
                (stay, out)
            }
            Truth::Preferences(given) => {
                let (out, stay): (Vec<_>, Vec<_>) = given.into_iter().partition(|given| held(given.query));
                let [stay, out] = [stay, out].map(|part| {
                    with_known(Self::of_preferences(part, self.documents.clone(), self.queries_are_documents))
                });
                (stay, out)
            }
        }
    }
}

/// The run of items with one key, in a slice ordered by that key.
fn run_of<T>(items: &[T], key: impl Fn(&T) -> u32, wanted: u32) -> &[T] {
    let start = items.partition_point(|item| key(item) < wanted);
    let end = items.partition_point(|item| key(item) <= wanted);
    &items[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Classes {
        Classes::of_labels(["a", "b"]).expect("two classes")
    }

    #[test]
    fn items_of_a_class_suit_each_other_but_not_themselves() {
        let task = Task::of_classes(vec![3, 5, 8, 9], vec![0, 1, 0, 0], classes());
        assert_eq!(task.grades(0), [(8, 1), (9, 1)]);
        assert_eq!(task.grades(1), []);
        assert_eq!(task.hidden(2), [8]);
    }

    #[test]
    fn judgments_are_found_by_query() {
        let judgment = |query, document, grade| Judgment { query, document, grade };
        let task =
            Task::of_judgments(vec![judgment(2, 1, 1), judgment(0, 3, 2), judgment(2, 0, 0)], (0..4).collect(), false);
        assert_eq!(task.queries, [0, 2]);
        assert_eq!(task.grades(1), [(0, 0), (1, 1)]);
        assert!(task.hidden(1).is_empty());
        let (stay, out) = task.hold_out(|query| query == 2);
        assert_eq!((stay.queries, out.queries), (vec![0], vec![2]));
    }

    #[test]
    fn a_thinned_task_has_a_part_of_the_judgments() {
        let judgment = |i: u32| Judgment { query: i / 10, document: i % 10, grade: 1 };
        let whole = Task {
            known: vec![(0, 3)],
            ..Task::of_judgments((0..2000).map(judgment).collect(), (0..10).collect(), false)
        };
        let judgments = |task: &Task| match &task.truth {
            Truth::Judgments(judgments) => judgments.clone(),
            _ => panic!("judgments"),
        };
        let tenth = whole.clone().thinned(0.1, 1).expect("a share");
        assert!((150..250).contains(&judgments(&tenth).len()), "{}", judgments(&tenth).len());
        let half = judgments(&whole.clone().thinned(0.5, 1).expect("a share"));
        assert!(judgments(&tenth).iter().all(|judgment| half.contains(judgment)), "a smaller part is in the larger");
        assert_ne!(judgments(&whole.clone().thinned(0.1, 2).expect("a share")), judgments(&tenth));
        assert_eq!((tenth.known, tenth.documents), (whole.known.clone(), whole.documents.clone()));
        assert_eq!(whole.clone().thinned(1.0, 1).expect("a share"), whole);
        for share in [0.0, 1.5, f64::NAN] {
            assert!(whole.clone().thinned(share, 1).is_err());
        }
    }

    #[test]
    fn a_sampled_task_has_some_of_the_queries_with_all_their_judgments() {
        let judgment = |i: u32| Judgment { query: i / 10, document: i % 10, grade: 1 };
        let whole = Task::of_judgments((0..5000).map(judgment).collect(), (0..10).collect(), false);
        let some = whole.clone().sampled(100, 1);
        assert!((70..130).contains(&some.queries.len()), "{}", some.queries.len());
        assert!((0..some.queries.len()).all(|i| some.grades(i).len() == 10));
        assert_ne!(whole.clone().sampled(100, 2).queries, some.queries);
        assert_eq!(whole.clone().sampled(500, 1), whole);
    }

    #[test]
    fn classes_are_held_out_on_both_sides() {
        let (stay, out) = Task::of_classes(vec![0, 1, 2], vec![0, 1, 1], classes()).hold_out(|row| row == 1);
        assert_eq!((stay.documents, out.documents), (vec![0, 2], vec![1]));
        assert_eq!(out.truth, Truth::Classes { classes: classes(), class_of: vec![1] });
    }
}
