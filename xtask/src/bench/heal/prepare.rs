//! The repositories that are made of packages.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};

use super::language::single;
use super::package::{Package, git};
use super::{Bench, checks};
use crate::cache::digest;
use crate::process;

/// To be changed when the repositories are made differently.
const RECIPE: &str = "4";

/// The package as a repository whose checks are green, made once.
pub(super) fn prepare(bench: &Bench, mut package: Package) -> anyhow::Result<Package> {
    let environment = bench.environment(package.language)?.display();
    let recipe = format!("{RECIPE}{environment}{}", serde_json::to_string(&package)?);
    let folder = bench.cache.join(format!("{}-{}", package.name, digest(&recipe)));
    let description = folder.join("package.json");
    if let Ok(text) = std::fs::read_to_string(&description) {
        return Ok(serde_json::from_str(&text)?);
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    package.repository = unpack(bench, &package, &folder)?;
    adapt(bench, &package)?;
    commit(&package.repository)?;

    checks::run(bench, &package, &package.repository, false)?; // The first run writes caches; the second is timed.
    let verdict = checks::run(bench, &package, &package.repository, false)?;
    ensure!(verdict.green, "the checks of {} fail before anything is broken:\n{}", package.name, verdict.output);
    package.seconds = verdict.seconds;
    package.passing = verdict.passing;
    ensure!(package.passing > 0, "the suite of {} runs no test", package.name);
    std::fs::write(description, serde_json::to_string_pretty(&package)?)?;
    Ok(package)
}

fn unpack(bench: &Bench, package: &Package, folder: &Path) -> anyhow::Result<PathBuf> {
    let environment = bench.environment(package.language)?;
    package.language.tools().download(environment, package, folder)?;
    let archive = single(folder, ".tar.gz")?;
    let found: [u8; 32] = Sha256::digest(std::fs::read(&archive)?).into();
    let found = found.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    ensure!(found == package.sha256, "the archive of {} has the hash {found}", package.name);
    process::run(
        process::command(folder, "tar").args(["--extract", "--gzip", "--no-same-owner", "--file"]).arg(&archive),
    )?;
    std::fs::remove_file(archive)?;
    let unpacked = single(folder, "")?;
    let repository = folder.join("repository");
    std::fs::rename(unpacked, &repository)?;
    Ok(repository)
}

/// Gives the package what a repository has and an archive lacks: CI, a linter's settings, ignored files.
fn adapt(bench: &Bench, package: &Package) -> anyhow::Result<()> {
    let root = &package.repository;
    for path in package.remove.iter().map(|path| root.join(path)) {
        let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        removed.with_context(|| path.display().to_string())?;
    }
    for (path, text) in &package.add {
        std::fs::write(root.join(path), text)?;
    }
    for (path, old, new) in &package.edits {
        let text = std::fs::read_to_string(root.join(path))?;
        ensure!(text.contains(old), "{} of {} does not hold {old:?}", path.display(), package.name);
        std::fs::write(root.join(path), text.replace(old, new))?;
    }
    let tools = package.language.tools();
    std::fs::write(root.join(".gitignore"), tools.ignored())?;
    let mut workflow = String::from(
        "name: CI\non: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      \
         - uses: actions/checkout@v4\n",
    );
    for step in tools.adapt(bench, package)? {
        writeln!(workflow, "      - {step}")?;
    }
    std::fs::create_dir_all(root.join(".github/workflows"))?;
    std::fs::write(root.join(".github/workflows/ci.yml"), workflow)?;
    Ok(())
}

fn commit(root: &Path) -> anyhow::Result<()> {
    git(root, &["init", "--quiet", "--initial-branch", "main"])?;
    git(root, &["add", "--all"])?;
    git(root, &["commit", "--quiet", "--message", "The package as it was published"])?;
    Ok(())
}
