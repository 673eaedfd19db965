//! The commands, one file each: arguments, the calls they become, and how the answer is told.

pub(crate) mod backup;
pub(crate) mod clicks;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dataset;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod features;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod mix;
pub(crate) mod models;
pub(crate) mod plot;
pub(crate) mod rank;
pub(crate) mod related;
pub(crate) mod reproduce;
pub(crate) mod score;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod simulate_clicks;
pub(crate) mod sparsify;
pub(crate) mod train;
pub(crate) mod translate;
pub(crate) mod tune;
pub(crate) mod update;
pub(crate) mod verify;

use crate::arguments::{Arguments, Command};
use crate::exit::Outcome;
use crate::interrupt;
use crate::surroundings::Surroundings;

/// Runs the command that was typed.
pub(crate) fn run(arguments: Arguments) -> Outcome {
    // A server ends its requests before it ends itself, and hears signals on its own.
    if !matches!(arguments.command, Command::Serve(_)) {
        interrupt::install();
    }
    let here = Surroundings::new(arguments.threads, arguments.json)?;
    match arguments.command {
        Command::Demo(args) => demo::run(&args, &here),
        Command::Dataset(args) => dataset::run(&args, &here),
        Command::Train(args) => train::run(&args, &here),
        Command::Tune(args) => tune::run(&args, &here),
        Command::Update(args) => update::run(&args, &here),
        Command::Translate(args) => translate::run(&args, &here),
        Command::Mix(args) => mix::run(&args, &here),
        Command::Sparsify(args) => sparsify::run(&args, &here),
        Command::Eval(args) => eval::run(&args, &here),
        Command::Compare(args) => compare::run(&args, &here),
        Command::Related(args) => related::run(&args, &here),
        Command::Score(args) => score::run(&args, &here),
        Command::Index(args) => index::run(&args, &here),
        Command::Search(args) => search::run(&args, &here),
        Command::Serve(args) => serve::run(&args, &here),
        Command::Models(args) => models::run(&args, &here),
        Command::Backup(args) => backup::back_up(&args, &here),
        Command::Restore(args) => backup::restore(&args, &here),
        Command::Export(args) => export::run(&args, &here),
        Command::Inspect(args) => inspect::run(&args, &here),
        Command::Verify(args) => verify::run(&args, &here),
        Command::Plot(args) => plot::run(&args, &here),
        Command::Features(args) => features::run(&args, &here),
        Command::Rank(args) => rank::run(&args, &here),
        Command::Clicks(args) => clicks::run(&args, &here),
        Command::SimulateClicks(args) => simulate_clicks::run(&args, &here),
        Command::Reproduce(args) => reproduce::run(&args, &here),
        Command::Completions(args) => completions::run(&args, &here),
        Command::Man(args) => man::run(&args, &here),
    }
}
