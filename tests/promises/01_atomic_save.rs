//! Promise 1: a save is all or nothing, under kill -9, a full disk, an error at any write.

use qwd_core::{Family, Rng};
use qwd_model::{Matrix, Model, Provenance};
use qwd_store::Disk;
use qwd_testkit::disk::{Loss, SimulatedDisk, SimulatedFile};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where the child saves to.
const PATH: &str = "QWD_TEST_SAVE_PATH";

/// Two models of different size, large enough that a kill often meets a save.
fn model(name: &str) -> Model {
    let n = if name == "a" { 300 } else { 500 };
    let weights = (0..n * n).map(|i| i as f32 / 7.0).collect();
    Model::new(Matrix::dense(n, n, weights).expect("finite"), Provenance::new(name))
}

#[test]
fn a_killed_process_leaves_one_whole_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.qwd");
    let (a, b) = (model("a").to_bytes().expect("encoded"), model("b").to_bytes().expect("encoded"));
    model("a").save(&path).expect("saved");
    let mut rng = Rng::new(1);
    let mut n_leftovers = 0;
    for round in 0..qwd_testkit::rounds(50) {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child_saves_in_turn", "--ignored", "--nocapture"])
            .env(PATH, &path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let started = lines.any(|line| line.is_ok_and(|text| text.contains("saving")));
        assert!(started, "the child saves");
        std::thread::sleep(Duration::from_micros(rng.below(20_000) as u64));
        child.kill().expect("killed");
        child.wait().expect("ended");

        let now = std::fs::read(&path).expect("a file");
        assert!(now == a || now == b, "round {round}: {} bytes, neither model", now.len());
        Model::open(&path).expect("a sound model");
        n_leftovers += remove_leftovers(folder.path());
    }
    // A kill in the middle of a save leaves its temporary file: without one, nothing was tried.
    assert!(n_leftovers > 0, "no kill met a save");
}

#[test]
#[ignore = "the child of the test above"]
fn child_saves_in_turn() {
    let Ok(path) = std::env::var(PATH) else { return };
    let models = [model("b"), model("a")];
    writeln!(io::stdout(), "saving").expect("a parent");
    let start = Instant::now();
    // Should the parent die first, the child ends by itself.
    for m in models.iter().cycle().take_while(|_| start.elapsed() < Duration::from_secs(30)) {
        m.save(&path).expect("saved");
    }
}

fn remove_leftovers(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).expect("a folder").map(|f| f.expect("a file").path());
    let leftovers: Vec<_> = files.filter(|f| f.extension().is_some_and(|e| e == "tmp")).collect();
    leftovers.iter().for_each(|f| std::fs::remove_file(f).expect("removed"));
    leftovers.len()
}

struct Simulated(SimulatedDisk);

impl Disk for Simulated {
    type File = SimulatedFile;

    fn create_new(&self, path: &Path, _: &Path) -> io::Result<SimulatedFile> {
        self.0.create_new(path)
    }

    fn sync_file(&self, file: &mut SimulatedFile) -> io::Result<()> {
        file.sync()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.0.sync_folder()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }
}

#[test]
fn a_disk_that_is_full_at_any_operation_keeps_the_old_model() {
    let path = Path::new("models/m.qwd");
    let (old, new) = (model("a").to_bytes().expect("encoded"), model("b").to_bytes().expect("encoded"));
    for n in 1.. {
        let disk = Simulated(SimulatedDisk::with_file(path, &old));
        disk.0.fail_from(n);
        let result = model("b").save_on(&disk, path);
        let now = disk.0.read(path).expect("a file");
        if result.is_ok() {
            assert!(now == new && n > 5, "a save of several operations");
            break;
        }
        let renamed = disk.0.operations().contains(&"sync folder");
        assert!(if renamed { now == new } else { now == old }, "operation {n}");
        assert_eq!(result.map_err(|e| e.family()), Err(Family::Environment));
    }
}

#[test]
fn a_loss_of_power_at_any_operation_keeps_a_whole_model() {
    let path = Path::new("models/m.qwd");
    let (old, new) = (model("a").to_bytes().expect("encoded"), model("b").to_bytes().expect("encoded"));
    for loss in Loss::all() {
        for n in 1.. {
            let disk = Simulated(SimulatedDisk::with_file(path, &old));
            disk.0.fail_from(n);
            let saved = model("b").save_on(&disk, path).is_ok();
            disk.0.crash(loss);
            let now = disk.0.read(path).expect("a file");
            assert!(now == new || (now == old && !saved), "{loss:?} at operation {n}");
            if saved {
                break;
            }
        }
    }
}
