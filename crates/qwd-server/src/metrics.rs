//! Counts and times, in the text that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1.0, 10.0];

/// What a server counts.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    times: Mutex<BTreeMap<&'static str, Times>>,
    pub(crate) shed: AtomicU64,
    pub(crate) feedback: AtomicU64,
    pub(crate) rounds: AtomicU64,
    pub(crate) shadow_searches: AtomicU64,
    /// Thousandths of the share of the current model's hits that the shadow has, too.
    pub(crate) shadow_overlap: AtomicU64,
}

#[derive(Debug, Default)]
struct Times {
    buckets: [u64; BOUNDS.len()],
    n: u64,
    sum: f64,
}

/// A value that is read when asked for.
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) values: Vec<(String, f64)>,
}

impl Metrics {
    pub(crate) fn note(&self, route: &'static str, status: u16, took: Duration) {
        *lock(&self.requests).entry((route, status)).or_default() += 1;
        let mut times = lock(&self.times);
        let times = times.entry(route).or_default();
        let seconds = took.as_secs_f64();
        for (bucket, bound) in times.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        times.n += 1;
        times.sum += seconds;
    }

    pub(crate) fn render(&self, gauges: &[Gauge]) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<String>| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "{line}");
            });
        };
        let requests = lock(&self.requests);
        let requests = requests
            .iter()
            .map(|((route, status), n)| format!("qwd_requests_total{{route=\"{route}\",status=\"{status}\"}} {n}"));
        family("qwd_requests_total", "counter", "Requests answered.", requests.collect());
        let mut lines = Vec::new();
        for (route, times) in lock(&self.times).iter() {
            for (n, bound) in times.buckets.iter().zip(BOUNDS) {
                lines.push(format!("qwd_request_seconds_bucket{{route=\"{route}\",le=\"{bound}\"}} {n}"));
            }
            lines.push(format!("qwd_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {}", times.n));
            lines.push(format!("qwd_request_seconds_sum{{route=\"{route}\"}} {}", times.sum));
            lines.push(format!("qwd_request_seconds_count{{route=\"{route}\"}} {}", times.n));
        }
        family("qwd_request_seconds", "histogram", "Time to answer a request.", lines);
        for (name, help, value) in [
            ("qwd_shed_total", "Requests turned away because the server was busy.", &self.shed),
            ("qwd_feedback_total", "Things told by users and acknowledged.", &self.feedback),
            ("qwd_rounds_total", "Rounds of learning.", &self.rounds),
            ("qwd_shadow_searches_total", "Searches answered in the shadow, too.", &self.shadow_searches),
            (
                "qwd_shadow_overlap_thousandths_total",
                "Sum of shared hits of shadow and current model.",
                &self.shadow_overlap,
            ),
        ] {
            family(name, "counter", help, vec![format!("{name} {}", value.load(Ordering::Relaxed))]);
        }
        for Gauge { name, help, values } in gauges {
            family(
                name,
                "gauge",
                help,
                values.iter().map(|(labels, value)| format!("{name}{labels} {value}")).collect(),
            );
        }
        out
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
