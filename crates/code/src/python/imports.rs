//! Files that a Python file may load, and those that a manifest names.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::index::Index;
use crate::language::outline::Outline as _;
use crate::sources::Sources;

/// Returns the files of the repository that a file may load, packages around them included.
pub(super) fn loaded_with<'a>(file: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    let index = Index::of(sources);
    let mut found = index.imported_files(file);
    // pytest puts the folder of a test that is in no package on the path.
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    for import in index.module(file).into_iter().flat_map(|module| &module.imports).filter(|one| one.level == 0) {
        let plain = import.names.iter().map(|name| name.name.as_str()).filter(|_| import.from.is_none());
        for name in import.from.as_deref().into_iter().chain(plain) {
            let path = name.replace('.', "/");
            for end in [".py", "/__init__.py"] {
                let beside = if folder.is_empty() { format!("{path}{end}") } else { format!("{folder}/{path}{end}") };
                found.extend(index.known(&beside));
            }
        }
    }
    found.remove(file);
    found
}

/// The files that a manifest names as what the project is for others: packages, modules and scripts.
pub(super) fn entries<'a>(manifest: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?m)^\s*["']?(?:name|packages|py[-_]modules|include|import-name)["']?\s*=\s*(\[[^\]]*\]|[^\n]+)"#)
            .ok()
    });
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z_][\w.-]*").ok());
    static SCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([A-Za-z_][\w.]*)\s*:\s*[A-Za-z_]\w*").ok());
    let mut found = BTreeSet::new();
    let is_manifest = matches!(manifest.rsplit('/').next(), Some("pyproject.toml" | "setup.cfg" | "setup.py"));
    let (Some(text), Some(((names, word), script))) =
        (sources.text(manifest).filter(|_| is_manifest), NAMES.as_ref().zip(WORD.as_ref()).zip(SCRIPT.as_ref()))
    else {
        return found;
    };
    let values = names.captures_iter(text).filter_map(|captures| captures.get(1));
    let words = values.flat_map(|value| word.find_iter(value.as_str())).map(|word| word.as_str());
    let scripts = script.captures_iter(text).filter_map(|captures| Some(captures.get(1)?.as_str()));
    for name in words.chain(scripts) {
        let name = name.replace('-', "_");
        for name in [name.to_lowercase(), format!("{name}.__main__"), name] {
            found.extend(Index::of(sources).file_of(&name));
        }
    }
    found
}
