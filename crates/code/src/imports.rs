//! The graph of imports of a repository, over both languages: which file loads which.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_engine::diagnostics::Importers;

use crate::javascript::index as javascript;
use crate::language::Language;
use crate::outline::Outline as _;
use crate::sources::Sources;

/// Prefixes of path aliases in the settings of most bundlers, and the folders that they lead to.
const ALIASES: [&str; 5] = ["@/", "~/", "#/", "~", "#"];
const ALIASED: [&str; 4] = ["", "src/", "lib/", "app/"];

/// Files with the files of the repository that they import, packages around them included.
#[derive(Debug, Default)]
pub struct Imports<'a> {
    imported: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Imports<'a> {
    /// Reads the graph of every program file.
    pub fn new(sources: &'a Sources) -> Self {
        let packages = packages(sources);
        let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, _) in sources.iter() {
            let found = match Language::of(file) {
                Some(Language::Python) => of_python(file, sources),
                Some(Language::JavaScript) => of_javascript(file, sources, &packages),
                None => continue,
            };
            imported.insert(file, found);
        }
        Self { imported }
    }

    /// Returns all files of the program.
    pub fn files(&self) -> impl Iterator<Item = &'a str> {
        self.imported.keys().copied()
    }

    /// The files that one imports itself.
    pub fn of(&self, file: &str) -> impl Iterator<Item = &'a str> {
        self.imported.get(file).into_iter().flatten().copied()
    }

    /// Returns the number of files that depend on each file, directly or not: the files to repair first are those that most others import.
    pub fn importers(&self) -> Importers {
        let mut needed_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, imported) in &self.imported {
            for other in imported {
                needed_by.entry(other).or_default().insert(file);
            }
        }
        let count = |file: &str| {
            let mut seen = BTreeSet::from([file]);
            let mut queue: Vec<&str> = vec![file];
            while let Some(current) = queue.pop() {
                queue.extend(needed_by.get(current).into_iter().flatten().filter(|importer| seen.insert(**importer)));
            }
            seen.len() - 1
        };
        needed_by.keys().map(|file| ((*file).to_owned(), count(file))).filter(|(_, count)| *count > 0).collect()
    }

    /// Returns all files that are loaded together with `roots`, the roots included. Imported files for which
    /// `is_closed` is true are skipped.
    pub fn reached(
        &self,
        roots: impl IntoIterator<Item = &'a str>,
        is_closed: impl Fn(&str) -> bool,
    ) -> BTreeSet<&'a str> {
        let mut queue: Vec<&str> = roots.into_iter().collect();
        let mut reached = BTreeSet::new();
        while let Some(file) = queue.pop() {
            if reached.insert(file) {
                queue.extend(self.of(file).filter(|next| !is_closed(next)));
            }
        }
        reached
    }
}

fn of_python<'a>(file: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    let index = sources.index();
    let mut found = index.imported_files(file);
    // pytest puts the folder of a test that is in no package on the path.
    let folder = javascript::folder(file);
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

/// The repository's own packages: the folder of each `package.json` by the name in it.
fn packages(sources: &Sources) -> BTreeMap<String, &str> {
    let manifests = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("package.json"));
    let name = |text: &str| {
        let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
        manifest.as_ref().and_then(|manifest| manifest.get("name")?.as_str().map(str::to_owned))
    };
    manifests.filter_map(|(file, text)| Some((name(text)?, javascript::folder(file)))).collect()
}

fn of_javascript<'a>(file: &str, sources: &'a Sources, packages: &BTreeMap<String, &str>) -> BTreeSet<&'a str> {
    let index = sources.javascript_index();
    let Some(module) = index.module(file) else { return BTreeSet::new() };
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for import in &module.imports {
        let specifier = import.specifier.as_str();
        let known = index.resolve(file, specifier).or_else(|| {
            let paths = of_package(specifier, packages).into_iter().chain(of_alias(specifier));
            paths.into_iter().find_map(|path| index.resolve("", &format!("./{path}")))
        });
        found.extend(known.filter(|known| *known != file && Language::of(known).is_some()));
        // The package's own manifest says where it begins.
        if let Some(manifest) = known.filter(|known| known.ends_with("package.json")) {
            found.extend(entries(manifest, sources));
        }
    }
    found
}

/// Returns the paths that an import of a package of the repository may lead to.
fn of_package(specifier: &str, packages: &BTreeMap<String, &str>) -> Vec<String> {
    let below = |folder: &str, rest: &str| [folder, rest].join("/").trim_matches('/').to_owned();
    let named = packages.iter().find_map(|(name, folder)| {
        let rest = specifier.strip_prefix(name.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| (*folder, rest.trim_start_matches('/')))
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

/// The files that a `package.json` names as what the package is for those who load it. What is built is looked for where it is built from.
pub fn entries<'a>(manifest: &str, sources: &'a Sources) -> BTreeSet<&'a str> {
    const KEYS: [&str; 7] = ["main", "module", "browser", "exports", "bin", "types", "source"];
    let value: Option<serde_json::Value> = sources.text(manifest).and_then(|text| serde_json::from_str(text).ok());
    let mut named = Vec::new();
    for key in KEYS {
        collect(value.as_ref().and_then(|value| value.get(key)), &mut named);
    }
    named.push("index");
    let index = sources.javascript_index();
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
    found.retain(|file| Language::of(file).is_some());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(files: &[(&str, &str)], root: &'static str) -> String {
        let mut sources = Sources::new(vec![String::new()]);
        for (file, text) in files {
            sources.insert(*file, *text, false);
        }
        let imports = Imports::new(&sources);
        let known = sources.iter().map(|(file, _)| file).find(|file| *file == root);
        imports.reached(known, |file| file.contains("closed")).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn relative_dotted_and_neighbouring_modules_are_found() {
        let files = [
            ("checks/test_a.py", "import tools\nfrom shop.price import vat\n"),
            ("checks/tools.py", "from . import closed\n"),
            ("checks/closed.py", "import shop.never\n"),
            ("shop/__init__.py", ""),
            ("shop/price.py", "from .rates import RATES\n"),
            ("shop/rates.py", ""),
            ("shop/never.py", ""),
        ];
        let expected = "checks/test_a.py checks/tools.py shop/__init__.py shop/price.py shop/rates.py";
        assert_eq!(reached(&files, "checks/test_a.py"), expected);
    }

    #[test]
    fn aliases_and_packages_of_the_repository_are_found() {
        let files = [
            ("a.test.ts", "import { b } from '@/b';\nimport own from 'own';\nimport x from '@own/x/deep';\n"),
            ("src/b.ts", "export const b = 1;\n"),
            ("package.json", r#"{"name": "own", "main": "dist/main.js"}"#),
            ("src/main.ts", "require('./late');\n"),
            ("src/late.js", ""),
            ("packages/x/package.json", r#"{"name": "@own/x"}"#),
            ("packages/x/src/deep.ts", ""),
        ];
        let expected = "a.test.ts packages/x/src/deep.ts src/b.ts src/late.js src/main.ts";
        assert_eq!(reached(&files, "a.test.ts"), expected);
    }
}
