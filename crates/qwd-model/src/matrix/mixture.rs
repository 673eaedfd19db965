//! W = Σ αᵢ Wᵢ: several matchers over the same words, each with a weight.

use super::Matrix;
use super::form::Form;
use qwd_core::SparseView;
use qwd_core::error::{Error, Result};

/// A weighted sum of matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    parts: Vec<(f32, Matrix)>,
}

impl Mixture {
    pub(super) fn try_new(parts: Vec<(f32, Matrix)>) -> Result<Self> {
        let Some((_, first)) = parts.first() else {
            return Err(Error::bad_data("a mixture of nothing", "give at least one matrix"));
        };
        let size = (first.n_rows(), first.n_cols());
        if parts.iter().any(|(_, part)| (part.n_rows(), part.n_cols()) != size) {
            return Err(Error::bad_data("a mixture of matrices of several sizes", "mix matrices over the same words"));
        }
        super::check_finite(&parts.iter().map(|(weight, _)| *weight).collect::<Vec<f32>>())?;
        Ok(Self { parts })
    }

    /// The matrices and their weights α.
    pub fn parts(&self) -> &[(f32, Matrix)] {
        &self.parts
    }

    fn sum(&self, of_part: impl Fn(&dyn Form) -> f64) -> f64 {
        self.parts.iter().map(|(weight, part)| f64::from(*weight) * of_part(part.form())).sum()
    }

    /// Adds up lists of entries, each shown in order of its places.
    fn visit(
        &self,
        n: usize,
        visit_part: impl Fn(&dyn Form, &mut dyn FnMut(u32, f32)),
        visit: &mut dyn FnMut(u32, f32),
    ) {
        let mut sums = vec![0.0f64; n];
        for (weight, part) in &self.parts {
            visit_part(part.form(), &mut |i, w| sums[i as usize] += f64::from(*weight) * f64::from(w));
        }
        (0u32..).zip(sums).for_each(|(i, sum)| visit(i, sum as f32));
    }
}

impl Form for Mixture {
    fn n_rows(&self) -> usize {
        self.parts[0].1.n_rows()
    }

    fn n_cols(&self) -> usize {
        self.parts[0].1.n_cols()
    }

    fn entry(&self, s: u32, t: u32) -> f32 {
        self.sum(|part| f64::from(part.entry(s, t))) as f32
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        self.sum(|part| part.score(q, d))
    }

    fn add_expanded(&self, q: SparseView<'_>, buffer: &mut [f32]) {
        let mut of_part = vec![0.0; buffer.len()];
        for (weight, part) in &self.parts {
            of_part.fill(0.0);
            part.form().add_expanded(q, &mut of_part);
            qwd_core::kernel::add_scaled(buffer, *weight, &of_part);
        }
    }

    fn n_parameters(&self) -> u64 {
        self.parts.iter().map(|(_, part)| part.n_parameters() + 1).sum()
    }

    /// The most that can be: as if no two parts had a place in common.
    fn n_nonzero(&self) -> u64 {
        let n_entries = self.n_rows() as u64 * self.n_cols() as u64;
        let weighted = self.parts.iter().filter(|(weight, _)| *weight != 0.0);
        weighted.map(|(_, part)| part.form().n_nonzero()).sum::<u64>().min(n_entries)
    }

    fn memory_bytes(&self) -> u64 {
        self.parts.iter().map(|(_, part)| part.memory_bytes()).sum()
    }

    fn visit_row(&self, s: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.visit(self.n_cols(), |part, show| part.visit_row(s, show), visit);
    }

    fn visit_col(&self, t: u32, visit: &mut dyn FnMut(u32, f32)) {
        self.visit(self.n_rows(), |part, show| part.visit_col(t, show), visit);
    }
}
