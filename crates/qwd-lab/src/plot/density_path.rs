//! What sparsity costs: MAP against the density of W along a path of L1 penalties.

use super::canvas::Canvas;
use super::labels::{Labels, MAX_LABELS};
use super::panel::{Below, Panel, Place};
use super::series::{AxisScale, Series};
use super::style::{MARGIN, Style, WIDTH};
use super::{check, header, lines, number};
use qwd_core::Result;
use serde::{Deserialize, Serialize};

const PANEL_HEIGHT: f64 = 400.0;

/// The paths of several methods.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DensityPath {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The paths, at most 24, in the order of the legend.
    pub paths: Vec<L1Path>,
}

/// The path of one method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Path {
    /// The method's name.
    pub name: String,
    /// The models along the path, joined in the order given.
    pub points: Vec<L1Point>,
}

/// One model of a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L1Point {
    /// The penalty it was trained with.
    pub l1: f64,
    /// The share of the entries of W that are not 0.
    pub density: f64,
    /// Its mean average precision.
    pub map: f64,
}

impl DensityPath {
    fn series(&self) -> Vec<Series> {
        let points = |path: &L1Path| path.points.iter().map(|p| (p.density, p.map)).collect::<Vec<_>>();
        self.paths.iter().map(|path| Series::new(path.name.clone(), points(path))).collect()
    }

    fn draw_labels(&self, canvas: &mut Canvas, panel: &Panel, mut labels: Labels) {
        for (i, path) in self.paths.iter().enumerate() {
            for point in &path.points {
                let at = panel.at((point.density, point.map));
                labels.draw(canvas, at, &number::short(point.l1), Style::of(i).colour);
            }
        }
    }
}

impl super::Draw for DensityPath {
    fn check(&self) -> Result<()> {
        check::all_series(&self.series(), AxisScale::Log, AxisScale::Linear)?;
        for path in &self.paths {
            for point in &path.points {
                check::number(&format!("an l1 of \"{}\"", path.name), point.l1)?;
                check::share(&format!("a density of \"{}\"", path.name), point.density)?;
            }
        }
        Ok(())
    }

    fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(WIDTH);
        let series = self.series();
        let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
        let labelled = series.iter().map(|s| s.points.len()).sum::<usize>() <= MAX_LABELS;
        let subtitle = if labelled { "points are labelled with their l1" } else { "" };
        let top = header::draw(&mut canvas, &self.title, subtitle, &lines::legend(&names));
        let place = Place { left: MARGIN, top, width: WIDTH - 2.0 * MARGIN, height: PANEL_HEIGHT };
        let (x, y) = lines::fit(&series, AxisScale::Log, AxisScale::Linear);
        let panel = Panel::draw(&mut canvas, place, x, y, Below::Ticks("density of W"), "MAP");
        panel.draw_series(&mut canvas, &series, |name| lines::style_of(&names, name));
        if labelled {
            self.draw_labels(&mut canvas, &panel, Labels::new(&panel, &series));
        }
        canvas.end_at(top + PANEL_HEIGHT + MARGIN)
    }
}
