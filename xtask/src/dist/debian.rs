//! A package for Debian and Ubuntu: the tree below `/usr`, and the services of systemd.

use std::fs;
use std::path::Path;

use crate::dist::release::Release;
use crate::dist::tree::{LICENCES, place};
use crate::process::{command, run};

/// The services, not started when the package is installed.
const UNITS: &[&str] = &["autoheal-server.service", "autoheal-worker.service"];

/// Packs the tree; `work` is a folder for what is packed.
pub(super) fn pack(release: &Release, tree: &Path, work: &Path, out: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(work)?;
    run(command(tree, "cp").args(["--recursive", "."]).arg(work.join("usr")))?;
    for unit in UNITS {
        let from = release.root.join("deploy/systemd").join(unit);
        fs::copy(from, place(work, &format!("usr/lib/systemd/system/{unit}"))?)?;
    }
    let licences = LICENCES.iter().map(|name| fs::read_to_string(release.root.join(name)));
    let licences = licences.collect::<Result<Vec<_>, _>>()?.join("\n\n");
    fs::write(
        place(work, "usr/share/doc/autoheal/copyright")?,
        format!("autoheal may be used under either of two licences, at your choice.\n\n{licences}"),
    )?;
    fs::write(place(work, "DEBIAN/control")?, control(release))?;
    run(command(work, "chmod").args(["--recursive", "u+rw,go+rX,go-w", "."]))?;
    let file = out.join(format!("autoheal_{}_{}.deb", release.version, release.debian_processor()));
    run(command(work, "dpkg-deb")
        .args(["--root-owner-group", "-Zxz", &format!("-z{}", release.compression()), "--build", "."])
        .arg(file)
        .env("SOURCE_DATE_EPOCH", &release.time))
}

/// The description of the package (Debian Policy, section 5.3).
fn control(release: &Release) -> String {
    format!(
        "Package: autoheal\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: the authors of autoheal\n\
         Section: devel\n\
         Priority: optional\n\
         Depends: libc6 (>= {})\n\
         Recommends: git, bubblewrap, ca-certificates\n\
         Suggests: chromium, docker.io, python3, nodejs\n\
         Description: heals CI that fails, and scrapers whose pages have changed\n \
         autoheal finds small changes that a repository's own tests and linters accept,\n \
         and finds the fields of scraped pages again when their layout has changed.\n \
         It runs code of repositories in a sandbox only.\n",
        release.version,
        release.debian_processor(),
        release.glibc
    )
}
