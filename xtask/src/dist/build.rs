//! The programs of a release: the command and the Python extension, by one call of cargo.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::dist::release::Release;
use crate::process::{command, run, text_of};
use crate::{cache, python};

/// The tools of the chore, for Python.
const REQUIREMENTS: &str = "scripts/dist/requirements.txt";

/// The results of a build.
pub(super) struct Programs {
    /// The command `autoheal`.
    pub(super) command: PathBuf,
    /// The shared library that Python loads.
    pub(super) extension: PathBuf,
    /// The folder of the environment with the tools for wheels.
    pub(super) tools: PathBuf,
    /// Removes the stripped copies when it is dropped.
    _stripped: Option<tempfile::TempDir>,
}

/// Builds the programs, or takes those of the development build.
pub(super) fn programs(release: &Release) -> anyhow::Result<Programs> {
    let tools = python::environment(&release.root, &cache::folder("dist")?, REQUIREMENTS)?;
    let target = target_folder(&release.root)?;
    if release.is_dev {
        return stripped(&target.join("debug"), tools);
    }
    let changed = text_of(command(&release.root, "git").args(["status", "--porcelain"]))?;
    if !changed.is_empty() {
        bail!("a release is built from a commit, and the working tree has changes:\n{changed}");
    }
    // No path of this machine gets into the programs.
    let home = std::env::home_dir().context("no home folder is set")?;
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let flags = [(release.root.as_path(), "/autoheal"), (cargo.as_path(), "/cargo"), (target.as_path(), "/target")]
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .join("\u{1f}");
    let path = std::env::join_paths(
        std::iter::once(tools.join("bin")).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    run(command(&release.root, "cargo")
        .args(["zigbuild", "--release", "--locked", "--package", "autoheal-cli", "--package", "autoheal-python"])
        .args(["--bin", "autoheal", "--lib", "--target"])
        .arg(format!("{}.{}", release.target, release.glibc))
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env("SOURCE_DATE_EPOCH", &release.time)
        .env("PATH", path))?;
    let built = target.join(&release.target).join("release");
    Ok(Programs {
        command: built.join("autoheal"),
        extension: built.join("libautoheal_python.so"),
        tools,
        _stripped: None,
    })
}

/// Copies of the programs of a development build, without their tables of names.
fn stripped(built: &Path, tools: PathBuf) -> anyhow::Result<Programs> {
    let folder = tempfile::tempdir()?;
    let copy = |name: &str| -> anyhow::Result<PathBuf> {
        let (from, to) = (built.join(name), folder.path().join(name));
        if !from.is_file() {
            bail!("there is no {}: run `cargo build --workspace --bins --lib` first", from.display());
        }
        run(command(built, "strip").arg("-o").arg(&to).arg(&from))?;
        Ok(to)
    };
    let (command, extension) = (copy("autoheal")?, copy("libautoheal_python.so")?);
    Ok(Programs { command, extension, tools, _stripped: Some(folder) })
}

fn target_folder(root: &Path) -> anyhow::Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec()?;
    Ok(metadata.target_directory.into_std_path_buf())
}
