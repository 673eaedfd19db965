//! Files read without trusting their size.

use qwd_core::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a regular file and tells its length.
///
/// A folder, a device or a pipe is refused before it is opened: opening a pipe would wait for someone to write to it.
pub fn open_regular(path: &Path) -> Result<(File, u64)> {
    let cannot_open = |e| Error::io(path, "open", e);
    if !std::fs::metadata(path).map_err(cannot_open)?.is_file() {
        let what = "not a regular file; name a file".to_string();
        return Err(Error::Unsupported { path: path.to_path_buf(), what });
    }
    let file = File::open(path).map_err(cannot_open)?;
    let n_bytes = file.metadata().map_err(cannot_open)?.len();
    Ok((file, n_bytes))
}

/// Reads a whole file of at most `limit` bytes; the size is checked before memory is taken.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let (file, n_bytes) = open_regular(path)?;
    let too_large = |got| Error::limit(format!("size of {}", path.display()), limit, got, "use a smaller file");
    if n_bytes > limit {
        return Err(too_large(n_bytes));
    }
    let mut bytes = Vec::new();
    usize::try_from(n_bytes)
        .ok()
        .and_then(|n| bytes.try_reserve_exact(n).ok())
        .ok_or_else(|| Error::io(path, "read", std::io::ErrorKind::OutOfMemory.into()))?;
    // The file may have grown since its length was asked for.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| Error::io(path, "read", e))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qwd_core::Family;

    #[test]
    fn a_file_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("five");
        std::fs::write(&path, b"12345").expect("written");
        assert_eq!(read_file(&path, 5).expect("at the limit"), b"12345");
        let error = read_file(&path, 4).expect_err("over the limit");
        assert!(matches!(error, Error::Limit { limit: 4, got: 5, .. }), "{error}");
    }

    #[test]
    fn a_folder_and_a_missing_file_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read_file(folder.path(), 9).expect_err("a folder").family(), Family::Damaged);
        let missing = read_file(&folder.path().join("none"), 9).expect_err("missing");
        assert_eq!(missing.family(), Family::Environment);
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_is_refused() {
        assert!(read_file(Path::new("/dev/zero"), 9).is_err());
    }
}
