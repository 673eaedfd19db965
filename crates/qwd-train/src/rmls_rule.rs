//! How RMLS chooses the rows of one side, those of the other being fixed: thresholds, lengths, and what to say when every row
//! vanishes.

use crate::cross_product::{Chain, Source};
use crate::latent_rows::LatentRows;
use qwd_core::kernel::shrink;
use qwd_core::{Error, Result, Threads};

/// How the rows of one side are chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// The parameter to name where every row vanishes.
    pub(crate) name: &'static str,
    /// λ/θ, where the absolute sum of a row is bounded.
    pub(crate) ratio: Option<f64>,
    /// β or γ.
    pub(crate) charge: f64,
    /// θ.
    pub(crate) length: f64,
    pub(crate) rank: usize,
}

impl Rule {
    /// Whether most numbers of a row will be there. A bound on the absolute sum leaves about (λ/θ)² of them, up to twice as
    /// many in practice; tables of what is 0 would be written only to be dropped.
    pub(crate) fn expects_dense_rows(self) -> bool {
        self.ratio.is_none_or(|ratio| 4.0 * ratio * ratio > self.rank as f64)
    }

    /// New rows of one side from those of the other, with Σ ω·row and the sum of absolute values.
    pub(crate) fn step(
        self,
        chain: &Chain,
        other: &LatentRows,
        dense: bool,
        threads: &Threads,
    ) -> Result<(LatentRows, [f64; 2])> {
        let source = chain.source(other, threads)?;
        let made = LatentRows::make([chain.n_rows(), self.rank], dense, threads, |i, row| {
            source.add(i, row);
            self.choose(row)
        })?;
        if made.1[1] == 0.0 {
            return Err(self.all_vanish(chain.n_rows(), &source, threads));
        }
        Ok(made)
    }

    /// Turns ω into the best row (equations 5 and 6) and returns ω·row and |row|₁.
    pub(crate) fn choose(self, row: &mut [f32]) -> [f64; 2] {
        let threshold = match self.ratio {
            Some(ratio) => threshold_for(row, ratio),
            None => self.charge as f32,
        };
        let (mut squares, mut sum) = (0.0f64, 0.0f64);
        for x in row.iter_mut() {
            *x = shrink(*x, threshold);
            squares += f64::from(*x) * f64::from(*x);
            sum += f64::from(x.abs());
        }
        if squares == 0.0 {
            row.fill(0.0);
            return [0.0; 2];
        }
        // Equal numbers cannot be told apart by a threshold: then the sum is what bounds them.
        let scale = self.length / squares.sqrt();
        let scale = self.ratio.map_or(scale, |ratio| scale.min(ratio * self.length / sum));
        let mut absolute = 0.0;
        for x in row.iter_mut() {
            *x = (f64::from(*x) * scale) as f32;
            absolute += f64::from(x.abs());
        }
        [scale * (squares + f64::from(threshold) * sum), absolute]
    }

    /// Every row is 0: says what would keep some.
    fn all_vanish(self, n_rows: usize, source: &Source<'_>, threads: &Threads) -> Error {
        const CHUNK: usize = 256;
        let largest = threads.map(n_rows.div_ceil(CHUNK), |chunk| {
            let mut row = vec![0.0f32; self.rank];
            let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(n_rows);
            let largest = rows.map(|i| {
                row.fill(0.0);
                source.add(i, &mut row);
                row.iter().fold(0.0f32, |largest, x| largest.max(x.abs()))
            });
            largest.collect::<Vec<f32>>()
        });
        let mut largest: Vec<f32> = largest.into_iter().flatten().filter(|&x| x > 0.0).collect();
        largest.sort_unstable_by(|a, b| b.total_cmp(a));
        if largest.is_empty() {
            return Error::bad_data(
                "no query with features answers to a document with features, or all look alike",
                "give features to the queries and documents that belong together",
            );
        }
        let keeping = |share: f64| largest[((largest.len() as f64 * share) as usize).min(largest.len() - 1)];
        let expected = format!(
            "less: every word vanishes; {:.3e} would keep a tenth of the {} words that responses touch, {:.3e} half, {:.3e} \
             nine tenths",
            keeping(0.1),
            largest.len(),
            keeping(0.5),
            keeping(0.9)
        );
        Error::param(self.name, self.charge, expected)
    }
}

/// The threshold at which the absolute sum of what is left of a row is `ratio` times its length; 0 where it is not more
/// anyway.
///
/// With k numbers above the threshold t, their sum S and the sum of their squares Q, the condition is a quadratic
/// equation in t, solved by t = (S − ratio·√((kQ − S²)/(k − ratio²)))/k. Which numbers are above is found by drawing the
/// two ends of an interval together, each time over the numbers that are still in question.
pub(crate) fn threshold_for(row: &[f32], ratio: f64) -> f32 {
    let mut numbers: Vec<f32> = row.iter().map(|x| x.abs()).filter(|&x| x > 0.0).collect();
    let add = |of: [f64; 3], x: &f32| [of[0] + 1.0, of[1] + f64::from(*x), of[2] + f64::from(*x) * f64::from(*x)];
    let excess = |[k, s, q]: [f64; 3], t: f64| (s - k * t) - ratio * (q - 2.0 * t * s + k * t * t).max(0.0).sqrt();
    if excess(numbers.iter().fold([0.0; 3], add), 0.0) <= 0.0 {
        return 0.0;
    }
    // Numbers known to be above the threshold; the threshold is in [low, high).
    let mut above = [0.0; 3];
    let largest = numbers.iter().fold(0.0f32, |a, &b| a.max(b));
    // Equal largest numbers may call for a threshold that leaves none of them: something has to be left.
    let narrow = |t: f64| (t as f32).min(largest.next_down());
    let (mut low, mut high) = (0.0f64, f64::from(largest));
    let solve = |[k, s, q]: [f64; 3]| (s - ratio * ((k * q - s * s).max(0.0) / (k - ratio * ratio)).sqrt()) / k;
    let mut undecided = numbers.as_mut_slice();
    while !undecided.is_empty() {
        let active = undecided.iter().fold(above, add);
        let guess = if active[0] > ratio * ratio { solve(active) } else { f64::NAN };
        let t = if guess > low && guess < high { guess } else { 0.5 * (low + high) };
        if !(t > low && t < high) {
            break;
        }
        let n_over = move_to_front(undecided, t);
        let (over, under) = undecided.split_at_mut(n_over);
        if under.is_empty() && guess == t {
            // Nothing lies between: the set of numbers above is the right one.
            return narrow(t);
        }
        let of_over = over.iter().fold(above, add);
        if excess(of_over, t) > 0.0 {
            low = t;
            undecided = over;
        } else {
            high = t;
            above = of_over;
            undecided = under;
        }
    }
    if above[0] > ratio * ratio {
        let t = solve(above);
        if t >= low && t < high {
            return narrow(t);
        }
    }
    narrow(low)
}

/// Moves the numbers above `t` to the front and returns how many there are.
fn move_to_front(numbers: &mut [f32], t: f64) -> usize {
    let mut n = 0;
    for i in 0..numbers.len() {
        if f64::from(numbers[i]) > t {
            numbers.swap(i, n);
            n += 1;
        }
    }
    n
}
