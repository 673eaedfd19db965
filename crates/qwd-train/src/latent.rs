//! SGD on words as points of a space of N dimensions: the loop of all methods that learn U and V.
//!
//! A tuple reads and changes (|q| + |e|) runs of N numbers of the *tables* (`table.rs`). A *lesson* is a problem and the two tables that its scores are made of:
//! score(q, d) = (Uq)·(Vd) + what the diagonal gives. If score(q, d⁺) − score(q, d⁻) < m with e = d⁺ − d⁻, then
//!
//!   U_s ← U_s + η q_s Ve,   V_t ← V_t + η e_t Uq      (section 2.3.2 of the supervised semantic indexing paper)
//!
//! both with the values from before the step; where U and V are one table, both are added to it. Several lessons take
//! their mini-batches in turn, and may share tables (section 2.4.2).
//!
//! **Threads.** The tuples of a mini-batch are scored side by side against the same tables; then the tables take the steps
//! in the order of the tuples, whatever the number of threads.

use crate::batch_pairs::Loss;
use crate::best_seen::BestSeen;
use crate::engine::{Flow, diverged};
use crate::negatives::{Negatives, Pool, warp_weight};
use crate::problem::Problem;
use crate::session::{Session, Tally};
use crate::sums::LARGEST;
use crate::table::{Pace, Push, Rates, Table, adapted};
use qwd_core::kernel::{add_rows, dot};
use qwd_core::{Result, Rng, SparseVec, SparseView, Threads};
use qwd_data::Preference;
use qwd_model::Matrix;

/// What a lesson's scores have from words that query and document share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shared {
    /// Always the same multiple of q·d; 0 where there is none.
    Fixed(f32),
    /// α q·d with α learned, and its sum of squares.
    Scaled(f32, f32),
    /// A weight for every word, and their sums of squares (empty at a fixed rate).
    Weights(Vec<f32>, Vec<f32>),
}

impl Shared {
    /// The weight of a word.
    pub(crate) fn weight(&self, word: usize) -> f32 {
        match self {
            Self::Fixed(alpha) | Self::Scaled(alpha, _) => *alpha,
            Self::Weights(weights, _) => weights[word],
        }
    }

    fn score(&self, q: SparseView<'_>, d: SparseView<'_>) -> f64 {
        match self {
            Self::Fixed(0.0) => 0.0,
            Self::Fixed(alpha) | Self::Scaled(alpha, _) => f64::from(*alpha) * q.dot(d),
            Self::Weights(weights, _) => {
                let mut sum = 0.0;
                for_shared(q, d, |i, x, y| sum += f64::from(weights[i]) * f64::from(x) * f64::from(y));
                sum
            }
        }
    }

    fn step(&mut self, q: SparseView<'_>, e: SparseView<'_>, weight: f32, rate: f32) {
        match self {
            Self::Fixed(_) => {}
            Self::Scaled(alpha, square) => {
                let gradient = weight * q.dot(e) as f32;
                *alpha += adapted(gradient, rate, Some(square));
            }
            Self::Weights(weights, squares) => for_shared(q, e, |i, x, y| {
                weights[i] += adapted(weight * x * y, rate, squares.get_mut(i));
            }),
        }
    }
}

/// Calls `f` with index and both values for every word that both vectors have.
fn for_shared(a: SparseView<'_>, b: SparseView<'_>, mut f: impl FnMut(usize, f32, f32)) {
    let mut rest = b.iter().peekable();
    for (i, x) in a.iter() {
        while rest.next_if(|&(j, _)| j < i).is_some() {}
        if let Some((_, y)) = rest.next_if(|&(j, _)| j == i) {
            f(i as usize, x, y);
        }
    }
}

/// A problem, the tables that its scores are made of, and where its worse documents come from.
pub(crate) struct Lesson<'a> {
    pub(crate) problem: Problem<'a>,
    /// The table of the query words, and of the document words; they may be one.
    pub(crate) tables: [usize; 2],
    pub(crate) shared: Shared,
    pub(crate) negatives: Negatives,
    pool: Option<Pool>,
}

impl<'a> Lesson<'a> {
    pub(crate) fn new(problem: Problem<'a>, tables: [usize; 2], shared: Shared, negatives: Negatives) -> Self {
        let pool = (negatives != Negatives::Given).then(|| Pool::new(&problem));
        Self { problem, tables, shared, negatives, pool }
    }
}

/// How to learn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) rank: usize,
    pub(crate) rate: f64,
    pub(crate) rates: Rates,
    pub(crate) margin: f64,
    /// The loss of a pair, where all pairs of a mini-batch are compared.
    pub(crate) loss: Loss,
    pub(crate) batch: u64,
    /// Documents drawn for each tuple, where worse ones are drawn.
    pub(crate) candidates: usize,
    pub(crate) seed: u64,
}

impl Settings {
    pub(crate) fn pace(&self) -> Pace {
        Pace { rank: self.rank, rate: self.rate as f32, rates: self.rates }
    }
}

/// All tables, and a place to work for each tuple of a mini-batch.
pub(crate) struct Latent {
    pub(crate) settings: Settings,
    pub(crate) tables: Vec<Table>,
    drafts: Vec<Draft>,
}

/// One tuple of a mini-batch on its way.
#[derive(Default)]
struct Draft {
    tuple: Option<Preference>,
    /// Uq, and V of the better document where worse ones are searched.
    query: Vec<f32>,
    better: Vec<f32>,
    /// d⁺ − d⁻, and Ve.
    difference: SparseVec,
    projected: Vec<f32>,
    /// m − score(q, d⁺) + score(q, d⁻); `None` where numbers have grown beyond all measure.
    missing: Option<f64>,
    /// How much the step weighs; 0 where there is none to take.
    weight: f32,
}

impl Latent {
    pub(crate) fn new(settings: Settings, tables: Vec<Table>) -> Self {
        Self { settings, tables, drafts: Vec::new() }
    }

    /// Trains on the first lesson's tuples, the first of which is step `from` + 1, and on the other lessons' in turn.
    /// `matrix` lends a W for the watcher to look at. Returns the best W seen where that was asked for, and the number
    /// of steps.
    pub(crate) fn run(
        &mut self,
        lessons: &mut [Lesson<'_>],
        from: u64,
        session: &mut Session<'_>,
        mut matrix: impl FnMut(&mut Self, &mut Lesson<'_>, u64, &mut dyn FnMut(&Matrix) -> Result<Flow>) -> Result<Flow>,
    ) -> Result<(Option<Matrix>, u64)> {
        let n = lessons[0].problem.preferences().len() as u64;
        let mut best = BestSeen::default();
        if session.patience().is_some() {
            matrix(self, &mut lessons[0], from, &mut |w| best.look_at(session, from, w))?;
        }
        let mut tally = Tally::default();
        let mut done = 0;
        while done < n {
            let t = from + done;
            let batch = self.settings.batch;
            let len = (batch - t % batch).min(n - done).min(session.until_checkpoint(t));
            for (i, lesson) in lessons.iter_mut().enumerate() {
                let tally = if i == 0 { &mut tally } else { &mut Tally::default() };
                self.learn(lesson, t, done, len as usize, session.threads(), tally)?;
            }
            done += len;
            let t = from + done;
            if session.is_watched() && (done == n || t.is_multiple_of(session.checkpoint_every())) {
                let flow = matrix(self, &mut lessons[0], t, &mut |w| best.look_at(session, t, w))?;
                if flow == Flow::Stop {
                    break;
                }
            }
            session.report(&mut tally, done, n)?;
        }
        match best.into_best() {
            Some((matrix, steps)) => Ok((Some(matrix), steps)),
            None => Ok((None, from + done)),
        }
    }

    /// Takes the steps of `len` tuples of a lesson, beginning with number `first`; after the last the first comes again.
    fn learn(
        &mut self,
        lesson: &mut Lesson<'_>,
        t: u64,
        first: u64,
        len: usize,
        threads: &Threads,
        tally: &mut Tally,
    ) -> Result<()> {
        let tuples = lesson.problem.preferences();
        if tuples.is_empty() {
            return Ok(());
        }
        if lesson.negatives == Negatives::Batch {
            let batch: Vec<Preference> =
                (first..).take(len).map(|i| tuples[(i % tuples.len() as u64) as usize]).collect();
            // Taken out for as long as the lesson is changed.
            let Some(pool) = lesson.pool.take() else { return Ok(()) };
            let learned = self.learn_pairs(lesson, &batch, &pool, t, threads, tally);
            lesson.pool = Some(pool);
            return learned;
        }
        self.drafts.resize_with(self.drafts.len().max(len), Draft::default);
        let mut drafts = std::mem::take(&mut self.drafts);
        for (draft, i) in drafts[..len].iter_mut().zip(first..) {
            draft.tuple = Some(tuples[(i % tuples.len() as u64) as usize]);
        }
        self.score(lesson, &mut drafts[..len], t, threads);
        for (draft, t) in drafts[..len].iter_mut().zip(t + 1..) {
            let missing = draft.missing.ok_or_else(|| diverged(t))?;
            let n_query_words = draft.tuple.map_or(0, |tuple| lesson.problem.query(&tuple).len());
            tally.add(missing, n_query_words * draft.difference.view().len());
        }
        self.step(lesson, &drafts[..len], threads);
        self.drafts = drafts;
        Ok(())
    }

    /// Finds the worse documents and what is missing to the margin.
    fn score(&self, lesson: &Lesson<'_>, drafts: &mut [Draft], t: u64, threads: &Threads) {
        match (lesson.negatives, &lesson.pool) {
            (Negatives::Given, _) | (_, None) => {
                threads.map_mut(drafts, |_, draft| self.score_given(lesson, draft));
            }
            (Negatives::InBatch, Some(pool)) => {
                threads.map_mut(drafts, |_, draft| self.project_pair(lesson, draft));
                let worse = threads.map(drafts.len(), |i| self.worst_of_batch(lesson, drafts, i, pool));
                threads.map_mut(drafts, |i, draft| self.against(lesson, draft, worse[i], 1.0));
            }
            (negatives, Some(pool)) => {
                threads.map_mut(drafts, |i, draft| {
                    self.project_pair(lesson, draft);
                    let mut rng = Rng::part(self.settings.seed, t + i as u64);
                    let (worse, weight) = match negatives {
                        Negatives::Warp => self.first_violator(lesson, draft, pool, &mut rng),
                        _ => (self.hardest_drawn(lesson, draft, pool, &mut rng), 1.0),
                    };
                    self.against(lesson, draft, worse, weight);
                });
            }
        }
    }

    pub(crate) fn project(&self, table: usize, x: SparseView<'_>, out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.settings.rank, 0.0);
        add_rows(x, &self.tables[table].numbers, out);
    }

    fn score_given(&self, lesson: &Lesson<'_>, draft: &mut Draft) {
        let Some(tuple) = draft.tuple else { return };
        let query = lesson.problem.query(&tuple);
        lesson.problem.difference(&tuple, &mut draft.difference);
        self.project(lesson.tables[0], query, &mut draft.query);
        self.project(lesson.tables[1], draft.difference.view(), &mut draft.projected);
        self.judge(lesson, draft, query, 1.0);
    }

    /// What is missing to the margin, and how much the step weighs.
    fn judge(&self, lesson: &Lesson<'_>, draft: &mut Draft, query: SparseView<'_>, weight: f64) {
        let Some(tuple) = draft.tuple else { return };
        let of_tables = f64::from(dot(&draft.query, &draft.projected));
        let score = of_tables + lesson.shared.score(query, draft.difference.view());
        draft.missing = (score.abs() <= LARGEST).then_some(self.settings.margin - score);
        let misses = draft.missing.is_some_and(|missing| missing > 0.0);
        draft.weight = if misses { (f64::from(tuple.weight) * weight) as f32 } else { 0.0 };
    }

    fn project_pair(&self, lesson: &Lesson<'_>, draft: &mut Draft) {
        let Some(tuple) = draft.tuple else { return };
        self.project(lesson.tables[0], lesson.problem.query(&tuple), &mut draft.query);
        let better = lesson.problem.documents().row(tuple.better as usize);
        self.project(lesson.tables[1], better, &mut draft.better);
    }

    /// The score of a query and a document of which Uq and Vd are known.
    fn pair_score(&self, lesson: &Lesson<'_>, tuple: &Preference, query: &[f32], document: u32, vd: &[f32]) -> f64 {
        let (q, d) = (lesson.problem.query(tuple), lesson.problem.documents().row(document as usize));
        f64::from(dot(query, vd)) + lesson.shared.score(q, d)
    }

    /// The highest-scoring better document of another tuple, if there is one that may be worse.
    fn worst_of_batch(&self, lesson: &Lesson<'_>, drafts: &[Draft], i: usize, pool: &Pool) -> Option<u32> {
        let tuple = drafts[i].tuple?;
        let mut worst: Option<(f64, u32)> = None;
        for other in drafts {
            let Some(document) = other.tuple.map(|other| other.better) else { continue };
            if !pool.is_worse(tuple.query, document) {
                continue;
            }
            let score = self.pair_score(lesson, &tuple, &drafts[i].query, document, &other.better);
            if worst.is_none_or(|(worst, _)| score > worst) {
                worst = Some((score, document));
            }
        }
        worst.map(|(_, document)| document)
    }

    /// The highest-scoring one of the given and some drawn documents.
    fn hardest_drawn(&self, lesson: &Lesson<'_>, draft: &mut Draft, pool: &Pool, rng: &mut Rng) -> Option<u32> {
        let tuple = draft.tuple?;
        let mut worst: Option<(f64, u32)> = None;
        for draw in 0..self.settings.candidates {
            let document = if draw == 0 { Some(tuple.worse) } else { pool.draw(tuple.query, rng) };
            let Some(document) = document else { continue };
            let d = lesson.problem.documents().row(document as usize);
            self.project(lesson.tables[1], d, &mut draft.projected);
            let score = self.pair_score(lesson, &tuple, &draft.query, document, &draft.projected);
            if worst.is_none_or(|(worst, _)| score > worst) {
                worst = Some((score, document));
            }
        }
        worst.map(|(_, document)| document)
    }

    /// The first of the given and some drawn documents that violates the margin, and its step's weight.
    fn first_violator(&self, lesson: &Lesson<'_>, draft: &mut Draft, pool: &Pool, rng: &mut Rng) -> (Option<u32>, f64) {
        let Some(tuple) = draft.tuple else { return (None, 0.0) };
        let bar = self.pair_score(lesson, &tuple, &draft.query, tuple.better, &draft.better) - self.settings.margin;
        for draw in 0..self.settings.candidates {
            let document = if draw == 0 { Some(tuple.worse) } else { pool.draw(tuple.query, rng) };
            let Some(document) = document else { continue };
            let d = lesson.problem.documents().row(document as usize);
            self.project(lesson.tables[1], d, &mut draft.projected);
            let score = self.pair_score(lesson, &tuple, &draft.query, document, &draft.projected);
            // Numbers beyond all measure are a violation too: the step will find that training has diverged.
            if score > bar || !score.is_finite() {
                return (Some(document), warp_weight(draw + 1, pool.len()));
            }
        }
        (None, 0.0)
    }

    /// Sets up the step of a tuple against a worse document; without one there is none.
    fn against(&self, lesson: &Lesson<'_>, draft: &mut Draft, worse: Option<u32>, weight: f64) {
        let Some(tuple) = draft.tuple else { return };
        let Some(worse) = worse else {
            (draft.missing, draft.weight) = (Some(0.0), 0.0);
            return;
        };
        lesson.problem.difference(&Preference { worse, ..tuple }, &mut draft.difference);
        self.project(lesson.tables[1], draft.difference.view(), &mut draft.projected);
        self.judge(lesson, draft, lesson.problem.query(&tuple), weight);
    }

    /// Takes the steps of scored tuples.
    fn step(&mut self, lesson: &mut Lesson<'_>, drafts: &[Draft], threads: &Threads) {
        let pace = self.settings.pace();
        let [left, right] = lesson.tables;
        let (mut of_queries, mut of_documents) = (Vec::new(), Vec::new());
        for draft in drafts.iter().filter(|draft| draft.weight > 0.0) {
            let Some(tuple) = draft.tuple else { continue };
            let (query, difference) = (lesson.problem.query(&tuple), draft.difference.view());
            of_queries.push(Push { words: query, weight: draft.weight, towards: &draft.projected });
            of_documents.push(Push { words: difference, weight: draft.weight, towards: &draft.query });
            lesson.shared.step(query, difference, draft.weight, pace.rate);
        }
        if left == right {
            // Each tuple gives to its query's words first, then to its documents'.
            let both: Vec<Push<'_>> = of_queries.into_iter().zip(of_documents).flat_map(|(q, d)| [q, d]).collect();
            self.tables[left].take(pace, &both, threads);
        } else {
            self.tables[left].take(pace, &of_queries, threads);
            self.tables[right].take(pace, &of_documents, threads);
        }
    }
}
