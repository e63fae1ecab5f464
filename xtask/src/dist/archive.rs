//! A compressed archive of the tree: to be unpacked anywhere.

use std::path::{Path, PathBuf};

use crate::dist::release::Release;
use crate::process::{command, run};

/// Packs the tree as one folder.
pub(super) fn pack(release: &Release, tree: &Path, out: &Path) -> anyhow::Result<PathBuf> {
    let name = format!("{}-{}", release.name(), release.target);
    let file = out.join(format!("{name}.tar.gz"));
    run(command(tree, "tar")
        .args(["--create", "--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner"])
        .args(["--mode=u+rw,go+rX,go-w", &format!("--mtime=@{}", release.time)])
        .arg(format!("--use-compress-program=gzip --no-name -{}", release.compression()))
        .arg(format!("--transform=s,^[.],{name},"))
        .arg("--file")
        .arg(&file)
        .arg("."))?;
    Ok(file)
}
