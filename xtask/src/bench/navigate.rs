//! Questions about a real manual, answered without a model, by the bench of the crate that navigates. The manual is a package of Debian:
//! `apt-get` gets it and checks it, and it is kept under its hash.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::of_crate::{self, Common};
use crate::cache;
use crate::process;

/// Manual, and the goals to find in it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Goals: `{"package", "start", "goals": [{"goal", "answer" (null: the manual does not say), "table" (how the caption of the
    /// table begins), "page" (how the address of the page ends)}]}`
    #[arg(long, value_name = "FILE")]
    goals: PathBuf,
    /// The package that holds the manual; default: that in the file of the goals, or PostgreSQL's
    #[arg(long)]
    package: Option<String>,
    /// The folder of the manual in the package, with the page to begin at; default: that in the file of the goals
    #[arg(long, value_name = "PATH")]
    start: Option<PathBuf>,
    /// Answer by the index only
    #[arg(long)]
    no_walk: bool,
    #[command(flatten)]
    common: Common,
}

/// The manual that a file of goals is about.
#[derive(serde::Deserialize)]
struct Manual {
    package: Option<String>,
    start: Option<PathBuf>,
}

/// Gets the manual and runs the bench `navigate` on it.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let start = start_of(&options.goals, options.package.as_deref(), options.start.as_deref())?;
    let (folder, name) = start.parent().zip(start.file_name()).context("the page to begin at is a file in a folder")?;
    let text =
        |path: &Path| path.to_str().map(str::to_owned).with_context(|| format!("{} is not text", path.display()));
    let arguments = [
        ("--manual", text(folder)?),
        ("--start", text(Path::new(name))?),
        ("--goals", text(&std::path::absolute(&options.goals)?)?),
    ];
    let mut arguments = arguments.to_vec();
    if options.no_walk {
        arguments.push(("--no-walk", "true".to_owned()));
    }
    of_crate::run(root, "autoheal-navigate", "navigate", &arguments, &options.common)
}

/// The page to start at in the unpacked package of a manual: the given ones, or those that the file of the goals names.
pub(super) fn start_of(goals: &Path, package: Option<&str>, start: Option<&Path>) -> anyhow::Result<PathBuf> {
    let text = std::fs::read_to_string(goals).with_context(|| format!("{}", goals.display()))?;
    let manual: Manual = serde_json::from_str(&text).with_context(|| format!("{}", goals.display()))?;
    // A package may be described in words: its name is the first one.
    let named = manual.package.as_deref().and_then(|text| text.split_whitespace().next());
    let package = package.or(named).unwrap_or("postgresql-doc-15");
    let page = start.map(Path::to_owned).or(manual.start);
    let page = page.unwrap_or_else(|| PathBuf::from(format!("usr/share/doc/{package}/html/index.html")));
    let start = unpacked(package)?.join(&page);
    ensure!(start.is_file(), "the package {package} has no {}", page.display());
    Ok(start)
}

/// The folder with what a package holds.
fn unpacked(package: &str) -> anyhow::Result<PathBuf> {
    let cache = cache::folder("manuals")?;
    let described = process::text_of(process::command(&cache, "apt-get").args(["--print-uris", "download", package]))
        .context("the manual is a package of Debian: `apt-get update` makes its list known")?;
    // 'ADDRESS' FILE SIZE SHA256:HASH
    let line =
        described.lines().find(|line| line.starts_with('\'')).with_context(|| format!("no package {package}"))?;
    let mut words = line.split_whitespace().skip(1);
    let (file, hash) = words.next().zip(words.nth(1)).with_context(|| format!("apt-get says {line}"))?;
    let folder = cache.join(format!("{package}-{}", cache::digest(hash)));
    let complete = folder.join("complete");
    if !complete.exists() {
        std::fs::create_dir_all(&folder)?;
        process::run(process::command(&folder, "apt-get").args(["--quiet", "--quiet", "download", package]))?;
        process::run(process::command(&folder, "dpkg-deb").args(["--extract", file, "."]))?;
        std::fs::remove_file(folder.join(file))?;
        std::fs::write(complete, "")?;
    }
    Ok(folder)
}
