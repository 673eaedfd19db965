//! IBM model 1: which word translates which, learned from aligned texts by expectation and maximisation.
//!
//! In a pair of texts every target word e comes from one of the source words f, or from none (NULL), each as likely:
//!
//! p(E | F) = ∏ₑ (t(e | NULL) + Σ_f c(f) t(e | f)) / (1 + Σ_f c(f))
//!
//! with c(f) how often f stands in the source text. A pass gives each e to the source words in proportion to c(f) t(e | f),
//! adds up what each f got, and makes t(e | f) its share. The likelihood never falls.
//!
//! Aligned documents are long, so most pairs of words meet by chance. Only the `max_partners` target words with the
//! highest DICE coefficient 2 n(f, e) / (n(f) + n(e)) are candidates for a source word, n being numbers of pairs. The table
//! is sparse, and each row of it is made by one thread, pair after pair: the same bytes at any number of threads.
//!
//! Citation: Brown, Della Pietra, Della Pietra and Mercer, "The Mathematics of Statistical Machine Translation: Parameter
//! Estimation", Computational Linguistics 19(2), 1993. Cost: a pass looks at every (source word, candidate) of every pair
//! twice; memory 12 bytes per candidate and 8 per target word of a pair. Do not use it for word order or phrases.

use qwd_core::{Csr, Error, Result, SparseVec, Threads, parameters};

parameters! {
    /// How translations are learned.
    #[derive(Copy)]
    pub struct IbmModel1Params {
        /// The number of passes over the pairs. At least 1.
        pub passes: usize = 10,
        /// The number of target words that a source word may become. At least 1.
        pub max_partners: usize = 100,
        /// In how many pairs of texts two words must meet. At least 1.
        pub min_pairs: u32 = 2,
        /// What is less likely than this is not kept. 0 to 1.
        pub min_probability: f64 = 0.001,
    }
}

/// How words translate.
#[derive(Debug, Clone, PartialEq)]
pub struct IbmModel1 {
    /// t(e | f): a row for every source word, a column for every target word.
    pub table: Csr,
    /// The logarithm of the likelihood before each pass.
    pub log_likelihood: Vec<f64>,
}

impl IbmModel1Params {
    /// Learns from pairs of texts: row i of both matrices counts the words of pair i.
    pub fn train(&self, source: &Csr, target: &Csr, threads: &Threads) -> Result<IbmModel1> {
        self.check(source, target)?;
        let mut training = Training::new(self, source, target, threads)?;
        let mut log_likelihood = Vec::with_capacity(self.passes);
        for _ in 0..self.passes {
            log_likelihood.push(training.pass(threads));
        }
        Ok(IbmModel1 { table: training.into_table(self.min_probability)?, log_likelihood })
    }

    fn check(&self, source: &Csr, target: &Csr) -> Result<()> {
        for (name, value) in
            [("passes", self.passes), ("max_partners", self.max_partners), ("min_pairs", self.min_pairs as usize)]
        {
            if value == 0 {
                return Err(Error::param(name, 0, "at least 1"));
            }
        }
        if !(0.0..=1.0).contains(&self.min_probability) {
            return Err(Error::param("min_probability", self.min_probability, "0 to 1"));
        }
        if source.n_rows() != target.n_rows() || source.nnz() == 0 || target.nnz() == 0 {
            let (n, m) = (source.n_rows(), target.n_rows());
            let what = format!("{n} texts of {} words on one side, {m} of {} on the other", source.nnz(), target.nnz());
            return Err(Error::bad_data(what, "give pairs of texts with known words on both sides"));
        }
        Ok(())
    }
}

/// Work is cut into pieces of this many rows, whatever the number of threads.
const BLOCK: usize = 256;

struct Training<'a> {
    source: &'a Csr,
    target: &'a Csr,
    /// For every source word, the pairs that it stands in.
    pairs_of: Csr,
    /// For every source word, where its candidates begin in `candidates` and `t`, and at last their number.
    starts: Vec<usize>,
    candidates: Vec<u32>,
    t: Vec<f64>,
    /// t(e | NULL).
    null: Vec<f64>,
}

impl<'a> Training<'a> {
    fn new(params: &IbmModel1Params, source: &'a Csr, target: &'a Csr, threads: &Threads) -> Result<Self> {
        let pairs_of = source.transpose();
        let mut n_pairs = vec![0u32; target.n_cols() as usize];
        target.rows().flat_map(|row| row.indices()).for_each(|&e| n_pairs[e as usize] += 1);
        let blocks = in_blocks(pairs_of.n_rows(), threads, |rows| {
            let mut met = vec![0u32; n_pairs.len()];
            rows.map(|f| partners(pairs_of.row(f).indices(), target, &n_pairs, &mut met, params)).collect::<Vec<_>>()
        });
        let (mut starts, mut candidates, mut t) = (vec![0], Vec::new(), Vec::new());
        for partners in blocks.into_iter().flatten() {
            t.extend(partners.iter().map(|_| 1.0 / partners.len() as f64));
            candidates.extend(partners);
            starts.push(candidates.len());
        }
        let null = vec![1.0 / n_pairs.len() as f64; n_pairs.len()];
        Ok(Self { source, target, pairs_of, starts, candidates, t, null })
    }

    /// One pass; returns the logarithm of the likelihood before it.
    fn pass(&mut self, threads: &Threads) -> f64 {
        let sums = self.sums(threads);
        let log_likelihood = self.log_likelihood(&sums);
        let rows =
            in_blocks(self.pairs_of.n_rows(), threads, |rows| rows.map(|f| self.shares(f, &sums)).collect::<Vec<_>>());
        self.null = self.null_shares(&sums);
        self.t = rows.into_iter().flatten().flatten().collect();
        log_likelihood
    }

    /// For every target word of every pair, t(e | NULL) + Σ_f c(f) t(e | f).
    fn sums(&self, threads: &Threads) -> Vec<Vec<f64>> {
        let blocks = in_blocks(self.source.n_rows(), threads, |pairs| {
            let mut buffer = vec![0.0; self.null.len()];
            let sums = pairs.map(|pair| {
                buffer.copy_from_slice(&self.null);
                for (f, count) in self.source.row(pair).iter() {
                    let row = self.starts[f as usize]..self.starts[f as usize + 1];
                    for (&e, &t) in self.candidates[row.clone()].iter().zip(&self.t[row]) {
                        buffer[e as usize] += f64::from(count) * t;
                    }
                }
                self.target.row(pair).indices().iter().map(|&e| buffer[e as usize]).collect()
            });
            sums.collect::<Vec<Vec<f64>>>()
        });
        blocks.into_iter().flatten().collect()
    }

    fn log_likelihood(&self, sums: &[Vec<f64>]) -> f64 {
        let of_pair = |(pair, sums): (usize, &Vec<f64>)| {
            let n_words = 1.0 + self.source.row(pair).values().iter().map(|&c| f64::from(c)).sum::<f64>();
            let words = self.target.row(pair).values().iter().zip(sums);
            words.map(|(&count, sum)| f64::from(count) * (sum / n_words).ln()).sum::<f64>()
        };
        sums.iter().enumerate().map(of_pair).sum()
    }

    /// What the candidates of a source word get of it in all pairs, made to add up to 1.
    fn shares(&self, f: usize, sums: &[Vec<f64>]) -> Vec<f64> {
        let row = self.starts[f]..self.starts[f + 1];
        let (candidates, t) = (&self.candidates[row.clone()], &self.t[row]);
        let mut expected = vec![0.0; candidates.len()];
        for (pair, count) in self.pairs_of.row(f).iter() {
            let words = self.target.row(pair as usize);
            let sums = &sums[pair as usize];
            let mut at = 0;
            for (k, &e) in candidates.iter().enumerate() {
                at += words.indices()[at..].partition_point(|&word| word < e);
                if words.indices().get(at) == Some(&e) {
                    expected[k] += f64::from(count) * t[k] * f64::from(words.values()[at]) / sums[at];
                }
            }
        }
        normalized(expected, t)
    }

    fn null_shares(&self, sums: &[Vec<f64>]) -> Vec<f64> {
        let mut expected = vec![0.0; self.null.len()];
        for (words, sums) in self.target.rows().zip(sums) {
            for ((e, count), sum) in words.iter().zip(sums) {
                expected[e as usize] += f64::from(count) * self.null[e as usize] / sum;
            }
        }
        normalized(expected, &self.null)
    }

    fn into_table(self, min_probability: f64) -> Result<Csr> {
        let mut table = Csr::empty(self.null.len() as u32);
        for row in self.starts.windows(2) {
            let row = row[0]..row[1];
            let kept = self.candidates[row.clone()].iter().zip(&self.t[row]);
            let kept = kept.filter(|&(_, &t)| t >= min_probability && t as f32 > 0.0);
            let (indices, values) = kept.map(|(&e, &t)| (e, t as f32)).unzip();
            table.push(SparseVec::try_new(indices, values)?.view())?;
        }
        Ok(table)
    }
}

/// The candidates of a source word that stands in `pairs`, by rising number; `met` is all 0 before and after.
fn partners(pairs: &[u32], target: &Csr, n_pairs: &[u32], met: &mut [u32], params: &IbmModel1Params) -> Vec<u32> {
    let mut seen = Vec::new();
    for &pair in pairs {
        for &e in target.row(pair as usize).indices() {
            if met[e as usize] == 0 {
                seen.push(e);
            }
            met[e as usize] += 1;
        }
    }
    let dice = |e: u32| 2.0 * f64::from(met[e as usize]) / (pairs.len() as f64 + f64::from(n_pairs[e as usize]));
    let mut partners: Vec<u32> = seen.iter().copied().filter(|&e| met[e as usize] >= params.min_pairs).collect();
    partners.sort_unstable_by(|&a, &b| dice(b).total_cmp(&dice(a)).then(a.cmp(&b)));
    partners.truncate(params.max_partners);
    partners.sort_unstable();
    seen.into_iter().for_each(|e| met[e as usize] = 0);
    partners
}

/// Shares that add up to 1; those of before where nothing was expected, as for a word without pairs.
fn normalized(mut expected: Vec<f64>, before: &[f64]) -> Vec<f64> {
    let sum: f64 = expected.iter().sum();
    if sum <= 0.0 {
        return before.to_vec();
    }
    expected.iter_mut().for_each(|x| *x /= sum);
    expected
}

/// Applies `f` to ranges of rows, in parallel, and returns the results in order.
fn in_blocks<T: Send>(n: usize, threads: &Threads, f: impl Fn(std::ops::Range<usize>) -> T + Sync + Send) -> Vec<T> {
    threads.map(n.div_ceil(BLOCK), |block| f(block * BLOCK..((block + 1) * BLOCK).min(n)))
}

#[cfg(test)]
#[path = "ibm_model1_tests.rs"]
mod tests;
