use super::{Case, check};
use qwd_data::qrels::{Layout, read};

#[test]
fn beir() {
    let cases: &[Case<'_>] = &[
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\n",
            "qrels.tsv:2:1: expected query-id<TAB>corpus-id<TAB>score, found 2 columns; put one tab between columns or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\t1\textra\n",
            "qrels.tsv:2:1: expected query-id<TAB>corpus-id<TAB>score, found 4 columns; put one tab between columns or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1 d1 1\n",
            "qrels.tsv:2:1: expected query-id<TAB>corpus-id<TAB>score, found 1 column; put one tab between columns or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\n\td1\t1\n",
            "qrels.tsv:2:1: empty query id; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\t\t1\n",
            "qrels.tsv:2:4: empty document id; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\t\n",
            "qrels.tsv:2:7: grade \"\" is not a whole number of 32 bits; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\t0.5\n",
            "qrels.tsv:2:7: grade \"0.5\" is not a whole number of 32 bits; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\t99999999999\n",
            "qrels.tsv:2:7: grade \"99999999999\" is not a whole number of 32 bits; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td1\tNaN\n",
            "qrels.tsv:2:7: grade \"NaN\" is not a whole number of 32 bits; correct the line or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq2\td1\t1\r\nq1\td1\t0\r\n",
            "qrels.tsv:4:1: the judgment of document \"d1\" for query \"q1\" appears twice, first on line 2; remove one of the two or pass --on-error skip",
        ),
        (
            b"query-id\tcorpus-id\tscore\nq1\td\xe9\t1\n",
            "qrels.tsv:2:5: byte 0xe9 is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
    ];
    check("qrels.tsv", cases, |input, reading| read(input, Layout::ByHeader, reading));
}

#[test]
fn trec() {
    let cases: &[Case<'_>] = &[
        (
            b"q1\td1\t1\n",
            "qrels.trec:1:1: expected query, iteration, document and grade, found 3 columns; write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout",
        ),
        (
            b"q1\n",
            "qrels.trec:1:1: expected query, iteration, document and grade, found 1 column; write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout",
        ),
        (
            b"q1 0 d1 1 5 6 7\n",
            "qrels.trec:1:1: expected query, iteration, document and grade, found 5 columns or more; write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout",
        ),
        (
            b"q1 0 d1 high\n",
            "qrels.trec:1:9: grade \"high\" is not a whole number of 32 bits; correct the line or pass --on-error skip",
        ),
        (
            b"q1 0 d1 1\nq1 0 d1 1\n",
            "qrels.trec:2:1: the judgment of document \"d1\" for query \"q1\" appears twice, first on line 1; remove one of the two or pass --on-error skip",
        ),
        (
            b"Query-Id\tcorpus-id\tscore\n",
            "qrels.trec:1:1: expected query, iteration, document and grade, found 3 columns; write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout",
        ),
    ];
    check("qrels.trec", cases, |input, reading| read(input, Layout::ByHeader, reading));
}

#[test]
fn declared_layouts() {
    let headless: &[Case<'_>] = &[(
        b"q1\td1\t1\n",
        "test.tsv:1:1: the header query-id<TAB>corpus-id<TAB>score is missing; add it as the first line",
    )];
    check("test.tsv", headless, |input, reading| read(input, Layout::Beir, reading));
    let headed: &[Case<'_>] = &[(
        b"query-id\tcorpus-id\tscore\nq1 0 d1 1\n",
        "test.qrel:1:1: expected query, iteration, document and grade, found 3 columns; write four columns, or begin the file with query-id<TAB>corpus-id<TAB>score if that is its layout",
    )];
    check("test.qrel", headed, |input, reading| read(input, Layout::Trec, reading));
}
