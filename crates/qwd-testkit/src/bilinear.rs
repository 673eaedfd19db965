//! `qᵀWd` on plain nested vectors: what every form of W is compared with.

/// A matrix written out, by rows.
pub type Rows = Vec<Vec<f64>>;

/// The score of a pair, `Σ q[s] W[s][t] d[t]`.
pub fn score(w: &Rows, q: &[f64], d: &[f64]) -> f64 {
    explain(w, q, d).iter().map(|&(_, _, value)| value).sum()
}

/// The expanded query, `qᵀW`; `n_cols` is needed for a matrix without rows.
pub fn expand(w: &Rows, n_cols: usize, q: &[f64]) -> Vec<f64> {
    (0..n_cols).map(|t| q.iter().zip(w).map(|(&x, row)| x * row[t]).sum()).collect()
}

/// What each word pair gives to the score, without the pairs that give nothing.
pub fn explain(w: &Rows, q: &[f64], d: &[f64]) -> Vec<(usize, usize, f64)> {
    let mut out = Vec::new();
    for (s, row) in w.iter().enumerate() {
        for (t, &weight) in row.iter().enumerate() {
            let value = q[s] * weight * d[t];
            if value != 0.0 {
                out.push((s, t, value));
            }
        }
    }
    out
}
