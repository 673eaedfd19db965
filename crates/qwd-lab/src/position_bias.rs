//! Position bias: how likely each position is looked at, estimated from what was shown and clicked.
//!
//! The position-based model has a click at position k on document d for query q with probability θ_k · α_qd: looked at, and
//! found attractive. EM splits each skipped impression between the two reasons,
//!
//!   P(looked at | no click) = θ (1 − α) / (1 − θα),   P(attractive | no click) = α (1 − θ) / (1 − θα),
//!
//! and takes means over impressions. θ is reported relative to the first position. Pairs that were seen at one position only say
//! little about it, so some must have moved (several rankings, randomised or not). Chuklin, Markov and de Rijke, *Click Models
//! for Web Search*, 2015, chapter 3; Joachims, Swaminathan and Schnabel, WSDM 2017, for what it is used for.
//!
//! Cost: a pass over the different (query, document, position) per round.

use qwd_core::{Error, Result, parameters};
use qwd_data::{Click, Session};
use std::collections::BTreeMap;

parameters! {
    /// How position bias is estimated.
    pub struct PositionBiasParams {
        /// Rounds of EM, at least 1.
        pub rounds: u32 = 100,
        /// Positions further down share the last one's figure, at least 1.
        pub positions: usize = 10,
        /// Imagined impressions of every pair, half of them clicked if looked at: keeps rarely seen pairs from extremes.
        pub prior: f64 = 1.0,
    }
}

/// Impressions of a pair at a position.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    pair: usize,
    position: usize,
    clicks: f64,
    shown: f64,
}

impl PositionBiasParams {
    /// Estimates the chance of being looked at from sessions, from the first position down.
    pub fn of_sessions(&self, sessions: &[Session]) -> Result<Vec<f64>> {
        let mut counts: BTreeMap<(u32, u32, usize), (f64, f64)> = BTreeMap::new();
        for session in sessions {
            let clicked = session.clicked_positions();
            for (position, &document) in session.shown.iter().enumerate() {
                let place = position.min(self.positions.saturating_sub(1));
                let (clicks, shown) = counts.entry((session.query, document, place)).or_default();
                *shown += 1.0;
                *clicks += f64::from(u8::from(clicked.binary_search(&(position as u32)).is_ok()));
            }
        }
        self.estimate(counts)
    }

    /// Estimates it from a click table with impressions and positions; a mean position counts for the nearest whole one.
    pub fn of_clicks(&self, clicks: &[Click]) -> Result<Vec<f64>> {
        let mut counts: BTreeMap<(u32, u32, usize), (f64, f64)> = BTreeMap::new();
        for click in clicks {
            let (Some(shown), Some(position)) = (click.impressions, click.position) else {
                let what = "clicks without impressions or positions say nothing about position bias";
                return Err(Error::bad_data(what, "give clicks.tsv both columns, or sessions.jsonl"));
            };
            let place = (position.round() as usize - 1).min(self.positions.saturating_sub(1));
            let sums = counts.entry((click.query, click.document, place)).or_default();
            *sums = (sums.0 + click.clicks as f64, sums.1 + shown as f64);
        }
        self.estimate(counts)
    }

    fn estimate(&self, counts: BTreeMap<(u32, u32, usize), (f64, f64)>) -> Result<Vec<f64>> {
        for (name, n) in [("rounds", self.rounds as usize), ("positions", self.positions)] {
            if n == 0 {
                return Err(Error::param(name, 0, "at least 1"));
            }
        }
        parameters::positive("prior", self.prior)?;
        let mut seen: Vec<Seen> = Vec::with_capacity(counts.len());
        let (mut pair, mut last) = (0, None);
        for ((query, document, position), (clicks, shown)) in counts {
            pair += usize::from(last.is_some_and(|last| last != (query, document)));
            last = Some((query, document));
            seen.push(Seen { pair, position, clicks, shown });
        }
        if seen.is_empty() {
            return Err(Error::bad_data("there are no impressions to estimate position bias from", "give sessions"));
        }
        let n_positions = seen.iter().map(|seen| seen.position + 1).max().unwrap_or(1);
        let mut looked: Vec<f64> = (1..=n_positions).map(|k| 1.0 / k as f64).collect();
        let mut attractive = vec![0.5; pair + 1];
        for _ in 0..self.rounds {
            self.round(&seen, &mut looked, &mut attractive);
        }
        // Only the ratios are known: a click needs both, so one can grow as the other shrinks.
        let first = looked[0];
        Ok(looked.iter().map(|chance| (chance / first).clamp(1e-6, 1.0)).collect())
    }

    fn round(&self, seen: &[Seen], looked: &mut [f64], attractive: &mut [f64]) {
        let mut by_position = vec![(0.0, 0.0); looked.len()];
        let mut by_pair = vec![(0.5 * self.prior, self.prior); attractive.len()];
        for &Seen { pair, position, clicks, shown } in seen {
            let (theta, alpha) = (looked[position], attractive[pair]);
            let (skipped, missed) = (shown - clicks, (1.0 - theta * alpha).max(1e-12));
            let was_looked = clicks + skipped * theta * (1.0 - alpha) / missed;
            let was_attractive = clicks + skipped * alpha * (1.0 - theta) / missed;
            let place = &mut by_position[position];
            *place = (place.0 + was_looked, place.1 + shown);
            let own = &mut by_pair[pair];
            *own = (own.0 + was_attractive, own.1 + shown);
        }
        for (chance, (sum, n)) in looked.iter_mut().zip(by_position) {
            *chance = if n > 0.0 { sum / n } else { 0.0 };
        }
        for (chance, (sum, n)) in attractive.iter_mut().zip(by_pair) {
            *chance = sum / n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Rng;

    /// Sessions in which position k is looked at with probability 1/√k and good documents stand high.
    fn sessions(n: usize) -> Vec<Session> {
        let mut rng = Rng::new(3);
        let attraction: Vec<f64> = (0..60).map(|_| 0.1 + 0.8 * rng.unit()).collect();
        (0..n)
            .map(|i| {
                let query = (i % 12) as u32;
                let mut shown: Vec<u32> = (0..5).map(|d| query * 5 + d).collect();
                // Better documents tend to stand higher, so clicks by position alone would mislead.
                let keys: Vec<f64> = (0..60).map(|d| attraction[d] + 0.5 * rng.normal()).collect();
                shown.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
                let chance = |k: usize, d: u32| attraction[d as usize] / ((k + 1) as f64).sqrt();
                let clicked = (0..5).filter(|&k| rng.unit() < chance(k, shown[k])).map(|k| k as u32).collect();
                Session { query, shown, clicked, ..Session::default() }
            })
            .collect()
    }

    #[test]
    fn the_chance_of_being_looked_at_is_recovered() {
        let sessions = sessions(30_000);
        let bias = PositionBiasParams::default().of_sessions(&sessions).expect("an estimate");
        for (k, estimate) in bias.iter().enumerate() {
            let truth = 1.0 / ((k + 1) as f64).sqrt();
            assert!((estimate - truth).abs() < 0.04, "position {}: {estimate} for {truth}", k + 1);
        }
        let shared = PositionBiasParams { positions: 3, ..Default::default() };
        assert_eq!(shared.of_sessions(&sessions).expect("an estimate").len(), 3);
    }

    #[test]
    fn tables_and_sessions_agree() {
        let sessions = sessions(5_000);
        let mut table: BTreeMap<(u32, u32, usize), Click> = BTreeMap::new();
        for session in &sessions {
            for (position, &document) in session.shown.iter().enumerate() {
                let click = table.entry((session.query, document, position)).or_insert(Click {
                    query: session.query,
                    document,
                    impressions: Some(0),
                    position: Some(position as f32 + 1.0),
                    clicks: 0,
                });
                click.impressions = click.impressions.map(|n| n + 1);
                click.clicks += u64::from(session.clicked.contains(&(position as u32)));
            }
        }
        let clicks: Vec<Click> = table.into_values().collect();
        let params = PositionBiasParams::default();
        assert_eq!(params.of_clicks(&clicks).expect("one"), params.of_sessions(&sessions).expect("another"));
    }

    #[test]
    fn what_says_nothing_is_refused() {
        let params = PositionBiasParams::default();
        assert!(params.of_sessions(&[]).is_err());
        assert!(params.of_clicks(&[Click { clicks: 1, ..Click::default() }]).is_err());
        let none = PositionBiasParams { rounds: 0, ..Default::default() };
        assert!(none.of_sessions(&sessions(10)).is_err());
    }
}
