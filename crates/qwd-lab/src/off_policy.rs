//! Off-policy estimates: how many clicks would another ranker have had, from the log of the one that ran?
//!
//! Under the position-based model a document's clicks are proportional to the chance θ of its position, so a click at
//! position k stands for θ_k' / θ_k clicks at k'. With the ranker's order of what was shown in a session,
//!
//!   V = mean over sessions of Σ over clicked d of θ(new position of d) / max(θ(logged position of d), floor)
//!
//! is the ranker's expected number of clicks a session, without bias where the model holds and the floor does not bite. Only
//! documents that were shown can be judged. Two rankers are compared session by session with a paired t-test. Joachims,
//! Swaminathan and Schnabel, WSDM 2017; Agarwal et al., KDD 2019.

use crate::protocol::Scorer;
use qwd_core::{Error, Result, Threads, parameters};
use qwd_data::Session;
use qwd_metrics::TieOrder;
use qwd_metrics::significance::{Alternative, paired_t_test};
use serde::Serialize;

parameters! {
    /// How clicks of a log are weighed.
    pub struct OffPolicyParams {
        /// The chance that each position is looked at, from the first on; positions beyond the last have its chance.
        pub propensities: Vec<f64> = (1..=10).map(|k| 1.0 / f64::from(k)).collect(),
        /// The smallest chance that is divided by, above 0: a little bias for far less variance.
        pub floor: f64 = 0.05,
    }
}

/// Two rankers on one log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OffPolicy {
    /// Sessions with clicks or without.
    pub n_sessions: usize,
    /// Clicks a session that were logged.
    pub logged: f64,
    /// Clicks a session that the first would have had.
    pub a: f64,
    /// Clicks a session that the second would have had.
    pub b: f64,
    /// The probability of so large a difference if both were as good.
    pub p_value: f64,
}

impl OffPolicyParams {
    /// Estimates the clicks that a ranker would have had in each session.
    pub fn values(&self, sessions: &[Session], ranker: &dyn Scorer, threads: &Threads) -> Result<Vec<f64>> {
        self.check()?;
        let values = threads.map(sessions.len(), |i| {
            let session = &sessions[i];
            let scores = ranker.scores(session.query, &session.shown)?;
            let order = TieOrder::by_number(session.shown.len() as u32).rank(&scores)?;
            let mut place = vec![0; order.len()];
            order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new);
            let clicked = session.clicked_positions();
            Ok(clicked.iter().map(|&k| self.chance(place[k as usize]) / self.chance(k as usize).max(self.floor)).sum())
        });
        values.into_iter().collect()
    }

    /// Compares two rankers.
    pub fn compare(
        &self,
        sessions: &[Session],
        a: &dyn Scorer,
        b: &dyn Scorer,
        threads: &Threads,
    ) -> Result<OffPolicy> {
        let (a, b) = (self.values(sessions, a, threads)?, self.values(sessions, b, threads)?);
        let test = paired_t_test(&a, &b, Alternative::TwoSided)?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let n_clicks: usize = sessions.iter().map(|session| session.clicked_positions().len()).sum();
        Ok(OffPolicy {
            n_sessions: sessions.len(),
            logged: n_clicks as f64 / sessions.len() as f64,
            a: mean(&a),
            b: mean(&b),
            p_value: test.p_value,
        })
    }

    fn check(&self) -> Result<()> {
        parameters::share("floor", self.floor)?;
        if self.propensities.is_empty() {
            return Err(Error::param("propensities", "none", "at least that of the first position"));
        }
        self.propensities.iter().try_for_each(|&chance| parameters::share("propensities", chance))
    }

    fn chance(&self, position: usize) -> f64 {
        self.propensities[position.min(self.propensities.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Rng;

    /// Documents 0 to 4 attract by (5 - d)/6; the logged lists are random.
    fn sessions() -> Vec<Session> {
        let mut rng = Rng::new(5);
        (0..20_000)
            .map(|_| {
                let mut shown: Vec<u32> = (0..5).collect();
                rng.shuffle(&mut shown);
                let chance = |k: usize, d: u32| f64::from(5 - d) / 6.0 / (k + 1) as f64;
                let clicked = (0..5).filter(|&k| rng.unit() < chance(k, shown[k])).map(|k| k as u32).collect();
                Session { shown, clicked, ..Session::default() }
            })
            .collect()
    }

    fn ranked(documents: &[u32], sign: f32) -> Result<Vec<f32>> {
        Ok(documents.iter().map(|&d| sign * d as f32).collect())
    }

    #[test]
    fn the_clicks_of_rankers_that_never_ran_are_estimated() {
        let threads = Threads::default();
        let best = |_: u32, documents: &[u32]| ranked(documents, -1.0);
        let worst = |_: u32, documents: &[u32]| ranked(documents, 1.0);
        let found = OffPolicyParams::default().compare(&sessions(), &best, &worst, &threads).expect("a comparison");
        let expected =
            |order: [u32; 5]| -> f64 { (0..5).map(|k| f64::from(5 - order[k]) / 6.0 / (k + 1) as f64).sum() };
        assert!((found.a - expected([0, 1, 2, 3, 4])).abs() < 0.04, "{found:?}");
        assert!((found.b - expected([4, 3, 2, 1, 0])).abs() < 0.04, "{found:?}");
        assert!(found.p_value < 1e-6 && found.b < found.logged && found.logged < found.a);
    }

    #[test]
    fn the_logged_ranker_has_its_own_clicks() {
        let sessions = &sessions()[..100];
        // Scores that fall with the logged position.
        let logged = |_: u32, documents: &[u32]| Ok((0..documents.len()).map(|k| -(k as f32)).collect());
        let values = OffPolicyParams::default().values(sessions, &logged, &Threads::default()).expect("values");
        let clicks: Vec<f64> = sessions.iter().map(|session| session.clicked.len() as f64).collect();
        assert_eq!(values, clicks);
        let bad = OffPolicyParams { propensities: vec![], ..Default::default() };
        assert!(bad.values(sessions, &logged, &Threads::default()).is_err());
    }
}
