//! Files that failures name, that git ignores and that are not there: settings of a machine, generated modules, data. They are in the author's
//! folder and in no clone, so that what needs them fails here for no fault of the program.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::Finding;
use autoheal_sandbox::untrusted::UntrustedFolder;
use regex::Regex;

use crate::project::join;
use crate::setup::Setup;
use crate::walk;

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static NAMED: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        r"No module named '([\w.]+)'",
        r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'",
        r#"(?:Cannot find module|Could not resolve|Failed to resolve import) ['"]([^'"]+)['"]"#,
        r"(?:No such file or directory: |ENOENT: no such file or directory, open )'([^']+)'",
    ]
    .map(|pattern| Regex::new(pattern).expect("a constant pattern"))
});

/// The file that a failure needs, that git ignores and that is not there.
pub(super) fn needed_by(finding: &Finding, setup: &Setup, tree: &UntrustedFolder, prefix: &str) -> Option<String> {
    named(finding, setup, prefix).into_iter().find(|path| walk::leaves_out(tree, path))
}

/// Returns the files that the name of a missing one may refer to, relative to the repository.
fn named(finding: &Finding, setup: &Setup, prefix: &str) -> Vec<String> {
    let message = finding.message.as_str();
    let [module, name, specifier, file] = &*NAMED;
    let python = |name: &str| -> Vec<String> {
        let path = name.replace('.', "/");
        let roots = setup.roots.iter().map(String::as_str).chain([setup.suite().directory.as_str(), ""]);
        roots
            .flat_map(|root| [format!("{path}.py"), format!("{path}/__init__.py")].map(|path| join(root, &path)))
            .collect()
    };
    if let Some(found) = module.captures(message) {
        return python(&found[1]);
    }
    if let Some(found) = name.captures(message) {
        return python(&format!("{}.{}", &found[2], &found[1]));
    }
    if let Some(found) = specifier.captures(message) {
        let importer = finding.file.as_deref().and_then(|file| file.rsplit_once('/')).map_or("", |(folder, _)| folder);
        let path = inside(&found[1], prefix)
            .or_else(|| found[1].starts_with('.').then(|| resolved(importer, &found[1])).flatten());
        let ends = ["", ".js", ".ts", ".mjs", ".cjs", ".json", ".tsx", ".jsx", "/index.js", "/index.ts"];
        return path.map_or_else(Vec::new, |path| ends.map(|end| format!("{path}{end}")).into());
    }
    // What is opened to be written is not needed.
    let writes = finding
        .stack
        .as_deref()
        .is_some_and(|stack| ["'w", "\"w", "'a'", "\"a\""].iter().any(|mode| stack.contains(mode)));
    let Some(found) = file.captures(message).filter(|_| !writes) else { return Vec::new() };
    match inside(&found[1], prefix) {
        Some(path) => vec![path],
        None if found[1].starts_with('/') => Vec::new(),
        None => {
            [setup.suite().directory.as_str(), ""].into_iter().filter_map(|from| resolved(from, &found[1])).collect()
        }
    }
}

/// An absolute path as the repository names it.
fn inside(path: &str, prefix: &str) -> Option<String> {
    let path = path.strip_prefix(prefix)?.strip_prefix('/')?;
    resolved("", path)
}

/// A path from a folder on, without dots; `None`: it leads out of the repository.
fn resolved(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_repository() {
        assert_eq!(resolved("src/a", "../b/./c.js").as_deref(), Some("src/b/c.js"));
        assert_eq!(resolved("src", "../../c.js"), None);
        assert_eq!(inside("/w/tree/data/a.csv", "/w/tree").as_deref(), Some("data/a.csv"));
        assert_eq!(inside("/w/trees/a.csv", "/w/tree"), None);
    }

    #[test]
    fn messages_name_what_is_missing() {
        for (message, what) in [
            ("ModuleNotFoundError: No module named 'config.local'", "config.local"),
            ("Error: Cannot find module './generated/schema'", "./generated/schema"),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'data/rates.csv'", "data/rates.csv"),
            ("Error: ENOENT: no such file or directory, open '/w/data/rates.csv'", "/w/data/rates.csv"),
        ] {
            let found = NAMED.iter().find_map(|pattern| pattern.captures(message));
            assert_eq!(found.map(|found| found[1].to_owned()).as_deref(), Some(what));
        }
    }
}
