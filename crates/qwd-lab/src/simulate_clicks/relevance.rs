//! The hidden relevance: how well a document suits what a query means, from 0 to 1.
//!
//! It is made of minima, maxima and cases, not of sums of products: quality helps only where the intent fits, spam is never
//! worth more than a little, a document that was looked for by name is perfect whatever it says, and of two meanings the
//! stronger one counts.

use super::world::{Document, Intent};

/// The relevance of a document by what it seems to be.
pub(super) fn apparent(intent: &Intent, number: usize, document: &Document) -> f64 {
    let Document { topic, aspect, quality, .. } = document;
    match intent {
        Intent::Aspect { topic: meant, .. } if meant != topic => 0.02,
        Intent::Aspect { aspect: meant, .. } => match aspect {
            Some(aspect) if aspect == meant => 0.55 + 0.45 * quality,
            None => 0.35 + 0.3 * quality,
            Some(_) => 0.1 + 0.25 * quality,
        },
        Intent::Document(wanted) if *wanted == number => 1.0,
        Intent::Document(_) => (0.1 + 0.25 * quality).min(0.35),
        Intent::Name(meanings) => {
            let own = if aspect.is_none() { 0.5 + 0.5 * quality } else { 0.3 + 0.4 * quality };
            let fits = meanings.iter().filter(|(meant, _)| meant == topic);
            fits.map(|&(_, share)| if share >= 0.5 { own } else { own.min(0.5) }).fold(0.02, f64::max)
        }
    }
}

/// The relevance of a document; spam only seems to suit.
pub(super) fn actual(intent: &Intent, number: usize, document: &Document) -> f64 {
    let apparent = apparent(intent, number, document);
    if document.is_spam { apparent.min(0.08) } else { apparent }
}

/// The grade of a relevance: 4 is perfect, 0 is bad.
pub(super) fn grade(relevance: f64) -> i32 {
    [0.2, 0.4, 0.65, 0.85].iter().filter(|&&least| relevance >= least).count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(topic: usize, aspect: Option<usize>, quality: f64) -> Document {
        Document { topic, aspect, quality, is_spam: false, words: Vec::new() }
    }

    #[test]
    fn quality_counts_only_where_the_intent_fits() {
        let intent = Intent::Aspect { topic: 1, aspect: 2 };
        let of = |document: Document| actual(&intent, 0, &document);
        assert!(of(document(1, Some(2), 0.0)) > of(document(1, Some(0), 1.0)));
        assert!(of(document(1, None, 0.5)) > of(document(1, Some(0), 0.5)));
        assert_eq!(of(document(0, Some(2), 0.0)), of(document(0, Some(2), 1.0)));
        let spam = Document { is_spam: true, ..document(1, Some(2), 1.0) };
        assert!(apparent(&intent, 0, &spam) > 0.9 && of(spam) < 0.1);
    }

    #[test]
    fn a_name_means_the_stronger_of_its_topics_most() {
        let intent = Intent::Name(vec![(0, 0.7), (1, 0.3)]);
        let [strong, weak, none] = [0, 1, 2].map(|topic| actual(&intent, 0, &document(topic, None, 1.0)));
        assert!(strong == 1.0 && weak == 0.5 && none < 0.1);
        assert_eq!(actual(&Intent::Document(3), 3, &document(0, None, 0.0)), 1.0);
        assert_eq!(actual(&Intent::Document(3), 4, &document(0, None, 1.0)), 0.35);
    }

    #[test]
    fn grades_rise_with_relevance() {
        assert_eq!([0.0, 0.2, 0.5, 0.7, 1.0].map(grade), [0, 1, 2, 3, 4]);
    }
}
