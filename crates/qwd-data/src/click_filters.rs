//! Sessions that say nothing: robots, and the same click again.
//!
//! A robot asks far more than a person or clicks on whatever it is shown; a person who clicks a document again and again for
//! the same query has said so once. Sessions without a user are judged by their clicks alone.

use crate::sessions::Session;
use qwd_core::parameters::{positive, share};
use qwd_core::{Result, parameters};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

parameters! {
    /// Which sessions are left out.
    pub struct ClickFilterParams {
        /// The most sessions of one user that a person could have; all sessions of a busier one are left out.
        pub max_sessions_of_user: u64 = 1_000,
        /// The most sessions of one user within a minute, where times are known.
        pub max_sessions_a_minute: f64 = 20.0,
        /// The share of the shown documents from which clicks look like a robot's, above 0, at most 1; lists of fewer than
        /// five documents are never judged by it.
        pub max_click_share: f64 = 0.9,
        /// Whether a user's further clicks on a document for the same query are left out.
        pub drop_repeated: bool = true,
    }
}

/// What a filter left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Filtered {
    /// Sessions of users who asked too much or too fast.
    pub of_robots: u64,
    /// Sessions in which nearly everything was clicked.
    pub clicked_all: u64,
    /// Clicks that repeat one of the same user, query and document.
    pub repeated_clicks: u64,
}

impl ClickFilterParams {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        positive("max_sessions_of_user", self.max_sessions_of_user as f64)?;
        positive("max_sessions_a_minute", self.max_sessions_a_minute)?;
        share("max_click_share", self.max_click_share)
    }

    /// Leaves sessions and clicks out, and tells how many.
    pub fn apply(&self, sessions: &mut Vec<Session>) -> Result<Filtered> {
        self.check()?;
        let mut filtered = Filtered::default();
        let robots = self.robots(sessions);
        sessions.retain(|session| {
            let of_robot = session.user.is_some_and(|user| robots.contains(&user));
            let clicked_all = self.clicked_all(session);
            filtered.of_robots += u64::from(of_robot);
            filtered.clicked_all += u64::from(clicked_all && !of_robot);
            !of_robot && !clicked_all
        });
        if self.drop_repeated {
            filtered.repeated_clicks = drop_repeated(sessions);
        }
        Ok(filtered)
    }

    fn robots(&self, sessions: &[Session]) -> FxHashSet<u32> {
        let mut times_of: FxHashMap<u32, (u64, Vec<f64>)> = FxHashMap::default();
        for session in sessions {
            if let Some(user) = session.user {
                let (n, times) = times_of.entry(user).or_default();
                *n += 1;
                times.extend(session.time);
            }
        }
        let is_robot = |(n, times): &mut (u64, Vec<f64>)| *n > self.max_sessions_of_user || self.too_fast(times);
        times_of.into_iter().filter_map(|(user, mut seen)| is_robot(&mut seen).then_some(user)).collect()
    }

    /// Whether some minute holds more sessions than a person could ask.
    fn too_fast(&self, times: &mut [f64]) -> bool {
        times.sort_by(f64::total_cmp);
        let allowed = self.max_sessions_a_minute.floor() as usize;
        times.windows(allowed + 1).any(|window| window[allowed] - window[0] < 60.0)
    }

    fn clicked_all(&self, session: &Session) -> bool {
        let clicked = session.clicked_positions().len() as f64;
        session.shown.len() >= 5 && clicked > self.max_click_share * session.shown.len() as f64
    }
}

/// Keeps each user's first click on a document for a query; without a user, the first of the session.
fn drop_repeated(sessions: &mut [Session]) -> u64 {
    let mut seen = FxHashSet::default();
    let mut n_dropped = 0;
    for (number, session) in sessions.iter_mut().enumerate() {
        let Session { query, shown, clicked, user, .. } = session;
        let before = clicked.len();
        let who = user.map_or((1, number as u32), |user| (0, user));
        clicked.retain(|&position| seen.insert((who, *query, shown[position as usize])));
        n_dropped += (before - clicked.len()) as u64;
    }
    n_dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(user: Option<u32>, time: f64, clicked: Vec<u32>) -> Session {
        Session { query: 1, shown: vec![10, 11, 12, 13, 14], clicked, user, time: Some(time) }
    }

    #[test]
    fn busy_users_and_fast_users_are_robots() {
        let params = ClickFilterParams { max_sessions_of_user: 3, max_sessions_a_minute: 2.0, ..Default::default() };
        let of = |user, times: &[f64]| times.iter().map(|&t| session(Some(user), t, vec![])).collect::<Vec<_>>();
        let mut sessions = of(1, &[0.0, 100.0, 200.0, 300.0]);
        sessions.extend(of(2, &[0.0, 20.0, 59.0]));
        sessions.extend(of(3, &[0.0, 20.0, 60.0]));
        let filtered = params.apply(&mut sessions).expect("filtered");
        assert_eq!(filtered.of_robots, 7);
        assert!(sessions.iter().all(|s| s.user == Some(3)) && sessions.len() == 3);
    }

    #[test]
    fn lists_clicked_from_top_to_bottom_are_left_out() {
        let mut sessions = vec![session(None, 0.0, vec![0, 1, 2, 3, 4]), session(None, 0.0, vec![0, 1, 2, 3])];
        let filtered = ClickFilterParams::default().apply(&mut sessions).expect("filtered");
        assert_eq!((filtered.clicked_all, sessions.len()), (1, 1));
    }

    #[test]
    fn a_repeated_click_counts_once_for_a_user() {
        let mut sessions =
            vec![session(Some(1), 0.0, vec![2, 2, 1]), session(Some(1), 90.0, vec![2]), session(Some(2), 0.0, vec![2])];
        sessions.push(session(None, 0.0, vec![3, 3]));
        sessions.push(session(None, 0.0, vec![3]));
        let filtered = ClickFilterParams::default().apply(&mut sessions).expect("filtered");
        assert_eq!(filtered.repeated_clicks, 3);
        let clicked: Vec<&[u32]> = sessions.iter().map(|s| s.clicked.as_slice()).collect();
        assert_eq!(clicked, [[2, 1].as_slice(), &[], &[2], &[3], &[3]]);
        let keep = ClickFilterParams { drop_repeated: false, ..Default::default() };
        assert_eq!(keep.apply(&mut sessions).expect("filtered"), Filtered::default());
    }

    #[test]
    fn absurd_limits_are_refused() {
        for params in [
            ClickFilterParams { max_sessions_of_user: 0, ..Default::default() },
            ClickFilterParams { max_sessions_a_minute: f64::NAN, ..Default::default() },
            ClickFilterParams { max_click_share: 0.0, ..Default::default() },
        ] {
            assert!(params.apply(&mut Vec::new()).is_err());
        }
    }
}
