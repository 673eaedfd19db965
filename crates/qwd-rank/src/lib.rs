//! Feature vectors to rankers.
pub mod feature_set;
pub mod folds;
pub mod reader;
pub mod scaling;
pub use feature_set::FeatureSet;
