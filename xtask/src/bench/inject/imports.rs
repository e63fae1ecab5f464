//! Modules and names that cannot be found.

use std::ops::Range;

use syn::{Item, UseTree, Visibility};

use super::random::Random;
use super::source::{Edit, Source, has_attribute, range};
use super::{Kind, Places};

pub(super) const KINDS: &[Kind] = &[
    import("lost_use", |source, _| {
        uses(source).into_iter().filter_map(|item| source.lines(range(item))).map(Edit::delete).collect()
    }),
    import("lost_used_name", |source, _| {
        let mut edits = Vec::new();
        for item in uses(source) {
            let mut groups = Vec::new();
            add_groups(&item.tree, &mut groups);
            for names in groups {
                for (left, right) in names.iter().zip(names.iter().skip(1)) {
                    edits.push(Edit::delete(left.start..right.start));
                    edits.push(Edit::delete(left.end..right.end));
                }
            }
        }
        edits
    }),
    import("typo_in_used_name", |source, random| typos(source, random, |words| words.names.clone())),
    import("typo_in_module", |source, random| typos(source, random, |words| words.path.clone())),
    import("other_root", |source, random| {
        let others = |root: &str| match root {
            "crate" => vec!["self", "super", "crate::crate"],
            "super" => vec!["crate", "self", "super::super"],
            "self" => vec!["super", "crate::crate"],
            "std" => vec!["core", "alloc", "crate"],
            "core" | "alloc" => vec!["crate", "super"],
            _ => Vec::new(),
        };
        let mut edits = Vec::new();
        for item in uses(source) {
            let Some(root) = words(&item.tree).path.first().cloned() else { continue };
            let others = others(&source.text[root.clone()]);
            if !others.is_empty() {
                edits.push(Edit::new(root, random.choice(&others)));
            }
        }
        edits
    }),
    import("lost_root", |source, _| {
        let mut edits = Vec::new();
        for item in uses(source) {
            let Some(root) = words(&item.tree).path.first().cloned() else { continue };
            if ["crate", "super", "self"].contains(&&source.text[root.clone()]) {
                edits.push(Edit::delete(root.start..root.end + "::".len()));
            }
        }
        edits
    }),
    import("other_module", |source, random| {
        let names: Vec<String> = source.others.iter().filter_map(|path| module_of(path)).collect();
        let mut edits = Vec::new();
        for item in uses(source) {
            for place in words(&item.tree).path {
                let word = &source.text[place.clone()];
                let others: Vec<&String> = names.iter().filter(|name| *name != word).collect();
                if !others.is_empty() && !["crate", "super", "self", "std", "core", "alloc"].contains(&word) {
                    edits.push(Edit::new(place, random.choice(&others)));
                }
            }
        }
        edits
    }),
    import("lost_alias", |source, _| {
        let aliases = uses(source).into_iter().flat_map(|item| words(&item.tree).aliases);
        aliases.map(Edit::delete).collect()
    }),
    import("lost_mod", |source, _| {
        let declared = modules(source).into_iter();
        declared.filter_map(|module| source.lines(range(module))).map(Edit::delete).collect()
    }),
    import("typo_in_mod", |source, random| {
        let typo = |module: &syn::ItemMod| Edit::new(range(&module.ident), random.typo(&module.ident.to_string()));
        modules(source).into_iter().map(typo).collect()
    }),
    import("lost_pub", |source, _| {
        let mut edits = Vec::new();
        for item in source.items() {
            if let Some(shown @ (Visibility::Public(_) | Visibility::Restricted(_))) = visibility(item) {
                let range = range(shown);
                edits.push(Edit::delete(range.start..range.end + 1));
            }
        }
        edits
    }),
    import("moved_item", |source, random| {
        let others: Vec<&String> = source.others.iter().filter(|path| !path.contains("/bin/")).collect();
        let mut edits = Vec::new();
        for item in &source.tree.items {
            let is_movable =
                matches!(item, Item::Fn(_) | Item::Const(_) | Item::Static(_) | Item::Struct(_) | Item::Enum(_));
            let Some(lines) = source.lines(range(item)).filter(|_| is_movable && !others.is_empty()) else { continue };
            let is_shown = visibility(item).is_some_and(|shown| !matches!(shown, Visibility::Inherited));
            let text = source.of(item);
            let start = item_start(item).map_or(0, |start| start - range(item).start);
            let shown = if is_shown { "" } else { "pub(crate) " };
            let text = format!("{}{shown}{}", &text[..start], &text[start..]);
            let mut edit = Edit::delete(lines);
            edit.added = Some((random.choice(&others).clone(), text));
            edits.push(edit);
        }
        edits
    }),
];

const fn import(name: &'static str, places: Places) -> Kind {
    Kind::new("IMPORT", name, places)
}

fn uses(source: &Source) -> Vec<&syn::ItemUse> {
    let mut uses = Vec::new();
    for item in source.items() {
        if let Item::Use(item) = item {
            uses.push(item);
        }
    }
    uses
}

/// Declarations of modules with their own file.
fn modules(source: &Source) -> Vec<&syn::ItemMod> {
    let mut modules = Vec::new();
    for item in source.items() {
        if let Item::Mod(item) = item
            && item.content.is_none()
            && !has_attribute(&item.attrs, "path")
        {
            modules.push(item);
        }
    }
    modules
}

/// Places of the words of a `use`.
#[derive(Default)]
struct Words {
    /// The modules that the names are taken from.
    path: Vec<Range<usize>>,
    names: Vec<Range<usize>>,
    /// ` as NAME`
    aliases: Vec<Range<usize>>,
}

fn words(tree: &UseTree) -> Words {
    let mut words = Words::default();
    add_words(tree, &mut words);
    words
}

fn add_words(tree: &UseTree, words: &mut Words) {
    match tree {
        UseTree::Path(path) => {
            words.path.push(range(&path.ident));
            add_words(&path.tree, words);
        }
        UseTree::Name(name) if name.ident != "self" => words.names.push(range(&name.ident)),
        UseTree::Rename(name) => {
            words.names.push(range(&name.ident));
            words.aliases.push(range(&name.ident).end..range(&name.rename).end);
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_words(tree, words)),
        UseTree::Name(_) | UseTree::Glob(_) => {}
    }
}

/// Adds the places of the names of each group in braces.
fn add_groups(tree: &UseTree, groups: &mut Vec<Vec<Range<usize>>>) {
    match tree {
        UseTree::Path(path) => add_groups(&path.tree, groups),
        UseTree::Group(group) => {
            groups.push(group.items.iter().map(range).collect());
            group.items.iter().for_each(|tree| add_groups(tree, groups));
        }
        UseTree::Name(_) | UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

fn typos(source: &Source, random: &mut Random, places: impl Fn(&Words) -> Vec<Range<usize>>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for item in uses(source) {
        for place in places(&words(&item.tree)) {
            let word = &source.text[place.clone()];
            if !["crate", "super", "self"].contains(&word) {
                edits.push(Edit::new(place.clone(), random.typo(word)));
            }
        }
    }
    edits
}

fn module_of(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?.strip_suffix(".rs")?;
    (!["lib", "main", "mod"].contains(&name)).then(|| name.to_owned())
}

fn visibility(item: &Item) -> Option<&Visibility> {
    match item {
        Item::Fn(item) => Some(&item.vis),
        Item::Const(item) => Some(&item.vis),
        Item::Static(item) => Some(&item.vis),
        Item::Struct(item) => Some(&item.vis),
        Item::Enum(item) => Some(&item.vis),
        Item::Trait(item) => Some(&item.vis),
        Item::Mod(item) => Some(&item.vis),
        Item::Use(item) => Some(&item.vis),
        Item::Type(item) => Some(&item.vis),
        _ => None,
    }
}

/// The place behind the attributes of an item that is not visible elsewhere.
fn item_start(item: &Item) -> Option<usize> {
    match item {
        Item::Fn(item) => Some(range(&item.sig).start),
        Item::Const(item) => Some(range(&item.const_token).start),
        Item::Static(item) => Some(range(&item.static_token).start),
        Item::Struct(item) => Some(range(&item.struct_token).start),
        Item::Enum(item) => Some(range(&item.enum_token).start),
        _ => None,
    }
}
