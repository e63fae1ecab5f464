//! The symbol index of a repository: its modules by their dotted names, what each of them offers, who imports whom, and how
//! often each word is used.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::EXTENSIONS;
use super::grammar::GRAMMAR;
use super::module::{Class, Function, Import, Module, Role};
use super::ngram::Model;
use crate::language::outline::{FunctionAround, Imported, Outline};
use crate::sources::Sources;
use crate::span::Span;

/// Symbol index of the repository's Python files.
pub struct Index {
    modules: BTreeMap<String, Module>,
    files: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
    spellings: BTreeMap<String, usize>,
    model: Model,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Index {
    /// The index of a repository's files, made on first use.
    pub fn of(sources: &Sources) -> &Self {
        sources.derived(Self::new)
    }

    /// Reads every Python file.
    pub fn new(sources: &Sources) -> Self {
        let mut index = Self {
            modules: BTreeMap::new(),
            files: BTreeMap::new(),
            names: BTreeMap::new(),
            spellings: BTreeMap::new(),
            model: Model::new(&GRAMMAR),
        };
        for (file, text) in sources.with_extension(EXTENSIONS) {
            let module = Module::read(text);
            index.model.learn(text);
            for word in &module.words {
                for part in word.text.split('.') {
                    *index.spellings.entry(part.to_owned()).or_default() += 1;
                }
            }
            if let Some(name) = dotted_name(file, sources.roots()) {
                // With several roots the shorter name is the one that is imported.
                index.files.entry(name.clone()).or_insert_with(|| file.to_owned());
                index.names.insert(file.to_owned(), name);
            }
            index.modules.insert(file.to_owned(), module);
        }
        index
    }

    /// Returns the contents of a file.
    pub fn module(&self, file: &str) -> Option<&Module> {
        self.modules.get(file)
    }

    /// Returns all files with their contents.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.modules.iter().map(|(file, module)| (file.as_str(), module))
    }

    /// The file of a module, by its dotted name.
    pub fn file_of(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// The dotted name of a file.
    pub fn name_of(&self, file: &str) -> Option<&str> {
        self.names.get(file).map(String::as_str)
    }

    /// Every module's dotted name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The naturalness model of the repository's text.
    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the number of times that a word is used anywhere in the repository.
    pub fn count(&self, word: &str) -> usize {
        self.spellings.get(word).copied().unwrap_or(0)
    }

    /// Every word of the repository.
    pub fn words(&self) -> impl Iterator<Item = (&str, usize)> {
        self.spellings.iter().map(|(word, count)| (word.as_str(), *count))
    }

    /// The package that relative imports of a file begin at.
    pub fn package_of(&self, file: &str) -> Option<&str> {
        let name = self.name_of(file)?;
        if is_package_file(file) { Some(name) } else { Some(name.rsplit_once('.').map_or("", |(package, _)| package)) }
    }

    /// The absolute name of the module that an import statement's `from` names.
    pub fn resolve(&self, file: &str, import: &Import) -> Option<String> {
        let from = import.from.as_deref()?;
        if import.level == 0 {
            return Some(from.to_owned());
        }
        let mut package = self.package_of(file)?;
        for _ in 1..import.level {
            package = package.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        Some(match (package.is_empty(), from.is_empty()) {
            (true, _) => from.to_owned(),
            (false, true) => package.to_owned(),
            (false, false) => format!("{package}.{from}"),
        })
    }

    /// The modules directly inside a package.
    pub fn submodules<'a>(&'a self, package: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.keys().filter_map(move |name| {
            let rest = if package.is_empty() { name } else { name.strip_prefix(package)?.strip_prefix('.')? };
            (!rest.is_empty() && !rest.contains('.')).then_some(rest)
        })
    }

    /// Returns the names that a module of the repository offers: its top-level names, its imports and its submodules; star imports
    /// are followed.
    pub fn exports(&self, name: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.collect_exports(name, &mut names, &mut BTreeSet::new());
        names
    }

    fn collect_exports(&self, name: &str, names: &mut BTreeSet<String>, seen: &mut BTreeSet<String>) {
        if !seen.insert(name.to_owned()) {
            return;
        }
        names.extend(self.submodules(name).map(str::to_owned));
        let Some(file) = self.file_of(name) else { return };
        let Some(module) = self.module(file) else { return };
        if let Some(scope) = module.scopes.first() {
            names.extend(scope.bindings.keys().cloned());
        }
        for import in module.imports.iter().filter(|import| import.names.iter().any(|name| name.name == "*")) {
            if let Some(from) = self.resolve(file, import) {
                self.collect_exports(&from, names, seen);
            }
        }
    }

    /// The modules of the repository that define a name themselves (not by importing it), tests not preferred.
    pub fn definers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files.iter().filter_map(move |(dotted, file)| {
            let module = self.module(file)?;
            let is_bound = module.scopes.first()?.bindings.contains_key(name);
            let is_imported = module.imports.iter().any(|import| import.names.iter().any(|one| one.bound() == name));
            (is_bound && !is_imported).then_some((dotted.as_str(), file.as_str()))
        })
    }

    /// The classes of a name, with their files.
    pub fn classes<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Class)> {
        self.modules().flat_map(move |(file, module)| {
            module.classes.iter().filter(move |class| class.name == name).map(move |class| (file, class))
        })
    }

    /// The attributes of the project's classes of a name, those of their bases included, with the class that has it.
    pub fn attributes_of(&self, class: &str) -> BTreeMap<&str, (&str, &Class)> {
        let mut attributes = BTreeMap::new();
        let mut queue = VecDeque::from([class.to_owned()]);
        let mut seen = BTreeSet::new();
        while let Some(name) = queue.pop_front() {
            if !seen.insert(name.clone()) {
                continue;
            }
            for (file, module) in self.modules() {
                for found in module.classes.iter().filter(|found| found.name == name) {
                    for attribute in found.attributes.keys() {
                        attributes.entry(attribute.as_str()).or_insert((file, found));
                    }
                    queue.extend(found.bases.iter().map(|base| last_name(base).to_owned()));
                }
            }
        }
        attributes
    }

    /// The modules that a file imports, as files of the repository.
    pub(crate) fn imported_files(&self, file: &str) -> BTreeSet<&str> {
        let Some(module) = self.module(file) else { return BTreeSet::new() };
        let mut files = BTreeSet::new();
        let mut add = |name: &str| {
            // Importing `a.b.c` runs `a` and `a.b` too.
            let mut name = Some(name);
            while let Some(current) = name {
                files.extend(self.file_of(current));
                name = current.rsplit_once('.').map(|(outer, _)| outer);
            }
        };
        for import in &module.imports {
            match self.resolve(file, import) {
                Some(from) => {
                    add(&from);
                    for name in &import.names {
                        let inner = if from.is_empty() { name.name.clone() } else { format!("{from}.{}", name.name) };
                        if self.file_of(&inner).is_some() {
                            add(&inner);
                        }
                    }
                }
                None => import.names.iter().for_each(|name| add(&name.name)),
            }
        }
        files.remove(file);
        files
    }
}

/// The last name of a dotted expression, what is in brackets left out: `Generic` of `typing.Generic[T]`.
pub(crate) fn last_name(expression: &str) -> &str {
    expression.split(['[', '(']).next().unwrap_or_default().rsplit('.').next().unwrap_or_default().trim()
}

fn is_package_file(file: &str) -> bool {
    file == "__init__.py" || file.ends_with("/__init__.py")
}

/// The dotted name of a file under the longest of the roots that it lies under.
fn dotted_name(file: &str, roots: &[String]) -> Option<String> {
    let inside = |root: &String| {
        let root = root.trim_end_matches('/');
        if root.is_empty() || root == "." { Some(file) } else { file.strip_prefix(root)?.strip_prefix('/') }
    };
    let rest = roots.iter().filter_map(inside).min_by_key(|rest| rest.len()).unwrap_or(file);
    let path = rest.strip_suffix(".py").or_else(|| rest.strip_suffix(".pyi"))?;
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    let is_importable = path.split('/').all(|part| {
        part.starts_with(|char: char| char.is_alphabetic() || char == '_')
            && part.chars().all(|char| char.is_alphanumeric() || char == '_')
    });
    is_importable.then(|| path.replace('/', "."))
}

impl Outline for Index {
    fn known(&self, file: &str) -> Option<&str> {
        self.modules.get_key_value(file).map(|(name, _)| name.as_str())
    }

    fn line_of(&self, file: &str, at: usize) -> u32 {
        self.module(file).map_or(1, |module| module.line_of(at))
    }

    fn function_at(&self, file: &str, at: usize) -> Option<FunctionAround> {
        let Function { span, definition, parameters_span, .. } = self.module(file)?.function_at(at)?;
        Some(FunctionAround { span: *span, definition: *definition, parameters_end: parameters_span.end })
    }

    fn loaded_lines(&self, file: &str) -> Vec<u32> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let starts = module.statements.iter().map(|statement| statement.span.start);
        starts.filter(|start| module.function_at(*start).is_none()).map(|start| module.line_of(start)).collect()
    }

    fn names_in(&self, file: &str, span: Span) -> Vec<&str> {
        let words = self.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
        let used = words.iter().filter(|word| matches!(word.role, Role::Load | Role::Attribute | Role::Imported));
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

    /// Python's imports name what the module calls it.
    fn imported_as(&self, _: &str) -> Vec<(&str, Span)> {
        Vec::new()
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
        let Some(module) = self.module(file) else { return Vec::new() };
        let mut found = Vec::new();
        for import in &module.imports {
            let at = import.span.start;
            let package = self.resolve(file, import);
            if let Some(loaded) = package.as_ref().and_then(|package| self.file_of(package)) {
                let names = import.names.iter().map(|name| name.name.as_str()).collect();
                found.push(Imported { file: loaded, at, names, is_whole: false });
            }
            let inner = |name: &str| match &package {
                Some(package) => self.file_of(&format!("{package}.{name}")),
                None => self.file_of(name),
            };
            let modules = import.names.iter().filter_map(|name| inner(&name.name));
            found.extend(modules.map(|loaded| Imported { file: loaded, at, names: Vec::new(), is_whole: true }));
        }
        found
    }
}
