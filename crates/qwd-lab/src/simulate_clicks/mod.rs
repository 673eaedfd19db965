//! A click simulator: query, document and click tables of any size, with a hidden relevance that judges see.
//!
//! It exists because no large log with clicks, texts and judgments is to be had. Its sizes are those of the RMLS paper's
//! Table 1 (`experiments/simulator/one-week.toml`, `half-year.toml`). What is hidden is made to be no inner product of
//! anything: intents with aspects, homonyms, documents that were looked for by name, quality that only counts where the intent
//! fits, spam that looks relevant, and exceptions that no feature explains. Readers then click by what they see of it, at
//! the positions they look at, and the log keeps what the paper's would: clicked pairs without the rare ones.
//!
//! | file | what it answers |
//! |---|---|
//! | `world` | which topics, documents and queries are there, and in which words? |
//! | `relevance` | how well does a document suit a query, and which grade would a judge give? |
//! | `behaviour` | what is shown, and what is clicked? |
//! | `writer` | how does it come to disk? |
//!
//! Topics are made in blocks, each from the seed and its number alone, and written one after the other: memory is that of a
//! few blocks and of the judged queries, and the bytes are the same at any number of threads.

mod behaviour;
mod relevance;
mod world;
mod writer;

use qwd_core::observe::{Control, Progress};
use qwd_core::parameters::{positive, share};
use qwd_core::{Error, Observer, Result, Threads, parameters};
use std::path::Path;
use writer::Writer;

pub use writer::Simulated;

/// The worlds that are always at hand: name and TOML file.
pub const WORLDS: [(&str, &str); 2] = [
    ("one-week", include_str!("../../experiments/simulator/one-week.toml")),
    ("half-year", include_str!("../../experiments/simulator/half-year.toml")),
];

/// Topics in a block; homonyms and strays stay within one.
const TOPICS_IN_BLOCK: u64 = 16;

/// Blocks that are made before they are written.
const BLOCKS_AT_ONCE: usize = 64;

parameters! {
    /// How large a simulated log is and how its world behaves.
    pub struct SimulatorParams {
        /// The data set's name.
        pub name: String = "simulated".to_string(),
        /// The seed of everything.
        pub seed: u64 = 1,
        /// Queries with clicks.
        pub n_queries: u64 = 10_000,
        /// Different words that may be used.
        pub n_words: u64 = 11_000,
        /// Words among them that belong to no topic, some far more frequent than others.
        pub n_common_words: u64 = 500,
        /// Words that a topic brings: two for its name, two for every aspect, the rest for documents.
        pub words_of_topic: u64 = 12,
        /// Aspects of a topic: what one may want to know about it.
        pub aspects: usize = 4,
        /// Queries of a topic, in the mean, before those without clicks are left out.
        pub queries_of_topic: f64 = 12.0,
        /// Documents of a topic, in the mean, before those without clicks are left out.
        pub documents_of_topic: f64 = 20.0,
        /// Different words of a query, in the mean, 1 to 5.
        pub query_words: f64 = 2.26,
        /// Different words of title and address, in the mean, 1 to 8.
        pub document_words: f64 = 4.44,
        /// The share of queries that look for one document by its name.
        pub navigational: f64 = 0.2,
        /// The share of queries that say no more than a name, which may be that of two topics.
        pub ambiguous: f64 = 0.15,
        /// The share of documents that look better than they are.
        pub spam: f64 = 0.05,
        /// The share of pairs whose relevance nothing explains.
        pub exceptions: f64 = 0.08,
        /// How often a query is asked at least; most are asked little more often.
        pub min_sessions: f64 = 2.0,
        /// How fast frequencies fall: P(more than n sessions) = (min_sessions / n)^this.
        pub session_exponent: f64 = 0.7,
        /// How often a query is asked at most.
        pub max_sessions: f64 = 50_000.0,
        /// Documents on a page of results.
        pub positions: usize = 10,
        /// How fast attention falls: position k is looked at with probability k^-this.
        pub position_bias: f64 = 1.0,
        /// The probability of a click on what suits perfectly, once it is looked at.
        pub click_rate: f64 = 0.8,
        /// The probability of a click on what does not suit at all, once it is looked at.
        pub click_noise: f64 = 0.03,
        /// The deviation of what the search engine takes for relevance.
        pub engine_noise: f64 = 0.2,
        /// Pairs with less than this share of their query's clicks are noise and left out.
        pub min_click_share: f64 = 0.05,
        /// Sessions of each query that are also written one by one.
        pub sessions_of_query: u64 = 4,
        /// Judged queries, drawn with the more clicks the more likely; half of them to tune, half to test.
        pub n_judged: u64 = 500,
        /// Judged documents of a query, in the mean.
        pub judged_documents: f64 = 11.34,
        /// How strongly the draw of judged queries favours those with many clicks: weight clicks^this.
        pub judged_exponent: f64 = 0.8,
        /// The share of judgments that are one grade off.
        pub judge_noise: f64 = 0.1,
    }
}

impl SimulatorParams {
    /// Takes a world of [`WORLDS`] by its name.
    pub fn named(world: &str) -> Option<Self> {
        let (_, text) = WORLDS.iter().find(|(name, _)| *name == world)?;
        Self::parse(text).ok()
    }

    /// Reads a TOML file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", e))?;
        Self::parse(&text).map_err(|what| Error::bad_data(format!("{}: {what}", path.display()), "correct the file"))
    }

    /// Reads the text of a TOML file.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        toml::from_str(text).map_err(|e| e.to_string())
    }

    /// The same world with a share of its queries and judgments.
    pub fn scaled(self, part: f64) -> Result<Self> {
        share("share", part)?;
        let scale = |n: u64| ((n as f64 * part).round() as u64).max(1);
        Ok(Self { n_queries: scale(self.n_queries), n_judged: scale(self.n_judged), ..self })
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        let whole = [("n_queries", self.n_queries), ("n_words", self.n_words), ("positions", self.positions as u64)];
        for (name, n) in whole {
            positive(name, n as f64)?;
        }
        if self.aspects == 0 || self.words_of_topic < 2 + 2 * self.aspects as u64 {
            return Err(Error::param(
                "words_of_topic",
                self.words_of_topic,
                "at least 2 + 2 · aspects, aspects at least 1",
            ));
        }
        if self.n_words < self.n_common_words.max(1) + self.words_of_topic || self.n_words > 1 << 31 {
            return Err(Error::param(
                "n_words",
                self.n_words,
                "more than common words and those of a topic, at most 2^31",
            ));
        }
        for (name, mean, most) in [("query_words", self.query_words, 5.0), ("document_words", self.document_words, 8.0)]
        {
            if !(1.0..=most).contains(&mean) {
                return Err(Error::param(name, mean, format!("1 to {most}")));
            }
        }
        let shares = [
            ("navigational", self.navigational),
            ("ambiguous", self.ambiguous),
            ("spam", self.spam),
            ("exceptions", self.exceptions),
            ("click_noise", self.click_noise),
            ("min_click_share", self.min_click_share),
            ("judge_noise", self.judge_noise),
            ("navigational + ambiguous", self.navigational + self.ambiguous),
        ];
        for (name, x) in shares {
            if !(0.0..=1.0).contains(&x) {
                return Err(Error::param(name, x, "a share from 0 to 1"));
            }
        }
        let above_zero = [
            ("queries_of_topic", self.queries_of_topic),
            ("documents_of_topic", self.documents_of_topic),
            ("min_sessions", self.min_sessions),
            ("session_exponent", self.session_exponent),
            ("max_sessions", self.max_sessions),
            ("judged_documents", self.judged_documents),
        ];
        for (name, x) in above_zero {
            positive(name, x)?;
        }
        for (name, x) in [
            ("position_bias", self.position_bias),
            ("engine_noise", self.engine_noise),
            ("judged_exponent", self.judged_exponent),
        ] {
            qwd_core::parameters::not_negative(name, x)?;
        }
        share("click_rate", self.click_rate)
    }
}

/// Makes a log and writes it into a folder that is not there yet or empty.
pub fn simulate(
    params: &SimulatorParams,
    folder: &Path,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<Simulated> {
    params.check()?;
    let mut writer = Writer::create(params, folder)?;
    let mut block = 0;
    while !writer.is_full() {
        let made = threads.map(BLOCKS_AT_ONCE, |i| behaviour::block(params, block + i as u64));
        for made in made {
            writer.write(made)?;
        }
        block += BLOCKS_AT_ONCE as u64;
        let progress =
            Progress { stage: "simulating", done: writer.n_queries(), total: params.n_queries, ..Progress::default() };
        if observer.progress(&progress) == Control::Stop {
            return Err(Error::Interrupted);
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Silent;
    use qwd_data::{Dataset, Reading, Split, SplitRule};

    fn made(params: &SimulatorParams, n_threads: usize) -> (tempfile::TempDir, Simulated) {
        let folder = tempfile::tempdir().expect("a folder");
        let threads = Threads::new(n_threads).expect("threads");
        let made = simulate(params, &folder.path().join("log"), &threads, &Silent).expect("a log");
        (folder, made)
    }

    #[test]
    fn a_log_has_its_sizes_and_is_a_data_set() {
        let params = SimulatorParams { n_queries: 2_000, n_judged: 101, ..SimulatorParams::default() };
        let (_folder, made) = made(&params, 2);
        assert_eq!((made.n_queries, made.n_judged), (2_000, 101));
        let dataset = Dataset::open(&made.folder, &mut Reading::default()).expect("a data set");
        assert_eq!((dataset.queries.len(), dataset.documents.len() as u64), (2_000, made.n_documents));
        assert_eq!(dataset.clicks.len() as u64, made.n_pairs);
        let clicked: std::collections::BTreeSet<u32> = dataset.clicks.iter().map(|click| click.document).collect();
        assert_eq!(clicked.len(), dataset.documents.len(), "every document of the log was clicked");
        let sizes = [Split::Dev, Split::Test]
            .map(|split| dataset.task(split, &SplitRule::default()).expect("judgments").queries.len());
        assert_eq!(sizes, [50, 51]);
        assert!(simulate(&params, &made.folder, &Threads::default(), &Silent).is_err(), "not into a folder in use");
    }

    #[test]
    fn the_same_bytes_come_at_any_number_of_threads() {
        let params = SimulatorParams { n_queries: 1_500, ..SimulatorParams::default() };
        let (one, three) = (made(&params, 1), made(&params, 3));
        for name in ["corpus.jsonl", "queries.jsonl", "clicks.tsv", "sessions.jsonl", "qrels/test.tsv", "dataset.json"]
        {
            let bytes = |made: &Simulated| std::fs::read(made.folder.join(name)).expect(name);
            assert_eq!(bytes(&one.1), bytes(&three.1), "{name}");
        }
        let other = made(&SimulatorParams { seed: 2, ..params }, 1);
        assert_ne!(other.1.n_pairs, one.1.n_pairs);
    }

    #[test]
    fn worlds_have_names_and_absurd_ones_are_refused() {
        for (name, text) in WORLDS {
            let params = SimulatorParams::parse(text).expect(name);
            params.check().expect(name);
            assert_eq!((params.name.as_str(), SimulatorParams::named(name)), (name, Some(params.clone())));
        }
        assert_eq!(SimulatorParams::named("tomorrow"), None);
        assert!(SimulatorParams::parse("n_querys = 3").is_err(), "a slip of the pen is not passed over");
        let usual = SimulatorParams::default;
        for params in [
            SimulatorParams { n_queries: 0, ..usual() },
            SimulatorParams { words_of_topic: 9, ..usual() },
            SimulatorParams { n_words: 100, ..usual() },
            SimulatorParams { query_words: 0.5, ..usual() },
            SimulatorParams { navigational: 0.6, ambiguous: 0.6, ..usual() },
            SimulatorParams { click_rate: f64::NAN, ..usual() },
            SimulatorParams { session_exponent: 0.0, ..usual() },
            SimulatorParams { position_bias: -1.0, ..usual() },
        ] {
            assert!(params.check().is_err(), "{params:?}");
        }
        assert!(usual().scaled(0.0).is_err() && usual().scaled(0.5).is_ok_and(|half| half.n_queries == 5_000));
    }
}
