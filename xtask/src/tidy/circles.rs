//! No circle of modules: the modules next to each other, each with all modules inside it, depend on each other in one direction.
//!
//! A file depends on another when it names something in it by a path that begins at the crate, at itself or at a module above. Names
//! between a module and those inside it do not count, nor do tests inside a file. A name that a module only re-exports belongs to the
//! file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use syn::visit::{self, Visit};

use super::{Complaint, SourceFile};

/// Crates whose folders still depend on each other: only their files are compared.
const BY_FILE: &[&str] = &["crates/code", "crates/repo"];

/// Path of a module within its crate, such as `["tidy", "circles"]`; empty for the crate's root.
type ModulePath = Vec<String>;

/// A crate's modules: each with its file, the paths that it names, and what it re-exports.
#[derive(Default)]
struct Modules<'f> {
    all: BTreeMap<ModulePath, Module<'f>>,
    /// Modules that exist only in tests.
    of_tests: Vec<ModulePath>,
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
    Ok(circles(files)?.iter().map(|circle| complaint(circle)).collect())
}

/// Returns the sets of modules that depend on each other, each module as its file.
fn circles(files: &[SourceFile]) -> anyhow::Result<Vec<Vec<&str>>> {
    let mut crates: BTreeMap<&str, Modules<'_>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"]) && !file.is_test()) {
        let Some((home, path)) = file.path.split_once("/src/") else { continue };
        let parsed = syn::parse_file(&file.text).with_context(|| format!("cannot read {}", file.path))?;
        let module = module_path(path);
        let of_tests = parsed.items.iter().filter(|item| is_of_tests(item)).filter_map(child);
        let of_tests: Vec<ModulePath> = of_tests.map(|name| [module.as_slice(), &[name]].concat()).collect();
        let mut reader = Reader {
            module: module.clone(),
            children: parsed.items.iter().filter_map(child).collect(),
            named: BTreeSet::new(),
            taken: BTreeMap::new(),
            globs: Vec::new(),
        };
        reader.visit_file(&parsed);
        let Reader { named, taken, globs, .. } = reader;
        let modules = crates.entry(home).or_default();
        modules.all.insert(module, Module { file: &file.path, named, taken, globs });
        modules.of_tests.extend(of_tests);
    }
    for Modules { all, of_tests } in crates.values_mut() {
        all.retain(|module, _| !of_tests.iter().any(|of_tests| module.starts_with(of_tests)));
    }
    Ok(crates.iter().flat_map(|(home, modules)| modules.circles(BY_FILE.contains(home))).collect())
}

fn complaint(circle: &[&str]) -> Complaint {
    let first = circle.first().copied().unwrap_or_default();
    Complaint::new(
        first,
        1,
        format!("{} modules depend on each other in a circle: {}", circle.len(), circle.join(", ")),
    )
}

/// The module that a file below `src` holds.
fn module_path(path: &str) -> ModulePath {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let is_root = matches!(stem, "lib" | "main" | "mod");
    if is_root { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

impl<'f> Modules<'f> {
    /// Returns the module that defines what a path names.
    fn home_of(&self, path: &[String]) -> Option<ModulePath> {
        let mut path = path.to_vec();
        // A name can be re-exported several times, but a circle of re-exports has an end.
        for _ in 0..10 {
            let depth =
                (0..=path.len()).rev().find(|depth| self.all.contains_key(path.get(..*depth).unwrap_or_default()))?;
            let home = path.get(..depth).unwrap_or_default();
            let module = self.all.get(home)?;
            let rest = path.get(depth..).unwrap_or_default().to_vec();
            let Some(name) = rest.first() else { return Some(home.to_vec()) };
            let by_glob = || {
                let has_it = |glob: &&Vec<String>| {
                    let inner = self.all.get(*glob);
                    inner.is_some_and(|inner| inner.taken.contains_key(name))
                };
                module.globs.iter().find(has_it).map(|glob| [glob.as_slice(), std::slice::from_ref(name)].concat())
            };
            let Some(target) = module.taken.get(name).cloned().or_else(by_glob) else { return Some(home.to_vec()) };
            path = [target.as_slice(), rest.get(1..).unwrap_or_default()].concat();
        }
        None
    }

    /// Returns the sets of modules that depend on each other, each in order: modules next to each other with all modules inside
    /// them, or single files.
    fn circles(&self, is_by_file: bool) -> BTreeSet<Vec<&'f str>> {
        let mut arrows: BTreeMap<&[String], BTreeSet<ModulePath>> = BTreeMap::new();
        for (own, module) in &self.all {
            for other in module.named.iter().filter_map(|path| self.home_of(path)) {
                let shared = own.iter().zip(&other).take_while(|(own, other)| own == other).count();
                // The two modules next to each other that hold the files; a module and one inside it have no such pair.
                let (Some(from), Some(to)) = (own.get(..=shared), other.get(..=shared)) else { continue };
                let (from, to) = if is_by_file { (own.as_slice(), other.as_slice()) } else { (from, to) };
                arrows.entry(from).or_default().insert(to.to_vec());
            }
        }
        let reached: BTreeMap<&[String], BTreeSet<&[String]>> =
            arrows.keys().map(|module| (*module, reached(module, &arrows))).collect();
        let circle_of = |(module, there): (&&[String], &BTreeSet<&[String]>)| {
            let is_back = |other: &&&[String]| reached.get(**other).is_some_and(|back| back.contains(module));
            let circle = there.iter().filter(is_back).filter_map(|other| Some(self.all.get(*other)?.file));
            circle.collect::<Vec<_>>()
        };
        reached.iter().map(circle_of).filter(|circle| !circle.is_empty()).collect()
    }
}

/// Returns all modules that a module depends on, directly or not.
fn reached<'m>(module: &[String], arrows: &'m BTreeMap<&[String], BTreeSet<ModulePath>>) -> BTreeSet<&'m [String]> {
    let after = |module: &[String]| arrows.get(module).into_iter().flatten().map(Vec::as_slice);
    let mut found = BTreeSet::new();
    let mut queue: Vec<&[String]> = after(module).collect();
    while let Some(next) = queue.pop() {
        if found.insert(next) {
            queue.extend(after(next));
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

fn is_of_tests(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Mod(module) if has_test_attribute(&module.attrs))
}

/// Returns whether one of the attributes is `#[cfg(test)]`.
fn has_test_attribute(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|of| of == "test")
    })
}

impl Visit<'_> for Reader {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if !has_test_attribute(&item.attrs) && item.content.is_some() {
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
    fn modules_that_name_each_other_are_a_circle() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "use crate::b::B; pub struct A;"),
            ("crates/x/src/b.rs", "pub fn b() { super::c::c() }"),
            ("crates/x/src/c.rs", "use super::a::{self, A}; pub fn c() {}"),
        ]);
        let files = "crates/x/src/a.rs, crates/x/src/b.rs, crates/x/src/c.rs";
        assert_eq!(found, [format!("3 modules depend on each other in a circle: {files}")]);
    }

    #[test]
    fn a_module_is_one_with_those_inside_it_for_its_neighbours() {
        let found = complaints(&[
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            ("crates/x/src/a/mod.rs", "mod one; mod two;"),
            ("crates/x/src/a/one.rs", "use crate::b::B;"),
            ("crates/x/src/a/two.rs", "pub struct A;"),
            ("crates/x/src/b.rs", "use crate::a::two::A; pub struct B;"),
        ]);
        let files = "crates/x/src/a/mod.rs, crates/x/src/b.rs";
        assert_eq!(found, [format!("2 modules depend on each other in a circle: {files}")]);
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
            ("crates/x/src/a.rs", "use y::b::B; #[cfg(test)] mod tests { use crate::b::B; } #[cfg(test)] mod c;"),
            ("crates/x/src/a/c.rs", "use crate::b::B;"),
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
