//! Several threads, the bytes of one.
//!
//! Floating-point sums depend on their order, so work is cut into pieces by the data alone, never by the number of
//! threads, and results are put together in the order of the pieces.

use crate::error::{Error, Result};
use rayon::prelude::*;

/// A pool of worker threads.
#[derive(Debug)]
pub struct Threads {
    pool: rayon::ThreadPool,
}

impl Threads {
    /// A pool of `n` threads; 0 means as many as the machine has cores.
    pub fn new(n: usize) -> Result<Self> {
        if n > 1024 {
            return Err(Error::param("threads", n, "0 (one per core) to 1024"));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .map_err(|e| Error::internal(format!("cannot start {n} threads: {e}")))?;
        Ok(Self { pool })
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Applies `f` to 0, 1, … `n`-1 and returns the results in that order.
    pub fn map<T: Send>(&self, n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        if self.count() == 1 || n <= 1 {
            return (0..n).map(f).collect();
        }
        self.pool.install(|| (0..n).into_par_iter().with_max_len(1).map(f).collect())
    }

    /// Applies `f` to every item and returns the results in order; the items may be changed.
    pub fn map_mut<I: Send, T: Send>(&self, items: &mut [I], f: impl Fn(usize, &mut I) -> T + Sync + Send) -> Vec<T> {
        if self.count() == 1 || items.len() <= 1 {
            return items.iter_mut().enumerate().map(|(i, item)| f(i, item)).collect();
        }
        self.pool.install(|| items.par_iter_mut().with_max_len(1).enumerate().map(|(i, item)| f(i, item)).collect())
    }
}

impl Default for Threads {
    /// One thread: the caller's own.
    fn default() -> Self {
        Self::new(1).expect("a pool of one thread")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_at_any_count() {
        let expected: Vec<usize> = (0..1000).map(|i| i * i).collect();
        for n in [1, 2, 3, 8] {
            assert_eq!(Threads::new(n).expect("pool").map(1000, |i| i * i), expected);
        }
    }
}
