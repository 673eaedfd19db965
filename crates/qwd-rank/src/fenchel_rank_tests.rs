//! FenchelRank against its paper: a slow twin with a written K, the conjugates, the bounds.

use super::*;
use crate::frank_wolfe::inner;
use proptest::prelude::*;
use qwd_core::{Rng, Silent};

/// A random problem with features in [0, 1].
pub(crate) fn problem(seed: u64, n_queries: usize, per_query: usize, m: usize) -> FeatureSet {
    let mut rng = Rng::new(seed);
    let n = n_queries * per_query;
    let columns: Vec<Vec<f32>> = (0..m).map(|_| (0..n).map(|_| rng.unit() as f32).collect()).collect();
    let grade = |i: usize, rng: &mut Rng| {
        let signal = columns[0][i] + 0.5 * columns[1 % m][i] - 0.5 * columns[2 % m][i] + 0.4 * rng.unit() as f32;
        i32::from(signal > 0.6) + i32::from(signal > 0.9)
    };
    let grades = (0..n).map(|i| grade(i, &mut rng)).collect();
    FeatureSet::from_parts(columns, grades, (0..n_queries).map(|q| (q.to_string(), per_query)).collect()).expect("fits")
}

/// K, row by row.
fn pair_matrix(set: &FeatureSet) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for query in set.queries() {
        for i in query.clone() {
            for j in query.clone().filter(|&j| set.grades()[i] > set.grades()[j]) {
                rows.push(
                    (0..set.n_features()).map(|f| f64::from(set.column(f)[i]) - f64::from(set.column(f)[j])).collect(),
                );
            }
        }
    }
    rows
}

fn times(k: &[Vec<f64>], w: &[f64]) -> Vec<f64> {
    k.iter().map(|row| inner(row, w)).collect()
}

fn objective(k: &[Vec<f64>], w: &[f64], r: f64) -> f64 {
    times(k, w).iter().map(|kw| (1.0 / r - kw).max(0.0).powi(2)).sum::<f64>() * r * r / k.len() as f64
}

/// Algorithm 1 as it is printed, with every pair and every piece of the line search.
fn slow_fenchel_rank(k: &[Vec<f64>], r: f64, epsilon: f64, t_max: usize) -> Vec<f64> {
    let (p, m) = (k.len() as f64, k[0].len());
    let mut w = vec![0.0; m];
    for _ in 0..t_max {
        let kw = times(k, &w);
        let d: Vec<f64> = kw.iter().map(|x| 2.0 * r * r / p * (1.0 / r - x).max(0.0)).collect();
        let g: Vec<f64> = (0..m).map(|j| k.iter().zip(&d).map(|(row, d)| row[j] * d).sum()).collect();
        let j = (0..m).rev().max_by(|&a, &b| g[a].abs().total_cmp(&g[b].abs())).expect("features");
        if g[j].abs() - inner(&d, &kw) <= epsilon {
            break;
        }
        let sign = if g[j] >= 0.0 { 1.0 } else { -1.0 };
        let b: Vec<f64> = w.iter().enumerate().map(|(i, w)| if i == j { sign - w } else { -w }).collect();
        let kb = times(k, &b);
        let phi = |mu: f64| kw.iter().zip(&kb).map(|(kw, kb)| (1.0 / r - kw - mu * kb).max(0.0).powi(2)).sum::<f64>();
        let mut ends: Vec<f64> =
            kw.iter().zip(&kb).map(|(kw, kb)| (1.0 / r - kw) / kb).filter(|c| (0.0..=1.0).contains(c)).collect();
        ends.extend([0.0, 1.0]);
        ends.sort_by(f64::total_cmp);
        let mut best = (phi(0.0), 0.0);
        for piece in ends.windows(2) {
            let middle = 0.5 * (piece[0] + piece[1]);
            let active = kw.iter().zip(&kb).filter(|(kw, kb)| 1.0 / r - *kw - middle * *kb > 0.0);
            let (top, bottom) = active.fold((0.0, 0.0), |(t, b), (kw, kb)| (t + (1.0 / r - kw) * kb, b + kb * kb));
            let mu = if bottom > 0.0 { (top / bottom).clamp(piece[0], piece[1]) } else { middle };
            if phi(mu) < best.0 {
                best = (phi(mu), mu);
            }
        }
        w.iter_mut().zip(&b).for_each(|(w, b)| *w += best.1 * b);
    }
    w
}

fn fit(set: &FeatureSet, params: FenchelRankParams) -> Fit {
    params.build().expect("good").fit(set, &Threads::default(), &Silent).expect("trains")
}

fn weights(fit: &Fit) -> Vec<f64> {
    match &fit.ranker {
        Ranker::Linear(linear) => linear.weights().iter().map(|w| w / fit.radius).collect(),
        Ranker::Trees(_) | Ranker::Blend(_) => panic!("FenchelRank is linear"),
    }
}

/// The least objective, from a long run of the fastest variant.
fn best(set: &FeatureSet, r: f64) -> f64 {
    let long = FenchelRankParams {
        radius: r,
        tolerance: 1e-9,
        max_iterations: 20_000,
        direction: Direction::Pairwise,
        ..Default::default()
    };
    let fit = fit(set, long);
    let end = fit.trace.last().expect("a point");
    assert!(end.gap < 1e-4, "gap {}", end.gap);
    end.objective - end.gap
}

#[test]
fn it_is_algorithm_1() {
    for seed in 0..5 {
        let set = problem(seed, 6, 9, 5);
        let k = pair_matrix(&set);
        for r in [0.5, 2.0, 16.0] {
            let slow = slow_fenchel_rank(&k, r, 0.001, 40);
            let fast = fit(&set, FenchelRankParams { radius: r, max_iterations: 40, ..Default::default() });
            let (a, b) = (objective(&k, &slow, r), fast.trace.last().expect("a point").objective);
            assert!((a - b).abs() < 1e-5, "seed {seed}, r {r}: {a} and {b}");
            let apart = slow.iter().zip(weights(&fast)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-3, "seed {seed}, r {r}: weights {apart} apart");
        }
    }
}

#[test]
fn the_objective_falls_and_the_gap_bounds_what_is_left() {
    for (seed, r) in [(1, 1.0), (2, 4.0), (3, 16.0)] {
        let set = problem(seed, 10, 12, 8);
        let least = best(&set, r);
        for step in [StepRule::Exact, StepRule::Bound] {
            for direction in [Direction::Towards, Direction::Away, Direction::Pairwise] {
                let fit = fit(
                    &set,
                    FenchelRankParams {
                        radius: r,
                        tolerance: 1e-4,
                        max_iterations: 300,
                        step,
                        direction,
                        ..Default::default()
                    },
                );
                for pair in fit.trace.windows(2) {
                    assert!(pair[1].objective <= pair[0].objective + 1e-12, "{step:?} {direction:?}");
                }
                for (t, point) in (1u32..).zip(&fit.trace) {
                    // Theorem 2, and Theorem 1's bound 16r²/(t+1) on Algorithm 1.
                    let left = point.objective - least;
                    assert!(left <= point.gap + 1e-4, "{left} left, gap {}", point.gap);
                    let bound = 16.0 * r * r / f64::from(t + 1);
                    assert!(direction != Direction::Towards || left <= bound + 1e-9);
                }
                let norm: f64 = weights(&fit).iter().map(|w| w.abs()).sum();
                assert!(norm <= 1.0 + 1e-9);
            }
        }
    }
}

proptest! {
    /// Lemma 3: f and g are the conjugates of f* and g* (compared with a grid).
    #[test]
    fn conjugates(d in 0.0f64..3.0, r in 0.5f64..4.0, p in 1.0f64..20.0, v in proptest::collection::vec(-2.0f64..2.0, 1..6)) {
        let conjugate = |x: f64| r * r / p * (1.0 / r + x).max(0.0).powi(2);
        let f = p / (4.0 * r * r) * d * d - d / r;
        let reach = p * d / (2.0 * r * r) + 2.0 / r;
        let grid = (0..=40_000).map(|i| -reach + 2.0 * reach * f64::from(i) / 40_000.0);
        let highest = grid.map(|x| d * x - conjugate(x)).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(highest <= f + 1e-9 && highest >= f - 1e-3 * (1.0 + f.abs()), "{} and {}", highest, f);
        // The maximum of ⟨v, w⟩ over the ball is at a corner.
        let corners = v.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let mut rng = Rng::new(1);
        for _ in 0..50 {
            let w: Vec<f64> = v.iter().map(|_| rng.normal()).collect();
            let norm: f64 = w.iter().map(|x| x.abs()).sum();
            prop_assert!(inner(&v, &w) / norm <= corners + 1e-12);
        }
    }
}

#[test]
fn other_directions_reach_the_gap_in_fewer_passes() {
    let set = problem(4, 20, 15, 12);
    let passes = |direction| {
        let fit = fit(
            &set,
            FenchelRankParams { radius: 8.0, tolerance: 1e-4, max_iterations: 5000, direction, ..Default::default() },
        );
        fit.trace.len()
    };
    let (plain, away, pairwise) = (passes(Direction::Towards), passes(Direction::Away), passes(Direction::Pairwise));
    assert!(away < plain && pairwise < plain, "{plain}, {away}, {pairwise}");
}

#[test]
fn a_path_agrees_with_single_fits_and_takes_fewer_steps() {
    let set = problem(5, 20, 15, 12);
    let base = FenchelRankParams {
        tolerance: 1e-3,
        max_iterations: 5000,
        direction: Direction::Pairwise,
        ..Default::default()
    };
    let radii = [1.0, 2.0, 4.0, 8.0, 16.0];
    let path = base.clone().build().expect("good").path(&set, &radii, &Threads::default(), &Silent).expect("trains");
    let (mut together, mut alone) = (0, 0);
    for fit_of_path in &path {
        let single = fit(&set, FenchelRankParams { radius: fit_of_path.radius, ..base.clone() });
        let (a, b) = (fit_of_path.trace.last().expect("a point"), single.trace.last().expect("a point"));
        assert!((a.objective - b.objective).abs() <= 1e-3 && a.gap <= 1e-3 && b.gap <= 1e-3);
        together += fit_of_path.trace.len();
        alone += single.trace.len();
    }
    assert!(together < alone, "{together} and {alone}");
}

#[test]
fn a_ridge_shortens_the_weights() {
    let set = problem(6, 10, 10, 6);
    let length = |l2| {
        let fit = fit(
            &set,
            FenchelRankParams {
                radius: 8.0,
                tolerance: 1e-6,
                max_iterations: 3000,
                l2,
                direction: Direction::Away,
                ..Default::default()
            },
        );
        assert!(fit.trace.last().expect("a point").gap <= 1e-4);
        weights(&fit).iter().map(|w| w * w).sum::<f64>()
    };
    assert!(length(1.0) < length(0.01) && length(0.01) < length(0.0));
}
