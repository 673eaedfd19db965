//! Labels beside points: each takes the best free place around its point, or none.
//!
//! Greedy in the order of the points; cost O(labels · (labels + points)).

use super::canvas::{Align, Canvas, Font, Point};
use super::panel::Panel;
use super::series::Series;
use super::style::NOTE_SIZE;
use super::text;

/// From a point's middle to its label: near if that is free, else a little farther.
const DISTANCES: [f64; 2] = [7.0, 17.0];
/// Between two labels.
const GAP: f64 = 4.0;
const HEIGHT: f64 = NOTE_SIZE as f64;
/// Half the side of the square that a mark covers.
const MARK: f64 = 4.5;
/// With more points than this the labels only hide each other, and finding their places takes long.
pub(super) const MAX_LABELS: usize = 500;

/// A rectangle between two corners.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn lies_in(&self, other: &Self) -> bool {
        self.left >= other.left && self.right <= other.right && self.top >= other.top && self.bottom <= other.bottom
    }

    /// Whether a stretch of a line passes through, by cutting off what lies beyond each side in turn.
    fn is_crossed(&self, (x0, y0): Point, (x1, y1): Point) -> bool {
        let (dx, dy) = (x1 - x0, y1 - y0);
        let sides = [(-dx, x0 - self.left), (dx, self.right - x0), (-dy, y0 - self.top), (dy, self.bottom - y0)];
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (p, q) in sides {
            if p == 0.0 && q < 0.0 {
                return false;
            }
            if p < 0.0 {
                enter = enter.max(q / p);
            } else if p > 0.0 {
                leave = leave.min(q / p);
            }
        }
        enter <= leave
    }
}

/// What is taken already in a panel.
pub(super) struct Labels {
    panel: Area,
    taken: Vec<Area>,
    stretches: Vec<(Point, Point)>,
}

impl Labels {
    /// Marks the points and lines of series as taken.
    pub(super) fn new(panel: &Panel, series: &[Series]) -> Self {
        let (mut taken, mut stretches) = (Vec::new(), Vec::new());
        for s in series {
            let points: Vec<Point> = s.points.iter().map(|&p| panel.at(p)).collect();
            taken.extend(points.iter().map(|&(x, y)| around(x - MARK, y - MARK, 2.0 * MARK, 2.0 * MARK)));
            stretches.extend(points.windows(2).map(|pair| (pair[0], pair[1])));
        }
        let panel = around(panel.left, panel.top, panel.width, panel.height);
        Self { panel, taken, stretches }
    }

    /// Writes a label beside its point if a place is free there.
    pub(super) fn draw(&mut self, canvas: &mut Canvas, point: Point, label: &str, colour: &'static str) {
        let width = text::width(label, NOTE_SIZE);
        let mut places = DISTANCES.iter().flat_map(|&d| places_around(point, width, d));
        let Some(place) = places.find(|p| self.is_free(p)) else { return };
        let at = ((place.left + place.right) / 2.0, place.bottom - 2.0);
        canvas.text(at, label, Font { colour, ..Font::plain(NOTE_SIZE) }, Align::Centre);
        self.taken.push(around(place.left - GAP, place.top, width + 2.0 * GAP, HEIGHT));
    }

    fn is_free(&self, place: &Area) -> bool {
        place.lies_in(&self.panel)
            && !self.taken.iter().any(|t| t.meets(place))
            && !self.stretches.iter().any(|(a, b)| place.is_crossed(*a, *b))
    }
}

fn around(left: f64, top: f64, width: f64, height: f64) -> Area {
    Area { left, top, right: left + width, bottom: top + height }
}

/// The places for a label, best first: above, below, at the sides, at the corners.
fn places_around((x, y): Point, width: f64, distance: f64) -> [Area; 8] {
    let (above, middle, below) = (y - distance - HEIGHT, y - HEIGHT / 2.0, y + distance);
    // Corners are near enough without the whole distance to the side.
    let (before, centred, after) = (x - DISTANCES[0] - width, x - width / 2.0, x + DISTANCES[0]);
    [
        (centred, above),
        (centred, below),
        (after, middle),
        (before, middle),
        (before, above),
        (after, above),
        (before, below),
        (after, below),
    ]
    .map(|(left, top)| around(left, top, width, HEIGHT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_through_a_label_are_seen() {
        let area = around(10.0, 10.0, 10.0, 10.0);
        assert!(area.is_crossed((0.0, 15.0), (30.0, 15.0)));
        assert!(area.is_crossed((12.0, 12.0), (13.0, 13.0)));
        assert!(!area.is_crossed((0.0, 15.0), (5.0, 15.0)));
        assert!(!area.is_crossed((0.0, 0.0), (30.0, 9.0)));
        assert!(!area.is_crossed((25.0, 0.0), (25.0, 30.0)));
    }
}
