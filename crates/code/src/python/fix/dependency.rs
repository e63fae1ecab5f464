//! A dependency that is imported and that no manifest names.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Item, RawString, Value};

use super::blame::Blame;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::distributions::{canonical, distribution_of, that_brings};

/// Adds what a `ModuleNotFoundError` misses to the project's own list of dependencies. The distribution is one that the
/// repository names elsewhere (an extra, another file of requirements), or a widely used one; never a guess, for what it
/// names will be installed.
pub(super) struct Dependency;

const NAME: &str = "dependency";

impl Fixer for Dependency {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let quoted = blame.quoted();
        let Some(module) = quoted.first().filter(|_| blame.error == "ModuleNotFoundError") else { return Vec::new() };
        let module = module.split('.').next().unwrap_or_default();
        let environment = context.environment.of(crate::python::ID);
        if environment.standard_library.contains(module)
            || environment.installed.contains(module)
            || blame.index.names().any(|own| own == module)
        {
            return Vec::new();
        }
        let named = requirements_named(context, module);
        let requirements: BTreeSet<String> = match (named.is_empty(), that_brings(module)) {
            (true, Some(known)) => BTreeSet::from([known.to_owned()]),
            (true, None) | (false, _) => named,
        };
        let mut list = Shortlist::new(&blame);
        for requirement in requirements {
            for (file, text) in context.sources.iter().filter(|(file, _)| context.sources.is_editable(file)) {
                let Some((new, bits)) = with_requirement(file, text, &requirement) else { continue };
                let depth = 2.0 * f64::from(u32::try_from(file.matches('/').count()).unwrap_or(9));
                let description = format!("add the dependency '{requirement}', which brings '{module}'");
                list.edit(bits + depth, description, file, Edit::between(text, &new));
            }
        }
        list.finish(NAME, 6)
    }
}

/// The requirements anywhere in the repository's manifests that bring the module.
fn requirements_named(context: &FixContext<'_>, module: &str) -> BTreeSet<String> {
    let wanted: BTreeSet<String> = that_brings(module).into_iter().chain([module]).map(canonical).collect();
    let brings = |requirement: &str| wanted.contains(&canonical(distribution_of(requirement)));
    let mut found = BTreeSet::new();
    for (file, text) in context.sources.iter() {
        match file.rsplit('/').next() {
            Some("pyproject.toml") => {
                let Ok(manifest) = text.parse::<DocumentMut>() else { continue };
                strings(manifest.as_item(), &mut |requirement| {
                    if brings(requirement) {
                        found.insert(requirement.trim().to_owned());
                    }
                });
            }
            Some(name) if is_requirements(name) => {
                let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
                found.extend(lines.filter(|line| brings(line)).map(str::to_owned));
            }
            Some(_) | None => {}
        }
    }
    found.retain(|requirement| !requirement.contains([' ', '/', '@']) || requirement.contains(['<', '>', '=', ';']));
    found
}

/// Every string in lists of a manifest.
fn strings(item: &Item, visit: &mut dyn FnMut(&str)) {
    if let Some(list) = item.as_array() {
        list.iter().filter_map(Value::as_str).for_each(visit);
    } else if let Some(table) = item.as_table_like() {
        for (_, below) in table.iter() {
            strings(below, visit);
        }
    }
}

fn is_requirements(name: &str) -> bool {
    name.strip_suffix(".txt").is_some_and(|stem| stem.starts_with("requirements") || stem.ends_with("requirements"))
}

/// The manifest with one requirement more, and how unlikely it is that it belongs there; `None`: it is no place for one, or it
/// is there already.
fn with_requirement(file: &str, text: &str, requirement: &str) -> Option<(String, f64)> {
    let name = file.rsplit('/').next().unwrap_or(file);
    if is_requirements(name) {
        let has = |line: &str| canonical(distribution_of(line)) == canonical(distribution_of(requirement));
        if text.lines().any(has) {
            return None;
        }
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let lead = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Some((
            format!("{text}{lead}{requirement}{newline}"),
            if name == "requirements.txt" { 1.0 } else { 4.0 },
        ));
    }
    if name != "pyproject.toml" {
        return None;
    }
    let mut manifest: DocumentMut = text.parse().ok()?;
    if let Some(poetry) = manifest.get_mut("tool").and_then(|tool| tool.get_mut("poetry")) {
        let dependencies = poetry.get_mut("dependencies")?.as_table_like_mut()?;
        let distribution = distribution_of(requirement);
        if dependencies.iter().any(|(key, _)| canonical(key) == canonical(distribution)) {
            return None;
        }
        dependencies.insert(distribution, toml_edit::value("*"));
    } else {
        let project = manifest.get_mut("project")?.as_table_like_mut()?;
        if project
            .get("dynamic")
            .and_then(Item::as_array)
            .is_some_and(|dynamic| dynamic.iter().any(|field| field.as_str() == Some("dependencies")))
        {
            return None;
        }
        let dependencies = project
            .entry("dependencies")
            .or_insert_with(|| toml_edit::value(toml_edit::Array::new()))
            .as_array_mut()?;
        let distribution = canonical(distribution_of(requirement));
        if dependencies.iter().filter_map(Value::as_str).any(|one| canonical(distribution_of(one)) == distribution) {
            return None;
        }
        // The first one of a line has no space before it.
        let decor = dependencies.iter().last().map(|last| last.decor().clone());
        let decor =
            decor.filter(|decor| decor.prefix().and_then(RawString::as_str).is_some_and(|prefix| !prefix.is_empty()));
        let mut value = Value::from(requirement);
        if let Some(decor) = decor {
            *value.decor_mut() = decor;
        }
        if value.decor().prefix().is_none() && !dependencies.is_empty() {
            value.decor_mut().set_prefix(" ");
        }
        dependencies.push_formatted(value);
    }
    Some((manifest.to_string(), 1.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn adds_distribution_that_brings_module() {
        check_fix(
            &Dependency,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'yaml'"#,
            ),
            r"
//- /a.py
 import yaml
//- /requirements.txt
 requests>=2
+PyYAML
",
        );
    }

    #[test]
    fn adds_requirement_as_repository_names_it_elsewhere() {
        check_fix(
            &Dependency,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'rates'"#,
            ),
            r#"
//- /a.py
 import rates
//- /pyproject.toml
 [project]
 name = "shop"
-dependencies = ["requests>=2"]
+dependencies = ["requests>=2", "rates~=1.4"]
 [project.optional-dependencies]
 extra = ["rates~=1.4"]
"#,
        );
    }

    /// A package that is named will be installed: nothing is guessed.
    #[test]
    fn leaves_unknown_module_alone() {
        check_no_fix(
            &Dependency,
            pytest(
                r#"File "/repo/a.py", line 1, in <module>
ModuleNotFoundError: No module named 'rates'"#,
            ),
            r"
//- /a.py
 import rates
//- /requirements.txt
 requests>=2
",
        );
    }

    #[test]
    fn manifests_keep_their_form() {
        let added = |file: &str, text: &str| {
            let (new, _) = with_requirement(file, text, "PyYAML").unwrap();
            let edit = Edit::between(text, &new);
            assert_eq!(format!("{}{}{}", &text[..edit.start], edit.replacement, &text[edit.end..]), new);
            new
        };
        assert_eq!(added("requirements.txt", "six"), "six\nPyYAML\n");
        assert_eq!(
            added("pyproject.toml", "[project]\nname = \"a\"\ndependencies = [\n    \"six\",  # old\n]\n"),
            "[project]\nname = \"a\"\ndependencies = [\n    \"six\",\n    \"PyYAML\",  # old\n]\n"
        );
        assert_eq!(
            added("pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.9\"\n"),
            "[tool.poetry.dependencies]\npython = \"^3.9\"\nPyYAML = \"*\"\n"
        );
        assert!(with_requirement("requirements.txt", "pyyaml>=5\n", "PyYAML").is_none());
        assert!(with_requirement("setup.cfg", "", "PyYAML").is_none());
    }
}
