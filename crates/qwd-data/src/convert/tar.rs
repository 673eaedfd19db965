//! The files of a tar archive, one after the other, without unpacking them.
//!
//! Reads what tar programs write today: ustar with its long names, GNU long names and pax paths. Nothing is created on
//! disk, so names need no caution.

use super::latin1;
use crate::input::Input;
use crate::reading::Reading;
use qwd_core::{Error, Result};

const BLOCK: u64 = 512;
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Hands the name and content of every regular file to `file`.
pub fn each_file(
    mut input: Input,
    reading: &mut Reading,
    mut file: impl FnMut(&str, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let mut long_name: Option<String> = None;
    let mut n_read = 0;
    while let Some(header) = Header::read(&mut input, n_read)? {
        n_read += BLOCK + header.size.next_multiple_of(BLOCK);
        match header.kind {
            b'0' | 0 => {
                let name = long_name.take().unwrap_or(header.name);
                file(&name, content(&mut input, header.size)?)?;
            }
            b'L' => {
                let name = content(&mut input, header.size)?;
                long_name = Some(latin1(name.strip_suffix(&[0]).unwrap_or(&name)));
            }
            b'x' => long_name = pax_path(&content(&mut input, header.size)?).or(long_name),
            // Folders, links and what else there may be; the long name was theirs.
            kind => {
                input.skip_bytes(header.size.next_multiple_of(BLOCK))?;
                if kind != b'g' {
                    long_name = None;
                }
            }
        }
    }
    reading.finish(input)
}

struct Header {
    name: String,
    size: u64,
    kind: u8,
}

impl Header {
    /// Reads the header at byte `at`, or nothing at the end of the archive.
    fn read(input: &mut Input, at: u64) -> Result<Option<Self>> {
        let mut block = Vec::with_capacity(BLOCK as usize);
        input.read_up_to(BLOCK, &mut block)?;
        // An archive ends with blocks of zeros, so one that just stops was cut.
        if (block.len() as u64) < BLOCK {
            return Err(damaged(input, "ends before its end mark"));
        }
        if block.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let unsigned: u64 = block.iter().map(|&byte| u64::from(byte)).sum();
        let own: u64 = block[148..156].iter().map(|&byte| u64::from(byte)).sum();
        if octal(&block[148..156]) != Some(unsigned - own + 8 * u64::from(b' ')) {
            return Err(damaged(input, &format!("has a wrong checksum in the header at byte {at}")));
        }
        let size = octal(&block[124..136]).filter(|&size| size <= MAX_FILE_BYTES);
        let size = size.ok_or_else(|| damaged(input, &format!("has an impossible size in the header at byte {at}")))?;
        let name = text(&block[..100]);
        let prefix = if &block[257..263] == b"ustar\0" { text(&block[345..500]) } else { String::new() };
        let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        Ok(Some(Self { name, size, kind: block[156] }))
    }
}

fn content(input: &mut Input, size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if (input.read_up_to(size, &mut bytes)? as u64) < size {
        return Err(damaged(input, "ends within a file"));
    }
    input.skip_bytes(size.next_multiple_of(BLOCK) - size)?;
    Ok(bytes)
}

/// A field up to its first NUL.
fn text(field: &[u8]) -> String {
    latin1(field.split(|&byte| byte == 0).next().unwrap_or_default())
}

fn octal(field: &[u8]) -> Option<u64> {
    u64::from_str_radix(text(field).trim_matches(' '), 8).ok()
}

/// The path among pax records, each of which is `length key=value` and a line end.
fn pax_path(records: &[u8]) -> Option<String> {
    let records = String::from_utf8_lossy(records);
    records.lines().find_map(|line| line.split_once(" path=")).map(|(_, path)| path.to_string())
}

fn damaged(input: &Input, what: &str) -> Error {
    Error::parse(input.place(), format!("the tar archive {what}"), "fetch the file again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Writes the checksum of the header at the start.
    fn sign(archive: &mut [u8]) {
        archive[148..156].fill(b' ');
        let sum: u32 = archive[..512].iter().map(|&byte| u32::from(byte)).sum();
        archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }

    fn entry(name: &[u8], prefix: &[u8], kind: u8, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0u8; 512];
        block[..name.len()].copy_from_slice(name);
        block[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        block[156] = kind;
        block[257..263].copy_from_slice(b"ustar\0");
        block[345..345 + prefix.len()].copy_from_slice(prefix);
        sign(&mut block);
        block.extend(content);
        block.resize(block.len().next_multiple_of(512), 0);
        block
    }

    fn files(bytes: Vec<u8>) -> Result<Vec<(String, Vec<u8>)>> {
        let mut files = Vec::new();
        each_file(Input::from_bytes("a.tar", bytes)?, &mut Reading::default(), |name, content| {
            files.push((name.to_string(), content));
            Ok(())
        })?;
        Ok(files)
    }

    #[test]
    fn every_way_of_naming_a_file_is_known() {
        let archive = [
            entry(b"folder/", b"", b'5', b""),
            entry(b"plain", b"", b'0', b"1"),
            entry(b"name", b"deep/folder", b'0', &[b'2'; 600]),
            entry(b"././@LongLink", b"", b'L', b"a/long/name\0"),
            entry(b"cut", b"", 0, b"3"),
            entry(b"pax", b"", b'x', "26 mtime=1234567890.123456\n19 path=n\u{e4}me here\n".as_bytes()),
            entry(b"cut", b"", b'0', b""),
            vec![0; 1024],
        ];
        let found = files(archive.concat()).expect("an archive");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["plain", "deep/folder/name", "a/long/name", "n\u{e4}me here"]);
        assert_eq!(found.iter().map(|(_, content)| content.len()).collect::<Vec<_>>(), [1, 600, 1, 0]);
    }

    #[test]
    fn damage_is_named() {
        let good = entry(b"plain", b"", b'0', b"1");
        let message = |bytes: Vec<u8>| files(bytes).expect_err("damage").to_string();
        let mut flipped = good.clone();
        flipped[0] ^= 1;
        let cases = [
            (good[..100].to_vec(), "ends before its end mark"),
            (good.clone(), "ends before its end mark"),
            (good[..512].to_vec(), "ends within a file"),
            (flipped, "has a wrong checksum in the header at byte 0"),
        ];
        for (bytes, what) in cases {
            assert_eq!(message(bytes), format!("a.tar: the tar archive {what}; fetch the file again"));
        }
        let mut huge = entry(b"huge", b"", b'0', b"");
        huge[124..135].copy_from_slice(b"77777777777");
        sign(&mut huge);
        assert!(message(huge).contains("has an impossible size in the header at byte 0"));
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(at in 0usize..1536, flip: u8, cut in 0usize..1536, sum in any::<bool>()) {
            let mut archive = [entry(b"plain", b"", b'x', b"19 path=name"), entry(b"b", b"", b'0', b"1")].concat();
            archive[at] ^= flip;
            if sum {
                sign(&mut archive);
            }
            archive.truncate(cut.max(10));
            let _ = files(archive);
        }
    }
}
