//! What every figure is held to before it is drawn.

use super::series::{AxisScale, Series};
use qwd_core::{Error, Result};
use std::collections::HashSet;

/// The most points of a picture: more only make the file large.
const MAX_POINTS: usize = 100_000;
/// The most series that colour, mark and dash can still tell apart.
const MAX_SERIES: usize = 24;
/// The largest number an axis takes, far from where differences of two numbers overflow.
const MAX_NUMBER: f64 = 1e100;

/// Refuses what is not a number, and numbers that no axis can show.
pub(super) fn number(what: &str, value: f64) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::bad_data(format!("{what} is {value}"), "leave out what was not measured"));
    }
    if value.abs() > MAX_NUMBER {
        return Err(Error::bad_data(format!("{what} is {value:e}"), "plot numbers between -1e100 and 1e100"));
    }
    Ok(())
}

/// Refuses what is not a number from 0 to 1.
pub(super) fn share(what: &str, value: f64) -> Result<()> {
    number(what, value)?;
    if !(0.0..=1.0).contains(&value) {
        return Err(Error::bad_data(format!("{what} is {value}"), "give a number from 0 to 1"));
    }
    Ok(())
}

/// Refuses empty and oversized lists.
pub(super) fn count(what: &str, n: usize, limit: usize) -> Result<()> {
    if n == 0 {
        return Err(Error::bad_data(format!("there are no {what}"), "give at least one"));
    }
    if n > limit {
        return Err(Error::limit(format!("the number of {what}"), limit as u64, n as u64, "plot fewer"));
    }
    Ok(())
}

/// Refuses lists that should be of one length and are not.
pub(super) fn equal_length(what: &str, expected: usize, got: usize) -> Result<()> {
    if expected != got {
        return Err(Error::bad_data(
            format!("{what}: expected {expected} numbers, got {got}"),
            "give one for each name",
        ));
    }
    Ok(())
}

/// Refuses empty names, and names that occur twice.
pub(super) fn names<'a>(what: &str, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if name.trim().is_empty() {
            return Err(Error::bad_data(format!("one of the {what} has no name"), "name it"));
        }
        if !seen.insert(name) {
            return Err(Error::bad_data(format!("two of the {what} are named \"{name}\""), "name each differently"));
        }
    }
    Ok(())
}

/// Checks named series and every number in them.
pub(super) fn all_series(series: &[Series], x: AxisScale, y: AxisScale) -> Result<()> {
    n_series(series.len())?;
    names("series", series.iter().map(|s| s.name.as_str()))?;
    n_points(series.iter().map(|s| s.points.len()).sum())?;
    for s in series {
        count(&format!("points in series \"{}\"", s.name), s.points.len(), MAX_POINTS)?;
        for (i, &(px, py)) in s.points.iter().enumerate() {
            coordinate(&format!("x of point {} in series \"{}\"", i + 1, s.name), px, x)?;
            coordinate(&format!("y of point {} in series \"{}\"", i + 1, s.name), py, y)?;
        }
    }
    Ok(())
}

/// Checks a number against the axis it lies on.
fn coordinate(what: &str, value: f64, scale: AxisScale) -> Result<()> {
    number(what, value)?;
    if scale == AxisScale::Log && value < 0.0 {
        let remedy = "a logarithmic axis shows numbers from 0 up; use a linear axis";
        return Err(Error::bad_data(format!("{what} is {value}"), remedy));
    }
    Ok(())
}

/// Checks a list of points that belongs to no series.
pub(super) fn n_points(n: usize) -> Result<()> {
    count("points", n, MAX_POINTS)
}

/// Checks how many series a legend names.
pub(super) fn n_series(n: usize) -> Result<()> {
    count("series", n, MAX_SERIES)
}
