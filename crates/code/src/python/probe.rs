//! Query of the modules that the interpreter of the tests can import. The script runs in the sandbox; this
//! module builds the query.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::Finding;

use crate::python::EXTENSIONS;
use crate::sources::Sources;

/// The bound on [`modules_of_interest`].
pub const MAX_MODULES: usize = 200;

/// The modules whose exports fixers may need: everything that the repository's files import from outside, absolute names
/// only, most often imported first, at most [`MAX_MODULES`]; and the modules that findings name.
pub fn modules_of_interest(sources: &Sources, findings: &[Finding]) -> Vec<String> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for (_, text) in sources.with_extension(EXTENSIONS) {
        for module in imported_modules(text) {
            *counts.entry(module).or_default() += 1;
        }
    }
    for finding in findings {
        for module in quoted_modules(&finding.message) {
            *counts.entry(module).or_default() += 1_000;
        }
    }
    let mut modules: Vec<(String, usize)> = counts.into_iter().collect();
    modules.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    modules.into_iter().take(MAX_MODULES).map(|(module, _)| module).collect()
}

/// The absolute modules that a text's import statements name, read line by line: the text need not parse.
fn imported_modules(text: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("from ") {
            modules.extend(rest.split_whitespace().next().filter(|name| is_dotted_name(name)).map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("import ") {
            let names = rest.split(',').filter_map(|name| name.split_whitespace().next());
            modules.extend(names.filter(|name| is_dotted_name(name)).map(str::to_owned));
        }
    }
    modules
}

/// Modules that an error names: `module 'os.path' has no attribute`, `cannot import name 'x' from 'collections'`.
fn quoted_modules(message: &str) -> Vec<String> {
    ["module '", "from '"]
        .iter()
        .flat_map(|before| message.split(before).skip(1).filter_map(|rest| rest.split('\'').next()))
        .filter(|name| is_dotted_name(name))
        .map(str::to_owned)
        .collect()
}

fn is_dotted_name(name: &str) -> bool {
    name.len() <= 200
        && name.split('.').all(|part| {
            part.starts_with(|char: char| char.is_alphabetic() || char == '_')
                && part.chars().all(|char| char.is_alphanumeric() || char == '_')
        })
}
