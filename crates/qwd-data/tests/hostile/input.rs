use super::check;
use qwd_data::{Input, Reading};
use std::io::Write;

fn lines(input: Input, reading: &mut Reading) -> qwd_core::Result<()> {
    reading.each_line(input, |_| Ok(()))
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("writing to memory")
}

fn message(name: &str, bytes: Vec<u8>) -> String {
    let input = Input::from_bytes(name, bytes).expect("bytes in memory can be opened");
    let mut reading = Reading::new(qwd_data::OnError::Skip);
    lines(input, &mut reading).err().map_or_else(|| "accepted".to_string(), |e| e.to_string())
}

#[test]
fn not_utf8() {
    let cases: &[super::Case<'_>] = &[
        (
            b"\xff\xfea\0",
            "text.tsv:1:1: byte 0xff is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
        (
            b"fine\n  caf\xe9\n",
            "text.tsv:2:6: byte 0xe9 is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
        (
            b"cut \xf0\x9f\x98",
            "text.tsv:1:5: byte 0xf0 is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
        (
            b"surrogate \xed\xa0\x80",
            "text.tsv:1:11: byte 0xed is not valid UTF-8; convert the file to UTF-8 or pass --on-error skip",
        ),
    ];
    check("text.tsv", cases, lines);
}

#[test]
fn long_lines() {
    let read = |input, reading: &mut Reading| {
        reading.max_line_bytes = 10;
        lines(input, reading)
    };
    let cases: &[super::Case<'_>] = &[
        (
            b"0123456789\r\n0123456789x\n",
            "text.tsv:2: a line's length in bytes exceeds the limit of 10 (got 11); break the line up, raise the limit or pass --on-error skip",
        ),
        (
            b"short\n0123456789012345678901234567890123456789\nshort",
            "text.tsv:2: a line's length in bytes exceeds the limit of 10 (got 12); break the line up, raise the limit or pass --on-error skip",
        ),
        (
            b"01234567890123456789",
            "text.tsv:1: a line's length in bytes exceeds the limit of 10 (got 12); break the line up, raise the limit or pass --on-error skip",
        ),
    ];
    check("text.tsv", cases, read);
}

#[test]
fn cut_or_damaged_compression() {
    let content: Vec<u8> =
        (0..50_000u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_string().into_bytes()).collect();
    let packed = gzip(&content);
    assert_eq!(
        message("a.gz", packed[..packed.len() / 2].to_vec()),
        "a.gz: the gzip data end too early: the file is cut short; fetch or copy the file again"
    );
    assert_eq!(
        message("a.gz", packed[..packed.len() - 1].to_vec()),
        "a.gz: the gzip data end too early: the file is cut short; fetch or copy the file again"
    );
    assert_eq!(
        message("a.gz", packed[..5].to_vec()),
        "a.gz: the gzip data end too early: the file is cut short; fetch or copy the file again"
    );
    let mut flipped = packed.clone();
    let at = flipped.len() - 6;
    flipped[at] ^= 1;
    assert_eq!(
        message("a.gz", flipped),
        "a.gz: the gzip data are damaged (corrupt gzip stream does not have a matching checksum); fetch or copy the file again"
    );
    let packed = zstd::encode_all(content.as_slice(), 3).expect("writing to memory");
    assert_eq!(
        message("a.zst", packed[..packed.len() / 2].to_vec()),
        "a.zst: the zstd data end too early: the file is cut short; fetch or copy the file again"
    );
    assert_eq!(
        message("a.zst", packed[..packed.len() - 1].to_vec()),
        "a.zst: the zstd data end too early: the file is cut short; fetch or copy the file again"
    );
    let mut flipped = packed.clone();
    flipped[4] ^= 0xff;
    assert_eq!(
        message("a.zst", flipped),
        "a.zst: the zstd data are damaged (Unsupported frame parameter); fetch or copy the file again"
    );
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    let packed = encoder.write_all(&content).and_then(|()| encoder.finish()).expect("writing to memory");
    assert_eq!(
        message("a.bz2", packed[..packed.len() / 2].to_vec()),
        "a.bz2: the bzip2 data end too early: the file is cut short; fetch or copy the file again"
    );
}

#[test]
fn files_that_cannot_be_read() {
    let open = |path: &str| Input::open(path).map(|_| ()).expect_err("no such file").to_string();
    assert_eq!(open("/nowhere/x.tsv"), "/nowhere/x.tsv: cannot open: No such file or directory (os error 2)");
    assert_eq!(open("/"), "/: cannot read: Is a directory (os error 21)");
}
