//! Graded judgments as the RMLS paper uses them (section 6.1): every method scores the judged documents of a query, nothing
//! else, one half of the queries serves to choose parameters and the other to report, and figures can be told apart by how
//! often queries are clicked (section 6.5.2).

use crate::protocol::Scorer;
use qwd_core::{Error, Result, Rng, Threads};
use qwd_data::Task;
use qwd_metrics::{Depth, Evaluation, Metric, Ranking, TieOrder};
use qwd_model::combination::{Scaling, best_weight, combine};
use qwd_rank::FeatureSet;
use std::collections::BTreeMap;

/// The limits of the paper's bins: so many clicks of a query at most, and more.
pub const BINS: [(&str, u64); 4] = [("<=10", 10), ("<=100", 100), ("<=1000", 1_000), (">1000", u64::MAX)];

/// A query with its judged documents.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedList {
    /// The row of the query.
    pub query: u32,
    /// A name that no other list of the set has.
    pub name: String,
    /// The rows of the documents.
    pub documents: Vec<u32>,
    /// Their grades.
    pub grades: Vec<i32>,
}

/// Queries with their judged documents; scores of a set lie one after the other in the order of its lists.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgedSet {
    lists: Vec<JudgedList>,
}

impl JudgedSet {
    /// Takes lists; one without documents says nothing and is left out.
    pub fn new(lists: Vec<JudgedList>) -> Result<Self> {
        if lists.iter().any(|list| list.documents.len() != list.grades.len()) {
            return Err(Error::internal("a judged list with more documents than grades, or fewer"));
        }
        Ok(Self { lists: lists.into_iter().filter(|list| !list.documents.is_empty()).collect() })
    }

    /// Takes the judged queries of a task.
    pub fn of_task(task: &Task, name: impl Fn(u32) -> String) -> Result<Self> {
        let list = |i: usize| {
            let (documents, grades) = task.grades(i).into_iter().unzip();
            JudgedList { query: task.queries[i], name: name(task.queries[i]), documents, grades }
        };
        Self::new((0..task.queries.len()).map(list).collect())
    }

    /// Returns the lists.
    pub fn lists(&self) -> &[JudgedList] {
        &self.lists
    }

    /// Returns the number of documents, over all lists.
    pub fn n_documents(&self) -> usize {
        self.lists.iter().map(|list| list.documents.len()).sum()
    }

    /// Scores every document of every list.
    pub fn score(&self, scorer: &dyn Scorer, threads: &Threads) -> Result<Vec<f32>> {
        let scores = threads.map(self.lists.len(), |i| {
            let list = &self.lists[i];
            let scores = scorer.scores(list.query, &list.documents)?;
            match scores.len() == list.documents.len() && scores.iter().all(|score| score.is_finite()) {
                true => Ok(scores),
                false => Err(Error::internal(format!("query {} has scores that are missing or not finite", list.name))),
            }
        });
        let mut all = Vec::with_capacity(self.n_documents());
        for scores in scores {
            all.extend(scores?);
        }
        Ok(all)
    }

    /// Measures scores, list by list; among equal scores the document that stands first wins.
    pub fn evaluate(&self, scores: &[f32], metrics: &[Metric]) -> Result<Evaluation> {
        let mut evaluation = Evaluation::new(metrics)?;
        for (list, scores) in self.lists.iter().zip(self.cut(scores)?) {
            let ties = TieOrder::by_number(scores.len() as u32);
            evaluation.add(list.name.clone(), &Ranking::of_items(scores, &list.grades, &ties)?)?;
        }
        Ok(evaluation)
    }

    /// The mean of one metric.
    pub fn mean(&self, scores: &[f32], metric: Metric) -> Result<f64> {
        let summary = self.evaluate(scores, &[metric])?.summary();
        summary
            .metrics
            .get(metric)
            .ok_or_else(|| Error::bad_data("no judged query has a figure", "give more judgments"))
    }

    /// Puts several methods' scores side by side as the features of a ranker.
    pub fn features(&self, columns: Vec<Vec<f32>>) -> Result<FeatureSet> {
        let grades = self.lists.iter().flat_map(|list| list.grades.iter().copied()).collect();
        let queries = self.lists.iter().map(|list| (list.name.clone(), list.documents.len())).collect();
        FeatureSet::from_parts(columns, grades, queries)
    }

    /// Divides the lists in two by chance: about `share` of them, and the others; with each, which scores are its own.
    pub fn divided(&self, share: f64, seed: u64) -> [(Self, Vec<usize>); 2] {
        let mut parts = [(Self::default(), Vec::new()), (Self::default(), Vec::new())];
        let mut start = 0;
        for (i, list) in self.lists.iter().enumerate() {
            let (set, places) = &mut parts[usize::from(Rng::part(seed, i as u64).unit() >= share)];
            set.lists.push(list.clone());
            places.extend(start..start + list.documents.len());
            start += list.documents.len();
        }
        parts
    }

    /// Adds two methods' scores, `weight` of the one and the rest of the other, each brought to 0…1 within a list: scores of
    /// different methods have no common scale.
    pub fn combined(&self, one: &[f32], other: &[f32], weight: f64) -> Result<Vec<f32>> {
        let mut all = Vec::with_capacity(one.len());
        for (one, other) in self.cut(one)?.into_iter().zip(self.cut(other)?) {
            all.extend(combine(&[(weight, one), (1.0 - weight, other)], Scaling::Range)?);
        }
        Ok(all)
    }

    /// Returns the weight with which two methods together do best, the smallest among equals.
    pub fn best_weight(&self, one: &[f32], other: &[f32], metric: Metric) -> Result<f64> {
        let (weight, _) = best_weight(|weight| self.mean(&self.combined(one, other, weight)?, metric))?;
        Ok(weight)
    }

    fn cut<'s>(&self, scores: &'s [f32]) -> Result<Vec<&'s [f32]>> {
        if scores.len() != self.n_documents() {
            let what = format!("{} scores for {} judged documents", scores.len(), self.n_documents());
            return Err(Error::bad_data(what, "score every document once"));
        }
        let mut rest = scores;
        Ok(self
            .lists
            .iter()
            .map(|list| {
                let (own, later) = rest.split_at(list.documents.len());
                rest = later;
                own
            })
            .collect())
    }
}

/// NDCG@1, 3 and 5 with gains 2^grade − 1, and the names under which they are reported.
pub fn paper_metrics() -> Result<Vec<(String, Metric)>> {
    [1, 3, 5].into_iter().map(|k| Ok((format!("ndcg@{k}"), Metric::ExponentialNdcg(Depth::at(k)?)))).collect()
}

/// The means of a metric over the queries of each bin, with their number; `clicks` has the total of each query by name.
pub fn by_clicks(evaluation: &Evaluation, metric: Metric, clicks: &BTreeMap<String, u64>) -> Result<Vec<(f64, usize)>> {
    let column = evaluation.metrics().iter().position(|&m| m == metric);
    let column = column.ok_or_else(|| Error::param("metric", metric, "one that was evaluated"))?;
    let mut sums = vec![(0.0, 0); BINS.len()];
    for (name, values) in evaluation.queries() {
        let total = clicks.get(name).copied().unwrap_or(0);
        let bin = BINS.iter().position(|&(_, most)| total <= most).unwrap_or(BINS.len() - 1);
        if let Some(value) = values[column] {
            sums[bin] = (sums[bin].0 + value, sums[bin].1 + 1);
        }
    }
    Ok(sums.into_iter().map(|(sum, n)| (if n > 0 { sum / n as f64 } else { 0.0 }, n)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> JudgedSet {
        let list = |query: u32, grades: &[i32]| JudgedList {
            query,
            name: format!("q{query}"),
            documents: (0..grades.len() as u32).collect(),
            grades: grades.to_vec(),
        };
        JudgedSet::new(vec![list(0, &[0, 4, 1]), list(1, &[]), list(2, &[2, 0])]).expect("a set")
    }

    #[test]
    fn methods_score_the_judged_documents_only() {
        let set = set();
        assert_eq!((set.lists().len(), set.n_documents()), (2, 5), "a list of nothing is left out");
        let scorer = |query: u32, documents: &[u32]| Ok(documents.iter().map(|&d| (query * 10 + d) as f32).collect());
        assert_eq!(set.score(&scorer, &Threads::default()).expect("scores"), [0.0, 1.0, 2.0, 20.0, 21.0]);
        let nothing = |_: u32, _: &[u32]| Ok(vec![f32::NAN]);
        assert!(set.score(&nothing, &Threads::default()).is_err());
        assert!(set.evaluate(&[0.0], &[Metric::Ndcg(Depth::WHOLE)]).is_err());
    }

    #[test]
    fn combinations_are_of_scores_on_one_scale() {
        let set = set();
        let one = [0.0, 1.0, 0.5, 7.0, 7.0];
        let other = [100.0, 0.0, 50.0, 0.0, 3.0];
        let combined = set.combined(&one, &other, 0.25).expect("combined");
        assert_eq!(combined, [0.75, 0.25, 0.5, 0.0, 0.75]);
        let metric = paper_metrics().expect("metrics")[0].1;
        assert_eq!(
            set.best_weight(&one, &other, metric).expect("a weight"),
            0.6,
            "from here on the first list is right"
        );
    }

    #[test]
    fn figures_are_told_apart_by_clicks() {
        let set = set();
        let metric = paper_metrics().expect("metrics")[0].1;
        let evaluation = set.evaluate(&[0.0, 2.0, 1.0, 0.0, 1.0], &[metric]).expect("figures");
        let clicks = BTreeMap::from([("q0".to_string(), 10), ("q2".to_string(), 1_001)]);
        let bins = by_clicks(&evaluation, metric, &clicks).expect("bins");
        assert_eq!(bins, [(1.0, 1), (0.0, 0), (0.0, 0), (0.0, 1)]);
    }

    #[test]
    fn parts_of_a_set_keep_their_scores() {
        let lists = (0..40)
            .map(|query| JudgedList { query, name: query.to_string(), documents: vec![0, 1], grades: vec![1, 0] })
            .collect();
        let set = JudgedSet::new(lists).expect("a set");
        let [(one, own), (other, rest)] = set.divided(0.75, 3);
        assert!((20..38).contains(&one.lists().len()) && one.lists().len() + other.lists().len() == 40);
        assert_eq!(own.len(), one.n_documents());
        let mut all: Vec<usize> = own.iter().chain(&rest).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..80).collect::<Vec<_>>());
        assert_eq!(own[0] / 2, one.lists()[0].query as usize);
    }
}
