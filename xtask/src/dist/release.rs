//! Description of a release: version, platform and time, the same for all its files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::process::{command, text_of};

/// Names of a processor: of Rust (and `uname -m`), of Debian, of npm.
struct Architecture {
    rust: &'static str,
    debian: &'static str,
    npm: &'static str,
}

const ARCHITECTURES: &[Architecture] = &[
    Architecture { rust: "x86_64", debian: "amd64", npm: "x64" },
    Architecture { rust: "aarch64", debian: "arm64", npm: "arm64" },
];

/// One release for one platform.
pub(super) struct Release {
    /// The clone.
    pub(super) root: PathBuf,
    /// As in `Cargo.toml`.
    pub(super) version: String,
    /// Rust's name of the platform, such as `x86_64-unknown-linux-gnu`.
    pub(super) target: String,
    /// Oldest glibc, as major and minor version.
    pub(super) glibc: String,
    /// Time of the commit in seconds since 1970.
    pub(super) time: String,
    /// The same time by RFC 3339.
    pub(super) date: String,
    /// A development build: packed quickly.
    pub(super) is_dev: bool,
    architecture: &'static Architecture,
}

impl Release {
    /// The release that the clone at `root` would be on this machine.
    pub(super) fn of(root: &Path, glibc: &str, is_dev: bool) -> anyhow::Result<Self> {
        let metadata =
            cargo_metadata::MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec()?;
        let cli = metadata.packages.iter().find(|package| package.name.as_str() == "autoheal-cli");
        let version = cli.context("there is no package `autoheal-cli`")?.version.to_string();
        let about = text_of(command(root, "rustc").arg("-vV"))?;
        let target = about.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
        let processor = target.split('-').next().unwrap_or_default();
        let architecture = ARCHITECTURES
            .iter()
            .find(|architecture| architecture.rust == processor && target.ends_with("-linux-gnu"))
            .with_context(|| format!("there are no packages for {target}, only for Linux with glibc"))?;
        let glibc = if is_dev { this_glibc(root)? } else { glibc.to_owned() };
        let times = text_of(command(root, "git").args(["log", "-1", "--format=%ct %cI"]))?;
        let (time, date) = times.trim().split_once(' ').context("git names no time of the commit")?;
        Ok(Self {
            root: root.to_owned(),
            version,
            target: target.to_owned(),
            glibc,
            time: time.to_owned(),
            date: date.to_owned(),
            is_dev,
            architecture,
        })
    }

    /// Start of the names of files: program and version.
    pub(super) fn name(&self) -> String {
        format!("autoheal-{}", self.version)
    }

    /// The processor as `uname -m` names it.
    pub(super) fn processor(&self) -> &'static str {
        self.architecture.rust
    }

    /// The processor as Debian names it.
    pub(super) fn debian_processor(&self) -> &'static str {
        self.architecture.debian
    }

    /// The processor as npm names it.
    pub(super) fn npm_processor(&self) -> &'static str {
        self.architecture.npm
    }

    /// Effort of compression, from 1 to 9.
    pub(super) fn compression(&self) -> u32 {
        if self.is_dev { 1 } else { 9 }
    }
}

/// The version of the C library here.
fn this_glibc(root: &Path) -> anyhow::Result<String> {
    let answer = text_of(command(root, "getconf").arg("GNU_LIBC_VERSION"))?;
    Ok(answer.split_whitespace().nth(1).context("getconf names no version of glibc")?.to_owned())
}
