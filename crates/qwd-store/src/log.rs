//! An append-only log: a record that was acknowledged is on disk, and stays there.
//!
//! A file is eight bytes of name followed by records. A record is a head of sixteen bytes (a mark, the length, the checksum
//! of the payload, the checksum of the head so far), the payload, and a closing newline. Records that several threads append
//! at the same time reach the disk with one sync: whoever comes first writes for all who came meanwhile.
//!
//! A process that dies while it writes leaves a torn tail, which was never acknowledged: opening cuts it off and tells. A
//! record that is whole in length but does not match its checksum, or one that is followed by sound records, was damaged
//! after it was written: opening refuses the log, and nothing is cut away.

use crate::atomic::save_atomically;
use crate::checksum::crc32;
use crate::limits::open_regular;
use crate::lock::lock;
use qwd_core::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

const NAME: &[u8; 8] = b"qwdlog1\n";
const MARK: [u8; 4] = *b"\x9aREC";
const HEAD_BYTES: usize = 16;
const END: u8 = b'\n';

/// The longest record.
pub const MAX_RECORD_BYTES: usize = 1 << 24;

/// The most that is written before a sync, and so the longest torn tail.
const MAX_UNSYNCED_BYTES: usize = 1 << 26;

/// A log that is open for appending. There is one such at a time.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    state: Mutex<State>,
    progress: Condvar,
}

#[derive(Debug)]
struct State {
    /// Away while somebody writes to it.
    file: Option<File>,
    queue: Vec<u8>,
    n_queued: u64,
    n_durable: u64,
    n_syncs: u64,
    /// After a failed write or sync nobody knows what is on disk, so nothing more is acknowledged.
    failed: Option<String>,
}

/// What was found when a log was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// The whole records.
    pub n_records: u64,
    /// The bytes of a torn tail, which were cut off.
    pub torn_bytes: u64,
}

impl Log {
    /// Opens a log, or makes an empty one; every record is shown to `visit` in order.
    pub fn open(path: impl AsRef<Path>, visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<(Self, Found)> {
        let path = path.as_ref().to_path_buf();
        if !path.exists() {
            save_atomically(&path, |w| w.write_all(NAME).map_err(|e| Error::io(&path, "write", e)))?;
        }
        let file = OpenOptions::new().append(true).read(true).open(&path).map_err(|e| Error::io(&path, "open", e))?;
        lock(&file, &path, || {
            Error::bad_data(format!("another process appends to {}", path.display()), "wait for it to end")
        })?;
        let (found, whole_bytes) = scan(&path, visit)?;
        if found.torn_bytes > 0 {
            file.set_len(whole_bytes).and_then(|()| file.sync_all()).map_err(|e| Error::io(&path, "cut", e))?;
        }
        let state = State {
            file: Some(file),
            queue: Vec::new(),
            n_queued: found.n_records,
            n_durable: found.n_records,
            n_syncs: 0,
            failed: None,
        };
        Ok((Self { path, state: Mutex::new(state), progress: Condvar::new() }, found))
    }

    /// Shows every whole record of a log that may be open elsewhere; a torn tail is left alone.
    pub fn read(path: impl AsRef<Path>, visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<Found> {
        scan(path.as_ref(), visit).map(|(found, _)| found)
    }

    /// Writes a new log of given records, whole or not at all.
    pub fn write_new<R: AsRef<[u8]>>(path: &Path, records: impl IntoIterator<Item = R>) -> Result<()> {
        save_atomically(path, |w| {
            let mut bytes = NAME.to_vec();
            for record in records {
                encode(record.as_ref(), &mut bytes)?;
                w.write_all(&bytes).map_err(|e| Error::io(path, "write", e))?;
                bytes.clear();
            }
            w.write_all(&bytes).map_err(|e| Error::io(path, "write", e))
        })
    }

    /// Appends records; returns the number of records, these last, when all are on disk.
    pub fn append<R: AsRef<[u8]>>(&self, records: &[R]) -> Result<u64> {
        let ticket = self.queue(records)?;
        self.wait(ticket)?;
        Ok(ticket)
    }

    /// Gives records their place in the log without waiting for the disk; [`Log::wait`] takes the ticket.
    pub fn queue<R: AsRef<[u8]>>(&self, records: &[R]) -> Result<u64> {
        let mut bytes = Vec::new();
        records.iter().try_for_each(|record| encode(record.as_ref(), &mut bytes))?;
        if bytes.len() > MAX_UNSYNCED_BYTES {
            let limit = MAX_UNSYNCED_BYTES as u64;
            return Err(Error::limit("bytes appended at once", limit, bytes.len() as u64, "append in smaller parts"));
        }
        let mut state = self.state();
        while state.queue.len() + bytes.len() > MAX_UNSYNCED_BYTES {
            self.check(&state)?;
            state = self.advance(state);
        }
        self.check(&state)?;
        state.queue.extend_from_slice(&bytes);
        state.n_queued += records.len() as u64;
        Ok(state.n_queued)
    }

    /// Returns when all records up to a ticket are on disk.
    pub fn wait(&self, ticket: u64) -> Result<()> {
        let mut state = self.state();
        while state.n_durable < ticket {
            self.check(&state)?;
            state = self.advance(state);
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<()> {
        match &state.failed {
            Some(what) => Err(Error::io(&self.path, "append", std::io::Error::other(what.clone()))),
            None => Ok(()),
        }
    }

    /// How many records are on disk.
    pub fn len(&self) -> u64 {
        self.state().n_durable
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many syncs were made for them since the log was opened.
    pub fn n_syncs(&self) -> u64 {
        self.state().n_syncs
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what waits, or waits for whoever is writing.
    fn advance<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let Some(mut file) = state.file.take() else {
            return self.progress.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        let (bytes, through) = (std::mem::take(&mut state.queue), state.n_queued);
        drop(state);
        let outcome = file.write_all(&bytes).and_then(|()| file.sync_data());
        let mut state = self.state();
        state.file = Some(file);
        state.n_syncs += 1;
        match outcome {
            Ok(()) => state.n_durable = through,
            Err(e) => state.failed = Some(e.to_string()),
        }
        self.progress.notify_all();
        state
    }
}

fn encode(record: &[u8], bytes: &mut Vec<u8>) -> Result<()> {
    if record.len() > MAX_RECORD_BYTES {
        let limit = MAX_RECORD_BYTES as u64;
        return Err(Error::limit("a record of a log", limit, record.len() as u64, "send less at once"));
    }
    let start = bytes.len();
    bytes.extend_from_slice(&MARK);
    bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32(record).to_le_bytes());
    let head = crc32(&bytes[start..]);
    bytes.extend_from_slice(&head.to_le_bytes());
    bytes.extend_from_slice(record);
    bytes.push(END);
    Ok(())
}

/// The length and checksum of the payload that a sound head announces.
fn head(bytes: &[u8]) -> Option<(usize, u32)> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let is_sound = bytes.get(..4)? == MARK && crc32(bytes.get(..12)?) == number(12)?;
    let n_bytes = number(4)? as usize;
    (is_sound && n_bytes <= MAX_RECORD_BYTES).then_some((n_bytes, number(8)?))
}

/// The payload at the start of some bytes, if a whole and sound record stands there.
fn sound_record(bytes: &[u8]) -> Option<&[u8]> {
    let (n_bytes, checksum) = head(bytes)?;
    let payload = bytes.get(HEAD_BYTES..HEAD_BYTES + n_bytes)?;
    (bytes.get(HEAD_BYTES + n_bytes) == Some(&END) && crc32(payload) == checksum).then_some(payload)
}

/// Shows the records in order, and tells how many bytes they and the name take.
fn scan(path: &Path, mut visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<(Found, u64)> {
    let (file, n_bytes) = open_regular(path)?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let cannot_read = |e| Error::io(path, "read", e);
    let mut name = [0; NAME.len()];
    match reader.read_exact(&mut name) {
        Ok(()) if name == *NAME => {}
        Err(e) if e.kind() != ErrorKind::UnexpectedEof => return Err(cannot_read(e)),
        // The name is written in one step with the file: a shorter one was cut later.
        _ => return Err(Error::corrupt(path, "name", "it is no log of qwd")),
    }
    let (mut found, mut offset) = (Found::default(), NAME.len() as u64);
    let mut bytes = Vec::new();
    while offset < n_bytes {
        bytes.clear();
        (&mut reader).take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(cannot_read)?;
        if let Some((n_payload, _)) = head(&bytes) {
            (&mut reader).take(n_payload as u64 + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
        }
        let Some(payload) = sound_record(&bytes) else {
            (&mut reader).take(MAX_UNSYNCED_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(cannot_read)?;
            if !is_torn(&bytes) {
                let what = format!("record {} at byte {offset} does not match its checksum", found.n_records + 1);
                return Err(Error::corrupt(path, "record", what));
            }
            found.torn_bytes = bytes.len() as u64;
            return Ok((found, offset));
        };
        visit(found.n_records, payload)?;
        found.n_records += 1;
        offset += bytes.len() as u64;
    }
    Ok((found, offset))
}

/// Whether the rest of a log is what a process that died while writing leaves: a record cut short, or space that the file
/// system gave and that was never filled.
fn is_torn(rest: &[u8]) -> bool {
    let holds_records = || {
        let marks = rest.windows(MARK.len()).enumerate().skip(1).filter(|(_, window)| *window == MARK);
        marks.into_iter().any(|(at, _)| sound_record(&rest[at..]).is_some())
    };
    let was_never_filled = rest.last() == Some(&0);
    let is_cut_short = match head(rest) {
        Some((n_payload, _)) => rest.len() <= HEAD_BYTES + n_payload,
        None => rest.len() < HEAD_BYTES,
    };
    rest.len() <= MAX_UNSYNCED_BYTES && (is_cut_short || was_never_filled) && !holds_records()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(path: &Path) -> Result<Vec<Vec<u8>>> {
        let mut records = Vec::new();
        Log::read(path, |_, record| {
            records.push(record.to_vec());
            Ok(())
        })?;
        Ok(records)
    }

    #[test]
    fn many_appenders_share_syncs_and_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        let (log, _) = Log::open(&path, |_, _| Ok(())).expect("made");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let log = &log;
                scope.spawn(move || {
                    for i in 0..50 {
                        log.append(&[format!("{thread}-{i}")]).expect("appended");
                    }
                });
            }
        });
        assert!(log.n_syncs() < 400, "{} syncs", log.n_syncs());
        assert_eq!(log.len(), 400);
        assert!(Log::open(&path, |_, _| Ok(())).is_err(), "a second writer");
        drop(log);
        let mut all = records(&path).expect("sound");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 400);
    }

    #[test]
    fn an_unfilled_tail_is_torn_and_a_changed_last_record_is_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        Log::write_new(&path, ["one", "two"]).expect("written");
        let whole = std::fs::read(&path).expect("read");
        let unfilled = [whole.as_slice(), &[0; 100]].concat();
        std::fs::write(&path, unfilled).expect("written");
        let (_, found) = Log::open(&path, |_, _| Ok(())).expect("opened");
        assert_eq!(found, Found { n_records: 2, torn_bytes: 100 });
        assert_eq!(std::fs::read(&path).expect("read"), whole);
        let mut changed = whole.clone();
        let at = whole.len() - 2;
        changed[at] ^= 1;
        std::fs::write(&path, &changed).expect("written");
        assert!(matches!(Log::open(&path, |_, _| Ok(())), Err(Error::Corrupt { .. })));
        assert_eq!(std::fs::read(&path).expect("read"), changed, "nothing is cut away");
    }
}
