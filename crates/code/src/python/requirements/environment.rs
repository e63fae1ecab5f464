//! `environment.yml` of conda: packages of its channels, and a list for pip among them.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Manifest, line_below, requirement};
use crate::edit::Edit;
use crate::python::distributions::{distribution_of, is_widely_used};

/// `environment.yml`, and others of its kind.
pub(super) struct Environment;

/// Returns whether a file of this name describes an environment of conda.
pub fn is_environment(name: &str) -> bool {
    let stem = name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml"));
    stem.and_then(|stem| stem.strip_prefix("environment")).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Packages that an environment asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvironmentRequirements {
    /// Requirements for pip (PEP 508): the list for pip, and those packages of conda's channels that are widely used distributions.
    pub for_pip: Vec<String>,
    /// Names of other packages. On the package index such a name may belong to anyone.
    pub for_conda: Vec<String>,
}

/// Returns what an environment of conda asks for; nothing if its text cannot be read.
pub fn of_environment(text: &str) -> EnvironmentRequirements {
    let mut found = EnvironmentRequirements::default();
    for entry in File::read(text).map(|file| file.dependencies).unwrap_or_default() {
        match entry {
            Entry::Package(package) => {
                let (name, versions) = split(&package);
                match specifier_of(versions).filter(|_| is_widely_used(name)) {
                    Some(specifier) => found.for_pip.push(format!("{name}{specifier}")),
                    None if matches!(name, "python" | "pip") => {}
                    None => found.for_conda.push(name.to_owned()),
                }
            }
            Entry::Pip { pip } => {
                found.for_pip.extend(pip.into_iter().filter(|item| requirement::is_requirement(item)));
            }
            Entry::Other(_) => {}
        }
    }
    found
}

/// The file as conda reads it.
#[derive(Deserialize)]
struct File {
    dependencies: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    /// A package of a channel: `numpy`, `numpy>=1.20`, `numpy=1.20=py39_0`, `conda-forge::numpy 1.20.*`.
    Package(String),
    /// Requirements for pip.
    Pip { pip: Vec<String> },
    /// Lists for other installers, and anything else.
    Other(IgnoredAny),
}

impl File {
    fn read(text: &str) -> Option<Self> {
        serde_saphyr::from_str(text).ok()
    }
}

/// The name of a package, and what it says of versions.
fn split(package: &str) -> (&str, &str) {
    let package = package.rsplit("::").next().unwrap_or(package).trim();
    let name = distribution_of(package);
    (name, package[name.len()..].trim())
}

/// Versions as conda writes them (`1.20.*`, `=1.20=py39_0`, `>=1,<2`) as specifiers of pip; `None`: alternatives, which pip does not know.
fn specifier_of(versions: &str) -> Option<String> {
    let is_open = |part: &str| ["<", ">", "!=", "~="].iter().any(|operator| part.starts_with(operator));
    let words = || versions.split(',').map(str::trim);
    if versions.contains('|') {
        None
    } else if versions.is_empty() || words().all(is_open) {
        Some(words().collect::<Vec<_>>().join(","))
    } else if let Some(exact) = versions.strip_prefix("==") {
        Some(format!("=={}", exact.trim()))
    } else {
        // `=1.20` is any 1.20; behind it, or behind a space, may be the name of a build.
        let is_any = versions.starts_with('=');
        let version = versions.trim_start_matches('=').split(['=', ' ']).next()?;
        let is_number = version.starts_with(|first: char| first.is_ascii_digit()) && !version.contains(',');
        let end = if is_any && !version.ends_with('*') { ".*" } else { "" };
        is_number.then(|| format!("=={version}{end}"))
    }
}

/// The items of an environment, as ranges of its text.
#[derive(Default)]
struct Items {
    packages: Vec<Range<usize>>,
    /// Those of the list for pip.
    pip: Vec<Range<usize>>,
}

impl Items {
    /// `None`: the file holds no dependencies, or several of them on one line, which leaves a comment no place above each.
    fn of(text: &str) -> Option<Self> {
        let file = File::read(text)?;
        let list = text.find("dependencies:")?;
        let mut lines = text[list..].split_inclusive('\n').scan(list, |next, line| {
            let start = *next;
            *next += line.len();
            Some((start, line))
        });
        // Items come in the order of their lines. An item of the parser that no line holds ends the search.
        let mut place_of = |value: &str| {
            lines.find_map(|(start, line)| {
                let item = line.trim_start().strip_prefix("- ")?.trim_start();
                let quote = item.len() - item.trim_start_matches(['"', '\'']).len();
                let end = item[quote..].strip_prefix(value)?.trim_start_matches(['"', '\'']).trim();
                let start = start + (line.len() - item.len()) + quote;
                (end.is_empty() || end.starts_with('#')).then(|| start..start + value.len())
            })
        };
        let mut found = Self::default();
        for entry in &file.dependencies {
            match entry {
                Entry::Package(package) => found.packages.push(place_of(package)?),
                Entry::Pip { pip } => {
                    for item in pip {
                        found.pip.push(place_of(item)?);
                    }
                }
                Entry::Other(_) => {}
            }
        }
        Some(found)
    }
}

impl Manifest for Environment {
    fn requirements(&self, text: &str) -> Vec<Range<usize>> {
        let pip = Items::of(text).map(|items| items.pip).unwrap_or_default();
        pip.into_iter().filter(|range| requirement::is_requirement(&text[range.clone()])).collect()
    }

    fn constraints(&self, text: &str) -> Vec<(String, Range<usize>)> {
        let packages = Items::of(text).map(|items| items.packages).unwrap_or_default();
        let constraint = |range: Range<usize>| {
            let (name, versions) = split(&text[range.clone()]);
            (name.to_owned(), range.end - versions.len()..range.end)
        };
        packages.into_iter().map(constraint).collect()
    }

    /// Behind the last item of the list for pip, else of the packages.
    fn added(&self, text: &str, requirement: &str, reason: &str, _: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
        let items = Items::of(text)?;
        let last = items.pip.last().or(items.packages.last())?;
        Some(vec![line_below(text, last.end, reason, &format!("- {requirement}"))])
    }
}
