//! What a click log holds: its graph, its rules and their contradictions, its position bias.

use crate::click_graph::{ClickGraph, ClickGraphParams, GraphStatistics};
use crate::position_bias::PositionBiasParams;
use qwd_core::{Result, Threads};
use qwd_data::click_filters::Filtered;
use qwd_data::click_rules::{preferences, share_contradicted};
use qwd_data::{Agreement, ClickFilterParams, ClickRule, Dataset, Judgment};
use serde::Serialize;

/// What is worth knowing about a click log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClickReport {
    /// The sizes of its graph, if it has a table of clicks.
    pub graph: Option<GraphStatistics>,
    /// Its sessions, after filtering.
    pub n_sessions: usize,
    /// What filters left out.
    pub filtered: Filtered,
    /// What each rule makes of the sessions.
    pub rules: Vec<RuleReport>,
    /// How likely each position is looked at, from the first on, as far as sessions tell.
    pub position_bias: Vec<f64>,
}

/// The preferences of one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleReport {
    /// The rule.
    pub rule: ClickRule,
    /// How many preferences it gives.
    pub n_preferences: usize,
    /// The share of different ones whose opposite is also there.
    pub contradicted: Option<f64>,
    /// The share of judged ones that judgments do not confirm.
    pub broken: Option<f64>,
}

impl ClickReport {
    /// Looks at the clicks of a data set.
    pub fn of(dataset: &Dataset, filters: &ClickFilterParams, threads: &Threads) -> Result<Self> {
        let mut sessions = dataset.sessions.clone();
        let filtered = filters.apply(&mut sessions)?;
        let judgments: Vec<Judgment> =
            dataset.judgments.values().flatten().chain(&dataset.undivided_judgments).copied().collect();
        let rule_report = |rule: ClickRule| {
            let preferences = preferences(&sessions, &[rule]);
            RuleReport {
                rule,
                n_preferences: preferences.len(),
                contradicted: share_contradicted(&preferences),
                broken: Agreement::of(&preferences, &judgments).share_broken(),
            }
        };
        let graph = match dataset.clicks.is_empty() {
            true => None,
            false => {
                let graph = ClickGraph::build(dataset, &dataset.clicks, &ClickGraphParams::default(), threads)?;
                Some(graph.statistics())
            }
        };
        let has_clicks = sessions.iter().any(|session| !session.clicked.is_empty());
        Ok(Self {
            graph,
            n_sessions: sessions.len(),
            filtered,
            rules: if has_clicks { ClickRule::ALL.map(rule_report).to_vec() } else { Vec::new() },
            position_bias: if has_clicks { PositionBiasParams::default().of_sessions(&sessions)? } else { Vec::new() },
        })
    }
}
