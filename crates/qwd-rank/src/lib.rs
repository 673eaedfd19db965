//! Feature vectors to rankers.
pub mod feature_set;
pub mod fenchel_rank;
pub mod folds;
mod line_search;
pub mod linear;
mod linear_algebra;
pub mod measure;
mod pairs;
mod progress;
pub mod ranker;
pub mod reader;
pub mod scaling;
pub mod tree;
pub use feature_set::FeatureSet;
