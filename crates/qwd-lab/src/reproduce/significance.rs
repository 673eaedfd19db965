//! Whether rows differ from a baseline by more than chance.

use super::Row;
use qwd_core::Result;
use qwd_metrics::significance::{Alternative, paired_t_test};
use qwd_metrics::{Evaluation, Metric};

/// Adds the p-value of a paired two-sided t-test against the baseline for each metric: `p(map)` and so on.
pub(super) fn against_baseline(
    rows: &mut [Row],
    evaluations: &[(String, Evaluation)],
    baseline: &str,
    metrics: &[Metric],
) -> Result<()> {
    let Some((_, base)) = evaluations.iter().find(|(method, _)| method == baseline) else { return Ok(()) };
    for (row, (method, evaluation)) in rows.iter_mut().zip(evaluations) {
        if method == baseline {
            continue;
        }
        for &metric in metrics {
            let (mine, theirs) = evaluation.paired(base, metric)?;
            let test = paired_t_test(&mine, &theirs, Alternative::TwoSided)?;
            row.metrics.insert(format!("p({metric})"), test.p_value);
        }
    }
    Ok(())
}
