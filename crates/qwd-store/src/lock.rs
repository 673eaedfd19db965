//! One process at a time: locks that the operating system lets go of when their holder ends, however it ends.

use qwd_core::error::{Error, Result};
use std::fs::{File, TryLockError};
use std::path::Path;

/// Takes the lock of an open file; `busy` is the error if another process holds it.
pub fn lock(file: &File, path: &Path, busy: impl FnOnce() -> Error) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(busy()),
        Err(TryLockError::Error(e)) => Err(Error::io(path, "lock", e)),
    }
}

/// Opens a file that is there to be locked, and locks it; the lock lasts as long as the file is open.
pub fn lock_file(path: &Path, busy: impl FnOnce() -> Error) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|e| Error::io(path, "create", e))?;
    lock(&file, path, busy)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_and_the_next_one_is_let_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let busy = || Error::bad_data("somebody is here", "wait");
        let first = lock_file(&path, busy).expect("free");
        let message = lock_file(&path, busy).expect_err("taken").to_string();
        assert!(message.contains("somebody is here"), "{message}");
        drop(first);
        lock_file(&path, busy).expect("free again");
        assert!(lock_file(&folder.path().join("no/folder"), busy).is_err());
    }
}
