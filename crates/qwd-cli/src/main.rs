//! The program `qwd`: arguments in, calls out, words for people.
//!
//! | module | question it answers |
//! |---|---|
//! | `arguments` | what may be typed? |
//! | `commands` | what does each command do? One file per command. |
//! | `surroundings` | what do all commands share? |
//! | `data`, `plans` | how are the data and the plan of a command found? |
//! | `output` | what goes to standard output, what to people? |
//! | `progress` | what is seen while one waits? |
//! | `demo_page` | where does the demonstration end? |
//! | `exit` | which exit code has which end? |
//! | `interrupt` | what does Ctrl-C do? |

mod arguments;
mod commands;
mod data;
mod demo_page;
mod exit;
mod interrupt;
mod output;
mod plans;
mod progress;
mod surroundings;

use clap::Parser;

fn main() -> std::process::ExitCode {
    exit::guarded(|| commands::run(arguments::Arguments::parse()))
}
