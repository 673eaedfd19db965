//! Runs of words: "new york city" has "new york" and "york city" for n = 2.

/// Joins the words of one text, so that every run of words is a slice.
#[derive(Debug, Default)]
pub(crate) struct WordNgrams {
    joined: String,
    starts: Vec<usize>,
}

impl WordNgrams {
    /// Begins a new text.
    pub(crate) fn clear(&mut self) {
        self.joined.clear();
        self.starts.clear();
    }

    /// Adds a word and calls `f` with the runs of 1 to `max` words that end with it, shortest first.
    pub(crate) fn push(&mut self, word: &str, max: usize, mut f: impl FnMut(&str)) {
        if !self.starts.is_empty() {
            self.joined.push(' ');
        }
        self.starts.push(self.joined.len());
        self.joined.push_str(word);
        for &start in self.starts.iter().rev().take(max) {
            f(&self.joined[start..]);
        }
    }
}
