//! Promise 17: a known supply chain and little unsafe. `deny.toml` says the same to cargo-deny.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Licences that a dependency may have; an expression must be satisfiable with these alone.
const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Zlib",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "bzip2-1.0.6",
    "Unlicense",
    "0BSD",
];

/// Crates that are abandoned or do not belong here.
const BANNED: &[&str] = &["bincode", "openssl", "openssl-sys"];

/// The only files that may say `unsafe`.
const KERNELS: &[&str] = &[
    "crates/qwd-core/src/kernel.rs",
    "crates/qwd-core/src/memory.rs",
    "crates/qwd-core/src/tall.rs",
    "crates/qwd-store/src/mapped.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Whether a licence expression can be met: every part joined by AND has an alternative that is allowed.
fn is_allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim())))
}

#[test]
fn dependencies_come_from_the_registry_with_known_licences() {
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence), "{name} has licence {licence}");
        assert!(!BANNED.contains(&name), "{name} is banned");
        if let Some(source) = package["source"].as_str() {
            assert!(source.starts_with("registry+") && source.contains("crates.io"), "{name} comes from {source}");
        }
    }
}

#[test]
fn unsafe_stands_only_in_named_kernels_and_gives_its_reason() {
    let mut seen = Vec::new();
    let mut folders = vec![root().join("crates"), root().join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && is_product_code(&path) {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                let n_unsafe =
                    text.lines().filter(|line| line.contains("unsafe {") || line.contains("unsafe fn")).count();
                let relative = path.strip_prefix(root()).expect("inside").to_string_lossy().into_owned();
                if n_unsafe > 0 {
                    let n_reasons = text.matches("// SAFETY:").count();
                    assert!(n_reasons >= n_unsafe, "{relative}: {n_unsafe} unsafe blocks, {n_reasons} reasons");
                    seen.push(relative);
                }
            }
        }
    }
    seen.sort();
    assert_eq!(seen, KERNELS, "unsafe belongs into the named kernels only");
}

/// Tests may count allocations or send signals; what users run may not.
fn is_product_code(path: &Path) -> bool {
    let relative = path.strip_prefix(root()).expect("inside the workspace").to_string_lossy().into_owned();
    relative.starts_with("crates/") && !relative.contains("/tests/") && !relative.contains("/examples/")
}
