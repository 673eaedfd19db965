//! What qwd's tests share: the dense oracle on plain `Vec<f64>`, generators and failing files.
//!
//! | module | question it answers |
//! |---|---|
//! | [`bilinear`] | what is qᵀWd? |
//! | [`random`], [`tuples`] | what is there to learn from, and what is the loss of a tuple? |
//! | [`sparse_sgd`], [`adagrad`], [`ftrl`], [`group_lasso`], [`low_rank`], [`rmls`] | what does each algorithm do, step by step, sweeping all of W? |
//! | [`ibm_model1`] | how do words translate, with every pair of words in a full table? |
//! | [`disk`] | what if a write fails? |
//!
//! Everything here is slow and obvious on purpose: it is what fast code is compared with. It depends on no other crate
//! of qwd, so it cannot inherit their mistakes.

pub mod adagrad;
pub mod bilinear;
pub mod disk;
pub mod ftrl;
pub mod group_lasso;
pub mod ibm_model1;
pub mod low_rank;
pub mod random;
pub mod rmls;
pub mod sparse_sgd;
pub mod tuples;

/// A sparse vector written out.
pub fn dense(indices: &[u32], values: &[f32], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (&i, &v) in indices.iter().zip(values) {
        out[i as usize] += f64::from(v);
    }
    out
}

/// How often a test tries: `QWD_ROUNDS` where that is more than its own number.
pub fn rounds(at_least: u32) -> u32 {
    let asked = std::env::var("QWD_ROUNDS").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(0).max(at_least)
}
