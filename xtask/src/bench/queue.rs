//! The queue's speed, measured by the store's own bench.

use std::path::Path;

use crate::process;

/// Runs the bench `queue` of the store.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    process::run(process::command(root, "cargo").args(["bench", "--package", "autoheal-store", "--bench", "queue"]))
}
