//! Topics, documents and queries, and the words that they use.
//!
//! A topic has a name of two words, of which the first may also be that of its neighbour (a homonym). Each of its aspects is
//! asked in one word and written about in another, so that matching has something to learn. Words of topics are dealt out in
//! turn until the vocabulary is used up, then again in another order: in a larger world a word belongs to several topics.

use super::{SimulatorParams, TOPICS_IN_BLOCK};
use qwd_core::Rng;
use qwd_core::random::mix;
use std::ops::Range;

/// A part of the world that has nothing to do with the others but for their words.
#[derive(Debug)]
pub(super) struct World {
    pub(super) topics: Vec<Topic>,
    pub(super) documents: Vec<Document>,
    pub(super) queries: Vec<Query>,
}

/// What one may ask and write about.
#[derive(Debug)]
pub(super) struct Topic {
    names: [u32; 2],
    /// For every aspect, the word of those who ask.
    asked: Vec<u32>,
    /// For every aspect, the word of those who write.
    written: Vec<u32>,
    /// More words of those who write.
    more: Vec<u32>,
    /// The topic's documents.
    pub(super) documents: Range<usize>,
}

/// What is written.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) topic: usize,
    /// The aspect that it is about; a hub has none and links to all.
    pub(super) aspect: Option<usize>,
    /// From 0 to 1.
    pub(super) quality: f64,
    pub(super) is_spam: bool,
    /// Different words; the first one or two are also those of the address.
    pub(super) words: Vec<u32>,
}

/// What is asked.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) intent: Intent,
    pub(super) words: Vec<u32>,
    /// How often it is asked.
    pub(super) sessions: u64,
}

/// What is meant by a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Intent {
    /// An aspect of a topic.
    Aspect { topic: usize, aspect: usize },
    /// One document.
    Document(usize),
    /// Topics of one name, each by so many of those who ask.
    Name(Vec<(usize, f64)>),
}

impl World {
    /// Makes a block of the world.
    pub(super) fn make(params: &SimulatorParams, block: u64, rng: &mut Rng) -> Self {
        let first = block * TOPICS_IN_BLOCK;
        let mut world = Self { topics: Vec::new(), documents: Vec::new(), queries: Vec::new() };
        let mut n_queries = Vec::new();
        for number in first..first + TOPICS_IN_BLOCK {
            let size = (0.6 * rng.normal() - 0.18).exp();
            n_queries.push((params.queries_of_topic * size).round().max(1.0) as usize);
            let mut topic = Topic::make(params, number);
            if let Some(neighbour) = world.topics.last().filter(|_| number % 2 == 1 && rng.unit() < 0.5) {
                topic.names[0] = neighbour.names[0];
            }
            let start = world.documents.len();
            for _ in 0..(params.documents_of_topic * size).round().max(2.0) as usize {
                world.documents.push(Document::make(params, &topic, world.topics.len(), rng));
            }
            topic.documents = start..world.documents.len();
            world.topics.push(topic);
        }
        for (topic, n) in n_queries.into_iter().enumerate() {
            for _ in 0..n {
                let query = world.query(params, topic, rng);
                world.queries.push(query);
            }
        }
        world
    }

    fn query(&self, params: &SimulatorParams, topic: usize, rng: &mut Rng) -> Query {
        let kind = rng.unit();
        let own = &self.topics[topic];
        let n_words = 1 + binomial(4, (params.query_words - 1.0) / 4.0, rng) as usize;
        let (intent, words) = if kind < params.navigational {
            let document = own.documents.start + rng.below(own.documents.len());
            let pool = self.documents[document].words.iter().map(|&word| (word, 1.0)).collect();
            (Intent::Document(document), choose(pool, n_words, rng))
        } else if kind < params.navigational + params.ambiguous {
            let neighbour = topic ^ 1;
            let is_homonym = self.topics[neighbour].names[0] == own.names[0];
            let share = 0.55 + 0.35 * rng.unit();
            let meant = if is_homonym { vec![(topic, share), (neighbour, 1.0 - share)] } else { vec![(topic, 1.0)] };
            let pool = vec![(own.names[0], 20.0), (common(params, rng), 1.0), (common(params, rng), 1.0)];
            (Intent::Name(meant), choose(pool, n_words.min(2), rng))
        } else {
            let aspect = rng.below(params.aspects);
            let mut pool = vec![
                (own.names[0], 1.0),
                (own.names[1], 1.0),
                (own.asked[aspect], 1.6),
                (own.written[aspect], 0.4),
                (own.asked[rng.below(params.aspects)], 0.1),
                (common(params, rng), 0.5),
            ];
            pool.push((any_word(params, rng), 0.1));
            (Intent::Aspect { topic, aspect }, choose(pool, n_words, rng))
        };
        let sessions = params.min_sessions * (1.0 - rng.unit()).powf(-1.0 / params.session_exponent);
        Query { intent, words, sessions: sessions.min(params.max_sessions) as u64 }
    }
}

impl Topic {
    fn make(params: &SimulatorParams, number: u64) -> Self {
        let words: Vec<u32> =
            (0..params.words_of_topic).map(|i| topic_word(params, number * params.words_of_topic + i)).collect();
        let (names, rest) = words.split_at(2);
        let (asked, rest) = rest.split_at(params.aspects);
        let (written, more) = rest.split_at(params.aspects);
        Self {
            names: [names[0], names[1]],
            asked: asked.to_vec(),
            written: written.to_vec(),
            more: more.to_vec(),
            documents: 0..0,
        }
    }
}

impl Document {
    fn make(params: &SimulatorParams, topic: &Topic, number: usize, rng: &mut Rng) -> Self {
        let aspect = (rng.unit() >= 0.2).then(|| rng.below(params.aspects));
        let said = aspect.unwrap_or_else(|| rng.below(params.aspects));
        let mut pool = vec![
            (topic.names[0], 1.5),
            (topic.names[1], 1.5),
            (topic.written[said], if aspect.is_some() { 1.6 } else { 0.3 }),
            (topic.asked[said], if aspect.is_some() { 0.5 } else { 0.1 }),
            (topic.written[rng.below(params.aspects)], 0.2),
            (common(params, rng), 0.5),
            (common(params, rng), 0.5),
            (any_word(params, rng), 0.4),
            (any_word(params, rng), 0.1),
        ];
        pool.extend(topic.more.iter().map(|&word| (word, 0.6)));
        let n_words = 1 + binomial(7, (params.document_words - 1.0) / 7.0, rng) as usize;
        let quality = rng.unit().max(rng.unit());
        let is_spam = rng.unit() < params.spam;
        Self { topic: number, aspect, quality, is_spam, words: choose(pool, n_words, rng) }
    }
}

/// Draws different words, the heavier the more likely.
fn choose(mut pool: Vec<(u32, f64)>, n: usize, rng: &mut Rng) -> Vec<u32> {
    let mut words = Vec::with_capacity(n);
    while words.len() < n && !pool.is_empty() {
        let total: f64 = pool.iter().map(|(_, weight)| weight).sum();
        let mut at = rng.unit() * total;
        let chosen = pool.iter().position(|(_, weight)| {
            at -= weight;
            at < 0.0
        });
        let (word, _) = pool[chosen.unwrap_or(pool.len() - 1)];
        words.push(word);
        pool.retain(|(other, _)| *other != word);
    }
    words
}

/// A word of no topic; the word of rank r is r times rarer than the first.
fn common(params: &SimulatorParams, rng: &mut Rng) -> u32 {
    let n = params.n_common_words.max(1) as f64;
    (n.powf(rng.unit()) as u32 - 1).min(n as u32 - 1)
}

/// A word of any topic.
fn any_word(params: &SimulatorParams, rng: &mut Rng) -> u32 {
    let n_common = params.n_common_words.max(1);
    (n_common + rng.below((params.n_words - n_common) as usize) as u64) as u32
}

/// The word at a place in the endless deal of words to topics.
fn topic_word(params: &SimulatorParams, place: u64) -> u32 {
    let n_common = params.n_common_words.max(1);
    let n = params.n_words - n_common;
    let (round, at) = (place / n, place % n);
    let mut step = if round == 0 { 1 } else { (mix(round ^ mix(params.seed)) % n) | 1 };
    while common_divisor(step, n) != 1 {
        step += 1;
    }
    (n_common + (u128::from(at) * u128::from(step) % u128::from(n)) as u64) as u32
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Successes among `n` trials: exact for few, by the normal curve for many.
pub(super) fn binomial(n: u64, p: f64, rng: &mut Rng) -> u64 {
    if n <= 64 {
        return (0..n).filter(|_| rng.unit() < p).count() as u64;
    }
    let mean = n as f64 * p;
    let drawn = mean + (mean * (1.0 - p)).sqrt() * rng.normal();
    (drawn.round().max(0.0) as u64).min(n)
}

/// Writes a word in letters: syllables of a consonant and a vowel, at least two, different for different numbers.
pub(super) fn spelled(word: u32) -> String {
    const CONSONANTS: &[u8] = b"bcdfghjklmnpqrstvwz";
    const VOWELS: &[u8] = b"aeiou";
    let n = (CONSONANTS.len() * VOWELS.len()) as u32;
    let mut rest = word;
    let mut text = String::new();
    loop {
        let syllable = (rest % n) as usize;
        text.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        text.push(char::from(VOWELS[syllable % VOWELS.len()]));
        rest /= n;
        // One less than the rest, so that no word is another one with a first syllable added.
        if rest == 0 {
            break;
        }
        rest -= 1;
    }
    if text.len() == 2 { text + "x" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn spelled_words_are_different() {
        let words: BTreeSet<String> = (0..200_000).map(spelled).collect();
        assert_eq!(words.len(), 200_000);
        assert!(words.iter().all(|word| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase())));
    }

    #[test]
    fn every_word_of_topics_is_dealt_out_before_one_comes_again() {
        let params = SimulatorParams { n_words: 1_000, n_common_words: 100, ..Default::default() };
        for round in 0..3u64 {
            let words: BTreeSet<u32> = (0..900).map(|place| topic_word(&params, round * 900 + place)).collect();
            assert_eq!((words.len(), words.first(), words.last()), (900, Some(&100), Some(&999)), "round {round}");
        }
        assert_ne!(topic_word(&params, 905), topic_word(&params, 5), "in another order");
    }

    #[test]
    fn numbers_of_successes_have_the_right_mean() {
        let mut rng = Rng::new(7);
        for (n, p) in [(20, 0.3), (1_000, 0.02)] {
            let mean = (0..2_000).map(|_| binomial(n, p, &mut rng)).sum::<u64>() as f64 / 2_000.0;
            assert!((mean - n as f64 * p).abs() < 0.3, "{n} {p}: {mean}");
        }
        assert_eq!((binomial(500, 0.0, &mut rng), binomial(500, 1.0, &mut rng)), (0, 500));
    }
}
