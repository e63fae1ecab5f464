//! The steps of GitHub Actions workflows that a push or a pull request runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use autoheal_code::LanguageId;
use serde_json::Value;

use super::triggers::{is_triggered, read};
use crate::paths::clean as clean_folder;
use crate::repo_config::Version;
use crate::toolchains;

/// One `run:` step, or an action that runs a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Script that the step runs.
    pub(super) script: String,
    /// The folder it starts in, relative to the repository.
    pub(super) directory: String,
    /// Variables of the workflow, the job and the step, without those that hold an expression.
    pub(super) environment: BTreeMap<String, String>,
    /// Source of the step, for the report: `.github/workflows/ci.yml, job test`.
    pub(super) found: String,
    /// Versions of languages that the job sets up.
    pub(super) versions: BTreeSet<(LanguageId, Version)>,
    /// True if the workflow or the job is about tests, by its name.
    is_about_tests: bool,
}

impl Step {
    /// A step of one command.
    pub(super) fn of_command(command: &str, directory: &str, found: &str) -> Self {
        Self {
            script: command.to_owned(),
            directory: directory.to_owned(),
            environment: BTreeMap::new(),
            found: found.to_owned(),
            versions: BTreeSet::new(),
            is_about_tests: true,
        }
    }

    /// Ranks how likely the step is the test run of the project in `directory`: smaller is likelier.
    pub(super) fn rank(&self, directory: &str) -> usize {
        usize::from(self.directory != directory) * 2 + usize::from(!self.is_about_tests)
    }
}

/// Actions that run a linter: the action, the program, the input that has its arguments, and the default arguments.
const ACTIONS: &[(&str, &str, &str, &str)] = &[
    ("astral-sh/ruff-action", "ruff", "args", "check"),
    ("chartboost/ruff-action", "ruff", "args", "check"),
    ("py-actions/flake8", "flake8", "args", ""),
    ("psf/black", "black", "options", "--check --diff"),
    ("isort/isort-action", "isort", "configuration", "--check-only --diff"),
    ("pre-commit/action", "pre-commit run", "extra_args", "--all-files"),
];

/// Every step that a push or a pull request runs, in the order of files, jobs and steps.
pub(super) fn steps(tree: &Path, files: &[String]) -> Vec<Step> {
    read(tree, files)
        .iter()
        .filter(|(_, workflow)| is_triggered(workflow))
        .flat_map(|(file, workflow)| steps_of(file, workflow))
        .collect()
}

fn steps_of(file: &str, workflow: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let jobs = workflow.get("jobs").and_then(Value::as_object).into_iter().flatten();
    for (job_name, job) in jobs.filter(|(_, job)| !may_fail(job) && !is_elsewhere(job)) {
        let title = job.get("name").and_then(Value::as_str).unwrap_or_default();
        let names = [file, job_name, title].map(str::to_lowercase);
        let is_about_tests = names.iter().any(|name| name.contains("test") || name.contains("ci.y"));
        let versions = versions(job);
        for step in job.get("steps").and_then(Value::as_array).into_iter().flatten().filter(|step| !may_fail(step)) {
            let Some(script) = script(step) else { continue };
            let mut environment = BTreeMap::new();
            for level in [workflow, job, step] {
                environment.extend(variables(level));
            }
            let folder = step
                .get("working-directory")
                .or_else(|| job.pointer("/defaults/run/working-directory"))
                .or_else(|| workflow.pointer("/defaults/run/working-directory"));
            let folder = folder.and_then(Value::as_str).unwrap_or_default();
            let found = format!("{file}, job {job_name}");
            for (folder, script) in in_each_folder(folder, &script, job) {
                let Some(directory) = clean_folder(&folder) else { continue };
                let (environment, found, versions) = (environment.clone(), found.clone(), versions.clone());
                steps.push(Step { script, directory, environment, found, versions, is_about_tests });
            }
        }
    }
    steps
}

/// The folder and the script of a step for each value of the matrix that the folder is named by (`packages/${{ matrix.package }}`).
fn in_each_folder(folder: &str, script: &str, job: &Value) -> Vec<(String, String)> {
    let Some((_, rest)) = folder.split_once("${{") else { return vec![(folder.to_owned(), script.to_owned())] };
    let expression = rest.split_once("}}").map_or(rest, |(expression, _)| expression);
    let written = format!("${{{{{expression}}}}}");
    let values = of_matrix(expression, job).into_iter().filter_map(Value::as_str);
    values.map(|value| (folder.replace(&written, value), script.replace(&written, value))).collect()
}

/// The values that an expression (`matrix.package`) has in the machines of a job, without those that it excludes, and those of included
/// machines that may fail.
fn of_matrix<'job>(expression: &str, job: &'job Value) -> Vec<&'job Value> {
    let name = variable(expression);
    let matrix = job.pointer("/strategy/matrix");
    let list = |key: &str| matrix.and_then(|matrix| matrix.get(key)).and_then(Value::as_array).into_iter().flatten();
    let excluded = |value: &Value| {
        let is_alone = |one: &Value| one.as_object().is_some_and(|keys| keys.len() == 1);
        list("exclude").any(|one| is_alone(one) && one.get(name) == Some(value))
    };
    let condition = job
        .get("continue-on-error")
        .and_then(Value::as_str)
        .map(|text| variable(text.trim().trim_start_matches("${{").trim_end_matches("}}")));
    let may_fail = |one: &Value| condition.is_some_and(|key| one.get(key) == Some(&Value::Bool(true)));
    let listed = list(name).filter(|value| !excluded(value));
    listed.chain(list("include").filter(|one| !may_fail(one)).filter_map(|one| one.get(name))).collect()
}

/// The key of a matrix that an expression names.
fn variable(expression: &str) -> &str {
    expression.trim().strip_prefix("matrix.").unwrap_or_default()
}

/// The versions of languages that a job sets up, each machine of its matrix its own.
fn versions(job: &Value) -> BTreeSet<(LanguageId, Version)> {
    let mut versions = BTreeSet::new();
    for step in job.get("steps").and_then(Value::as_array).into_iter().flatten().filter(|step| !may_fail(step)) {
        let action = step.get("uses").and_then(Value::as_str).and_then(|uses| uses.split('@').next());
        let known = toolchains::ALL.iter().find_map(|toolchain| {
            let (_, input) = toolchain.setup_actions().iter().find(|(name, _)| Some(*name) == action)?;
            Some((toolchain.language(), *input))
        });
        let Some((language, input)) = known else { continue };
        let Some(named) = step.get("with").and_then(|with| with.get(input)) else { continue };
        let expression = named.as_str().and_then(|text| text.trim().strip_prefix("${{")?.strip_suffix("}}"));
        let values = expression.map_or_else(|| vec![named], |expression| of_matrix(expression, job));
        versions.extend(values.into_iter().flat_map(versions_in).map(|version| (language, version)));
    }
    versions
}

/// The versions that a value names, one in each line; of a patch release those that begin like it.
fn versions_in(value: &Value) -> Vec<Version> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return Vec::new(),
    };
    let short = |line: &str| line.trim().splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    text.lines().filter_map(|line| Version::try_from(short(line)).ok()).collect()
}

/// Returns whether a job or a step does not decide the colour: it may fail, or runs only in other cases
/// (after a failure, on a schedule, for a release or a tag, by hand) or never.
fn may_fail(part: &Value) -> bool {
    let may = match part.get("continue-on-error") {
        Some(Value::Bool(may)) => *may,
        Some(Value::String(text)) => text.contains("true"),
        Some(_) | None => false,
    };
    let condition = part.get("if").map(ToString::to_string).unwrap_or_default();
    may || ["failure()", "schedule", "release", "refs/tags", "workflow_dispatch"]
        .iter()
        .any(|word| condition.contains(word))
        || matches!(part.get("if"), Some(Value::Bool(false)))
}

/// Returns whether a job runs on Windows or macOS only.
fn is_elsewhere(job: &Value) -> bool {
    let machine = job.get("runs-on").and_then(Value::as_str).unwrap_or_default();
    machine.starts_with("windows") || machine.starts_with("macos")
}

fn script(step: &Value) -> Option<String> {
    if let Some(script) = step.get("run").and_then(Value::as_str) {
        let shell = step.get("shell").and_then(Value::as_str).unwrap_or("bash");
        return (shell.contains("sh") && !shell.contains("pwsh")).then(|| script.to_owned());
    }
    let action = step.get("uses").and_then(Value::as_str)?.split('@').next()?;
    let (_, program, input, default) = ACTIONS.iter().find(|(name, ..)| *name == action)?;
    let with = |name: &str| step.pointer(&format!("/with/{name}")).and_then(Value::as_str);
    let arguments = with(input).unwrap_or(default);
    let source = with("src").or_else(|| with("path")).unwrap_or(".");
    Some(format!("{program} {arguments} {source}"))
}

/// The `env:` of a level, without values that hold an expression.
fn variables(level: &Value) -> BTreeMap<String, String> {
    let entries = level.get("env").and_then(Value::as_object).into_iter().flatten();
    entries
        .filter_map(|(name, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(truth) => truth.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            (!text.contains("${{")).then(|| (name.clone(), text))
        })
        .collect()
}
