//! The container image that tests run in, made on this machine: no image registry is needed.
//!
//! `debootstrap` makes a small Debian with the packages of a language, and `docker import` takes it. The archive is kept
//! outside of the clone under the hash of what it was made from, so that it is made once.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::cache;
use crate::process::{command, output_of, run as run_command, text_of};

/// What an image is made of.
struct Definition {
    language: &'static str,
    release: &'static str,
    packages: &'static [&'static str],
    /// Left out of the archive: what a container never needs.
    without: &'static [&'static str],
}

/// Left out of every archive.
const WITHOUT: &[&str] =
    &["./var/cache/apt", "./var/lib/apt/lists", "./usr/share/doc", "./usr/share/locale", "./usr/share/man"];

const DEFINITIONS: &[Definition] = &[
    Definition {
        language: "python",
        release: "bookworm",
        packages: &["ca-certificates", "git", "python3", "python3-pip", "python3-pytest", "python3-venv"],
        without: WITHOUT,
    },
    Definition {
        language: "node",
        // The first release with Node 20.
        release: "trixie",
        // Python is what the sandbox's way to registries is made of.
        // debootstrap does not follow what packages provide: npm needs what node-fancy-log does.
        packages: &["ca-certificates", "git", "node-fancy-log", "nodejs", "npm", "python3"],
        without: WITHOUT,
    },
];

/// The label by which an image is known to be current.
const LABEL: &str = "autoheal.definition";

impl Definition {
    fn image(&self) -> String {
        format!("autoheal-{}:local", self.language)
    }

    fn hash(&self) -> String {
        let text = [&[self.release], self.packages, self.without].concat().join("\n");
        cache::digest(&text)
    }
}

/// Makes sure that the Docker engine has the current image for this language.
pub(crate) fn run(language: &str) -> anyhow::Result<()> {
    let known = || DEFINITIONS.iter().map(|definition| definition.language).collect::<Vec<_>>().join(", ");
    let definition = DEFINITIONS
        .iter()
        .find(|definition| definition.language == language)
        .with_context(|| format!("there is no image for `{language}`; known: {}", known()))?;
    let here = Path::new("/");
    let hash = definition.hash();
    let image = definition.image();
    let format = format!("{{{{index .Config.Labels \"{LABEL}\"}}}}");
    let present = output_of(command(here, "docker").args(["image", "inspect", "--format", &format, &image]))?;
    if present.status.success() && String::from_utf8_lossy(&present.stdout).trim() == hash {
        return Ok(());
    }
    let archive = cache::folder("images")?.join(format!("{language}-{hash}.tar"));
    if !archive.is_file() {
        make(definition, &archive)?;
    }
    let label = format!("LABEL {LABEL}={hash}");
    run_command(command(here, "docker").args(["import", "--change", &label]).arg(&archive).arg(&image))
}

fn make(definition: &Definition, archive: &Path) -> anyhow::Result<()> {
    let here = Path::new("/");
    if text_of(command(here, "id").arg("-u"))?.trim() != "0" {
        bail!(
            "only root can run debootstrap; run this chore with sudo, or set `sandbox.{}_image` to a public image",
            definition.language
        );
    }
    let work = tempfile::tempdir_in(archive.parent().unwrap_or(here))?;
    let root = work.path().join("root");
    let packages = definition.packages.join(",");
    run_command(
        command(here, "debootstrap")
            .args(["--variant=minbase", &format!("--include={packages}"), definition.release])
            .arg(&root),
    )?;
    let unfinished = work.path().join("image.tar");
    let without = definition.without.iter().map(|path| format!("--exclude={path}/*"));
    run_command(
        command(here, "tar")
            .args(["--numeric-owner", "--create", "--file"])
            .arg(&unfinished)
            .args(without)
            .arg("--directory")
            .arg(&root)
            .arg("."),
    )?;
    File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, archive)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_package_is_another_image() {
        let definition = &DEFINITIONS[0];
        let more = Definition { packages: &["python3"], language: "python", release: "bookworm", without: &[] };
        assert_eq!(definition.hash().len(), 16);
        assert_ne!(definition.hash(), more.hash());
        assert_eq!(definition.image(), "autoheal-python:local");
    }

    #[test]
    fn an_unknown_language_is_named() {
        let error = run("cobol").unwrap_err().to_string();
        assert!(error.contains("cobol") && error.contains("python"), "{error}");
    }
}
