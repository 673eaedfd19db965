//! Widths of texts, and texts made to fit.

/// Advance widths of the letters from space to tilde in DejaVu Sans, in hundredths of the font's size.
const ASCII_WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
];
/// A letter of another alphabet, on average.
const LETTER_WIDTH: u8 = 68;
/// An ideograph or sign, which fills its square.
const FULL_WIDTH: u8 = 100;
/// Bold letters are wider by this factor.
pub(super) const BOLD: f64 = 1.13;

/// Returns about how wide a text is drawn.
pub(super) fn width(text: &str, size: u32) -> f64 {
    let hundredths: u32 = text.chars().map(|c| u32::from(char_width(c))).sum();
    f64::from(hundredths) * f64::from(size) / 100.0
}

fn char_width(c: char) -> u8 {
    let ascii = (c as usize).checked_sub(' ' as usize).and_then(|i| ASCII_WIDTHS.get(i));
    match c {
        '⁰'..='⁹' | '¹' | '²' | '³' => 40,
        '⁻' => 53,
        _ => *ascii.unwrap_or(if (c as u32) < 0x1100 { &LETTER_WIDTH } else { &FULL_WIDTH }),
    }
}

/// Returns the text as it can be drawn: what XML forbids and what moves the pen is replaced.
pub(super) fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        c if c.is_whitespace() => ' ',
        // Marks of direction would turn around the text behind them.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Returns the text, or as much of its beginning as fits and an ellipsis.
pub(super) fn cut(text: &str, size: u32, max_width: f64) -> String {
    let mut kept = printable(text);
    if width(&kept, size) <= max_width {
        return kept;
    }
    while !kept.is_empty() && width(&kept, size) + f64::from(size) > max_width {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// Breaks a text between words into lines that fit, the last of at most `max_lines` cut, as are words wider than a line.
pub(super) fn wrap(text: &str, size: u32, max_width: f64, max_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in printable(text).split_whitespace() {
        let n_lines = lines.len();
        match lines.last_mut() {
            Some(line) if n_lines == max_lines || width(&format!("{line} {word}"), size) <= max_width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| cut(line, size, max_width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit() {
        assert_eq!(cut("short", 12, 100.0), "short");
        let long = cut(&"word ".repeat(50), 12, 100.0);
        assert!(long.ends_with('…') && width(&long, 12) <= 100.0, "{long}");
        assert_eq!(wrap("one two three four", 12, 50.0, 9), ["one two", "three", "four"]);
        assert_eq!(wrap("one two three four", 12, 50.0, 2), ["one two", "three…"]);
        assert_eq!(wrap(" ", 12, 60.0, 2), [""; 0]);
    }

    #[test]
    fn what_cannot_be_drawn_is_replaced() {
        assert_eq!(printable("a\u{0}b\tc\u{202e}d\u{ffff}"), "a\u{fffd}b c\u{fffd}d\u{fffd}");
        assert_eq!(printable("検索 & <b>"), "検索 & <b>");
    }
}
