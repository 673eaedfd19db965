//! Means, standard errors, which queries count, and the JSON that scripts read.

use qwd_metrics::{Coverage, Evaluation, Judged, Metric, Qrels, Ranking, Run, Summary, TieOrder, evaluate};

fn metrics(names: &str) -> Vec<Metric> {
    names.split_whitespace().map(|name| name.parse().expect(name)).collect()
}

fn qrels(judgments: &[(&str, &[(&str, i32)])]) -> Qrels {
    let grades = |grades: &[(&str, i32)]| grades.iter().map(|&(id, grade)| (id.to_owned(), grade)).collect();
    judgments.iter().map(|(query, judged)| ((*query).to_owned(), grades(judged))).collect()
}

fn run(rankings: &[(&str, &[(&str, f32)])]) -> Run {
    let hits = |hits: &[(&str, f32)]| hits.iter().map(|&(id, score)| (id.to_owned(), score)).collect();
    rankings.iter().map(|(query, ranked)| ((*query).to_owned(), hits(ranked))).collect()
}

#[test]
fn the_json_has_the_promised_shape_and_reads_back() {
    let mut evaluation = Evaluation::new(&metrics("ndcg@10 map error")).expect("three metrics");
    for (query, grades) in [("a", vec![1, 0]), ("b", vec![0, 1]), ("c", vec![0, 0])] {
        let judged = Judged::new(grades.clone());
        evaluation.add(query, &Ranking::from_grades(grades, judged)).expect("new query");
    }
    let json = serde_json::to_string(&evaluation).expect("finite");
    // map: 1, 1/2, 0; error: 0, 1, and none for c.
    assert!(json.starts_with(r#"{"metrics":{"ndcg@10":0.54"#), "{json}");
    assert!(json.contains(r#""map":0.5,"error":0.5},"standard_errors":{"ndcg@10":"#), "{json}");
    assert!(json.ends_with(r#""error":0.5},"n_queries":3}"#), "{json}");
    let summary: Summary = serde_json::from_str(&json).expect("its own output");
    assert_eq!(summary, evaluation.summary());
    let standard_error = summary.standard_errors.get("map".parse().expect("a metric")).expect("three values");
    assert!((standard_error - 0.5 / 3f64.sqrt()).abs() < 1e-12, "the deviation of 1, 1/2 and 0 is 1/2");
}

#[test]
fn missing_queries_count_only_if_asked() {
    let qrels = qrels(&[("a", &[("x", 1)]), ("b", &[("x", 1), ("y", 0)]), ("nothing", &[("x", 0)])]);
    let run = run(&[("a", &[("x", 1.0)]), ("nothing", &[("x", 1.0)]), ("unjudged", &[("x", 1.0)])]);
    let names = metrics("map error");
    let answered = evaluate(&run, &qrels, &names, Coverage::Answered).expect("common queries").summary();
    assert_eq!((answered.n_queries, answered.metrics.get(names[0])), (2, Some(0.5)));
    assert_eq!(answered.metrics.get(names[1]), None);
    let all = evaluate(&run, &qrels, &names, Coverage::AllJudged).expect("judged queries").summary();
    assert_eq!((all.n_queries, all.metrics.get(names[0])), (3, Some(1.0 / 3.0)));
    assert_eq!(all.metrics.get(names[1]), Some(1.0));
    assert!(evaluate(&Run::new(), &qrels, &names, Coverage::Answered).is_err());
}

#[test]
fn the_scale_of_err_is_the_collections() {
    let qrels = qrels(&[("a", &[("x", 1)]), ("b", &[("x", 3)])]);
    let run = run(&[("a", &[("x", 1.0)])]);
    let err = metrics("err");
    let summary = evaluate(&run, &qrels, &err, Coverage::Answered).expect("common query").summary();
    assert_eq!(summary.metrics.get(err[0]), Some(1.0 / 8.0));
}

#[test]
fn values_are_paired_by_query() {
    let map = metrics("map");
    let evaluation = |values: &[(&str, Option<f64>)]| {
        let mut evaluation = Evaluation::new(&map).expect("a metric");
        for &(query, value) in values {
            evaluation.add_values(query, vec![value]).expect("new query");
        }
        evaluation
    };
    let a = evaluation(&[("q2", Some(0.2)), ("q1", Some(0.1)), ("q3", None), ("q4", Some(0.4))]);
    let b = evaluation(&[("q1", Some(0.5)), ("q3", Some(0.6)), ("q2", Some(0.7)), ("q5", Some(0.8))]);
    assert_eq!(a.paired(&b, map[0]).expect("evaluated"), (vec![0.1, 0.2], vec![0.5, 0.7]));
    assert_eq!(a.values(map[0]).expect("evaluated"), [0.1, 0.2, 0.4]);
    let message = a.values(metrics("p@5")[0]).expect_err("not evaluated").to_string();
    assert_eq!(message, "parameter metric = p@5: expected one that was evaluated: map");
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(Evaluation::new(&[]).is_err() && Evaluation::new(&metrics("map p@5 map")).is_err());
    let mut evaluation = Evaluation::new(&metrics("map")).expect("a metric");
    assert!(evaluation.add_values("q", vec![]).is_err() && evaluation.add_values("q", vec![Some(f64::NAN)]).is_err());
    evaluation.add_values("q", vec![None]).expect("a query without a value");
    assert!(evaluation.add_values("q", vec![None]).is_err());
    assert_eq!(
        serde_json::to_string(&evaluation).expect("empty maps"),
        r#"{"metrics":{},"standard_errors":{},"n_queries":1}"#
    );

    let twice = run(&[("a", &[("x", 1.0), ("x", 2.0)])]);
    let message = evaluate(&twice, &qrels(&[("a", &[("x", 1)])]), &metrics("map"), Coverage::Answered);
    assert!(message.expect_err("a duplicate").to_string().contains("\"x\" is ranked twice"));
    let ties = TieOrder::by_number(2);
    assert!(ties.rank(&[1.0]).is_err() && ties.rank(&[1.0, f32::NAN]).is_err());
    assert!(ties.sort(&mut [qwd_core::top_k::Scored { item: 2, score: 1.0 }]).is_err());
}
