//! Two packages for npm: `autoheal`, which starts the program, and the program for one platform, on which the first depends
//! optionally. npm installs of these only the one that fits.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::dist::build::Programs;
use crate::dist::release::Release;
use crate::dist::tree::{LICENCES, THIRD_PARTY, copy_program, place};
use crate::process::{command, text_of};

/// Packs both; `work` is a folder for what is packed.
pub(super) fn pack(
    release: &Release,
    programs: &Programs,
    licences: &str,
    work: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let platform = format!("autoheal-linux-{}", release.npm_processor());

    let folder = work.join(&platform);
    copy_program(&programs.command, &place(&folder, "bin/autoheal")?)?;
    fs::write(folder.join(THIRD_PARTY), licences)?;
    let manifest = json!({
        "description": format!("The program of autoheal for Linux on {}", release.processor()),
        "os": ["linux"],
        "cpu": [release.npm_processor()],
        "libc": ["glibc"],
        "preferUnplugged": true,
        "files": ["bin", THIRD_PARTY],
    });
    pack_one(release, &platform, manifest, &folder, out)?;

    let folder = work.join("autoheal");
    copy_program(&release.root.join("scripts/dist/autoheal.js"), &place(&folder, "autoheal.js")?)?;
    fs::copy(release.root.join("README.md"), folder.join("README.md"))?;
    let manifest = json!({
        "description": "Heals CI that fails, and scrapers whose pages have changed",
        "bin": { "autoheal": "autoheal.js" },
        "engines": { "node": ">=18" },
        "optionalDependencies": { platform: release.version },
        "files": ["autoheal.js"],
    });
    pack_one(release, "autoheal", manifest, &folder, out)
}

fn pack_one(release: &Release, name: &str, mut manifest: Value, folder: &Path, out: &Path) -> anyhow::Result<()> {
    manifest["name"] = json!(name);
    manifest["version"] = json!(release.version);
    manifest["license"] = json!("(MIT OR Apache-2.0)");
    fs::write(folder.join("package.json"), serde_json::to_string_pretty(&manifest)?)?;
    for licence in LICENCES {
        fs::copy(release.root.join(licence), folder.join(licence))?;
    }
    let printed =
        text_of(command(folder, "npm").args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(out))?;
    anyhow::ensure!(out.join(printed.trim()).is_file(), "npm did not leave {}", printed.trim());
    Ok(())
}
