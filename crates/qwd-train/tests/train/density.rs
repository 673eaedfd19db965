//! Asked for a density or a number of entries, sparse SGD ends within 10 % of it.

use crate::common::{Data, method, train};
use qwd_testkit::random::{Dice, Plain, Shape};
use qwd_train::Start;
use serde_json::json;

fn shape(n_words: usize, skew: f64, [query_len, document_len]: [usize; 2]) -> Shape {
    let (n_queries, n_tuples) = (500, 20_000);
    let (n_query_words, n_document_words) = (n_words, n_words);
    Shape { n_query_words, n_document_words, n_queries, n_tuples, query_len, document_len, skew, wild: false }
}

/// A planted problem: some hundred words, of which a few go together.
fn planted(seed: u64, shape: &Shape) -> Data {
    let mut dice = Dice::new(seed);
    let n = shape.n_query_words;
    let pairs: Vec<(u32, u32, f32)> =
        (0..10 * n).map(|_| (dice.below(n) as u32, dice.below(n) as u32, dice.signed() as f32)).collect();
    Data::of(Plain::planted(seed, shape, &pairs))
}

#[test]
fn a_wanted_density_is_reached() {
    let sets = [
        ("even words", planted(1, &shape(200, 1.0, [8, 16]))),
        ("few frequent words", planted(2, &shape(300, 2.5, [10, 30]))),
        ("by chance", Data::random(3, &shape(250, 1.5, [6, 12]))),
    ];
    let mut misses = Vec::new();
    for (name, data) in &sets {
        for wanted in [0.01, 0.03, 0.1, 0.3] {
            for learning_rate in [2.0, 200.0] {
                let sparse = method("sparse-sgd", json!({ "learning_rate": learning_rate, "density": wanted }));
                let density = train(&sparse, &data.problem(), Start::Identity).expect("trains").matrix.density();
                if (density / wanted - 1.0).abs() > 0.1 {
                    misses.push(format!("{name}, C = {learning_rate}: wanted {wanted}, got {density}"));
                }
            }
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn a_wanted_number_of_entries_is_reached() {
    let data = planted(4, &shape(200, 1.5, [8, 16]));
    for wanted in [300, 2000, 10_000] {
        let sparse = method("sparse-sgd", json!({ "learning_rate": 50.0, "entries": wanted }));
        let matrix = train(&sparse, &data.problem(), Start::Identity).expect("trains").matrix;
        let n_entries = matrix.density() * (200.0 * 200.0);
        assert!((n_entries / f64::from(wanted) - 1.0).abs() < 0.1, "wanted {wanted}, got {n_entries}");
    }
}

/// More than there is to learn cannot be had, and is no error.
#[test]
fn a_density_beyond_the_data_takes_all_there_is() {
    let data = Data::random(5, &Shape { n_tuples: 50, ..shape(100, 1.0, [3, 3]) });
    let all = train(&method("sgd", json!({ "learning_rate": 2.0 })), &data.problem(), Start::Identity);
    let all = all.expect("trains").matrix.density();
    for params in
        [json!({ "learning_rate": 2.0, "density": 1.0 }), json!({ "learning_rate": 2.0, "entries": 1u64 << 60 })]
    {
        let density = train(&method("sparse-sgd", params), &data.problem(), Start::Identity).expect("trains");
        assert!((density.matrix.density() / all - 1.0).abs() < 0.01);
    }
}
