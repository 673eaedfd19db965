//! The HTTP API and the web page of qwd.
//!
//! | module | question it answers |
//! |---|---|
//! | [`config`] | what is a server told? |
//! | [`server`] | how does it listen, and how does it stop? |
//! | `routes` | which requests are there? One table. |
//! | `access` | who may do what? |
//! | `request`, `problem` | how is a request read, and how is an error told? |
//! | `app`, `served` | what do requests share, and how is an index asked and changed at once? |
//! | [`backup`] | how is an index copied while it is served? |
//! | `metrics`, `journal` | what was counted, and what is logged? |
//!
//! The page is one file, `page/index.html`; it asks nothing of any other host.

mod access;
mod app;
pub mod backup;
pub mod config;
mod journal;
mod metrics;
mod problem;
mod request;
mod routes;
mod served;
pub mod server;

pub use backup::copy_index;
pub use config::{Config, IndexConfig, Limits, Tokens};
pub use served::FEEDBACK_FOLDER;
pub use server::serve;
