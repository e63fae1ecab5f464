//! The symbol index of a repository's JavaScript and TypeScript: its files, the exports of each, and the number
//! of uses of each word.

use std::collections::{BTreeMap, BTreeSet};

use super::grammar::GRAMMAR;
use super::module::{Function, ImportKind, Module, Role};
use crate::language::outline::{FunctionAround, Imported, Outline};
use crate::repair::ngram::Model;
use crate::sources::Sources;
use crate::span::Span;

/// Extensions that may be omitted at the end of a path, in the order in which they are tried.
pub(crate) const ENDINGS: [&str; 11] =
    [".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".json", ".node"];

/// Symbol index of the repository's JavaScript and TypeScript files.
pub struct Index {
    modules: BTreeMap<String, Module>,
    /// Every file of the repository that may be imported, `package.json` among them.
    files: BTreeSet<String>,
    spellings: BTreeMap<String, usize>,
    members: BTreeMap<String, usize>,
    model: Model,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("files", &self.files).finish_non_exhaustive()
    }
}

/// The folders of the repository's packages, and whether their scripts are modules: `"type": "module"`.
fn packages(sources: &Sources) -> BTreeMap<&str, bool> {
    let is_module = |text: &str| {
        let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
        manifest.as_ref().and_then(|manifest| manifest.get("type")?.as_str()) == Some("module")
    };
    let manifests = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("package.json"));
    manifests.map(|(file, text)| (folder(file), is_module(text))).collect()
}

/// Returns whether the nearest `package.json` declares the file to be a module, whatever it
/// looks like. The file's own imports and its extension count independently of that: compilers
/// read such files as modules in any package.
fn is_declared_module(packages: &BTreeMap<&str, bool>, file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default();
    if !matches!(extension, "js" | "jsx" | "ts" | "tsx") {
        return false;
    }
    let mut below = folder(file);
    loop {
        if let Some(is_module) = packages.get(below) {
            return *is_module;
        }
        if below.is_empty() {
            return false;
        }
        below = folder(below);
    }
}

impl Index {
    /// The index of a repository's files, made on first use.
    pub fn of(sources: &Sources) -> &Self {
        sources.derived(Self::new)
    }

    /// Reads every JavaScript and TypeScript file.
    pub fn new(sources: &Sources) -> Self {
        let mut index = Self {
            modules: BTreeMap::new(),
            files: sources.iter().map(|(file, _)| file).chain(sources.noted()).map(str::to_owned).collect(),
            spellings: BTreeMap::new(),
            members: BTreeMap::new(),
            model: Model::new(&GRAMMAR),
        };
        let packages = packages(sources);
        for (file, text) in sources.with_extension(super::EXTENSIONS) {
            let mut module = Module::read(file, text);
            module.is_module |= is_declared_module(&packages, file);
            index.model.learn(text);
            for word in &module.words {
                *index.spellings.entry(word.text.clone()).or_default() += 1;
                if matches!(word.role, Role::Member | Role::Key) {
                    *index.members.entry(word.text.clone()).or_default() += 1;
                }
            }
            index.modules.insert(file.to_owned(), module);
        }
        index
    }

    /// Returns the contents of a file; `None` if the index does not have it.
    pub fn module(&self, file: &str) -> Option<&Module> {
        self.modules.get(file)
    }

    /// Returns all files with their contents.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.modules.iter().map(|(file, module)| (file.as_str(), module))
    }

    /// Every file that can be imported.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Returns the number of times that a word is used anywhere in the repository.
    pub fn count(&self, word: &str) -> usize {
        self.spellings.get(word).copied().unwrap_or(0)
    }

    /// The names of members anywhere in the repository, and how often they are used.
    pub fn members(&self) -> impl Iterator<Item = (&str, usize)> {
        self.members.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// The naturalness model of the repository's text.
    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// The file that a specifier names in a file: as Node finds it, and as TypeScript and bundlers do.
    pub fn resolve(&self, from: &str, specifier: &str) -> Option<&str> {
        if !is_relative(specifier) {
            return None;
        }
        let path = join(folder(from), specifier)?;
        let has = |file: &str| self.files.get(file).map(String::as_str);
        let inside = |end: &str| if path.is_empty() { end.to_owned() } else { format!("{path}/{end}") };
        // In TypeScript `./x.js` is `x.ts`.
        let stem = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|end| path.strip_suffix(end));
        let typed = stem
            .into_iter()
            .flat_map(|stem| [".ts", ".tsx", ".mts", ".cts", ".d.ts"].map(|extension| format!("{stem}{extension}")));
        has(&path)
            .filter(|_| !specifier.ends_with('/'))
            .or_else(|| ENDINGS.iter().find_map(|extension| has(&format!("{path}{extension}"))))
            .or_else(|| typed.into_iter().find_map(|file| has(&file)))
            .or_else(|| ENDINGS.iter().find_map(|extension| has(&inside(&format!("index{extension}")))))
            .or_else(|| has(&inside("package.json")))
    }

    /// Returns the names that a file exports, including those that it re-exports with `export *`.
    pub fn exports(&self, file: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![file.to_owned()];
        while let Some(file) = queue.pop() {
            let Some(module) = self.module(&file).filter(|_| seen.insert(file.clone())) else { continue };
            names.extend(module.exports.names.keys().cloned());
            queue.extend(module.exports.stars.iter().filter_map(|star| self.resolve(&file, star)).map(str::to_owned));
        }
        names
    }

    /// The files that export a name which they declare themselves, tests and declarations left out.
    pub fn definers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.modules().filter_map(move |(file, module)| {
            let is_passed_on = module.imports.iter().any(|import| import.names.iter().any(|one| one.local == name));
            (module.exports.names.contains_key(name) && !is_passed_on && !file.ends_with(".d.ts")).then_some(file)
        })
    }
}

impl Outline for Index {
    fn known(&self, file: &str) -> Option<&str> {
        self.modules.get_key_value(file).map(|(name, _)| name.as_str())
    }

    fn line_of(&self, file: &str, at: usize) -> u32 {
        self.module(file).map_or(1, |module| module.line_of(at))
    }

    fn function_at(&self, file: &str, at: usize) -> Option<FunctionAround> {
        let Function { span, parameters_span, .. } = self.module(file)?.function_at(at)?;
        Some(FunctionAround { span: *span, definition: *span, parameters_end: parameters_span.end })
    }

    fn loaded_lines(&self, file: &str) -> Vec<u32> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let starts = module.statements.iter().map(|statement| statement.start);
        starts.filter(|start| module.function_at(*start).is_none()).map(|start| module.line_of(start)).collect()
    }

    fn names_in(&self, file: &str, span: Span) -> Vec<&str> {
        let words = self.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
        let used = words.iter().filter(|word| matches!(word.role, Role::Use | Role::Member));
        used.filter(|word| span.contains(word.span)).map(|word| word.text.as_str()).collect()
    }

    fn namesakes(&self, name: &str) -> Vec<(&str, Span)> {
        let found = self.modules().flat_map(|(file, module)| {
            let functions = module.functions.iter().filter(|function| function.name == name);
            let classes = module.classes.iter().filter(|class| class.name == name);
            let spans = functions.map(|function| function.span).chain(classes.map(|class| class.span));
            spans.map(move |span| (file, span)).collect::<Vec<_>>()
        });
        found.collect()
    }

    /// The default exports, and the modules, that files import under that name.
    fn imported_as(&self, name: &str) -> Vec<(&str, Span)> {
        let mut whole: Vec<(&str, Span)> = Vec::new();
        for (file, module) in self.modules() {
            let Some((import, imported)) = module.imported(name) else { continue };
            let Some(source) = self.resolve(file, &import.specifier) else { continue };
            let is_whole = imported.kind != ImportKind::Named;
            let default = self.module(source).and_then(|module| module.exports.default.or(module.exports.whole));
            if let Some(span) = default.filter(|_| is_whole)
                && !whole.contains(&(source, span))
            {
                whole.push((source, span));
            }
        }
        whole
    }

    fn functions(&self, file: &str) -> Vec<&str> {
        let functions = self.module(file).into_iter().flat_map(|module| &module.functions);
        functions.map(|function| function.name.as_str()).collect()
    }

    fn holds_only_values(&self, file: &str) -> bool {
        self.module(file).is_some_and(|module| {
            let has_some = module.statements.len() > module.imports.len();
            has_some && module.functions.is_empty() && module.classes.is_empty()
        })
    }

    fn words(&self, file: &str) -> Vec<&str> {
        self.module(file).into_iter().flat_map(|module| &module.words).map(|word| word.text.as_str()).collect()
    }

    fn imports(&self, file: &str) -> Vec<Imported<'_>> {
        let imports = self.module(file).into_iter().flat_map(|module| &module.imports);
        let found = imports.filter_map(|import| {
            let loaded = self.resolve(file, &import.specifier)?;
            let named = import.names.iter().filter(|name| name.kind == ImportKind::Named);
            let mut names: Vec<&str> = named.map(|name| name.name.as_str()).collect();
            if import.names.is_empty() || names.len() < import.names.len() {
                names.push("*");
            }
            Some(Imported { file: loaded, at: import.span.start, names, is_whole: false })
        });
        found.collect()
    }
}

/// Returns whether a specifier is a relative path.
pub(crate) fn is_relative(specifier: &str) -> bool {
    specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../")
}

/// The folder of a file, without a slash at its end; empty for the root.
pub(crate) fn folder(file: &str) -> &str {
    file.rfind('/').map_or("", |slash| file.get(..slash).unwrap_or_default())
}

/// A path from a folder, without `.` and `..`; `None` when it leaves the repository.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The specifier that names `file` in `from`, extension and all.
pub(crate) fn relative(from: &str, file: &str) -> String {
    let mut here: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    let mut there: Vec<&str> = file.split('/').collect();
    while !here.is_empty() && there.len() > 1 && here.first() == there.first() {
        here.remove(0);
        there.remove(0);
    }
    let up = if here.is_empty() { "./".to_owned() } else { "../".repeat(here.len()) };
    format!("{up}{}", there.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Sources {
        let mut sources = Sources::new(Vec::new());
        for (file, text) in [
            ("index.js", "module.exports = { run, Stop: class {} };\nexports.more = 1;\nfunction run() {}\n"),
            ("lib/a.ts", "export * from './b.js';\nexport const one = 1, { two } = x;\nexport default one;\n"),
            ("lib/b.ts", "export function three() {}\nexport { four as five };\nlet four;\n"),
            ("lib/sub/index.mjs", "import d, { one as uno } from '../a';\nimport * as all from '../..';\n"),
        ] {
            sources.insert(file, text, false);
        }
        sources
    }

    #[test]
    fn specifiers_name_files() {
        let index = Index::new(&sources());
        assert_eq!(index.resolve("lib/a.ts", "./b.js"), Some("lib/b.ts"));
        assert_eq!(index.resolve("lib/a.ts", "./sub"), Some("lib/sub/index.mjs"));
        assert_eq!(index.resolve("lib/sub/index.mjs", "../.."), Some("index.js"));
        assert_eq!(index.resolve("lib/a.ts", "../../etc"), None);
        assert_eq!(index.resolve("lib/a.ts", "sub"), None);
        assert_eq!(relative("lib/sub/index.mjs", "lib/a.ts"), "../a.ts");
        assert_eq!(relative("index.js", "lib/a.ts"), "./lib/a.ts");
    }

    #[test]
    fn exports_of_both_kinds_are_known() {
        let index = Index::new(&sources());
        let names = |file: &str| index.exports(file).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names("index.js"), "Stop more run");
        assert_eq!(names("lib/a.ts"), "five one three two");
        assert!(index.module("lib/a.ts").unwrap().exports.default.is_some());
        assert_eq!(index.definers("three").collect::<Vec<_>>(), ["lib/b.ts"]);
        let imports = &index.module("lib/sub/index.mjs").unwrap().imports;
        assert_eq!(imports[0].names[1].name, "one");
        assert_eq!(imports[0].names[1].local, "uno");
    }
}
