//! A package that is imported and that no manifest names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::files::KNOWN;
use crate::javascript::index::{folder, is_relative};
use crate::repair::shortlist::Shortlist;
use crate::sources::Sources;

/// Adds a missing package to the dependencies of `package.json`. Only a package that another manifest or the
/// lock file of the repository names, with the version given there. Never a guess, since the named package will
/// be installed.
pub(super) struct Dependency;

const NAME: &str = "dependency";
/// Fields of a manifest that list packages.
pub(in crate::javascript) const FIELDS: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

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

/// The package of a specifier: `@scope/name` of `@scope/name/file`.
pub(super) fn package_of(specifier: &str) -> &str {
    let count = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(count - 1).map_or(specifier.len(), |(at, _)| at);
    specifier.get(..end).unwrap_or(specifier)
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

/// The manifest with one dependency more, everything else as it stands.
fn with_dependency(text: &str, field: &str, name: &str, version: &str) -> Option<Edit> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let has = FIELDS.iter().any(|field| manifest.get(field).and_then(|field| field.get(name)).is_some());
    if has {
        return None;
    }
    let entry = format!("{}: {}", Value::from(name), Value::from(version));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (fields, end) = members(text, text.find('{')?)?;
    let Some((_, start)) = fields.iter().rfind(|(name, _)| name == field) else {
        // A field of its own, before the last brace.
        let last = text.get(..end)?.trim_end().len();
        let block = match indentation(text, fields.last()?.1) {
            Some(indent) => {
                format!(",{newline}{indent}\"{field}\": {{{newline}{indent}{indent}{entry}{newline}{indent}}}")
            }
            None => format!(", \"{field}\": {{ {entry} }}"),
        };
        return Some(Edit::insert(last, block));
    };
    manifest.get(field)?.as_object()?;
    let open = start + text.get(*start..)?.find('{')?;
    let (dependencies, close) = members(text, open)?;
    let Some((_, last)) = dependencies.last() else { return Some(Edit::insert(open + 1, entry)) };
    let between = |at: usize| match indentation(text, at) {
        Some(indent) => format!(",{newline}{indent}"),
        None => ", ".to_owned(),
    };
    // In alphabetical order, as npm writes them.
    if let Some((_, at)) = dependencies.iter().find(|(other, _)| other.as_str() > name) {
        return Some(Edit::insert(*at, format!("{entry}{}", between(*at))));
    }
    Some(Edit::insert(text.get(..close)?.trim_end().len(), format!("{}{entry}", between(*last))))
}

/// Returns the white space before a byte on its line; `None` if
/// anything else precedes it, or on the first line.
fn indentation(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let indent = before.get(before.rfind('\n')? + 1..)?;
    indent.trim().is_empty().then_some(indent)
}

/// The names of an object's members, each with the byte it begins at, and where the object's last brace is. `open`: its first brace.
/// The text is JSON.
fn members(text: &str, open: usize) -> Option<(Vec<(String, usize)>, usize)> {
    let mut found = Vec::new();
    let (mut depth, mut is_name, mut at) = (0_usize, true, open + 1);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = string_end(text, at)?;
                if depth == 0 && is_name {
                    found.push((serde_json::from_str(text.get(at..end)?).ok()?, at));
                    is_name = false;
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some((found, at)),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => is_name = true,
            _ => {}
        }
        at += 1;
    }
    None
}

/// One past the quote that ends the string that begins at a byte.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.as_bytes().iter().skip(start + 1).position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(start + end + 2)
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
        assert_eq!(package_of("@a/b/c"), "@a/b");
        assert_eq!(package_of("a/b"), "a");
    }
}
