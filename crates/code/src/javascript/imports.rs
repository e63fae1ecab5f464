//! Files that a JavaScript file may load.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Index, folder};
use super::is_own;
use crate::sources::Sources;

/// Prefixes of path aliases in the settings of most bundlers, and the folders that they lead to.
const ALIASES: [&str; 5] = ["@/", "~/", "#/", "~", "#"];
const ALIASED: [&str; 4] = ["", "src/", "lib/", "app/"];

/// Packages of the repository: names with their folders.
struct Packages(BTreeMap<String, String>);

/// The repository's own packages: the folder of each `package.json` by the name in it.
fn packages(sources: &Sources) -> Packages {
    let manifests = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("package.json"));
    let name = |text: &str| {
        let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
        manifest.as_ref().and_then(|manifest| manifest.get("name")?.as_str().map(str::to_owned))
    };
    Packages(manifests.filter_map(|(file, text)| Some((name(text)?, folder(file).to_owned()))).collect())
}

/// Returns the files of the repository that a file may load.
pub(super) fn loaded_with<'a>(file: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    let index = Index::of(sources);
    let packages = sources.derived(packages);
    let Some(module) = index.module(file) else { return BTreeSet::new() };
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for import in &module.imports {
        let specifier = import.specifier.as_str();
        let known = index.resolve(file, specifier).or_else(|| {
            let paths = of_package(specifier, packages).into_iter().chain(of_alias(specifier));
            paths.into_iter().find_map(|path| index.resolve("", &format!("./{path}")))
        });
        found.extend(known.filter(|known| *known != file && is_own(known)));
        // The package's own manifest says where it begins.
        if let Some(manifest) = known.filter(|known| known.ends_with("package.json")) {
            found.extend(entries(manifest, sources));
        }
    }
    found
}

/// Returns the paths that an import of a package of the repository may lead to.
fn of_package(specifier: &str, packages: &Packages) -> Vec<String> {
    let below = |folder: &str, rest: &str| [folder, rest].join("/").trim_matches('/').to_owned();
    let named = packages.0.iter().find_map(|(name, folder)| {
        let rest = specifier.strip_prefix(name.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| (folder.as_str(), rest.trim_start_matches('/')))
    });
    let Some((folder, rest)) = named else { return Vec::new() };
    if rest.is_empty() {
        vec![below(folder, "package.json")]
    } else {
        vec![below(folder, rest), below(folder, &format!("src/{rest}")), below(folder, &format!("lib/{rest}"))]
    }
}

fn of_alias(specifier: &str) -> Vec<String> {
    let plain = ALIASES.iter().find_map(|alias| specifier.strip_prefix(alias)).unwrap_or(specifier);
    ALIASED.iter().map(|folder| format!("{folder}{plain}")).collect()
}

/// The files that a `package.json` names as what the package is for those who load it; none for any other file. What is built is looked for
/// where it is built from.
pub(super) fn entries<'a>(manifest: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    const KEYS: [&str; 7] = ["main", "module", "browser", "exports", "bin", "types", "source"];
    if manifest.rsplit('/').next() != Some("package.json") {
        return BTreeSet::new();
    }
    let value: Option<serde_json::Value> = sources.text(manifest).and_then(|text| serde_json::from_str(text).ok());
    let mut named = Vec::new();
    for key in KEYS {
        collect(value.as_ref().and_then(|value| value.get(key)), &mut named);
    }
    named.push("index");
    let index = Index::of(sources);
    let mut found = BTreeSet::new();
    for path in named {
        let path = path.trim_start_matches("./");
        let stem = path.split_once('/').map(|(_, rest)| rest.split('.').next().unwrap_or(rest));
        let built = stem.into_iter().flat_map(|stem| [format!("src/{stem}"), format!("lib/{stem}"), stem.to_owned()]);
        let mut paths = std::iter::once(path.to_owned()).chain(built);
        found.extend(paths.find_map(|path| index.resolve(manifest, &format!("./{path}"))));
    }
    for fallback in ["./src/index", "./lib/index"] {
        found.extend(index.resolve(manifest, fallback));
    }
    found.retain(|file| is_own(file));
    found
}

fn collect<'v>(value: Option<&'v serde_json::Value>, into: &mut Vec<&'v str>) {
    match value {
        Some(serde_json::Value::String(text)) => into.push(text),
        Some(serde_json::Value::Array(values)) => values.iter().for_each(|value| collect(Some(value), into)),
        Some(serde_json::Value::Object(values)) => values.values().for_each(|value| collect(Some(value), into)),
        Some(serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_)) | None => {}
    }
}
