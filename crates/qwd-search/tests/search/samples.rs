//! Random documents and models over them.

use qwd_core::{Csr, Rng, SparseVec, Threads};
use qwd_data::Document;
use qwd_model::{LowRankDiagonal, LowRankParts, Matrix, Model, Provenance};
use qwd_search::{IndexParams, Writer};
use qwd_text::{Vectorizer, VectorizerParams, VocabularyParams, WeightingParams};
use std::path::Path;
use std::sync::Arc;

/// A text of random words, the first ones frequent.
pub(crate) fn text(rng: &mut Rng, n_words: usize, n: usize) -> String {
    let word = |rng: &mut Rng| {
        let (a, b) = (rng.below(n_words), rng.below(n_words));
        format!("w{}", a * b / n_words)
    };
    (0..n).map(|_| word(rng)).collect::<Vec<_>>().join(" ")
}

pub(crate) fn documents(seed: u64, n: usize, n_words: usize) -> Vec<Document> {
    let mut rng = Rng::new(seed);
    let document = |i: usize| {
        let length = rng.below(30);
        Document { id: format!("d{i}"), text: text(&mut rng, n_words, length), ..Document::default() }
    };
    (0..n).map(document).collect()
}

/// A vectorizer of the documents.
pub(crate) fn vectorizer(documents: &[Document], weighting: &str) -> Vectorizer {
    let weighting = WeightingParams::preset(weighting).expect("a preset");
    let params = VectorizerParams { weighting, ..VectorizerParams::default() };
    let texts = documents.iter().map(|d| d.text.as_str());
    params.fit(&VocabularyParams::default(), texts, &Threads::default()).expect("words")
}

pub(crate) fn model(matrix: Matrix, query: &Vectorizer, document: &Vectorizer) -> Model {
    let model = Model::new(matrix, Provenance::new("test"));
    model.with_vectorizers(Some(query.clone()), Some(document.clone())).expect("fits")
}

fn random_csr(rng: &mut Rng, n: usize, per_row: usize) -> Csr {
    let mut csr = Csr::empty(n as u32);
    for s in 0..n {
        let mut pairs: Vec<(u32, f32)> =
            (0..per_row).map(|_| (rng.below(n) as u32, rng.normal() as f32 * 0.3)).collect();
        pairs.push((s as u32, 1.0));
        csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
    }
    csr
}

/// A matrix of every form.
pub(crate) fn matrices(seed: u64, n: usize) -> Vec<Matrix> {
    let mut rng = Rng::new(seed);
    let mut numbers = |n: usize, scale: f32| (0..n).map(|_| rng.normal() as f32 * scale).collect::<Vec<f32>>();
    let diagonal = Matrix::diagonal(numbers(n, 1.0)).expect("finite");
    let dense = Matrix::dense(n, n, numbers(n * n, 0.2)).expect("finite");
    let hashed = Matrix::hashed(n, n, numbers(97, 0.1), Some(1.0)).expect("finite");
    let low_rank = |u, v, diagonal| {
        Matrix::low_rank(LowRankParts { n_rows: n, n_cols: n, rank: 5, u, v, diagonal }).expect("fits")
    };
    let few = n / 2;
    let plain = low_rank(numbers(few * 5, 0.4), Some(numbers(n * 5, 0.4)), LowRankDiagonal::None);
    let with_identity = low_rank(numbers(n * 5, 0.3), None, LowRankDiagonal::Scaled(1.0));
    let sparse = Matrix::sparse(random_csr(&mut rng, n, 6)).expect("small");
    let mixture = Matrix::mixture(vec![
        (0.7, sparse.clone()),
        (-0.2, with_identity.clone()),
        (0.4, Matrix::identity(n).expect("small")),
    ]);
    let bins = Arc::new(random_csr(&mut rng, n, 1));
    let binned = Matrix::binned(Arc::clone(&bins), bins, sparse.clone()).expect("fits");
    let identity = Matrix::identity(n).expect("small");
    vec![identity, diagonal, sparse, dense, hashed, plain, with_identity, mixture.expect("same size"), binned]
}

/// Indexes documents in segments of a size.
pub(crate) fn index(folder: &Path, model: &Model, documents: &[Document], params: &IndexParams, segment: usize) {
    let mut writer = Writer::create(folder, model, params).expect("created");
    for chunk in documents.chunks(segment) {
        chunk.iter().for_each(|d| writer.add(d.clone()).expect("added"));
        writer.commit().expect("committed");
    }
}
