use super::{Case, check};
use qwd_data::mates::read;

#[test]
fn mates() {
    let cases: &[Case<'_>] = &[
        (
            b"q\n",
            "mates.tsv:1:1: expected query<TAB>document, found 1 column; put one tab between columns or pass --on-error skip",
        ),
        (
            b"q\td\t1\n",
            "mates.tsv:1:1: expected query<TAB>document, found 3 columns; put one tab between columns or pass --on-error skip",
        ),
        (b"\td\n", "mates.tsv:1:1: empty query id; correct the line or pass --on-error skip"),
        (b"q\t\n", "mates.tsv:1:3: empty document id; correct the line or pass --on-error skip"),
        (
            b"q\td\nr\td\nq\te\n",
            "mates.tsv:3:1: query \"q\" has a mate already, on line 1; keep one of the two or pass --on-error skip",
        ),
    ];
    check("mates.tsv", cases, read);
}
