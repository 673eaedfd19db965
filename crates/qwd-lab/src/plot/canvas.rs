//! The sheet that figures are drawn on: kuva's scene, and kuva's writers of SVG and PNG.
//!
//! Only kuva's shapes are used, none of its layouts: those number their clip paths across all drawings of a process, so the
//! same figure would give other bytes the second time, and they let labels overlap. Dashes are cut here since kuva
//! measures them in pixels of the picture, which would make PNG differ from SVG.

use super::format::Format;
use super::style::{INK, Mark, SOFT_INK};
use super::text::printable;
use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, TextSpan};
use qwd_core::{Error, Result};

/// Verdana's letters are as wide as those of DejaVu Sans, which the layout reckons with.
const FONTS: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";
/// PNG has so many pixels for each unit of the drawing, fewer if the picture would have more than `MAX_PIXELS`.
const PNG_SCALE: f64 = 2.0;
/// Rising letters need more: kuva draws them a pixel too bold.
const RISING_PNG_SCALE: f64 = 3.0;
const MAX_PIXELS: f64 = 36e6;

/// A point of the drawing: right from the left edge, down from the top.
pub(super) type Point = (f64, f64);

/// Where a text lies relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// The look of a text.
#[derive(Clone, Copy)]
pub(super) struct Font {
    pub(super) size: u32,
    pub(super) bold: bool,
    pub(super) colour: &'static str,
}

impl Font {
    pub(super) const fn plain(size: u32) -> Self {
        Self { size, bold: false, colour: INK }
    }

    pub(super) const fn bold(size: u32) -> Self {
        Self { size, bold: true, colour: INK }
    }

    pub(super) const fn soft(size: u32) -> Self {
        Self { size, bold: false, colour: SOFT_INK }
    }
}

/// A drawing in progress.
pub(super) struct Canvas {
    scene: Scene,
    png_scale: f64,
}

impl Canvas {
    /// Takes an empty sheet, as high as what will be drawn on it.
    pub(super) fn new(width: f64) -> Self {
        let mut scene = Scene::new(width, 0.0);
        scene.font_family = Some(FONTS.into());
        Self { scene, png_scale: PNG_SCALE }
    }

    pub(super) fn width(&self) -> f64 {
        self.scene.width
    }

    /// Cuts the sheet off at a height.
    pub(super) fn end_at(mut self, height: f64) -> Self {
        self.scene.height = height.ceil();
        self
    }

    /// Writes a text on the line through `at`.
    pub(super) fn text(&mut self, at: Point, text: &str, font: Font, align: Align) {
        // Spans are the one kind of text in which kuva leaves dollar signs alone.
        let span = TextSpan { bold: font.bold, ..TextSpan::plain(printable(text)) };
        self.scene.add(Primitive::RichText {
            x: at.0,
            y: at.1,
            spans: vec![span],
            size: font.size,
            anchor: anchor(align),
            color: Some(Color::from(font.colour)),
        });
    }

    /// Writes a text that rises to end at `at`.
    pub(super) fn rising_text(&mut self, at: Point, text: &str, size: u32, degrees: f64) {
        self.png_scale = RISING_PNG_SCALE;
        self.scene.add(Primitive::Text {
            x: at.0,
            y: at.1,
            // Two bare dollar signs would enclose a formula.
            content: printable(text).replace('$', "\\$"),
            size,
            anchor: TextAnchor::End,
            rotate: Some(-degrees),
            bold: false,
            color: Some(Color::from(INK)),
        });
    }

    /// Draws a horizontal line, its upper edge on whole units so that it looks sharp at every scale.
    pub(super) fn horizontal(&mut self, y: f64, left: f64, right: f64, colour: &str, width: f64) {
        self.rect((left, (y - width / 2.0).round()), right - left, width, colour);
    }

    /// Draws a vertical line, as sharp.
    pub(super) fn vertical(&mut self, x: f64, top: f64, bottom: f64, colour: &str, width: f64) {
        self.rect(((x - width / 2.0).round(), top), width, bottom - top, colour);
    }

    /// Draws a line through points.
    pub(super) fn path(&mut self, points: &[Point], colour: &str, width: f64, dash: Option<(f64, f64)>) {
        let pieces = match dash {
            None => vec![points.to_vec()],
            Some((stroke, gap)) => dashed(points, stroke, gap),
        };
        for points in pieces.into_iter().filter(|p| p.len() > 1) {
            let stroke = Color::from(colour);
            self.scene.add(Primitive::PolyLine { points, stroke, stroke_width: width, stroke_dasharray: None });
        }
    }

    pub(super) fn rect(&mut self, corner: Point, width: f64, height: f64, colour: &str) {
        let (x, y) = corner;
        let fill = Color::from(colour);
        self.scene.add(Primitive::Rect { x, y, width, height, fill, stroke: None, stroke_width: None, opacity: None });
    }

    /// Draws the outline of a rectangle.
    pub(super) fn outline(&mut self, corner: Point, width: f64, height: f64, colour: &str) {
        let ((left, top), (right, bottom)) = (corner, (corner.0 + width, corner.1 + height));
        for y in [top, bottom] {
            self.horizontal(y, left, right + 0.5, colour, 1.0);
        }
        for x in [left, right] {
            self.vertical(x, top, bottom + 0.5, colour, 1.0);
        }
    }

    /// Draws a point.
    pub(super) fn mark(&mut self, at: Point, mark: Mark, colour: &str, radius: f64) {
        let (x, y) = at;
        // Equal areas look equally heavy: the other shapes' radii are those of a circle, scaled.
        let corners: &[Point] = match mark {
            Mark::Circle => return self.dot(at, colour, radius, 1.0),
            Mark::Square => &[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)],
            Mark::Triangle => &[(0.0, -1.45), (1.26, 0.77), (-1.26, 0.77)],
            Mark::Diamond => &[(0.0, -1.27), (1.27, 0.0), (0.0, 1.27), (-1.27, 0.0)],
        };
        let corner = |&(dx, dy): &Point| format!("{:.2} {:.2}", x + dx * radius, y + dy * radius);
        let outline: Vec<String> = corners.iter().map(corner).collect();
        self.scene.add(Primitive::Path(Box::new(PathData {
            d: format!("M {} Z", outline.join(" L ")),
            fill: Some(Color::from(colour)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: None,
            stroke_dasharray: None,
        })));
    }

    /// Draws a disc through which others can be seen.
    pub(super) fn dot(&mut self, at: Point, colour: &str, radius: f64, opacity: f64) {
        self.scene.add(Primitive::Circle {
            cx: at.0,
            cy: at.1,
            r: radius,
            fill: Color::from(colour),
            fill_opacity: (opacity < 1.0).then_some(opacity),
            stroke: None,
            stroke_width: None,
        });
    }

    /// Writes the picture's file.
    pub(super) fn encode(&self, format: Format) -> Result<Vec<u8>> {
        match format {
            Format::Svg => Ok(SvgBackend::new().with_pretty(true).render_scene(&self.scene).into_bytes()),
            Format::Png => {
                let area = self.scene.width * self.scene.height;
                let affordable = (MAX_PIXELS / area).sqrt().max(1.0);
                // Halves at most: edges on whole units then fall on pixels, or half way between.
                let scale = (self.png_scale.min(affordable) * 2.0).floor() / 2.0;
                let png = RasterBackend::new().with_scale(scale as f32).render_scene(&self.scene);
                png.map_err(|e| Error::internal(format!("the PNG writer failed: {e}")))
            }
        }
    }
}

fn anchor(align: Align) -> TextAnchor {
    match align {
        Align::Left => TextAnchor::Start,
        Align::Centre => TextAnchor::Middle,
        Align::Right => TextAnchor::End,
    }
}

/// Cuts a line into strokes; the pattern runs on around corners.
fn dashed(points: &[Point], stroke: f64, gap: f64) -> Vec<Vec<Point>> {
    let mut strokes: Vec<Vec<Point>> = Vec::new();
    let (mut drawing, mut left) = (false, 0.0);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > 0.0 {
            if left <= 0.0 {
                drawing = !drawing;
                left = if drawing { stroke } else { gap };
                if drawing {
                    strokes.push(vec![from]);
                }
            }
            let step = left.min(length);
            let share = step / length;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            if drawing && let Some(open) = strokes.last_mut() {
                open.push(from);
            }
            left -= step;
            length -= step;
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_run_on_around_corners() {
        let strokes = dashed(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], 6.0, 2.0);
        assert_eq!(strokes[0], [(0.0, 0.0), (6.0, 0.0)]);
        assert_eq!(strokes[1], [(8.0, 0.0), (10.0, 0.0), (10.0, 4.0)]);
        assert_eq!(strokes[2], [(10.0, 6.0), (10.0, 10.0)]);
    }
}
