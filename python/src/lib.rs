//! The compiled part of the Python package `qwd`: glue between NumPy and the library.
//!
//! | module | question it answers |
//! |---|---|
//! | `work` | how does Ctrl-C stop long work, and who hears of progress? |
//! | `errors` | which exception is an error? |
//! | `arrays` | how do matrices come in and go out? |
//! | `methods` | which methods and parameters are there? |
//! | `dataset`, `text_training` | how do texts become a model? |
//! | `matrix_training`, `ranker` | how do matrices become a model or a ranker? |
//! | `distributed` | what do executors of a cluster compute? |
//! | `model`, `vectorizer`, `index`, `evaluation` | what can be done with them? |
//!
//! Nothing here is public in Python: `qwd/*.py` is what people see.

mod arrays;
mod dataset;
mod distributed;
mod errors;
mod evaluation;
mod index;
mod matrix_training;
mod methods;
mod model;
mod ranker;
mod text_training;
mod vectorizer;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _qwd(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<dataset::PyDataset>()?;
    module.add_class::<index::PyIndex>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<ranker::PyRanker>()?;
    module.add_class::<vectorizer::PyVectorizer>()?;
    module.add_function(wrap_pyfunction!(distributed::count_words, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::dice_best, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::dice_bins, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::dice_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::low_rank_start, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::mix_models, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::multiply_transposed, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::rmls_check, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::rmls_collapse, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::rmls_first_rows, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::rmls_rows, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::text_params, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::times, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::evaluate_run, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::read_qrels, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::read_run, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::write_run, module)?)?;
    module.add_function(wrap_pyfunction!(index::verify_path, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_training::evaluate_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(matrix_training::train_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(methods::method_tables, module)?)?;
    module.add_function(wrap_pyfunction!(text_training::evaluate_texts, module)?)?;
    module.add_function(wrap_pyfunction!(text_training::train_texts, module)?)?;
    module.add_function(wrap_pyfunction!(text_training::update_texts, module)?)?;
    module.add_function(wrap_pyfunction!(work::seconds_at_work, module)?)?;
    Ok(())
}
