//! What the search engine shows and what its users click.
//!
//! The engine guesses the relevance from what it sees (the truth with noise, matching words, quality) and changes its mind a
//! few times for queries that are asked often. A document at position k is looked at with probability k^-η, and clicked, if
//! it was, by how relevant it seems: seeming also depends on the words of the title, and spam seems more than it is.

use super::world::{Document, Intent, Query, World, binomial};
use super::{SimulatorParams, relevance};
use qwd_core::Rng;

/// Documents of other topics that the engine also finds.
const STRAYS: usize = 5;

/// Sessions from which on the engine has three rankings in place of one.
const SEVERAL_RANKINGS_FROM: u64 = 20;

/// A block of the world and what was done in it.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) documents: Vec<Document>,
    pub(super) queries: Vec<Asked>,
}

/// A query with at least one click.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) words: Vec<u32>,
    pub(super) clicked: Vec<Clicked>,
    pub(super) sessions: Vec<Shown>,
    /// What a judge would look at, in the engine's order, with the grades.
    pub(super) judged: Vec<(usize, i32)>,
}

/// A document that was clicked often enough.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clicked {
    pub(super) document: usize,
    pub(super) clicks: u64,
    pub(super) impressions: u64,
    /// The sum of positions over impressions.
    positions: u64,
}

impl Clicked {
    /// The mean position.
    pub(super) fn position(&self) -> f32 {
        (self.positions as f64 / self.impressions as f64) as f32
    }
}

/// One list of results.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) documents: Vec<usize>,
    pub(super) clicked: Vec<usize>,
}

/// A document that the engine found for a query.
struct Candidate {
    document: usize,
    relevance: f64,
    /// The chance of a click once it is looked at.
    attraction: f64,
    /// What the engine thinks of it.
    guess: f64,
}

/// Makes a block and lets people search in it.
pub(super) fn block(params: &SimulatorParams, number: u64) -> Block {
    let mut rng = Rng::part(params.seed, number);
    let world = World::make(params, number, &mut rng);
    let queries = world.queries.iter().filter_map(|query| ask(params, &world, query, &mut rng)).collect();
    Block { documents: world.documents, queries }
}

/// Lets a query be asked; nothing if nobody clicks.
fn ask(params: &SimulatorParams, world: &World, query: &Query, rng: &mut Rng) -> Option<Asked> {
    let candidates = candidates(params, world, query, rng);
    let n_rankings = if query.sessions >= SEVERAL_RANKINGS_FROM { 3 } else { 1 };
    let rankings: Vec<Vec<usize>> =
        (0..n_rankings).map(|_| ranking(&candidates, params.engine_noise / 2.0, rng)).collect();
    let mut log = Log { params, candidates: &candidates, clicked: Vec::new(), sessions: Vec::new() };
    for (number, ranking) in (0..).zip(&rankings) {
        let n = query.sessions / n_rankings + u64::from(number < query.sessions % n_rankings);
        let own = params.sessions_of_query / n_rankings + u64::from(number < params.sessions_of_query % n_rankings);
        log.add(&ranking[..ranking.len().min(params.positions)], n, own.min(n), rng);
    }
    let total: u64 = log.clicked.iter().map(|clicked| clicked.clicks).sum();
    let least = (params.min_click_share * total as f64).max(1.0);
    let Log { mut clicked, sessions, .. } = log;
    clicked.retain(|clicked| clicked.clicks as f64 >= least);
    clicked.sort_by_key(|clicked| clicked.document);
    let judged = rankings[0].iter().map(|&i| {
        let off = if rng.unit() < params.judge_noise { [-1, 1][rng.below(2)] } else { 0 };
        (candidates[i].document, (relevance::grade(candidates[i].relevance) + off).clamp(0, 4))
    });
    let judged = judged.collect();
    (!clicked.is_empty()).then(|| Asked { words: query.words.clone(), clicked, sessions, judged })
}

/// The documents of the topics that are meant and a few strays.
fn candidates(params: &SimulatorParams, world: &World, query: &Query, rng: &mut Rng) -> Vec<Candidate> {
    let topics: Vec<usize> = match &query.intent {
        Intent::Aspect { topic, .. } => vec![*topic],
        Intent::Document(document) => vec![world.documents[*document].topic],
        Intent::Name(meanings) => meanings.iter().map(|&(topic, _)| topic).collect(),
    };
    let mut found: Vec<usize> = topics.iter().flat_map(|&topic| world.topics[topic].documents.clone()).collect();
    found.extend((0..STRAYS).map(|_| rng.below(world.documents.len())));
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|number| Candidate::of(params, world, query, number, rng)).collect()
}

impl Candidate {
    fn of(params: &SimulatorParams, world: &World, query: &Query, number: usize, rng: &mut Rng) -> Self {
        let document = &world.documents[number];
        let mut relevance = relevance::actual(&query.intent, number, document);
        let apparent = relevance::apparent(&query.intent, number, document);
        let is_exception = rng.unit() < params.exceptions;
        if is_exception {
            relevance = (1.0 - relevance).clamp(0.05, 0.9);
        }
        let n_shared = query.words.iter().filter(|word| document.words.contains(word)).count();
        let overlap = n_shared as f64 / query.words.len() as f64;
        let seeming = if document.is_spam { 0.5 * (relevance + apparent) } else { relevance };
        let seen = (0.8 * seeming + 0.2 * overlap + 0.1 * rng.normal()).clamp(0.0, 1.0);
        Self {
            document: number,
            relevance,
            attraction: params.click_noise + (params.click_rate - params.click_noise) * seen,
            guess: 0.5 * relevance + 0.25 * overlap + 0.15 * document.quality + params.engine_noise * rng.normal(),
        }
    }
}

/// The candidates in the engine's order, this time.
fn ranking(candidates: &[Candidate], noise: f64, rng: &mut Rng) -> Vec<usize> {
    let guesses: Vec<f64> = candidates.iter().map(|candidate| candidate.guess + noise * rng.normal()).collect();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| guesses[b].total_cmp(&guesses[a]).then(a.cmp(&b)));
    order
}

/// What is written down while a query is asked.
struct Log<'a> {
    params: &'a SimulatorParams,
    candidates: &'a [Candidate],
    clicked: Vec<Clicked>,
    sessions: Vec<Shown>,
}

impl Log<'_> {
    /// Shows a list so many times, some of them one by one.
    fn add(&mut self, shown: &[usize], n_sessions: u64, n_one_by_one: u64, rng: &mut Rng) {
        let chance: Vec<f64> = shown
            .iter()
            .zip(1..)
            .map(|(&i, position)| f64::from(position).powf(-self.params.position_bias) * self.candidates[i].attraction)
            .collect();
        let mut clicks = vec![0; shown.len()];
        for _ in 0..n_one_by_one {
            let hit: Vec<usize> = (0..shown.len()).filter(|&at| rng.unit() < chance[at]).collect();
            hit.iter().for_each(|&at| clicks[at] += 1);
            let document = |&at: &usize| self.candidates[shown[at]].document;
            let documents = shown.iter().map(|&i| self.candidates[i].document).collect();
            self.sessions.push(Shown { documents, clicked: hit.iter().map(document).collect() });
        }
        for (at, &i) in shown.iter().enumerate() {
            clicks[at] += binomial(n_sessions - n_one_by_one, chance[at], rng);
            self.count(self.candidates[i].document, clicks[at], n_sessions, at as u64 + 1);
        }
    }

    fn count(&mut self, document: usize, clicks: u64, impressions: u64, position: u64) {
        let positions = impressions * position;
        match self.clicked.iter_mut().find(|clicked| clicked.document == document) {
            Some(known) => {
                known.clicks += clicks;
                known.impressions += impressions;
                known.positions += positions;
            }
            None => self.clicked.push(Clicked { document, clicks, impressions, positions }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_depends_on_its_number_alone_and_keeps_its_promises() {
        let params = SimulatorParams::default();
        let made = block(&params, 3);
        assert_eq!(format!("{made:?}"), format!("{:?}", block(&params, 3)));
        assert_ne!(format!("{made:?}"), format!("{:?}", block(&params, 4)));
        for query in &made.queries {
            let total: u64 = query.clicked.iter().map(|clicked| clicked.clicks).sum();
            for clicked in &query.clicked {
                assert!(clicked.clicks > 0 && clicked.clicks <= clicked.impressions);
                assert!((1.0..=10.0).contains(&clicked.position()));
                // What was left out can only have made the total smaller.
                assert!(clicked.clicks as f64 >= params.min_click_share * total as f64);
            }
            assert!(query.sessions.iter().all(|s| s.clicked.iter().all(|d| s.documents.contains(d))));
            assert!(query.judged.iter().all(|(_, grade)| (0..=4).contains(grade)));
        }
    }

    #[test]
    fn high_positions_and_relevant_documents_are_clicked_more() {
        let params = SimulatorParams { exceptions: 0.0, min_click_share: 0.0, ..Default::default() };
        let (mut by_position, mut good, mut bad) = ([0usize; 10], (0u64, 0u64), (0u64, 0u64));
        for number in 0..40 {
            for query in block(&params, number).queries {
                for session in &query.sessions {
                    let place = |d: &usize| session.documents.iter().position(|s| s == d).expect("shown");
                    session.clicked.iter().for_each(|d| by_position[place(d)] += 1);
                }
                for clicked in query.clicked.iter().filter(|clicked| (3.0..6.0).contains(&clicked.position())) {
                    let grade = query.judged.iter().find(|(d, _)| *d == clicked.document).expect("judged").1;
                    let sums = if grade >= 3 { &mut good } else { &mut bad };
                    *sums = (sums.0 + clicked.clicks, sums.1 + clicked.impressions);
                }
            }
        }
        assert!(2 * by_position[0] > 3 * by_position[1] && by_position[1] > 2 * by_position[4], "{by_position:?}");
        let rate = |(clicks, shown): (u64, u64)| clicks as f64 / shown as f64;
        assert!(rate(good) > 1.5 * rate(bad), "{good:?} {bad:?}");
    }
}
