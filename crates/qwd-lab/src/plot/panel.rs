//! A rectangle with axes, a grid and labels, in which points have their places.

use super::canvas::{Align, Canvas, Font, Point};
use super::scale::{Scale, Tick};
use super::series::Series;
use super::style::{AXIS, GRID, LABEL_SIZE, Style, TICK_SIZE};
use super::text;

const TICK_LENGTH: f64 = 4.0;
/// Between the ticks and their labels.
const TICK_GAP: f64 = 7.0;
/// Labels of the x axis stay so far apart.
const LABEL_GAP: f64 = 12.0;
/// Room for one tick of the y axis.
const ROOM_PER_TICK: f64 = 44.0;
/// More ticks than this make an axis a ruler.
const MAX_Y_TICKS: f64 = 7.0;
const MAX_X_TICKS: usize = 8;
/// Half a digit's height: so far below a line's middle do its letters stand.
const HALF_LETTER: f64 = 4.0;
/// A series of more points is drawn without marks, which would hide its line.
const MAX_MARKS: usize = 60;
/// A series of more points may fill the panel with its line, and is drawn without gaps.
const MAX_DASHED: usize = 1000;

/// The place of a panel with everything that belongs to it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// What the x axis is labelled with.
pub(super) enum Below<'a> {
    /// Ticks of a scale and a label.
    Ticks(&'a str),
    /// Nothing yet: so much room is left free.
    Room(f64),
}

/// A panel whose axes are drawn.
pub(super) struct Panel {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    x: Scale,
    y: Scale,
}

impl Panel {
    /// Draws axes, grid and labels into a place.
    pub(super) fn draw(canvas: &mut Canvas, place: Place, x: Scale, y: Scale, below: Below, y_label: &str) -> Self {
        // The label of the y axis stands above it, where it is read without turning the head.
        let above = if y_label.is_empty() { 10.0 } else { f64::from(LABEL_SIZE) + 17.0 };
        let below_height = match below {
            Below::Ticks("") => 28.0,
            Below::Ticks(_) => 48.0,
            Below::Room(height) => height,
        };
        let height = place.height - above - below_height;
        let y_ticks = y.ticks((height / ROOM_PER_TICK).clamp(2.0, MAX_Y_TICKS) as usize);
        let widest = y_ticks.iter().map(|t| text::width(&t.label, TICK_SIZE)).fold(0.0, f64::max);
        let before = widest + TICK_GAP + TICK_LENGTH;
        let (left, top, width) = (place.left + before, place.top + above, place.width - before - 14.0);
        let panel = Self { left, top, width, height, x, y };
        let y_label = text::cut(y_label, LABEL_SIZE, place.width);
        canvas.text((place.left, top - 15.0), &y_label, Font::plain(LABEL_SIZE), Align::Left);
        let x_ticks = if let Below::Ticks(_) = below { panel.x_ticks() } else { Vec::new() };
        panel.draw_grid(canvas, &x_ticks, &y_ticks);
        panel.draw_y_axis(canvas, &y_ticks);
        panel.draw_x_axis(canvas, &x_ticks);
        if let Below::Ticks(label) = below {
            let label = text::cut(label, LABEL_SIZE, panel.width);
            let at = (panel.left + panel.width / 2.0, panel.bottom() + 40.0);
            canvas.text(at, &label, Font::plain(LABEL_SIZE), Align::Centre);
        }
        panel
    }

    /// Returns the place of a point.
    pub(super) fn at(&self, (x, y): Point) -> Point {
        (self.x_of(x), self.y_of(y))
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Draws series as lines with marks; `style_of` finds the look of a name.
    pub(super) fn draw_series(&self, canvas: &mut Canvas, series: &[Series], style_of: impl Fn(&str) -> Style) {
        for s in series {
            let style = style_of(&s.name);
            let points: Vec<Point> = s.points.iter().map(|&p| self.at(p)).collect();
            let dash = style.dash.filter(|_| points.len() <= MAX_DASHED);
            canvas.path(&points, style.colour, 2.0, dash);
            if points.len() <= MAX_MARKS {
                points.iter().for_each(|&p| canvas.mark(p, style.mark, style.colour, 3.5));
            }
        }
    }

    fn x_of(&self, x: f64) -> f64 {
        self.left + self.x.at(x) * self.width
    }

    fn y_of(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.at(y)) * self.height
    }

    fn draw_grid(&self, canvas: &mut Canvas, x_ticks: &[Tick], y_ticks: &[Tick]) {
        for tick in x_ticks {
            canvas.vertical(self.x_of(tick.value), self.top, self.bottom(), GRID, 1.0);
        }
        for tick in y_ticks {
            canvas.horizontal(self.y_of(tick.value), self.left, self.right(), GRID, 1.0);
        }
    }

    fn draw_y_axis(&self, canvas: &mut Canvas, ticks: &[Tick]) {
        for tick in ticks {
            let y = self.y_of(tick.value);
            canvas.horizontal(y, self.left - TICK_LENGTH, self.left, AXIS, 1.0);
            let at = (self.left - TICK_GAP, y + HALF_LETTER);
            canvas.text(at, &tick.label, Font::plain(TICK_SIZE), Align::Right);
        }
        for v in self.y.minor_ticks() {
            canvas.horizontal(self.y_of(v), self.left - TICK_LENGTH / 2.0, self.left, AXIS, 1.0);
        }
        canvas.vertical(self.left, self.top, self.bottom(), AXIS, 1.0);
    }

    fn draw_x_axis(&self, canvas: &mut Canvas, ticks: &[Tick]) {
        for tick in ticks {
            let x = self.x_of(tick.value);
            canvas.vertical(x, self.bottom(), self.bottom() + TICK_LENGTH, AXIS, 1.0);
            let at = (x, self.bottom() + TICK_LENGTH + f64::from(TICK_SIZE) + 2.0);
            canvas.text(at, &tick.label, Font::plain(TICK_SIZE), Align::Centre);
        }
        for v in self.x.minor_ticks() {
            canvas.vertical(self.x_of(v), self.bottom(), self.bottom() + TICK_LENGTH / 2.0, AXIS, 1.0);
        }
        canvas.horizontal(self.bottom(), self.left, self.right(), AXIS, 1.0);
    }

    /// As many ticks as have room for their labels.
    fn x_ticks(&self) -> Vec<Tick> {
        let fits = |ticks: &Vec<Tick>| {
            let span = |t: &Tick| {
                let (middle, half) = (self.x.at(t.value) * self.width, text::width(&t.label, TICK_SIZE) / 2.0);
                (middle - half, middle + half)
            };
            ticks.windows(2).all(|pair| span(&pair[0]).1 + LABEL_GAP <= span(&pair[1]).0)
        };
        let mut tries = (2..=MAX_X_TICKS).rev().map(|n| self.x.ticks(n));
        tries.find(fits).unwrap_or_else(|| self.x.ticks(1))
    }
}
