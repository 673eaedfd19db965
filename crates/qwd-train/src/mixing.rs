//! Iterative parameter mixing (McDonald, Hall and Mann, 2010): the average of models that were trained from one start, each on
//! its part of the tuples.
//!
//! Numbers are added in the order of the models, in `f64`, and weighed by their tuples, so that the same models give the
//! same bytes. Of a low-rank W, U, V, the diagonal and the sums of squares that rates fall with are averaged, each by
//! itself: models that start alike stay near each other within a round. Cost: one pass over all models.

use qwd_core::{Csr, Error, Result, SparseVec};
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, Model, TrainingState};

/// The average of models of one form and size; `n_tuples` says what each was trained on.
pub fn mix(models: &[Model], n_tuples: &[u64]) -> Result<Model> {
    let total: u64 = n_tuples.iter().sum();
    if models.is_empty() || models.len() != n_tuples.len() || total == 0 {
        let what = format!("{} models of {total} tuples to mix", models.len());
        return Err(Error::bad_data(what, "give a number of tuples for every model, not all 0"));
    }
    let shares: Vec<f64> = n_tuples.iter().map(|&n| n as f64 / total as f64).collect();
    let matrices: Vec<&Matrix> = models.iter().map(Model::matrix).collect();
    let matrix = match matrices[0] {
        Matrix::Sparse(_) => Matrix::sparse(mean_rows(&matrices, &shares)?)?,
        Matrix::LowRank(_) => Matrix::low_rank(mean_parts(&matrices, &shares)?)?,
        other => return Err(misfit(format!("a W of the form {}", other.name()))),
    };
    let mut provenance = models[0].provenance().clone();
    provenance.n_tuples = total;
    let mixed = Model::new(matrix, provenance);
    let states: Option<Vec<&TrainingState>> = models.iter().map(Model::state).collect();
    match states.filter(|states| states.iter().all(|state| state.lazy_weights.is_none())) {
        Some(states) => mixed.with_state(mean_state(&states, &shares)?),
        None => Ok(mixed),
    }
}

fn misfit(what: String) -> Error {
    Error::bad_data(what, "mix sparse or low-rank models that were trained from one start")
}

fn mean_rows(matrices: &[&Matrix], shares: &[f64]) -> Result<Csr> {
    let mut parts = Vec::new();
    for matrix in matrices {
        match matrix {
            Matrix::Sparse(sparse) => parts.push(sparse.csr()),
            other => return Err(misfit(format!("a W of the form {} beside sparse ones", other.name()))),
        }
    }
    let (n_rows, n_cols) = (parts[0].n_rows(), parts[0].n_cols());
    if parts.iter().any(|part| (part.n_rows(), part.n_cols()) != (n_rows, n_cols)) {
        return Err(misfit("sparse W of several sizes".to_string()));
    }
    let mut sums = vec![0.0f64; n_cols as usize];
    let mut mean = Csr::with_capacity(n_cols, n_rows, parts[0].nnz());
    for i in 0..n_rows {
        let mut met = Vec::new();
        for (part, share) in parts.iter().zip(shares) {
            for (j, x) in part.row(i).iter() {
                sums[j as usize] += share * f64::from(x);
                met.push(j);
            }
        }
        met.sort_unstable();
        met.dedup();
        let row = met.into_iter().map(|j| (j, std::mem::take(&mut sums[j as usize]) as f32)).collect();
        mean.push(SparseVec::from_pairs(row)?.view())?;
    }
    Ok(mean)
}

fn mean_parts(matrices: &[&Matrix], shares: &[f64]) -> Result<LowRankParts> {
    let mut parts = Vec::new();
    for matrix in matrices {
        match matrix {
            Matrix::LowRank(low_rank) => parts.push(low_rank.parts()),
            other => return Err(misfit(format!("a W of the form {} beside low-rank ones", other.name()))),
        }
    }
    let size = |p: &LowRankParts| (p.n_rows, p.n_cols, p.rank, p.v.is_some());
    if parts.iter().any(|p| size(p) != size(parts[0])) {
        return Err(misfit("low-rank W of several sizes".to_string()));
    }
    let diagonals: Vec<&LowRankDiagonal> = parts.iter().map(|p| &p.diagonal).collect();
    Ok(LowRankParts {
        u: mean(parts.iter().map(|p| p.u.as_slice()), shares)?,
        v: match parts[0].v {
            Some(_) => Some(mean(parts.iter().map(|p| p.v.as_deref().unwrap_or_default()), shares)?),
            None => None,
        },
        diagonal: mean_diagonal(&diagonals, shares)?,
        ..*parts[0]
    })
}

fn mean_diagonal(diagonals: &[&LowRankDiagonal], shares: &[f64]) -> Result<LowRankDiagonal> {
    let numbers: Vec<&[f32]> = diagonals
        .iter()
        .map(|diagonal| match diagonal {
            LowRankDiagonal::None => &[],
            LowRankDiagonal::Scaled(weight) => std::slice::from_ref(weight),
            LowRankDiagonal::Weights(weights) => weights.as_slice(),
        })
        .collect();
    let mean = mean(numbers.into_iter(), shares)?;
    Ok(match diagonals[0] {
        LowRankDiagonal::None => LowRankDiagonal::None,
        LowRankDiagonal::Scaled(_) => LowRankDiagonal::Scaled(mean[0]),
        LowRankDiagonal::Weights(_) => LowRankDiagonal::Weights(mean),
    })
}

fn mean_state(states: &[&TrainingState], shares: &[f64]) -> Result<TrainingState> {
    let mut mixed = states[0].clone();
    for (name, values) in &mut mixed.vectors {
        let others = states.iter().map(|state| state.vectors.get(name).map(Vec::as_slice).unwrap_or_default());
        *values = mean(others, shares)?;
    }
    mixed.step = states.iter().map(|state| state.step).max().unwrap_or_default();
    Ok(mixed)
}

fn mean<'a>(parts: impl Iterator<Item = &'a [f32]>, shares: &[f64]) -> Result<Vec<f32>> {
    let mut sums: Option<Vec<f64>> = None;
    for (part, share) in parts.zip(shares) {
        let sums = sums.get_or_insert_with(|| vec![0.0; part.len()]);
        if sums.len() != part.len() {
            return Err(misfit(format!("{} numbers beside {}", part.len(), sums.len())));
        }
        sums.iter_mut().zip(part).for_each(|(sum, &x)| *sum += share * f64::from(x));
    }
    Ok(sums.unwrap_or_default().into_iter().map(|x| x as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_model::Provenance;

    fn sparse(entries: &[&[(u32, f32)]]) -> Model {
        let mut rows = Csr::empty(3);
        for row in entries {
            rows.push(SparseVec::from_pairs(row.to_vec()).expect("finite").view()).expect("in range");
        }
        Model::new(Matrix::sparse(rows).expect("small"), Provenance::new("test"))
    }

    fn low_rank(u: [f32; 2], weight: f32, squares: f32) -> Model {
        let diagonal = LowRankDiagonal::Scaled(weight);
        let parts = LowRankParts { n_rows: 2, n_cols: 2, rank: 1, u: u.to_vec(), v: Some(vec![1.0, 0.0]), diagonal };
        let vectors = [("u_squares".to_string(), vec![squares, 0.0])].into();
        let state = TrainingState { step: squares as u64, vectors, ..TrainingState::default() };
        let model = Model::new(Matrix::low_rank(parts).expect("sound"), Provenance::new("test"));
        model.with_state(state).expect("sound")
    }

    #[test]
    fn sparse_models_are_averaged_by_their_tuples() {
        let (a, b) = (sparse(&[&[(0, 4.0), (2, 1.0)], &[]]), sparse(&[&[(0, 8.0), (1, 2.0)], &[(1, 4.0)]]));
        let mixed = mix(&[a, b], &[3, 1]).expect("mixed");
        let expected = sparse(&[&[(0, 5.0), (1, 0.5), (2, 0.75)], &[(1, 1.0)]]);
        assert_eq!(mixed.matrix(), expected.matrix());
        assert_eq!(mixed.provenance().n_tuples, 4);
    }

    #[test]
    fn low_rank_models_are_averaged_with_their_state() {
        let mixed = mix(&[low_rank([2.0, 0.0], 1.0, 4.0), low_rank([0.0, 4.0], 3.0, 8.0)], &[1, 1]).expect("mixed");
        assert_eq!(mixed.matrix(), low_rank([1.0, 2.0], 2.0, 0.0).matrix());
        let state = mixed.state().expect("kept");
        assert_eq!((state.step, &state.vectors["u_squares"]), (8, &vec![6.0, 0.0]));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let message = |models: &[Model], n: &[u64]| mix(models, n).expect_err("refused").to_string();
        let one = || sparse(&[&[(0, 1.0)]]);
        assert!(message(&[], &[]).contains("0 models"));
        assert!(message(&[one()], &[0]).contains("of 0 tuples"));
        assert!(message(&[one(), sparse(&[&[], &[]])], &[1, 1]).contains("several sizes"));
        assert!(message(&[one(), low_rank([0.0; 2], 1.0, 1.0)], &[1, 1]).contains("beside sparse ones"));
        let identity = Model::new(Matrix::identity(2).expect("small"), Provenance::new("test"));
        assert!(message(&[identity], &[1]).contains("of the form identity"));
    }
}
