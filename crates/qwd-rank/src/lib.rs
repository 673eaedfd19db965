//! Feature vectors to rankers: the second stage, where a learned match is one feature among others.
//!
//! | module | question it answers |
//! |---|---|
//! | [`feature_set`], [`reader`], [`folds`], [`scaling`] | what is learned from, and how do files become it? |
//! | [`method`] | which methods are there, and how is one called by name? |
//! | [`fenchel_rank`], [`tgrank`], [`rsrank`], [`fs_rank`] | sparse linear rankers |
//! | [`ranksvm_primal`], [`ranksvm_struct`], [`listnet`], [`adarank`], [`coordinate_ascent`] | other linear rankers |
//! | [`rankboost`], [`mart`], [`lambdamart`] | rankers of thresholds and trees |
//! | [`blend`] | several of them, added up |
//! | [`ranker`], [`linear`], [`tree`] | what comes out, how does it score, which features does it use? |
//! | [`ranker_file`], [`lightgbm`] | how does it lie on disk? |
//! | [`measure`], [`training_measure`] | how good is it? |
//! | [`grid`], [`regularization_path`], [`cross_validation`], [`comparison`] | which parameters, which figures on unseen queries, and is the difference luck? |
//!
//! Same data, parameters and seed give the same bytes at any number of threads.
//!
//! ```
//! use qwd_core::{Silent, Threads};
//! use qwd_rank::{FeatureSet, Method};
//!
//! let columns = vec![vec![0.9, 0.1, 0.8, 0.3], vec![0.5, 0.6, 0.1, 0.2]];
//! let train = FeatureSet::from_parts(columns, vec![1, 0, 2, 0], vec![("q1".into(), 2), ("q2".into(), 2)])?;
//! let ranker = Method::from_name("fenchel")?.train(&train, None, &Threads::default(), &Silent)?;
//! assert!(ranker.score(&[0.7, 0.0]) > ranker.score(&[0.2, 0.0]));
//! # Ok::<(), qwd_core::Error>(())
//! ```

pub mod adarank;
mod best_round;
mod bins;
pub mod blend;
mod boosting;
pub mod comparison;
pub mod coordinate_ascent;
pub mod cross_validation;
pub mod feature_set;
pub mod fenchel_rank;
pub mod folds;
mod frank_wolfe;
pub mod fs_rank;
pub mod grid;
pub mod lambdamart;
pub mod lightgbm;
mod line_search;
pub mod linear;
mod linear_algebra;
pub mod listnet;
pub mod mart;
pub mod measure;
pub mod method;
mod pair_sums;
mod pairs;
mod progress;
pub mod rankboost;
pub mod ranker;
pub mod ranker_file;
pub mod ranksvm_primal;
pub mod ranksvm_struct;
pub mod reader;
pub mod regularization_path;
pub mod rsrank;
pub mod scaling;
pub mod tgrank;
pub mod training_measure;
pub mod tree;
mod tree_growth;

pub use comparison::{Comparison, compare, compare_evaluations};
pub use cross_validation::{CrossValidated, CrossValidation};
pub use feature_set::FeatureSet;
pub use fenchel_rank::{FenchelRank, FenchelRankParams};
pub use folds::Fold;
pub use grid::Grid;
pub use linear::Linear;
pub use measure::{Figures, MetricFamily, Named, Validation, evaluate};
pub use method::{METHODS, Method, MethodInfo};
pub use ranker::{ChosenFeature, Ranker};
pub use ranker_file::RankerFile;
pub use scaling::{Scaler, Scaling};
pub use tree::Trees;
