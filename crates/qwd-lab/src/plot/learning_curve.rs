//! Learning curves: the test error rate and the density of W against the number of training iterations, a row per data set.

use super::canvas::Canvas;
use super::panel::{Below, Panel, Place};
use super::series::{AxisScale, Series};
use super::style::MARGIN;
use super::{check, header, lines};
use qwd_core::Result;
use serde::{Deserialize, Serialize};

const WIDTH: f64 = 920.0;
const PANEL_HEIGHT: f64 = 290.0;
const GAP: f64 = 14.0;
const MAX_ROWS: usize = 20;

/// The learning curves of several methods on several data sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningCurve {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The data sets, at most 20, from top to bottom.
    pub data_sets: Vec<LearningCurves>,
}

/// The learning curves on one data set; a method has the same name in both lists.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningCurves {
    /// The data set's name.
    pub name: String,
    /// Test error rates (training tuples seen, error rate) for each method.
    pub error: Vec<Series>,
    /// Densities of W (training tuples seen, share of entries that are not 0) for each method.
    pub density: Vec<Series>,
}

impl LearningCurve {
    /// The names of all methods, in the order in which they first occur.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for series in self.data_sets.iter().flat_map(|d| d.error.iter().chain(&d.density)) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }
}

impl super::Draw for LearningCurve {
    fn check(&self) -> Result<()> {
        check::count("data sets", self.data_sets.len(), MAX_ROWS)?;
        check::names("data sets", self.data_sets.iter().map(|d| d.name.as_str()))?;
        for data_set in &self.data_sets {
            check::all_series(&data_set.error, AxisScale::Auto, AxisScale::Linear)?;
            check::all_series(&data_set.density, AxisScale::Auto, AxisScale::Log)?;
        }
        check::n_series(self.names().len())
    }

    fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(WIDTH);
        let names = self.names();
        let mut top = header::draw(&mut canvas, &self.title, "", &lines::legend(&names));
        let width = (WIDTH - 2.0 * MARGIN - GAP) / 2.0;
        for data_set in &self.data_sets {
            top = header::draw_heading(&mut canvas, top, &data_set.name);
            let panels = [
                (MARGIN, &data_set.error, AxisScale::Linear, "test error rate"),
                (MARGIN + width + GAP, &data_set.density, AxisScale::Auto, "density of W"),
            ];
            for (left, series, y_scale, y_label) in panels {
                let place = Place { left, top, width, height: PANEL_HEIGHT };
                let (x, y) = lines::fit(series, AxisScale::Auto, y_scale);
                let panel = Panel::draw(&mut canvas, place, x, y, Below::Ticks("iterations"), y_label);
                panel.draw_series(&mut canvas, series, |name| lines::style_of(&names, name));
            }
            top += PANEL_HEIGHT + MARGIN / 2.0;
        }
        canvas.end_at(top + MARGIN / 2.0)
    }
}
