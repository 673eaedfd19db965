//! Plots of results: from plain numbers to an SVG or PNG file.
//!
//! A figure is a struct of names and numbers; serde reads and writes it, so that a plot can be drawn again, or drawn
//! differently, from a JSON file of its numbers. [`Plot::try_new`] checks a figure; only checked figures can be drawn.
//!
//! | kind | figure | what it shows |
//! |---|---|---|
//! | `learning_curve` | [`LearningCurve`] | how do test error and density of W move during training? |
//! | `ap_scatter` | [`ApScatter`] | on which queries does one model beat the other? |
//! | `heat_map` | [`HeatMap`] | which query words did W tie to which document words? |
//! | `density_path` | [`DensityPath`] | what does sparsity cost in MAP? |
//! | `bars` | [`Bars`] | how do models compare by several metrics? |
//! | `lines` | [`Lines`] | anything else with two axes |
//!
//! The same figure always gives the same bytes. Colours are those of Okabe and Ito, for every kind of colour vision.
//!
//! PNG is drawn with DejaVu Sans, which has the letters of most alphabets but no Chinese, Japanese or Korean ones: those
//! come out as empty boxes. In SVG the viewer supplies the font, so such words belong in SVG.

mod ap_scatter;
mod bars;
mod canvas;
mod check;
mod density_path;
mod format;
mod header;
mod heat_map;
mod kind;
mod labels;
mod learning_curve;
mod lines;
mod number;
mod panel;
mod scale;
mod series;
mod style;
mod text;

pub use ap_scatter::ApScatter;
pub use bars::{BarGroup, Bars};
pub use density_path::{DensityPath, L1Path, L1Point};
pub use format::Format;
pub use heat_map::HeatMap;
pub use kind::{Figure, Kind};
pub use learning_curve::{LearningCurve, LearningCurves};
pub use lines::Lines;
pub use series::{Axis, AxisScale, Series};

use canvas::Canvas;
use qwd_core::{Error, Result};
use qwd_store::save_atomically;
use std::path::Path;

/// What a kind of figure has to know; [`Plot`] sees to it that what is drawn was checked.
trait Draw {
    /// Refuses what cannot be drawn.
    fn check(&self) -> Result<()>;
    /// Draws what was checked.
    fn draw(&self) -> Canvas;
}

/// A checked figure, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    figure: Figure,
}

impl Plot {
    /// Checks a figure: at least one point, finite numbers, lists of equal length, and names that differ.
    pub fn try_new(figure: impl Into<Figure>) -> Result<Self> {
        let figure = figure.into();
        figure.drawing().check()?;
        Ok(Self { figure })
    }

    /// Reads a figure of a given kind from JSON and checks it; errors name `path`, which is not opened.
    pub fn from_json(kind: Kind, json: &[u8], path: &Path) -> Result<Self> {
        Self::try_new(Figure::from_json(kind, json, path)?)
    }

    /// Returns the figure.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Draws the plot and returns the bytes of its file.
    pub fn render(&self, format: Format) -> Result<Vec<u8>> {
        self.figure.drawing().draw().encode(format)
    }

    /// Draws the plot into a file that ends in `.svg` or `.png`.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.render(Format::from_path(path)?)?;
        save_atomically(path, |file| file.write_all(&bytes).map_err(|e| Error::io(path, "write", e)))
    }
}

#[cfg(test)]
#[path = "plot_tests.rs"]
mod tests;
