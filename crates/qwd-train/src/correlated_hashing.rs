//! Correlated feature hashing: every word stands in the bins of the k frequent words that it goes together with best, in
//! front of any form of W (section 2.2.3 of the supervised semantic indexing paper, equation 6 and Algorithm 1).
//!
//! DICE(i, j) = 2 cooccur(i, j) / (occur(i) + occur(j)), where occurrences are counted in documents or in sentences. The
//! bins are the F words that occur in most of them; a bin's word goes together with itself best. A text's vector x becomes
//! Sᵀx, where `S[i][j]` = 1/√k for the k bins j of word i, so that a product of two texts has the 1/k of equation 6. Runs of
//! words (n-grams) are terms like others but are no bins.
//!
//! **Cost.** Exact, in one pass over the texts: which words a text has is kept (4 bytes each, and once more by word), and
//! the counts of one word with all bins are made when its turn comes, in F counters. So memory does not depend on how many
//! pairs of words occur together; time is the sum over texts of (words) × (words with a bin).

use qwd_core::top_k::{Scored, top_k};
use qwd_core::{Csr, Error, Result, SparseVec, Threads, parameters};
use serde::{Deserialize, Serialize};

/// In what words occur together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// In a document.
    #[default]
    Document,
    /// In a sentence.
    Sentence,
}

/// What is put into bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// Words and n-grams.
    #[default]
    All,
    /// What is no bin itself: another model knows the frequent words.
    Rare,
    /// Runs of words.
    Ngrams,
}

parameters! {
    /// Parameters of correlated feature hashing.
    pub struct CorrelatedHashingParams {
        /// The number of bins, at least 1; no more are used than there are words. Symbol: F.
        pub bins: usize = 30_000,
        /// The number of bins of a word, 1 to `bins`. Symbol: k.
        pub per_word: usize = 5,
        /// In what words occur together: `document` or `sentence`.
        pub level: Level = Level::Document,
        /// What is put into bins, the rest being left out of texts: `all`, `rare` (what is no bin itself) or `ngrams`.
        pub terms: Terms = Terms::All,
    }
}

impl CorrelatedHashingParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<CorrelatedHashing> {
        if self.bins == 0 {
            return Err(Error::param("bins", 0, "at least 1"));
        }
        if !(1..=self.bins).contains(&self.per_word) {
            return Err(Error::param("per_word", self.per_word, format!("1 to {} (bins)", self.bins)));
        }
        Ok(CorrelatedHashing { params: self })
    }
}

/// Correlated feature hashing with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelatedHashing {
    params: CorrelatedHashingParams,
}

/// Which words each text has: what co-occurrences are counted in.
#[derive(Debug, Clone, Default)]
pub struct Units {
    starts: Vec<usize>,
    words: Vec<u32>,
}

impl Units {
    /// Adds a document or sentence; a word that occurs twice counts once.
    pub fn push(&mut self, words: impl IntoIterator<Item = u32>) {
        let start = self.words.len();
        self.words.extend(words);
        self.words[start..].sort_unstable();
        let mut at = start;
        for i in start..self.words.len() {
            if i == start || self.words[i] != self.words[at - 1] {
                self.words[at] = self.words[i];
                at += 1;
            }
        }
        self.words.truncate(at);
        self.starts.push(start);
    }

    /// The words of some rows of vectors, each row a unit.
    pub fn of_rows(rows: &Csr, numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut units = Self::default();
        for number in numbers {
            units.push(rows.row(number as usize).indices().iter().copied());
        }
        units
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    fn unit(&self, i: usize) -> &[u32] {
        let end = self.starts.get(i + 1).copied().unwrap_or(self.words.len());
        &self.words[self.starts[i]..end]
    }

    /// The units of every word, one after the other, and where each word's begin.
    fn by_word(&self, n_words: usize) -> (Vec<usize>, Vec<u32>) {
        let mut starts = vec![0usize; n_words + 1];
        self.words.iter().for_each(|&word| starts[word as usize + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let mut units = vec![0u32; self.words.len()];
        for i in 0..self.len() {
            for &word in self.unit(i) {
                units[next[word as usize]] = i as u32;
                next[word as usize] += 1;
            }
        }
        (starts, units)
    }
}

/// Words that are counted by one thread at a time.
const CHUNK: usize = 64;

impl CorrelatedHashing {
    /// The parameters.
    pub fn params(&self) -> &CorrelatedHashingParams {
        &self.params
    }

    /// The matrix S: a row for each of `n_words` words with its k bins. `is_word` says which are single words.
    pub fn bins(
        &self,
        units: &Units,
        n_words: usize,
        is_word: impl Fn(u32) -> bool + Sync,
        threads: &Threads,
    ) -> Result<Csr> {
        let partners = self.partners(units, n_words, is_word, threads)?;
        let k = self.params.per_word;
        let share = (1.0 / (k as f64).sqrt()) as f32;
        let mut bins = Csr::with_capacity(partners.bin_words.len() as u32, n_words, n_words * k);
        for partners in &partners.of_word {
            let row = partners.iter().map(|partner| (partner.item, share)).collect();
            bins.push(SparseVec::from_pairs(row)?.view())?;
        }
        Ok(bins)
    }

    /// The k bins that each of `n_words` words goes together with best; only single words are bins.
    pub fn partners(
        &self,
        units: &Units,
        n_words: usize,
        is_word: impl Fn(u32) -> bool + Sync,
        threads: &Threads,
    ) -> Result<Partners> {
        if units.words.iter().any(|&word| word as usize >= n_words) {
            return Err(Error::bad_data("a text has a word beyond the vocabulary", "count the words of the vectors"));
        }
        let (starts, units_of) = units.by_word(n_words);
        let occur: Vec<u64> = starts.windows(2).map(|w| (w[1] - w[0]) as u64).collect();
        let bin_words = self.bin_words(&occur, &is_word)?;
        let binned = Binned::new(units, &bin_words, n_words);
        let chunks = threads.map(n_words.div_ceil(CHUNK), |chunk| {
            let mut counts = vec![0u32; bin_words.len()];
            let words = chunk * CHUNK..((chunk + 1) * CHUNK).min(n_words);
            let best = words.map(|word| {
                if self.leaves_out(word as u32, &bin_words, &is_word) {
                    return Vec::new();
                }
                let together = binned.together(&units_of[starts[word]..starts[word + 1]], &mut counts);
                self.best_bins(word as u32, &together, &occur, &bin_words)
            });
            best.collect::<Vec<_>>()
        });
        Ok(Partners { of_word: chunks.into_iter().flatten().collect(), bin_words })
    }

    /// The words that are bins, in increasing order; `occur` says in how many units each word occurs.
    pub fn bin_words(&self, occur: &[u64], is_word: impl Fn(u32) -> bool) -> Result<Vec<u32>> {
        let mut bin_words: Vec<u32> =
            (0..occur.len() as u32).filter(|&w| occur[w as usize] > 0 && is_word(w)).collect();
        bin_words.sort_by_key(|&word| (std::cmp::Reverse(occur[word as usize]), word));
        bin_words.truncate(self.params.bins);
        bin_words.sort_unstable();
        let k = self.params.per_word;
        if bin_words.len() < k {
            let what = format!("{} words may be bins, each word should stand in {k}", bin_words.len());
            return Err(Error::bad_data(what, "lower hashing.per_word or give more text"));
        }
        Ok(bin_words)
    }

    /// Whether a word stands in no bin.
    pub fn leaves_out(&self, word: u32, bin_words: &[u32], is_word: impl Fn(u32) -> bool) -> bool {
        match self.params.terms {
            Terms::All => false,
            Terms::Rare => bin_words.binary_search(&word).is_ok(),
            Terms::Ngrams => is_word(word),
        }
    }

    /// The bins that a word goes together with best, best first; `together` has in how many units it occurs with which.
    pub fn best_bins(&self, word: u32, together: &[(u32, u64)], occur: &[u64], bin_words: &[u32]) -> Vec<Scored> {
        let of_word = occur[word as usize];
        let scored = together.iter().map(|&(bin, n)| {
            let occurrences = of_word + occur[bin_words[bin as usize] as usize];
            Scored { item: bin, score: (2.0 * n as f64 / occurrences as f64) as f32 }
        });
        top_k(scored, self.params.per_word)
    }
}

/// In how many of some units each word occurs with which bins: word, bin and number, by words. What parts of a collection
/// count adds up to what all of it counts.
pub fn count_pairs(units: &Units, bin_words: &[u32], n_words: usize) -> Vec<(u32, u32, u64)> {
    let (starts, units_of) = units.by_word(n_words);
    let binned = Binned::new(units, bin_words, n_words);
    let mut counts = vec![0u32; bin_words.len()];
    let mut pairs = Vec::new();
    for word in 0..n_words {
        let together = binned.together(&units_of[starts[word]..starts[word + 1]], &mut counts);
        pairs.extend(together.into_iter().map(|(bin, n)| (word as u32, bin, n)));
    }
    pairs
}

/// Which frequent words go together with which words.
#[derive(Debug, Clone, PartialEq)]
pub struct Partners {
    /// The word of each bin, strictly increasing.
    pub bin_words: Vec<u32>,
    /// The bins of each word with their DICE coefficients, best first.
    pub of_word: Vec<Vec<Scored>>,
}

/// The bins of each unit.
struct Binned {
    starts: Vec<usize>,
    bins: Vec<u32>,
}

impl Binned {
    fn new(units: &Units, bin_words: &[u32], n_words: usize) -> Self {
        let mut bin_of = vec![u32::MAX; n_words];
        (0u32..).zip(bin_words).for_each(|(bin, &word)| bin_of[word as usize] = bin);
        let mut binned = Self { starts: vec![0], bins: Vec::new() };
        for i in 0..units.len() {
            let bins = units.unit(i).iter().map(|&word| bin_of[word as usize]);
            binned.bins.extend(bins.filter(|&bin| bin != u32::MAX));
            binned.starts.push(binned.bins.len());
        }
        binned
    }

    /// The bins that occur in some units, and in how many; `counts` is all 0 before and after.
    fn together(&self, units: &[u32], counts: &mut [u32]) -> Vec<(u32, u64)> {
        let mut met = Vec::new();
        for &unit in units {
            for &bin in &self.bins[self.starts[unit as usize]..self.starts[unit as usize + 1]] {
                if counts[bin as usize] == 0 {
                    met.push(bin);
                }
                counts[bin as usize] += 1;
            }
        }
        met.into_iter().map(|bin| (bin, u64::from(std::mem::take(&mut counts[bin as usize])))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(texts: &[Vec<u32>]) -> Units {
        let mut units = Units::default();
        texts.iter().for_each(|text| units.push(text.iter().copied()));
        units
    }

    proptest! {
        /// Against counts over all pairs of words, bins by bins.
        #[test]
        fn bins_are_the_best_by_dice(
            texts in proptest::collection::vec(proptest::collection::vec(0u32..9, 1..6), 1..12),
            (n_bins, k) in (1usize..7, 1usize..4),
        ) {
            prop_assume!(k <= n_bins);
            let n_words = 9u32;
            let has = |text: &Vec<u32>, word: u32| text.contains(&word);
            let occur = |i: u32| texts.iter().filter(|t| has(t, i)).count();
            let may_be_bin = |word: u32| word != 2;
            let mut expected_bins: Vec<u32> = (0..n_words).filter(|&w| occur(w) > 0 && may_be_bin(w)).collect();
            expected_bins.sort_by_key(|&w| (usize::MAX - occur(w), w));
            expected_bins.truncate(n_bins);
            expected_bins.sort();
            let hashing = CorrelatedHashingParams { bins: n_bins, per_word: k, ..Default::default() }.build().expect("good");
            let found = hashing.bins(&units(&texts), 9, may_be_bin, &Threads::new(2).expect("threads"));
            if expected_bins.len() < k {
                prop_assert!(found.is_err());
                return Ok(());
            }
            let found = found.expect("enough bins");
            for i in 0..n_words {
                let dice = |j: u32| {
                    let both = texts.iter().filter(|t| has(t, i) && has(t, j)).count();
                    (2.0 * both as f64 / (occur(i) + occur(j)) as f64) as f32
                };
                let mut partners: Vec<(u32, f32)> =
                    (0u32..).zip(&expected_bins).map(|(bin, &j)| (bin, dice(j))).filter(|p| p.1 > 0.0).collect();
                partners.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                partners.truncate(k);
                let mut best: Vec<u32> = partners.iter().map(|p| p.0).collect();
                best.sort();
                prop_assert_eq!(found.row(i as usize).indices(), &best[..]);
                prop_assert!(found.row(i as usize).values().iter().all(|&x| (x * x * k as f32 - 1.0).abs() < 1e-6));
            }
        }
    }

    #[test]
    fn rare_words_or_ngrams_alone_stand_in_bins() {
        let texts = units(&[vec![0, 1, 2, 4], vec![0, 1, 3], vec![0, 2, 4]]);
        let places = |terms| {
            let params = CorrelatedHashingParams { bins: 2, per_word: 1, terms, ..Default::default() };
            let partners =
                params.build().expect("good").partners(&texts, 5, |word| word != 4, &Threads::default()).expect("bins");
            assert_eq!(partners.bin_words, [0, 1], "the most frequent single words");
            partners.of_word.iter().map(|of_word| of_word.first().map(|bin| bin.item)).collect::<Vec<_>>()
        };
        assert_eq!(places(Terms::All), [Some(0), Some(1), Some(0), Some(1), Some(0)]);
        assert_eq!(places(Terms::Rare), [None, None, Some(0), Some(1), Some(0)]);
        assert_eq!(places(Terms::Ngrams), [None, None, None, None, Some(0)]);
    }

    #[test]
    fn more_bins_of_a_word_than_bins_are_refused() {
        let error =
            CorrelatedHashingParams { bins: 3, per_word: 4, ..Default::default() }.build().expect_err("refused");
        assert_eq!(error.to_string(), "parameter per_word = 4: expected 1 to 3 (bins)");
        CorrelatedHashingParams { bins: 0, ..Default::default() }.build().expect_err("refused");
        let hashing = CorrelatedHashingParams { bins: 9, per_word: 3, ..Default::default() }.build().expect("good");
        let error = hashing.bins(&units(&[vec![0, 1]]), 2, |_| true, &Threads::default()).expect_err("two words");
        assert!(error.to_string().contains("2 words may be bins"), "{error}");
        hashing.bins(&units(&[vec![0, 7]]), 2, |_| true, &Threads::default()).expect_err("a word too many");
    }
}
