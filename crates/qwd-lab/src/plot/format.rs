//! The two kinds of picture file.

use qwd_core::{Error, Result};
use std::path::Path;

/// A kind of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Lines and letters at any size; the viewer supplies the font.
    Svg,
    /// Pixels, two or three for each unit of the drawing, with the letters of DejaVu Sans.
    Png,
}

impl Format {
    /// Returns the format that the ending of a path names, in upper or lower case.
    pub fn from_path(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Error::param("out", path.display(), "a file that ends in .svg or .png")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides() {
        assert_eq!(Format::from_path(Path::new("a/b.SVG")).ok(), Some(Format::Svg));
        assert_eq!(Format::from_path(Path::new("b.x.png")).ok(), Some(Format::Png));
        for bad in ["plot", "plot.pdf", ".svg", "svg", "plot.svg.gz", ""] {
            let message = Format::from_path(Path::new(bad)).expect_err(bad).to_string();
            assert!(message.contains(".svg") && message.contains(".png"), "{message}");
        }
    }
}
