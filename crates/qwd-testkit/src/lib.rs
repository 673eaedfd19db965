//! What qwd's tests share: the dense oracle on plain `Vec<f64>`, generators and failing files.
//!
//! Everything here is slow and obvious on purpose: it is what fast code is compared with. It depends on no other crate
//! of qwd, so it cannot inherit their mistakes.

pub mod bilinear;
pub mod disk;

/// A sparse vector written out.
pub fn dense(indices: &[u32], values: &[f32], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (&i, &v) in indices.iter().zip(values) {
        out[i as usize] += f64::from(v);
    }
    out
}
