//! Distributions that may be to blame for failures, by what the failures say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use autoheal_code::Sources;
use autoheal_code::python::distributions::canonical;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use regex::Regex;

use crate::toolchain::package_manager::Distribution;

/// Distributions that are tried for one failure.
const MOST: usize = 8;

/// Names in quotes, and after `No module named`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"['"`]([A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*)['"`]|\bNo module named ([A-Za-z_][\w.]*)"#).ok()
});

/// Relative paths below the folders of installed packages.
static INSTALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:site|dist)-packages/([A-Za-z0-9_./-]+?)\.py\b").ok());

/// Files of the repository in a traceback.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([A-Za-z0-9_./-]+\.py)\b").ok());

/// The modules that a line of a program imports.
static IMPORTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:from\s+([A-Za-z_][\w.]*)\s+import|import\s+([A-Za-z_][\w., ]*))").ok());

/// Evidence against a distribution, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// The error names it, or a module of it.
    Named,
    /// The traceback goes through it.
    OnTraceback,
    /// A file on the traceback imports it.
    Imported,
    /// One of those needs it, or it needs one of those.
    Related,
    /// It runs the tests, or is a plugin of what does.
    Runner,
}

/// Returns whether a dependency may be to blame for a failure at all: text that does not parse, and what a linter says, has its cause in the
/// repository.
pub(crate) fn may_be_to_blame(finding: &Finding) -> bool {
    match finding.category {
        Category::Syntax | Category::Indentation | Category::Linting => false,
        Category::Import | Category::TypeError | Category::Logic => {
            matches!(finding.source, Source::Test | Source::Runtime)
        }
    }
}

/// Returns the distributions that a failure speaks against, the likeliest first. `installed`: what there is. `direct`: canonical names of what the
/// manifests state.
pub(crate) fn of<'d>(
    finding: &Finding,
    installed: &'d [Distribution],
    direct: &BTreeSet<String>,
    sources: &Sources,
) -> Vec<(Evidence, &'d Distribution)> {
    let brought = by_module(installed);
    let mut found: Vec<(Evidence, usize)> = Vec::new();
    let text = finding.stack.as_deref().unwrap_or_default();
    let headline = last_error(text).unwrap_or_default();
    for name in names(&finding.message).chain(names(headline)) {
        found.extend(owners(&brought, installed, &name).map(|at| (Evidence::Named, at)));
    }
    // The deepest frame is the likeliest.
    let mut paths: Vec<&str> = captures(INSTALLED.as_ref(), text).collect();
    paths.reverse();
    for path in paths {
        found.extend(owners(&brought, installed, &path.replace('/', ".")).map(|at| (Evidence::OnTraceback, at)));
    }
    let mut files: Vec<&str> = captures(FRAME.as_ref(), text).chain(finding.file.as_deref()).collect();
    files.reverse();
    for file in files.into_iter().filter_map(|file| own_text(sources, file)) {
        for module in imported(file) {
            found.extend(owners(&brought, installed, &module).map(|at| (Evidence::Imported, at)));
        }
    }
    add_related(&mut found, installed);
    let runs_tests = |one: &Distribution| one.key().split('-').next() == Some("pytest");
    let runners = (0..installed.len()).filter(|at| installed.get(*at).is_some_and(runs_tests));
    found.extend(runners.map(|at| (Evidence::Runner, at)));
    let mut seen = BTreeSet::new();
    found.retain(|(_, at)| seen.insert(*at));
    let mut suspects: Vec<(Evidence, &Distribution)> =
        found.into_iter().filter_map(|(evidence, at)| Some((evidence, installed.get(at)?))).collect();
    suspects.retain(|(_, one)| !one.is_project && one.key() != "pip");
    // Stable: of equal evidence the order of the traceback stays.
    suspects.sort_by_key(|(evidence, one)| (*evidence, !direct.contains(&one.key())));
    suspects.truncate(MOST);
    suspects
}

/// Adds what the suspects need, and what needs them.
fn add_related(found: &mut Vec<(Evidence, usize)>, installed: &[Distribution]) {
    let by_key: BTreeMap<String, usize> = installed.iter().enumerate().map(|(at, one)| (one.key(), at)).collect();
    let strong: Vec<usize> =
        found.iter().filter(|(evidence, _)| *evidence <= Evidence::Imported).map(|(_, at)| *at).collect();
    for at in strong {
        let Some(suspect) = installed.get(at) else { continue };
        let needed = suspect.requires.iter().filter_map(|name| by_key.get(&canonical(name)));
        found.extend(needed.map(|at| (Evidence::Related, *at)));
        let needs_it = |one: &Distribution| one.requires.iter().any(|name| canonical(name) == suspect.key());
        let dependants = installed.iter().enumerate().filter(|(_, one)| needs_it(one));
        found.extend(dependants.map(|(at, _)| (Evidence::Related, at)));
    }
}

/// The last line of a traceback that names an error.
fn last_error(text: &str) -> Option<&str> {
    text.lines().rev().find(|line| line.contains("Error:") || line.contains("Warning:"))
}

fn captures<'t>(pattern: Option<&'t Regex>, text: &'t str) -> impl Iterator<Item = &'t str> {
    pattern.into_iter().flat_map(move |pattern| pattern.captures_iter(text)).filter_map(|found| {
        let named = found.iter().skip(1).flatten().next();
        named.map(|named| named.as_str())
    })
}

/// The names in an error: its class, if that is named with its module, and all words in quotes.
fn names(text: &str) -> impl Iterator<Item = String> {
    let class = text.trim_start().split(':').next().filter(|class| class.contains('.') && !class.contains(' '));
    class.into_iter().chain(captures(NAMED.as_ref(), text)).map(str::to_owned)
}

/// The text of a file of the repository that a traceback names, whatever precedes its path.
fn own_text<'s>(sources: &'s Sources, file: &str) -> Option<&'s str> {
    if file.contains("site-packages/") || file.contains("dist-packages/") {
        return None;
    }
    let mut path = file.trim_start_matches("./").trim_start_matches('/');
    loop {
        if let Some(text) = sources.text(path) {
            return Some(text);
        }
        path = path.split_once('/')?.1;
    }
}

fn imported(text: &str) -> Vec<String> {
    let lists = captures(IMPORTS.as_ref(), text).flat_map(|list| list.split(','));
    lists.filter_map(|name| name.split_whitespace().next().map(str::to_owned)).collect()
}

/// The distributions by the modules that they bring.
fn by_module(installed: &[Distribution]) -> BTreeMap<&str, Vec<usize>> {
    let mut brought: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in installed.iter().enumerate() {
        for module in &one.modules {
            brought.entry(module).or_default().push(at);
        }
    }
    brought
}

/// The distributions that bring a module, or the nearest package around it; else the one by that name, or that used to bring it.
fn owners<'a>(
    brought: &'a BTreeMap<&str, Vec<usize>>,
    installed: &[Distribution],
    name: &str,
) -> impl Iterator<Item = usize> + use<'a> {
    let mut module = name;
    let own = loop {
        if let Some(owners) = brought.get(module) {
            break owners.as_slice();
        }
        match module.rsplit_once('.') {
            Some((package, _)) => module = package,
            None => break &[],
        }
    };
    let top = name.split('.').next().unwrap_or(name);
    let known = autoheal_code::python::distributions::that_brings(top).unwrap_or(top);
    let named = installed.iter().position(|one| one.key() == canonical(known)).filter(|_| own.is_empty());
    own.iter().copied().chain(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(name: &str, modules: &[&str], requires: &[&str]) -> Distribution {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Distribution {
            name: name.to_owned(),
            modules: owned(modules),
            requires: owned(requires),
            ..Distribution::default()
        }
    }

    fn installed() -> Vec<Distribution> {
        vec![
            distribution("Flask", &["flask"], &["Werkzeug", "click"]),
            distribution("Werkzeug", &["werkzeug", "werkzeug.urls"], &[]),
            distribution("click", &["click"], &[]),
            distribution("protobuf", &["google", "google.protobuf"], &[]),
            distribution("googleapis-common-protos", &["google", "google.rpc"], &["protobuf"]),
            distribution("pytest", &["_pytest", "pytest"], &[]),
            distribution("setuptools", &["setuptools"], &[]),
            Distribution { is_project: true, ..distribution("shop", &["shop"], &["Flask"]) },
        ]
    }

    fn suspects(message: &str, stack: &str) -> Vec<String> {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("shop/__init__.py", "import os, click\nfrom flask.ctx import x\n", false);
        let finding = Finding {
            source: Source::Test,
            category: Category::Import,
            file: Some("tests/test_shop.py".to_owned()),
            location: None,
            message: message.to_owned(),
            stack: Some(stack.to_owned()),
        };
        let direct = BTreeSet::from(["flask".to_owned()]);
        of(&finding, &installed(), &direct, &sources).into_iter().map(|(_, one)| one.name.clone()).collect()
    }

    #[test]
    fn the_named_one_comes_first_then_those_around_it() {
        let found = suspects(
            "ImportError: cannot import name '_app_ctx_stack' from 'flask'",
            "/repo/shop/__init__.py:1: in <module>",
        );
        assert_eq!(found, ["Flask", "click", "Werkzeug", "pytest"]);
    }

    #[test]
    fn names_differ_between_modules_and_distributions() {
        let found = suspects("ImportError: cannot import name '_message' from 'google.protobuf.pyext'", "");
        assert_eq!(found.first().map(String::as_str), Some("protobuf"));
        let found = suspects("ModuleNotFoundError: No module named 'pkg_resources'", "");
        assert_eq!(found.first().map(String::as_str), Some("setuptools"));
    }

    #[test]
    fn the_deepest_package_of_a_traceback_comes_before_those_above_it() {
        let stack = "/e/lib/python3.9/site-packages/flask/app.py:1: in f\n/e/lib/python3.9/site-packages/werkzeug/urls.py:2: in g\n";
        let found = suspects("AssertionError: 2 != 1", stack);
        // Flask is stated by the repository itself.
        assert_eq!(found.get(..2), Some(&["Flask".to_owned(), "Werkzeug".to_owned()][..]));
    }
}
