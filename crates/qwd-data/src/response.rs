//! The response: clicks as the matrix R of queries × documents, with entries above 0 only.
//!
//!   r_ij = g(c_ij / w(position_ij)) / (Σ_k c_ik)^δ
//!
//! g is the number of clicks itself, log(1 + clicks), or clicks / impressions. w is the propensity, the chance that the
//! position is looked at (inverse propensity weighting, Joachims, Swaminathan and Schnabel, WSDM 2017); δ from 0 to 1 damps
//! queries that are asked often: at 1 every query counts the same, and what is clicked within a query keeps its
//! proportions, which logarithms do not.

use crate::clicks::Click;
use qwd_core::{Csr, Error, Result, SparseVec, parameters};
use serde::{Deserialize, Serialize};

/// What a pair's clicks are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseKind {
    /// Their number.
    #[default]
    Clicks,
    /// log(1 + their number).
    LogClicks,
    /// Their number over that of impressions.
    Rate,
}

parameters! {
    /// How clicks become a response.
    pub struct ResponseParams {
        /// What clicks are worth: `clicks`, `log-clicks` or `rate`.
        pub kind: ResponseKind = ResponseKind::Clicks,
        /// How much queries with many clicks are damped, 0 (not at all) to 1 (all queries weigh the same). Symbol: δ.
        pub damping: f64 = 0.0,
        /// The chance that each position is looked at, from the first on, above 0, at most 1; clicks are divided by it.
        /// Positions beyond the last have its chance. Without any, clicks count as they are.
        pub propensities: Vec<f64> = Vec::new(),
        /// The smallest propensity that clicks are divided by: rare clicks far down would otherwise drown the others.
        pub min_propensity: f64 = 0.05,
    }
}

impl ResponseParams {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.damping) {
            return Err(Error::param("damping", self.damping, "0 to 1"));
        }
        parameters::share("min_propensity", self.min_propensity)?;
        self.propensities.iter().try_for_each(|&propensity| parameters::share("propensities", propensity))
    }

    /// Makes R; pairs that were only shown have no entry. No clicks at all are an error.
    pub fn matrix(&self, clicks: &[Click], n_queries: usize, n_documents: usize) -> Result<Csr> {
        self.check()?;
        let n_documents = u32::try_from(n_documents).map_err(|_| too_many(n_documents))?;
        let mut ordered: Vec<&Click> = clicks.iter().filter(|click| click.clicks > 0).collect();
        if ordered.is_empty() {
            return Err(Error::bad_data("the click graph is empty: there is no clicked pair", "give clicks.tsv"));
        }
        ordered.sort_by_key(|click| (click.query, click.document));
        let mut response = Csr::with_capacity(n_documents, n_queries, ordered.len());
        let mut rest = ordered.as_slice();
        for query in 0..n_queries as u32 {
            let (own, later) = rest.split_at(rest.partition_point(|click| click.query <= query));
            response.push(self.row(own)?.view())?;
            rest = later;
        }
        match rest.first() {
            None => Ok(response),
            Some(click) => Err(Error::internal(format!("clicks of query {} of {n_queries}", click.query))),
        }
    }

    /// The response of one query.
    fn row(&self, clicks: &[&Click]) -> Result<SparseVec> {
        let total: f64 = clicks.iter().map(|click| click.clicks as f64).sum();
        let damped = total.powf(self.damping);
        let mut pairs = Vec::with_capacity(clicks.len());
        for click in clicks {
            pairs.push((click.document, (self.value(click)? / damped) as f32));
        }
        SparseVec::from_pairs(pairs)
    }

    fn value(&self, click: &Click) -> Result<f64> {
        let clicks = click.clicks as f64 / self.propensity(click)?;
        Ok(match (self.kind, click.impressions) {
            (ResponseKind::Clicks, _) => clicks,
            (ResponseKind::LogClicks, _) => clicks.ln_1p(),
            (ResponseKind::Rate, Some(shown)) => clicks / shown as f64,
            (ResponseKind::Rate, None) => return Err(missing("rate", "impressions", click)),
        })
    }

    /// The chance that the pair's position was looked at, between those of whole positions if it is a mean.
    fn propensity(&self, click: &Click) -> Result<f64> {
        let Some(last) = self.propensities.len().checked_sub(1) else { return Ok(1.0) };
        let Some(position) = click.position else { return Err(missing("propensities", "position", click)) };
        let at = (f64::from(position) - 1.0).min(last as f64);
        let (above, below) = (self.propensities[at.floor() as usize], self.propensities[at.ceil() as usize]);
        Ok((above + (below - above) * at.fract()).max(self.min_propensity))
    }
}

fn missing(wanted: &str, column: &str, click: &Click) -> Error {
    let what = format!("query {} and document {} of clicks.tsv have no {column}", click.query, click.document);
    Error::bad_data(what, format!("add the column, or do not ask for {wanted}"))
}

fn too_many(n: usize) -> Error {
    Error::limit("the number of documents", u64::from(u32::MAX), n as u64, "split the data")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click(query: u32, document: u32, clicks: u64, position: f32) -> Click {
        Click { query, document, clicks, impressions: Some(20), position: Some(position) }
    }

    fn clicks() -> Vec<Click> {
        vec![click(2, 1, 3, 1.0), click(0, 2, 8, 2.0), click(0, 0, 2, 1.0), click(1, 1, 0, 1.0)]
    }

    fn dense(params: &ResponseParams) -> Vec<Vec<f32>> {
        let matrix = params.matrix(&clicks(), 3, 3).expect("a response");
        (0..3).map(|row| (0..3).map(|column| matrix.get(row, column)).collect()).collect()
    }

    #[test]
    fn each_kind_has_its_values() {
        let of = |kind| dense(&ResponseParams { kind, ..Default::default() });
        assert_eq!(of(ResponseKind::Clicks), [[2.0, 0.0, 8.0], [0.0; 3], [0.0, 3.0, 0.0]]);
        assert_eq!(of(ResponseKind::LogClicks)[0], [3f32.ln(), 0.0, 9f32.ln()]);
        assert_eq!(of(ResponseKind::Rate)[0], [0.1, 0.0, 0.4]);
    }

    #[test]
    fn damped_queries_keep_their_proportions() {
        let damped = dense(&ResponseParams { damping: 1.0, ..Default::default() });
        assert_eq!(damped, [[0.2, 0.0, 0.8], [0.0; 3], [0.0, 1.0, 0.0]]);
        let half = dense(&ResponseParams { damping: 0.5, ..Default::default() });
        assert!((half[0][2] - 8.0 / 10f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn clicks_are_divided_by_the_chance_of_being_seen() {
        let params = ResponseParams { propensities: vec![1.0, 0.5], ..Default::default() };
        assert_eq!(dense(&params)[0], [2.0, 0.0, 16.0]);
        let between = [click(0, 0, 3, 1.5), click(0, 1, 3, 9.0)];
        let matrix = params.matrix(&between, 1, 2).expect("a response");
        assert_eq!((matrix.get(0, 0), matrix.get(0, 1)), (4.0, 6.0));
        let bounded = ResponseParams { propensities: vec![1.0, 0.001], ..Default::default() };
        assert_eq!(dense(&bounded)[0][2], 160.0, "8 clicks over the smallest propensity");
    }

    #[test]
    fn what_is_missing_or_absurd_is_refused() {
        let bare = [Click { clicks: 1, ..Click::default() }];
        let message =
            |params: ResponseParams, clicks: &[Click]| params.matrix(clicks, 1, 1).expect_err("refused").to_string();
        let rate = ResponseParams { kind: ResponseKind::Rate, ..Default::default() };
        assert!(message(rate, &bare).contains("no impressions"));
        let weighted = ResponseParams { propensities: vec![1.0], ..Default::default() };
        assert!(message(weighted, &bare).contains("no position"));
        assert!(message(ResponseParams::default(), &[]).contains("click graph is empty"));
        let shown_only = [Click { impressions: Some(3), ..Click::default() }];
        assert!(message(ResponseParams::default(), &shown_only).contains("click graph is empty"));
        for params in [
            ResponseParams { damping: -0.1, ..Default::default() },
            ResponseParams { propensities: vec![1.0, 0.0], ..Default::default() },
            ResponseParams { min_propensity: 0.0, ..Default::default() },
        ] {
            assert!(params.matrix(&bare, 1, 1).is_err());
        }
    }
}
