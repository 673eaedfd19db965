//! What a researcher's day needs: data sets, the papers' experiments, plots.
//!
//! | module | question it answers |
//! |---|---|
//! | [`demo`] | which data set is always at hand? |
//! | [`download`], [`collection`] | how do public data sets get here? |
//! | [`keywords`], [`translation`] | which queries can be made of documents, or of queries in another language? |
//! | [`defaults`], [`settings`] | how is a training run planned, if nothing or only a little is said? |
//! | [`word_files`], [`support`] | what may be said about words beforehand? |
//! | [`held_out`], [`tune`] | which parameters are best on data that training has not seen? |
//! | [`metrics`], [`contender`], [`compare`], [`rankings`] | how good is a model, and is it better than another? |
//! | [`protocol`] | how does paper 2 measure any method? |
//! | [`features`], [`field_features`] | how do matches become features of a ranker? |
//! | [`word_pairs`], [`curves`], [`ranker_curves`] | what has a model learned, and how fast? |
//! | [`click_report`] | what does a click log hold? |
//! | [`click_graph`] | how do clicks and texts become one graph with features on both sides? |
//! | [`position_bias`], [`interleaving`], [`off_policy`] | what do clicks say about positions, and about rankers? |
//! | [`scorers`] | how do baselines match that are no W? |
//! | [`judged`] | how does the RMLS paper measure any method? |
//! | [`simulate_clicks`] | what would a click log of any size look like, with its truth known? |
//! | [`reproduce`] | what do the papers' tables look like, run anew? |

pub mod auto;
pub mod click_graph;
pub mod click_report;
pub mod collection;
pub mod compare;
pub mod contender;
pub mod curves;
pub mod defaults;
pub mod demo;
pub mod download;
pub mod features;
pub mod field_features;
pub mod held_out;
pub mod interleaving;
pub mod judged;
pub mod keywords;
pub mod metrics;
pub mod off_policy;
pub mod plot;
pub mod position_bias;
mod prepared_texts;
pub mod protocol;
pub mod ranker_curves;
pub mod rankings;
pub mod reproduce;
pub mod scorers;
pub mod settings;
pub mod simulate_clicks;
pub mod support;
pub mod translation;
pub mod tune;
pub mod word_files;
pub mod word_pairs;
