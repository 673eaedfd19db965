//! A learned W and its words.

use crate::arrays::{OutParts, Parts, Ranked, csr, parts_of, rankings, table};
use crate::errors::OrRaise;
use crate::vectorizer::{PyVectorizer, parse};
use crate::work;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use qwd::core::Threads;
use qwd::model::rank_all::{map_scores, rank_all_batch};
use qwd::model::{LowRankDiagonal, LowRankParts, Matrix, Model, Provenance, Side};
use qwd::text::Vectorizer;
use qwd::{Error, Result};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// A model; it never changes.
#[pyclass(name = "Model", module = "qwd._qwd", frozen)]
pub(crate) struct PyModel {
    pub(crate) inner: Arc<Model>,
}

impl PyModel {
    pub(crate) fn new(model: Model) -> Self {
        Self { inner: Arc::new(model) }
    }
}

/// The side of a name.
pub(crate) fn side(name: &str) -> PyResult<Side> {
    match name {
        "query" => Ok(Side::Query),
        "document" => Ok(Side::Document),
        _ => Err(Error::param("side", name, "query or document")).or_raise(),
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Model::open(path)).map(Self::new).or_raise()
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| Model::from_bytes(bytes)).map(Self::new).or_raise()
    }

    /// A model over vectors with a sparse W.
    #[staticmethod]
    fn of_sparse(weights: Parts<'_>, provenance: &str) -> PyResult<Self> {
        let matrix = Matrix::sparse(csr("W", &weights)?).or_raise()?;
        Ok(Self::new(Model::new(matrix, provenance_of(provenance)?)))
    }

    /// A model over vectors with W = UᵀV + αI; `u` and `v` have a row for every word.
    #[staticmethod]
    fn of_low_rank(
        u: PyReadonlyArray2<'_, f32>,
        v: PyReadonlyArray2<'_, f32>,
        identity: f32,
        provenance: &str,
    ) -> PyResult<Self> {
        let (u, v) = (u.as_array(), v.as_array());
        if u.ncols() != v.ncols() {
            let what = format!("rows of {} numbers for query words, of {} for document words", u.ncols(), v.ncols());
            return Err(Error::bad_data(what, "give both sides the same number of dimensions")).or_raise();
        }
        let matrix = Matrix::low_rank(LowRankParts {
            n_rows: u.nrows(),
            n_cols: v.nrows(),
            rank: u.ncols(),
            u: u.iter().copied().collect(),
            v: Some(v.iter().copied().collect()),
            diagonal: if identity == 0.0 { LowRankDiagonal::None } else { LowRankDiagonal::Scaled(identity) },
        });
        Ok(Self::new(Model::new(matrix.or_raise()?, provenance_of(provenance)?)))
    }

    /// The same W with words.
    fn with_vectorizers(&self, query: &PyVectorizer, document: &PyVectorizer) -> PyResult<Self> {
        let model = Model::clone(&self.inner).without_state();
        let sides = [query, document].map(|side| Some(Vectorizer::clone(&side.inner)));
        let [query, document] = sides;
        model.with_vectorizers(query, document).map(Self::new).or_raise()
    }

    /// The same W, words and all, as made in another way; what training would need to go on is left out.
    fn with_provenance(&self, provenance: &str) -> PyResult<Self> {
        let matrix = self.inner.matrix().clone();
        self.inner.with_matrix(matrix, provenance_of(provenance)?).map(Self::new).or_raise()
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(path)).or_raise()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_bytes()).or_raise()?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What the model is, as JSON.
    fn describe(&self) -> String {
        let matrix = self.inner.matrix();
        json!({
            "form": matrix.name(),
            "n_query_words": matrix.n_rows(),
            "n_document_words": matrix.n_cols(),
            "density": matrix.density(),
            "n_parameters": matrix.n_parameters(),
            "memory_bytes": matrix.memory_bytes(),
            "can_go_on": self.inner.state().is_some(),
            "provenance": self.inner.provenance(),
        })
        .to_string()
    }

    fn vectorizer(&self, side_name: &str) -> PyResult<Option<PyVectorizer>> {
        let vectorizer = self.inner.vectorizer(side(side_name)?);
        Ok(vectorizer.map(|v| PyVectorizer { inner: Arc::new(v.clone()) }))
    }

    /// The vectors of texts on a side.
    fn vectors<'py>(
        &self,
        py: Python<'py>,
        side_name: &str,
        texts: Vec<String>,
        threads: usize,
    ) -> PyResult<OutParts<'py>> {
        let (model, side) = (Arc::clone(&self.inner), side(side_name)?);
        let matrix = work::run(py, None, move |_| vectors(&model, side, &texts, &Threads::new(threads)?))?;
        Ok(parts_of(py, &matrix))
    }

    /// The scores of pairs of texts.
    fn score_texts<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        documents: Vec<String>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let model = Arc::clone(&self.inner);
        let scores = work::run(py, None, move |_| {
            let threads = Threads::new(threads)?;
            threads.map(queries.len(), |i| model.score_text(&queries[i], &documents[i])).into_iter().collect()
        });
        let scores: Vec<f64> = scores?;
        Ok(scores.into_pyarray(py))
    }

    /// The scores of all documents for all queries.
    fn score_matrix<'py>(
        &self,
        py: Python<'py>,
        queries: Parts<'py>,
        documents: Parts<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (queries, documents) = (csr("queries", &queries)?, csr("documents", &documents)?);
        let (n_rows, n_cols) = (queries.n_rows(), documents.n_rows());
        let model = Arc::clone(&self.inner);
        let rows = work::run(py, None, move |_| {
            let threads = Threads::new(threads)?;
            map_scores(model.matrix(), &queries, &documents, &threads, |_, scores| scores.to_vec())
        })?;
        table(py, rows.concat(), n_rows, n_cols)
    }

    /// The best `k` documents for each query.
    fn rank_matrix<'py>(
        &self,
        py: Python<'py>,
        queries: Parts<'py>,
        documents: Parts<'py>,
        k: usize,
        threads: usize,
    ) -> PyResult<Ranked<'py>> {
        let (queries, documents) = (csr("queries", &queries)?, csr("documents", &documents)?);
        let (model, k) = (Arc::clone(&self.inner), k.min(documents.n_rows()));
        let ranked = work::run(py, None, move |_| {
            rank_all_batch(model.matrix(), &queries, &documents, k, &Threads::new(threads)?)
        })?;
        rankings(py, &ranked, k)
    }

    /// The best `k` of some texts for each query.
    fn rank_texts<'py>(
        &self,
        py: Python<'py>,
        queries: Vec<String>,
        documents: Vec<String>,
        k: usize,
        threads: usize,
    ) -> PyResult<Ranked<'py>> {
        let (model, k) = (Arc::clone(&self.inner), k.min(documents.len()));
        let ranked = work::run(py, None, move |_| {
            let threads = Threads::new(threads)?;
            let queries = vectors(&model, Side::Query, &queries, &threads)?;
            let documents = vectors(&model, Side::Document, &documents, &threads)?;
            rank_all_batch(model.matrix(), &queries, &documents, k, &threads)
        })?;
        rankings(py, &ranked, k)
    }

    /// The score of two texts as a sum over word pairs: `(query word, document word, value)`.
    fn explain(&self, query: &str, document: &str) -> PyResult<Vec<(String, String, f32)>> {
        let reasons = self.inner.explain_text(query, document).or_raise()?;
        Ok(reasons.into_iter().map(|r| (r.query, r.document, r.value)).collect())
    }

    /// The score of two rows as a sum over pairs of columns.
    fn explain_rows(&self, query: Parts<'_>, document: Parts<'_>) -> PyResult<Vec<(u32, u32, f32)>> {
        let (q, d) = (csr("query", &query)?, csr("document", &document)?);
        let reasons = self.inner.matrix().explain(q.row(0), d.row(0)).or_raise()?;
        Ok(reasons.iter().map(|r| (r.query, r.document, r.value)).collect())
    }

    fn related(&self, side_name: &str, word: &str, k: usize) -> PyResult<Vec<(String, f32)>> {
        let related = self.inner.related(side(side_name)?, word, k).or_raise()?;
        Ok(related.into_iter().map(|r| (r.word, r.weight)).collect())
    }

    fn related_terms(&self, side_name: &str, term: u32, k: usize) -> PyResult<Vec<(u32, f32)>> {
        let related = self.inner.matrix().related(side(side_name)?, term, k).or_raise()?;
        Ok(related.iter().map(|p| (p.term, p.weight)).collect())
    }

    /// The numbers of queries or documents in the latent space of a low-rank W, a row each.
    fn project<'py>(&self, py: Python<'py>, side_name: &str, rows: Parts<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (side, rows) = (side(side_name)?, csr("X", &rows)?);
        let Matrix::LowRank(latent) = self.inner.matrix() else {
            let what = format!("a {} W has no latent space", self.inner.matrix().name());
            return Err(Error::bad_data(what, "train a model of low rank")).or_raise();
        };
        if rows.n_cols() as usize != self.inner.matrix().n_terms(side) {
            let what = format!("X has {} columns, the model {}", rows.n_cols(), self.inner.matrix().n_terms(side));
            return Err(Error::bad_data(what, "give vectors over the words that the model was trained with"))
                .or_raise();
        }
        let numbers: Vec<f32> = rows.rows().flat_map(|row| latent.project(side, row)).collect();
        table(py, numbers, rows.n_rows(), latent.rank())
    }

    /// The weights by their names: what they are depends on the form of W.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        weights(py, self.inner.matrix())
    }
}

fn weights<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    match matrix {
        Matrix::Sparse(sparse) => out.set_item("sparse", parts_of(py, sparse.csr()))?,
        Matrix::Diagonal(diagonal) => out.set_item("diagonal", diagonal.weights().to_vec().into_pyarray(py))?,
        Matrix::Dense(dense) => {
            out.set_item("dense", table(py, dense.weights().to_vec(), matrix.n_rows(), matrix.n_cols())?)?;
        }
        Matrix::LowRank(latent) => {
            let parts = latent.parts();
            // Only the most frequent words may have numbers: a row for each of those.
            let numbers = |x: &Vec<f32>| table(py, x.clone(), x.len() / parts.rank.max(1), parts.rank);
            out.set_item("u", numbers(&parts.u)?)?;
            out.set_item("v", numbers(parts.v.as_ref().unwrap_or(&parts.u))?)?;
            match &parts.diagonal {
                LowRankDiagonal::None => {}
                LowRankDiagonal::Scaled(weight) => out.set_item("identity", *weight)?,
                LowRankDiagonal::Weights(words) => out.set_item("diagonal", words.clone().into_pyarray(py))?,
            }
        }
        Matrix::Binned(binned) => {
            out.set_item("query_bins", parts_of(py, binned.bins(Side::Query)))?;
            out.set_item("document_bins", parts_of(py, binned.bins(Side::Document)))?;
            out.set_item("inner", (binned.inner().name(), weights(py, binned.inner())?))?;
        }
        Matrix::Mixture(mixture) => {
            let parts = mixture.parts().iter().map(|(weight, part)| Ok((*weight, part.name(), weights(py, part)?)));
            out.set_item("parts", parts.collect::<PyResult<Vec<_>>>()?)?;
        }
        Matrix::Identity(_) | Matrix::Hashed(_) => {}
    }
    Ok(out)
}

/// The vectors of texts, if the model reads text.
pub(crate) fn vectors(model: &Model, side: Side, texts: &[String], threads: &Threads) -> Result<qwd::core::Csr> {
    // An empty text asks for the vectorizer, and so for its error, even where there are no texts.
    model.vector(side, "")?;
    let vectorizer = model.vectorizer(side).ok_or_else(|| Error::internal("a vectorizer was just used"))?;
    Ok(vectorizer.matrix(texts, threads))
}

fn provenance_of(json: &str) -> PyResult<Provenance> {
    let given: serde_json::Value = parse("provenance", json)?;
    let mut provenance = Provenance::new(given["method"].as_str().unwrap_or_default());
    provenance.params = given["params"].clone();
    provenance.seed = given["seed"].as_u64().unwrap_or_default();
    provenance.n_tuples = given["n_tuples"].as_u64().unwrap_or_default();
    Ok(provenance)
}
