//! Cache of the chores between runs: outside of the clone, under the hash of the inputs.

use std::path::PathBuf;

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

/// The folder for things of one kind, made when it is missing.
pub(crate) fn folder(kind: &str) -> anyhow::Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cache")))
        .context("neither XDG_CACHE_HOME nor a home folder is set")?;
    let folder = base.join("autoheal").join(kind);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// The first 16 hexadecimal digits of the SHA-256 of a text.
pub(crate) fn digest(text: &str) -> String {
    let bytes: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let [first, ..] = bytes.as_chunks::<8>().0 else { return String::new() };
    format!("{:016x}", u64::from_be_bytes(*first))
}
