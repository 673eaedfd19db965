//! Tuples are drawn from the distribution that is documented, and a seed keeps its meaning.

use proptest::prelude::*;
use qwd_data::sample::given::Order;
use qwd_data::sample::judgments::Unjudged;
use qwd_data::sample::labels::Singletons;
use qwd_data::{Classes, Judgment, Preference, SampleParams, Sampler, Task};
use std::collections::HashMap;

const N: usize = 200_000;

fn of_classes(class_of: Vec<u32>) -> Task {
    let n_classes = class_of.iter().max().map_or(0, |c| c + 1);
    let classes = Classes::of_numbers((0..n_classes).map(f64::from)).expect("few classes");
    // Rows far apart, so that positions and rows cannot be confused.
    Task::of_classes((0..class_of.len() as u32).map(|i| 10 * i).collect(), class_of, classes)
}

fn of_judgments(judgments: &[(u32, u32, i32)], n_documents: u32) -> Task {
    let judgments = judgments.iter().map(|&(query, document, grade)| Judgment { query, document, grade }).collect();
    Task::of_judgments(judgments, (0..n_documents).collect(), false)
}

fn sampler(task: &Task, params: SampleParams) -> Sampler {
    Sampler::of_task(task, &params).expect("a usable task")
}

/// How often each tuple appears among `N`.
fn shares(task: &Task, params: SampleParams) -> HashMap<(u32, u32, u32), f64> {
    let mut shares = HashMap::new();
    for t in sampler(task, params).tuples().take(N) {
        *shares.entry((t.query, t.better, t.worse)).or_insert(0.0) += 1.0 / N as f64;
    }
    shares
}

/// Compares shares with expected probabilities, within five standard deviations.
fn assert_shares(found: &HashMap<(u32, u32, u32), f64>, expected: &HashMap<(u32, u32, u32), f64>) {
    let total: f64 = expected.values().sum();
    assert!((total - 1.0).abs() < 1e-9, "the expectation adds up to {total}");
    assert!(found.keys().all(|tuple| expected.contains_key(tuple)), "{found:?}");
    for (tuple, p) in expected {
        let share = found.get(tuple).copied().unwrap_or_default();
        let deviation = (p * (1.0 - p) / N as f64).sqrt();
        assert!((share - p).abs() < 5.0 * deviation, "{tuple:?} has {share}, expected {p}");
    }
}

#[test]
fn labels_are_drawn_as_documented() {
    let class_of = vec![0, 1, 0, 2, 1, 0];
    let task = of_classes(class_of.clone());
    let params = SampleParams { singletons: Singletons::Skip, ..SampleParams::default() };
    let size = |class: u32| class_of.iter().filter(|&&c| c == class).count() as f64;
    let mut expected = HashMap::new();
    for (q, &class) in class_of.iter().enumerate().filter(|&(_, &class)| class != 2) {
        for (b, _) in class_of.iter().enumerate().filter(|&(b, &c)| b != q && c == class) {
            for (w, _) in class_of.iter().enumerate().filter(|&(_, &c)| c != class) {
                let p = 1.0 / 5.0 / (size(class) - 1.0) / (6.0 - size(class));
                expected.insert((10 * q as u32, 10 * b as u32, 10 * w as u32), p);
            }
        }
    }
    assert_shares(&shares(&task, params), &expected);
    assert_eq!(sampler(&task, params).n_skipped_queries(), 1);
}

#[test]
fn classes_that_cannot_be_used_are_named() {
    let message = |class_of| {
        let refused = Sampler::of_task(&of_classes(class_of), &SampleParams::default());
        refused.expect_err("an unusable task").to_string()
    };
    assert_eq!(
        message(vec![0, 0, 1]),
        "class \"1\" has only one document, so no better one for it; add documents to the class, remove it, or pass --set sample.singletons=skip"
    );
    assert_eq!(
        message(vec![0, 0, 0]),
        "preferences need two classes, the documents have 1; add documents of another class"
    );
    assert_eq!(message(vec![]), "preferences need two classes, the documents have 0; add documents of another class");
    let skip = SampleParams { singletons: Singletons::Skip, ..SampleParams::default() };
    let refused = Sampler::of_task(&of_classes(vec![0, 1]), &skip).expect_err("an unusable task");
    assert_eq!(refused.to_string(), "no class has two documents; add documents to the classes");
}

const GRADED: &[(u32, u32, i32)] =
    &[(0, 1, 2), (0, 2, 1), (0, 4, 1), (0, 5, 0), (3, 0, 1), (7, 2, 0), (9, 3, -1), (9, 0, -2)];

#[test]
fn judged_pairs_are_drawn_as_documented() {
    let task = of_judgments(GRADED, 7);
    let never = SampleParams { unjudged: Unjudged::Never, ..SampleParams::default() };
    let pairs = [(0, 1, 2), (0, 1, 4), (0, 1, 5), (0, 2, 5), (0, 4, 5)];
    let mut expected: HashMap<_, _> = pairs.into_iter().map(|tuple| (tuple, 0.5 / 5.0)).collect();
    expected.insert((9, 3, 0), 0.5);
    assert_shares(&shares(&task, never), &expected);
    assert_eq!(sampler(&task, never).n_skipped_queries(), 2);
}

#[test]
fn unjudged_documents_are_drawn_as_documented() {
    let task = of_judgments(GRADED, 7);
    let only = SampleParams { unjudged: Unjudged::Only, ..SampleParams::default() };
    let mut expected = HashMap::new();
    for better in [1, 2, 4] {
        for worse in [0, 3, 6] {
            expected.insert((0, better, worse), 0.5 / 9.0);
        }
    }
    for worse in 1..7 {
        expected.insert((3, 0, worse), 0.5 / 6.0);
    }
    assert_shares(&shares(&task, only), &expected);
    assert_eq!(sampler(&task, only).n_skipped_queries(), 2);
}

#[test]
fn mixing_takes_the_share_asked_for_where_both_ways_are_open() {
    let task = of_judgments(GRADED, 7);
    let mixed = SampleParams { unjudged: Unjudged::Mixed(0.25), ..SampleParams::default() };
    let mut n = [0.0f64; 2];
    for t in sampler(&task, mixed).tuples().take(N).filter(|t| t.query == 0) {
        n[usize::from([0, 3, 6].contains(&t.worse))] += 1.0;
    }
    assert!((n[1] / (n[0] + n[1]) - 0.25).abs() < 0.01, "{n:?}");
    for share in [-0.1, 1.1, f64::NAN] {
        let params = SampleParams { unjudged: Unjudged::Mixed(share), ..SampleParams::default() };
        assert!(Sampler::of_task(&task, &params).is_err());
    }
}

#[test]
fn a_linked_document_is_not_worse_than_itself_or_than_known_links() {
    let judgments = vec![Judgment { query: 1, document: 2, grade: 1 }];
    let task = Task { known: vec![(1, 0)], ..Task::of_judgments(judgments, (0..5).collect(), true) };
    let worse: Vec<u32> = sampler(&task, SampleParams::default()).tuples().take(200).map(|t| t.worse).collect();
    assert!(worse.iter().all(|w| [3, 4].contains(w)) && worse.contains(&3) && worse.contains(&4), "{worse:?}");
}

#[test]
fn judgments_without_pairs_are_refused() {
    let task = of_judgments(&[(0, 0, 1), (0, 1, 1)], 2);
    for unjudged in [Unjudged::Never, Unjudged::Only, Unjudged::Mixed(0.5)] {
        let params = SampleParams { unjudged, ..SampleParams::default() };
        let e = Sampler::of_task(&task, &params).expect_err("nothing to compare");
        assert_eq!(
            e.to_string(),
            "none of 1 queries has a better and a worse document; add judgments, or let unjudged documents be the worse ones"
        );
    }
}

fn given(n: u32) -> Task {
    let preferences =
        (0..n).map(|i| Preference { query: i, better: i + 1, worse: i + 2, weight: 0.5 + i as f32 }).collect();
    Task::of_preferences(preferences, (0..n + 2).collect(), false)
}

#[test]
fn given_preferences_come_in_order_or_shuffled_pass_by_pass() {
    let task = given(50);
    let queries = |order, seed| -> Vec<u32> {
        let params = SampleParams { order, seed, ..SampleParams::default() };
        sampler(&task, params).tuples().take(100).map(|t| t.query).collect()
    };
    let plain: Vec<u32> = (0..50).collect();
    assert_eq!(queries(Order::AsGiven, 1), [plain.clone(), plain.clone()].concat());
    let shuffled = queries(Order::Shuffled, 1);
    assert_eq!(shuffled, queries(Order::Shuffled, 1));
    assert_ne!(shuffled, queries(Order::Shuffled, 2));
    assert_ne!(shuffled[..50], shuffled[50..]);
    for pass in shuffled.chunks(50) {
        let mut sorted = pass.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, plain);
    }
    let tuple = sampler(&task, SampleParams::default()).tuples().next().expect("endless");
    assert_eq!(tuple.weight, 0.5 + tuple.query as f32);
    assert!(Sampler::of_task(&given(0), &SampleParams::default()).is_err());
}

#[test]
fn distinct_tuples_run_out() {
    let params = SampleParams { distinct: true, ..SampleParams::default() };
    let all = sampler(&of_classes(vec![0, 0, 1, 1]), params);
    let mut tuples: Vec<_> =
        all.sample(8).expect("all there are").iter().map(|t| (t.query, t.better, t.worse)).collect();
    tuples.sort_unstable();
    tuples.dedup();
    assert_eq!(tuples.len(), 8);
    let e = all.sample(9).expect_err("one too many");
    assert_eq!(
        e.to_string(),
        "only 8 distinct tuples were found in 10576 draws, 9 were asked for; ask for fewer or allow repeated ones"
    );
}

/// A task of each kind.
fn any_task() -> impl Strategy<Value = Task> {
    prop_oneof![
        prop::collection::vec(0u32..3, 4..30)
            .prop_map(|classes| of_classes([vec![0, 0, 1, 1, 2, 2], classes].concat())),
        prop::collection::btree_map((0u32..5, 0u32..20), -1i32..3, 0..40).prop_map(|graded| {
            let mut rows: Vec<_> = graded.into_iter().map(|((q, d), grade)| (q, d, grade)).collect();
            rows.push((6, 0, 1));
            of_judgments(&rows, 30)
        }),
        (1u32..20).prop_map(given),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_sample_begins_like_every_longer_one(task in any_task(), seed: u64, n in 0usize..60, more in 0usize..60) {
        let sampler = sampler(&task, SampleParams { seed, unjudged: Unjudged::Mixed(0.5), ..SampleParams::default() });
        let long = sampler.sample(n + more)?;
        prop_assert_eq!(&long[..n], sampler.sample(n)?);
        let distinct = Sampler::of_task(&task, &SampleParams { seed, distinct: true, ..SampleParams::default() })?;
        if let Ok(long) = distinct.sample(n.min(3) + 1) {
            prop_assert_eq!(&long[..n.min(3)], distinct.sample(n.min(3))?);
        }
    }

    #[test]
    fn worse_is_never_better(task in any_task(), seed: u64) {
        let params = SampleParams { seed, unjudged: Unjudged::Mixed(0.5), ..SampleParams::default() };
        for t in sampler(&task, params).sample(50)? {
            let at = task.queries.binary_search(&t.query).expect("a query of the task");
            let grades: HashMap<u32, i32> = task.grades(at).into_iter().collect();
            if !grades.is_empty() {
                let grade = |document| grades.get(&document).copied();
                prop_assert!(grade(t.worse).is_none_or(|worse| Some(worse) < grade(t.better)));
                prop_assert!(grade(t.better).is_some());
            }
            prop_assert!(t.better != t.worse && !(task.queries_are_documents && task.hidden(at).contains(&t.better)));
        }
    }
}

#[test]
fn a_seed_keeps_its_meaning() {
    let first = |task: &Task, params| {
        let t = sampler(task, params).tuples().nth(3).expect("endless");
        (t.query, t.better, t.worse)
    };
    let params = SampleParams { seed: 7, ..SampleParams::default() };
    let found = [
        first(&of_classes((0..100).map(|i| i % 7).collect()), params),
        first(&of_judgments(GRADED, 1000), params),
        first(&given(100), params),
    ];
    assert_eq!(found, [(650, 160, 890), (0, 1, 824), (80, 81, 82)]);
}
