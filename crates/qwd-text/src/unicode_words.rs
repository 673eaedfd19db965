//! The words of a text after Unicode's annex 29, with dictionaries for scripts that write no spaces.
//!
//! icu_segmenter knows all of it, at some 25 megabytes of Japanese a second. Most text is ASCII between its spaces, where
//! the rules come down to a table of six classes; so the text is cut at ASCII white space, which always ends a word, and
//! only pieces with other characters go to icu. For Thai, Lao, Khmer and Burmese icu offers a dictionary and a neural
//! network; the dictionary is taken because it is a hundred times faster on Thai and computes in integers.

use crate::normalize::Normalizer;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Cuts text into words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnicodeWords(WordSegmenterBorrowed<'static>);

impl UnicodeWords {
    pub(crate) fn new() -> Self {
        Self(WordSegmenter::new_dictionary(Default::default()))
    }

    /// Calls `f` with every word of `text`, normalised; the two buffers are for reuse.
    pub(crate) fn for_each(
        &self,
        normalizer: Normalizer,
        text: &str,
        lowered: &mut String,
        piece: &mut String,
        mut f: impl FnMut(&str),
    ) {
        let text = if normalizer.lower_case {
            lowered.clear();
            lowered.push_str(text);
            lowered.make_ascii_lowercase();
            lowered.as_str()
        } else {
            text
        };
        for part in text.split_ascii_whitespace() {
            if part.is_ascii() {
                ascii_words(part, &mut f);
            } else {
                normalizer.write(part, piece);
                self.segment(piece, &mut f);
            }
        }
    }

    fn segment(&self, text: &str, mut f: impl FnMut(&str)) {
        let mut start = 0;
        for end in self.0.segment_str(text) {
            // A mark that follows a space belongs to it, even one that counts as a letter.
            let word = text[start..end].trim();
            // icu's own word type calls "___" a word, and Hebrew before an accent and a space none.
            if word.chars().any(char::is_alphanumeric) {
                f(word);
            }
            start = end;
        }
    }
}

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const LOW_LINE: u8 = 3;
/// Joins two letters: "a:b".
const MID_LETTER: u8 = 4;
/// Joins two digits: "1,000".
const MID_NUMBER: u8 = 5;
/// Joins either: "don't", "3.14".
const MID_BOTH: u8 = 6;

/// The property Word_Break of the ASCII characters, as far as it tells words apart.
const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut b = 0;
    while b < 128 {
        class[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => LOW_LINE,
            b':' => MID_LETTER,
            b',' | b';' => MID_NUMBER,
            b'.' | b'\'' => MID_BOTH,
            _ => OTHER,
        };
        b += 1;
    }
    class
};

/// Rules WB5 to WB13b of annex 29 for ASCII.
fn ascii_words(text: &str, mut f: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let class = |i: usize| bytes.get(i).map_or(OTHER, |&b| CLASS[b as usize]);
    let in_word = |class: u8| matches!(class, LETTER | DIGIT | LOW_LINE);
    let mut at = 0;
    while at < bytes.len() {
        if !in_word(class(at)) {
            at += 1;
            continue;
        }
        let start = at;
        let mut only_low_lines = true;
        loop {
            let left = class(at);
            only_low_lines &= left == LOW_LINE;
            at += 1;
            let right = class(at);
            let joins = match left {
                LETTER => matches!(right, MID_LETTER | MID_BOTH) && class(at + 1) == LETTER,
                DIGIT => matches!(right, MID_NUMBER | MID_BOTH) && class(at + 1) == DIGIT,
                _ => false,
            };
            at += usize::from(joins);
            if !joins && !in_word(right) {
                break;
            }
        }
        if !only_low_lines {
            f(&text[start..at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NORMALIZER: Normalizer = Normalizer { nfkc: true, lower_case: true, fold_apostrophes: true };

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        UnicodeWords::new()
            .for_each(NORMALIZER, text, &mut String::new(), &mut String::new(), |w| out.push(w.to_owned()));
        out
    }

    /// The slow twin: the whole text normalised at once, icu from one end to the other.
    fn twin(text: &str) -> Vec<String> {
        let (mut normal, mut out) = (String::new(), Vec::new());
        NORMALIZER.write(text, &mut normal);
        UnicodeWords::new().segment(&normal, |w| out.push(w.to_owned()));
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ascii_words_are_those_of_icu(text in "[ab1_:;,.' \n\"-]{0,24}") {
            prop_assert_eq!(words(&text), twin(&text));
        }

        #[test]
        fn any_ascii_too(text in "[\0-\x7f]{0,40}") {
            prop_assert_eq!(words(&text), twin(&text));
        }

        #[test]
        fn mixed_text_too(text in "[ab1_:.' \n\u{300}\u{200d}\u{ad}éÉßΣ’״אカ東にก😀🇫½\u{a0}\u{3000}]{0,24}") {
            prop_assert_eq!(words(&text), twin(&text));
        }

        #[test]
        fn any_text_too(text in "\\PC{0,16}[ \t\r\n]\\PC{0,16}") {
            prop_assert_eq!(words(&text), twin(&text));
        }
    }

    #[test]
    fn many_scripts() {
        assert_eq!(words("The U.S. can’t pay $3,141.59!"), ["the", "u.s", "can't", "pay", "3,141.59"]);
        assert_eq!(words("検索エンジンのランキング学習"), ["検索", "エンジン", "の", "ランキング", "学習"]);
        assert_eq!(words("機械学習のＡＰＩ"), ["機械", "学習", "の", "api"]);
        assert_eq!(words("我在北京大学学习"), ["我在", "北京", "大学", "学习"]);
        assert_eq!(words("ภาษาไทยเขียนติดกัน"), ["ภาษา", "ไทย", "เขียน", "ติด", "กัน"]);
        assert_eq!(words("한국어 문장"), ["한국어", "문장"]);
        assert_eq!(words("e\u{301}te\u{301} Été"), ["été", "été"]);
        assert_eq!(words("yes 😀👍🏽 👩‍👩‍👧 no"), ["yes", "no"]);
        assert_eq!(words("l’eau l'eau"), ["l'eau", "l'eau"]);
        assert!(words("").is_empty() && words(" \n ___ -- ").is_empty());
    }
}
