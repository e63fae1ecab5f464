//! An import of an item that lies in another module of its crate by now.

use autoheal_engine::diagnostics::Category;

use super::ground::Place;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::repair::shortlist::Shortlist;
use crate::rust::crates;
use crate::rust::module::Use;

/// Writes the path of the module that defines the item.
pub(super) struct MovedItem;

const NAME: &str = "moved_item";

/// Bits: it is the one definition of that name.
const BITS: f64 = 1.0;
/// Definitions of one name, of which each may be meant.
const MOST: usize = 3;

impl Fixer for MovedItem {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let place = Place::new(context);
        let (Category::Import, Some(file), Some(location)) =
            (finding.category, finding.file.as_deref(), finding.location)
        else {
            return Vec::new();
        };
        let (Some(module), Some(package)) = (place.index.module(file), place.index.package_of(file)) else {
            return Vec::new();
        };
        let mut list = Shortlist::new(&place);
        for import in module.uses.iter().filter(|import| module.line_of(import.own.start) == location.line) {
            let Some(name) = import.path.last().filter(|name| finding.message.contains(name.as_str())) else {
                continue;
            };
            let files = place.index.files_of_package(file);
            let defines = |other: &&str| place.index.module(other).is_some_and(|module| module.defines(name));
            let homes: Vec<Vec<String>> = files
                .into_iter()
                .filter(|other| *other != file && crates::root_of(package, other) == crates::root_of(package, file))
                .filter(defines)
                .filter_map(|home| crates::module_path(package, home))
                .collect();
            for home in homes.iter().filter(|_| homes.len() <= MOST) {
                if let Some(path) = rewritten(import, home) {
                    let description = format!("import `{name}` from `{}`", home.join("::"));
                    list.edit(BITS, description, file, Edit::replace(import.own.range(), path));
                }
            }
        }
        list.finish(NAME, MOST)
    }
}

/// The path of an import for the module that its item is in now: of one in a group only if the group is in a module around that one.
fn rewritten(import: &Use, home: &[String]) -> Option<String> {
    let name = import.path.last()?;
    let whole: Vec<&str> = home.iter().chain([name]).map(String::as_str).collect();
    let group = import.path.get(..import.in_group)?;
    if !group.iter().map(String::as_str).eq(whole.iter().copied().take(group.len())) {
        return None;
    }
    let own = whole.get(group.len()..)?.join("::");
    (own != import.path.get(import.in_group..)?.join("::")).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::MovedItem;
    use crate::fix_example::{check_fix, check_no_fix, rustc};

    #[test]
    fn follows_function_to_its_new_module() {
        check_fix(
            &MovedItem,
            rustc("src/kebab.rs:1:13: E0432: unresolved import `crate::capitalize`"),
            r#"
//- /Cargo.toml
 [package]
 name = "words"
//- /src/lib.rs
 mod kebab;
 mod upper_camel;
 fn lowercase() {}
//- /src/upper_camel.rs
 pub(crate) fn capitalize() {}
//- /src/kebab.rs
-use crate::{capitalize, lowercase};
+use crate::{upper_camel::capitalize, lowercase};
"#,
        );
    }

    #[test]
    fn leaves_name_alone_that_nothing_defines() {
        check_no_fix(
            &MovedItem,
            rustc("src/kebab.rs:1:12: E0432: unresolved import `crate::capitalize`"),
            r#"
//- /Cargo.toml
 [package]
 name = "words"
//- /src/lib.rs
 mod kebab;
//- /src/kebab.rs
 use crate::capitalize;
"#,
        );
    }
}
