//! The script that installs the archive, and the checksums of all files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::dist::files_of;
use crate::dist::release::Release;

/// Writes `install.sh` for this archive, whose checksum it holds.
pub(super) fn write(release: &Release, archive: &Path, address: Option<&Url>, out: &Path) -> anyhow::Result<()> {
    let template = release.root.join("scripts/dist/install.sh");
    let template = fs::read_to_string(&template).with_context(|| format!("cannot read {}", template.display()))?;
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let address = address.map(|address| address.as_str().trim_end_matches('/')).unwrap_or_default();
    anyhow::ensure!(!address.contains(['"', '$', '`', '\\']), "the address has characters that a shell would read");
    let values = [
        ("@VERSION@", release.version.as_str()),
        ("@ARCHITECTURE@", release.processor()),
        ("@GLIBC@", &release.glibc),
        ("@ADDRESS@", address),
        ("@ARCHIVE@", &name),
        ("@SHA256@", &sha256(archive)?),
    ];
    let text = values.iter().fold(template, |text, (mark, value)| text.replace(mark, value));
    Ok(fs::write(out.join("install.sh"), text)?)
}

/// Writes the checksums of all files, for `sha256sum --check`.
pub(super) fn sums(out: &Path) -> anyhow::Result<()> {
    let mut text = String::new();
    for file in files_of(out)? {
        writeln!(text, "{}  {}", sha256(&file)?, file.file_name().unwrap_or_default().to_string_lossy())?;
    }
    Ok(fs::write(out.join("SHA256SUMS"), text)?)
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(super) fn sha256(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}
