//! `qwd simulate-clicks`: a click log of any size, with its truth known.

use crate::exit::Outcome;
use crate::interrupt;
use crate::output::table;
use crate::surroundings::Surroundings;
use clap::Args;
use qwd_lab::simulate_clicks::{SimulatorParams, simulate};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SimulateClicksArgs {
    /// A TOML file with the size of the log and the behaviour of its world, or `one-week` or `half-year`.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The folder to make, which must not be there yet or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Make this share of the queries only.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    share: f64,
}

pub(crate) fn run(args: &SimulateClicksArgs, here: &Surroundings) -> Outcome {
    let params = match args.config.to_str().and_then(SimulatorParams::named) {
        Some(params) => params,
        None => SimulatorParams::read(&args.config)?,
    };
    let params = params.scaled(args.share)?;
    interrupt::will_write(&args.out);
    let made = simulate(&params, &args.out, &here.threads, &here.bar)?;
    here.bar.finish();
    let rows = [
        ("queries", made.n_queries),
        ("documents", made.n_documents),
        ("clicked pairs", made.n_pairs),
        ("clicks", made.n_clicks),
        ("sessions", made.n_sessions),
        ("judged queries", made.n_judged),
        ("judgments", made.n_judgments),
    ];
    here.output.show(table(&[&params.name, "count"], rows.map(|(what, n)| vec![what.to_string(), n.to_string()])))?;
    here.output.show(format_args!("in {}", made.folder.display()))?;
    here.output.answer(&made)
}
