//! The strongest part of W: query words against document words.

use super::canvas::{Align, Canvas, Font, Point};
use super::scale::Scale;
use super::style::{AXIS, GRID, LABEL_SIZE, MARGIN, TICK_SIZE, diverging};
use super::{check, header, text};
use qwd_core::Result;
use serde::{Deserialize, Serialize};

/// More words a side than this make a picture that no one reads.
const MAX_WORDS: usize = 300;
/// Longer words are cut.
const MAX_WORD_WIDTH: f64 = 170.0;
/// Narrower pictures have no room for their title.
const MIN_WIDTH: f64 = 420.0;
const ROWS: &str = "query words";
const COLUMNS: &str = "document words";
/// The key of the colours: its bar, and with its numbers.
const BAR_WIDTH: f64 = 14.0;
const KEY_WIDTH: f64 = 76.0;
const BAR_HEIGHT: f64 = 150.0;
const BAR_STEPS: usize = 75;

/// The weights of W between some query words and some document words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeatMap {
    /// The title; empty for none.
    #[serde(default)]
    pub title: String,
    /// The query words, from top to bottom; 10 to 40 are read with ease, 300 are drawn.
    pub query_words: Vec<String>,
    /// The document words, from left to right; as many.
    pub document_words: Vec<String>,
    /// The weights, a row for each query word and in it a number for each document word.
    pub weights: Vec<Vec<f64>>,
}

/// Where the parts of the picture lie.
struct Plan {
    cell: f64,
    font: u32,
    /// How steeply the document words rise.
    degrees: f64,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Plan {
    /// Where the label below the columns begins: in their middle, but never before them.
    fn columns_label_left(&self) -> f64 {
        let middle = (self.left + self.right) / 2.0;
        (middle - text::width(COLUMNS, LABEL_SIZE) / 2.0).max(self.left)
    }

    /// Where the key of the colours begins: beyond the cells and their label.
    fn key_left(&self) -> f64 {
        self.right.max(self.columns_label_left() + text::width(COLUMNS, LABEL_SIZE)).ceil() + 24.0
    }
}

impl HeatMap {
    /// The largest weight without its sign: the end of the colours, 1 if all weights are 0.
    fn strongest(&self) -> f64 {
        let strongest = self.weights.iter().flatten().fold(0.0f64, |m, w| m.max(w.abs()));
        if strongest > 0.0 { strongest } else { 1.0 }
    }

    fn plan(&self) -> Plan {
        let n_columns = self.document_words.len() as f64;
        let n_most = self.document_words.len().max(self.query_words.len());
        let cell = match n_most {
            0..=20 => 26.0,
            21..=40 => 19.0,
            _ => 12.0,
        };
        let font = TICK_SIZE.min(cell as u32 - 3);
        // Words below the columns rise less steeply where their lines have room beside each other.
        let degrees = if cell > f64::from(font) * 1.5 { 45.0f64 } else { 90.0 };
        let mut before = widest(&self.query_words, font).max(text::width(ROWS, LABEL_SIZE)) + 8.0;
        for (j, word) in self.document_words.iter().enumerate() {
            let reach = width_of(word, font) * degrees.to_radians().cos();
            before = before.max(reach - (j as f64 + 0.5) * cell);
        }
        let left = (MARGIN + before).ceil();
        Plan { cell, font, degrees, left, top: 0.0, right: left + cell * n_columns, bottom: 0.0 }
    }

    fn draw_cells(&self, canvas: &mut Canvas, plan: &Plan) {
        canvas.rect((plan.left, plan.top), plan.right - plan.left, plan.bottom - plan.top, "#ffffff");
        let strongest = self.strongest();
        for (i, row) in self.weights.iter().enumerate() {
            for (j, &weight) in row.iter().enumerate().filter(|&(_, &w)| w != 0.0) {
                let corner = (plan.left + j as f64 * plan.cell, plan.top + i as f64 * plan.cell);
                canvas.rect(corner, plan.cell, plan.cell, &diverging(weight / strongest));
            }
        }
        for i in 1..self.query_words.len() {
            let y = plan.top + i as f64 * plan.cell;
            canvas.horizontal(y, plan.left, plan.right, GRID, 0.5);
        }
        for j in 1..self.document_words.len() {
            let x = plan.left + j as f64 * plan.cell;
            canvas.vertical(x, plan.top, plan.bottom, GRID, 0.5);
        }
        canvas.outline((plan.left, plan.top), plan.right - plan.left, plan.bottom - plan.top, AXIS);
    }

    /// Writes the words beside their rows and below their columns, and returns the height below them.
    fn draw_words(&self, canvas: &mut Canvas, plan: &Plan) -> f64 {
        let font = Font::plain(plan.font);
        for (i, word) in self.query_words.iter().enumerate() {
            let middle = plan.top + (i as f64 + 0.5) * plan.cell;
            let at = (plan.left - 7.0, middle + f64::from(plan.font) * 0.36);
            canvas.text(at, &text::cut(word, plan.font, MAX_WORD_WIDTH), font, Align::Right);
        }
        let (sin, cos) = plan.degrees.to_radians().sin_cos();
        let half_letter = f64::from(plan.font) * 0.36;
        for (j, word) in self.document_words.iter().enumerate() {
            let middle = plan.left + (j as f64 + 0.5) * plan.cell;
            let at = (middle + half_letter * sin, plan.bottom + 7.0 + half_letter * cos);
            canvas.rising_text(at, &text::cut(word, plan.font, MAX_WORD_WIDTH), plan.font, plan.degrees);
        }
        let below = plan.bottom + 12.0 + widest(&self.document_words, plan.font) * sin + f64::from(plan.font) * cos;
        canvas.text((plan.left - 7.0, plan.top - 12.0), ROWS, Font::plain(LABEL_SIZE), Align::Right);
        let at = (plan.columns_label_left(), below + f64::from(LABEL_SIZE));
        canvas.text(at, COLUMNS, Font::plain(LABEL_SIZE), Align::Left);
        at.1 + 6.0
    }
}

impl super::Draw for HeatMap {
    fn check(&self) -> Result<()> {
        check::count("query words", self.query_words.len(), MAX_WORDS)?;
        check::count("document words", self.document_words.len(), MAX_WORDS)?;
        check::names("query words", self.query_words.iter().map(String::as_str))?;
        check::names("document words", self.document_words.iter().map(String::as_str))?;
        check::equal_length("rows of weights", self.query_words.len(), self.weights.len())?;
        for (word, row) in self.query_words.iter().zip(&self.weights) {
            check::equal_length(&format!("weights of \"{word}\""), self.document_words.len(), row.len())?;
            row.iter().try_for_each(|&w| check::number(&format!("a weight of \"{word}\""), w))?;
        }
        Ok(())
    }

    fn draw(&self) -> Canvas {
        let mut plan = self.plan();
        let mut canvas = Canvas::new((plan.key_left() + KEY_WIDTH + MARGIN).max(MIN_WIDTH));
        plan.top = header::draw(&mut canvas, &self.title, "", &[]) + f64::from(LABEL_SIZE) + 13.0;
        plan.bottom = plan.top + plan.cell * self.query_words.len() as f64;
        self.draw_cells(&mut canvas, &plan);
        let below = self.draw_words(&mut canvas, &plan);
        let bar_bottom = draw_colour_bar(&mut canvas, (plan.key_left(), plan.top), self.strongest());
        canvas.end_at(below.max(bar_bottom) + MARGIN)
    }
}

/// Draws the key of the colours, and returns the height below it.
fn draw_colour_bar(canvas: &mut Canvas, (left, top): Point, strongest: f64) -> f64 {
    let scale = Scale::between(-strongest, strongest);
    for i in 0..BAR_STEPS {
        let share = i as f64 / BAR_STEPS as f64;
        let weight = 1.0 - 2.0 * (share + 0.5 / BAR_STEPS as f64);
        // Each colour reaches down to the end and is covered by the next: so there are no seams.
        let down = share * BAR_HEIGHT;
        canvas.rect((left, top + down), BAR_WIDTH, BAR_HEIGHT - down, &diverging(weight));
    }
    canvas.outline((left, top), BAR_WIDTH, BAR_HEIGHT, AXIS);
    for tick in scale.ticks(5) {
        let y = top + (1.0 - scale.at(tick.value)) * BAR_HEIGHT;
        canvas.horizontal(y, left + BAR_WIDTH, left + BAR_WIDTH + 4.0, AXIS, 1.0);
        canvas.text((left + BAR_WIDTH + 8.0, y + 4.0), &tick.label, Font::plain(TICK_SIZE), Align::Left);
    }
    canvas.text((left, top - 12.0), "weight", Font::plain(LABEL_SIZE), Align::Left);
    top + BAR_HEIGHT
}

/// The width of the widest word as it is drawn.
fn widest(words: &[String], size: u32) -> f64 {
    words.iter().map(|w| width_of(w, size)).fold(0.0, f64::max)
}

/// The width of a word as it is drawn.
fn width_of(word: &str, size: u32) -> f64 {
    text::width(&text::cut(word, size, MAX_WORD_WIDTH), size)
}
