//! Triggers of GitHub Actions workflows, and their use of submodules.

use std::path::Path;

use serde_json::Value;

use crate::project::read_text;

/// Triggers of the GitHub Actions workflows, and their use of submodules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflows {
    /// Files of the workflows that can be started by hand without inputs.
    pub startable: Vec<String>,
    /// True if a push or a pull request starts a workflow.
    pub are_expected: bool,
    /// True if a workflow of a push or a pull request checks out submodules; `None`: this cannot be determined.
    pub have_submodules: Option<bool>,
}

impl Workflows {
    /// Those of a tree.
    pub fn of(tree: &Path) -> Self {
        let workflows = read(tree, &crate::discovery::files(tree));
        Self {
            startable: startable(&workflows),
            are_expected: are_expected(&workflows),
            have_submodules: have_submodules(&workflows),
        }
    }
}

/// The workflows of a tree with their files; what is no YAML is left out.
pub(super) fn read(tree: &Path, files: &[String]) -> Vec<(String, Value)> {
    let workflows = files.iter().filter(|file| {
        let name = file.strip_prefix(".github/workflows/").unwrap_or_default();
        let extension = Path::new(name).extension().unwrap_or_default();
        !name.contains('/') && (extension == "yml" || extension == "yaml")
    });
    let parsed = |file: &String| Some((file.clone(), serde_saphyr::from_str(&read_text(tree, file)?).ok()?));
    workflows.filter_map(parsed).collect()
}

/// Returns the files of the workflows that can be started by hand without inputs.
fn startable(workflows: &[(String, Value)]) -> Vec<String> {
    workflows.iter().filter(|(_, workflow)| is_startable(workflow)).map(|(file, _)| file.clone()).collect()
}

/// Returns whether a push or a pull request starts any of the workflows.
fn are_expected(workflows: &[(String, Value)]) -> bool {
    workflows.iter().any(|(_, workflow)| is_triggered(workflow))
}

/// Returns whether the workflows of a push or a pull request check submodules out; `None`: unknown.
fn have_submodules(workflows: &[(String, Value)]) -> Option<bool> {
    let triggered = workflows.iter().map(|(_, workflow)| workflow).filter(|workflow| is_triggered(workflow));
    let jobs: Vec<&Value> =
        triggered.filter_map(|one| one.get("jobs")?.as_object()).flat_map(|jobs| jobs.values()).collect();
    let steps: Vec<&Value> = jobs.iter().filter_map(|job| job.get("steps")?.as_array()).flatten().collect();
    let uses = |what: &Value| what.get("uses").and_then(Value::as_str).unwrap_or_default().to_owned();
    let checkouts: Vec<&&Value> = steps.iter().filter(|step| uses(step).starts_with("actions/checkout@")).collect();
    let asks = |step: &&&Value| match step.get("with").and_then(|with| with.get("submodules")) {
        Some(Value::Bool(asked)) => *asked,
        // `true`, `recursive`, or an expression.
        Some(Value::String(asked)) => asked != "false",
        Some(_) | None => false,
    };
    if checkouts.iter().any(asks) {
        return Some(true);
    }
    let is_elsewhere =
        jobs.iter().any(|job| !uses(job).is_empty()) || steps.iter().any(|step| uses(step).starts_with('.'));
    let is_said = steps.iter().filter_map(|step| step.get("run")?.as_str()).any(|script| script.contains("submodule"));
    (!checkouts.is_empty() && !is_elsewhere && !is_said).then_some(false)
}

fn is_startable(workflow: &Value) -> bool {
    const TRIGGER: &str = "workflow_dispatch";
    match workflow.get("on").or_else(|| workflow.get("true")) {
        Some(Value::String(name)) => name == TRIGGER,
        Some(Value::Array(names)) => names.iter().any(|name| name == TRIGGER),
        Some(Value::Object(triggers)) => triggers.get(TRIGGER).is_some_and(|trigger| {
            let inputs = trigger.get("inputs").and_then(Value::as_object).into_iter().flatten();
            !inputs
                .into_iter()
                .any(|(_, input)| input.get("required") == Some(&true.into()) && input.get("default").is_none())
        }),
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => false,
    }
}

/// Returns whether a push or a pull request starts the workflow.
pub(super) fn is_triggered(workflow: &Value) -> bool {
    // YAML 1.1 reads the key `on` as true.
    let Some(on) = workflow.get("on").or_else(|| workflow.get("true")) else { return false };
    let starts = |name: &str| matches!(name, "push" | "pull_request");
    match on {
        Value::String(name) => starts(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(starts),
        Value::Object(triggers) => triggers.iter().any(|(name, filter)| {
            let is_for_tags_only = filter.get("tags").is_some() && filter.get("branches").is_none();
            starts(name) && !is_for_tags_only
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
