//! Numbers as people write them: 0.05, 20k, 3×10⁻⁷.

/// Below this a number has too many leading zeros to be read, and is written with a power of ten.
const SMALL: f64 = 1e-4;
/// From here on thousands are shortened.
const LARGE: f64 = 1e4;
/// From here on no suffix is left.
const HUGE: f64 = 1e15;
/// What the suffixes stand for.
const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
/// More decimals than this are noise.
const MAX_DECIMALS: i32 = 12;

/// Writes a number with three digits that matter.
pub(super) fn short(v: f64) -> String {
    let size = v.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(SMALL..HUGE).contains(&size) {
        return scientific(v, 2);
    }
    let (unit, suffix) = unit_of(size, LARGE);
    let digits_before = (size / unit).log10().floor() as i32 + 1;
    format!("{}{suffix}", trimmed(v / unit, 3 - digits_before))
}

/// Writes the ticks of a linear axis, which are multiples of `step`.
pub(super) fn of_ticks(ticks: &[f64], step: f64) -> Vec<String> {
    let largest = ticks.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest > 0.0 && !(SMALL..HUGE).contains(&largest) {
        let decimals = largest.log10().floor() as i32 - step.log10().floor() as i32 + 1;
        return ticks.iter().map(|&v| if v == 0.0 { "0".into() } else { scientific(v, decimals) }).collect();
    }
    if largest >= LARGE && step >= 1.0 {
        return ticks.iter().map(|&v| with_unit(v, step)).collect();
    }
    // One more than the step's own, for steps of 2.5; those that no tick needs are dropped again.
    let decimals = (1 - step.log10().floor() as i32).clamp(0, MAX_DECIMALS);
    let needed = ticks.iter().map(|&v| n_decimals(&trimmed(v, decimals))).max().unwrap_or(0);
    ticks.iter().map(|&v| if v == 0.0 { "0".into() } else { minus(format!("{v:.needed$}")) }).collect()
}

/// Writes numbers with the same decimals, so many that the largest has three digits that matter.
pub(super) fn alike(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let step = if largest > 0.0 { 10f64.powf(largest.log10().floor() - 2.0) } else { 1.0 };
    let rounded: Vec<f64> = values.iter().map(|v| (v / step).round() * step).collect();
    of_ticks(&rounded, step)
}

/// Writes the ticks of a logarithmic axis, all in the same manner.
pub(super) fn of_log_ticks(ticks: &[f64]) -> Vec<String> {
    let powers = ticks.iter().any(|&v| v != 0.0 && !(SMALL..HUGE).contains(&v));
    let write = |v: f64| if powers && v != 0.0 { scientific(v, 2) } else { short(v) };
    ticks.iter().map(|&v| write(v)).collect()
}

/// Writes a multiple of a large step exactly, with a suffix.
fn with_unit(v: f64, step: f64) -> String {
    let (unit, suffix) = unit_of(v.abs(), 1e3);
    format!("{}{suffix}", trimmed(v / unit, 1 - (step / unit).log10().floor() as i32))
}

/// The largest unit that fits into a number from `from` up.
fn unit_of(size: f64, from: f64) -> (f64, &'static str) {
    let fits = |&(unit, _): &(f64, &str)| size >= from && size >= unit;
    UNITS.into_iter().find(fits).unwrap_or((1.0, ""))
}

/// Writes mantissa and power of ten; the mantissa 1 is left out.
fn scientific(v: f64, decimals: i32) -> String {
    // Below, the powers of ten run out of digits themselves.
    if v.abs() < f64::MIN_POSITIVE {
        return "0".into();
    }
    let mut exponent = v.abs().log10().floor() as i32;
    let mut mantissa = trimmed(v / 10f64.powi(exponent), decimals);
    if mantissa.ends_with("10") {
        exponent += 1;
        mantissa = trimmed(v / 10f64.powi(exponent), decimals);
    }
    let power = format!("10{}", superscript(exponent));
    match mantissa.as_str() {
        "1" => power,
        "−1" => format!("−{power}"),
        _ => format!("{mantissa}×{power}"),
    }
}

/// Writes a whole number in raised digits.
fn superscript(n: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    n.to_string().chars().map(raised).collect()
}

/// Writes a number with at most so many decimals and no zeros at the end.
fn trimmed(v: f64, decimals: i32) -> String {
    let text = format!("{v:.*}", decimals.clamp(0, MAX_DECIMALS) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text };
    minus(text)
}

/// Counts the decimals of a written number.
fn n_decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// Puts a true minus sign in front, and none in front of zero.
fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.into(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_read_well() {
        for (v, text) in [
            (0.05, "0.05"),
            (0.0001, "0.0001"),
            (0.1 + 0.2, "0.3"),
            (-0.25, "−0.25"),
            (1e-6, "10⁻⁶"),
            (3.2e-7, "3.2×10⁻⁷"),
            (9.999e-8, "10⁻⁷"),
            (1234.0, "1234"),
            (20_000.0, "20k"),
            (1_530_000.0, "1.53M"),
            (-1e16, "−10¹⁶"),
            (5e-324, "0"),
        ] {
            assert_eq!(short(v), text);
        }
    }

    #[test]
    fn ticks_share_their_decimals() {
        assert_eq!(of_ticks(&[0.0, 0.05, 0.1], 0.05), ["0", "0.05", "0.10"]);
        assert_eq!(of_ticks(&[0.025, 0.05], 0.025), ["0.025", "0.050"]);
        assert_eq!(of_ticks(&[-2.0, 0.0, 2.0], 2.0), ["−2", "0", "2"]);
        assert_eq!(of_ticks(&[0.0, 250e3, 500e3, 1e6, 1.25e6], 250e3), ["0", "250k", "500k", "1M", "1.25M"]);
        assert_eq!(of_ticks(&[0.0, 2e-6, 4e-6], 2e-6), ["0", "2×10⁻⁶", "4×10⁻⁶"]);
        assert_eq!(alike(&[0.6042, 0.21, 0.0]), ["0.604", "0.210", "0"]);
        assert_eq!(of_log_ticks(&[1e3, 1e4, 1e6]), ["1000", "10k", "1M"]);
        assert_eq!(of_log_ticks(&[1e-5, 1e-3]), ["10⁻⁵", "10⁻³"]);
    }
}
