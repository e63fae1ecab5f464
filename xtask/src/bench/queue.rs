//! The queue's speed, measured by the store's own bench.

use std::path::Path;

use super::of_crate::{self, WithSmoke};

/// Options of the bench.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `queue` of the store.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    of_crate::run_or_smoke(root, "autoheal-store", "queue", &[], &options.common)
}
