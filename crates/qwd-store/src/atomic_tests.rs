//! The save on a real folder, on a disk that fails, and on a disk that forgets.

use super::*;
use qwd_core::Family;
use qwd_testkit::disk::{Loss, SimulatedDisk, SimulatedFile};
use std::io;

impl Disk for SimulatedDisk {
    type File = SimulatedFile;

    fn create_new(&self, path: &Path, _: &Path) -> io::Result<SimulatedFile> {
        SimulatedDisk::create_new(self, path)
    }

    fn sync_file(&self, file: &mut SimulatedFile) -> io::Result<()> {
        file.sync()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SimulatedDisk::rename(self, from, to)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        SimulatedDisk::sync_folder(self)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SimulatedDisk::remove(self, path)
    }
}

const OLD: &[u8] = b"the old file";

/// Larger than the buffer, so that a save writes more than once.
fn new_bytes() -> Vec<u8> {
    (0..3 * BUFFER_BYTES + 7).map(|i| (i % 251) as u8).collect()
}

fn save_new(disk: &SimulatedDisk, path: &Path) -> Result<()> {
    save_atomically_on(disk, path, |w| {
        new_bytes().chunks(1000).try_for_each(|c| w.write_all(c)).map_err(|e| Error::io(path, "write", e))
    })
}

#[test]
fn a_save_syncs_the_file_before_the_rename_and_the_folder_after() {
    let path = Path::new("folder/model.qwd");
    let disk = SimulatedDisk::with_file(path, OLD);
    save_new(&disk, path).expect("saved");
    let log = disk.operations();
    assert_eq!(log.iter().filter(|&&op| op == "write").count(), 4);
    assert_eq!(log.last_chunk::<3>(), Some(&["sync", "rename", "sync folder"]));
    assert_eq!(disk.names(), [path]);
}

#[test]
fn an_error_at_any_operation_leaves_the_old_file_or_the_new_one() {
    let path = Path::new("folder/model.qwd");
    for only_once in [true, false] {
        for n in 1.. {
            let disk = SimulatedDisk::with_file(path, OLD);
            if only_once {
                disk.fail_at(n)
            } else {
                disk.fail_from(n)
            }
            let result = save_new(&disk, path);
            let now = disk.read(path).expect("a file");
            let renamed = disk.operations().contains(&"sync folder");
            assert_eq!((now == OLD, now == new_bytes()), (!renamed, renamed), "operation {n}");
            assert!(!only_once || disk.names() == [path], "operation {n} leaves a temporary file");
            match result {
                Ok(()) => break,
                Err(e) => assert_eq!(e.family(), Family::Environment, "{e}"),
            }
        }
    }
}

#[test]
fn an_interrupted_save_leaves_nothing_behind() {
    let path = Path::new("folder/model.qwd");
    let disk = SimulatedDisk::with_file(path, OLD);
    let result = save_atomically_on(&disk, path, |w| {
        w.write_all(b"half a mod").map_err(|e| Error::io(path, "write", e))?;
        Err(Error::Interrupted)
    });
    assert!(matches!(result, Err(Error::Interrupted)));
    assert_eq!(disk.names(), [path]);
    assert_eq!(disk.read(path).as_deref(), Some(OLD));
    assert!(!disk.operations().contains(&"write"), "what an interrupted save still holds is not written");
}

#[test]
fn a_loss_of_power_after_any_operation_leaves_the_old_file_or_the_new_one() {
    let path = Path::new("folder/model.qwd");
    for loss in Loss::all() {
        for n in 1.. {
            let disk = SimulatedDisk::with_file(path, OLD);
            disk.fail_from(n);
            let result = save_new(&disk, path);
            disk.crash(loss);
            let now = disk.read(path).expect("a file");
            assert!(now == OLD || now == new_bytes(), "{loss:?} at operation {n}: {} bytes", now.len());
            if result.is_ok() {
                assert!(now == new_bytes(), "{loss:?}: a finished save survives");
                break;
            }
        }
    }
}

#[test]
fn a_real_save_creates_replaces_and_keeps_permissions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let save = |bytes: &[u8]| save_atomically(&path, |w| w.write_all(bytes).map_err(|e| Error::io(&path, "write", e)));
    save(b"one").expect("created");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("private");
        save(b"two").expect("replaced");
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    save(b"two").expect("replaced");
    assert_eq!(std::fs::read(&path).expect("there"), b"two");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn errors_name_the_path_and_what_was_tried() {
    let error = save_atomically(Path::new("/no/such/folder/m.qwd"), |_| Ok(())).expect_err("no folder");
    assert!(error.to_string().starts_with("/no/such/folder/m.qwd: cannot create: "), "{error}");
    assert!(save_atomically(Path::new("/"), |_| Ok(())).is_err());
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("taken");
    std::fs::create_dir(&inner).expect("a folder");
    let error = save_atomically(&inner, |_| Ok(())).expect_err("a folder is in the way");
    assert!(error.to_string().contains("cannot replace"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
