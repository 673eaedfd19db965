//! Which metrics are shown when none, or a list of names, is asked for.

use qwd_core::Result;
use qwd_data::{Task, Truth};
use qwd_metrics::{Depth, Metric};

/// The usual metrics where documents have grades, as a list of names.
pub const GRADED: &str = "map,ndcg@10,p@10,mrr,error";

/// Reads names between commas.
pub fn parse_metrics(list: &str) -> Result<Vec<Metric>> {
    list.split(',').map(str::parse).collect()
}

/// The usual metrics of a task: where only preferences are known, only the share of wrong ones can be measured.
pub fn usual_metrics(task: &Task) -> Vec<Metric> {
    let ten = Depth::at(10).unwrap_or(Depth::WHOLE);
    match task.truth {
        Truth::Preferences(_) => vec![Metric::PairError],
        Truth::Classes { .. } | Truth::Judgments(_) => vec![
            Metric::AveragePrecision(Depth::WHOLE),
            Metric::Ndcg(ten),
            Metric::Precision(ten),
            Metric::ReciprocalRank(Depth::WHOLE),
            Metric::PairError,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_metrics_agree() {
        let judged = Task::of_judgments(Vec::new(), Vec::new(), false);
        assert_eq!(usual_metrics(&judged), parse_metrics(GRADED).expect("known names"));
        parse_metrics("map,").expect_err("an empty name");
    }
}
