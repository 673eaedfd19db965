//! Each metric equals its slow twin on random queries with ties, graded and missing judgments.

mod slow;

use proptest::prelude::*;
use qwd_metrics::{Judged, Metric, Ranking, TieOrder, measure_labelled, order_documents};
use slow::Query;

fn query() -> impl Strategy<Value = Query> {
    let ranked = proptest::collection::vec(((-3i8..4).prop_map(f32::from), -1i32..5), 0..25);
    let missing = proptest::collection::vec(-1i32..5, 0..6);
    (ranked, missing).prop_map(|(ranked, missing)| Query { ranked, missing })
}

fn ranking(query: &Query) -> Ranking {
    let scores: Vec<f32> = query.ranked.iter().map(|&(score, _)| score).collect();
    let order = TieOrder::by_number(scores.len() as u32).rank(&scores).expect("numbers");
    let (scores, grades) = order.iter().map(|&item| query.ranked[item as usize]).unzip();
    Ranking::try_new(grades, scores, Judged::new(query.judged())).expect("in order")
}

fn check(query: &Query, name: &str, expected: Option<f64>) -> Result<(), TestCaseError> {
    let value = name.parse::<Metric>().expect(name).value(&ranking(query));
    let close = match (value, expected) {
        (Some(value), Some(expected)) => (value - expected).abs() < 1e-12,
        (value, expected) => value == expected,
    };
    prop_assert!(close, "{name}: {value:?}, expected {expected:?} for {query:?}");
    Ok(())
}

fn linear(grade: i32) -> f64 {
    f64::from(grade)
}

fn exponential(grade: i32) -> f64 {
    f64::from(2i32.pow(grade as u32) - 1)
}

fn usual_discount(rank: usize) -> f64 {
    1.0 / ((rank + 1) as f64).log2()
}

fn letor_discount(rank: usize) -> f64 {
    if rank <= 2 { 1.0 } else { 1.0 / (rank as f64).log2() }
}

proptest! {
    // Cases that failed would be kept beside a lib.rs, which an integration test does not have.
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn precision_recall_and_success(q in query(), k in 1usize..30) {
        check(&q, &format!("p@{k}"), Some(q.precision(k)))?;
        check(&q, &format!("r@{k}"), Some(q.recall(k)))?;
        check(&q, &format!("success@{k}"), Some(q.success(k)))?;
        check(&q, "rprec", Some(q.r_precision()))?;
    }

    #[test]
    fn average_precision(q in query(), k in 1usize..30) {
        check(&q, &format!("map@{k}"), Some(q.average_precision(k)))?;
        check(&q, "map", Some(q.average_precision(1000)))?;
    }

    #[test]
    fn reciprocal_rank(q in query(), k in 1usize..30) {
        check(&q, &format!("mrr@{k}"), Some(q.reciprocal_rank(k)))?;
        check(&q, "mrr", Some(q.reciprocal_rank(1000)))?;
    }

    #[test]
    fn ndcg(q in query(), k in 1usize..30) {
        check(&q, &format!("ndcg@{k}"), Some(q.ndcg(k, linear, usual_discount)))?;
        check(&q, "ndcg", Some(q.ndcg(1000, linear, usual_discount)))?;
        check(&q, &format!("ndcg-exp@{k}"), Some(q.ndcg(k, exponential, usual_discount)))?;
    }

    #[test]
    fn letor_ndcg(q in query(), k in 1usize..30) {
        let value = q.ndcg(k, exponential, letor_discount);
        check(&q, &format!("letor3-ndcg@{k}"), Some(value))?;
        check(&q, &format!("letor4-ndcg@{k}"), Some(if q.ranked.len() < k { 0.0 } else { value }))?;
    }

    #[test]
    fn expected_reciprocal_rank(q in query(), k in 1usize..30, max_grade in 4i32..8) {
        check(&q, &format!("err({max_grade})@{k}"), Some(q.expected_reciprocal_rank(k, max_grade)))?;
        let own = q.judged().into_iter().max().unwrap_or(0);
        check(&q, &format!("err@{k}"), Some(q.expected_reciprocal_rank(k, own)))?;
    }

    #[test]
    fn rank_biased_precision(q in query(), p in 0.01f64..0.99) {
        check(&q, &format!("rbp({p})"), Some(q.rank_biased_precision(p)))?;
    }

    #[test]
    fn bpref(q in query()) {
        check(&q, "bpref", Some(q.bpref()))?;
    }

    #[test]
    fn pair_error(q in query()) {
        check(&q, "error", q.pair_error())?;
    }

    #[test]
    fn the_labelled_figures_are_those_of_the_metrics(
        items in proptest::collection::vec(((-9i8..9).prop_map(f32::from), any::<bool>()), 1..900),
        skip in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let (scores, relevant): (Vec<f32>, Vec<bool>) = items.into_iter().unzip();
        let key = |i: usize| qwd_core::random::mix(seed ^ i as u64);
        let ties = TieOrder::by_descending_key(scores.len(), key).expect("few items");
        let skip = skip.index(scores.len() + 1);
        let figures = measure_labelled(&scores, &relevant, Some(skip as u32), &ties).expect("as many labels as scores");

        let kept = || (0..scores.len()).filter(|&i| i != skip);
        let grades: Vec<i32> = kept().map(|i| i32::from(relevant[i])).collect();
        let kept_scores: Vec<f32> = kept().map(|i| scores[i]).collect();
        let kept_keys: Vec<u64> = kept().map(key).collect();
        let kept_ties = TieOrder::by_descending_key(grades.len(), |i| kept_keys[i]).expect("few items");
        let ranking = Ranking::of_items(&kept_scores, &grades, &kept_ties).expect("as many grades as scores");
        let value = |name: &str| name.parse::<Metric>().expect(name).value(&ranking);
        prop_assert_eq!(Some(figures.average_precision), value("map"));
        prop_assert_eq!(figures.pair_error, value("error"));
        prop_assert_eq!(figures.n_relevant as usize, ranking.judged().n_relevant());
    }

    #[test]
    fn numbered_items_and_documents_are_ordered_alike(
        values in proptest::collection::vec(prop_oneof![(-3i8..4).prop_map(f32::from), prop::num::f32::NORMAL, Just(-0.0)], 0..900),
    ) {
        let ids: Vec<String> = (0..values.len()).map(|i| format!("d{i}")).collect();
        let hits: Vec<(&str, f32)> = ids.iter().map(String::as_str).zip(values.iter().copied()).collect();
        let mut slow: Vec<usize> = (0..values.len()).collect();
        slow.sort_by(|&a, &b| hits[b].1.partial_cmp(&hits[a].1).expect("numbers").then(ids[b].cmp(&ids[a])));
        prop_assert_eq!(&order_documents(&hits).expect("distinct ids"), &slow);

        let ties = TieOrder::by_descending_id(&ids).expect("few items");
        let ranked: Vec<usize> = ties.rank(&values).expect("numbers").into_iter().map(|i| i as usize).collect();
        prop_assert_eq!(&ranked, &slow);

        let scored = |(item, &score): (u32, &f32)| qwd_core::top_k::Scored { item, score };
        let mut some: Vec<_> = (0..).zip(&values).map(scored).collect();
        ties.sort(&mut some).expect("known items");
        let sorted: Vec<usize> = some.into_iter().map(|hit| hit.item as usize).collect();
        prop_assert_eq!(&sorted, &slow);
    }
}
