//! A whole regularisation path for little more than one fit: FenchelRank over growing radii, each from the weights of the
//! last, and the radius that ranks validation documents best.

use crate::feature_set::FeatureSet;
use crate::fenchel_rank::{FenchelRank, Fit};
use crate::measure::Validation;
use qwd_core::{Error, Observer, Result, Threads};
use serde::Serialize;

/// The fits of a path and the one that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegularizationPath {
    /// The fits, by ascending radius.
    pub fits: Vec<Fit>,
    /// The figure of each on the validation documents, if there are any; higher is better.
    pub validation: Vec<f64>,
    /// The number of the fit with the best figure, the first of equals; without figures, of the last.
    pub chosen: usize,
}

/// Fits all radii, at least one, and chooses.
pub fn fit(
    trainer: &FenchelRank,
    train: &FeatureSet,
    radii: &[f64],
    validation: Option<Validation<'_>>,
    threads: &Threads,
    observer: &dyn Observer,
) -> Result<RegularizationPath> {
    if radii.is_empty() {
        return Err(Error::param("radii", "(none)", "at least one radius"));
    }
    let fits = trainer.path(train, radii, threads, observer)?;
    let figure = |fit: &Fit| validation.map(|v| v.figure(&fit.ranker.score_all(v.set, threads)?));
    let validation: Vec<f64> = fits.iter().filter_map(figure).collect::<Result<_>>()?;
    let better = |best: usize, at: usize| if validation[at] > validation[best] { at } else { best };
    let chosen = if validation.is_empty() { fits.len() - 1 } else { (0..validation.len()).fold(0, better) };
    Ok(RegularizationPath { fits, validation, chosen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fenchel_rank::FenchelRankParams;
    use crate::fenchel_rank::tests::problem;
    use qwd_core::Silent;
    use qwd_metrics::{Depth, Metric};

    #[test]
    fn the_radius_of_the_best_figure_is_chosen_and_without_figures_the_last() {
        let (train, held_out) = (problem(21, 30, 8, 5), problem(22, 30, 8, 5));
        let trainer = FenchelRankParams::default().build().expect("checked");
        let validation = Validation { set: &held_out, metric: Metric::ExponentialNdcg(Depth::at(5).expect("a depth")) };
        let run = |validation| fit(&trainer, &train, &[8.0, 0.5, 2.0], validation, &Threads::default(), &Silent);
        let path = run(Some(validation)).expect("fits");
        assert_eq!(path.fits.iter().map(|f| f.radius).collect::<Vec<_>>(), [0.5, 2.0, 8.0]);
        assert!(path.validation.iter().all(|figure| *figure <= path.validation[path.chosen]));
        assert_eq!(run(None).expect("fits").chosen, 2);
        assert!(fit(&trainer, &train, &[], None, &Threads::default(), &Silent).is_err());
    }
}
