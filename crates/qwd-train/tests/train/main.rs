//! The training methods against the paper's equations and against slow references (`qwd-testkit`).
//!
//! | file | what it shows |
//! |---|---|
//! | `sparse_sgd`, `refit`, `adagrad`, `ftrl`, `group_lasso`, `diagonal`, `low_rank`, `hash_kernels`, `sparse_projection`, `latent_semantic`, `mixture`, `multi_task` | each method is the algorithm it says it is |
//! | `resume` | a run in pieces, or in blocks, gives the bytes of one run step by step |
//! | `density` | asked for a density, a method ends there |
//! | `constraints`, `early_stopping` | what may not change does not; what was best is kept |
//! | `check_trainer` | what every method has to get right |
//! | `evaluation` | from a folder to figures, against figures worked out by hand |
//! | `plan` | from a folder to a model, and on from there |

mod adagrad;
mod check_trainer;
mod common;
mod constraints;
mod density;
mod diagonal;
mod early_stopping;
mod evaluation;
mod folders;
mod ftrl;
mod group_lasso;
mod hash_kernels;
mod latent_semantic;
mod low_rank;
mod mixture;
mod multi_task;
mod plan;
mod refit;
mod resume;
mod sparse_projection;
mod sparse_sgd;
