//! The program as a program: every test runs `qwd` itself in a folder of its own.
//!
//! | file | theme |
//! |---|---|
//! | `commands` | what each command answers, to people and to scripts |
//! | `training` | settings, configurations, reports, constraints, the same bytes at any number of threads |
//! | `updating` | training that goes on gives the bytes of one run |
//! | `measuring` | figures, runs, comparisons |
//! | `ranking` | the second stage: features, rankers, folds, the tables of their paper |
//! | `searching` | indexes: made, changed, asked, described, verified |
//! | `serving` | servers and what they leave: settings, stops, versions, pins, backups, damage |
//! | `exporting` | files for other engines |
//! | `datasets` | public data sets from folders and over HTTP |
//! | `documents` | the commands that the README shows |
//! | `bad_input` | messages and exit codes for what is wrong |
//! | `stopping` | Ctrl-C, closed pipes, huge lines |
//!
//! `folders` makes the data, `running` runs the program.

mod bad_input;
mod commands;
mod datasets;
mod documents;
mod exporting;
mod folders;
#[path = "../../../../tests/promises/http/mod.rs"]
mod http;
mod measuring;
mod ranking;
mod running;
mod searching;
mod serving;
mod stopping;
mod training;
mod updating;
