//! `qwd completions`: a script that completes commands in a shell.

use crate::arguments::Arguments;
use crate::exit::Outcome;
use crate::surroundings::Surroundings;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, here: &Surroundings) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "qwd", &mut script);
    let script = String::from_utf8_lossy(&script);
    here.output.show(script.trim_end())?;
    here.output.answer(&json!({ "shell": args.shell.to_string(), "script": script }))
}
