//! Parameter values to choose from on validation documents.

use crate::method::Method;
use crate::training_measure::Measure;
use qwd_core::{Error, Result};
use serde_json::{Value, json};

/// Values to try for some parameters; all combinations are tried.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    axes: Vec<(String, Vec<Value>)>,
}

/// The largest number of combinations.
const MAX_POINTS: usize = 10_000;

impl Grid {
    /// Returns a grid of nothing to choose: the method as it is.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a parameter and the values to try.
    pub fn with(mut self, name: impl Into<String>, values: Vec<Value>) -> Self {
        self.axes.push((name.into(), values));
        self
    }

    /// Reads `name=v1,v2,… name=…`, separated by white space or semicolons.
    pub fn parse(text: &str) -> Result<Self> {
        let expected = "name=value,value,… with parameters separated by spaces";
        let mut grid = Self::default();
        for axis in text.split(|c: char| c.is_whitespace() || c == ';').filter(|axis| !axis.is_empty()) {
            let (name, values) = axis.split_once('=').ok_or_else(|| Error::param("grid", axis, expected))?;
            let value = |v: &str| serde_json::from_str(v).unwrap_or_else(|_| json!(v));
            let values: Vec<Value> = values.split(',').filter(|v| !v.is_empty()).map(value).collect();
            if name.is_empty() || values.is_empty() {
                return Err(Error::param("grid", axis, expected));
            }
            grid.axes.push((name.to_string(), values));
        }
        Ok(grid)
    }

    /// Returns the grid of the paper, or one that suits the method's published use.
    pub fn default_of(method: &Method) -> Self {
        let numbers = |values: &[f64]| values.iter().map(|v| json!(v)).collect::<Vec<_>>();
        let powers =
            |exponents: std::ops::RangeInclusive<i32>| exponents.map(|e| json!(10f64.powi(e))).collect::<Vec<_>>();
        match method {
            Method::Fenchel(_) => {
                Self::none().with("radius", numbers(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]))
            }
            Method::RankSvmPrimal(_) => Self::none().with("c", powers(-5..=1)),
            Method::RankSvmStruct(_) => Self::none().with("c", powers(-1..=3)),
            Method::TgRank(_) | Method::RsRank(_) => Self::none().with("c", powers(-3..=1)),
            Method::FsRank(_) => Self::none().with("c", powers(-4..=-1)),
            Method::ListNet(_) => Self::none().with("learning_rate", numbers(&[0.001, 0.01, 0.1])),
            Method::Mart(_) => Self::none().with("leaves", vec![json!(4), json!(8), json!(16)]),
            Method::LambdaMart(_) => {
                Self::none().with("leaves", vec![json!(4), json!(8), json!(16)]).with("learning_rate", numbers(&[0.05]))
            }
            Method::AdaRank(params) if params.measure == Measure::Ndcg => {
                Self::none().with("depth", [1, 3, 5, 10, 20, 1000].map(|k| json!(k)).to_vec())
            }
            Method::RankBoost(_) => Self::none().with("max_bins", [10, 32, 64, 255].map(|n| json!(n)).to_vec()),
            Method::AdaRank(_) | Method::CoordinateAscent(_) | Method::Blend(_) => Self::none(),
        }
    }

    /// Returns the method at every point, in order: the last parameter changes fastest.
    pub fn methods(&self, base: &Method) -> Result<Vec<Method>> {
        let mut methods = vec![base.clone()];
        for (name, values) in &self.axes {
            if methods.len().saturating_mul(values.len()) > MAX_POINTS {
                return Err(Error::limit("the number of grid points", MAX_POINTS as u64, u64::MAX, "try fewer values"));
            }
            let points =
                methods.iter().flat_map(|method| values.iter().map(move |value| method.with(name, value.clone())));
            methods = points.collect::<Result<_>>()?;
        }
        methods.iter().try_for_each(Method::check)?;
        Ok(methods)
    }
}
