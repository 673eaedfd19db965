use super::{Case, check};
use qwd_data::links::read;

#[test]
fn links() {
    let cases: &[Case<'_>] = &[
        (
            b"a\n",
            "links.tsv:1:1: expected from<TAB>to, found 1 column; put one tab between columns or pass --on-error skip",
        ),
        (
            b"a b\n",
            "links.tsv:1:1: expected from<TAB>to, found 1 column; put one tab between columns or pass --on-error skip",
        ),
        (
            b"a\tb\t3\n",
            "links.tsv:1:1: expected from<TAB>to, found 3 columns; put one tab between columns or pass --on-error skip",
        ),
        (b"a\t\n", "links.tsv:1:3: empty document id; correct the line or pass --on-error skip"),
        (b"\tb\n", "links.tsv:1:1: empty document id; correct the line or pass --on-error skip"),
        (b"a\ta\n", "links.tsv:1:1: document \"a\" links to itself; remove the line or pass --on-error skip"),
        (
            b"a\tb\nb\ta\na\tb\n",
            "links.tsv:3:1: the link from \"a\" to \"b\" appears twice, first on line 1; remove one of the two or pass --on-error skip",
        ),
        (
            b"\xef\xbb\xbfa\tb\n\xef\xbb\xbfa\n",
            "links.tsv:2:1: expected from<TAB>to, found 1 column; put one tab between columns or pass --on-error skip",
        ),
    ];
    check("links.tsv", cases, read);
}
