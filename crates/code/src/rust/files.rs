//! Files that cargo and rustfmt read and write.

use serde_json::Value;

use crate::language::files::KnownFiles;

/// Files of cargo, rustfmt, clippy and nextest.
pub(super) static KNOWN: KnownFiles = KnownFiles {
    tests: &["tests/**/*.rs", "*_test.rs", "*_tests.rs", "test_*.rs", "tests.rs", "benches/**/*.rs"],
    foreign_folders: &["target", "vendor"],
    projects: &["Cargo.toml"],
    manifests: &["Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml"],
    settings_only: &[],
    dependency_lists: &["Cargo.toml"],
    installers: &[],
    texts: &["Cargo.toml", "Cargo.lock"],
    locks: &["cargo.lock"],
    test_support: &[],
    settings: &[
        "rust-toolchain",
        "rust-toolchain.toml",
        "rustfmt.toml",
        ".rustfmt.toml",
        "clippy.toml",
        ".clippy.toml",
        "nextest.toml",
        "deny.toml",
        "build.rs",
    ],
    settings_prefixes: &[],
    mixed: &[("Cargo.toml", settings)],
};

/// Tables of `Cargo.toml` that hold dependencies: an edit of any other changes what is built or tested.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

fn settings(text: &str) -> Option<Value> {
    let mut manifest: toml::Table = text.parse().ok()?;
    manifest.retain(|key, _| !DEPENDENCIES.contains(&key));
    if let Some(toml::Value::Table(workspace)) = manifest.get_mut("workspace") {
        workspace.retain(|key, _| !DEPENDENCIES.contains(&key));
    }
    serde_json::to_value(manifest).ok()
}
