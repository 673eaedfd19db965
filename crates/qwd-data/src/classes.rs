//! Labels of documents and images, and their class numbers.

use crate::id_map::IdMap;
use qwd_core::Result;

/// The classes of a data set, numbered in the order of their labels: alphabetical, or by value if they are numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Classes(IdMap);

impl Classes {
    /// Collects the classes from all labels of all splits.
    pub fn of_labels<'a>(labels: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut labels: Vec<&str> = labels.into_iter().collect();
        labels.sort_unstable();
        labels.dedup();
        Self::in_order(labels)
    }

    /// Collects the classes from labels that are numbers.
    pub fn of_numbers(labels: impl IntoIterator<Item = f64>) -> Result<Self> {
        let mut labels: Vec<f64> = labels.into_iter().collect();
        labels.sort_unstable_by(f64::total_cmp);
        let mut names: Vec<String> = labels.into_iter().map(name_of).collect();
        names.dedup();
        Self::in_order(names.iter().map(String::as_str))
    }

    /// Returns the number of a class.
    pub fn number(&self, label: &str) -> Option<u32> {
        self.0.get(label)
    }

    /// Returns the number of a class whose label is a number.
    pub fn number_of(&self, label: f64) -> Option<u32> {
        self.0.get(&name_of(label))
    }

    /// Returns the label of a class by its number.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn label(&self, number: u32) -> &str {
        self.0.name(number)
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn in_order<'a>(labels: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut names = IdMap::new();
        for label in labels {
            names.insert(label)?;
        }
        Ok(Self(names))
    }
}

/// The label as text; adding 0 makes -0 and 0 the same.
fn name_of(label: f64) -> String {
    (label + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_labels_not_their_appearance() {
        let classes = Classes::of_labels(["sport", "art", "sport"]).expect("few classes");
        assert_eq!((classes.number("art"), classes.number("sport"), classes.number("x")), (Some(0), Some(1), None));
        let classes = Classes::of_numbers([10.0, -1.0, 2.0, 10.0]).expect("few classes");
        assert_eq!(Classes::of_numbers([0.0, -0.0]).expect("few classes").number_of(-0.0), Some(0));
        assert_eq!((0..3).map(|c| classes.label(c)).collect::<Vec<_>>(), ["-1", "2", "10"]);
    }
}
