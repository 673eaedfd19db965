//! Ctrl-C: the work stops at its next report of progress; work that reports none is cut off after a moment, and what it
//! was writing is removed. Either way no file is left half-written.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The exit code of an interrupted program, as shells have it.
pub(crate) const EXIT_CODE: u8 = 130;

/// How long the work may take to stop by itself.
const GRACE: Duration = Duration::from_millis(1500);

static REQUESTED: AtomicBool = AtomicBool::new(false);
static IDLE: AtomicBool = AtomicBool::new(false);
static TARGETS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Takes over Ctrl-C; where the system does not allow it, Ctrl-C ends the program as it always does.
pub(crate) fn install() {
    let _ = ctrlc::set_handler(|| {
        REQUESTED.store(true, Ordering::SeqCst);
        if !IDLE.load(Ordering::SeqCst) {
            std::thread::sleep(GRACE);
        }
        remove_partial_files();
        std::process::exit(i32::from(EXIT_CODE));
    });
}

/// Whether the user has asked to stop.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// Notes a file or folder that is going to be written, so that its half-written form can be found.
pub(crate) fn will_write(path: &Path) {
    if let Ok(mut targets) = TARGETS.lock() {
        targets.push(path.to_path_buf());
    }
}

/// Waits for the user, during which Ctrl-C ends the program at once.
pub(crate) fn while_idle<T>(wait: impl FnOnce() -> T) -> T {
    IDLE.store(true, Ordering::SeqCst);
    let result = wait();
    IDLE.store(false, Ordering::SeqCst);
    result
}

/// Removes what this process is writing: hidden files and folders beside their target that carry its name and our number.
fn remove_partial_files() {
    let Ok(targets) = TARGETS.lock() else { return };
    let own = std::process::id();
    let (saved, made) = (format!("{own}-"), [format!("partial-{own}"), format!("originals-{own}")]);
    let is_own = |rest: &str| rest.starts_with(&saved) || made.iter().any(|name| name == rest);
    for target in targets.iter() {
        let Some(name) = target.file_name() else { continue };
        let prefix = format!(".{}.", name.to_string_lossy());
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.strip_prefix(&prefix).is_some_and(is_own) {
                // What cannot be removed stays under a name that nothing reads.
                let path = entry.path();
                let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
        }
    }
}
