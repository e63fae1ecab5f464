//! No circle of modules: within a crate, files depend on each other in one direction.
//!
//! A file depends on another when it names something in it by a path that begins at the crate, at itself or at a module above. A module and
//! those inside of it are one thing: between them nothing counts, nor do tests inside a file. A name that another module only hands on
//! belongs to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use syn::visit::{self, Visit};

use super::{Complaint, SourceFile};

/// Circles that are left, each by the first of its files and their number, with what ties it: a list that may only get shorter.
const ALLOWED: &[(&str, usize, &str)] = &[
    ("crates/forge/src/branch.rs", 3, "errors name branches and commits"),
    ("crates/testkit/src/github/ci.rs", 2, "the state keeps plans of CI"),
    ("crates/testkit/src/site/change.rs", 3, "changes choose layouts, and layouts show changes"),
];

/// Path of a module within its crate, such as `["tidy", "circles"]`; empty for the crate's root.
type ModulePath = Vec<String>;

/// A crate's modules: each with its file, the paths that it names, and what it re-exports.
#[derive(Default)]
struct Modules<'f> {
    all: BTreeMap<ModulePath, Module<'f>>,
}

struct Module<'f> {
    file: &'f str,
    named: BTreeSet<Vec<String>>,
    /// Names that the module has from elsewhere, with their paths.
    taken: BTreeMap<String, Vec<String>>,
    /// Modules of which it hands on everything.
    globs: Vec<Vec<String>>,
}

pub(super) fn check(files: &[SourceFile]) -> anyhow::Result<Vec<Complaint>> {
    let circles = circles(files)?;
    let is_it = |circle: &[&str], first: &str, count: usize| circle.first() == Some(&first) && circle.len() == count;
    let is_allowed = |circle: &[&str]| ALLOWED.iter().any(|(first, count, _)| is_it(circle, first, *count));
    let is_gone = |first: &str, count: usize| !circles.iter().any(|circle| is_it(circle, first, count));
    let gone = ALLOWED.iter().filter(|(first, count, _)| is_gone(first, *count));
    let gone = gone.map(|(first, ..)| {
        Complaint::new(first, 1, "its circle is open: take it off the list in xtask/src/tidy/circles.rs")
    });
    let closed = circles.iter().filter(|circle| !is_allowed(circle)).map(|circle| complaint(circle));
    Ok(closed.chain(gone).collect())
}

/// Returns the sets of files that depend on each other.
fn circles(files: &[SourceFile]) -> anyhow::Result<Vec<Vec<&str>>> {
    let mut crates: BTreeMap<&str, Modules<'_>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"]) && !file.is_test()) {
        let Some((home, path)) = file.path.split_once("/src/") else { continue };
        let parsed = syn::parse_file(&file.text).with_context(|| format!("cannot read {}", file.path))?;
        let module = module_path(path);
        let mut reader = Reader {
            module: module.clone(),
            children: parsed.items.iter().filter_map(child).collect(),
            named: BTreeSet::new(),
            taken: BTreeMap::new(),
            globs: Vec::new(),
        };
        reader.visit_file(&parsed);
        let Reader { named, taken, globs, .. } = reader;
        crates.entry(home).or_default().all.insert(module, Module { file: &file.path, named, taken, globs });
    }
    Ok(crates.values().flat_map(Modules::circles).collect())
}

fn complaint(circle: &[&str]) -> Complaint {
    let first = circle.first().copied().unwrap_or_default();
    Complaint::new(first, 1, format!("{} files depend on each other in a circle: {}", circle.len(), circle.join(", ")))
}

/// The module that a file below `src` holds.
fn module_path(path: &str) -> ModulePath {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let is_root = matches!(stem, "lib" | "main" | "mod");
    if is_root { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

impl<'f> Modules<'f> {
    /// Returns the module that defines what a path names, and its file.
    fn home_of(&self, path: &[String]) -> Option<(ModulePath, &'f str)> {
        let mut path = path.to_vec();
        // As many times as names are handed on, but not for ever.
        for _ in 0..10 {
            let depth =
                (0..=path.len()).rev().find(|depth| self.all.contains_key(path.get(..*depth).unwrap_or_default()))?;
            let home = path.get(..depth).unwrap_or_default();
            let module = self.all.get(home)?;
            let rest = path.get(depth..).unwrap_or_default().to_vec();
            let Some(name) = rest.first() else { return Some((home.to_vec(), module.file)) };
            let by_glob = || {
                let has_it = |glob: &&Vec<String>| {
                    let inner = self.all.get(*glob);
                    inner.is_some_and(|inner| inner.taken.contains_key(name))
                };
                module.globs.iter().find(has_it).map(|glob| [glob.as_slice(), std::slice::from_ref(name)].concat())
            };
            let Some(target) = module.taken.get(name).cloned().or_else(by_glob) else {
                return Some((home.to_vec(), module.file));
            };
            path = [target.as_slice(), rest.get(1..).unwrap_or_default()].concat();
        }
        None
    }

    /// Returns the sets of files that depend on each other, each in order.
    fn circles(&self) -> Vec<Vec<&'f str>> {
        let mut arrows: BTreeMap<&str, BTreeSet<&'f str>> = BTreeMap::new();
        for (own, module) in &self.all {
            let others = module.named.iter().filter_map(|path| self.home_of(path));
            let others = others.filter(|(other, _)| !other.starts_with(own) && !own.starts_with(other));
            arrows.insert(module.file, others.map(|(_, file)| file).collect());
        }
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            arrows.keys().map(|file| (*file, reached(file, &arrows))).collect();
        let mut circles: BTreeSet<Vec<&'f str>> = BTreeSet::new();
        for module in self.all.values() {
            let is_back = |other: &&str| reached.get(other).is_some_and(|back| back.contains(module.file));
            let circle: Vec<&'f str> = self
                .all
                .values()
                .map(|other| other.file)
                .filter(|other| reached.get(module.file).is_some_and(|there| there.contains(other)) && is_back(other))
                .collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }
}

/// Returns all files that a file depends on, directly or not.
fn reached<'f>(file: &str, arrows: &BTreeMap<&str, BTreeSet<&'f str>>) -> BTreeSet<&'f str> {
    let mut found = BTreeSet::new();
    let mut queue: Vec<&'f str> = arrows.get(file).into_iter().flatten().copied().collect();
    while let Some(next) = queue.pop() {
        if found.insert(next) {
            queue.extend(arrows.get(next).into_iter().flatten().copied());
        }
    }
    found
}

/// Collects the paths that a file names.
struct Reader {
    module: ModulePath,
    /// Its child modules that have separate files.
    children: BTreeSet<String>,
    named: BTreeSet<Vec<String>>,
    taken: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

impl Reader {
    /// Returns a path from the crate's root; `None` when it begins elsewhere.
    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([self.module.as_slice(), rest].concat()),
            "super" => {
                let above = segments.iter().take_while(|segment| *segment == "super").count();
                let kept = self.module.len().checked_sub(above)?;
                let (module, rest) = (self.module.get(..kept)?, segments.get(above..)?);
                Some([module, rest].concat())
            }
            child if self.children.contains(child) => Some([self.module.as_slice(), segments].concat()),
            _ => None,
        }
    }

    fn add_use(&mut self, tree: &syn::UseTree, before: &[String], is_handed_on: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.add_use(&path.tree, &before, is_handed_on);
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.add_use(item, before, is_handed_on)),
            syn::UseTree::Name(name) => {
                let own = name.ident.to_string();
                self.add_name(before, &own, &own, is_handed_on);
            }
            syn::UseTree::Rename(rename) => {
                self.add_name(before, &rename.ident.to_string(), &rename.rename.to_string(), is_handed_on);
            }
            syn::UseTree::Glob(_) => {
                let Some(path) = self.absolute(before) else { return };
                if is_handed_on {
                    self.globs.push(path);
                } else {
                    self.named.insert(path);
                }
            }
        }
    }

    fn add_name(&mut self, before: &[String], name: &str, known_as: &str, is_handed_on: bool) {
        let segments = if name == "self" { before.to_vec() } else { [before, &[name.to_owned()]].concat() };
        let Some(path) = self.absolute(&segments) else { return };
        let known_as =
            if known_as == "self" { before.last().cloned().unwrap_or_default() } else { known_as.to_owned() };
        if !is_handed_on {
            self.named.insert(path.clone());
        }
        self.taken.insert(known_as, path);
    }
}

/// Returns the name of a module with a separate file.
fn child(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
        _ => None,
    }
}

impl Visit<'_> for Reader {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|of| of == "test")
        };
        if !item.attrs.iter().any(is_test) && item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let is_handed_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_use(&item.tree, &[], is_handed_on);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(path) = self.absolute(&segments) {
            self.named.insert(path);
        }
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|(path, text)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        circles(&files).unwrap().iter().map(|circle| complaint(circle).message).collect()
    }

    #[test]
    fn files_that_name_each_other_are_a_circle() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "use crate::b::B; pub struct A;"),
            ("crates/x/src/b.rs", "pub fn b() { super::c::c() }"),
            ("crates/x/src/c.rs", "use super::a::{self, A}; pub fn c() {}"),
        ]);
        let files = "crates/x/src/a.rs, crates/x/src/b.rs, crates/x/src/c.rs";
        assert_eq!(found, [format!("3 files depend on each other in a circle: {files}")]);
    }

    #[test]
    fn a_module_that_hands_on_the_names_of_others_is_not_in_their_way() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a;"),
            ("crates/x/src/a/mod.rs", "mod b; mod c; pub(crate) use b::B; pub use self::c::*;"),
            ("crates/x/src/a/b.rs", "pub struct B;"),
            ("crates/x/src/a/c.rs", "use super::B; use crate::a::B as Other;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn tests_and_other_crates_do_not_count() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            ("crates/x/src/a.rs", "use y::b::B; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("crates/x/src/b.rs", "use crate::a::A;"),
            ("crates/y/src/lib.rs", "use crate::a::A;"),
            ("crates/x/tests/it/main.rs", "use crate::main;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_module_and_those_inside_of_it_are_one_thing() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a;"),
            ("crates/x/src/a.rs", "mod b; pub struct A; fn f() { self::b::g() }"),
            ("crates/x/src/a/b.rs", "use super::A; pub fn g() {}"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
