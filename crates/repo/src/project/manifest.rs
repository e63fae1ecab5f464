//! Reading the files that say what a project is and needs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use autoheal_code::languages;
use autoheal_engine::hexadecimal;
use autoheal_sandbox::untrusted::UntrustedFolder;
use globset::GlobSet;
use sha2::{Digest as _, Sha256};

use super::join;
use crate::discovery;
use crate::globs;

/// A longer file is no manifest.
const LONGEST: u64 = 1 << 20;

/// The files that say what a project is, relative to its folder.
static NAMES: LazyLock<GlobSet> =
    LazyLock::new(|| globs::exactly(languages::known_files().flat_map(|known| known.manifests)));

/// Names of the files that list dependencies.
static LISTS: LazyLock<GlobSet> =
    LazyLock::new(|| globs::exactly(languages::known_files().flat_map(|known| known.dependency_lists)));

/// The manifests of one project: their text by path relative to the project's folder.
#[derive(Debug, Clone, Default)]
pub struct Manifests {
    texts: BTreeMap<String, String>,
}

impl Manifests {
    /// Reads the manifests of the project in `directory`; `files` are the files of the tree.
    pub fn read(tree: &Path, directory: &str, files: &[String]) -> Self {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let mut texts = BTreeMap::new();
        for file in files {
            let Some(name) = file.strip_prefix(&prefix) else { continue };
            if NAMES.is_match(name)
                && let Some(text) = read_text(tree, &join(directory, name))
            {
                texts.insert(name.to_owned(), text);
            }
        }
        Self { texts }
    }

    /// Manifests by name and text, as [`Manifests::read`] would find them.
    pub fn from_texts<const N: usize>(texts: [(&str, &str); N]) -> Self {
        Self { texts: texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect() }
    }

    /// Reads the manifests of the project in `directory`.
    pub(crate) fn of(tree: &Path, directory: &str) -> Self {
        Self::read(tree, directory, &discovery::files(tree))
    }

    /// The text of a manifest.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// A manifest as TOML; an empty table when it is absent or does not parse.
    pub fn toml(&self, name: &str) -> toml::Table {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// A manifest as JSON.
    pub fn json(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::from_str(self.text(name)?).ok()
    }

    /// The manifests by name and text, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// SHA-256 over the names and texts of the manifests that say what is installed.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, text) in self.texts.iter().filter(|(name, _)| !says_nothing_of_packages(name)) {
            for part in [name, text] {
                hasher.update(part.len().to_le_bytes());
                hasher.update(part);
            }
        }
        hexadecimal(&hasher.finalize())
    }
}

fn says_nothing_of_packages(manifest: &str) -> bool {
    languages::known_files().any(|known| known.settings_only.contains(&manifest))
}

/// Returns whether a file, by its name, is a list of dependencies that may be extended.
pub fn lists_dependencies(file: &str) -> bool {
    LISTS.is_match(file.rsplit('/').next().unwrap_or(file))
}

/// Returns whether a file, by its name, declares what is installed, or is run to install it.
pub fn is_manifest(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    lists_dependencies(file) || languages::known_files().any(|known| known.installers.contains(&name))
}

/// The text of a file of the tree: a plain file of bounded size, every folder on the way a real one.
pub(crate) fn read_text(tree: &Path, file: &str) -> Option<String> {
    let bytes = UntrustedFolder::open(tree).ok()?.read_start(file, LONGEST).ok()?;
    String::from_utf8(bytes).ok()
}

/// Reports whether a folder of the tree is there, every folder on the way to it a real one.
pub(crate) fn is_folder(tree: &Path, folder: &str) -> bool {
    UntrustedFolder::open(tree).is_ok_and(|tree| tree.has_folder(folder))
}

/// The lines of a section of an INI file, as (key, value) with the continuation lines of a value joined by line breaks.
pub(crate) fn ini_section(text: &str, section: &str) -> Option<Vec<(String, String)>> {
    let header = format!("[{section}]");
    let mut lines = text.lines().skip_while(|line| line.trim() != header);
    lines.next()?;
    let mut values: Vec<(String, String)> = Vec::new();
    for line in lines {
        let is_continuation = line.starts_with([' ', '\t']);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if !is_continuation && trimmed.starts_with('[') {
            break;
        }
        if let (true, Some((_, value))) = (is_continuation, values.last_mut()) {
            // A line that ends with a backslash continues in the next one.
            match value.strip_suffix('\\').map(|start| start.trim_end().len()) {
                Some(end) => {
                    value.truncate(end);
                    value.push(' ');
                }
                None => value.push('\n'),
            }
            value.push_str(trimmed);
        } else {
            let (key, value) = trimmed.split_once(['=', ':']).unwrap_or((trimmed, ""));
            values.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    Some(values)
}

/// A value of a section of an INI file.
pub(crate) fn ini_value(text: &str, section: &str, key: &str) -> Option<String> {
    ini_section(text, section)?.into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}
