//! The names of metrics: `base`, `base@k`, `base(parameter)` or `base(parameter)@k`, in lower case.

use crate::depth::Depth;
use crate::metric::Metric;
use qwd_core::{Error, Result};
use std::fmt;
use std::str::FromStr;

const EXPECTED: &str = "one of map, map@K, p@K, r@K, success@K, rprec, mrr, mrr@K, ndcg, ndcg@K, ndcg-exp, ndcg-exp@K, \
    letor3-ndcg@K, letor4-ndcg@K, err@K, err(G)@K, rbp(P), bpref, error, with a rank K of at least 1, a highest grade G of 1 to 30 \
    and a persistence P between 0 and 1";

/// The persistence of a plain `rbp`, the one its authors recommend for ordinary readers.
const PERSISTENCE: f64 = 0.8;

impl FromStr for Metric {
    type Err = Error;

    /// Reads a metric's name; upper case is accepted too.
    fn from_str(name: &str) -> Result<Self> {
        parse(&name.trim().to_ascii_lowercase()).ok_or_else(|| Error::param("metric", name, EXPECTED))
    }
}

fn parse(name: &str) -> Option<Metric> {
    let (head, depth) = match name.split_once('@') {
        Some((head, k)) => (head, Depth::at(k.parse().ok()?).ok()?),
        None => (name, Depth::WHOLE),
    };
    let (base, parameter) = match head.split_once('(') {
        Some((base, rest)) => (base, Some(rest.strip_suffix(')')?)),
        None => (head, None),
    };
    let whole = depth == Depth::WHOLE;
    Some(match (base, parameter) {
        ("map", None) => Metric::AveragePrecision(depth),
        ("p", None) => Metric::Precision(depth),
        ("r", None) => Metric::Recall(depth),
        ("success", None) => Metric::Success(depth),
        ("rprec", None) if whole => Metric::RPrecision,
        ("mrr", None) => Metric::ReciprocalRank(depth),
        ("ndcg", None) => Metric::Ndcg(depth),
        ("ndcg-exp", None) => Metric::ExponentialNdcg(depth),
        ("letor3-ndcg", None) => Metric::Letor3Ndcg(depth),
        ("letor4-ndcg", None) => Metric::Letor4Ndcg(depth),
        ("err", None) => Metric::ExpectedReciprocalRank { depth, max_grade: None },
        ("err", Some(g)) => {
            let max_grade = g.parse().ok().filter(|g| (1..=30).contains(g))?;
            Metric::ExpectedReciprocalRank { depth, max_grade: Some(max_grade) }
        }
        ("rbp", None) if whole => Metric::RankBiasedPrecision { persistence: PERSISTENCE },
        ("rbp", Some(p)) if whole => {
            let persistence = p.parse().ok().filter(|&p: &f64| p > 0.0 && p < 1.0)?;
            Metric::RankBiasedPrecision { persistence }
        }
        ("bpref", None) if whole => Metric::Bpref,
        ("error", None) if whole => Metric::PairError,
        _ => return None,
    })
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AveragePrecision(depth) => write!(f, "map{depth}"),
            Self::Precision(depth) => write!(f, "p{depth}"),
            Self::Recall(depth) => write!(f, "r{depth}"),
            Self::Success(depth) => write!(f, "success{depth}"),
            Self::RPrecision => f.write_str("rprec"),
            Self::ReciprocalRank(depth) => write!(f, "mrr{depth}"),
            Self::Ndcg(depth) => write!(f, "ndcg{depth}"),
            Self::ExponentialNdcg(depth) => write!(f, "ndcg-exp{depth}"),
            Self::Letor3Ndcg(depth) => write!(f, "letor3-ndcg{depth}"),
            Self::Letor4Ndcg(depth) => write!(f, "letor4-ndcg{depth}"),
            Self::ExpectedReciprocalRank { depth, max_grade: None } => write!(f, "err{depth}"),
            Self::ExpectedReciprocalRank { depth, max_grade: Some(g) } => write!(f, "err({g}){depth}"),
            Self::RankBiasedPrecision { persistence } => write!(f, "rbp({persistence})"),
            Self::Bpref => f.write_str("bpref"),
            Self::PairError => f.write_str("error"),
        }
    }
}

impl TryFrom<String> for Metric {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_round_trip() -> Result<()> {
        for name in
            "map map@100 p@5 p r@10 success@1 rprec mrr mrr@10 ndcg ndcg@10 ndcg-exp@10 letor3-ndcg@1 letor4-ndcg@10 \
                     err err@20 err(4) err(4)@20 rbp(0.95) bpref error"
                .split_whitespace()
        {
            assert_eq!(name.parse::<Metric>()?.to_string(), name);
        }
        assert_eq!("NDCG@10".parse::<Metric>()?.to_string(), "ndcg@10");
        assert_eq!("rbp".parse::<Metric>()?.to_string(), "rbp(0.8)");
        Ok(())
    }

    #[test]
    fn unknown_names_are_told_what_exists() {
        for name in "nonsense ndcg@0 ndcg@ ndcg@-1 ndcg(3)@5 rbp(0) rbp(1) rbp(nan) rbp(0.8 rbp(0.8)@5 err(0)@5 err(x) bpref@3 error@1 @"
            .split_whitespace()
            .chain(["", "map@99999999999999999999"])
        {
            let message = name.parse::<Metric>().expect_err(name).to_string();
            assert!(message.contains("ndcg@K") && message.contains(name), "{message}");
        }
    }
}
