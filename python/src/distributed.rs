//! What executors of a cluster compute on their part of the data.

use crate::arrays::{OutParts, Parts, csr, parts_of, table};
use crate::errors::OrRaise;
use crate::model::{PyModel, side};
use crate::vectorizer::{params_of, parse};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use qwd::core::Threads;
use qwd::core::kernel::add_rows;
use qwd::model::{Model, Provenance};
use qwd::text::VocabularyParams;
use qwd::train::correlated_hashing::count_pairs;
use qwd::train::cross_product::product;
use qwd::train::latent_rows::LatentRows;
use qwd::train::mixing::mix;
use qwd::train::rmls::collapse;
use qwd::train::{CorrelatedHashing, CorrelatedHashingParams, LowRankParams, Rmls, RmlsParams, Start, Units};
use qwd::{Error, Result};

/// Words, in how many texts each occurs, how often, and the number of all terms.
type Counted<'py> = (Vec<String>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>, u64);

/// Columns of whole numbers.
type Columns<'py, T> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<T>>);

/// Checks how texts are to become vectors; returns which words get a place, with all defaults, as JSON.
#[pyfunction]
pub(crate) fn text_params(analyzer: &str, weighting: &str, vocabulary: &str, language: &str) -> PyResult<String> {
    let params = params_of(analyzer, weighting, language)?;
    let vocabulary: VocabularyParams = parse("vocabulary", vocabulary)?;
    let check = || -> Result<()> {
        params.analyzer.build()?;
        params.weighting.build()?;
        vocabulary.build().map(drop)
    };
    check().or_raise()?;
    serde_json::to_string(&vocabulary).map_err(|e| Error::internal(e.to_string())).or_raise()
}

/// Counts all words of texts.
#[pyfunction]
pub(crate) fn count_words<'py>(
    py: Python<'py>,
    texts: Vec<String>,
    analyzer: &str,
    language: &str,
) -> PyResult<Counted<'py>> {
    let params = params_of(analyzer, "{}", language)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let count = || VocabularyParams::default().fit(&params.analyzer.build()?, &texts, &Threads::default());
    let counted = py.detach(count).or_raise()?;
    let words = counted.words().map(str::to_string).collect();
    let df = counted.document_frequencies().to_vec().into_pyarray(py);
    let cf = counted.collection_frequencies().to_vec().into_pyarray(py);
    Ok((words, df, cf, counted.n_tokens()))
}

/// The words that are bins, and for every word whether it stands in none.
type Bins<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<bool>>);

/// The words that are bins, and which words stand in none; `occur` says in how many units each word occurs.
#[pyfunction]
pub(crate) fn dice_bins<'py>(
    py: Python<'py>,
    params: &str,
    occur: PyReadonlyArray1<'py, u64>,
    is_word: PyReadonlyArray1<'py, bool>,
) -> PyResult<Bins<'py>> {
    let (hashing, occur, is_word) = (hashing(params)?, occur.as_slice()?, is_word.as_slice()?);
    if occur.len() != is_word.len() {
        let what = format!("{} words that occur, {} that may be bins", occur.len(), is_word.len());
        return Err(Error::bad_data(what, "give both for every word")).or_raise();
    }
    let may_be = |word: u32| is_word[word as usize];
    let bins = hashing.bin_words(occur, may_be).or_raise()?;
    let left_out: Vec<bool> = (0..occur.len() as u32).map(|word| hashing.leaves_out(word, &bins, may_be)).collect();
    Ok((bins.into_pyarray(py), left_out.into_pyarray(py)))
}

/// In how many rows of a block each word occurs with which bins: words, bins and numbers.
#[pyfunction]
pub(crate) fn dice_pairs<'py>(
    py: Python<'py>,
    block: Parts<'py>,
    bin_words: PyReadonlyArray1<'py, u32>,
) -> PyResult<Columns<'py, i64>> {
    let (block, bin_words) = (csr("vectors", &block)?, bin_words.as_slice()?);
    if bin_words.last().is_some_and(|&word| word >= block.n_cols()) {
        return Err(Error::bad_data("a bin of a word that is not there", "make the bins anew")).or_raise();
    }
    let units = Units::of_rows(&block, 0..block.n_rows() as u32);
    let pairs = py.detach(|| count_pairs(&units, bin_words, block.n_cols() as usize));
    let words: Vec<i32> = pairs.iter().map(|pair| pair.0 as i32).collect();
    let bins: Vec<i32> = pairs.iter().map(|pair| pair.1 as i32).collect();
    let numbers: Vec<i64> = pairs.iter().map(|pair| pair.2 as i64).collect();
    Ok((words.into_pyarray(py), bins.into_pyarray(py), numbers.into_pyarray(py)))
}

/// The best bins of words with their coefficients, of pairs that come word by word.
#[pyfunction]
pub(crate) fn dice_best<'py>(
    py: Python<'py>,
    params: &str,
    pairs: (PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i64>),
    occur: PyReadonlyArray1<'py, u64>,
    bin_words: PyReadonlyArray1<'py, u32>,
) -> PyResult<Columns<'py, f32>> {
    let (hashing, occur, bin_words) = (hashing(params)?, occur.as_slice()?, bin_words.as_slice()?);
    let numbers = pairs.1.as_slice()?.iter().zip(pairs.2.as_slice()?);
    let pairs: Vec<(i32, (u32, u64))> =
        pairs.0.as_slice()?.iter().copied().zip(numbers.map(|(&bin, &n)| (bin as u32, n as u64))).collect();
    let knows = |&(word, (bin, _)): &(i32, (u32, u64))| {
        (word as usize) < occur.len() && bin_words.get(bin as usize).is_some_and(|&w| (w as usize) < occur.len())
    };
    if !pairs.iter().all(knows) {
        return Err(Error::bad_data("a pair of words that are not there", "count the pairs anew")).or_raise();
    }
    let (mut words, mut bins, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for of_word in pairs.chunk_by(|a, b| a.0 == b.0) {
        let together: Vec<(u32, u64)> = of_word.iter().map(|pair| pair.1).collect();
        for best in hashing.best_bins(of_word[0].0 as u32, &together, occur, bin_words) {
            words.push(of_word[0].0);
            bins.push(best.item as i32);
            scores.push(best.score);
        }
    }
    Ok((words.into_pyarray(py), bins.into_pyarray(py), scores.into_pyarray(py)))
}

fn hashing(params: &str) -> PyResult<CorrelatedHashing> {
    let params: CorrelatedHashingParams = parse("params", params)?;
    params.build().or_raise()
}

/// The low-rank model that training starts from, where it starts from random directions.
#[pyfunction]
pub(crate) fn low_rank_start(params: &str, n_words: (usize, usize), start: &str) -> PyResult<PyModel> {
    let params: LowRankParams = parse("params", params)?;
    let start = match start {
        "identity" => Start::Identity,
        "zero" => Start::Zero,
        _ => return Err(Error::param("start", start, "identity or zero")).or_raise(),
    };
    let matrix = params.build().and_then(|trainer| trainer.first_matrix(n_words.into(), start)).or_raise()?;
    Ok(PyModel::new(Model::new(matrix, Provenance::new("low-rank"))))
}

/// The average of models that were trained from one start, weighed by their tuples.
#[pyfunction]
pub(crate) fn mix_models(py: Python<'_>, models: Vec<Vec<u8>>, n_tuples: Vec<u64>) -> PyResult<PyModel> {
    let mixed = py.detach(|| {
        let models: Vec<Model> = models.iter().map(|bytes| Model::from_bytes(bytes)).collect::<Result<_>>()?;
        mix(&models, &n_tuples)
    });
    mixed.map(PyModel::new).or_raise()
}

/// How much rows point the same way: 1 where all do.
#[pyfunction]
pub(crate) fn rmls_collapse(py: Python<'_>, rows: PyReadonlyArray2<'_, f32>) -> PyResult<f64> {
    let (width, numbers) = (rows.as_array().ncols(), rows.as_slice()?.to_vec());
    Ok(py.detach(|| collapse(&LatentRows::Dense { width, numbers }, &Threads::default())))
}

/// Refuses a mapping whose words have fallen into one direction; `course` is how much they had at each iteration.
#[pyfunction]
pub(crate) fn rmls_check(params: &str, course: Vec<f64>, n_words: (usize, usize)) -> PyResult<()> {
    rmls(params)?.check_collapse(course, n_words.into()).or_raise()
}

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
