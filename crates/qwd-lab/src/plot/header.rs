//! What stands above a figure's panels: title, subtitle and legend.

use super::canvas::{Align, Canvas, Font};
use super::style::{HEADING_SIZE, LABEL_SIZE, MARGIN, Style, TITLE_SIZE};
use super::text;

/// Titles and subtitles of more lines are cut.
const MAX_LINES: usize = 3;
const ENTRY_SIZE: u32 = 12;
const ENTRY_GAP: f64 = 22.0;
const ROW_HEIGHT: f64 = 20.0;

/// What stands beside a name in the legend.
#[derive(Clone, Copy)]
pub(super) enum Swatch {
    /// A piece of the series' line and its mark.
    Line(Style),
    /// A disc.
    Dot(&'static str),
    /// A square.
    Block(&'static str),
}

impl Swatch {
    fn width(self) -> f64 {
        match self {
            Self::Line(_) => 28.0,
            Self::Dot(_) => 10.0,
            Self::Block(_) => 12.0,
        }
    }

    fn draw(self, canvas: &mut Canvas, left: f64, middle: f64) {
        match self {
            Self::Line(style) => {
                canvas.path(&[(left, middle), (left + 28.0, middle)], style.colour, 2.0, style.dash);
                canvas.mark((left + 14.0, middle), style.mark, style.colour, 3.5);
            }
            Self::Dot(colour) => canvas.dot((left + 5.0, middle), colour, 4.5, 1.0),
            Self::Block(colour) => canvas.rect((left, middle - 6.0), 12.0, 12.0, colour),
        }
    }
}

/// Draws title, subtitle and legend, and returns the height they take.
pub(super) fn draw(canvas: &mut Canvas, title: &str, subtitle: &str, legend: &[(&str, Swatch)]) -> f64 {
    let room = canvas.width() - 2.0 * MARGIN;
    let mut top = MARGIN;
    for line in text::wrap(title, TITLE_SIZE, room / text::BOLD, MAX_LINES) {
        top += f64::from(TITLE_SIZE) + 5.0;
        canvas.text((MARGIN, top - 6.0), &line, Font::bold(TITLE_SIZE), Align::Left);
    }
    for line in text::wrap(subtitle, LABEL_SIZE, room, MAX_LINES) {
        top += f64::from(LABEL_SIZE) + 6.0;
        canvas.text((MARGIN, top - 4.0), &line, Font::soft(LABEL_SIZE), Align::Left);
    }
    draw_legend(canvas, top + 4.0, room, legend)
}

/// Draws the entries of a legend from left to right in as many rows as they need.
fn draw_legend(canvas: &mut Canvas, top: f64, room: f64, legend: &[(&str, Swatch)]) -> f64 {
    let (mut left, mut bottom) = (MARGIN, top);
    for (i, &(name, swatch)) in legend.iter().enumerate() {
        let name = text::cut(name, ENTRY_SIZE, room - swatch.width() - 8.0);
        let width = swatch.width() + 7.0 + text::width(&name, ENTRY_SIZE);
        if i == 0 || left + width > MARGIN + room {
            (left, bottom) = (MARGIN, bottom + ROW_HEIGHT);
        }
        let middle = bottom - ROW_HEIGHT / 2.0;
        swatch.draw(canvas, left, middle);
        canvas.text((left + swatch.width() + 7.0, middle + 4.0), &name, Font::plain(ENTRY_SIZE), Align::Left);
        left += width + ENTRY_GAP;
    }
    bottom + 6.0
}

/// Draws the heading of a row of panels, and returns the height below it.
pub(super) fn draw_heading(canvas: &mut Canvas, top: f64, heading: &str) -> f64 {
    let room = canvas.width() - 2.0 * MARGIN;
    let heading = text::cut(heading, HEADING_SIZE, room / text::BOLD);
    let baseline = top + f64::from(HEADING_SIZE) + 6.0;
    canvas.text((MARGIN, baseline), &heading, Font::bold(HEADING_SIZE), Align::Left);
    baseline + 6.0
}
