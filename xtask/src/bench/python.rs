//! Python for the benches: virtual environments, each made once from its list of packages.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cache::digest;
use crate::process;

/// The virtual environment with the packages that a file of the repository lists, below `cache`.
pub(super) fn environment(root: &Path, cache: &Path, requirements: &str) -> anyhow::Result<PathBuf> {
    let file = root.join(requirements);
    let packages = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let version = process::text_of(
        process::command(root, "python3").args(["-c", "import sys; print(sys.version, sys.executable)"]),
    )?;
    let folder = cache.join(format!("environment-{}", digest(&format!("{packages}{version}"))));
    let complete = folder.join("complete");
    if !complete.exists() {
        process::run(process::command(root, "python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement"];
        process::run(process::command(root, folder.join("bin/pip")).args(pip).arg(file))?;
        std::fs::write(complete, "")?;
    }
    Ok(folder)
}
