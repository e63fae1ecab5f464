//! Evidence against distributions in failures of Python.

use std::sync::LazyLock;

use autoheal_code::Sources;
use autoheal_code::python::distributions::{canonical, that_brings};
use regex::Regex;

use crate::toolchain::package_manager::{Complaints, Distribution, captures};

/// Names in quotes, and after `No module named`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"['"`]([A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*)['"`]|\bNo module named ([A-Za-z_][\w.]*)"#).ok()
});

/// Relative paths below the folders of installed packages.
static INSTALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:site|dist)-packages/([A-Za-z0-9_./-]+?)\.py\b").ok());

/// Files in a traceback.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([A-Za-z0-9_./-]+\.py)\b").ok());

/// The modules that a line of a program imports.
static IMPORTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:from\s+([A-Za-z_][\w.]*)\s+import|import\s+([A-Za-z_][\w., ]*))").ok());

/// Tracebacks and errors of Python.
pub(super) struct Tracebacks;

impl Complaints for Tracebacks {
    fn key(&self, name: &str) -> String {
        canonical(name)
    }

    /// The class of the error, if that is named with its module, and all words in quotes.
    fn named(&self, message: &str) -> Vec<String> {
        let class = message.trim_start().split(':').next().filter(|class| class.contains('.') && !class.contains(' '));
        class.into_iter().chain(captures(NAMED.as_ref(), message)).map(str::to_owned).collect()
    }

    fn mentioned(&self, _message: &str) -> Vec<String> {
        Vec::new()
    }

    /// `from package import *` may have declared it.
    fn lacks_global(&self, _message: &str) -> bool {
        false
    }

    fn on_traceback(&self, text: &str) -> Vec<String> {
        let mut paths: Vec<String> = captures(INSTALLED.as_ref(), text).map(|path| path.replace('/', ".")).collect();
        paths.reverse();
        paths
    }

    fn files<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut files: Vec<&str> = captures(FRAME.as_ref(), text).collect();
        files.reverse();
        files
    }

    fn is_installed(&self, file: &str) -> bool {
        file.contains("site-packages/") || file.contains("dist-packages/")
    }

    fn imported(&self, file: &str, sources: &Sources) -> Vec<String> {
        let text = sources.text(file).unwrap_or_default();
        let lists = captures(IMPORTS.as_ref(), text).flat_map(|list| list.split(','));
        lists.filter_map(|name| name.split_whitespace().next().map(str::to_owned)).collect()
    }

    fn preloaded(&self, _command: &[String]) -> Vec<String> {
        Vec::new()
    }

    fn around<'m>(&self, module: &'m str) -> Vec<&'m str> {
        std::iter::successors(Some(module), |inner| inner.rsplit_once('.').map(|(package, _)| package)).collect()
    }

    fn usual_package<'m>(&self, module: &'m str) -> &'m str {
        let top = module.split('.').next().unwrap_or(module);
        that_brings(top).unwrap_or(top)
    }

    fn runs_tests(&self, key: &str) -> bool {
        key.split('-').next() == Some("pytest")
    }

    fn answers_for_others(&self, _key: &str) -> bool {
        true
    }

    fn installs(&self, key: &str) -> bool {
        key == "pip"
    }

    fn removed(&self, package: &Distribution, message: &str) -> Option<String> {
        let message = message.replace('`', "'");
        let quoted: Vec<&str> = message.split('\'').skip(1).step_by(2).collect();
        let is_of_it = |module: &str| {
            let top = module.split('.').next().unwrap_or(module);
            canonical(top) == package.key
                || package.modules.iter().any(|own| own == top)
                || that_brings(top).is_some_and(|known| canonical(known) == package.key)
        };
        match quoted.as_slice() {
            [name, module, ..] if message.contains("cannot import name") && is_of_it(module) => {
                Some(format!("`{name}` from `{module}`"))
            }
            [module, name, ..]
                if message.contains("has no attribute") && message.contains("module '") && is_of_it(module) =>
            {
                Some(format!("`{module}.{name}`"))
            }
            [module, ..] if message.contains("No module named") && is_of_it(module) => Some(format!("`{module}`")),
            _ => None,
        }
    }
}
