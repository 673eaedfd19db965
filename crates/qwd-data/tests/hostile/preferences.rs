use super::{Case, check};
use qwd_data::preferences::{each_preference, each_triple};

#[test]
fn by_ids() {
    let cases: &[Case<'_>] = &[
        (
            b"q\ta\n",
            "preferences.tsv:1:1: expected query<TAB>better<TAB>worse[<TAB>weight], found 2 columns; put one tab between columns or pass --on-error skip",
        ),
        (
            b"q\ta\tb\t1\t2\n",
            "preferences.tsv:1:1: expected query<TAB>better<TAB>worse[<TAB>weight], found 5 columns; put one tab between columns or pass --on-error skip",
        ),
        (
            b"q\ta\ta\n",
            "preferences.tsv:1:5: document \"a\" is preferred to itself; correct the line or pass --on-error skip",
        ),
        (b"q\t\tb\n", "preferences.tsv:1:3: empty id of the better document; correct the line or pass --on-error skip"),
        (b"\ta\tb\n", "preferences.tsv:1:1: empty id of the query; correct the line or pass --on-error skip"),
        (
            b"q\ta\t\t2\n",
            "preferences.tsv:1:5: empty id of the worse document; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\t0\n",
            "preferences.tsv:1:7: weight \"0\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\t-1\n",
            "preferences.tsv:1:7: weight \"-1\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\tNaN\n",
            "preferences.tsv:1:7: weight \"NaN\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\t1e39\n",
            "preferences.tsv:1:7: weight \"1e39\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\t1e-60\n",
            "preferences.tsv:1:7: weight \"1e-60\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb\theavy\n",
            "preferences.tsv:1:7: weight \"heavy\" is not a finite number above 0; correct the line or pass --on-error skip",
        ),
    ];
    check("preferences.tsv", cases, |input, reading| each_preference(input, reading, |_, _| Ok(())));
}

#[test]
fn by_texts() {
    let cases: &[Case<'_>] = &[
        (
            br#"{"query":"q","pos":"a"}"#,
            "preferences.jsonl:1:23: not a usable JSON record: missing field `neg`; correct the line or pass --on-error skip",
        ),
        (
            br#"{"query":"q","pos":["a"],"neg":"b"}"#,
            "preferences.jsonl:1:19: not a usable JSON record: invalid type: sequence, expected a string; correct the line or pass --on-error skip",
        ),
        (
            br#"{"query":"q","pos":"a","neg":"a"}"#,
            "preferences.jsonl:1:1: pos and neg are the same text; correct the line or pass --on-error skip",
        ),
        (
            br#"{"query":"q","pos":"a","neg":"b","weight":0}"#,
            "preferences.jsonl:1:1: the weight is not a finite number above 0; correct the line or pass --on-error skip",
        ),
        (
            br#"{"query":"q","pos":"a","neg":"b","weight":1e300}"#,
            "preferences.jsonl:1:47: not a usable JSON record: number out of range; correct the line or pass --on-error skip",
        ),
        (
            br#"{"query":"q","pos":"a","neg":"b","weight":null}"#,
            "preferences.jsonl:1:46: not a usable JSON record: invalid type: null, expected f32; correct the line or pass --on-error skip",
        ),
        (
            b"q\ta\tb",
            "preferences.jsonl:1:1: not a usable JSON record: expected value; correct the line or pass --on-error skip",
        ),
    ];
    check("preferences.jsonl", cases, |input, reading| each_triple(input, reading, |_, _| Ok(())));
}
