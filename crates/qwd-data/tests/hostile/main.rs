//! Bad input gets an error with file, line and column, never a panic: each reader against a table of hostile inputs, the
//! messages word for word.

mod corpus;
mod dataset;
mod idx;
mod input;
mod links;
mod mates;
mod preferences;
mod qrels;
mod run;
mod svmlight;

use qwd_core::Result;
use qwd_data::{Input, OnError, Reading};

/// An input and the message it must get.
type Case<'a> = (&'a [u8], &'a str);

/// Runs a reader over every case, by both policies: failing gives the message, skipping remembers it and goes on.
fn check<T>(name: &str, cases: &[Case<'_>], read: impl Fn(Input, &mut Reading) -> Result<T>) {
    for (bytes, expected) in cases {
        let shown = String::from_utf8_lossy(bytes);
        let open = || Input::from_bytes(name, *bytes).expect("bytes in memory can be opened");
        let Err(e) = read(open(), &mut Reading::default()) else { panic!("{shown:?} was accepted") };
        assert_eq!(e.to_string(), *expected, "for {shown:?}");
        let mut reading = Reading::new(OnError::Skip);
        let outcome = read(open(), &mut reading);
        assert!(outcome.is_ok(), "{shown:?} cannot be skipped: {}", outcome.err().expect("an error"));
        let skipped = reading.skipped();
        assert!(skipped.n_records > 0 && skipped.first_messages[0] == *expected, "for {shown:?}: {skipped:?}");
    }
}

#[test]
fn skipping_counts_all_and_remembers_a_few() {
    let text = (0..100).map(|i| if i % 2 == 0 { format!("a\tb{i}\n") } else { "bad\n".to_string() });
    let input = Input::from_bytes("links.tsv", text.collect::<String>()).expect("bytes in memory can be opened");
    let mut reading = Reading::new(OnError::Skip);
    let links = qwd_data::links::read(input, &mut reading).expect("the good half");
    assert_eq!((links.pairs.len(), reading.skipped().n_records), (50, 50));
    assert_eq!(reading.skipped().first_messages.len(), 5);
    assert!(reading.skipped().first_messages[4].starts_with("links.tsv:10:1: "));
}
