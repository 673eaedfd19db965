//! From numbers to positions on an axis, and the numbers worth a tick.

use super::number;
use super::series::AxisScale;

/// Room left between the outermost points and the ends of an axis, as a share of its length.
const MARGIN: f64 = 0.04;
/// Numbers closer together than this share of their size count as equal.
const EQUAL: f64 = 1e-9;
/// Numbers and spans below this count as zero.
const TINY: f64 = 1e-100;
/// Zero is near if the smallest number is less than this share of the span above it.
const NEAR_ZERO: f64 = 0.3;
/// Where zero lies on a logarithmic axis: so much of the axis's length before the smallest number.
const ZERO_GAP: f64 = 0.08;

/// Whether an axis should reach down to zero where that costs little room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Zero {
    Free,
    IfNear,
    Always,
}

/// A number on an axis with its label.
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// An axis's map from numbers to 0..1.
#[derive(Clone)]
pub(super) struct Scale {
    log: bool,
    /// The ends, in decades on a logarithmic axis.
    low: f64,
    high: f64,
    /// The smallest number that is not zero, in decades, if the axis is logarithmic.
    smallest: f64,
    has_zero: bool,
    /// Whether all numbers are whole: then ticks between them would be noise.
    whole: bool,
}

impl Scale {
    /// Fits a scale around numbers.
    pub(super) fn fit(kind: AxisScale, values: &[f64], zero: Zero) -> Self {
        match kind {
            AxisScale::Log if values.iter().any(|&v| v > TINY) => Self::log(values),
            AxisScale::Auto if crowds_near_zero(values) => Self::log(values),
            _ => Self::linear(values, zero),
        }
    }

    /// A linear scale between two numbers.
    pub(super) fn between(low: f64, high: f64) -> Self {
        Self { log: false, low, high, smallest: low, has_zero: false, whole: false }
    }

    fn linear(values: &[f64], zero: Zero) -> Self {
        let (min, max) = ends(values.iter().copied().chain((zero == Zero::Always).then_some(0.0)));
        let whole = values.iter().all(|v| v.fract() == 0.0);
        let (mut low, mut high) = widened(min, max);
        let reaches_zero = zero != Zero::Free && min < (max - min) * NEAR_ZERO;
        if min >= 0.0 && (low < 0.0 || reaches_zero) {
            low = 0.0;
        }
        if zero == Zero::Always && max <= 0.0 {
            high = if min < 0.0 { 0.0 } else { 1.0 };
        }
        Self { whole, ..Self::between(low, high) }
    }

    fn log(values: &[f64]) -> Self {
        let (min, max) = ends(values.iter().filter(|&&v| v > TINY).map(|v| v.log10()));
        let has_zero = values.iter().any(|&v| v <= TINY);
        // Half a decade around a single number: its neighbours in the usual steps 1, 2, 5 come into sight.
        let (low, high) = if max - min < EQUAL { (min - 0.5, max + 0.5) } else { widened(min, max) };
        let zero_gap = if has_zero { (high - low) * ZERO_GAP } else { 0.0 };
        Self { log: true, low: low - zero_gap, high, smallest: low, has_zero, whole: false }
    }

    /// Returns the position of a number, 0 at the low end and 1 at the high end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let v = if !self.log {
            value
        } else if value > TINY {
            value.log10()
        } else {
            self.low
        };
        (v - self.low) / (self.high - self.low)
    }

    /// Returns at most about `n` ticks.
    pub(super) fn ticks(&self, n: usize) -> Vec<Tick> {
        if self.log { self.log_ticks(n) } else { self.linear_ticks(self.low, self.high, n) }
    }

    /// Returns the numbers between the decades of a logarithmic axis that are worth a mark without a label.
    pub(super) fn minor_ticks(&self) -> Vec<f64> {
        let n_decades = self.high - self.smallest;
        if !self.log || !(1.0..=7.0).contains(&n_decades) {
            return Vec::new();
        }
        self.multiples(&[2, 3, 4, 5, 6, 7, 8, 9])
    }

    fn linear_ticks(&self, low: f64, high: f64, n: usize) -> Vec<Tick> {
        let step = self.step((high - low) / n.max(1) as f64);
        let (first, last) = ((low / step - EQUAL).ceil() as i64, (high / step + EQUAL).floor() as i64);
        let values: Vec<f64> = (first..=last).map(|i| i as f64 * step).collect();
        let labels = number::of_ticks(&values, step);
        values.into_iter().zip(labels).map(|(value, label)| Tick { value, label }).collect()
    }

    /// The smallest round number that is at least `least`, or little less.
    fn step(&self, least: f64) -> f64 {
        let least = if self.whole { (least * 0.8).max(1.0) } else { least * 0.8 };
        let power = 10f64.powf(least.log10().floor());
        let round = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power);
        let fits = |&s: &f64| s >= least * (1.0 - EQUAL) && !(self.whole && s.fract() != 0.0);
        round.into_iter().find(fits).unwrap_or(10.0 * power)
    }

    fn log_ticks(&self, n: usize) -> Vec<Tick> {
        let mut values = [&[1, 2, 5][..], &[1, 3], &[1]]
            .into_iter()
            .map(|steps| self.multiples(steps))
            .find(|values| values.len() <= n)
            .unwrap_or_else(|| {
                let decades = self.multiples(&[1]);
                let every = decades.len().div_ceil(n.max(1));
                decades.into_iter().step_by(every).collect()
            });
        if values.len() < 2 {
            // Less than a decade: round numbers a constant step apart say more.
            let few = self.linear_ticks(10f64.powf(self.smallest), 10f64.powf(self.high), n.min(4));
            values = few.into_iter().map(|t| t.value).filter(|&v| v > 0.0).collect();
        }
        if self.has_zero {
            values.insert(0, 0.0);
        }
        let labels = number::of_log_ticks(&values);
        values.into_iter().zip(labels).map(|(value, label)| Tick { value, label }).collect()
    }

    /// The numbers s·10ᵏ on a logarithmic axis, for given s.
    fn multiples(&self, steps: &[i32]) -> Vec<f64> {
        let decades = self.smallest.floor() as i32..=self.high.ceil() as i32;
        let all = decades.flat_map(|k| steps.iter().map(move |&s| f64::from(s) * 10f64.powi(k)));
        all.filter(|v| (self.smallest - EQUAL..=self.high + EQUAL).contains(&v.log10())).collect()
    }
}

/// Whether numbers are easier to tell apart by their ratios.
fn crowds_near_zero(values: &[f64]) -> bool {
    let mut positive: Vec<f64> = values.iter().copied().filter(|&v| v > TINY).collect();
    positive.sort_by(f64::total_cmp);
    let (Some(min), Some(max)) = (positive.first(), positive.last()) else {
        return false;
    };
    let lower_quarter = positive[positive.len() / 4];
    values.iter().all(|&v| v >= 0.0) && max / min > 50.0 && lower_quarter < 0.1 * max
}

/// The smallest and largest of numbers.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// The ends of an axis around numbers: a margin, and some length where they are all equal.
fn widened(min: f64, max: f64) -> (f64, f64) {
    let size = min.abs().max(max.abs());
    let span = max - min;
    if span > size * EQUAL && span > TINY {
        return (min - span * MARGIN, max + span * MARGIN);
    }
    let room = if size > TINY { size * 0.1 } else { 1.0 };
    (min - room, max + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale, n: usize) -> Vec<String> {
        scale.ticks(n).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&Scale::between(0.0, 1.0), 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let ranks: Vec<f64> = (1..=10).map(f64::from).collect();
        let scale = Scale::fit(AxisScale::Linear, &ranks, Zero::Free);
        assert_eq!(labels(&scale, 10), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
        assert_eq!(labels(&Scale::fit(AxisScale::Linear, &[5.0], Zero::Free), 10), ["5"]);
    }

    #[test]
    fn a_logarithmic_axis_has_a_place_for_zero() {
        let scale = Scale::fit(AxisScale::Log, &[0.0, 1e-3, 1.0], Zero::Free);
        assert_eq!(labels(&scale, 5), ["0", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(scale.at(0.0), 0.0);
        assert!(scale.at(1e-3) > 0.05 && scale.at(1.0) < 1.0);
    }

    #[test]
    fn the_numbers_decide_an_automatic_scale() {
        let even: Vec<f64> = (0..=100).map(|i| f64::from(i) * 1000.0).collect();
        let doubling: Vec<f64> = (0..12).map(|i| 2f64.powi(i)).collect();
        assert!(!Scale::fit(AxisScale::Auto, &even, Zero::Free).log);
        assert!(Scale::fit(AxisScale::Auto, &doubling, Zero::Free).log);
        assert!(!Scale::fit(AxisScale::Auto, &[0.0, 0.0], Zero::Free).log);
        assert!(!Scale::fit(AxisScale::Log, &[0.0], Zero::Free).log);
    }

    #[test]
    fn every_number_lies_on_its_axis_and_has_ticks_nearby() {
        let extremes = [0.0, 5e-324, 1e-99, 1e-7, 0.3, 0.3 + 1e-12, 1.0, 1e9, 1e9 + 1.0, 1e100];
        for a in extremes {
            for b in extremes {
                for kind in [AxisScale::Linear, AxisScale::Log, AxisScale::Auto] {
                    for zero in [Zero::Free, Zero::IfNear, Zero::Always] {
                        let scale = Scale::fit(kind, &[a, b], zero);
                        for v in [a, b] {
                            assert!((0.0..=1.0).contains(&scale.at(v)), "{v} of {a}, {b}: {}", scale.at(v));
                        }
                        let n = scale.ticks(6).len();
                        assert!((1..=12).contains(&n), "{n} ticks for {a}, {b}");
                    }
                }
            }
        }
    }
}
