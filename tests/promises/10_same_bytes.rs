//! Promise 10: same data, parameters and seed give the same bytes, at 1, 2, 3 and 8 threads.
//!
//! The program trains every method on the built-in corpus; `crates/qwd-train/tests` does the same for made problems.

use qwd_store::crc32;
use qwd_train::METHODS;

fn trained(method: &str, threads: &str, more: &[&str]) -> u32 {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.qwd");
    let output = promises::program()
        .args(["train", "demo", "--method", method, "--tuples", "1500", "--threads", threads, "--out"])
        .arg(&model)
        .args(more)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{method}: {}", String::from_utf8_lossy(&output.stderr));
    crc32(&std::fs::read(&model).expect("a model"))
}

#[test]
fn every_method_gives_the_same_bytes_at_any_number_of_threads() {
    for method in METHODS {
        let one = trained(method.name, "1", &[]);
        for threads in ["2", "3", "8"] {
            assert_eq!(trained(method.name, threads, &[]), one, "{} at {threads} threads", method.name);
        }
    }
}

#[test]
fn mini_batches_give_the_same_bytes_at_any_number_of_threads() {
    for method in ["sparse-sgd", "adagrad", "ftrl"] {
        let batch = ["--set", "batch=64"];
        assert_eq!(trained(method, "1", &batch), trained(method, "2", &batch), "{method}");
    }
}

#[test]
fn another_seed_gives_other_bytes() {
    assert_ne!(trained("sparse-sgd", "1", &["--seed", "1"]), trained("sparse-sgd", "1", &["--seed", "2"]));
}

#[test]
fn an_index_has_the_same_bytes_at_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = promises::program().args(arguments).current_dir(folder.path()).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["train", "demo", "--tuples", "1500", "--out", "m.qwd"]);
    let files = |index: &str| {
        let paths =
            std::fs::read_dir(folder.path().join(index)).expect("an index").map(|e| e.expect("an entry").path());
        let mut files: Vec<(String, u32)> = paths
            .map(|p| {
                (
                    p.file_name().expect("a name").to_string_lossy().into_owned(),
                    crc32(&std::fs::read(&p).expect("read")),
                )
            })
            .collect();
        files.sort();
        files
    };
    for expand in ["queries", "documents"] {
        for threads in ["1", "2", "3", "8"] {
            let index = format!("{expand}-{threads}");
            run(&["index", "demo", "--model", "m.qwd", "--expand", expand, "--threads", threads, "--out", &index]);
            assert_eq!(files(&index), files(&format!("{expand}-1")), "{expand} at {threads} threads");
        }
    }
}
