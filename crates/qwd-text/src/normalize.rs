//! One spelling for what readers take to be the same: Unicode normal form KC, lower case, straight apostrophes.

use unicode_normalization::UnicodeNormalization;

/// What to do to a text before it is cut into tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Normalizer {
    /// Normal form KC (full-width forms, ligatures, composed accents), and no invisible hyphens or joiners.
    pub(crate) nfkc: bool,
    pub(crate) lower_case: bool,
    pub(crate) fold_apostrophes: bool,
}

impl Normalizer {
    /// Writes the normal form of `text` into `out`, replacing what is there.
    pub(crate) fn write(&self, text: &str, out: &mut String) {
        out.clear();
        if text.is_ascii() {
            out.push_str(text);
            if self.lower_case {
                out.make_ascii_lowercase();
            }
            return;
        }
        let fold = |c| if self.fold_apostrophes { fold_apostrophe(c) } else { c };
        if self.nfkc {
            // Apostrophes come last: NFKC makes new ones (ŉ becomes ʼn).
            out.extend(text.chars().filter(|&c| is_visible(c)).nfkc().map(fold));
        } else {
            out.extend(text.chars().map(fold));
        }
        if self.lower_case {
            self.lower(out);
        }
    }

    fn lower(&self, out: &mut String) {
        let lower = out.to_lowercase();
        if lower == *out {
            return;
        }
        out.clear();
        // Lower case can undo the normal form: H with a bar below has no composed capital, but a composed small letter.
        if self.nfkc {
            out.extend(lower.chars().nfkc());
        } else {
            out.push_str(&lower);
        }
    }
}

/// Whether a character is more than a hint for typesetting: soft hyphens, word joiners and byte-order marks are not.
fn is_visible(c: char) -> bool {
    !matches!(c, '\u{ad}' | '\u{2060}' | '\u{feff}')
}

/// The straight apostrophe for each of its typographic forms.
fn fold_apostrophe(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' => '\'',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal(text: &str) -> String {
        let mut out = String::from("rest of the last call");
        Normalizer { nfkc: true, lower_case: true, fold_apostrophes: true }.write(text, &mut out);
        out
    }

    #[test]
    fn one_spelling_for_the_same_word() {
        assert_eq!(normal("ＡＰＩ"), "api");
        assert_eq!(normal("ﬁsh"), "fish");
        assert_eq!(normal("CAN’T"), "can't");
        assert_eq!(normal("co\u{ad}operate\u{feff}"), "cooperate");
        assert_eq!(normal("Cafe\u{301}"), normal("CAFÉ"));
        assert_eq!(normal("ΟΔΟΣ ΟΔΟΣ"), "οδος οδος");
        assert_eq!(normal("H\u{331}"), "\u{1e96}");
        assert_eq!(normal("ｶﾞ"), "ガ");
        assert_eq!(normal("ŉ"), "'n");
    }

    #[test]
    fn switches_switch() {
        let mut out = String::new();
        Normalizer { nfkc: false, lower_case: false, fold_apostrophes: false }.write("Ａ’B", &mut out);
        assert_eq!(out, "Ａ’B");
        Normalizer { nfkc: false, lower_case: true, fold_apostrophes: true }.write("Ａ’B", &mut out);
        assert_eq!(out, "ａ'b");
    }

    proptest! {
        /// What the fast path of the tokenizer relies on: ASCII letters may be lowered first, and white space
        /// separates.
        #[test]
        fn pieces_between_spaces_stand_alone(text in "\\PC{0,12}[ \n]\\PC{0,12}") {
            let pieces: Vec<String> = text.split_ascii_whitespace().map(|t| normal(&t.to_ascii_lowercase())).collect();
            let whole = normal(&text);
            let joined = pieces.join(" ");
            prop_assert_eq!(
                joined.split_ascii_whitespace().collect::<Vec<_>>(),
                whole.split_ascii_whitespace().collect::<Vec<_>>()
            );
        }
    }
}
