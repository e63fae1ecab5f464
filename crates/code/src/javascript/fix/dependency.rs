//! A package that is imported and that no manifest names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::index::is_relative;
use crate::repair::shortlist::Shortlist;
use crate::sources::Sources;

/// Adds what cannot be found to the dependencies of `package.json`. Only a package that the repository names elsewhere, with the
/// version that stands there: another manifest of it, or its lock file. Never a guess, for what it names will be installed.
pub(super) struct Dependency;

const NAME: &str = "dependency";
const FIELDS: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

impl Fixer for Dependency {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::UnknownModule { specifier } = &blame.complaint else { return Vec::new() };
        let node = &context.environment.node;
        if is_relative(specifier) || specifier.starts_with(['/', '#']) || node.builtins.contains(specifier) {
            return Vec::new();
        }
        let name = package_of(specifier);
        let declared = declared(context.sources);
        let Some(version) = declared.get(name).cloned().or_else(|| locked(context.sources, name)) else {
            return Vec::new();
        };
        let mut list = Shortlist::new(&blame);
        for (file, text) in manifests(context.sources) {
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

/// Packages that manifests name, with their versions.
pub(super) fn declared(sources: &Sources) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (_, text) in manifests(sources) {
        let Ok(manifest) = serde_json::from_str::<Value>(text) else { continue };
        for (name, version) in FIELDS.iter().filter_map(|field| manifest.get(field)?.as_object()).flatten() {
            if let Some(version) = version.as_str() {
                found.entry(name.clone()).or_insert_with(|| version.to_owned());
            }
        }
    }
    found
}

/// The version of a package that npm's lock file holds.
fn locked(sources: &Sources, name: &str) -> Option<String> {
    let (_, text) = sources.iter().find(|(file, _)| file.ends_with("package-lock.json"))?;
    let lock: Value = serde_json::from_str(text).ok()?;
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
    let line = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let Some(dependencies) = manifest.get(field).and_then(Value::as_object) else {
        // A field of its own, before the last brace.
        let end = text.trim_end().len().checked_sub(1)?;
        let last = text.get(..end)?.trim_end().len();
        let indent: String = "  ".to_owned();
        let block = format!(",\n{indent}\"{field}\": {{\n{indent}{indent}{entry}\n{indent}}}");
        return Some(Edit::insert(last, block));
    };
    let key = format!("\"{field}\"");
    let start = text.match_indices(&key).map(|(at, _)| at + key.len()).find(|at| {
        text.get(*at..).is_some_and(|rest| {
            rest.trim_start().strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('{'))
        })
    })?;
    let open = start + text.get(start..)?.find('{')? + 1;
    if dependencies.is_empty() {
        return Some(Edit::insert(open, entry));
    }
    // In alphabetical order, as npm writes them.
    let after = dependencies.keys().filter(|other| other.as_str() > name).min();
    let place = after.and_then(|other| {
        let quoted = Value::from(other.as_str()).to_string();
        text.get(open..)?.find(&quoted).map(|at| open + at)
    });
    if let Some(at) = place {
        let indent = text.get(line(at)..at).unwrap_or_default();
        let between =
            if indent.trim().is_empty() && line(at) > open { format!(",\n{indent}") } else { ", ".to_owned() };
        return Some(Edit::insert(at, format!("{entry}{between}")));
    }
    let close = open + text.get(open..)?.find('}')?;
    let last = text.get(..close)?.trim_end().len();
    let indent: String =
        text.get(line(last)..)?.chars().take_while(|character| matches!(character, ' ' | '\t')).collect();
    let between = if line(last) > open { format!(",\n{indent}") } else { ", ".to_owned() };
    Some(Edit::insert(last, format!("{between}{entry}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::FileEdit;

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
        assert_eq!(with_dependency(text, "dependencies", "b", "1"), None);
        assert_eq!(package_of("@a/b/c"), "@a/b");
        assert_eq!(package_of("a/b"), "a");
    }
}
