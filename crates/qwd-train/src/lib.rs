//! Preferences to model: one file per algorithm, named as its paper names it.

pub mod adagrad;
mod best_seen;
mod block;
mod density;
pub mod diagonal;
mod engine;
mod entry;
mod entry_training;
pub mod ftrl;
mod gram;
pub mod identity;
mod problem;
mod rate;
pub mod refit;
mod row;
mod session;
pub mod sgd;
pub mod sparse_sgd;
mod sums;
mod trainer;
mod weights;

pub use adagrad::{Adagrad, AdagradParams};
pub use diagonal::{Diagonal, DiagonalParams};
pub use ftrl::{Ftrl, FtrlParams};
pub use identity::identity;
pub use problem::Problem;
pub use rate::Schedule;
pub use refit::{Refit, RefitParams, prune};
pub use session::{Checkpoints, Session, Watcher};
pub use sgd::{Sgd, SgdParams};
pub use sparse_sgd::{SparseSgd, SparseSgdParams};
pub use trainer::{Constraints, Start, Trained};
