//! The few file operations that a save is made of, as a trait: tests put a disk in their place that fails at a chosen
//! operation or forgets what was never synced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A file system, as far as an atomic save needs one.
pub trait Disk {
    /// A file that is being written.
    type File: Write;

    /// Creates a file that must not exist yet, with the permissions of `like` if there is such a file.
    fn create_new(&self, path: &Path, like: &Path) -> io::Result<Self::File>;

    /// Returns when the bytes written so far would survive a loss of power.
    fn sync_file(&self, file: &mut Self::File) -> io::Result<()>;

    /// Puts a file in the place of another in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Returns when the names in a folder would survive a loss of power.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The disk of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    type File = File;

    fn create_new(&self, path: &Path, like: &Path) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        if let Ok(old) = fs::metadata(like)
            && let Err(error) = file.set_permissions(old.permissions())
        {
            // The caller never learns of this file, so it is removed here. That it cannot be removed is no news.
            fs::remove_file(path).ok();
            return Err(error);
        }
        Ok(file)
    }

    fn sync_file(&self, file: &mut File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// Windows cannot open a folder to sync it; its journal keeps the order of renames.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}
