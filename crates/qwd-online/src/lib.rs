//! Feedback to preferences to a better model, without losing a click.
//!
//! | module | question it answers |
//! |---|---|
//! | [`feedback`] | what can users tell? |
//! | [`record`] | what stands in the log? |
//! | `course` | how do records become models? The same ones give the same bytes. |
//! | [`learner`] | how does learning go on while users are served? |
//! | [`pins`] | which weights are set by hand? |
//! | [`version`] | which models were there, and where do they lie? |
//! | [`backup`] | how is all of it copied meanwhile? |
//! | [`replay`](mod@replay) | does the log lead to the same model again? |
//!
//! The log is the only truth: which version ranks, what was learned from which feedback and how a new model did on the part
//! that was held out, all of it stands there. Model files beside it are named by the log; one that it does not name is of a
//! process that died, and is removed.

pub mod backup;
mod course;
pub mod feedback;
pub mod learner;
pub mod pins;
pub mod record;
pub mod replay;
mod rewrite;
pub mod version;

pub use backup::back_up;
pub use course::LearnParams;
pub use feedback::Feedback;
pub use learner::{Learner, OnlineParams, Round};
pub use pins::Pin;
pub use replay::replay;
pub use version::{HeldOut, Version};
