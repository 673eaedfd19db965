//! A ranking and judgments become figures; figures of two systems become a verdict.
//!
//! | module | question it answers |
//! |---|---|
//! | [`ranking`] | what does a metric look at? |
//! | [`tie_order`] | in which order do scores put documents, and who wins a tie? |
//! | [`metric`] | which metrics exist, and what are they called? |
//! | [`average_precision`], [`precision`], [`reciprocal_rank`], [`bpref`] | how well are relevant documents placed? |
//! | [`ndcg`], [`letor_ndcg`], [`err`], [`rbp`] | the same, with grades or a model of the reader |
//! | [`pair_error`] | what share of (better, worse) pairs is scored the wrong way round? |
//! | [`labelled`] | the two figures of the class-label protocol from one sort |
//! | [`evaluation`], [`summary`] | what are the values per query, their means and standard errors? |
//! | [`trec`] | which queries of a run and its judgments count? |
//! | [`significance`] | is the difference of two systems more than luck? |
//!
//! Three conventions hold everywhere. A document is relevant when its grade is at least 1. A negative grade means "not
//! judged" and gains nothing. Scores are `f32`, because trec_eval compares scores in single precision.
//!
//! ```
//! use qwd_metrics::{Judged, Metric, Ranking};
//!
//! let ranking = Ranking::from_grades(vec![2, 0, 1], Judged::new([2, 0, 1, 1]));
//! let map: Metric = "map".parse()?;
//! assert_eq!(map.value(&ranking), Some((1.0 + 2.0 / 3.0) / 3.0));
//! # Ok::<(), qwd_core::Error>(())
//! ```

pub mod average_precision;
pub mod bpref;
pub mod depth;
pub mod err;
pub mod evaluation;
pub mod labelled;
pub mod letor_ndcg;
pub mod metric;
mod metric_name;
pub mod ndcg;
pub mod pair_error;
pub mod precision;
pub mod ranking;
pub mod rbp;
pub mod reciprocal_rank;
pub mod significance;
pub mod summary;
pub mod tie_order;
pub mod trec;

pub use depth::Depth;
pub use evaluation::Evaluation;
pub use labelled::{LabelledFigures, measure_labelled};
pub use metric::Metric;
pub use ranking::{Judged, Ranking, UNJUDGED};
pub use summary::{Figures, Summary};
pub use tie_order::{TieOrder, order_documents};
pub use trec::{Coverage, Qrels, Run, evaluate};
