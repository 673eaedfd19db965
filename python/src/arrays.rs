//! Matrices between NumPy and the library.
//!
//! A matrix from Python is checked and copied, once: kernels trust checked indices without looking, and another Python
//! thread could change NumPy's memory while the interpreter lock is released. What goes out is handed over, not copied.

use crate::errors::OrRaise;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use qwd::core::Csr;
use qwd::{Error, Result};

/// `(n_columns, indptr, indices, data)`, as `qwd._matrix.csr_parts` makes them.
pub(crate) type Parts<'py> = (u32, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// `(n_columns, indptr, indices, data)` for SciPy.
pub(crate) type OutParts<'py> = (u32, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>);

/// Takes a sparse matrix in; `name` is what messages call it.
pub(crate) fn csr(name: &str, (n_cols, indptr, indices, data): &Parts<'_>) -> PyResult<Csr> {
    let (indptr, indices) = (whole_numbers(name, indptr)?, whole_numbers(name, indices)?);
    let values: Vec<f32> = match data.extract::<PyReadonlyArray1<'_, f32>>() {
        Ok(values) => values.as_slice()?.to_vec(),
        Err(_) => {
            let values: PyReadonlyArray1<'_, f64> = data
                .extract()
                .map_err(|_| PyTypeError::new_err(format!("{name}: values are not float32 or float64")))?;
            values.as_slice()?.iter().map(|&x| x as f32).collect()
        }
    };
    checked(name, *n_cols, indptr, indices, values).or_raise()
}

fn checked(name: &str, n_cols: u32, indptr: Vec<i64>, indices: Vec<i64>, values: Vec<f32>) -> Result<Csr> {
    let bad = |what: String, remedy: &str| Err(Error::bad_data(format!("{name}: {what}"), remedy));
    let whole = indptr.first() == Some(&0)
        && indptr.last() == Some(&(indices.len() as i64))
        && indptr.windows(2).all(|w| w[0] <= w[1])
        && indices.len() == values.len();
    if !whole {
        return bad("the row pointers of the sparse matrix are broken".into(), "make the matrix anew");
    }
    for (row, w) in indptr.windows(2).enumerate() {
        let (from, to) = (w[0] as usize, w[1] as usize);
        let columns = &indices[from..to];
        if let Some(&column) = columns.iter().find(|&&c| c < 0 || c >= i64::from(n_cols)) {
            return bad(format!("row {row} has column {column} of {n_cols}"), "correct the matrix's indices");
        }
        if let Some(pair) = columns.windows(2).find(|pair| pair[0] >= pair[1]) {
            let what = if pair[0] == pair[1] { "has a column twice" } else { "has unsorted columns" };
            return bad(format!("row {row} {what}"), "call X.sum_duplicates() first, which also sorts");
        }
        if let Some(at) = values[from..to].iter().position(|x| !x.is_finite()) {
            let value = values[from + at];
            let what = format!("row {row}, column {} is {value}: input contains NaN or infinity", columns[at]);
            return bad(what, "replace or remove it");
        }
    }
    let (indptr, indices) =
        (indptr.into_iter().map(|i| i as u64).collect(), indices.into_iter().map(|i| i as u32).collect());
    Csr::from_parts(n_cols, indptr, indices, values)
}

fn whole_numbers(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if let Ok(numbers) = array.extract::<PyReadonlyArray1<'_, i32>>() {
        return Ok(numbers.as_slice()?.iter().map(|&i| i64::from(i)).collect());
    }
    let numbers: PyReadonlyArray1<'_, i64> =
        array.extract().map_err(|_| PyTypeError::new_err(format!("{name}: indices are not int32 or int64")))?;
    Ok(numbers.as_slice()?.to_vec())
}

/// Hands a sparse matrix out.
pub(crate) fn parts_of<'py>(py: Python<'py>, matrix: &Csr) -> OutParts<'py> {
    let (indptr, indices, values) = matrix.parts();
    let indptr: Vec<i64> = indptr.iter().map(|&i| i as i64).collect();
    let indices: Vec<i32> = indices.iter().map(|&i| i as i32).collect();
    (matrix.n_cols(), indptr.into_pyarray(py), indices.into_pyarray(py), values.to_vec().into_pyarray(py))
}

/// Hands rows of equal length out as one array.
pub(crate) fn table<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    n_rows: usize,
    n_cols: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    values.into_pyarray(py).reshape([n_rows, n_cols])
}

/// Numbers of documents and their scores, a row for every query.
pub(crate) type Ranked<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f32>>);

/// The best of each query as two tables of `k` columns; places without a document are −1 and NaN.
pub(crate) fn rankings<'py>(
    py: Python<'py>,
    rankings: &[Vec<qwd::core::top_k::Scored>],
    k: usize,
) -> PyResult<Ranked<'py>> {
    let n = rankings.len();
    let (mut items, mut scores) = (vec![-1i64; n * k], vec![f32::NAN; n * k]);
    for (i, ranking) in rankings.iter().enumerate() {
        for (j, hit) in ranking.iter().enumerate() {
            items[i * k + j] = i64::from(hit.item);
            scores[i * k + j] = hit.score;
        }
    }
    Ok((table(py, items, n, k)?, table(py, scores, n, k)?))
}
