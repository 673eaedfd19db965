use super::*;
use qwd_core::Csr;
use qwd_core::SparseVec;
use qwd_data::{Document, Judgment, Opened, Split, SplitRule};
use qwd_model::Matrix;
use qwd_train::{Prepared, TextParams, Vectors, evaluate};
use std::sync::Arc;

/// Documents of two random words out of twelve, linked where they share one.
fn linked(n: usize) -> Dataset {
    let mut rng = qwd_core::Rng::new(3);
    let mut dataset = Dataset::default();
    let mut words = Vec::new();
    for i in 0..n {
        let pair = [rng.below(12), rng.below(12)];
        let id = format!("d{i}");
        dataset.document_ids.insert(&id).expect("few ids");
        let text = format!("w{} w{} all", pair[0], pair[1]);
        dataset.documents.push(Document { id, text, ..Document::default() });
        words.push(pair);
    }
    let shares = |i: usize, j: usize| words[i].iter().any(|word| words[j].contains(word));
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let links = pairs.filter(|&(i, j)| i != j && shares(i, j) && (i + j) % 3 > 0);
    dataset.links = links.map(|(i, j)| (i as u32, j as u32)).collect();
    dataset
}

fn params(n_queries: usize, n_others: usize) -> ProtocolParams {
    ProtocolParams { n_tuples: 2_000, n_queries, candidates: Candidates::Others(n_others), ..ProtocolParams::default() }
}

#[test]
fn against_everything_it_is_the_usual_evaluation() {
    let data = Opened::Texts(Box::new(linked(90)));
    let Opened::Texts(dataset) = &data else { panic!("texts") };
    let threads = Threads::new(2).expect("a pool");
    let prepared = Prepared::fit(&data, &TextParams::default(), SplitRule::default(), &threads).expect("vectors");
    let (task, vectors) = prepared.task(Split::Test).expect("a task");
    let matrix = Matrix::identity(vectors.documents.n_cols() as usize).expect("few words");
    let metrics = paper_metrics().expect("known");
    let expected = evaluate(&matrix, &task, vectors, &prepared, &metrics, &threads).expect("figures");
    let protocol = Protocol::of_task(&task, dataset, &params(1000, 1000)).expect("a protocol");
    let scorer = MatrixScorer::try_new(&matrix, vectors).expect("they fit");
    let measured = protocol.measure(&scorer, &threads).expect("figures");
    assert_eq!(measured.evaluation, expected);
    let one = protocol.measure(&scorer, &Threads::default()).expect("figures");
    assert_eq!(one, measured, "at any number of threads");
    // The tuples are a sample of the pairs whose share `error` counts, query by query alike.
    let error = evaluate(&matrix, &task, vectors, &prepared, &[Metric::PairError], &threads).expect("figures");
    let error = error.summary().metrics.get(Metric::PairError).expect("a mean");
    assert!((measured.rank_loss - error).abs() < 0.04, "{} {error}", measured.rank_loss);
    assert!((0.05..0.4).contains(&error), "{error}");
    assert_eq!(measured.figures()["rank_loss"], measured.rank_loss);
    assert_eq!(measured.figures().len(), 5);
    let wrong = Matrix::identity(3).expect("few words");
    assert!(MatrixScorer::try_new(&wrong, vectors).is_err());
}

#[test]
fn candidates_are_the_relevant_and_some_others_that_are_not_known() {
    let dataset = linked(90);
    let task = dataset.task(Split::Test, &SplitRule::default()).expect("a task");
    let protocol = Protocol::of_task(&task, &dataset, &params(7, 10)).expect("a protocol");
    assert_eq!(protocol.questions().len(), 7);
    for question in protocol.questions() {
        let i = task.queries.binary_search(&question.query).expect("a query of the task");
        let (hidden, mut relevant) = (task.hidden(i), task.grades(i));
        assert!(question.candidates.iter().all(|row| !hidden.contains(row)));
        let found = question.candidates.iter().copied().zip(question.grades.iter().copied());
        let mut found: Vec<(u32, i32)> = found.filter(|&(_, grade)| grade > 0).collect();
        found.sort_unstable();
        relevant.sort_unstable();
        assert_eq!(found, relevant);
        assert_eq!(question.candidates.len(), relevant.len() + 10);
        let names: Vec<&str> = question.candidates.iter().map(|&row| dataset.document_ids.name(row)).collect();
        assert!(names.is_sorted_by(|a, b| a > b));
    }
    for tuple in protocol.tuples() {
        let i = task.queries.binary_search(&tuple.query).expect("a query of the task");
        assert!(task.grades(i).iter().any(|judged| judged.0 == tuple.better));
        assert!(!task.hidden(i).contains(&tuple.worse) && task.grades(i).iter().all(|judged| judged.0 != tuple.worse));
    }
    let other_seed = ProtocolParams { seed: 1, ..params(7, 10) };
    assert_ne!(Protocol::of_task(&task, &dataset, &other_seed).expect("a protocol").questions, protocol.questions);
}

#[test]
fn the_choice_does_not_depend_on_the_order_of_the_data() {
    let dataset = linked(60);
    let mut reversed = Dataset::default();
    for document in dataset.documents.iter().rev() {
        reversed.document_ids.insert(&document.id).expect("few ids");
        reversed.documents.push(document.clone());
    }
    reversed.links = dataset.links.iter().map(|&(from, to)| (59 - from, 59 - to)).collect();
    let names = |dataset: &Dataset| {
        let task = dataset.task(Split::Test, &SplitRule::default()).expect("a task");
        let protocol = Protocol::of_task(&task, dataset, &params(5, 8)).expect("a protocol");
        let name = |row: &u32| dataset.document_ids.name(*row).to_string();
        let named = |q: &Question| (q.name.clone(), q.candidates.iter().map(name).collect::<Vec<_>>());
        protocol.questions().iter().map(named).collect::<Vec<_>>()
    };
    assert_eq!(names(&dataset), names(&reversed));
}

#[test]
fn judged_documents_alone_can_be_candidates() {
    let dataset = linked(20);
    let judgment = |query, document, grade| Judgment { query, document, grade };
    let judgments = vec![judgment(0, 3, 1), judgment(0, 5, 0), judgment(0, 9, 0), judgment(1, 2, 0)];
    let task = Task::of_judgments(judgments, (0..20).collect(), true);
    let params = ProtocolParams { n_tuples: 50, candidates: Candidates::Judged, ..ProtocolParams::default() };
    let protocol = Protocol::of_task(&task, &dataset, &params).expect("a protocol");
    assert_eq!(protocol.questions().len(), 1, "a query without relevant documents is not asked");
    assert_eq!(protocol.questions()[0].candidates, [9, 5, 3]);
    assert!(protocol.tuples().iter().all(|t| t.better == 3 && [5, 9].contains(&t.worse)));
    // A closure that puts document 5 first and ties 3 with 9.
    let scorer = |_: u32, rows: &[u32]| Ok(rows.iter().map(|&row| if row == 5 { 2.0 } else { 1.0 }).collect());
    let measured = protocol.measure(&scorer, &Threads::default()).expect("figures");
    assert_eq!((measured.rank_loss, measured.figures()["map"]), (1.0, 1.0 / 3.0));
}

#[test]
fn bad_scores_and_bad_tasks_are_refused() {
    let dataset = linked(20);
    let task = dataset.task(Split::Train, &SplitRule::default()).expect("a task");
    let protocol = Protocol::of_task(&task, &dataset, &params(5, 5)).expect("a protocol");
    let threads = Threads::default();
    let nan = |_: u32, rows: &[u32]| Ok(vec![f32::NAN; rows.len()]);
    assert!(protocol.measure(&nan, &threads).is_err());
    let short = |_: u32, _: &[u32]| Ok(vec![1.0]);
    assert!(protocol.measure(&short, &threads).is_err());
    let none = ProtocolParams { n_tuples: 0, ..params(5, 5) };
    let none = Protocol::of_task(&task, &dataset, &none).expect("a protocol");
    let zero = |_: u32, rows: &[u32]| Ok(vec![0.0; rows.len()]);
    assert!(none.measure(&zero, &threads).is_err());
    assert_eq!(protocol.measure(&zero, &threads).expect("figures").rank_loss, 1.0, "ties are wrong");
    let irrelevant = Task::of_judgments(vec![Judgment { query: 0, document: 1, grade: 0 }], vec![0, 1], true);
    assert!(Protocol::of_task(&irrelevant, &dataset, &params(5, 5)).is_err());
}

#[test]
fn a_document_without_known_words_scores_nothing() {
    let rows = |rows: &[&[u32]]| {
        let mut matrix = Csr::empty(2);
        for row in rows {
            let vector = SparseVec::try_new(row.to_vec(), vec![1.0; row.len()]).expect("sorted");
            matrix.push(vector.view()).expect("two columns");
        }
        Arc::new(matrix)
    };
    let vectors = Vectors { queries: rows(&[&[0], &[]]), documents: rows(&[&[0], &[], &[1]]) };
    let matrix = Matrix::identity(2).expect("two words");
    let scorer = MatrixScorer::try_new(&matrix, &vectors).expect("they fit");
    assert_eq!(scorer.scores(0, &[0, 1, 2]).expect("scores"), [1.0, 0.0, 0.0]);
    assert_eq!(scorer.scores(1, &[2, 0]).expect("scores"), [0.0, 0.0]);
}
