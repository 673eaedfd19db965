//! FenchelRank on a made set like MSLR-WEB: `scale DOCUMENTS…` prints, for each number of documents (136 features, 100
//! documents a query, r = 16, gap 0.01), the seconds per iteration and the peak memory beside the bytes of the values.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use qwd_core::{Result, Rng, Silent, Threads};
use qwd_rank::{FeatureSet, FenchelRankParams};
use std::time::Instant;

const N_FEATURES: usize = 136;
const PER_QUERY: usize = 100;

fn main() -> Result<()> {
    println!("documents  iterations  gap     seconds  ms/iteration  data MB  peak MB so far");
    for n in std::env::args().skip(1).filter_map(|n| n.parse::<usize>().ok()) {
        let set = made(n / PER_QUERY)?;
        let params = FenchelRankParams { radius: 16.0, tolerance: 0.01, max_iterations: 1000, ..Default::default() };
        let begun = Instant::now();
        let fit = params.build()?.fit(&set, &Threads::new(0)?, &Silent)?;
        let seconds = begun.elapsed().as_secs_f64();
        let (steps, gap) = (fit.trace.len(), fit.trace.last().map_or(0.0, |point| point.gap));
        let data = (set.n_documents() * N_FEATURES * 4) >> 20;
        println!(
            "{n:9}  {steps:10}  {gap:.4}  {seconds:7.1}  {:12.1}  {data:7}  {}",
            1000.0 * seconds / steps as f64,
            peak()
        );
    }
    Ok(())
}

/// Ten features carry the grades, 0 to 4 and mostly 0; the others are noise.
fn made(n_queries: usize) -> Result<FeatureSet> {
    let n = n_queries * PER_QUERY;
    let columns: Vec<Vec<f32>> = (0..N_FEATURES)
        .map(|j| {
            let mut rng = Rng::part(1, j as u64);
            (0..n).map(|_| rng.unit() as f32).collect()
        })
        .collect();
    let mut rng = Rng::new(2);
    let signal = |i: usize| (0..10).map(|j| columns[j][i] * (10 - j) as f32).sum::<f32>() / 55.0;
    let grade = |i: usize, noise: f64| (((f64::from(signal(i)) + 0.3 * noise - 0.7) * 12.0).ceil() as i32).clamp(0, 4);
    let grades = (0..n).map(|i| grade(i, rng.unit())).collect();
    FeatureSet::from_parts(columns, grades, (0..n_queries).map(|q| (q.to_string(), PER_QUERY)).collect())
}

/// The largest memory that the process has had, in MB.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kb.map_or_else(|| "unknown".into(), |kb| (kb >> 10).to_string())
}
