//! Lines through points: NDCG against the cutoff, the objective against the iteration, and whatever else has two axes.

use super::canvas::Canvas;
use super::check;
use super::header::{self, Swatch};
use super::panel::{Below, Panel, Place};
use super::scale::{Scale, Zero};
use super::series::{Axis, AxisScale, Series};
use super::style::{MARGIN, Style, WIDTH};
use qwd_core::Result;
use serde::{Deserialize, Serialize};

const PANEL_HEIGHT: f64 = 380.0;

/// Named series of points between two axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// The series, at most 24, in the order of the legend.
    pub series: Vec<Series>,
}

impl super::Draw for Lines {
    fn check(&self) -> Result<()> {
        check::all_series(&self.series, self.x.scale, self.y.scale)
    }

    fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(WIDTH);
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let top = header::draw(&mut canvas, &self.title, "", &legend(&names));
        let place = Place { left: MARGIN, top, width: WIDTH - 2.0 * MARGIN, height: PANEL_HEIGHT };
        let (x, y) = fit(&self.series, self.x.scale, self.y.scale);
        let panel = Panel::draw(&mut canvas, place, x, y, Below::Ticks(&self.x.label), &self.y.label);
        panel.draw_series(&mut canvas, &self.series, |name| style_of(&names, name));
        canvas.end_at(top + PANEL_HEIGHT + MARGIN)
    }
}

/// The scales that hold all points of series.
pub(super) fn fit(series: &[Series], x: AxisScale, y: AxisScale) -> (Scale, Scale) {
    let (xs, ys): (Vec<f64>, Vec<f64>) = series.iter().flat_map(|s| s.points.iter().copied()).unzip();
    (Scale::fit(x, &xs, Zero::Free), Scale::fit(y, &ys, Zero::IfNear))
}

/// The legend of named lines.
pub(super) fn legend<'a>(names: &[&'a str]) -> Vec<(&'a str, Swatch)> {
    names.iter().enumerate().map(|(i, &name)| (name, Swatch::Line(Style::of(i)))).collect()
}

/// The look of a name, by its place in the legend.
pub(super) fn style_of(names: &[&str], name: &str) -> Style {
    Style::of(names.iter().position(|&n| n == name).unwrap_or(0))
}
