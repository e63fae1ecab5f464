//! The crates of a repository, and the files that belong to each.

use crate::sources::Sources;

/// A package of cargo: a folder with a `Cargo.toml` that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    /// Relative to the repository; empty for its root.
    pub(crate) folder: String,
    /// As other crates write it: with underscores.
    pub(crate) crate_name: String,
}

/// The packages of a repository, those in deeper folders first.
pub(crate) fn packages(sources: &Sources) -> Vec<Package> {
    let manifests = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("Cargo.toml"));
    let mut packages: Vec<Package> = manifests
        .filter_map(|(file, text)| {
            let manifest: toml::Table = text.parse().ok()?;
            let name = |table: &str| manifest.get(table)?.get("name")?.as_str();
            let crate_name = name("lib").or_else(|| name("package"))?.replace('-', "_");
            let folder = file.strip_suffix("Cargo.toml")?.trim_end_matches('/').to_owned();
            Some(Package { folder, crate_name })
        })
        .collect();
    packages
        .sort_by(|one, other| other.folder.len().cmp(&one.folder.len()).then_with(|| one.folder.cmp(&other.folder)));
    packages
}

/// Returns whether a file lies in a folder; every file lies in the root.
pub(crate) fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The package that a file belongs to: the one in the deepest folder.
pub(crate) fn package_of<'p>(packages: &'p [Package], file: &str) -> Option<&'p Package> {
    packages.iter().find(|package| is_below(file, &package.folder))
}

/// The folder in which the modules of a file's own module lie: of `src/a.rs` it is `src/a`, of a root or `mod.rs` its own folder.
pub(crate) fn folder_of_modules(file: &str) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let is_root = matches!(stem, "lib" | "main" | "mod") || is_root_folder(folder);
    match (is_root, folder.is_empty()) {
        (true, _) => folder.to_owned(),
        (false, true) => stem.to_owned(),
        (false, false) => format!("{folder}/{stem}"),
    }
}

/// Each file there is the root of a crate.
fn is_root_folder(folder: &str) -> bool {
    matches!(folder.rsplit('/').next(), Some("tests" | "benches" | "examples" | "bin")) && !folder.contains("/tests/")
}

/// The path of the module that a file is, from its crate on: `["crate", "shop", "cart"]`; `None` for a file outside of `src`.
pub(crate) fn module_path(package: &Package, file: &str) -> Option<Vec<String>> {
    let root = root_of(package, file);
    let inside = folder_of_modules(file);
    let parts = inside.strip_prefix(root.as_str())?.split('/').filter(|part| !part.is_empty());
    let is_source = root.rsplit('/').next() == Some("src");
    is_source.then(|| std::iter::once("crate").chain(parts).map(str::to_owned).collect())
}

/// The folder of the modules of the root of the crate that a file belongs to.
pub(crate) fn root_of(package: &Package, file: &str) -> String {
    let inside = file.strip_prefix(package.folder.as_str()).unwrap_or(file).trim_start_matches('/');
    let first = inside.split('/').next().unwrap_or_default();
    let folder = if first == inside { "" } else { first };
    [package.folder.as_str(), folder].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
