//! What figures are made of: named series of points, and axes.

use serde::{Deserialize, Serialize};

/// A named series of points, drawn as a line through them in the order given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points (x, y).
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Names a series of points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect() }
    }
}

/// How numbers become positions on an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisScale {
    /// Equal differences take equal room.
    #[default]
    Linear,
    /// Equal ratios take equal room; zeros have a place of their own at the axis's start.
    Log,
    /// Logarithmic if the numbers are ≥ 0, span a factor of 50 and crowd near the small end, else linear.
    Auto,
}

/// The label and the scale of an axis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The label; empty for none.
    pub label: String,
    /// The scale.
    #[serde(default)]
    pub scale: AxisScale,
}

impl Axis {
    /// Names a linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: AxisScale::Linear }
    }

    /// Names a logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: AxisScale::Log }
    }

    /// Names an axis whose numbers decide its scale.
    pub fn auto(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: AxisScale::Auto }
    }
}
