//! The ground floor of qwd: numbers, not files.
//!
//! | module | question it answers |
//! |---|---|
//! | [`error`] | what can go wrong, and whose fault is it? |
//! | [`sparse`] | what is a vector, what is a matrix? |
//! | [`kernel`] | the inner loops: where is the time spent? |
//! | [`tall`] | how are tall dense matrices multiplied? |
//! | [`memory`] | where do large matrices live? |
//! | [`top_k`] | which are the best k, and who wins a tie? |
//! | [`mod@parameters`] | how are parameters described once for all doors? |
//! | [`random`] | where does randomness come from? |
//! | [`parallel`] | how do several threads give the bytes of one? |
//! | [`observe`] | who hears of progress, and who may stop it? |
//!
//! Nothing here reads or writes files, and nothing prints.

pub mod error;
pub mod kernel;
pub mod memory;
pub mod observe;
pub mod parallel;
pub mod parameters;
pub mod random;
pub mod sparse;
pub mod tall;
pub mod top_k;

pub use error::{Error, Family, Result};
pub use observe::{Control, Observer, Progress, Silent};
pub use parallel::Threads;
pub use random::Rng;
pub use sparse::{Csr, SparseVec, SparseView};
