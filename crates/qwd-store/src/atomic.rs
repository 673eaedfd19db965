//! A save that is all or nothing.
//!
//! The new bytes go to a temporary file in the same folder, reach the disk, and only then take the old file's name in
//! one rename. A reader, a crash or a full disk at any moment meets the old file whole or the new file whole. A process
//! that is killed may leave its temporary file behind: a hidden file `.NAME.PID-N.tmp`, which nothing ever reads.
//!
//! A symbolic link at `path` is replaced by the file, as every rename does.

use crate::disk::{Disk, RealDisk};
use qwd_core::error::{Error, Result};
use std::ffi::OsString;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is gathered before the file is written to.
const BUFFER_BYTES: usize = 1 << 18;

/// How many names a save tries when leftovers of killed processes hold them.
const MAX_ATTEMPTS: u64 = 1000;

/// Replaces the file at `path` by what `write` writes, or leaves it as it was.
pub fn save_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    save_atomically_on(&RealDisk, path, write)
}

/// Does what [`save_atomically`] does, on a given disk.
pub fn save_atomically_on<D: Disk>(
    disk: &D,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let (temporary, file) = create_temporary(disk, path)?;
    let done = fill(disk, path, file, write)
        .and_then(|()| disk.rename(&temporary, path).map_err(|e| Error::io(path, "replace", e)));
    if done.is_err() {
        // The first error is the one to tell; that the leftover cannot be removed either adds nothing.
        disk.remove(&temporary).ok();
        return done;
    }
    let folder = folder_of(path);
    disk.sync_folder(folder).map_err(|e| Error::io(folder, "sync", e))
}

/// Writes and syncs the temporary file, and closes it.
fn fill<D: Disk>(disk: &D, path: &Path, file: D::File, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut writer = BufWriter::with_capacity(BUFFER_BYTES, file);
    if let Err(error) = write(&mut writer) {
        // Dropping the writer itself would write once more what it still holds.
        drop(writer.into_parts());
        return Err(error);
    }
    let mut file = writer.into_inner().map_err(|e| {
        let (error, writer) = e.into_parts();
        drop(writer.into_parts());
        Error::io(path, "write", error)
    })?;
    disk.sync_file(&mut file).map_err(|e| Error::io(path, "sync", e))
}

/// Creates a file beside `path` whose name no one else uses.
fn create_temporary<D: Disk>(disk: &D, path: &Path) -> Result<(PathBuf, D::File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| Error::io(path, "create", ErrorKind::InvalidInput.into()))?;
    for _ in 0..MAX_ATTEMPTS {
        let n = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{n}.tmp", std::process::id()));
        let temporary = folder_of(path).join(hidden);
        match disk.create_new(&temporary, path) {
            Ok(file) => return Ok((temporary, file)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io(path, "create", e)),
        }
    }
    Err(Error::io(path, "create", ErrorKind::AlreadyExists.into()))
}

/// The folder a file lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
