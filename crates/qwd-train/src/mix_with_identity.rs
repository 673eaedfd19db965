//! A W that was learned without looking at single words, mixed with I: αW + (1 − α)I, as αLSI + (1 − α)TFIDF of the
//! supervised semantic indexing paper.

use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::Start;
use qwd_core::{Error, Result, SparseVec};
use qwd_model::{LowRankDiagonal, Matrix};

/// Steps in which a share is chosen.
const STEPS: usize = 20;

/// The learned W alone if training starts from 0; mixed with I if it starts from there, in the given share or in the one
/// at which the fewest training tuples come out the wrong way round, but at least `least_share`.
pub(crate) fn mix_with_identity(
    learned: Matrix,
    share: Option<f64>,
    least_share: f64,
    problem: &Problem<'_>,
    start: Start<'_>,
    session: &Session<'_>,
) -> Result<Matrix> {
    match start {
        Start::Zero => Ok(learned),
        Start::Identity if learned.n_rows() == learned.n_cols() => {
            let share = match share {
                Some(share) => share,
                None => best_share(&learned, problem, session)?.max(least_share),
            };
            mixed(learned, share)
        }
        Start::Identity => {
            let (n_rows, n_cols) = (learned.n_rows(), learned.n_cols());
            let expected = format!("zero: W is rectangular, {n_rows} query words by {n_cols} document words");
            Err(Error::param("start", "identity", expected))
        }
        Start::Matrix(_) | Start::Resume(..) => {
            Err(Error::bad_data("this method goes on from nothing", "start from zero or identity"))
        }
    }
}

fn mixed(learned: Matrix, share: f64) -> Result<Matrix> {
    let n = learned.n_rows();
    match learned {
        Matrix::LowRank(low_rank) => {
            let mut parts = low_rank.into_parts();
            // Where V is U, each takes a root of the share.
            let scale = if parts.v.is_none() { share.sqrt() } else { share } as f32;
            parts.u.iter_mut().for_each(|x| *x *= scale);
            parts.diagonal = LowRankDiagonal::Scaled((1.0 - share) as f32);
            Matrix::low_rank(parts)
        }
        other => Matrix::mixture(vec![(share as f32, other), ((1.0 - share) as f32, Matrix::identity(n)?)]),
    }
}

/// Checks the share of the learned W, where it is given.
pub(crate) fn check_alpha(alpha: Option<f64>) -> Result<()> {
    match alpha.filter(|alpha| !(0.0..=1.0).contains(alpha)) {
        Some(alpha) => Err(Error::param("alpha", alpha, "a share from 0 to 1")),
        None => Ok(()),
    }
}

/// The share of the learned W, in steps of 1/20, at which the fewest tuples are scored the wrong way round or tied; the
/// smallest of equals.
fn best_share(learned: &Matrix, problem: &Problem<'_>, session: &Session<'_>) -> Result<f64> {
    const CHUNK: usize = 1024;
    let tuples = problem.preferences();
    let chunks: Vec<_> = tuples.chunks(CHUNK).collect();
    let wrong_of_chunks = session.threads().map(chunks.len(), |i| {
        let mut wrong = [0u64; STEPS + 1];
        let mut difference = SparseVec::default();
        for tuple in chunks[i] {
            problem.difference(tuple, &mut difference);
            let query = problem.query(tuple);
            let of_learned = learned.score(query, difference.view())?;
            let shared = query.dot(difference.view());
            for (step, wrong) in wrong.iter_mut().enumerate() {
                let alpha = step as f64 / STEPS as f64;
                *wrong += u64::from(alpha * of_learned + (1.0 - alpha) * shared <= 0.0);
            }
        }
        Ok(wrong)
    });
    let mut wrong = [0u64; STEPS + 1];
    for of_chunk in wrong_of_chunks {
        let of_chunk: [u64; STEPS + 1] = of_chunk?;
        wrong.iter_mut().zip(of_chunk).for_each(|(wrong, n)| *wrong += n);
    }
    let best = wrong.iter().enumerate().min_by_key(|&(step, &wrong)| (wrong, step)).map_or(0, |(step, _)| step);
    Ok(best as f64 / STEPS as f64)
}
