//! Sparse vectors and matrices: sorted `u32` indices, finite `f32` values.
//!
//! [`SparseVec`] owns, [`SparseView`] borrows, [`Csr`] holds many rows in three arrays. All three keep one invariant,
//! checked where outside data becomes one of them and relied upon everywhere else: the indices of a row are strictly
//! increasing, below the number of columns, and the values are finite.

use crate::error::{Error, Result};

/// A borrowed sparse vector: strictly increasing indices and as many values.
///
/// Its parts are private because kernels rely on their order without looking: a view can only be had from a checked
/// vector or matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SparseView<'a> {
    indices: &'a [u32],
    values: &'a [f32],
}

impl<'a> SparseView<'a> {
    /// The indices, strictly increasing.
    #[inline]
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// The values, as many as there are indices, all finite.
    #[inline]
    pub fn values(&self) -> &'a [f32] {
        self.values
    }

    /// The number of stored entries.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether no entry is stored.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + use<'a> {
        self.indices.iter().copied().zip(self.values.iter().copied())
    }

    /// The entries with indices in a range.
    pub fn within(&self, range: std::ops::Range<usize>) -> SparseView<'a> {
        let from = self.indices.partition_point(|&i| (i as usize) < range.start);
        let to = self.indices.partition_point(|&i| (i as usize) < range.end).max(from);
        SparseView { indices: &self.indices[from..to], values: &self.values[from..to] }
    }

    /// The inner product with another sparse vector.
    pub fn dot(&self, other: SparseView<'_>) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0f64);
        while i < self.len() && j < other.len() {
            match self.indices[i].cmp(&other.indices[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += f64::from(self.values[i]) * f64::from(other.values[j]);
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }

    /// The Euclidean length.
    pub fn norm(&self) -> f64 {
        self.values.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt()
    }

    /// `self - other`, without the entries that cancel exactly.
    pub fn minus(&self, other: SparseView<'_>) -> SparseVec {
        let mut out = SparseVec::default();
        self.minus_into(other, &mut out);
        out
    }

    /// Writes `self - other` into `out`, reusing its memory.
    pub fn minus_into(&self, other: SparseView<'_>, out: &mut SparseVec) {
        out.clear();
        let (mut i, mut j) = (0, 0);
        while i < self.len() || j < other.len() {
            let a = self.indices.get(i).copied().unwrap_or(u32::MAX);
            let b = other.indices.get(j).copied().unwrap_or(u32::MAX);
            let (index, value) = match a.cmp(&b) {
                std::cmp::Ordering::Less => (a, self.values[i]),
                std::cmp::Ordering::Greater => (b, -other.values[j]),
                std::cmp::Ordering::Equal => (a, self.values[i] - other.values[j]),
            };
            i += usize::from(a <= b);
            j += usize::from(b <= a);
            if value != 0.0 {
                out.indices.push(index);
                out.values.push(value);
            }
        }
    }

    /// Copies into an owned vector.
    pub fn to_owned(&self) -> SparseVec {
        SparseVec { indices: self.indices.to_vec(), values: self.values.to_vec() }
    }
}

/// An owned sparse vector.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseVec {
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl SparseVec {
    /// Takes parts that already keep the invariant.
    pub fn try_new(indices: Vec<u32>, values: Vec<f32>) -> Result<Self> {
        check_row(&indices, &values, u32::MAX)?;
        Ok(Self { indices, values })
    }

    /// Sorts pairs by index and adds up those with the same index; zeros are dropped.
    pub fn from_pairs(mut pairs: Vec<(u32, f32)>) -> Result<Self> {
        pairs.sort_by_key(|&(i, _)| i);
        let mut out = Self::default();
        for (i, v) in pairs {
            match out.indices.last() {
                Some(&last) if last == i => *out.values.last_mut().expect("as long as indices") += v,
                _ => {
                    out.indices.push(i);
                    out.values.push(v);
                }
            }
        }
        let keep: Vec<bool> = out.values.iter().map(|&v| v != 0.0).collect();
        let mut at = keep.iter();
        out.indices.retain(|_| *at.next().expect("one flag per entry"));
        out.values.retain(|&v| v != 0.0);
        check_row(&out.indices, &out.values, u32::MAX)?;
        Ok(out)
    }

    /// Borrows the whole vector.
    pub fn view(&self) -> SparseView<'_> {
        SparseView { indices: &self.indices, values: &self.values }
    }

    /// Becomes a copy of a view, reusing the memory.
    pub fn copy_from(&mut self, view: SparseView<'_>) {
        self.clear();
        self.indices.extend_from_slice(view.indices);
        self.values.extend_from_slice(view.values);
    }

    /// Adds an entry behind the last one.
    ///
    /// # Panics
    /// If the index is not beyond the last one, or the value is not finite: the caller's promise.
    pub fn push_last(&mut self, index: u32, value: f32) {
        assert!(self.indices.last().is_none_or(|&last| last < index) && value.is_finite(), "entries in order, finite");
        self.indices.push(index);
        self.values.push(value);
    }

    /// Forgets the entries but keeps the memory.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// Multiplies every value; the product must stay finite.
    pub fn scale(&mut self, factor: f32) {
        self.values.iter_mut().for_each(|v| *v *= factor);
        assert!(self.values.iter().all(|v| v.is_finite()), "finite values times a sensible factor");
    }

    /// Divides by the Euclidean length; the zero vector stays as it is.
    pub fn normalize(&mut self) {
        let norm = self.view().norm();
        if norm > 0.0 {
            for v in &mut self.values {
                *v = (f64::from(*v) / norm) as f32;
            }
        }
    }
}

/// A sparse matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    n_cols: u32,
    indptr: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Csr {
    /// A matrix of no rows, to be filled by [`Csr::push`].
    pub fn empty(n_cols: u32) -> Self {
        Self { n_cols, indptr: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// As [`Csr::empty`], with room for so many rows and entries.
    pub fn with_capacity(n_cols: u32, n_rows: usize, nnz: usize) -> Self {
        let mut indptr = Vec::with_capacity(n_rows + 1);
        indptr.push(0);
        Self { n_cols, indptr, indices: Vec::with_capacity(nnz), values: Vec::with_capacity(nnz) }
    }

    /// Checks parts from outside: row pointers, order, range and finiteness.
    pub fn from_parts(n_cols: u32, indptr: Vec<u64>, indices: Vec<u32>, values: Vec<f32>) -> Result<Self> {
        let whole = indptr.first() == Some(&0)
            && indptr.last() == Some(&(indices.len() as u64))
            && indptr.windows(2).all(|w| w[0] <= w[1]);
        if !whole || indices.len() != values.len() {
            return Err(Error::bad_data("broken row pointers in a sparse matrix", "make the matrix anew"));
        }
        for w in indptr.windows(2) {
            let row = w[0] as usize..w[1] as usize;
            check_row(&indices[row.clone()], &values[row], n_cols)?;
        }
        Ok(Self { n_cols, indptr, indices, values })
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: SparseView<'_>) -> Result<()> {
        check_row(row.indices, row.values, self.n_cols)?;
        self.indices.extend_from_slice(row.indices);
        self.values.extend_from_slice(row.values);
        self.indptr.push(self.indices.len() as u64);
        Ok(())
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// The number of columns.
    pub fn n_cols(&self) -> u32 {
        self.n_cols
    }

    /// The number of stored entries.
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> SparseView<'_> {
        let (from, to) = (self.indptr[i] as usize, self.indptr[i + 1] as usize);
        SparseView { indices: &self.indices[from..to], values: &self.values[from..to] }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SparseView<'_>> {
        (0..self.n_rows()).map(|i| self.row(i))
    }

    /// The rows of these numbers, in their order.
    pub fn select(&self, numbers: &[u32]) -> Result<Self> {
        let mut out = Self::empty(self.n_cols());
        numbers.iter().try_for_each(|&number| out.push(self.row(number as usize)))?;
        Ok(out)
    }

    /// Row pointers, indices and values, as they lie in memory.
    pub fn parts(&self) -> (&[u64], &[u32], &[f32]) {
        (&self.indptr, &self.indices, &self.values)
    }

    /// One entry; 0 where none is stored.
    pub fn get(&self, row: usize, col: u32) -> f32 {
        let r = self.row(row);
        r.indices.binary_search(&col).map_or(0.0, |at| r.values[at])
    }

    /// qᵀMd, by rows of the query's words.
    pub fn bilinear(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        if self.nnz() == 0 {
            return 0.0;
        }
        q.iter().map(|(s, x)| f64::from(x) * self.row(s as usize).dot(d)).sum()
    }

    /// The same matrix with rows and columns exchanged.
    pub fn transpose(&self) -> Self {
        let mut indptr = vec![0u64; self.n_cols as usize + 1];
        for &c in &self.indices {
            indptr[c as usize + 1] += 1;
        }
        for i in 1..indptr.len() {
            indptr[i] += indptr[i - 1];
        }
        let mut next = indptr.clone();
        let mut indices = vec![0u32; self.nnz()];
        let mut values = vec![0f32; self.nnz()];
        for (r, row) in self.rows().enumerate() {
            for (c, v) in row.iter() {
                let at = &mut next[c as usize];
                indices[*at as usize] = r as u32;
                values[*at as usize] = v;
                *at += 1;
            }
        }
        Self { n_cols: self.n_rows() as u32, indptr, indices, values }
    }
}

/// The invariant of a row: as many values as indices, strictly increasing below `n_cols`, finite.
fn check_row(indices: &[u32], values: &[f32], n_cols: u32) -> Result<()> {
    let problem = if indices.len() != values.len() {
        "has more indices than values or the other way round"
    } else if !indices.windows(2).all(|w| w[0] < w[1]) {
        "has indices that are not strictly increasing"
    } else if indices.last().is_some_and(|&i| i >= n_cols) {
        "has an index beyond the last column"
    } else if values.iter().any(|v| !v.is_finite()) {
        "has a value that is not a finite number"
    } else {
        return Ok(());
    };
    Err(Error::bad_data(format!("a sparse vector {problem}"), "correct or remove it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = SparseVec> {
        proptest::collection::vec((0u32..50, -4i32..5), 0..30).prop_map(|pairs| {
            SparseVec::from_pairs(pairs.into_iter().map(|(i, v)| (i, v as f32)).collect()).expect("finite")
        })
    }

    fn dense(v: &SparseVec) -> Vec<f64> {
        qwd_testkit::dense(v.view().indices(), v.view().values(), 50)
    }

    proptest! {
        #[test]
        fn dot_and_minus_equal_the_dense_ones(a in vector(), b in vector()) {
            let (x, y) = (dense(&a), dense(&b));
            let dot: f64 = x.iter().zip(&y).map(|(p, q)| p * q).sum();
            prop_assert!((a.view().dot(b.view()) - dot).abs() < 1e-9);
            let difference: Vec<f64> = x.iter().zip(&y).map(|(p, q)| p - q).collect();
            prop_assert_eq!(dense(&a.view().minus(b.view())), difference);
        }

        #[test]
        fn transposing_twice_changes_nothing(rows in proptest::collection::vec(vector(), 0..8)) {
            let mut m = Csr::empty(50);
            for r in &rows {
                m.push(r.view()).expect("valid row");
            }
            prop_assert_eq!(m.transpose().transpose(), m);
        }
    }

    #[test]
    fn broken_parts_are_refused() {
        assert!(SparseVec::try_new(vec![2, 1], vec![1.0, 1.0]).is_err());
        assert!(SparseVec::try_new(vec![1, 1], vec![1.0, 1.0]).is_err());
        assert!(SparseVec::try_new(vec![1], vec![f32::NAN]).is_err());
        assert!(Csr::from_parts(3, vec![0, 2], vec![0, 3], vec![1.0, 1.0]).is_err());
        assert!(Csr::from_parts(3, vec![0, 2, 1], vec![0], vec![1.0]).is_err());
        assert!(Csr::from_parts(3, vec![], vec![], vec![]).is_err());
    }
}
