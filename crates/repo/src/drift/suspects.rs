//! Distributions that may be to blame for failures, by what the failures say.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_code::Sources;
use autoheal_engine::diagnostics::{Category, Finding, Source};

use crate::toolchain::package_manager::{Complaints, Distribution};

/// Distributions that are tried for one failure.
const MOST: usize = 8;

/// Evidence against a distribution, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// The error names it, or a module of it.
    Named,
    /// The traceback goes through it.
    OnTraceback,
    /// A file on the traceback imports it, or the command of the tests loads it.
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

/// Evidence of one run of the tests.
#[derive(Clone, Copy)]
pub(crate) struct Case<'d, 'a> {
    /// The distributions that there are.
    pub(crate) installed: &'d [Distribution],
    /// Keys of what the manifests state.
    pub(crate) direct: &'a BTreeSet<String>,
    pub(crate) sources: &'a Sources,
    /// The command of the tests.
    pub(crate) command: &'a [String],
    /// Reader of the language's failures.
    pub(crate) complaints: &'a dyn Complaints,
}

/// Returns the distributions that a failure speaks against, the likeliest first.
pub(crate) fn of<'d>(finding: &Finding, case: &Case<'d, '_>) -> Vec<(Evidence, &'d Distribution)> {
    let Case { installed, direct, sources, command, complaints } = *case;
    let brought = Brought::by(installed, complaints);
    let mut found: Vec<(Evidence, usize)> = Vec::new();
    let text = finding.stack.as_deref().unwrap_or_default();
    let headline = last_error(text).unwrap_or_default();
    for line in [finding.message.as_str(), headline] {
        for name in complaints.named(line) {
            found.extend(brought.owners(&name).map(|at| (Evidence::Named, at)));
        }
        let is_direct = |at: &usize| installed.get(*at).is_some_and(|one| direct.contains(&one.key));
        for name in complaints.mentioned(line) {
            found.extend(brought.owners(&name).filter(is_direct).map(|at| (Evidence::Named, at)));
        }
    }
    let has_called = !complaints.lacks_global(&finding.message);
    for module in complaints.on_traceback(text).into_iter().filter(|_| has_called) {
        found.extend(brought.owners(&module).map(|at| (Evidence::OnTraceback, at)));
    }
    let files = finding.file.as_deref().into_iter().chain(complaints.files(text));
    let mut read = BTreeSet::new();
    for file in
        files.filter(|file| has_called && !complaints.is_installed(file)).filter_map(|file| own_file(sources, file))
    {
        if !read.insert(file) {
            continue;
        }
        for module in complaints.imported(file, sources) {
            found.extend(brought.owners(&module).map(|at| (Evidence::Imported, at)));
        }
    }
    for module in complaints.preloaded(command) {
        found.extend(brought.owners(&module).map(|at| (Evidence::Imported, at)));
    }
    add_related(&mut found, installed, complaints);
    let runners = installed.iter().enumerate().filter(|(_, one)| complaints.runs_tests(&one.key));
    found.extend(runners.map(|(at, _)| (Evidence::Runner, at)));
    let mut seen = BTreeSet::new();
    found.retain(|(_, at)| seen.insert(*at));
    let mut suspects: Vec<(Evidence, &Distribution)> =
        found.into_iter().filter_map(|(evidence, at)| Some((evidence, installed.get(at)?))).collect();
    suspects.retain(|(_, one)| !one.is_project && !complaints.installs(&one.key));
    // Stable: of equal evidence the order of the traceback stays.
    suspects.sort_by_key(|(evidence, one)| (*evidence, !direct.contains(&one.key)));
    suspects.truncate(MOST);
    suspects
}

/// Adds what the suspects need, and what needs them.
fn add_related(found: &mut Vec<(Evidence, usize)>, installed: &[Distribution], complaints: &dyn Complaints) {
    let by_key: BTreeMap<&str, usize> = installed.iter().enumerate().map(|(at, one)| (one.key.as_str(), at)).collect();
    let strong: Vec<usize> =
        found.iter().filter(|(evidence, _)| *evidence <= Evidence::Imported).map(|(_, at)| *at).collect();
    for at in strong {
        let answers = |one: &&Distribution| complaints.answers_for_others(&one.key);
        let Some(suspect) = installed.get(at).filter(answers) else { continue };
        let needed = suspect.requires.iter().filter_map(|key| by_key.get(key.as_str()));
        found.extend(needed.map(|at| (Evidence::Related, *at)));
        let dependants = installed.iter().enumerate().filter(|(_, one)| one.needs(suspect));
        found.extend(dependants.map(|(at, _)| (Evidence::Related, at)));
    }
}

/// The last line of a traceback that names an error.
fn last_error(text: &str) -> Option<&str> {
    text.lines().rev().find(|line| line.contains("Error:") || line.contains("Warning:"))
}

/// The file of the repository that a traceback names, whatever precedes its path.
fn own_file<'f>(sources: &Sources, file: &'f str) -> Option<&'f str> {
    let mut path = file.trim_start_matches("./").trim_start_matches('/');
    loop {
        if sources.text(path).is_some() {
            return Some(path);
        }
        path = path.split_once('/')?.1;
    }
}

/// The distributions by the modules that they bring.
struct Brought<'a> {
    installed: &'a [Distribution],
    modules: BTreeMap<&'a str, Vec<usize>>,
    complaints: &'a dyn Complaints,
}

impl<'a> Brought<'a> {
    fn by(installed: &'a [Distribution], complaints: &'a dyn Complaints) -> Self {
        let mut modules: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, one) in installed.iter().enumerate() {
            for module in &one.modules {
                modules.entry(module).or_default().push(at);
            }
        }
        Self { installed, modules, complaints }
    }

    /// The distributions that bring a module, or the nearest package around it; else the one by that name, or that used to bring it.
    fn owners(&self, name: &str) -> impl Iterator<Item = usize> + use<'a, '_> {
        let around = self.complaints.around(name);
        let own = around.into_iter().find_map(|module| self.modules.get(module));
        let own = own.map(Vec::as_slice).unwrap_or_default();
        let known = self.complaints.key(self.complaints.usual_package(name));
        let named = self.installed.iter().position(|one| one.key == known).filter(|_| own.is_empty());
        own.iter().copied().chain(named)
    }
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
        .keyed(complaints())
    }

    fn complaints() -> &'static dyn Complaints {
        crate::toolchains::of(autoheal_code::python::ID).package_manager().unwrap().complaints()
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
        let installed = installed();
        let case =
            Case { installed: &installed, direct: &direct, sources: &sources, command: &[], complaints: complaints() };
        of(&finding, &case).into_iter().map(|(_, one)| one.name.clone()).collect()
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
