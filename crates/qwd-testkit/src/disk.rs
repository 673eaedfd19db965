//! A disk in memory that can fail at a chosen operation and that forgets, on a crash, what was never synced.
//!
//! Killing a process cannot show a missing sync: the system keeps the bytes. This disk can. Names and bytes are synced
//! separately, as on a real one, and [`Loss`] chooses what an unlucky loss of power takes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a loss of power takes of the things that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Unsynced bytes are lost: all of them, the later half, or none.
    pub bytes: Lost,
    /// Whether changes of names (creations, renames, removals) since the folder's last sync are undone.
    pub names: bool,
}

/// How much of the unsynced bytes is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// All of them.
    All,
    /// The later half.
    Half,
    /// None.
    None,
}

impl Loss {
    /// Every combination.
    pub fn all() -> impl Iterator<Item = Loss> {
        [Lost::All, Lost::Half, Lost::None]
            .into_iter()
            .flat_map(|bytes| [true, false].into_iter().map(move |names| Loss { bytes, names }))
    }
}

#[derive(Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    n_synced: usize,
}

#[derive(Debug, Default)]
struct State {
    names: BTreeMap<PathBuf, usize>,
    synced_names: BTreeMap<PathBuf, usize>,
    contents: Vec<Content>,
    n_operations: u64,
    failing: Range<u64>,
    log: Vec<&'static str>,
}

impl State {
    /// Counts an operation and fails it when its turn has come.
    fn operation(&mut self, name: &'static str) -> io::Result<()> {
        self.n_operations += 1;
        self.log.push(name);
        if self.failing.contains(&self.n_operations) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn find(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// A disk in memory; clones are the same disk.
#[derive(Debug, Clone, Default)]
pub struct SimulatedDisk(Rc<RefCell<State>>);

impl SimulatedDisk {
    /// A disk that holds one file, safely synced.
    pub fn with_file(path: &Path, bytes: &[u8]) -> Self {
        let disk = Self::default();
        {
            let mut state = disk.0.borrow_mut();
            state.contents.push(Content { bytes: bytes.to_vec(), n_synced: bytes.len() });
            state.names.insert(path.to_path_buf(), 0);
            state.synced_names = state.names.clone();
        }
        disk
    }

    /// Lets the `n`-th operation from the start, and every later one, fail.
    pub fn fail_from(&self, n: u64) {
        self.0.borrow_mut().failing = n..u64::MAX;
    }

    /// Lets the `n`-th operation from the start fail, and only that one.
    pub fn fail_at(&self, n: u64) {
        self.0.borrow_mut().failing = n..n + 1;
    }

    /// The operations asked for so far, by name.
    pub fn operations(&self) -> Vec<&'static str> {
        self.0.borrow().log.clone()
    }

    /// The bytes of a file, if there is one of that name.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.0.borrow();
        state.names.get(path).map(|&i| state.contents[i].bytes.clone())
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<PathBuf> {
        self.0.borrow().names.keys().cloned().collect()
    }

    /// Loses power: what was not synced is lost as `loss` says.
    pub fn crash(&self, loss: Loss) {
        let mut state = self.0.borrow_mut();
        if loss.names {
            state.names = state.synced_names.clone();
        }
        for content in &mut state.contents {
            let n_unsynced = content.bytes.len() - content.n_synced;
            let n_kept = match loss.bytes {
                Lost::All => 0,
                Lost::Half => n_unsynced / 2,
                Lost::None => n_unsynced,
            };
            content.bytes.truncate(content.n_synced + n_kept);
        }
    }

    /// Creates a file that must not exist.
    pub fn create_new(&self, path: &Path) -> io::Result<SimulatedFile> {
        let mut state = self.0.borrow_mut();
        state.operation("create")?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let content = state.contents.len();
        state.contents.push(Content::default());
        state.names.insert(path.to_path_buf(), content);
        Ok(SimulatedFile { disk: self.clone(), content })
    }

    /// Moves a name over another.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        state.operation("rename")?;
        let content = state.find(from)?;
        state.names.remove(from);
        state.names.insert(to.to_path_buf(), content);
        Ok(())
    }

    /// Makes all names so far survive a crash; there is one folder only.
    pub fn sync_folder(&self) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        state.operation("sync folder")?;
        state.synced_names = state.names.clone();
        Ok(())
    }

    /// Removes a name.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        state.operation("remove")?;
        state.find(path)?;
        state.names.remove(path);
        Ok(())
    }
}

/// A file on a [`SimulatedDisk`], open for writing at its end.
#[derive(Debug)]
pub struct SimulatedFile {
    disk: SimulatedDisk,
    content: usize,
}

impl SimulatedFile {
    /// Makes the bytes so far survive a crash.
    pub fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.0.borrow_mut();
        state.operation("sync")?;
        let content = &mut state.contents[self.content];
        content.n_synced = content.bytes.len();
        Ok(())
    }
}

impl Write for SimulatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.0.borrow_mut();
        state.operation("write")?;
        state.contents[self.content].bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
