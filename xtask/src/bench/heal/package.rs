//! Real packages, and the repositories that are made of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::{Bench, checks};
use crate::bench::python;
use crate::cache::digest;
use crate::process;

/// The packages, with the hash of each source distribution.
const LIST: &str = include_str!("../../../bench/packages.json");
pub(super) const LIST_PATH: &str = "xtask/bench/packages.json";

/// What the suites need.
const REQUIREMENTS: &str = include_str!("../../../bench/requirements.txt");

/// To be changed when the repositories are made differently.
const RECIPE: &str = "1";

/// The rules that a package's linter is set to, as far as the package keeps them.
const LINT_RULES: &str = "E,F,I,W";

/// What a working copy collects and no repository holds.
const IGNORED: &str = "__pycache__/\n*.egg-info/\n.pytest_cache/\n.hypothesis/\n.ruff_cache/\n";

/// Makes randomised tests repeatable, and independent of the machine's speed.
const REPEATABLE: &str = "from hypothesis import HealthCheck, settings\n\nsettings.register_profile(\n    \"bench\", \
    deadline=None, derandomize=True, max_examples=20, database=None, suppress_health_check=list(HealthCheck)\n)\n\
    settings.load_profile(\"bench\")\n";

/// A package, as the list names it and as it was prepared.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    sha256: String,
    /// Folders that may be broken and healed.
    pub(super) sources: Vec<String>,
    /// The command that runs the tests.
    pub(super) test: Vec<String>,
    #[serde(default)]
    remove: Vec<PathBuf>,
    #[serde(default)]
    edits: Vec<(PathBuf, String, String)>,
    #[serde(default)]
    hypothesis: bool,
    /// The green repository.
    #[serde(default)]
    pub(super) repository: PathBuf,
    /// How long its checks take.
    #[serde(default)]
    pub(super) seconds: f64,
    /// How many of its tests pass.
    #[serde(default)]
    pub(super) passing: u64,
}

#[derive(Deserialize)]
struct List {
    packages: Vec<Package>,
}

pub(super) fn list() -> anyhow::Result<Vec<Package>> {
    Ok(serde_json::from_str::<List>(LIST).context(LIST_PATH)?.packages)
}

/// The virtual environment with what the suites need, made once.
pub(super) fn environment(root: &Path, cache: &Path) -> anyhow::Result<PathBuf> {
    python::environment(root, cache, "xtask/bench/requirements.txt")
}

/// The package as a repository whose checks are green, made once.
pub(super) fn prepare(bench: &Bench, mut package: Package) -> anyhow::Result<Package> {
    let recipe = format!("{RECIPE}{REQUIREMENTS}{}", serde_json::to_string(&package)?);
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
    ensure!(verdict.green, "the checks of {} are red before anything is broken:\n{}", package.name, verdict.output);
    package.seconds = verdict.seconds;
    package.passing = verdict.passing;
    ensure!(package.passing > 0, "the suite of {} runs no test", package.name);
    std::fs::write(description, serde_json::to_string_pretty(&package)?)?;
    Ok(package)
}

fn unpack(bench: &Bench, package: &Package, folder: &Path) -> anyhow::Result<PathBuf> {
    let wanted = folder.join("requirement.txt");
    std::fs::write(&wanted, format!("{}=={} --hash=sha256:{}\n", package.name, package.version, package.sha256))?;
    let pip =
        ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "--require-hashes"];
    let mut download = process::command(folder, bench.environment.join("bin/pip"));
    process::run(download.args(pip).args(["--dest", ".", "--requirement"]).arg(&wanted))?;
    let archive = single(folder, ".tar.gz")?;
    process::run(
        process::command(folder, "tar").args(["--extract", "--gzip", "--no-same-owner", "--file"]).arg(&archive),
    )?;
    std::fs::remove_file(archive)?;
    std::fs::remove_file(wanted)?;
    let unpacked = single(folder, "")?;
    let repository = folder.join("repository");
    std::fs::rename(unpacked, &repository)?;
    Ok(repository)
}

/// The one entry of a folder whose name ends like this.
fn single(folder: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let mut found = None;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) && path.file_name().is_some_and(|name| name != "requirement.txt") {
            ensure!(found.replace(path).is_none(), "more than one *{ending} in {}", folder.display());
        }
    }
    found.with_context(|| format!("no *{ending} in {}", folder.display()))
}

/// Gives the package what a repository has and a source distribution lacks: CI, a linter's settings, ignored files.
fn adapt(bench: &Bench, package: &Package) -> anyhow::Result<()> {
    let root = &package.repository;
    for path in &package.remove {
        std::fs::remove_file(root.join(path)).with_context(|| path.display().to_string())?;
    }
    for (path, old, new) in &package.edits {
        let text = std::fs::read_to_string(root.join(path))?;
        ensure!(text.contains(old), "{} of {} does not hold {old:?}", path.display(), package.name);
        std::fs::write(root.join(path), text.replace(old, new))?;
    }
    if package.hypothesis {
        ensure!(!root.join("conftest.py").exists(), "{} has a conftest.py of its own", package.name);
        std::fs::write(root.join("conftest.py"), REPEATABLE)?;
    }
    std::fs::write(root.join(".gitignore"), IGNORED)?;
    let broken_rules = broken_rules(bench, package)?;
    let settings = format!(
        "# The rules that this package keeps.\nline-length = 120\nextend-exclude = [\"tests\"]\n\n[lint]\nselect = {}\nignore = {}\n",
        quoted(LINT_RULES.split(',')),
        quoted(broken_rules.iter().map(String::as_str)),
    );
    std::fs::write(root.join("ruff.toml"), settings)?;
    let mut workflow = String::from(
        "name: CI\non: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      \
         - uses: actions/checkout@v4\n      - uses: actions/setup-python@v5\n      - run: python -m pip install -e .\n",
    );
    for command in checks::commands(package, false) {
        writeln!(workflow, "      - run: {}", command.join(" "))?;
    }
    std::fs::create_dir_all(root.join(".github/workflows"))?;
    std::fs::write(root.join(".github/workflows/ci.yml"), workflow)?;
    Ok(())
}

/// The linter's rules that the package breaks as it is.
fn broken_rules(bench: &Bench, package: &Package) -> anyhow::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Found {
        code: Option<String>,
    }
    let mut ruff = process::command(&package.repository, bench.environment.join("bin/ruff"));
    ruff.args(["check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "--line-length", "120"]);
    ruff.args(["--extend-exclude", "tests", "--select", LINT_RULES]).args(&package.sources);
    let found: Vec<Found> = serde_json::from_str(&process::text_of(&mut ruff)?)?;
    let mut codes: Vec<String> = found.into_iter().filter_map(|found| found.code).collect();
    codes.sort();
    codes.dedup();
    Ok(codes)
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
}

fn commit(root: &Path) -> anyhow::Result<()> {
    git(root, &["init", "--quiet", "--initial-branch", "main"])?;
    git(root, &["add", "--all"])?;
    git(root, &["commit", "--quiet", "--message", "The package as it was published"])?;
    Ok(())
}

/// Runs git as nobody in particular, whatever the machine's settings are, and gives what it printed.
pub(super) fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = process::command(folder, "git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "A developer")
            .env(format!("GIT_{role}_EMAIL"), "developer@example.com");
    }
    process::text_of(command.args(arguments))
}
