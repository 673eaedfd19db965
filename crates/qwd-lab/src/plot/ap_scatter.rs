//! Two models query by query: the average precision of one against that of the other.

use super::canvas::Canvas;
use super::header::{self, Swatch};
use super::panel::{Below, Panel, Place};
use super::scale::Scale;
use super::style::{AXIS, LABEL_SIZE, MARGIN};
use super::{check, number, text};
use qwd_core::Result;
use serde::{Deserialize, Serialize};

const WIDTH: f64 = 560.0;
/// Differences below this come from the order of additions, not from the rankings.
const TIE: f64 = 1e-9;
/// Longer names of models are cut in the labels of the axes.
const MAX_NAME_WIDTH: f64 = 220.0;
const WIN: &str = "#0072b2";
const LOSS: &str = "#d55e00";
const EVEN: &str = "#4d4d4d";

/// The average precision of two models on the same queries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApScatter {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The name of model A, to the right.
    pub a: String,
    /// The name of model B, upwards.
    pub b: String,
    /// The average precisions (A, B) for each query.
    pub queries: Vec<(f64, f64)>,
}

impl ApScatter {
    /// Counts the queries that B ranks better than A, as well as A, and worse than A.
    pub fn wins_ties_losses(&self) -> (usize, usize, usize) {
        let count = |colour: &str| self.queries.iter().filter(|&&q| colour_of(q) == colour).count();
        (count(WIN), count(EVEN), count(LOSS))
    }

    fn label(&self, model: &str, value: impl Fn(&(f64, f64)) -> f64) -> String {
        let mean = self.queries.iter().map(value).sum::<f64>() / self.queries.len() as f64;
        // Cut here, so that the mean is never cut off.
        let model = text::cut(model, LABEL_SIZE, MAX_NAME_WIDTH);
        format!("average precision of {model} (mean {})", number::short(mean))
    }
}

impl super::Draw for ApScatter {
    fn check(&self) -> Result<()> {
        check::names("models", [self.a.as_str(), self.b.as_str()])?;
        check::n_points(self.queries.len())?;
        for (i, &(a, b)) in self.queries.iter().enumerate() {
            check::share(&format!("average precision of {} on query {}", self.a, i + 1), a)?;
            check::share(&format!("average precision of {} on query {}", self.b, i + 1), b)?;
        }
        Ok(())
    }

    fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(WIDTH);
        let (wins, ties, losses) = self.wins_ties_losses();
        let n = self.queries.len();
        let subtitle = format!("{} wins {wins}, ties {ties}, loses {losses} of {n} queries", self.b);
        let legend = [
            (format!("{} is better", self.b), Swatch::Dot(WIN)),
            ("equal".to_string(), Swatch::Dot(EVEN)),
            (format!("{} is better", self.a), Swatch::Dot(LOSS)),
        ];
        let legend: Vec<_> = legend.iter().map(|(name, swatch)| (name.as_str(), *swatch)).collect();
        let top = header::draw(&mut canvas, &self.title, &subtitle, &legend);
        let width = WIDTH - 2.0 * MARGIN;
        let place = Place { left: MARGIN, top, width, height: width + 30.0 };
        // The ends lie a little outside, so that the discs at 0 and 1 are whole.
        let ends = || Scale::between(-0.02, 1.02);
        let (x_label, y_label) = (self.label(&self.a, |q| q.0), self.label(&self.b, |q| q.1));
        let panel = Panel::draw(&mut canvas, place, ends(), ends(), Below::Ticks(&x_label), &y_label);
        canvas.path(&[panel.at((0.0, 0.0)), panel.at((1.0, 1.0))], AXIS, 1.0, Some((6.0, 4.0)));
        // Many queries need smaller discs, or they become one blot.
        let radius = if n > 500 { 2.5 } else { 4.0 };
        for &query in &self.queries {
            canvas.dot(panel.at(query), colour_of(query), radius, 0.55);
        }
        canvas.end_at(top + place.height + MARGIN)
    }
}

fn colour_of((a, b): (f64, f64)) -> &'static str {
    match b - a {
        d if d.abs() <= TIE => EVEN,
        d if d > 0.0 => WIN,
        _ => LOSS,
    }
}
