//! Preferences to model: one file per algorithm, named as its paper names it.

pub mod adagrad;
mod best_seen;
mod block;
mod density;
pub mod diagonal;
mod engine;
mod entry;
mod entry_training;
pub mod evaluate;
pub mod ftrl;
mod gram;
pub mod group_lasso;
pub mod identity;
pub mod method;
pub mod plan;
mod problem;
mod rate;
pub mod refit;
mod row;
mod session;
pub mod sgd;
pub mod sparse_sgd;
mod sums;
#[cfg(test)]
mod test_data;
mod trainer;
pub mod update;
pub mod vectors;
mod weights;

pub use adagrad::{Adagrad, AdagradParams};
pub use diagonal::{Diagonal, DiagonalParams};
pub use evaluate::evaluate;
pub use ftrl::{Ftrl, FtrlParams};
pub use group_lasso::{GroupLasso, GroupLassoParams, Hierarchy};
pub use identity::identity;
pub use method::{METHODS, Method, MethodInfo};
pub use plan::{Look, Outcome, Plan};
pub use problem::Problem;
pub use rate::Schedule;
pub use refit::{Refit, RefitParams, prune};
pub use session::{Checkpoints, Session, Watcher};
pub use sgd::{Sgd, SgdParams};
pub use sparse_sgd::{SparseSgd, SparseSgdParams};
pub use trainer::{Constraints, Start, Trained};
pub use update::update;
pub use vectors::{Prepared, TextParams, Vectors};
