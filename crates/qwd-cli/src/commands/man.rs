//! `qwd man`: the manual page.

use crate::arguments::Arguments;
use crate::exit::Outcome;
use crate::surroundings::Surroundings;
use clap::{Args, CommandFactory};
use qwd_core::Error;
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The page of one command in place of the overview.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(args: &ManArgs, here: &Surroundings) -> Outcome {
    let mut all = Arguments::command();
    all.build();
    let command = match &args.command {
        None => all,
        Some(name) => {
            let known = || all.get_subcommands().map(|c| c.get_name().to_string()).collect::<Vec<_>>().join(", ");
            let found = all.find_subcommand(name).cloned();
            found.ok_or_else(|| Error::param("command", name, format!("one of {}", known())))?
        }
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut page);
    rendered.map_err(|e| Error::io("standard output", "write", e))?;
    let page = String::from_utf8_lossy(&page);
    here.output.show(page.trim_end())?;
    here.output.answer(&json!({ "page": page }))
}
