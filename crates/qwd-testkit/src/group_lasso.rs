//! The group lasso over sets of rows, with a proximal step on all of W after every T steps.

use crate::bilinear::Rows;
use crate::tuples::{Course, Judge, Tuple, each_product};

/// What the algorithm is given besides W and the tuples.
pub struct Settings<'a> {
    /// η₁, η₂, …: at least one for every tuple.
    pub rates: &'a [f64],
    /// λ.
    pub group_l1: f64,
    /// T.
    pub shrink_every: usize,
    /// The margin.
    pub margin: f64,
    /// The rows of each group; a group comes after all groups inside it.
    pub groups: &'a [Vec<usize>],
}

/// Minimises the mean margin rank loss + λ Σ_g √|g| ‖W_g‖ by SGD and proximal steps.
pub fn group_lasso(start: Rows, tuples: &[Tuple], settings: &Settings<'_>) -> Course {
    let mut w = start;
    let mut judge = Judge::new(settings.margin);
    for (i, tuple) in tuples.iter().enumerate() {
        if judge.misses(i, tuple, &w) {
            let eta = settings.rates[i] * tuple.weight;
            each_product(tuple, |s, t, product| w[s][t] += eta * product);
        }
        let t = i + 1;
        if t % settings.shrink_every == 0 {
            let sum: f64 = settings.rates[t - settings.shrink_every..t].iter().sum();
            proximal(&mut w, settings.groups, settings.group_l1 * sum);
        }
    }
    judge.course(w)
}

/// The proximal step of τ Σ_g √|g| ‖W_g‖ for nested or separate groups, from the inner to the outer ones.
pub fn proximal(w: &mut Rows, groups: &[Vec<usize>], tau: f64) {
    for group in groups {
        let n_entries: usize = group.iter().map(|&s| w[s].len()).sum();
        let threshold = tau * (n_entries as f64).sqrt();
        let norm = norm_of(w, group);
        let factor = if norm > threshold { 1.0 - threshold / norm } else { 0.0 };
        for &s in group {
            w[s].iter_mut().for_each(|x| *x *= factor);
        }
    }
}

/// ½‖X − V‖² + τ Σ_g √|g| ‖X_g‖.
pub fn objective(x: &Rows, v: &Rows, groups: &[Vec<usize>], tau: f64) -> f64 {
    let square = |(a, b): (&f64, &f64)| (a - b).powi(2);
    let distance: f64 = x.iter().flatten().zip(v.iter().flatten()).map(square).sum();
    let penalty: f64 = groups.iter().map(|group| weight_of(x, group, tau) * norm_of(x, group)).sum();
    0.5 * distance + penalty
}

/// The minimiser of [`objective`] for any groups, by an argument that knows nothing of proximal steps: each norm is
/// replaced by the parabola that touches it from above at the present X, whose minimum is the next X, again and again.
pub fn minimise_slowly(v: &Rows, groups: &[Vec<usize>], tau: f64) -> Rows {
    let mut x = v.clone();
    for _ in 0..5_000 {
        let mut curvature = vec![1.0; v.len()];
        for group in groups {
            let norm = norm_of(&x, group).max(1e-12);
            group.iter().for_each(|&s| curvature[s] += weight_of(v, group, tau) / norm);
        }
        for ((row, given), c) in x.iter_mut().zip(v).zip(&curvature) {
            row.iter_mut().zip(given).for_each(|(x, v)| *x = v / c);
        }
    }
    x
}

fn weight_of(w: &Rows, group: &[usize], tau: f64) -> f64 {
    tau * (group.iter().map(|&s| w[s].len()).sum::<usize>() as f64).sqrt()
}

fn norm_of(w: &Rows, group: &[usize]) -> f64 {
    group.iter().flat_map(|&s| &w[s]).map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Dice;

    #[test]
    fn the_proximal_step_is_the_minimiser() {
        let groups = [vec![0], vec![1], vec![2], vec![3], vec![0, 1], vec![0, 1, 2]];
        for seed in 0..40 {
            let mut dice = Dice::new(seed);
            let v: Rows = (0..4).map(|_| (0..2).map(|_| dice.signed()).collect()).collect();
            let tau = 0.3 * dice.unit();
            let slow = minimise_slowly(&v, &groups, tau);
            let mut fast = v.clone();
            proximal(&mut fast, &groups, tau);
            let apart =
                fast.iter().flatten().zip(slow.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-3, "seed {seed}: {fast:?} {slow:?}");
            assert!(objective(&fast, &v, &groups, tau) <= objective(&slow, &v, &groups, tau) + 1e-9, "seed {seed}");
        }
    }
}
