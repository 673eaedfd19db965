//! The best k of many scored items, ties going to the smaller item number.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// An item with its score. The greater one is the better one: higher score, then smaller item number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The item's number.
    pub item: u32,
    /// Its score, finite.
    pub score: f32,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        // Adding 0 makes -0.0 and 0.0 the same score.
        (self.score + 0.0).total_cmp(&(other.score + 0.0)).then_with(|| other.item.cmp(&self.item))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the best `k` items, best first.
pub fn top_k(items: impl IntoIterator<Item = Scored>, k: usize) -> Vec<Scored> {
    let mut heap: BinaryHeap<std::cmp::Reverse<Scored>> = BinaryHeap::with_capacity(k.min(1 << 16) + 1);
    for item in items {
        if heap.len() < k {
            heap.push(std::cmp::Reverse(item));
        } else if heap.peek().is_some_and(|worst| item > worst.0) {
            heap.pop();
            heap.push(std::cmp::Reverse(item));
        }
    }
    let mut best: Vec<Scored> = heap.into_iter().map(|r| r.0).collect();
    best.sort_by(|a, b| b.cmp(a));
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_a_full_sort(scores in proptest::collection::vec(-3i8..4, 0..60), k in 0usize..70) {
            let items: Vec<Scored> =
                scores.iter().enumerate().map(|(i, &s)| Scored { item: i as u32, score: f32::from(s) }).collect();
            let mut sorted = items.clone();
            sorted.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
            sorted.truncate(k);
            prop_assert_eq!(top_k(items, k), sorted);
        }
    }
}
