//! A module that is not there: its path or name is wrong.

use std::collections::BTreeSet;

use super::blame::Blame;
use super::dependency;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::components::is_component;
use crate::javascript::index::{ENDINGS, Index, folder, is_relative, join, relative};
use crate::javascript::manifest::FIELDS;
use crate::javascript::module::Import;
use crate::repair::shortlist::Shortlist;
use crate::repair::spelling::slip;

/// Repairs the specifier of an import: another path to a file of the repository, another extension, or the name of a package
/// or builtin that is spelled almost the same.
pub(super) struct ModulePath;

const NAME: &str = "module_path";

impl Fixer for ModulePath {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::UnknownModule { specifier } = &blame.complaint else { return Vec::new() };
        let mut list = Shortlist::new(&blame);
        for (file, import) in imports(&blame, specifier) {
            paths(&mut list, &blame, file, import);
            packages(&mut list, &blame, file, import);
        }
        list.finish(NAME, 16)
    }
}

/// The imports that a message speaks of: by the specifier as written, or by the path that it leads to.
pub(super) fn imports<'a>(blame: &Blame<'a>, said: &str) -> Vec<(&'a str, &'a Import)> {
    let all =
        || blame.index.modules().flat_map(|(file, module)| module.imports.iter().map(move |import| (file, import)));
    let editable = |file: &str| blame.context.sources.is_editable(file);
    let named = blame.files();
    // Node's own modules name their files in full: what a bundler finds may be missing for them.
    let is_whole = |import: &Import| ENDINGS.iter().any(|extension| import.specifier.ends_with(extension));
    let is_broken = |file: &str, import: &Import| {
        let is_strict = !import.is_require && !is_whole(import);
        is_strict || !is_relative(&import.specifier) || blame.index.resolve(file, &import.specifier).is_none()
    };
    let leads_there = |file: &str, import: &Import| {
        import.specifier == said
            || said.starts_with('/')
                && join(folder(file), &import.specifier).is_some_and(|path| said.ends_with(&format!("/{path}")))
    };
    let mut found: Vec<(&str, &Import)> =
        all().filter(|(file, import)| editable(file) && leads_there(file, import) && is_broken(file, import)).collect();
    found.sort_by_key(|(file, _)| named.iter().position(|name| name == file).unwrap_or(named.len()));
    found
}

/// Files of the repository that the specifier may have meant.
fn paths(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, import: &Import) {
    let written = import.specifier.as_str();
    let names: BTreeSet<&str> = import.names.iter().map(|name| name.name.as_str()).collect();
    for other in blame.index.files() {
        if !is_importable(other, written) || other == file {
            continue;
        }
        let full = relative(file, other);
        for (spelled, bits) in spellings(blame.index, file, other, &full, written) {
            let alike = if is_relative(written) { likeness(written, &spelled) } else { bare(written, &spelled) };
            let Some(alike) = alike else { continue };
            let offers = blame.index.exports(other);
            let unfit = names.iter().filter(|name| !offers.contains(**name)).count().min(3);
            let unfit = if import.names.iter().any(|name| name.kind == crate::javascript::module::ImportKind::Named) {
                2.0 * f64::from(u32::try_from(unfit).unwrap_or(3))
            } else {
                0.0
            };
            list.edit(
                alike + bits + unfit,
                format!("import from '{spelled}'"),
                file,
                Edit::replace(import.specifier_span.range(), spelled),
            );
        }
    }
}

/// Returns whether a file may be what a specifier means: a module, a component, or a file of the kind that the specifier itself names.
fn is_importable(file: &str, written: &str) -> bool {
    let kind = |path: &str| {
        let (stem, kind) = path.rsplit('/').next()?.rsplit_once('.')?;
        (!stem.is_empty()).then(|| kind.to_owned())
    };
    ENDINGS.iter().any(|extension| file.ends_with(extension))
        || is_component(file)
        || kind(file).is_some_and(|of_file| kind(written).is_some_and(|named| named == of_file))
}

/// The ways to name a file in this project: with or without its extension, and an index by its folder.
fn spellings(index: &Index, from: &str, file: &str, full: &str, written: &str) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let has_extension = |path: &str| ENDINGS.iter().any(|extension| path.ends_with(extension));
    let others: Vec<bool> = index
        .module(from)
        .map(|module| module.imports.iter().filter(|import| is_relative(&import.specifier)))
        .into_iter()
        .flatten()
        .filter(|import| import.specifier != written)
        .map(|import| has_extension(&import.specifier))
        .collect();
    let with = others.iter().filter(|has| **has).count();
    let prefers_extension = if others.is_empty() { has_extension(written) } else { 2 * with >= others.len() };
    let is_typed = [".ts", ".tsx"].iter().any(|extension| file.ends_with(extension));
    for extension in ENDINGS {
        let Some(stem) = full.strip_suffix(extension) else { continue };
        let must = extension == ".json";
        found.push((stem.to_owned(), if prefers_extension || must { 2.0 } else { 0.0 }));
        if let Some(folder) = stem.strip_suffix("/index") {
            let folder = if folder == "." || folder == ".." { format!("{folder}/") } else { folder.to_owned() };
            found.push((folder, if prefers_extension { 2.0 } else { 0.0 }));
        }
        if is_typed && prefers_extension {
            found.push((format!("{stem}.js"), 0.0));
        }
    }
    // Only the extensions of modules may be left out.
    let is_needed = !has_extension(full);
    found.push((full.to_owned(), if prefers_extension || is_needed { 0.0 } else { 2.0 }));
    found.retain(|(spelled, _)| index.resolve(from, spelled).is_some());
    found
}

/// Returns how unlikely it is, in bits, that one relative path was meant by another: the same name elsewhere,
/// or nearly the same name. `None` if the names are too different.
fn likeness(written: &str, spelled: &str) -> Option<f64> {
    let parts = |path: &str| -> Vec<String> { path.split('/').map(str::to_owned).collect() };
    let (one, other) = (parts(written), parts(spelled));
    let last = |parts: &[String]| parts.last().cloned().unwrap_or_default();
    if spelled.strip_prefix(written).is_some_and(|rest| rest.trim_start_matches('/').starts_with("index.")) {
        return Some(0.5);
    }
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let (one_name, other_name) = (last(&one), last(&other));
    let folders = {
        let (one, other) = (&one[..one.len() - 1], &other[..other.len() - 1]);
        let differing = strsim::generic_levenshtein(&one.to_vec(), &other.to_vec());
        let nearly = one.len() == other.len()
            && differing == 1
            && one.iter().zip(other).any(|(one, other)| one != other && slip(one, other).is_some());
        if nearly { 1.5 } else { 2.5 * f64::from(u32::try_from(differing.min(9)).unwrap_or(9)) }
    };
    let names = if one_name == other_name {
        0.0
    } else if stem(&one_name) == stem(&other_name) && !stem(&one_name).is_empty() {
        1.0
    } else {
        slip(&one_name, &other_name).or_else(|| slip(&stem(&one_name), &stem(&other_name)).map(|bits| bits + 0.5))?
    };
    Some(names + folders)
}

/// A path that lost its beginning: `utils` for `./utils`.
fn bare(written: &str, spelled: &str) -> Option<f64> {
    let rest = spelled.trim_start_matches("../").trim_start_matches("./");
    if rest == written {
        return Some(2.0);
    }
    let stem = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    (stem(rest) == stem(written)).then_some(3.0)
}

/// Packages and builtins that are spelled almost like the specifier.
fn packages(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, import: &Import) {
    let written = import.specifier.as_str();
    if is_relative(written) {
        // `./fs` for `fs`.
        let name = written.trim_start_matches("./");
        let known = known(blame);
        if known.contains(name) {
            let edit = Edit::replace(import.specifier_span.range(), name);
            list.edit(4.0, format!("import the package '{name}'"), file, edit);
        }
        return;
    }
    let node = written.strip_prefix("node:");
    for candidate in known(blame) {
        let wrong = node.unwrap_or(written);
        let Some(bits) = slip(wrong, &candidate) else { continue };
        let spelled = if node.is_some() { format!("node:{candidate}") } else { candidate.clone() };
        let edit = Edit::replace(import.specifier_span.range(), spelled.as_str());
        list.edit(bits, format!("import from '{spelled}'"), file, edit);
    }
}

/// Every package and builtin that is known here: those that can be loaded, those that are imported, those that manifests name.
fn known(blame: &Blame<'_>) -> BTreeSet<String> {
    let environment = blame.runtime();
    let mut names: BTreeSet<String> =
        environment.standard_library.iter().chain(&environment.installed).cloned().collect();
    let said = match &blame.complaint {
        Complaint::UnknownModule { specifier } => specifier.as_str(),
        _ => "",
    };
    for (_, module) in blame.index.modules() {
        let bare = module.imports.iter().filter(|import| !is_relative(&import.specifier) && import.specifier != said);
        names.extend(bare.map(|import| import.specifier.trim_start_matches("node:").to_owned()));
    }
    names.extend(dependency::declared(blame.context.sources, &FIELDS).into_keys());
    names
}

#[cfg(test)]
mod tests {
    use super::ModulePath;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn corrects_misspelt_path() {
        check_fix(
            &ModulePath,
            node(
                r"Error: Cannot find module './mony'
Require stack:
- /repo/lib/cart.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
            ),
            r"
//- /lib/cart.js
-const { round } = require('./mony');
+const { round } = require('./money');

 module.exports = (price) => round(price);
//- /lib/money.js
 exports.round = (value) => Math.round(value);
",
        );
    }

    #[test]
    fn writes_extension_that_modules_need() {
        check_fix(
            &ModulePath,
            node(
                r"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/repo/src/round' imported from /repo/src/bill.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:275:11)",
            ),
            r"
//- /src/bill.mjs
-import { round } from './round';
+import { round } from './round.js';

 export const bill = (price) => round(price);
//- /src/round.js
 export const round = (value) => Math.round(value);
",
        );
    }

    #[test]
    fn corrects_name_of_module_of_node() {
        check_fix(
            &ModulePath,
            node(
                r"Error: Cannot find module 'paht'
Require stack:
- /repo/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
            ),
            r"
-const path = require('paht');
+const path = require('path');

 module.exports = (file) => path.resolve(file);
",
        );
    }

    #[test]
    fn finds_component() {
        for wrong in ["./Rows.vue", "./parts/Row.vue", "./Row"] {
            check_fix(
                &ModulePath,
                node(&format!(
                    "Error: Failed to resolve import \"{wrong}\" from \"src/Card.vue\". Does the file exist?"
                )),
                &format!(
                    r"
//- /src/Card.vue
 <script setup>
-import Row from '{wrong}'
+import Row from './Row.vue'
 </script>

 <template>
   <Row />
 </template>
//- /src/Row.vue
 <template>
   <p>row</p>
 </template>
//- /src/row.test.js protected
 import Row from './Row.vue';
"
                ),
            );
        }
    }

    #[test]
    fn leaves_package_that_is_not_installed_alone() {
        check_no_fix(
            &ModulePath,
            node(
                r"Error: Cannot find module 'left-pad'
Require stack:
- /repo/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
            ),
            r"
 const pad = require('left-pad');

 module.exports = (text) => pad(text, 8);
",
        );
    }
}
