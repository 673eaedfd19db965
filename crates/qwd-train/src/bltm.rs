//! The bilingual topic model (Gao, Toutanova and Yih, SIGIR 2011): a query and the document that was clicked for it speak of
//! the same topics in two languages, each topic having a distribution over query words and one over document words.
//!
//! Of a pair's θ, topics are drawn for every word of both sides; a word is drawn from its topic's distribution on its side.
//! EM finds θ of every pair and the topics' words, with pseudo-counts (a Dirichlet prior above 1, so this is MAP and not the
//! paper's posterior regularisation). To match, θ of a document is found from its words alone with the topics held fixed,
//! and the score is the mean over the query's words of ln Σ_z p(w|z) θ_z, mixed with how frequent the word is in queries at
//! all. It is no W: the logarithm stands between the words.
//!
//! Cost of an iteration: entries of all pairs times topics. Every word and every pair is worked on by one thread alone, so
//! the bytes are the same at any number of threads.

use crate::click_problem::ClickProblem;
use qwd_core::parameters::{not_negative, share};
use qwd_core::{Csr, Error, Result, Rng, SparseView, Threads, parameters};

parameters! {
    /// Parameters of the bilingual topic model.
    pub struct BltmParams {
        /// The number of topics, 1 to 65536.
        pub topics: usize = 100,
        /// Iterations of EM, 1 to 1000.
        pub iterations: usize = 30,
        /// Pseudo-counts of every topic in every pair, at least 0.
        pub topic_prior: f64 = 0.1,
        /// Pseudo-counts of every word in every topic, at least 0.
        pub word_prior: f64 = 0.01,
        /// Iterations that find a document's topics.
        pub folding_iterations: usize = 20,
        /// The share of topics in a query word's probability, above 0, at most 1; the rest is its frequency.
        pub topic_share: f64 = 0.9,
        /// The seed of the random start.
        pub seed: u64 = 1,
    }
}

impl BltmParams {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        if !(1..=65_536).contains(&self.topics) {
            return Err(Error::param("topics", self.topics, "1 to 65536"));
        }
        for (name, n) in [("iterations", self.iterations), ("folding_iterations", self.folding_iterations)] {
            if !(1..=1000).contains(&n) {
                return Err(Error::param(name, n, "1 to 1000"));
            }
        }
        not_negative("topic_prior", self.topic_prior)?;
        not_negative("word_prior", self.word_prior)?;
        share("topic_share", self.topic_share)
    }
}

/// Topics with words on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Bltm {
    params: BltmParams,
    /// For each query word, its probability in every topic.
    query_words: Vec<f32>,
    /// For each document word, its probability in every topic.
    document_words: Vec<f32>,
    /// For each query word, its share of all query words.
    query_frequencies: Vec<f32>,
    /// The log-likelihood and log-prior after each iteration.
    course: Vec<f64>,
}

/// Rows that are worked on at a time.
const CHUNK: usize = 256;

impl Bltm {
    /// Learns topics. Features are counts of words, at least 0; responses weigh the pairs.
    pub fn fit(problem: &ClickProblem<'_>, params: BltmParams, threads: &Threads) -> Result<Self> {
        params.check()?;
        problem.check()?;
        for rows in [problem.queries, problem.documents] {
            if rows.parts().2.iter().any(|&x| x < 0.0) {
                return Err(Error::bad_data(
                    "a word count below 0",
                    "give the topic model counts or weights at least 0",
                ));
            }
        }
        let sides = Pairs::new(problem)?;
        let k = params.topics;
        let mut model = Self {
            query_words: random_table(problem.queries.n_cols() as usize, k, params.seed, threads),
            document_words: random_table(problem.documents.n_cols() as usize, k, params.seed ^ 1, threads),
            query_frequencies: frequencies(&sides.words[0]),
            course: Vec::new(),
            params,
        };
        let mut theta = vec![1.0 / k as f32; sides.n() * k];
        for _ in 0..model.params.iterations {
            let tables = [&model.query_words, &model.document_words];
            let (next_theta, log_likelihood) = expected_topics(&sides, tables, &theta, &model.params, threads);
            let [queries, documents] = [0, 1].map(|side| {
                let prior = model.params.word_prior;
                expected_words(&sides.of_words[side], tables[side], &theta, k, prior, threads)
            });
            (model.query_words, model.document_words) = (queries, documents);
            theta = next_theta;
            if !log_likelihood.is_finite() {
                return Err(Error::bad_data(
                    "the topic model's likelihood is no finite number",
                    "scale the counts down",
                ));
            }
            model.course.push(log_likelihood);
        }
        Ok(model)
    }

    /// What EM maximises, before each iteration.
    pub fn course(&self) -> &[f64] {
        &self.course
    }

    /// The topics of a document, from its words alone; even where it has none that are known. Symbol: θ.
    pub fn topics_of_document(&self, document: SparseView<'_>) -> Vec<f32> {
        let k = self.params.topics;
        let mut theta = vec![1.0 / k as f32; k];
        for _ in 0..self.params.folding_iterations {
            let mut next = vec![self.params.topic_prior; k];
            add_posteriors(document, &self.document_words, &theta, 1.0, &mut next);
            theta = normalised(&next);
        }
        theta
    }

    /// The mean log-probability of the query's words in a document of these topics; 0 for a query without known words.
    pub fn score(&self, query: SparseView<'_>, topics: &[f32]) -> f64 {
        let k = self.params.topics;
        let (mut sum, mut n) = (0.0, 0.0);
        for (word, count) in query.iter() {
            let row = &self.query_words[word as usize * k..][..k];
            let of_topics: f64 = row.iter().zip(topics).map(|(&p, &t)| f64::from(p) * f64::from(t)).sum();
            let share = self.params.topic_share;
            let p = share * of_topics + (1.0 - share) * f64::from(self.query_frequencies[word as usize]);
            // A word that no topic knows says nothing about any document.
            if p > 0.0 {
                sum += f64::from(count) * p.ln();
                n += f64::from(count);
            }
        }
        if n > 0.0 { sum / n } else { 0.0 }
    }
}

/// The clicked pairs: the words of both sides, weighed.
struct Pairs {
    /// For queries and documents: a row of words for every pair, times the pair's weight.
    words: [Csr; 2],
    /// The same by words: the pairs that each occurs in.
    of_words: [Csr; 2],
}

impl Pairs {
    fn new(problem: &ClickProblem<'_>) -> Result<Self> {
        let mut words = [Csr::empty(problem.queries.n_cols()), Csr::empty(problem.documents.n_cols())];
        for (query, row) in problem.response.rows().enumerate() {
            for (document, weight) in row.iter() {
                let rows = [problem.queries.row(query), problem.documents.row(document as usize)];
                for (words, row) in words.iter_mut().zip(rows) {
                    let mut weighed = row.to_owned();
                    weighed.scale(weight);
                    words.push(weighed.view())?;
                }
            }
        }
        let of_words = [words[0].transpose(), words[1].transpose()];
        Ok(Self { words, of_words })
    }

    fn n(&self) -> usize {
        self.words[0].n_rows()
    }
}

/// Adds each word's count, dealt to the topics as likely as they are; returns Σ count · ln p(word).
fn add_posteriors(words: SparseView<'_>, table: &[f32], theta: &[f32], weight: f64, sum: &mut [f64]) -> f64 {
    let k = theta.len();
    let mut log_likelihood = 0.0;
    for (word, count) in words.iter() {
        let row = &table[word as usize * k..][..k];
        let p: f64 = row.iter().zip(theta).map(|(&p, &t)| f64::from(p) * f64::from(t)).sum();
        if p <= 0.0 {
            continue;
        }
        let scale = weight * f64::from(count) / p;
        for (sum, (&p, &t)) in sum.iter_mut().zip(row.iter().zip(theta)) {
            *sum += scale * f64::from(p) * f64::from(t);
        }
        log_likelihood += weight * f64::from(count) * p.ln();
    }
    log_likelihood
}

/// New θ of every pair, and what EM maximises for the old ones.
fn expected_topics(
    pairs: &Pairs,
    tables: [&Vec<f32>; 2],
    theta: &[f32],
    params: &BltmParams,
    threads: &Threads,
) -> (Vec<f32>, f64) {
    let k = params.topics;
    let parts = threads.map(pairs.n().div_ceil(CHUNK), |chunk| {
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(pairs.n());
        let mut out = Vec::with_capacity(rows.len() * k);
        let mut log_likelihood = 0.0;
        for i in rows {
            let old = &theta[i * k..(i + 1) * k];
            let mut sum = vec![params.topic_prior; k];
            for (words, table) in pairs.words.iter().zip(tables) {
                log_likelihood += add_posteriors(words.row(i), table, old, 1.0, &mut sum);
            }
            if params.topic_prior > 0.0 {
                log_likelihood += params.topic_prior * old.iter().map(|&t| f64::from(t).ln()).sum::<f64>();
            }
            out.extend(normalised(&sum));
        }
        (out, log_likelihood)
    });
    let log_likelihood = parts.iter().map(|part| part.1).sum();
    (parts.into_iter().flat_map(|part| part.0).collect(), log_likelihood)
}

/// New probabilities of one side's words in every topic.
fn expected_words(of_words: &Csr, table: &[f32], theta: &[f32], k: usize, prior: f64, threads: &Threads) -> Vec<f32> {
    let parts = threads.map(of_words.n_rows().div_ceil(CHUNK), |chunk| {
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(of_words.n_rows());
        let mut out = Vec::with_capacity(rows.len() * k);
        for word in rows {
            let row = &table[word * k..][..k];
            let mut sum = vec![prior; k];
            for (pair, count) in of_words.row(word).iter() {
                let theta = &theta[pair as usize * k..][..k];
                let p: f64 = row.iter().zip(theta).map(|(&p, &t)| f64::from(p) * f64::from(t)).sum();
                if p > 0.0 {
                    let scale = f64::from(count) / p;
                    for (sum, (&p, &t)) in sum.iter_mut().zip(row.iter().zip(theta)) {
                        *sum += scale * f64::from(p) * f64::from(t);
                    }
                }
            }
            out.extend(sum);
        }
        out
    });
    let counts: Vec<f64> = parts.concat();
    let mut totals = vec![0.0; k];
    for row in counts.chunks(k) {
        totals.iter_mut().zip(row).for_each(|(total, x)| *total += x);
    }
    counts.iter().enumerate().map(|(i, x)| if totals[i % k] > 0.0 { (x / totals[i % k]) as f32 } else { 0.0 }).collect()
}

/// Random probabilities, for each topic over all words.
fn random_table(n_words: usize, k: usize, seed: u64, threads: &Threads) -> Vec<f32> {
    let rows = threads.map(n_words.div_ceil(CHUNK), |chunk| {
        let mut rng = Rng::part(seed, chunk as u64);
        let n = CHUNK.min(n_words - chunk * CHUNK);
        (0..n * k).map(|_| 0.5 + rng.unit()).collect::<Vec<f64>>()
    });
    let numbers = rows.concat();
    let mut totals = vec![0.0; k];
    for row in numbers.chunks(k) {
        totals.iter_mut().zip(row).for_each(|(total, x)| *total += x);
    }
    numbers.iter().enumerate().map(|(i, x)| (x / totals[i % k]) as f32).collect()
}

fn frequencies(pairs: &Csr) -> Vec<f32> {
    let mut counts = vec![0.0f64; pairs.n_cols() as usize];
    pairs.rows().flat_map(|row| row.iter()).for_each(|(word, n)| counts[word as usize] += f64::from(n));
    let total: f64 = counts.iter().sum();
    counts.iter().map(|n| if total > 0.0 { (n / total) as f32 } else { 0.0 }).collect()
}

fn normalised(numbers: &[f64]) -> Vec<f32> {
    let total: f64 = numbers.iter().sum();
    let even = 1.0 / numbers.len() as f64;
    numbers.iter().map(|x| if total > 0.0 { (x / total) as f32 } else { even as f32 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::SparseVec;

    /// Two topics: query words 0, 1 with document words 0, 1, 2; query words 2, 3 with document words 3, 4, 5.
    fn graph(seed: u64) -> [Csr; 3] {
        let mut rng = Rng::new(seed);
        let mut rows = |n_words: usize, half: usize, per_row: usize| {
            let mut csr = Csr::empty(n_words as u32);
            for i in 0..40 {
                let from = if i % 2 == 0 { 0 } else { half };
                let pairs = (0..per_row).map(|_| ((from + rng.below(half)) as u32, 1.0)).collect();
                csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
            }
            csr
        };
        let (queries, documents) = (rows(4, 2, 2), rows(6, 3, 4));
        let clicks = Csr::from_parts(40, (0..=40).collect(), (0..40).collect(), vec![1.0; 40]).expect("valid");
        [queries, documents, clicks]
    }

    fn fit(params: BltmParams, threads: usize) -> Bltm {
        let [queries, documents, response] = graph(3);
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &response };
        Bltm::fit(&problem, params, &Threads::new(threads).expect("threads")).expect("fits")
    }

    fn two_topics() -> BltmParams {
        BltmParams { topics: 2, iterations: 40, ..BltmParams::default() }
    }

    #[test]
    fn topics_that_are_there_are_found() {
        let model = fit(two_topics(), 1);
        let one = SparseVec::from_pairs(vec![(0, 1.0), (2, 1.0)]).expect("finite");
        let other = SparseVec::from_pairs(vec![(4, 1.0)]).expect("finite");
        let query = SparseVec::from_pairs(vec![(1, 1.0)]).expect("finite");
        let [near, far] = [&one, &other].map(|d| model.score(query.view(), &model.topics_of_document(d.view())));
        assert!(near > far + 1.0, "{near} {far}");
        // Nothing is said of a query without words.
        assert_eq!(model.score(SparseVec::default().view(), &[0.5, 0.5]), 0.0);
        assert_eq!(model.topics_of_document(SparseVec::default().view()), [0.5, 0.5]);
    }

    /// EM never makes what it maximises smaller (the words' prior is left out of the figure, so it is 0 here).
    #[test]
    fn the_likelihood_never_falls() {
        let model = fit(BltmParams { word_prior: 0.0, topics: 3, ..two_topics() }, 1);
        let course = model.course();
        assert!(course.windows(2).all(|w| w[1] >= w[0] - 1e-4 * w[0].abs()), "{course:?}");
        assert!(course[course.len() - 1] > course[0] + 1.0, "{course:?}");
    }

    /// One iteration against posteriors written out pair by pair.
    #[test]
    fn an_iteration_equals_the_plain_one() {
        let params = BltmParams { topics: 3, iterations: 1, ..BltmParams::default() };
        let model = fit(params.clone(), 1);
        let [queries, documents, _] = graph(3);
        let start = |rows: &Csr, seed| random_table(rows.n_cols() as usize, 3, seed, &Threads::default());
        for (rows, table, found) in [
            (&queries, start(&queries, params.seed), &model.query_words),
            (&documents, start(&documents, params.seed ^ 1), &model.document_words),
        ] {
            let n_words = rows.n_cols() as usize;
            let mut counts = vec![params.word_prior; n_words * 3];
            for row in rows.rows() {
                for (word, n) in row.iter() {
                    let of_word: Vec<f64> = (0..3).map(|z| f64::from(table[word as usize * 3 + z])).collect();
                    let total: f64 = of_word.iter().sum();
                    (0..3).for_each(|z| counts[word as usize * 3 + z] += f64::from(n) * of_word[z] / total);
                }
            }
            for z in 0..3 {
                let total: f64 = (0..n_words).map(|w| counts[w * 3 + z]).sum();
                for w in 0..n_words {
                    assert!((f64::from(found[w * 3 + z]) - counts[w * 3 + z] / total).abs() < 1e-6, "{w} {z}");
                }
            }
        }
    }

    #[test]
    fn the_bytes_are_the_same_at_any_number_of_threads() {
        let one = fit(two_topics(), 1);
        assert!([2, 3].into_iter().all(|n| fit(two_topics(), n) == one));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let [queries, documents, response] = graph(1);
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &response };
        let refused = |params| Bltm::fit(&problem, params, &Threads::default()).is_err();
        assert!(refused(BltmParams { topics: 0, ..BltmParams::default() }));
        assert!(refused(BltmParams { topic_share: 0.0, ..BltmParams::default() }));
        assert!(refused(BltmParams { word_prior: f64::NAN, ..BltmParams::default() }));
        let negative =
            Csr::from_parts(4, vec![0; 40].into_iter().chain([1]).collect(), vec![0], vec![-1.0]).expect("valid");
        let wrong = ClickProblem { queries: &negative, ..problem };
        assert!(Bltm::fit(&wrong, BltmParams::default(), &Threads::default()).is_err());
    }
}
