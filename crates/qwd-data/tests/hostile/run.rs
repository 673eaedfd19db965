use super::{Case, check};
use qwd_data::run::read;

#[test]
fn runs() {
    let cases: &[Case<'_>] = &[
        (
            b"q1 Q0 d1 1\n",
            "run.trec:1:1: expected query, Q0, document, rank, score and tag, found 4 columns; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 0.5 tag more\n",
            "run.trec:1:1: expected query, Q0, document, rank, score and tag, found 7 columns or more; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 NaN tag\n",
            "run.trec:1:12: score \"NaN\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 inf tag\n",
            "run.trec:1:12: score \"inf\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 1e999 tag\n",
            "run.trec:1:12: score \"1e999\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 0,5 tag\n",
            "run.trec:1:12: score \"0,5\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 0.5 tag\nq2 Q0 d1 1 0.5 tag\nq1 Q0 d1 2 0.4 tag\n",
            "run.trec:3:1: document \"d1\" for query \"q1\" appears twice, first on line 1; remove one of the two or pass --on-error skip",
        ),
        (
            b"  q1\tQ0  d1 1 x tag\n",
            "run.trec:1:15: score \"x\" is not a finite number; correct the line or pass --on-error skip",
        ),
        (
            b"q1 Q0 d1 1 0.5\xc3\n",
            "run.trec:1:15: byte 0xc3 is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
    ];
    check("run.trec", cases, read);
}
