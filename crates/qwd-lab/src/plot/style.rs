//! Sizes and colours shared by all figures.

/// The width of a picture, in units that a screen shows as pixels: a README's column.
pub(super) const WIDTH: f64 = 760.0;
/// Empty room around everything.
pub(super) const MARGIN: f64 = 18.0;

pub(super) const TITLE_SIZE: u32 = 17;
pub(super) const HEADING_SIZE: u32 = 14;
pub(super) const LABEL_SIZE: u32 = 13;
pub(super) const TICK_SIZE: u32 = 12;
pub(super) const NOTE_SIZE: u32 = 11;

pub(super) const INK: &str = "#222222";
pub(super) const SOFT_INK: &str = "#555555";
pub(super) const AXIS: &str = "#666666";
pub(super) const GRID: &str = "#e4e4e4";

/// The colours of Okabe and Ito that are dark enough on white, which all common kinds of colour blindness tell apart.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"];
/// Strokes and gaps: the next one is taken when the colours begin again.
const DASHES: [Option<(f64, f64)>; 4] = [None, Some((8.0, 4.0)), Some((2.0, 3.0)), Some((14.0, 4.0))];

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
}

const MARKS: [Mark; 4] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond];

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    pub(super) colour: &'static str,
    pub(super) mark: Mark,
    pub(super) dash: Option<(f64, f64)>,
}

impl Style {
    /// Returns the look of the series with a given number: no two of the first 28 look alike.
    pub(super) fn of(i: usize) -> Self {
        let round = i / COLOURS.len();
        Self { colour: COLOURS[i % COLOURS.len()], mark: MARKS[i % MARKS.len()], dash: DASHES[round % DASHES.len()] }
    }
}

/// Returns the colour of a weight from −1 (blue) over 0 (white) to 1 (red).
pub(super) fn diverging(weight: f64) -> String {
    const BLUE: [f64; 3] = [33.0, 102.0, 172.0];
    const RED: [f64; 3] = [178.0, 24.0, 43.0];
    let strength = weight.abs().clamp(0.0, 1.0);
    let pure = if weight < 0.0 { BLUE } else { RED };
    let [r, g, b] = pure.map(|c| (255.0 + (c - 255.0) * strength).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_series_look_alike() {
        let styles: Vec<Style> = (0..28).map(Style::of).collect();
        for (i, a) in styles.iter().enumerate() {
            assert!(styles[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn zero_is_white() {
        assert_eq!(diverging(0.0), "#ffffff");
        assert_eq!(diverging(-0.0), "#ffffff");
        assert_eq!(diverging(1.0), "#b2182b");
        assert_eq!(diverging(-7.0), "#2166ac");
    }
}
