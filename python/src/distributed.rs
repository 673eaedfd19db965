//! What executors of a cluster compute on their part of the data.

use crate::arrays::{OutParts, Parts, csr, parts_of, table};
use crate::errors::OrRaise;
use crate::model::side;
use crate::vectorizer::parse;
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use qwd::Error;
use qwd::core::Threads;
use qwd::core::kernel::add_rows;
use qwd::train::cross_product::product;
use qwd::train::latent_rows::LatentRows;
use qwd::train::{Rmls, RmlsParams};

/// AᵀB for two matrices of as many rows: a part of the cross-product matrix.
#[pyfunction]
pub(crate) fn multiply_transposed<'py>(py: Python<'py>, a: Parts<'py>, b: Parts<'py>) -> PyResult<OutParts<'py>> {
    let (a, b) = (csr("A", &a)?, csr("B", &b)?);
    if a.n_rows() != b.n_rows() {
        let what = format!("{} rows times {}", a.n_rows(), b.n_rows());
        return Err(Error::bad_data(what, "give matrices of as many rows")).or_raise();
    }
    let made = py.detach(|| product(&a.transpose(), &b, &Threads::default())).or_raise()?;
    Ok(parts_of(py, &made))
}

/// A sparse block times a dense table with a row for every column.
#[pyfunction]
pub(crate) fn times<'py>(
    py: Python<'py>,
    block: Parts<'py>,
    numbers: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let block = csr("block", &block)?;
    let (n_rows, width) = numbers.as_array().dim();
    if n_rows != block.n_cols() as usize {
        let what = format!("a block of {} columns times a table of {n_rows} rows", block.n_cols());
        return Err(Error::bad_data(what, "give a row for every column")).or_raise();
    }
    let numbers = numbers.as_slice()?;
    let mut out = vec![0.0f32; block.n_rows() * width];
    py.detach(|| {
        for (row, sum) in block.rows().zip(out.chunks_mut(width.max(1))) {
            add_rows(row, numbers, sum);
        }
    });
    table(py, out, block.n_rows(), width)
}

/// Rows of products as the best rows of a side, what they align, and the sum of their absolute numbers.
#[pyfunction]
pub(crate) fn rmls_rows<'py>(
    py: Python<'py>,
    params: &str,
    side_name: &str,
    products: PyReadonlyArray2<'py, f32>,
) -> PyResult<(Bound<'py, PyArray2<f32>>, f64, f64)> {
    let (rmls, side) = (rmls(params)?, side(side_name)?);
    let (n_rows, width) = products.as_array().dim();
    if width != rmls.params().rank {
        let what = format!("rows of {width} numbers, where rank is {}", rmls.params().rank);
        return Err(Error::bad_data(what, "give rows of as many numbers")).or_raise();
    }
    let mut rows = products.as_slice()?.to_vec();
    let [aligned, sum] = py.detach(|| rmls.choose_rows(side, &mut rows));
    Ok((table(py, rows, n_rows, width)?, aligned, sum))
}

/// The rows that training starts from.
#[pyfunction]
pub(crate) fn rmls_first_rows<'py>(
    py: Python<'py>,
    params: &str,
    n_rows: usize,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let rmls = rmls(params)?;
    let width = rmls.params().rank;
    let numbers = match rmls.first_rows(n_rows, &Threads::default()).or_raise()? {
        LatentRows::Dense { numbers, .. } => numbers,
        sparse @ LatentRows::Sparse(_) => {
            let mut numbers = vec![0.0; n_rows * width];
            (0..n_rows).for_each(|i| sparse.visit(i, |z, x| numbers[i * width + z] = x));
            numbers
        }
    };
    table(py, numbers, n_rows, width)
}

fn rmls(params: &str) -> PyResult<Rmls> {
    let params: RmlsParams = parse("params", params)?;
    params.build().or_raise()
}
