//! A wheel: the Python package, and the command `autoheal`.
//!
//! maturin writes the metadata from `pyproject.toml`, and `wheel` packs. maturin's own build is not used: it would compile everything
//! again with other features.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::dist::build::Programs;
use crate::dist::files_of;
use crate::dist::release::Release;
use crate::dist::tree::{LICENCES, THIRD_PARTY, copy_program, place};
use crate::process::{command, run, text_of};

/// Packs the wheel; `work` is a folder for what is packed.
pub(super) fn pack(
    release: &Release,
    programs: &Programs,
    licences: &str,
    work: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let package = release.root.join("crates/python");
    let tree = work.join("wheel");
    fs::create_dir_all(&tree)?;
    text_of(
        command(&package, programs.tools.join("bin/maturin"))
            .args(["pep517", "write-dist-info", "--interpreter", "python3", "--metadata-directory"])
            .arg(&tree),
    )?;
    let information = files_of(&tree)?.pop().context("maturin wrote no metadata")?;
    let tag = format!("cp310-abi3-manylinux_{}_{}", release.glibc.replace('.', "_"), release.processor());
    fs::write(
        information.join("WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: autoheal dist\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    )?;
    for licence in LICENCES {
        fs::copy(release.root.join(licence), place(&information, &format!("licenses/{licence}"))?)?;
    }
    fs::write(information.join("licenses").join(THIRD_PARTY), licences)?;
    let data = information.with_extension("data");
    copy_program(&programs.command, &place(&data, "scripts/autoheal")?)?;

    let listed = text_of(command(&package, "git").args(["ls-files", "python/autoheal"]))?;
    for file in listed.lines() {
        fs::copy(package.join(file), place(&tree, file.trim_start_matches("python/"))?)?;
    }
    copy_program(&programs.extension, &tree.join("autoheal/_native.abi3.so"))?;
    run(command(work, programs.tools.join("bin/python"))
        .args(["-m", "wheel", "pack", "--dest-dir"])
        .arg(out)
        .arg(&tree)
        .env("SOURCE_DATE_EPOCH", &release.time)
        .stdout(std::process::Stdio::null()))
}
