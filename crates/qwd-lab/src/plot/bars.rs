//! Bars in groups: models side by side for each metric.

use super::canvas::{Align, Canvas, Font, Point};
use super::header::{self, Swatch};
use super::panel::{Below, Panel, Place};
use super::scale::{Scale, Zero};
use super::series::AxisScale;
use super::style::{AXIS, INK, MARGIN, NOTE_SIZE, Style, TICK_SIZE, WIDTH};
use super::{check, number, text};
use qwd_core::{Error, Result};
use serde::{Deserialize, Serialize};

const PANEL_HEIGHT: f64 = 360.0;
/// The most bars of a picture.
const MAX_BARS: usize = 240;
/// The most models: each has a colour of its own.
const MAX_MODELS: usize = 7;
const MAX_BAR_WIDTH: f64 = 64.0;
const MIN_BAR_WIDTH: f64 = 9.0;
/// The share of a group's room that is left free.
const FREE: f64 = 0.18;
/// Smaller numbers are not worth writing.
const MIN_VALUE_SIZE: u32 = 9;
/// Longer names of groups are cut where they do not fit side by side.
const MAX_NAME_WIDTH: f64 = 180.0;
/// About what the ticks of the y axis and their labels take.
const ROOM_FOR_TICKS: f64 = 60.0;
/// The sine and cosine of the slanted names' angle.
const SLOPE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Groups of bars; every group has a bar for each model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The label of the axis upwards; empty for none.
    #[serde(default)]
    pub y_label: String,
    /// The names of the models, at most 7, in the order of the bars.
    pub models: Vec<String>,
    /// The groups, from left to right.
    pub groups: Vec<BarGroup>,
}

/// The bars of one metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarGroup {
    /// The metric's name.
    pub name: String,
    /// The value of each model.
    pub values: Vec<f64>,
    /// The standard error of each value, drawn as a whisker on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_errors: Option<Vec<f64>>,
}

impl BarGroup {
    /// The standard error of a value, 0 if none is known.
    fn error(&self, i: usize) -> f64 {
        self.standard_errors.as_ref().and_then(|e| e.get(i)).copied().unwrap_or(0.0)
    }

    fn check(&self, n_models: usize) -> Result<()> {
        let name = &self.name;
        check::equal_length(&format!("values of \"{name}\""), n_models, self.values.len())?;
        self.values.iter().try_for_each(|&v| check::number(&format!("a value of \"{name}\""), v))?;
        let Some(errors) = &self.standard_errors else { return Ok(()) };
        check::equal_length(&format!("standard errors of \"{name}\""), n_models, errors.len())?;
        for &error in errors {
            check::number(&format!("a standard error of \"{name}\""), error)?;
            if error < 0.0 {
                let what = format!("a standard error of \"{name}\" is {error}");
                return Err(Error::bad_data(what, "give numbers from 0 up, or none"));
            }
        }
        Ok(())
    }
}

impl Bars {
    fn y_scale(&self) -> Scale {
        let ends = |g: &BarGroup| {
            let ends = |(i, v): (usize, &f64)| [v - g.error(i), *v, v + g.error(i)];
            g.values.iter().enumerate().flat_map(ends).collect::<Vec<f64>>()
        };
        let values: Vec<f64> = self.groups.iter().flat_map(ends).collect();
        Scale::fit(AxisScale::Linear, &values, Zero::Always)
    }

    fn draw_group(&self, canvas: &mut Canvas, panel: &Panel, bar: f64, n: usize) {
        let (group, first) = (&self.groups[n], self.first_bar(panel, bar, n));
        let y = |v: f64| panel.at((0.0, v)).1;
        for (i, &value) in group.values.iter().enumerate() {
            let left = first + bar * i as f64;
            let (top, bottom) = (y(value.max(0.0)), y(value.min(0.0)));
            // A hair's breadth between neighbours keeps them apart without colour.
            canvas.rect((left + 0.5, top), bar - 1.0, bottom - top, Style::of(i).colour);
            let error = group.error(i);
            let x = left + bar / 2.0;
            if error > 0.0 {
                let (low, high, cap) = (y(value - error), y(value + error), (bar / 5.0).min(6.0));
                canvas.vertical(x, high, low, INK, 1.5);
                canvas.horizontal(low, x - cap, x + cap, INK, 1.5);
                canvas.horizontal(high, x - cap, x + cap, INK, 1.5);
            }
        }
    }

    /// Writes the values at the ends of their bars if there is room for all.
    fn draw_values(&self, canvas: &mut Canvas, panel: &Panel, bar: f64) {
        let values: Vec<f64> = self.groups.iter().flat_map(|g| g.values.iter().copied()).collect();
        let labels = number::alike(&values);
        let fits = |size: &u32| labels.iter().all(|l| text::width(l, *size) <= bar + 1.0);
        let Some(size) = (MIN_VALUE_SIZE..=NOTE_SIZE).rev().find(fits) else { return };
        let n_models = self.models.len();
        for (n, (value, label)) in values.iter().zip(&labels).enumerate() {
            let (group, i) = (n / n_models, n % n_models);
            let error = self.groups[group].error(i);
            let x = self.first_bar(panel, bar, group) + bar * (i as f64 + 0.5);
            let end = if *value < 0.0 { value - error } else { value + error };
            let beyond = if *value < 0.0 { 13.0 } else { -5.0 };
            canvas.text((x, panel.at((0.0, end)).1 + beyond), label, Font::soft(size), Align::Centre);
        }
    }

    /// The middle of a group's room.
    fn middle(&self, panel: &Panel, group: usize) -> f64 {
        panel.left + (group as f64 + 0.5) * panel.width / self.groups.len() as f64
    }

    /// The left end of a group's first bar.
    fn first_bar(&self, panel: &Panel, bar: f64, group: usize) -> f64 {
        self.middle(panel, group) - bar * self.models.len() as f64 / 2.0
    }
}

impl super::Draw for Bars {
    fn check(&self) -> Result<()> {
        check::count("models", self.models.len(), MAX_MODELS)?;
        check::names("models", self.models.iter().map(String::as_str))?;
        check::count("groups of bars", self.groups.len(), MAX_BARS / self.models.len())?;
        check::names("groups of bars", self.groups.iter().map(|g| g.name.as_str()))?;
        self.groups.iter().try_for_each(|g| g.check(self.models.len()))
    }

    fn draw(&self) -> Canvas {
        let (n_groups, n_models) = (self.groups.len() as f64, self.models.len() as f64);
        let width = WIDTH.max(n_groups * n_models * MIN_BAR_WIDTH / (1.0 - FREE) + 100.0) - 2.0 * MARGIN;
        let names = Names::new(&self.groups, (width - ROOM_FOR_TICKS) / n_groups);
        let mut canvas = Canvas::new(names.before + width + 2.0 * MARGIN);
        let legend: Vec<_> =
            self.models.iter().enumerate().map(|(i, m)| (m.as_str(), Swatch::Block(Style::of(i).colour))).collect();
        let top = header::draw(&mut canvas, &self.title, "", &legend);
        let place = Place { left: MARGIN + names.before, top, width, height: PANEL_HEIGHT + names.below };
        let x = Scale::between(0.0, 1.0);
        let panel = Panel::draw(&mut canvas, place, x, self.y_scale(), Below::Room(names.below), &self.y_label);
        let bar = (panel.width / n_groups * (1.0 - FREE) / n_models).min(MAX_BAR_WIDTH);
        for i in 0..self.groups.len() {
            self.draw_group(&mut canvas, &panel, bar, i);
            names.draw(&mut canvas, i, (self.middle(&panel, i), panel.bottom()));
        }
        self.draw_values(&mut canvas, &panel, bar);
        // Drawn again over the bars, which begin at it.
        let zero = panel.at((0.0, 0.0)).1;
        canvas.horizontal(zero, panel.left, panel.right(), AXIS, 1.0);
        canvas.end_at(top + place.height + MARGIN / 2.0)
    }
}

/// The names below the groups: side by side if they fit, else slanted.
struct Names {
    names: Vec<String>,
    slanted: bool,
    /// The room they take to the left of the first group, and below all.
    before: f64,
    below: f64,
}

impl Names {
    fn new(groups: &[BarGroup], room: f64) -> Self {
        let names: Vec<String> = groups.iter().map(|g| text::cut(&g.name, TICK_SIZE, MAX_NAME_WIDTH)).collect();
        let widths: Vec<f64> = names.iter().map(|n| text::width(n, TICK_SIZE)).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        if widest <= room - 8.0 {
            return Self { names, slanted: false, before: 0.0, below: 28.0 };
        }
        let reach = |(i, width): (usize, &f64)| width * SLOPE - (i as f64 + 0.5) * room;
        let before = widths.iter().enumerate().map(reach).fold(0.0, f64::max);
        Self { names, slanted: true, before, below: widest * SLOPE + 24.0 }
    }

    /// Writes a name below the middle of its group.
    fn draw(&self, canvas: &mut Canvas, i: usize, (x, y): Point) {
        if self.slanted {
            canvas.rising_text((x + 3.0, y + 13.0), &self.names[i], TICK_SIZE, 45.0);
        } else {
            canvas.text((x, y + 18.0), &self.names[i], Font::plain(TICK_SIZE), Align::Centre);
        }
    }
}
