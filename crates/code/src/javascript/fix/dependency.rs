//! A package that is imported and that no manifest names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::files::KNOWN;
use crate::javascript::index::{folder, is_relative};
use crate::javascript::manifest::{self, FIELDS, package_of};
use crate::repair::shortlist::Shortlist;
use crate::sources::Sources;

/// Adds a missing package to the dependencies of `package.json`. Only a package that another manifest or the
/// lock file of the repository names, with the version given there. Never a guess, since the named package will
/// be installed.
pub(super) struct Dependency;

const NAME: &str = "dependency";

impl Fixer for Dependency {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::UnknownModule { specifier } = &blame.complaint else { return Vec::new() };
        let node = context.environment.of(crate::javascript::ID);
        if is_relative(specifier) || specifier.starts_with(['/', '#']) || node.standard_library.contains(specifier) {
            return Vec::new();
        }
        let name = package_of(specifier);
        let declared = declared(context.sources, &FIELDS);
        let mut list = Shortlist::new(&blame);
        for (file, text) in manifests(context.sources) {
            let version = match lock_over(context.sources, file) {
                None => declared.get(name).cloned(),
                Some(lock) => locked(lock, name),
            };
            let Some(version) = version else { continue };
            let depth = 2.0 * f64::from(u32::try_from(file.matches('/').count()).unwrap_or(9));
            for field in ["dependencies", "devDependencies"] {
                let Some(edit) = with_dependency(text, field, name, &version) else { continue };
                let bits = depth + if field == "dependencies" { 1.5 } else { 2.5 };
                list.edit(bits, format!("add the dependency '{name}' ({version})"), file, edit);
            }
        }
        list.finish(NAME, 4)
    }
}

fn manifests(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    sources.iter().filter(|(file, _)| *file == "package.json" || file.ends_with("/package.json"))
}

/// Packages that manifests name in these fields, with their versions.
pub(in crate::javascript) fn declared(sources: &Sources, fields: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (_, text) in manifests(sources) {
        let Ok(manifest) = serde_json::from_str::<Value>(text) else { continue };
        for (name, version) in fields.iter().filter_map(|field| manifest.get(field)?.as_object()).flatten() {
            if let Some(version) = version.as_str() {
                found.entry(name.clone()).or_insert_with(|| version.to_owned());
            }
        }
    }
    found
}

/// The text of the lock file that a manifest is installed by: the nearest one, in its folder or above.
fn lock_over<'a>(sources: &'a Sources, manifest: &str) -> Option<&'a str> {
    let mut below = folder(manifest);
    loop {
        let inside = |name: &str| if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if let Some(text) = KNOWN.locks.iter().find_map(|name| sources.text(&inside(name))) {
            return Some(text);
        }
        if below.is_empty() {
            return None;
        }
        below = folder(below);
    }
}

/// The version of a package that npm's lock file holds: `npm ci` installs a new dependency when the lock file has a version of it that
/// fits. Other installers compare the dependencies themselves with their lock file, so nothing can be added without writing that.
fn locked(lock: &str, name: &str) -> Option<String> {
    let lock: Value = serde_json::from_str(lock).ok()?;
    let path = format!("node_modules/{name}");
    let entry = lock.get("packages").and_then(|packages| packages.get(&path));
    let version = entry.or_else(|| lock.get("dependencies")?.get(name))?.get("version")?.as_str()?;
    Some(format!("^{version}"))
}

/// The manifest with one dependency more, everything else as it was.
fn with_dependency(text: &str, field: &str, name: &str, version: &str) -> Option<Edit> {
    if manifest::states(text, name) {
        return None;
    }
    manifest::with_member(text, &[field], name, version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::FileEdit;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn adds_package_that_other_manifest_names() {
        check_fix(
            &Dependency,
            node(
                r"Error: Cannot find module 'semver'
Require stack:
- /repo/a.js",
            ),
            r#"
//- /a.js
 const semver = require('semver');
//- /package.json
 {
   "dependencies": {
-    "chalk": "^5.0.0"
+    "chalk": "^5.0.0",
+    "semver": "^7.1.0"
   }
 }
//- /part/package.json
 { "dependencies": { "semver": "^7.1.0" } }
"#,
        );
    }

    /// `npm ci` installs what its lock file holds.
    #[test]
    fn adds_version_of_lock_file() {
        check_fix(
            &Dependency,
            node(
                r"Error: Cannot find module 'semver'
Require stack:
- /repo/a.js",
            ),
            r#"
//- /a.js
 const semver = require('semver');
//- /package.json
 {
   "dependencies": {
-    "chalk": "^5.0.0"
+    "chalk": "^5.0.0",
+    "semver": "^7.6.3"
   }
 }
//- /package-lock.json protected
 { "lockfileVersion": 3, "packages": { "node_modules/semver": { "version": "7.6.3" } } }
"#,
        );
    }

    /// A package that is named will be installed: nothing is guessed, and nothing is added that the lock file refuses.
    #[test]
    fn leaves_unknown_and_refused_packages_alone() {
        let known = "//- /part/package.json\n { \"dependencies\": { \"semver\": \"^7.1.0\" } }\n";
        let lock = "//- /package-lock.json protected\n { \"lockfileVersion\": 3, \"packages\": {} }\n";
        let yarn = "//- /yarn.lock protected\n semver@^7.1.0:\n   version \"7.6.3\"\n";
        for (package, more) in [("left-pad", known), ("semver", lock), ("semver", yarn)] {
            check_no_fix(
                &Dependency,
                node(&format!("Error: Cannot find module '{package}'\nRequire stack:\n- /repo/a.js")),
                &format!(
                    "//- /a.js\n require('{package}');\n//- /package.json\n {{ \"dependencies\": {{ \"chalk\": \"1\" }} }}\n{known}{more}"
                ),
            );
        }
    }

    #[test]
    fn manifests_keep_their_form() {
        let added = |text: &str, name: &str| {
            let edit = with_dependency(text, "dependencies", name, "^1.0.0").unwrap();
            FileEdit::single("package.json", edit).apply(text).unwrap()
        };
        let text = "{\n  \"name\": \"x\",\n  \"dependencies\": {\n    \"b\": \"1\",\n    \"d\": \"2\"\n  }\n}\n";
        assert!(added(text, "c").contains("    \"b\": \"1\",\n    \"c\": \"^1.0.0\",\n    \"d\": \"2\"\n"));
        assert!(added(text, "a").contains("{\n    \"a\": \"^1.0.0\",\n    \"b\": \"1\",\n"));
        assert!(added(text, "e").contains("    \"d\": \"2\",\n    \"e\": \"^1.0.0\"\n  }"));
        assert!(
            added("{\n  \"name\": \"x\"\n}\n", "a")
                .contains("\"x\",\n  \"dependencies\": {\n    \"a\": \"^1.0.0\"\n  }\n}")
        );
        let tabs = "{\n\t\"config\": { \"dependencies\": {\n\t\t\"x\": 1 } },\n\t\"name\": \"a \\\" {\"\n}\n";
        let block = ",\n\t\"dependencies\": {\n\t\t\"a\": \"^1.0.0\"\n\t}\n}\n";
        assert!(added(tabs, "a").ends_with(block), "{}", added(tabs, "a"));
        // A member of another member has the name of the field.
        let nested = "{ \"pnpm\": { \"dependencies\": { \"z\": \"1\" } }, \"dependencies\": { \"b\": \"1\" } }";
        assert!(added(nested, "c").ends_with("\"dependencies\": { \"b\": \"1\", \"c\": \"^1.0.0\" } }"));
        assert_eq!(added("{ \"name\": \"x\" }", "a"), "{ \"name\": \"x\", \"dependencies\": { \"a\": \"^1.0.0\" } }");
        assert_eq!(with_dependency("{}", "dependencies", "a", "1"), None);
        assert_eq!(with_dependency(text, "dependencies", "b", "1"), None);
    }
}
