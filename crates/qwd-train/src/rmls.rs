//! Regularized mapping to latent structures (Wu, Lu and Li, 2013, section 4): W = Lₓ Lᵧᵀ, whose sparse rows turn query
//! words and document words into vectors of one space, so that queries lie near the documents that were clicked for them.
//!
//! With M the cross-product matrix ([`crate::cross_product`], Algorithm 1), Algorithm 2 maximises tr(LₓᵀMLᵧ) by turns:
//! with Lᵧ fixed, the best row of word u comes from ω = LᵧᵀMᵤ alone. In the penalised form (4), with −β|row|₁, it is
//! ω with β taken off every number (and 0 where nothing is left), scaled to length θ. In the constrained form (3), with
//! |row|₁ ≤ λ, it is the same with the threshold, one for every row, at which the scaled row meets λ. The penalised form
//! drops the words whose numbers stay below β, and so the rare ones; the constrained form keeps every word that any
//! response touches, with about (λ/θ)² numbers each.
//!
//! Each half step is the exact optimum of its side, so the objective never rises. Where all features are at least 0,
//! which is usual, its global optimum is degenerate all the same (appendix A shows it without the bound on the length;
//! the bound does not change it): every row points the same way, and all documents look alike. What is learned is the way
//! there from random rows, so early stopping is part of the method: a few iterations are best. Where texts are long and
//! share words, even one iteration falls into that direction; centred features (the paper's footnote 2) take it off, and
//! are the default. How far the rows have fallen together is measured at every iteration, and rows that all point one way
//! are an error.
//!
//! Cost of an iteration: twice the entries of M's factors times the numbers of a row; memory of Lₓ, Lᵧ and, where M is
//! kept in factors, a row for every query. Not for data without responses, and not where d is above the number of
//! different directions that matter: take PLS there.

use crate::best_seen::BestSeen;
use crate::click_problem::ClickProblem;
use crate::cross_product::CrossProduct;
use crate::engine::Flow;
use crate::latent_rows::{LatentRows, latent_matrix};
use crate::mix_with_identity::{check_alpha, mix_with_identity};
use crate::problem::Problem;
use crate::rmls_rule::Rule;
use crate::session::{Session, Tally};
use crate::trainer::{Start, Trained};
use qwd_core::parameters::{not_negative, positive};
use qwd_core::{Error, Result, Rng, Threads, parameters};
use qwd_model::{Matrix, Side};
use serde::{Deserialize, Serialize};

/// Which problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Equation (3): every row has a bound on its absolute sum.
    #[default]
    Constrained,
    /// Equation (4): absolute sums are charged for.
    Penalised,
}

parameters! {
    /// Parameters of regularized mapping to latent structures.
    pub struct RmlsParams {
        /// The number of dimensions, 1 to 65536. Symbol: d.
        pub rank: usize = 200,
        /// `constrained` (equation 3) or `penalised` (equation 4).
        pub form: Form = Form::Constrained,
        /// In the constrained form, the bound on the absolute sum of a query word's numbers, above `length_query`. Symbol: λₓ.
        pub bound_query: f64 = 4.0,
        /// The same for document words, above `length_document`. Symbol: λᵧ.
        pub bound_document: f64 = 4.0,
        /// In the penalised form, the charge on the numbers of query words, at least 0. Symbol: β.
        pub l1_query: f64 = 0.0,
        /// The same for document words. Symbol: γ.
        pub l1_document: f64 = 0.0,
        /// The length of a query word's row, above 0. Symbol: θₓ.
        pub length_query: f64 = 1.0,
        /// The length of a document word's row, above 0. Symbol: θᵧ.
        pub length_document: f64 = 1.0,
        /// Whether features are centred, which takes off what all queries have in common with all documents, and with it
        /// the degenerate direction; needed where texts are long.
        pub centred: bool = true,
        /// The most iterations, 1 to 1000; few are best. Symbol: T.
        pub iterations: usize = 5,
        /// Stop when an iteration gains less than this share of the objective, at least 0.
        pub tolerance: f64 = 1e-4,
        /// If training starts from I, the share of the mapping, 0 to 1; without it, chosen on the training tuples.
        pub alpha: Option<f64> = None,
        /// How much less queries with many responses weigh, 0 (as given) to 1 (every query the same).
        pub damping: f64 = 0.0,
        /// The seed of the random rows.
        pub seed: u64 = 1,
    }
}

impl RmlsParams {
    /// Checks the parameters.
    pub fn build(self) -> Result<Rmls> {
        if !(1..=65_536).contains(&self.rank) {
            return Err(Error::param("rank", self.rank, "1 to 65536 dimensions"));
        }
        if !(1..=1000).contains(&self.iterations) {
            return Err(Error::param("iterations", self.iterations, "1 to 1000"));
        }
        positive("length_query", self.length_query)?;
        positive("length_document", self.length_document)?;
        let sides = [
            ("bound_query", self.bound_query, self.length_query),
            ("bound_document", self.bound_document, self.length_document),
        ];
        for (name, bound, length) in sides {
            positive(name, bound)?;
            if self.form == Form::Constrained && self.rank > 1 && bound <= length {
                let expected = format!(
                    "above the rows' length {length}: below it the length is no bound, and the solution is degenerate \
                     (appendix A: all words in one direction)"
                );
                return Err(Error::param(name, bound, expected));
            }
        }
        not_negative("l1_query", self.l1_query)?;
        not_negative("l1_document", self.l1_document)?;
        not_negative("tolerance", self.tolerance)?;
        if !(0.0..=1.0).contains(&self.damping) {
            return Err(Error::param("damping", self.damping, "0 to 1"));
        }
        check_alpha(self.alpha)?;
        Ok(Rmls { params: self })
    }
}

/// Regularized mapping to latent structures, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Rmls {
    params: RmlsParams,
}

/// Lₓ and Lᵧ, and how they came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// A row for every query feature. Symbol: Lₓ.
    pub queries: LatentRows,
    /// A row for every document feature. Symbol: Lᵧ.
    pub documents: LatentRows,
    /// What was seen at each iteration.
    pub course: Vec<Iteration>,
}

/// Makes W of a mapping, to show it to a watcher.
type MatrixOf<'a> = dyn Fn(&Mapping) -> Result<Matrix> + 'a;

/// What was seen at one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// What is minimised, after the step of the queries' side.
    pub after_queries: f64,
    /// The same after the step of the documents' side.
    pub after_documents: f64,
    /// How much the rows of one side point the same way, 0 to 1: 1 is the degenerate solution.
    pub collapse: f64,
}

/// From here on the rows are as good as one.
const COLLAPSED: f64 = 0.99;

impl Rmls {
    /// The parameters.
    pub fn params(&self) -> &RmlsParams {
        &self.params
    }

    /// Learns W from the problem's responses, alone or mixed with I.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &mut Session<'_>) -> Result<Trained> {
        let response = problem.response()?;
        let clicks = ClickProblem::try_new(problem.queries(), problem.documents(), &response)?;
        let product = self.product(&clicks, session.threads())?;
        let latent = |mapping: &Mapping| latent_matrix(mapping.queries.clone(), mapping.documents.clone());
        let (mapping, best) = self.run(&product, session, Some(&latent))?;
        let (latent, steps) = match best {
            Some(best) => best,
            None => (latent_matrix(mapping.queries, mapping.documents)?, mapping.course.len() as u64),
        };
        let matrix = mix_with_identity(latent, self.params.alpha, 0.0, problem, start, session)?;
        Ok(Trained { matrix, state: None, steps })
    }

    /// Learns Lₓ and Lᵧ of a problem.
    pub fn fit(&self, problem: &ClickProblem<'_>, session: &mut Session<'_>) -> Result<Mapping> {
        self.fit_product(&self.product(problem, session.threads())?, session)
    }

    fn product(&self, problem: &ClickProblem<'_>, threads: &Threads) -> Result<CrossProduct> {
        CrossProduct::of(problem, self.params.damping, self.params.centred, threads)
    }

    /// Rows for the query features of new data, Lᵧ being held fixed: half a turn, in place of training anew. New words, or
    /// new documents as click features of queries, have rows of their own here; nothing else changes.
    pub fn fold_in_queries(
        &self,
        problem: &ClickProblem<'_>,
        documents: &LatentRows,
        threads: &Threads,
    ) -> Result<LatentRows> {
        self.check_rows("document", problem.documents.n_cols(), documents)?;
        self.best_queries(&self.product(problem, threads)?, documents, threads)
    }

    /// Rows for the document features of new data, Lₓ being held fixed: new queries as click features of documents.
    pub fn fold_in_documents(
        &self,
        problem: &ClickProblem<'_>,
        queries: &LatentRows,
        threads: &Threads,
    ) -> Result<LatentRows> {
        self.check_rows("query", problem.queries.n_cols(), queries)?;
        self.best_documents(&self.product(problem, threads)?, queries, threads)
    }

    fn check_rows(&self, side: &str, n_features: u32, rows: &LatentRows) -> Result<()> {
        if (rows.n_rows(), rows.width()) == (n_features as usize, self.params.rank) {
            return Ok(());
        }
        let (n, width) = (rows.n_rows(), rows.width());
        Err(Error::bad_data(
            format!("{n} rows of {width} numbers for {n_features} {side} features of {}", self.params.rank),
            "fold in by the rows that training left",
        ))
    }

    /// The best rows of the queries' side for given rows of the documents' side.
    pub(crate) fn best_queries(
        &self,
        product: &CrossProduct,
        other: &LatentRows,
        threads: &Threads,
    ) -> Result<LatentRows> {
        let rule = self.rules()[0];
        Ok(rule.step(&product.of_documents, other, other.is_dense(), threads)?.0)
    }

    /// The best rows of the documents' side for given rows of the queries' side.
    pub(crate) fn best_documents(
        &self,
        product: &CrossProduct,
        other: &LatentRows,
        threads: &Threads,
    ) -> Result<LatentRows> {
        let rule = self.rules()[1];
        Ok(rule.step(&product.of_queries, other, other.is_dense(), threads)?.0)
    }

    /// Learns Lₓ and Lᵧ from a cross-product matrix that is made already (Algorithm 2).
    pub fn fit_product(&self, product: &CrossProduct, session: &mut Session<'_>) -> Result<Mapping> {
        Ok(self.run(product, session, None)?.0)
    }

    /// As [`Rmls::fit_product`], showing W to the session's watcher after every iteration; the best W seen and its
    /// iteration are returned where early stopping was asked for.
    pub(crate) fn run(
        &self,
        product: &CrossProduct,
        session: &mut Session<'_>,
        matrix_of: Option<&MatrixOf<'_>>,
    ) -> Result<(Mapping, Option<(Matrix, u64)>)> {
        let threads = session.threads();
        let [query_rule, document_rule] = self.rules();
        let documents = self.random_rows(product.n_cols(), document_rule, threads)?;
        let mut document_charge = document_rule.charge * absolute_sum(&documents);
        let mut mapping = Mapping { queries: empty(self.params.rank), documents, course: Vec::new() };
        let mut dense = [query_rule, document_rule].map(Rule::expects_dense_rows);
        let mut best = BestSeen::default();
        for t in 1..=self.params.iterations as u64 {
            // The old rows of a side are not needed to make its new ones, and would take as much memory again.
            mapping.queries = empty(self.params.rank);
            let (queries, [alignment, sum]) =
                query_rule.step(&product.of_documents, &mapping.documents, dense[0], threads)?;
            let query_charge = query_rule.charge * sum;
            let after_queries = -alignment + query_charge + document_charge;
            mapping.documents = empty(self.params.rank);
            let (documents, [alignment, sum]) = document_rule.step(&product.of_queries, &queries, dense[1], threads)?;
            document_charge = document_rule.charge * sum;
            let after_documents = -alignment + query_charge + document_charge;
            dense = [queries.is_dense(), documents.is_dense()];
            let collapse = collapse(&queries, threads).max(collapse(&documents, threads));
            if !after_documents.is_finite() {
                return Err(Error::Diverged {
                    step: t,
                    what: "the objective is no finite number".to_owned(),
                    remedy: "scale the features or responses down".to_owned(),
                });
            }
            let before = mapping.course.last().map_or(after_queries, |seen| seen.after_documents);
            mapping.course.push(Iteration { after_queries, after_documents, collapse });
            (mapping.queries, mapping.documents) = (queries, documents);
            session.report(&mut Tally::default(), t, self.params.iterations as u64)?;
            if let (Some(matrix_of), true) = (matrix_of, session.is_watched())
                && best.look(session, t, matrix_of(&mapping)?)? == Flow::Stop
            {
                break;
            }
            if before - after_documents <= self.params.tolerance * after_documents.abs() {
                break;
            }
        }
        let n_words = [&mapping.queries, &mapping.documents].map(LatentRows::n_rows);
        self.check_collapse(mapping.course.iter().map(|seen| seen.collapse), n_words)?;
        Ok((mapping, best.into_best()))
    }

    /// The documents' rows that training starts from: row `i` depends on the seed and `i` alone.
    pub fn first_rows(&self, n_rows: usize, threads: &Threads) -> Result<LatentRows> {
        self.random_rows(n_rows, self.rules()[1], threads)
    }

    /// Turns rows of MLᵧ (of MᵀLₓ for the documents' side), one after the other, into the best rows of their side; returns
    /// Σ ω·row and the sum of absolute numbers. For products that are made part by part, elsewhere.
    pub fn choose_rows(&self, side: Side, rows: &mut [f32]) -> [f64; 2] {
        let rule = self.rules()[usize::from(side == Side::Document)];
        let parts = rows.chunks_mut(self.params.rank).map(|row| rule.choose(row));
        parts.fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }

    /// Refuses rows that all pointed one way at some iteration, unless there is one dimension only; `collapse` has what
    /// [`collapse`] gave at each.
    pub fn check_collapse(&self, collapse: impl IntoIterator<Item = f64>, n_words: [usize; 2]) -> Result<()> {
        let Some(fallen) = collapse.into_iter().position(|seen| seen > COLLAPSED) else { return Ok(()) };
        if self.params.rank == 1 || n_words.iter().any(|&n| n < FEW_WORDS) {
            return Ok(());
        }
        Err(Error::bad_data(
            format!(
                "all words have fallen into one direction by iteration {}: the degenerate optimum of responses and features \
                 that are never negative (appendix A of the RMLS paper), which tells no document from another",
                fallen + 1
            ),
            "set centred = true, take fewer iterations or a smaller bound, or use pls",
        ))
    }

    fn rules(&self) -> [Rule; 2] {
        let RmlsParams { form, bound_query, bound_document, l1_query, l1_document, .. } = self.params;
        let RmlsParams { length_query, length_document, rank, .. } = self.params;
        let rule = |name, bound: f64, charge, length: f64| match form {
            // With one dimension a row's sum is its length.
            Form::Constrained if rank > 1 => Rule { name, ratio: Some(bound / length), charge: 0.0, length, rank },
            Form::Constrained => Rule { name, ratio: None, charge: 0.0, length, rank },
            Form::Penalised => Rule { name, ratio: None, charge, length, rank },
        };
        [
            rule("l1_query", bound_query, l1_query, length_query),
            rule("l1_document", bound_document, l1_document, length_document),
        ]
    }

    /// Rows of as many random signs as the bound allows, and of the rule's length.
    fn random_rows(&self, n_rows: usize, rule: Rule, threads: &Threads) -> Result<LatentRows> {
        let rank = self.params.rank;
        let n_signs = rule.ratio.map_or(rank, |ratio| ((ratio * ratio) as usize).clamp(1, rank));
        let size = (rule.length / (n_signs as f64).sqrt()) as f32;
        let (rows, _) = LatentRows::make([n_rows, rank], 2 * n_signs >= rank, threads, |i, row| {
            let mut rng = Rng::part(self.params.seed, i as u64);
            if n_signs == rank {
                for numbers in row.chunks_mut(64) {
                    let mut bits = rng.bits();
                    for x in numbers {
                        *x = if bits & 1 == 0 { size } else { -size };
                        bits >>= 1;
                    }
                }
                return [0.0; 2];
            }
            let mut placed = 0;
            while placed < n_signs {
                let x = &mut row[rng.below(rank)];
                if *x == 0.0 {
                    *x = if rng.bits() & 1 == 0 { size } else { -size };
                    placed += 1;
                }
            }
            [0.0; 2]
        })?;
        Ok(rows)
    }
}

fn empty(width: usize) -> LatentRows {
    LatentRows::Dense { width, numbers: Vec::new() }
}

fn absolute_sum(rows: &LatentRows) -> f64 {
    let mut sum = 0.0;
    (0..rows.n_rows()).for_each(|i| rows.visit(i, |_, x| sum += f64::from(x.abs())));
    sum
}

/// ‖Σ rows‖ / Σ ‖row‖, squared: 1 where all rows point the same way; 0 where fewer than two are left.
pub fn collapse(rows: &LatentRows, threads: &Threads) -> f64 {
    const CHUNK: usize = 4096;
    let width = rows.width();
    let parts = threads.map(rows.n_rows().div_ceil(CHUNK), |chunk| {
        let (mut sum, mut lengths, mut n) = (vec![0.0f64; width], 0.0, 0usize);
        for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows.n_rows()) {
            let mut squares = 0.0;
            rows.visit(i, |z, x| {
                sum[z] += f64::from(x);
                squares += f64::from(x) * f64::from(x);
            });
            lengths += f64::sqrt(squares);
            n += usize::from(squares > 0.0);
        }
        (sum, lengths, n)
    });
    let (mut total, mut lengths, mut n) = (vec![0.0; width], 0.0, 0);
    for (sum, of_part, n_part) in parts {
        total.iter_mut().zip(sum).for_each(|(total, x)| *total += x);
        lengths += of_part;
        n += n_part;
    }
    if n < 2 { 0.0 } else { total.iter().map(|x| x * x).sum::<f64>() / (lengths * lengths) }
}

/// With fewer words on a side, one direction may be all that there is to learn.
const FEW_WORDS: usize = 8;

#[cfg(test)]
#[path = "rmls_tests.rs"]
mod tests;
