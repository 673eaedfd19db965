//! `qwd rank`: the second stage, rankers over feature vectors. One file per command.

mod compare;
mod cv;
mod eval;
pub(crate) mod inspect;
mod methods;
mod train;

use crate::exit::Outcome;
use crate::surroundings::Surroundings;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct RankArgs {
    #[command(subcommand)]
    command: RankCommand,
}

/// The commands of the second stage.
#[derive(Debug, Subcommand)]
enum RankCommand {
    /// Learn a ranker from a file of feature vectors.
    Train(train::TrainArgs),
    /// Measure a ranker on a file of feature vectors.
    Eval(eval::EvalArgs),
    /// Cross-validate a method: choose parameters on each fold's validation part, report on its test part.
    Cv(cv::CvArgs),
    /// Put rankers or cross-validated methods side by side, with tests of significance.
    Compare(compare::CompareArgs),
    /// Tell what is in a ranker's file, and which features it uses.
    Inspect(inspect::InspectArgs),
}

pub(crate) fn run(args: &RankArgs, here: &Surroundings) -> Outcome {
    match &args.command {
        RankCommand::Train(args) => train::run(args, here),
        RankCommand::Eval(args) => eval::run(args, here),
        RankCommand::Cv(args) => cv::run(args, here),
        RankCommand::Compare(args) => compare::run(args, here),
        RankCommand::Inspect(args) => inspect::run(args, here),
    }
}
