//! LSI and CL-LSI on documents whose directions are known.

use crate::common::{Data, ONE, method, rows_of, train};
use qwd_core::{Error, Threads};
use qwd_train::{Constraints, Session, Start};
use serde_json::json;

/// Two topics of two words each; the words of a topic always come together.
fn topics() -> Data {
    let documents: [&[(u32, f32)]; 4] =
        [&[(0, 1.0), (1, 1.0)], &[(0, 2.0), (1, 2.0)], &[(2, 1.0), (3, 1.0)], &[(2, 1.5), (3, 1.5)]];
    let queries: [&[(u32, f32)]; 2] = [&[(0, 1.0)], &[(3, 1.0)]];
    Data::small([4, 4], &queries, &documents, &[(0, 0, 2, 1.0), (1, 3, 1, 1.0), (1, 2, 0, 1.0)])
}

#[test]
fn words_that_come_together_match_each_other() {
    let data = topics();
    let lsi = method("lsi", json!({ "rank": 2 }));
    let w = rows_of(&train(&lsi, &data.problem(), Start::Zero).expect("decomposes").matrix);
    for (s, row) in w.iter().enumerate() {
        for (t, &x) in row.iter().enumerate() {
            let expected = if s / 2 == t / 2 { 0.5 } else { 0.0 };
            assert!((x - expected).abs() < 1e-5, "{w:?}");
        }
    }
    // The strongest direction alone is the first topic: 2² + 1² against 1.5² + 1².
    let one = rows_of(&train(&method("lsi", json!({ "rank": 1 })), &data.problem(), Start::Zero).expect("one").matrix);
    assert!((one[0][1] - 0.5).abs() < 1e-4 && one[2][3].abs() < 1e-4, "{one:?}");
}

#[test]
fn the_share_is_given_or_chosen_on_the_tuples() {
    let data = topics();
    let given = method("lsi", json!({ "rank": 2, "alpha": 0.25 }));
    let w = rows_of(&train(&given, &data.problem(), Start::Identity).expect("decomposes").matrix);
    assert!((w[0][0] - 0.875).abs() < 1e-5 && (w[0][1] - 0.125).abs() < 1e-5, "{w:?}");
    // Every tuple is won by I alone, so LSI gets no share.
    let chosen = method("lsi", json!({ "rank": 2 }));
    let w = rows_of(&train(&chosen, &data.problem(), Start::Identity).expect("decomposes").matrix);
    assert_eq!((w[0][0], w[0][1]), (1.0, 0.0));
    // The query's word is in none of the better documents: only LSI can win.
    let documents: [&[(u32, f32)]; 3] = [&[(0, 1.0), (1, 1.0)], &[(1, 1.0)], &[(2, 1.0)]];
    let data = Data::small([3, 3], &[&[(0, 1.0)]], &documents, &[(0, 1, 2, 1.0)]);
    let problem = data.problem().with_candidates(&[0, 1, 2]).expect("rows");
    let w =
        rows_of(&train(&method("lsi", json!({ "rank": 1 })), &problem, Start::Identity).expect("decomposes").matrix);
    assert!(w[0][1] > 0.01 && w[0][0] > 0.5, "{w:?}");
}

#[test]
fn mates_bring_two_languages_together() {
    // Three words in each language; query i speaks of what document i speaks of.
    let queries: [&[(u32, f32)]; 3] = [&[(0, 1.0)], &[(1, 1.0)], &[(0, 1.0), (1, 1.0)]];
    let documents: [&[(u32, f32)]; 3] = [&[(2, 1.0)], &[(0, 1.0), (3, 1.0)], &[(0, 1.0), (2, 1.0), (3, 1.0)]];
    let data = Data::small([3, 4], &queries, &documents, &[(0, 0, 1, 1.0), (1, 1, 0, 1.0), (2, 2, 0, 1.0)]);
    let cl_lsi = method("cl-lsi", json!({ "rank": 2 }));
    let trained = train(&cl_lsi, &data.problem(), Start::Zero).expect("decomposes");
    assert_eq!(data.pair_error(&trained.matrix), 0.0);
    let w = rows_of(&trained.matrix);
    assert!(w[0][2] > 0.1 && w[1][3] > 0.1 && w[0][2] > w[0][3] && w[2].iter().all(|x| *x == 0.0), "{w:?}");
    let error = train(&cl_lsi, &data.problem(), Start::Identity).expect_err("no I of two sizes");
    assert!(matches!(&error, Error::InvalidParam { name, .. } if name == "start"), "{error}");
    let error = train(&method("lsi", json!({})), &data.problem(), Start::Zero).expect_err("two vocabularies");
    assert!(error.to_string().contains("use cl-lsi"), "{error}");
}

/// What is no document of the training task is not looked at.
#[test]
fn only_candidates_are_decomposed() {
    let data = topics();
    let lsi = method("lsi", json!({ "rank": 2 }));
    let problem = data.problem().with_candidates(&[2, 3]).expect("rows");
    let mut session = Session::quiet(&ONE);
    let trained = lsi.train(&problem, Start::Zero, &Constraints::default(), None, &mut session).expect("decomposes");
    let w = rows_of(&trained.matrix);
    assert!(w[0].iter().all(|x| x.abs() < 1e-6) && (w[2][3] - 0.5).abs() < 1e-5, "{w:?}");
    assert!(data.problem().with_candidates(&[4]).is_err());
    let two = Threads::new(2).expect("threads");
    let mut session = Session::quiet(&two);
    let again = lsi.train(&problem, Start::Zero, &Constraints::default(), None, &mut session).expect("decomposes");
    assert_eq!(again.matrix, trained.matrix);
}
