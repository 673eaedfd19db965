use qwd_core::Result;
use qwd_data::idx::{read_images, read_labels};
use qwd_data::{Input, Reading};

/// Damage of a binary file is never skipped.
fn message<T>(bytes: &[u8], read: impl Fn(Input, &mut Reading) -> Result<T>) -> String {
    let input = Input::from_bytes("digits", bytes).expect("bytes in memory can be opened");
    let mut reading = Reading::new(qwd_data::OnError::Skip);
    read(input, &mut reading).err().map_or_else(|| panic!("{bytes:?} was accepted"), |e| e.to_string())
}

#[test]
fn labels() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"",
            "digits: this is no idx file of unsigned bytes in 1 dimension; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08",
            "digits: this is no idx file of unsigned bytes in 1 dimension; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x01\0\0",
            "digits: the file ends within its header; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x03\0\0\0\x01",
            "digits: this is no idx file of unsigned bytes in 1 dimension; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x0d\x01\0\0\0\x01\0",
            "digits: this is no idx file of unsigned bytes in 1 dimension; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x01\0\0\0\x03ab",
            "digits: the header promises 3 bytes, only 2 follow; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x01\0\0\0\x03abcd",
            "digits: the header promises 3 bytes, more follow; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x01\xff\xff\xff\xffab",
            "digits: the size promised by the header exceeds the limit of 1073741824 (got 4294967295); fetch the file again",
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(message(bytes, read_labels), *expected, "for {bytes:?}");
    }
}

#[test]
fn images() {
    let cases: &[(&[u8], &str)] = &[
        (
            b"\0\0\x08\x03\0\0\0\x01\0\0\0\x02",
            "digits: the file ends within its header; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02abc",
            "digits: the header promises 4 bytes, only 3 follow; fetch the file again or check that it is the right one",
        ),
        (
            b"\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            "digits: the size promised by the header exceeds the limit of 1073741824 (got 18446744073709551615); fetch the file again",
        ),
        (
            b"\0\0\x08\x03\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
            "digits: the size promised by the header exceeds the limit of 1073741824 (got 18446744065119617025); fetch the file again",
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(message(bytes, read_images), *expected, "for {bytes:?}");
    }
}
