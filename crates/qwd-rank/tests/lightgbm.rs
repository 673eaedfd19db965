//! LightGBM's text models: written, read again, and refused where they hold what is not read.

use qwd_core::{Rng, Silent, Threads};
use qwd_rank::lightgbm::{from_text, to_text};
use qwd_rank::{FeatureSet, Method, Ranker, Trees};
use serde_json::json;
use std::path::Path;

fn set() -> FeatureSet {
    let mut rng = Rng::new(1);
    let columns: Vec<Vec<f32>> = (0..3).map(|_| (0..200).map(|_| rng.unit() as f32).collect()).collect();
    let grades = (0..200).map(|i| i32::from(columns[0][i] + columns[1][i] > 1.0)).collect();
    FeatureSet::from_parts(columns, grades, (0..10).map(|q| (q.to_string(), 20)).collect()).expect("fits")
}

fn trees(name: &str) -> Trees {
    let method = Method::from_json(name, json!({ "trees": 5, "leaves": 4 })).expect("a method");
    match method.train(&set(), None, &Threads::default(), &Silent).expect("trains") {
        Ranker::Trees(trees) => trees,
        Ranker::Linear(_) | Ranker::Blend(_) => panic!("not trees"),
    }
}

#[test]
fn what_is_written_is_read_again_bit_for_bit() {
    for name in ["lambdamart", "mart"] {
        let trees = trees(name);
        assert_eq!(from_text(&to_text(&trees), Path::new("m.txt")).expect("reads"), trees);
    }
}

#[test]
fn sizes_of_the_blocks_are_those_that_are_announced() {
    let text = to_text(&trees("lambdamart"));
    let sizes = text.lines().find_map(|line| line.strip_prefix("tree_sizes=")).expect("sizes");
    let mut rest = &text[text.find("Tree=0").expect("a tree")..];
    for (at, size) in sizes.split(' ').enumerate() {
        assert!(rest.starts_with(&format!("Tree={at}\n")));
        rest = &rest[size.parse::<usize>().expect("a number")..];
    }
    assert!(rest.starts_with("end of trees"));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let good = to_text(&trees("lambdamart"));
    let path = Path::new("m.txt");
    for (from, to, what) in [
        ("tree\n", "forest\n", "m.txt:1"),
        ("num_cat=0", "num_cat=1", "categorical"),
        ("is_linear=0", "is_linear=1", "linear leaves"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=3", "several classes"),
        ("left_child=", "left_child=0 ", "left_child"),
        ("split_feature=", "split_feature=x", "split_feature"),
        ("end of trees", "end of file", "cut short"),
        ("max_feature_idx=2", "max_feature_idx=0", "cannot be"),
    ] {
        let error = from_text(&good.replacen(from, to, 1), path).expect_err(to);
        assert!(error.to_string().contains(what), "{error}");
    }
    for cut in (0..good.len() - 300).step_by(97) {
        assert!(from_text(&good[..cut], path).is_err(), "cut at {cut}");
    }
}

#[test]
fn zero_as_missing_goes_where_the_model_says() {
    let text = "tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\n\nTree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\nthreshold=-1\n\
        decision_type=6\nleft_child=-1\nright_child=-2\nleaf_value=1 2\nleaf_weight=1 1\nleaf_count=1 1\nshrinkage=1\n\n\nend of trees\n";
    let trees = from_text(text, Path::new("m.txt")).expect("reads");
    assert_eq!([-2.0, 0.0, 3.0].map(|x| trees.score(&[x])), [1.0, 1.0, 2.0]);
}
