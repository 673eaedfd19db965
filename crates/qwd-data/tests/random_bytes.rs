//! No bytes at all make a reader panic or hang, whatever the policy and the compression.

use proptest::prelude::*;
use qwd_data::qrels::Layout;
use qwd_data::svmlight::SvmParams;
use qwd_data::{Input, OnError, Reading, corpus, idx, links, mates, preferences, qrels, run, svmlight};
use std::io::Write;

/// Pieces that lead further into the readers than random bytes alone.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "\t",
        "\n",
        "\r\n",
        " ",
        ":",
        "#",
        "{",
        "}",
        "[",
        "\"",
        ",",
        "\\u",
        "-",
        "1",
        "0",
        "nan",
        "1e39",
        "d1",
        "q1",
        "{\"_id\":\"a\",\"text\":\"b\"}\n",
        "{\"query\":\"q\",\"pos\":\"a\",\"neg\":\"b\"}\n",
        "qid:1",
        "1:1",
        "2:0.5",
        "query-id\tcorpus-id\tscore\n",
        "q1 Q0 d1 1 0.5 t\n",
        "q1 0 d1 1\n",
        "\u{feff}",
        "é",
        "\0\0\u{8}\u{1}\0\0\0\u{1}",
        "\0\0\u{8}\u{3}\0\0\0\u{1}\0\0\0\u{1}\0\0\0\u{1}",
    ]);
    let piece = prop_oneof![
        4 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn compressed(bytes: &[u8], how: u8) -> Vec<u8> {
    match how {
        0 => bytes.to_vec(),
        1 => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
        }
        2 => zstd::encode_all(bytes, 1).expect("writing to memory"),
        _ => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
        }
    }
}

fn read_with_every_reader(bytes: &[u8]) {
    for on_error in [OnError::Fail, OnError::Skip] {
        let mut reading = Reading::new(on_error);
        reading.max_line_bytes = 200;
        let reading = &mut reading;
        let Ok(open) = Input::from_bytes("bytes", bytes).map(|_| || Input::from_bytes("bytes", bytes)) else { return };
        let open = || open().expect("opened before");
        let _ = corpus::read_documents(open(), reading);
        let _ = corpus::read_queries(open(), reading);
        for layout in [Layout::ByHeader, Layout::Beir, Layout::Trec] {
            let _ = qrels::read(open(), layout, reading);
        }
        let _ = run::read(open(), reading);
        let _ = links::read(open(), reading);
        let _ = mates::read(open(), reading);
        let _ = preferences::each_preference(open(), reading, |_, _| Ok(()));
        let _ = preferences::each_triple(open(), reading, |_, _| Ok(()));
        if let Ok(rows) = svmlight::read(open(), SvmParams::default(), reading) {
            rows.into_csr(0).expect("what was read is a matrix");
        }
        let _ = idx::read_labels(open(), reading);
        let _ = idx::read_images(open(), reading);
    }
}

proptest! {
    #[test]
    fn readers_survive_anything(bytes in pieces(), how in 0u8..4) {
        read_with_every_reader(&compressed(&bytes, how));
    }

    #[test]
    fn readers_survive_damaged_compression(bytes in pieces(), how in 1u8..4, at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut packed = compressed(&bytes, how);
        let at = at.index(packed.len());
        packed[at] ^= flip;
        read_with_every_reader(&packed);
        packed.truncate(at);
        read_with_every_reader(&packed);
    }
}
