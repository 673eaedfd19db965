//! Team-draft interleaving: which of two rankers do people who click prefer?
//!
//! The two rankings take turns, in an order that a coin decides each round, at adding their best document that is not there
//! yet; a click counts for the team that brought the document. Who has more clicks in a session wins it, and the sign test
//! says whether one wins more often than by chance. Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect
//! Retrieval Quality?", CIKM 2008.

use qwd_core::Rng;
use serde::Serialize;

/// Which ranker brought a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Team {
    /// The first ranker.
    A,
    /// The second ranker.
    B,
}

/// A list of two rankers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interleaved {
    /// The documents, from the first position down.
    pub shown: Vec<u32>,
    /// Who brought each.
    pub teams: Vec<Team>,
}

/// Lets two rankings, best first, choose `n` documents by turns.
pub fn team_draft(a: &[u32], b: &[u32], n: usize, rng: &mut Rng) -> Interleaved {
    let mut list = Interleaved { shown: Vec::new(), teams: Vec::new() };
    while list.shown.len() < n {
        let order = if rng.below(2) == 0 { [(Team::A, a), (Team::B, b)] } else { [(Team::B, b), (Team::A, a)] };
        let before = list.shown.len();
        for (team, ranking) in order {
            let next = ranking.iter().find(|document| !list.shown.contains(document));
            if let Some(&document) = next.filter(|_| list.shown.len() < n) {
                list.shown.push(document);
                list.teams.push(team);
            }
        }
        if list.shown.len() == before {
            break;
        }
    }
    list
}

impl Interleaved {
    /// Returns who wins a session with clicks at some positions, from 0; nobody if both have as many.
    pub fn winner(&self, clicked: &[u32]) -> Option<Team> {
        let of = |team| clicked.iter().filter(|&&position| self.teams.get(position as usize) == Some(&team)).count();
        match of(Team::A).cmp(&of(Team::B)) {
            std::cmp::Ordering::Greater => Some(Team::A),
            std::cmp::Ordering::Less => Some(Team::B),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Sessions won by each of two rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Score {
    /// Won by the first.
    pub wins_a: u64,
    /// Won by the second.
    pub wins_b: u64,
    /// Won by nobody.
    pub ties: u64,
}

impl Score {
    /// Counts a session.
    pub fn add(&mut self, winner: Option<Team>) {
        match winner {
            Some(Team::A) => self.wins_a += 1,
            Some(Team::B) => self.wins_b += 1,
            None => self.ties += 1,
        }
    }

    /// Returns by how much the first is ahead: (wins_a + ties/2) / all − 1/2, as the paper has it.
    pub fn advantage(&self) -> f64 {
        let all = (self.wins_a + self.wins_b + self.ties).max(1) as f64;
        (self.wins_a as f64 + 0.5 * self.ties as f64) / all - if self.is_empty() { 0.0 } else { 0.5 }
    }

    /// Returns whether no session was counted.
    pub fn is_empty(&self) -> bool {
        self.wins_a + self.wins_b + self.ties == 0
    }

    /// Returns the probability of so uneven a score if both were as good: the two-sided sign test, ties left out.
    pub fn p_value(&self) -> f64 {
        let (n, k) = (self.wins_a + self.wins_b, self.wins_a.min(self.wins_b));
        if n == 0 {
            return 1.0;
        }
        // Σ over i ≤ k of C(n, i) / 2^n, in logarithms: n may be large.
        let mut log_term = -(n as f64) * std::f64::consts::LN_2;
        let mut sum = log_term.exp();
        for i in 1..=k {
            log_term += ((n - i + 1) as f64 / i as f64).ln();
            sum += log_term.exp();
        }
        (2.0 * sum).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_takes_one_of_each_and_nothing_twice() {
        let (a, b) = ([1, 2, 3, 4, 5], [3, 1, 9, 8, 7]);
        for seed in 0..50 {
            let list = team_draft(&a, &b, 6, &mut Rng::new(seed));
            assert_eq!(list.shown.len(), 6);
            let mut unique = list.shown.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), 6);
            for round in list.teams.chunks(2) {
                assert_ne!(round[0], round[1], "{:?}", list.teams);
            }
        }
        let short = team_draft(&[1], &[1, 2], 10, &mut Rng::new(1));
        assert_eq!(short.shown.len(), 2, "no more than there are");
    }

    #[test]
    fn neither_ranker_is_favoured() {
        let first = |seed| team_draft(&[1, 2], &[3, 4], 2, &mut Rng::new(seed)).teams[0];
        let n_a = (0..2_000).filter(|&seed| first(seed) == Team::A).count();
        assert!((900..1_100).contains(&n_a), "{n_a}");
    }

    #[test]
    fn clicks_count_for_who_brought_the_document() {
        let list = Interleaved { shown: vec![5, 6, 7], teams: vec![Team::A, Team::B, Team::B] };
        assert_eq!(list.winner(&[0]), Some(Team::A));
        assert_eq!(list.winner(&[0, 1, 2]), Some(Team::B));
        assert_eq!((list.winner(&[0, 2]), list.winner(&[])), (None, None));
    }

    #[test]
    fn the_sign_test_is_that_of_a_fair_coin() {
        let score = |wins_a, wins_b| Score { wins_a, wins_b, ties: 3 };
        assert!((score(1, 9).p_value() - 22.0 / 1024.0).abs() < 1e-12);
        assert_eq!((score(5, 5).p_value(), Score::default().p_value()), (1.0, 1.0));
        assert!(score(600, 400).p_value() < 1e-9 && score(520, 480).p_value() > 0.1);
        assert!((Score { wins_a: 6, wins_b: 2, ties: 2 }.advantage() - 0.2).abs() < 1e-12);
        assert_eq!(Score::default().advantage(), 0.0);
    }
}
