//! Promise 4, and what holds for any bytes: the properties that the fuzzer looks for (fuzz/), with mutated samples.

#[path = "../../fuzz/targets.rs"]
#[allow(unreachable_pub, reason = "a library of the fuzzer's workspace")]
mod targets;

use qwd_testkit::random::Dice;
use qwd_testkit::rounds;

/// Bytes that readers stumble over.
const ODD: [&[u8]; 10] =
    [b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\"", b"{", b"[[", b"NaN", b"1e999", b"\\ud800"];

/// One sample, changed in some places.
fn mutated(sample: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            1 => bytes.truncate(at),
            2 => {
                let odd = ODD[dice.below(ODD.len())];
                bytes.splice(at..at, odd.iter().copied());
            }
            3 => {
                let odd = ODD[dice.below(ODD.len())];
                let end = (at + odd.len()).min(bytes.len());
                bytes.splice(at..end, odd.iter().copied());
            }
            _ => {
                let from = dice.below(bytes.len() + 1);
                let piece = bytes[from..(from + dice.below(16)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// Holds a property to its samples and to many mutations of them; what breaks it is told.
fn hold(property: fn(&[u8]), samples: &[Vec<u8>], n_rounds: u32) {
    let mut dice = Dice::new(7);
    for round in 0..rounds(n_rounds) as usize {
        let sample = &samples[round % samples.len()];
        let bytes = if round < samples.len() { sample.clone() } else { mutated(sample, &mut dice) };
        let outcome = std::panic::catch_unwind(|| property(&bytes));
        assert!(outcome.is_ok(), "round {round}: {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn models() {
    hold(targets::a_model_from_a_stranger_is_safe, &[targets::sound("model")], 500);
}

#[test]
fn segments() {
    let samples: Vec<Vec<u8>> = (0..12).map(targets::section).collect();
    hold(targets::a_segment_from_a_stranger_is_safe, &samples, 200);
}

#[test]
fn manifests() {
    hold(targets::a_manifest_from_a_stranger_is_safe, &[targets::sound("index.json")], 100);
}

#[test]
fn logs() {
    hold(targets::a_log_keeps_its_whole_records, &[targets::log(), b"qwdlog1\n".to_vec()], 300);
}

#[test]
fn requests() {
    let bodies = [
        r#"{"q": "red car", "k": 3, "explain": true, "documents": true, "filter": "year>=2001"}"#,
        r#"{"query": "red car", "id": "d0"}"#,
        r#"{"query": "red car", "document": "a red ship"}"#,
        r#"[{"_id": "d7", "title": "Speed", "text": "Speed up your line", "year": 1}]"#,
        r#"{"query": "red", "click": {"document": "d0", "shown": ["d2", "d0"], "search": "s"}, "user": "u", "time": 1.5}"#,
        r#"{"query": "red", "document": "car", "weight": 0.5}"#,
        "red \"open sea\" \u{202e}&k=1",
    ];
    let sample = |(route, body): (u8, &str)| [&[route][..], body.as_bytes()].concat();
    let samples: Vec<Vec<u8>> = (0..).zip(bodies).map(sample).collect();
    hold(targets::a_request_never_breaks_the_server, &samples, 700);
}

#[test]
fn queries() {
    let samples = ["red car", "\"open sea\" ship", "year>=2001", "\"", "carr shipp", "Ｒｅｄ\u{0}\u{301}"];
    let samples: Vec<Vec<u8>> = samples.iter().map(|s| s.as_bytes().to_vec()).collect();
    hold(targets::a_query_gets_an_answer_that_adds_up, &samples, 2000);
}
