use super::*;

/// The words "a", "bé" and "c" in two documents of five words.
fn parts() -> VocabularyParts {
    VocabularyParts {
        bytes: "abéc".into(),
        offsets: vec![0, 1, 4, 5],
        df: vec![2, 1, 1],
        cf: vec![2, 1, 1],
        n_documents: 2,
        n_tokens: 5,
    }
}

#[test]
fn whole_parts_come_back() {
    let vocabulary = Vocabulary::from_parts(parts()).expect("whole parts");
    assert_eq!(vocabulary.words().collect::<Vec<_>>(), ["a", "bé", "c"]);
    assert_eq!((vocabulary.get("bé"), vocabulary.get("b"), vocabulary.get("")), (Some(1), None, None));
    assert_eq!(vocabulary.average_length(), 2.5);
    assert_eq!(vocabulary.to_parts(), parts());
    let empty = Vocabulary::from_parts(VocabularyParts { offsets: vec![0], ..VocabularyParts::default() });
    assert!(empty.expect("no words are words too").is_empty());
}

#[test]
fn damaged_parts_are_refused() {
    let refused = |why: &str, damage: fn(&mut VocabularyParts)| {
        let mut parts = parts();
        damage(&mut parts);
        let message = Vocabulary::from_parts(parts).expect_err(why).to_string();
        assert!(message.contains(why), "{message}");
    };
    refused("not UTF-8", |p| p.bytes[2] = 0xff);
    refused("different lengths", |p| p.offsets.truncate(3));
    refused("different lengths", |p| p.offsets.clear());
    refused("different lengths", |p| p.cf.push(1));
    refused("different lengths", |p| *p = VocabularyParts { df: vec![1], ..VocabularyParts::default() });
    refused("do not span", |p| p.offsets[0] = 1);
    refused("do not span", |p| p.offsets[3] = u64::MAX);
    refused("do not span", |p| p.bytes.push(b'x'));
    refused("out of order", |p| p.offsets[1] = 4);
    refused("out of order", |p| p.offsets.swap(1, 2));
    refused("out of order", |p| p.offsets[2] = u64::MAX);
    refused("inside a character", |p| p.offsets[2] = 3);
    refused("twice", |p| *p = VocabularyParts { bytes: b"aba".into(), offsets: vec![0, 1, 2, 3], ..p.clone() });
    refused("more than there are", |p| p.df[0] = 3);
    refused("in no document", |p| p.df[0] = 0);
    refused("less often", |p| p.cf[0] = 1);
    refused("all words together", |p| p.n_tokens = 3);
    refused("all words together", |p| p.cf[0] = u64::MAX);
}
