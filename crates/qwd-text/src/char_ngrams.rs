//! Runs of n characters inside words: " cat " has " ca", "cat" and "at " for n = 3.

/// Writes a word between two spaces and finds its runs of characters.
#[derive(Debug, Default)]
pub(crate) struct CharNgrams {
    padded: String,
    /// Where each character of `padded` begins, and its end.
    bounds: Vec<usize>,
}

impl CharNgrams {
    /// Calls `f` with every run of `min` to `max` characters, by length, then by position. A word too short for any
    /// run counts as one, so that it is not lost.
    pub(crate) fn for_each(&mut self, word: &str, min: usize, max: usize, mut f: impl FnMut(&str)) {
        self.padded.clear();
        self.padded.push(' ');
        self.padded.push_str(word);
        self.padded.push(' ');
        self.bounds.clear();
        self.bounds.extend(self.padded.char_indices().map(|(at, _)| at));
        self.bounds.push(self.padded.len());
        let n_chars = self.bounds.len() - 1;
        if n_chars < min {
            f(&self.padded);
        }
        for n in min..=max.min(n_chars) {
            for run in self.bounds.windows(n + 1) {
                f(&self.padded[run[0]..run[n]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(word: &str, min: usize, max: usize) -> Vec<String> {
        let mut out = Vec::new();
        CharNgrams::default().for_each(word, min, max, |run| out.push(run.to_owned()));
        out
    }

    #[test]
    fn runs_of_a_word() {
        assert_eq!(runs("cat", 3, 4), [" ca", "cat", "at ", " cat", "cat "]);
        assert_eq!(runs("é東", 2, 2), [" é", "é東", "東 "]);
        assert_eq!(runs("a", 4, 5), [" a "]);
    }

    proptest! {
        #[test]
        fn equals_the_obvious_way(word in "\\PC{1,12}", min in 1usize..6, more in 0usize..4) {
            let chars: Vec<char> = format!(" {word} ").chars().collect();
            let mut expected: Vec<String> =
                (min..=min + more).flat_map(|n| chars.windows(n)).map(|w| w.iter().collect()).collect();
            if chars.len() < min {
                expected.push(chars.iter().collect());
            }
            prop_assert_eq!(runs(&word, min, min + more), expected);
        }
    }
}
