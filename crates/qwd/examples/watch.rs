//! Progress, and how to stop: libraries never print, an observer hears of everything and may end the work.
//!
//! `cargo run -p qwd --example watch`

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Prints what it hears and stops after so many tuples.
struct Impatient {
    limit: u64,
    heard: AtomicU64,
}

impl Observer for Impatient {
    fn progress(&self, progress: &Progress) -> Control {
        self.heard.store(progress.done, Ordering::Relaxed);
        if let Some(loss) = progress.loss {
            println!("{} {}/{}: loss {loss:.3}", progress.stage, progress.done, progress.total);
        }
        if progress.done >= self.limit { Control::Stop } else { Control::Continue }
    }
}

fn main() -> Result<()> {
    let texts: Vec<String> = (0..40).map(|i| format!("word{i} word{} shared", i + 1)).collect();
    let threads = Threads::new(0)?;
    let words =
        VectorizerParams::default().fit(&VocabularyParams::default(), texts.iter().map(String::as_str), &threads)?;
    let vectors = words.matrix(&texts, &threads);
    let preferences: Vec<Preference> = (0..2_000_000u32)
        .map(|i| Preference { query: i % 39, better: i % 39 + 1, worse: (i % 39 + 2 + i / 39 % 37) % 40, weight: 1.0 })
        .collect();
    let problem = Problem::try_new(&vectors, &vectors, &preferences)?;
    let observer = Impatient { limit: 1, heard: AtomicU64::new(0) };
    let sgd = SparseSgdParams { learning_rate: 0.1, ..SparseSgdParams::default() }.build()?;
    let mut session = Session::new(&threads, &observer);
    match sgd.train(&problem, Start::Identity, &Constraints::default(), &mut session) {
        Err(Error::Interrupted) => println!("stopped after {} tuples", observer.heard.load(Ordering::Relaxed)),
        outcome => println!("done before anyone could stop it: {} steps", outcome?.steps),
    }
    Ok(())
}
