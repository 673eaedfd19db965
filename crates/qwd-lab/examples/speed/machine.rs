//! The machine: its processor and caches, and how fast its memory is.

use serde_json::{Value, json};
use std::fs::read_to_string;
use std::hint::black_box;
use std::time::Instant;

/// Runs of a memory measurement, of which the best counts.
const REPEATS: usize = 5;
/// Lines read in one run of the random reads.
const RANDOM_LINES: usize = 4_000_000;

/// How fast memory of the size of W is.
pub(crate) struct Memory {
    /// Bytes that one thread copies in a second; each is read once and written once.
    pub(crate) copied_per_second: f64,
    /// Lines of cache that one thread reads in a second, in random order, with many under way at a time.
    pub(crate) random_lines_per_second: f64,
}

impl Memory {
    pub(crate) fn measure(n_words: usize) -> Self {
        let n_entries = (n_words * n_words).clamp(1 << 20, 1 << 28);
        let mut from = qwd_core::memory::zeroed::<f32>(n_entries);
        let mut to = qwd_core::memory::zeroed::<f32>(n_entries);
        from.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
        let copy = fastest(|| {
            to.copy_from_slice(black_box(&from));
            black_box(&to);
        });
        let random = fastest(|| {
            let mut state = 1u64;
            let mut sum = 0.0;
            for _ in 0..RANDOM_LINES {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                sum += from[((state >> 32) as usize * n_entries) >> 32];
            }
            black_box(sum);
        });
        Self {
            copied_per_second: (n_entries * size_of::<f32>()) as f64 / copy,
            random_lines_per_second: RANDOM_LINES as f64 / random,
        }
    }
}

/// The shortest of some runs, in seconds.
fn fastest(mut work: impl FnMut()) -> f64 {
    let seconds = |work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64()
    };
    (0..REPEATS).map(|_| seconds(&mut work)).fold(f64::INFINITY, f64::min)
}

/// Processor, cores and caches.
pub(crate) fn report() -> Value {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let mut caches = serde_json::Map::new();
    for index in 0..8 {
        let read = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
            read_to_string(path).map(|text| text.trim().to_string())
        };
        if let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) {
            caches.insert(format!("L{level} {}", kind.to_lowercase()), size.into());
        }
    }
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    json!({ "cpu": model.unwrap_or("unknown"), "cores": cores, "caches": caches })
}

/// Processor time of all threads of this process so far, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let times = read_to_string(task.path().join("schedstat")).ok()?;
        times.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}

/// The most memory that this process has had in use so far, in bytes.
pub(crate) fn peak_resident() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) * 1024
}
