//! Files that a Python file may load.

use std::collections::BTreeSet;

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
