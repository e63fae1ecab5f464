//! Commands of the hooks of pre-commit. Its own environments are fetched by git and are not made here: a hook of a known tool is
//! run as that tool, a `system` hook as its command, and the rest is reported.

use std::path::Path;

use serde_json::Value;

use crate::project::read_text;

pub(super) const FILE: &str = ".pre-commit-config.yaml";

/// A hook of pre-commit, as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hook {
    /// Command that the hook runs, on all files.
    Command(Vec<String>),
    /// Reason for which its command is unknown.
    Unknown(String),
}

/// Known hooks by their ids, each with its command on all files.
const KNOWN: &[(&str, &[&str])] = &[
    ("black", &["black", "--check"]),
    ("black-jupyter", &["black", "--check"]),
    ("ruff", &["ruff", "check"]),
    ("ruff-check", &["ruff", "check"]),
    ("ruff-format", &["ruff", "format", "--check"]),
    ("isort", &["isort", "--check"]),
    ("flake8", &["flake8"]),
    ("mypy", &["mypy"]),
    ("prettier", &["prettier", "--check"]),
    ("eslint", &["eslint"]),
    ("biome-check", &["biome", "check"]),
    ("biome-ci", &["biome", "ci"]),
    ("biome-format", &["biome", "format"]),
];

/// Returns the hooks of a tree that run before a commit, in order.
pub(super) fn hooks(tree: &Path) -> Vec<Hook> {
    let Some(text) = read_text(tree, FILE) else {
        return vec![Hook::Unknown(format!("`pre-commit run` is not run here: there is no {FILE}"))];
    };
    let Ok(settings) = serde_saphyr::from_str::<Value>(&text) else {
        return vec![Hook::Unknown(format!("`pre-commit run` is not run here: {FILE} cannot be read"))];
    };
    let is_narrowed = |value: &Value| ["files", "exclude"].iter().any(|key| value.get(key).is_some());
    let repos = settings.get("repos").and_then(Value::as_array).into_iter().flatten();
    let mut hooks = Vec::new();
    for repo in repos {
        for hook in repo.get("hooks").and_then(Value::as_array).into_iter().flatten() {
            let stages: Vec<&str> = strings(hook.get("stages"));
            let is_run = stages.is_empty() || stages.iter().any(|stage| matches!(*stage, "commit" | "pre-commit"));
            if is_run {
                let narrowed = is_narrowed(&settings) || is_narrowed(hook);
                hooks.push(of(hook, narrowed));
            }
        }
    }
    hooks
}

fn of(hook: &Value, is_narrowed: bool) -> Hook {
    let text = |key: &str| hook.get(key).and_then(Value::as_str).unwrap_or_default();
    let id = text("id");
    let unknown = |why: &str| Hook::Unknown(format!("the hook `{id}` of pre-commit {why}"));
    let takes_files = hook.get("pass_filenames") != Some(&Value::Bool(false));
    let arguments = strings(hook.get("args")).into_iter().map(str::to_owned);
    let entry = text("entry");
    let words: Vec<String> = if entry.is_empty() {
        let Some((_, command)) = KNOWN.iter().find(|(known, _)| *known == id) else {
            return unknown("is not run here");
        };
        command.iter().map(|word| (*word).to_owned()).chain(arguments).collect()
    } else {
        if !matches!(text("language"), "system" | "unsupported" | "python" | "node") {
            return unknown("is not run here");
        }
        let Ok(words) = shell_words::split(entry) else { return unknown("has an entry that needs a shell") };
        words.into_iter().chain(arguments).collect()
    };
    if is_narrowed && takes_files {
        return unknown("is given some of the files only, and is not run here");
    }
    let all = takes_files.then(|| ".".to_owned());
    Hook::Command(words.into_iter().chain(all).collect())
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_the_commands_that_they_stand_for() {
        let folder = tempfile::tempdir().unwrap();
        let text = "repos:\n- repo: https://github.com/psf/black\n  rev: 24.1.0\n  hooks:\n  - id: black\n    args: [-l, '100']\n\
                    - repo: https://github.com/pre-commit/pre-commit-hooks\n  rev: v4.0.0\n  hooks: [{id: check-yaml}]\n\
                    - repo: local\n  hooks:\n  - {id: types, name: types, entry: mypy shop, language: system, pass_filenames: false}\n  \
                    - {id: some, entry: black --check, language: system, files: ^src/}\n  \
                    - {id: later, entry: pytest, language: system, stages: [pre-push]}\n";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let words = |line: &str| Hook::Command(line.split(' ').map(str::to_owned).collect());
        let found = hooks(folder.path());
        assert_eq!((&found[0], &found[2]), (&words("black --check -l 100 ."), &words("mypy shop")));
        assert!(matches!(&found[1], Hook::Unknown(why) if why.contains("`check-yaml`")), "{found:?}");
        assert!(matches!(&found[3], Hook::Unknown(why) if why.contains("some of the files")), "{found:?}");
        assert_eq!(found.len(), 4);
        std::fs::write(folder.path().join(FILE), "repos: []\n").unwrap();
        assert_eq!(hooks(folder.path()), []);
    }
}
