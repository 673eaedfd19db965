//! Every metric that trec_eval has equals trec_eval's value to 1e-9; `oracle/pytrec_eval_cases.py` made the cases.

use qwd_metrics::{Coverage, Metric, Qrels, Run, evaluate};
use std::collections::BTreeMap;

#[derive(serde::Deserialize)]
struct Cases {
    metrics: Vec<Metric>,
    run: BTreeMap<String, BTreeMap<String, f64>>,
    qrels: Qrels,
    values: BTreeMap<String, Vec<f64>>,
    means: Vec<f64>,
    means_over_all_judged: Vec<f64>,
}

impl Cases {
    fn read() -> Self {
        serde_json::from_str(include_str!("oracle/pytrec_eval.json")).expect("cases as the script writes them")
    }

    fn run(&self) -> Run {
        let single = |hits: &BTreeMap<String, f64>| hits.iter().map(|(id, &s)| (id.clone(), s as f32)).collect();
        self.run.iter().map(|(query, hits)| (query.clone(), single(hits))).collect()
    }
}

#[test]
fn values_of_every_query_are_trec_evals() {
    let cases = Cases::read();
    let evaluation = evaluate(&cases.run(), &cases.qrels, &cases.metrics, Coverage::Answered).expect("valid cases");
    assert_eq!(evaluation.n_queries(), cases.values.len());
    for (query, values) in evaluation.queries() {
        for ((metric, value), expected) in cases.metrics.iter().zip(values).zip(&cases.values[query]) {
            let value = value.expect("trec_eval's metrics always have a value");
            assert!((value - expected).abs() < 1e-9, "{query} {metric}: {value}, trec_eval has {expected}");
        }
    }
}

#[test]
fn means_are_trec_evals_with_and_without_missing_queries() {
    let cases = Cases::read();
    for (coverage, means) in [(Coverage::Answered, &cases.means), (Coverage::AllJudged, &cases.means_over_all_judged)] {
        let summary = evaluate(&cases.run(), &cases.qrels, &cases.metrics, coverage).expect("valid cases").summary();
        for (&metric, expected) in cases.metrics.iter().zip(means) {
            let mean = summary.metrics.get(metric).expect("a mean");
            assert!((mean - expected).abs() < 1e-9, "{metric} over {coverage:?}: {mean}, trec_eval has {expected}");
        }
    }
}
