//! Preferences from clicks: what a click says about the documents around it.
//!
//! A click alone says little, since nobody looks at all positions; a click on a document says that it was preferred to those
//! that were looked at and passed over. The rules are those of Joachims, "Optimizing Search Engines using Clickthrough Data",
//! KDD 2002 (the first) and Joachims et al., "Evaluating the Accuracy of Implicit Feedback from Clicks and Query
//! Reformulations in Web Search", TOIS 25(2), 2007 (all). A pair comes as often as sessions say it; sessions that
//! contradict each other both count. Cost: at most the square of the positions per session.

use crate::preference::{Judgment, Preference};
use crate::sessions::Session;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Which documents a clicked one is preferred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClickRule {
    /// Every document above it that was not clicked.
    #[default]
    ClickSkipAbove,
    /// The same, for the last click alone.
    LastClickSkipAbove,
    /// Every document that was clicked before it.
    ClickEarlierClick,
    /// The document just above it, if that was not clicked.
    ClickSkipPrevious,
    /// The document just below it, if that was not clicked.
    ClickNoClickNext,
}

impl ClickRule {
    /// Every rule.
    pub const ALL: [Self; 5] = [
        Self::ClickSkipAbove,
        Self::LastClickSkipAbove,
        Self::ClickEarlierClick,
        Self::ClickSkipPrevious,
        Self::ClickNoClickNext,
    ];

    /// Returns the rule's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClickSkipAbove => "click-skip-above",
            Self::LastClickSkipAbove => "last-click-skip-above",
            Self::ClickEarlierClick => "click-earlier-click",
            Self::ClickSkipPrevious => "click-skip-previous",
            Self::ClickNoClickNext => "click-no-click-next",
        }
    }

    /// Returns the pairs of positions, better and worse, that a session gives.
    pub fn pairs(self, session: &Session) -> Vec<(u32, u32)> {
        let clicked = session.clicked_positions();
        let skipped = |position: &u32| clicked.binary_search(position).is_err();
        let skipped_above = |click: u32| (0..click).filter(skipped).map(move |above| (click, above));
        match self {
            Self::ClickSkipAbove => clicked.iter().flat_map(|&click| skipped_above(click)).collect(),
            Self::LastClickSkipAbove => {
                session.clicked.last().into_iter().flat_map(|&last| skipped_above(last)).collect()
            }
            Self::ClickEarlierClick => earlier_clicks(&session.clicked),
            Self::ClickSkipPrevious => {
                let above = clicked.iter().filter_map(|&click| Some((click, click.checked_sub(1)?)));
                above.filter(|(_, previous)| skipped(previous)).collect()
            }
            Self::ClickNoClickNext => {
                let below = clicked.iter().map(|&click| (click, click + 1));
                below.filter(|(_, next)| (*next as usize) < session.shown.len() && skipped(next)).collect()
            }
        }
    }
}

/// Each clicked position against those whose first click came before its own.
fn earlier_clicks(clicked: &[u32]) -> Vec<(u32, u32)> {
    let mut first: Vec<u32> = Vec::new();
    for &click in clicked {
        if !first.contains(&click) {
            first.push(click);
        }
    }
    (0..first.len())
        .flat_map(|late| first[..late].iter().map(|&early| (first[late], early)).collect::<Vec<_>>())
        .collect()
}

/// Turns sessions into preferences by rows, in the order of the sessions; a pair that two rules give in one session counts
/// once.
pub fn preferences(sessions: &[Session], rules: &[ClickRule]) -> Vec<Preference> {
    let mut preferences = Vec::new();
    for session in sessions {
        let mut pairs: Vec<(u32, u32)> = rules.iter().flat_map(|rule| rule.pairs(session)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let row = |position: u32| session.shown[position as usize];
        preferences.extend(pairs.into_iter().map(|(better, worse)| Preference {
            query: session.query,
            better: row(better),
            worse: row(worse),
            weight: 1.0,
        }));
    }
    preferences
}

/// How preferences agree with judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Agreement {
    /// Different pairs of documents that the preferences name and that are judged, both of them.
    pub n_judged: u64,
    /// Those whose preferred document is judged no better than the other: they break the rule.
    pub n_broken: u64,
}

impl Agreement {
    /// Compares preferences with judgments; a pair counts once, whatever number of sessions names it.
    pub fn of(preferences: &[Preference], judgments: &[Judgment]) -> Self {
        let grades: FxHashMap<(u32, u32), i32> = judgments.iter().map(|j| ((j.query, j.document), j.grade)).collect();
        let mut pairs: Vec<(u32, u32, u32)> = preferences.iter().map(|p| (p.query, p.better, p.worse)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut agreement = Self::default();
        for (query, better, worse) in pairs {
            if let (Some(better), Some(worse)) = (grades.get(&(query, better)), grades.get(&(query, worse))) {
                agreement.n_judged += 1;
                agreement.n_broken += u64::from(better <= worse);
            }
        }
        agreement
    }

    /// The share of judged pairs that break the rule; nothing without any.
    pub fn share_broken(&self) -> Option<f64> {
        (self.n_judged > 0).then(|| self.n_broken as f64 / self.n_judged as f64)
    }
}

/// The share of different preferences whose opposite is also there: sessions that contradict each other.
pub fn share_contradicted(preferences: &[Preference]) -> Option<f64> {
    let pairs: rustc_hash::FxHashSet<(u32, u32, u32)> =
        preferences.iter().map(|p| (p.query, p.better, p.worse)).collect();
    let contradicted = pairs.iter().filter(|&&(query, better, worse)| pairs.contains(&(query, worse, better))).count();
    (!pairs.is_empty()).then(|| contradicted as f64 / pairs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten results, of which the third was clicked first, then the first, then the seventh: the example of Joachims 2002
    /// (links 1, 3 and 7), with an order.
    fn session() -> Session {
        Session { query: 5, shown: (10..20).collect(), clicked: vec![2, 0, 6, 2], ..Session::default() }
    }

    #[test]
    fn each_rule_gives_its_pairs() {
        let pairs = |rule: ClickRule| rule.pairs(&session());
        assert_eq!(pairs(ClickRule::ClickSkipAbove), [(2, 1), (6, 1), (6, 3), (6, 4), (6, 5)]);
        assert_eq!(pairs(ClickRule::LastClickSkipAbove), [(2, 1)], "the last click was on the third");
        assert_eq!(pairs(ClickRule::ClickEarlierClick), [(0, 2), (6, 2), (6, 0)]);
        assert_eq!(pairs(ClickRule::ClickSkipPrevious), [(2, 1), (6, 5)]);
        assert_eq!(pairs(ClickRule::ClickNoClickNext), [(0, 1), (2, 3), (6, 7)]);
        let last = Session { shown: vec![1, 2], clicked: vec![1], ..Session::default() };
        assert_eq!(ClickRule::ClickNoClickNext.pairs(&last), [], "nothing is below the last");
        for rule in ClickRule::ALL {
            assert_eq!(serde_json::to_value(rule).expect("a name"), rule.name());
            assert!(
                rule.pairs(&Session { shown: vec![1, 2], ..Session::default() }).is_empty(),
                "no click says nothing"
            );
        }
    }

    #[test]
    fn a_pair_of_two_rules_counts_once_in_a_session() {
        let rules = [ClickRule::ClickSkipAbove, ClickRule::ClickSkipPrevious];
        let preferences = preferences(&[session(), session()], &rules);
        assert_eq!(preferences.len(), 10);
        assert_eq!((preferences[0].query, preferences[0].better, preferences[0].worse), (5, 12, 11));
    }

    #[test]
    fn broken_rules_are_counted_among_judged_pairs() {
        let preferences = preferences(&[session(), session()], &[ClickRule::ClickSkipAbove]);
        let judge = |document, grade| Judgment { query: 5, document, grade };
        // (12, 11) is right, (16, 11) tied and so broken, the others are not judged.
        let agreement = Agreement::of(&preferences, &[judge(12, 3), judge(11, 1), judge(16, 1)]);
        assert_eq!(agreement, Agreement { n_judged: 2, n_broken: 1 });
        assert_eq!(agreement.share_broken(), Some(0.5));
        assert_eq!(Agreement::of(&preferences, &[]).share_broken(), None);
    }

    #[test]
    fn opposite_preferences_contradict_each_other() {
        let preference = |query, better, worse| Preference { query, better, worse, weight: 1.0 };
        let given = [preference(0, 1, 2), preference(0, 1, 2), preference(0, 2, 1), preference(1, 1, 2)];
        assert_eq!(share_contradicted(&given), Some(2.0 / 3.0));
        assert_eq!(share_contradicted(&[]), None);
    }
}
