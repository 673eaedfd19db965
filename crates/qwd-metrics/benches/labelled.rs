//! Times one query of the class-label protocol: `cargo bench -p qwd-metrics`.
#![expect(clippy::print_stdout, reason = "a benchmark's output is its result")]

use qwd_core::{Result, Rng};
use qwd_metrics::{TieOrder, measure_labelled};
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    for (name, n, n_classes) in [("20 Newsgroups", 7_532u32, 20), ("MNIST", 10_000, 10)] {
        let mut rng = Rng::new(1);
        let scores: Vec<f32> = (0..n).map(|_| rng.unit() as f32).collect();
        let relevant: Vec<bool> = (0..n).map(|_| rng.below(n_classes) == 0).collect();
        let ties = TieOrder::by_number(n);
        let mut fastest = Duration::MAX;
        for query in 0..500 {
            let start = Instant::now();
            std::hint::black_box(measure_labelled(&scores, &relevant, Some(query), &ties)?);
            fastest = fastest.min(start.elapsed());
        }
        println!("{name}: {} µs a query of {} documents", fastest.as_micros(), n - 1);
    }
    Ok(())
}
