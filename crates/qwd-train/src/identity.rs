//! Identity: W = I, nothing is learned. With tf-idf vectors of unit length it ranks by cosine; with BM25 weights on the
//! document side and plain counts on the query side it is BM25.

use crate::problem::Problem;
use crate::trainer::Trained;
use qwd_core::{Error, Result};
use qwd_model::Matrix;

/// Gives W = I over the problem's words.
pub fn identity(problem: &Problem<'_>) -> Result<Trained> {
    let (n_rows, n_cols) = (problem.n_query_words(), problem.n_document_words());
    if n_rows != n_cols {
        return Err(Error::bad_data(
            format!("the identity needs one vocabulary; there are {n_rows} query words and {n_cols} document words"),
            "use one vocabulary for queries and documents, or another method",
        ));
    }
    Ok(Trained { matrix: Matrix::identity(n_rows)?, state: None, steps: 0 })
}
