//! Errors of the library as Python exceptions: one class for every family, the same messages.
//!
//! The classes are Python's own (`qwd/errors.py`), so that they can inherit from two: a `DataError` is a `ValueError`, a
//! `FileError` an `OSError`.

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use qwd::{Error, core::Family};
use std::io::ErrorKind;

/// Makes the exception of an error.
pub(crate) fn to_python(error: Error) -> PyErr {
    let name = match (error.family(), &error) {
        (Family::Usage, _) => "ParameterError",
        (Family::Data, _) => "DataError",
        (Family::Damaged, _) => "DamagedFileError",
        (Family::Environment, Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => "MissingFileError",
        (Family::Environment, _) => "FileError",
        (Family::Interrupted, _) => return PyKeyboardInterrupt::new_err(()),
        (Family::Internal, _) => "InternalError",
    };
    Python::attach(|py| exception(py, name, error.to_string()))
}

/// Makes the exception of a class of `qwd.errors`.
pub(crate) fn exception(py: Python<'_>, name: &str, message: String) -> PyErr {
    let class = py.import("qwd.errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message),
        Err(_) => PyRuntimeError::new_err(message),
    }
}

/// Turns results of the library into those of Python.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for qwd::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(to_python)
    }
}
