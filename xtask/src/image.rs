//! The container images that tests run in, made on this machine: no image registry is needed.
//!
//! `mmdebstrap` makes a small Debian with the packages of a language, `npm` adds what Debian would take hundreds of packages for, and
//! `docker import` takes it. The archive is kept outside of the clone under the hash of what it was made from, so that it is made once.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha512};

use crate::cache;
use crate::process::{command, output_of, run as run_command, text_of};

/// Definition of an image.
struct Definition {
    language: &'static str,
    /// Name of the Debian release.
    release: &'static str,
    /// Debian packages to install, in addition to those that every image has.
    packages: &'static [&'static str],
    /// Of the npm registry.
    program: Option<Program>,
}

/// A package of the npm registry that is whole by itself, for all users of an image.
struct Program {
    name: &'static str,
    version: &'static str,
    /// Of its archive, in hexadecimal digits.
    sha512: &'static str,
    /// Commands of the package: a name on `PATH`, and a file of the package.
    commands: &'static [(&'static str, &'static str)],
}

/// Options for installing packages: nothing has to survive a loss of power, and manuals are not needed in a container.
const OPTIONS: &[&str] = &[
    "--variant=essential",
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/man/*",
];

const DEFINITIONS: &[Definition] = &[
    // The packages of every Debian, to install ours next to them.
    Definition { language: "debian", release: "bookworm", packages: &[], program: None },
    Definition {
        language: "python",
        release: "bookworm",
        packages: &["ca-certificates", "git", "python3", "python3-pip", "python3-pytest", "python3-venv"],
        program: None,
    },
    Definition {
        language: "node",
        // The first release with Node 20.
        release: "trixie",
        // Python is what the sandbox's way to registries is made of.
        packages: &["ca-certificates", "git", "nodejs", "python3-minimal"],
        program: Some(Program {
            name: "npm",
            version: "10.9.9",
            sha512: "d60fba8cb42f688b81e33c2f1cbef2ad7b977166700ec0ad057f1b6d60ea6ef2524abf673e20c35931cd8305d1dbb8887134d6eefdc0e7b8435bd458bf65b862",
            commands: &[("npm", "bin/npm-cli.js"), ("npx", "bin/npx-cli.js")],
        }),
    },
];

/// The label by which an image is known to be current.
const LABEL: &str = "autoheal.definition";

impl Definition {
    fn image(&self) -> String {
        format!("autoheal-{}:local", self.language)
    }

    fn hash(&self) -> String {
        let program = self.program.iter().flat_map(|program| [program.name, program.version, program.sha512]);
        let commands = self.program.iter().flat_map(|program| program.commands).flat_map(|(name, file)| [*name, *file]);
        let packages = self.packages.iter().chain(OPTIONS).copied();
        let words: Vec<&str> = std::iter::once(self.release).chain(packages).chain(program).chain(commands).collect();
        cache::digest(&words.join("\n"))
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
    let work = tempfile::tempdir_in(archive.parent().unwrap_or(here))?;
    let unfinished = work.path().join("image.tar");
    run_command(
        command(here, "mmdebstrap")
            .args(OPTIONS)
            .args(definition.packages.iter().map(|package| format!("--include={package}")))
            .arg(definition.release)
            .arg(&unfinished),
    )?;
    if let Some(program) = &definition.program {
        let tree = work.path().join("tree");
        add(program, &tree)?;
        // Nothing that Debian brought already: engines do not take a path twice.
        let added = program.commands.iter().map(|(name, _)| format!("usr/local/bin/{name}"));
        run_command(
            command(&tree, "tar")
                .args(["--append", "--owner=0", "--group=0", "--file"])
                .arg(&unfinished)
                .arg("usr/local/lib/node_modules")
                .args(added),
        )?;
    }
    File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, archive)?;
    Ok(())
}

/// Lays out a program below `tree` as it is to lie in the image.
fn add(program: &Program, tree: &Path) -> anyhow::Result<()> {
    let modules = Path::new("lib/node_modules").join(program.name);
    let local = tree.join("usr/local");
    let folder = local.join(&modules);
    fs::create_dir_all(&folder)?;
    fs::create_dir_all(local.join("bin"))?;
    let asked = format!("{}@{}", program.name, program.version);
    let archive = tree
        .with_file_name(text_of(command(&tree.with_file_name(""), "npm").args(["pack", "--silent", &asked]))?.trim());
    let bytes = fs::read(&archive).with_context(|| format!("npm did not leave {}", archive.display()))?;
    let mut found = String::new();
    for byte in Sha512::digest(&bytes) {
        write!(found, "{byte:02x}")?;
    }
    if found != program.sha512 {
        bail!("{asked} is not what it was: its SHA-512 is {found}, and {} is expected", program.sha512);
    }
    run_command(command(&folder, "tar").args(["--extract", "--strip-components=1", "--file"]).arg(&archive))?;
    for (name, file) in program.commands {
        symlink(Path::new("..").join(&modules).join(file), local.join("bin").join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_package_is_another_image() {
        let definition = DEFINITIONS.iter().find(|definition| definition.language == "python").unwrap();
        let more = Definition { packages: &["python3"], language: "python", release: "bookworm", program: None };
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
