use super::{Case, check};
use qwd_data::svmlight::{IndexBase, SvmParams, read};

#[test]
fn counted_from_one() {
    let cases: &[Case<'_>] = &[
        (b"x 1:1\n", "train.svm:1:1: label \"x\" is not a finite number; correct the line or pass --on-error skip"),
        (b"nan 1:1\n", "train.svm:1:1: label \"nan\" is not a finite number; correct the line or pass --on-error skip"),
        (b"1,2 1:1\n", "train.svm:1:1: label \"1,2\" is not a finite number; correct the line or pass --on-error skip"),
        (
            b"1:0.5 2:0.5\n",
            "train.svm:1:1: label \"1:0.5\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (b"1 5\n", "train.svm:1:3: expected index:value, found \"5\"; correct the line or pass --on-error skip"),
        (b"1 1:\n", "train.svm:1:5: value \"\" is not a finite number; correct the line or pass --on-error skip"),
        (
            b"1 :1\n",
            "train.svm:1:3: feature index \"\" is not a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 a:1\n",
            "train.svm:1:3: feature index \"a\" is not a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 1.5:1\n",
            "train.svm:1:3: feature index \"1.5\" is not a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 0:1\n",
            "train.svm:1:3: feature index 0 in a file whose features count from 1; correct the line or pass --on-error skip",
        ),
        (
            b"1 -3:1\n",
            "train.svm:1:3: feature index -3 in a file whose features count from 1; correct the line or pass --on-error skip",
        ),
        (
            b"1 99999999:1\n",
            "train.svm:1:3: feature index 99999999 is beyond the limit of 67108864 features; correct the line or pass --on-error skip",
        ),
        (
            b"1 999999999999999999999999999999999999999999:1\n",
            "train.svm:1:3: feature index 999999999999999999999999999999999999999999 is beyond the limit of 67108864 features; correct the line or pass --on-error skip",
        ),
        (b"1 1:NaN\n", "train.svm:1:5: value \"NaN\" is not a finite number; correct the line or pass --on-error skip"),
        (
            b"1 1:-inf\n",
            "train.svm:1:5: value \"-inf\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"1 1:1e39\n",
            "train.svm:1:5: value \"1e39\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (b"1 1:1:1\n", "train.svm:1:5: value \"1:1\" is not a finite number; correct the line or pass --on-error skip"),
        (
            b"1 3:1 2:1 3:0\n",
            "train.svm:1:11: feature 3 appears twice in the row; correct the line or pass --on-error skip",
        ),
        (
            b"1 qid:x 1:1\n",
            "train.svm:1:3: \"qid:x\" does not name a query by a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 qid:-1 1:1\n",
            "train.svm:1:3: \"qid:-1\" does not name a query by a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 1:1 qid:1\n",
            "train.svm:1:7: feature index \"qid\" is not a whole number; correct the line or pass --on-error skip",
        ),
        (
            b"1 qid:1 1:1\n0 1:1\n",
            "train.svm:2:1: some rows have a qid and others have none; give every row a qid or remove them all",
        ),
        (
            b"1 1:1 # fine\n1 1=1 # not\n",
            "train.svm:2:3: expected index:value, found \"1=1\"; correct the line or pass --on-error skip",
        ),
    ];
    check("train.svm", cases, |input, reading| read(input, SvmParams::default(), reading));
}

#[test]
fn counted_from_zero() {
    let params = SvmParams { base: IndexBase::Zero, max_features: 10, keep_comments: true };
    let cases: &[Case<'_>] = &[
        (
            b"1 0:1 -1:1\n",
            "test.svm:1:7: feature index -1 in a file whose features count from 0; correct the line or pass --on-error skip",
        ),
        (
            b"1 10:1\n",
            "test.svm:1:3: feature index 10 is beyond the limit of 10 features; correct the line or pass --on-error skip",
        ),
        (b"1 0:1 0:2\n", "test.svm:1:7: feature 0 appears twice in the row; correct the line or pass --on-error skip"),
    ];
    check("test.svm", cases, |input, reading| read(input, params, reading));
}
