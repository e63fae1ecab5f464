//! The files that lie below a prefix, wherever they are installed: the program, completions, manual pages, licences.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dist::build::Programs;
use crate::dist::release::Release;
use crate::process::{command, run, text_of};

/// Shells with a place for completions, below the prefix.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/autoheal"),
    ("fish", "share/fish/vendor_completions.d/autoheal.fish"),
    ("zsh", "share/zsh/site-functions/_autoheal"),
];

/// The licences of autoheal itself.
pub(super) const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

/// Name of the file with the licences of everything that is in the programs.
pub(super) const THIRD_PARTY: &str = "THIRD-PARTY-LICENSES.txt";

/// Lays out the files below `folder`, which is given back.
pub(super) fn lay_out(
    release: &Release,
    programs: &Programs,
    licences: &str,
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let program = place(folder, "bin/autoheal")?;
    copy_program(&programs.command, &program)?;
    for (shell, file) in COMPLETIONS {
        let script = text_of(command(folder, &program).args(["completions", shell]))?;
        fs::write(place(folder, file)?, script)?;
    }
    let manual = place(folder, "share/man/man1")?;
    run(command(folder, &program).args(["--quiet", "man"]).arg(manual))?;
    for name in LICENCES.iter().chain(&["README.md", "CHANGELOG.md"]) {
        fs::copy(release.root.join(name), place(folder, &format!("share/doc/autoheal/{name}"))?)?;
    }
    fs::write(place(folder, &format!("share/doc/autoheal/{THIRD_PARTY}"))?, licences)?;
    Ok(folder.to_owned())
}

/// Copies a program so that all may run it.
pub(super) fn copy_program(from: &Path, to: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::copy(from, to)?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o755))?)
}

/// The path of a file below a folder, with the folders above it made.
pub(super) fn place(folder: &Path, file: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    Ok(path)
}
