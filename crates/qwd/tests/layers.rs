//! A crate may use the crates above it in the list, never one below.

use std::path::Path;

/// From the ground floor up.
const LAYERS: &[&str] = &[
    "qwd-core",
    "qwd-store",
    "qwd-text",
    "qwd-data",
    "qwd-metrics",
    "qwd-model",
    "qwd-train",
    "qwd-rank",
    "qwd-search",
    "qwd-online",
    "qwd-lab",
    "qwd",
    "qwd-server",
    "qwd-cli",
];

/// The names of qwd's own crates under `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("qwd")).map(str::to_string).collect()
}

#[test]
fn dependencies_point_one_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut n_checked = 0;
    for entry in std::fs::read_dir(&crates).expect("the crates") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let used = dependencies(&manifest);
        if name == "qwd-testkit" {
            assert!(used.is_empty(), "qwd-testkit depends on none of the others, but uses {used:?}");
            continue;
        }
        let layer =
            |name: &str| LAYERS.iter().position(|l| *l == name).unwrap_or_else(|| panic!("{name} has no layer"));
        for other in used {
            assert!(layer(&other) < layer(&name), "{name} uses {other}, which does not lie below it");
            n_checked += 1;
        }
    }
    assert!(n_checked > 20, "only {n_checked} dependencies seen");
}
