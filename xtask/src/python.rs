//! Python for the chores: virtual environments, each made once from its list of packages.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cache::digest;
use crate::process;

/// Version of pip for installations: the one of Python 3.11 fails when a package is required twice with the same extra.
const PIP: &str = "pip==26.3";

/// The virtual environment with the packages that a file of the repository lists, below `cache`.
pub(crate) fn environment(root: &Path, cache: &Path, requirements: &str) -> anyhow::Result<PathBuf> {
    let file = root.join(requirements);
    let packages = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let version = process::text_of(
        process::command(root, "python3").args(["-c", "import sys; print(sys.version, sys.executable)"]),
    )?;
    let folder = cache.join(format!("environment-{}", digest(&format!("{packages}{version}"))));
    let complete = folder.join("complete");
    if !complete.exists() {
        process::run(process::command(root, "python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let pip = |arguments: &[&str]| {
            let install = ["install", "--quiet", "--disable-pip-version-check"];
            let mut command = process::command(root, folder.join("bin/pip"));
            command.args(install).args(arguments);
            command
        };
        process::run(&mut pip(&[PIP]))?;
        process::run(pip(&["--requirement"]).arg(file))?;
        std::fs::write(complete, "")?;
    }
    Ok(folder)
}
