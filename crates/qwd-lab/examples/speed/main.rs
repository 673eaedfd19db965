//! The speed, memory and growth benchmark of training, on 20 Newsgroups; `experiments/speed/` runs it against Vowpal
//! Wabbit and keeps the results.
//!
//! `cargo run --release -p qwd-lab --example speed -- COMMAND --data FOLDER [--tuples N] [--words N] [--threads N]
//! [--method NAME] [--set key=value]... [--json]`
//!
//! | command | question it answers |
//! |---|---|
//! | `convert --data FOLDER --out NEW` | (makes the data set's folder once, so that the others need not) |
//! | `export --out FILE.vw [--tuples-out FILE]` | what do the tuples look like to Vowpal Wabbit? |
//! | `train [--repeat N]` | how fast is training, and what bounds it? |
//! | `eval --weights FILE` | how well does a foreign W rank? |
//! | `reach --map M [--every N]` | how long until W ranks so well? |
//! | `memory` | how much memory does training take, how large is the model? |
//! | `growth` | what does the time grow with? |
#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]

mod arguments;
mod export;
mod growth;
mod machine;
mod memory;
mod quality;
mod setup;
mod table;
mod traffic;
mod training;

use arguments::Arguments;
use qwd_core::{Error, Result};
use serde_json::Value;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let report = match arguments.command.as_str() {
        "convert" => setup::convert(&arguments)?,
        "export" => export::run(&arguments)?,
        "train" => training::run(&arguments)?,
        "eval" => quality::eval(&arguments)?,
        "reach" => quality::reach(&arguments)?,
        "memory" => memory::run(&arguments)?,
        "growth" => growth::run(&arguments)?,
        other => return Err(Error::param("command", other, "convert, export, train, eval, reach, memory or growth")),
    };
    println!("{}", if arguments.has("json") { json(&report)? } else { table::text(&report) });
    Ok(())
}

fn json(report: &Value) -> Result<String> {
    serde_json::to_string_pretty(report).map_err(|e| Error::internal(e.to_string()))
}
