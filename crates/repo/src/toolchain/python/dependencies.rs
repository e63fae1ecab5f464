//! Dependencies that have to be installed before a project's tests can run.

use std::collections::BTreeSet;
use std::path::Path;

use autoheal_code::python::distributions::is_for_tests;
use autoheal_code::python::requirements::{EnvironmentRequirements, is_environment, of_environment};
use toml::Value;

use super::ci_installs::CiInstalls;
use super::locked::Locked;
use super::requirement::is_requirement;
use crate::project::{Manifests, Project, ini_section, ini_value};

/// Maximum depth of dependency groups that include each other.
const DEEPEST: usize = 8;

/// Dependencies that have to be installed, as far as the manifests state them without being run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    /// Files of requirements for pip, relative to the project.
    pub requirement_files: Vec<String>,
    /// Requirements that those files state themselves.
    pub stated_in_files: Vec<String>,
    /// Requirements (PEP 508) that the manifests state, for running and for testing.
    pub requirements: Vec<String>,
    /// True if the project itself can be installed (`pip install .`).
    pub is_installable: bool,
    /// Its extras that tests need.
    pub extras: Vec<String>,
    /// True if CI asks for the newest releases of what it names.
    pub upgrades: bool,
    /// True if the installation runs code of the repository: its own build, or code of it that a requirements
    /// file names.
    pub run_code: bool,
    /// Packages that only conda has, which is not run.
    pub for_conda: Vec<String>,
    /// Manifests that state all this, for the report.
    pub found: Vec<String>,
    /// Versions that a lock file holds, if the tools of CI heed one.
    pub(super) locked: Option<Locked>,
}

/// The files of requirements for pip among the manifests, with their text: `requirements.txt`, `requirements-dev.txt`,
/// `dev-requirements.txt`, `requirements/test.txt`.
pub(super) fn requirement_files(manifests: &Manifests) -> impl Iterator<Item = (&str, &str)> {
    manifests.iter().filter(|(name, _)| name.strip_suffix(".txt").is_some())
}

impl Dependencies {
    /// Those of a project, with the requirements of the other folders whose tests run with it.
    pub(super) fn of(tree: &Path, project: &Project) -> Self {
        let installs = CiInstalls::of(tree, &project.directory);
        let decides = Some(&installs).filter(|installs| installs.is_complete);
        let manifests = Manifests::of(tree, &project.directory);
        let mut found = Self::read_for(&manifests, decides);
        // pip reads no lock file.
        found.locked = if decides.is_none() { Locked::of(&manifests) } else { None };
        for directory in &project.other_directories {
            found.add_requirements(Self::read(&Manifests::of(tree, directory)).requirements);
        }
        found.add_ci(installs);
        found
    }

    /// Adds what the commands of CI install beyond the manifests.
    fn add_ci(&mut self, installs: CiInstalls) {
        let CiInstalls { requirements, extras, upgrades, .. } = installs;
        if !requirements.is_empty() {
            self.found.push("the commands of CI".to_owned());
        }
        self.add_requirements(requirements);
        // Extras that the manifests do not state are an error of pip's alone.
        let new: Vec<String> = extras.into_iter().filter(|extra| !self.extras.contains(extra)).collect();
        self.extras.extend(new.into_iter().filter(|_| self.is_installable));
        self.upgrades |= upgrades;
    }

    /// Reads the dependencies from the manifests.
    pub fn read(manifests: &Manifests) -> Self {
        Self::read_for(manifests, None)
    }

    /// Reads the dependencies from the manifests, as far as CI installs them. `None`: it is not known what CI installs.
    fn read_for(manifests: &Manifests, ci: Option<&CiInstalls>) -> Self {
        let mut found = Self::default();
        for (name, text) in requirement_files(manifests) {
            if ci.map_or_else(|| is_wanted(name), |ci| ci.files.iter().any(|file| file == name)) {
                found.run_code |= !text.lines().all(is_of_a_registry);
                found.requirement_files.push(name.to_owned());
                found
                    .stated_in_files
                    .extend(text.lines().map(str::trim).filter(|line| is_requirement(line)).map(str::to_owned));
                found.found.push(name.to_owned());
            }
        }
        found.read_pyproject(&manifests.toml("pyproject.toml"), ci);
        found.read_setup_cfg(manifests.text("setup.cfg").unwrap_or_default(), ci);
        found.read_pipfile(&manifests.toml("Pipfile"));
        if manifests.text("setup.py").is_some() {
            found.is_installable = true;
            found.found.push("setup.py".to_owned());
        }
        if let Some(text) = manifests.text("tox.ini").filter(|_| ci.is_none()) {
            let deps = ini_value(text, "testenv", "deps").unwrap_or_default();
            // Lines such as `-r file` and `cond: package` belong to tox; the rest is what pip takes.
            found.add(deps.lines().map(str::trim).filter(|line| is_requirement(line)).map(str::to_owned), "tox.ini");
        }
        let environments = manifests.iter().filter(|(name, _)| ci.is_none() && is_environment(name) && is_wanted(name));
        for (name, text) in environments {
            let EnvironmentRequirements { for_pip, for_conda } = of_environment(text);
            found.add(for_pip, name);
            found.for_conda.extend(for_conda);
        }
        found.run_code |= found.is_installable || !found.requirements.iter().all(|line| is_of_a_registry(line));
        let mut seen = BTreeSet::new();
        found.requirements.retain(|requirement| seen.insert(requirement.clone()));
        found
    }

    /// Returns whether nothing has to be installed.
    pub fn is_empty(&self) -> bool {
        self.requirement_files.is_empty() && self.requirements.is_empty() && !self.is_installable
    }

    /// Returns the words after `python -m pip install` for all dependencies but the project itself; `None`: there are none. No shell
    /// sees them, and what the repository states is one requirement or file each, never an option.
    pub fn pip_words(&self) -> Option<Vec<String>> {
        let files = self.requirement_files.iter().flat_map(|file| ["--requirement".to_owned(), file.clone()]);
        let words: Vec<String> = files.chain(self.requirements.iter().cloned()).collect();
        let upgrade = self.upgrades.then(|| "--upgrade".to_owned());
        (!words.is_empty()).then(|| upgrade.into_iter().chain(words).collect())
    }

    /// The word after `python -m pip install` that installs the project itself with its extras.
    pub fn project_word(&self) -> Option<String> {
        let extras = if self.extras.is_empty() { String::new() } else { format!("[{}]", self.extras.join(",")) };
        self.is_installable.then(|| format!(".{extras}"))
    }

    /// Adds what another project of the repository requires.
    pub(crate) fn add_requirements(&mut self, requirements: Vec<String>) {
        let new = |requirement: &String| !self.requirements.contains(requirement);
        let new: Vec<String> = requirements.into_iter().filter(new).collect();
        self.run_code |= !new.iter().all(|line| is_of_a_registry(line));
        self.requirements.extend(new);
    }

    fn add(&mut self, requirements: impl IntoIterator<Item = String>, found: &str) {
        let before = self.requirements.len();
        self.requirements.extend(requirements.into_iter().filter(|requirement| is_requirement(requirement)));
        if self.requirements.len() > before {
            self.found.push(found.to_owned());
        }
    }

    fn read_pyproject(&mut self, manifest: &toml::Table, ci: Option<&CiInstalls>) {
        if manifest.contains_key("project") || manifest.contains_key("build-system") {
            self.is_installable = true;
            self.found.push("pyproject.toml".to_owned());
        }
        if let Some(project) = manifest.get("project") {
            self.add(strings(project.get("dependencies")), "[project] in pyproject.toml");
            for (name, extra) in project.get("optional-dependencies").and_then(Value::as_table).into_iter().flatten() {
                if is_installed(name, ci) {
                    self.extras.push(name.clone());
                    self.add(strings(Some(extra)), "[project.optional-dependencies] in pyproject.toml");
                }
            }
        }
        if ci.is_some() {
            // pip installs no groups.
            return;
        }
        if let Some(groups) = manifest.get("dependency-groups").and_then(Value::as_table) {
            for name in groups.keys().filter(|name| is_for_tests(name)) {
                let requirements = group(groups, name, DEEPEST);
                self.add(requirements, "[dependency-groups] in pyproject.toml");
            }
        }
        let Some(tool) = manifest.get("tool") else { return };
        self.add(strings(tool.get("uv").and_then(|uv| uv.get("dev-dependencies"))), "[tool.uv] in pyproject.toml");
        for (_, list) in tool
            .get("pdm")
            .and_then(|pdm| pdm.get("dev-dependencies")?.as_table())
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_for_tests(name))
        {
            self.add(strings(Some(list)), "[tool.pdm] in pyproject.toml");
        }
        if let Some(poetry) = tool.get("poetry") {
            self.is_installable = true;
            let origin = "[tool.poetry] in pyproject.toml";
            self.add(poetry_requirements(poetry.get("dependencies")), origin);
            self.add(poetry_requirements(poetry.get("dev-dependencies")), origin);
            for (name, group) in poetry.get("group").and_then(Value::as_table).into_iter().flatten() {
                if is_for_tests(name) {
                    self.add(poetry_requirements(group.get("dependencies")), origin);
                }
            }
        }
    }

    fn read_setup_cfg(&mut self, text: &str, ci: Option<&CiInstalls>) {
        if ini_section(text, "metadata").is_some() {
            self.is_installable = true;
            self.found.push("setup.cfg".to_owned());
        }
        for key in ["install_requires", "tests_require"] {
            let list = ini_value(text, "options", key).unwrap_or_default();
            self.add(list.lines().map(|line| line.trim().to_owned()), "[options] in setup.cfg");
        }
        for (name, list) in ini_section(text, "options.extras_require").unwrap_or_default() {
            if is_installed(&name, ci) {
                self.add(list.lines().map(|line| line.trim().to_owned()), "[options.extras_require] in setup.cfg");
                self.extras.push(name);
            }
        }
    }

    fn read_pipfile(&mut self, manifest: &toml::Table) {
        for table in ["packages", "dev-packages"] {
            self.add(poetry_requirements(manifest.get(table)), "Pipfile");
        }
    }
}

/// Returns whether an extra is installed for the tests: as CI says, else by its name.
fn is_installed(extra: &str, ci: Option<&CiInstalls>) -> bool {
    ci.map_or_else(|| is_for_tests(extra), |ci| ci.extras.iter().any(|named| named == extra))
}

/// Returns whether a file of requirements, or an environment of conda, is for running or testing, by its name: `requirements-docs.txt` is for
/// neither.
pub(super) fn is_wanted(file: &str) -> bool {
    let stem = [".txt", ".yml", ".yaml"].iter().fold(file, |file, end| file.trim_end_matches(end));
    let stem = stem.replace(['/', '_'], "-");
    let is_purpose = |part: &&str| !matches!(*part, "requirements" | "reqs" | "environment" | "");
    let purposes: Vec<&str> = stem.split('-').filter(is_purpose).collect();
    purposes.iter().all(|purpose| matches!(*purpose, "base" | "main" | "install" | "core") || is_for_tests(purpose))
}

/// Returns whether a line of a requirements file names nothing of the repository: it holds a package by its
/// name, an option that says where packages come from, or nothing. Any other line
/// (`-e .`, `./lib`, `-r more.txt`, `lib @ file:lib`) may run any of its code.
fn is_of_a_registry(line: &str) -> bool {
    let line = line.trim();
    let is_option = ["--hash", "--index-url", "--extra-index-url", "-i ", "--no-binary", "--only-binary", "--pre"]
        .iter()
        .any(|option| line.starts_with(option));
    let name = line.split([';', '#', '@', ' ']).next().unwrap_or_default();
    let is_file = name.contains('/') || [".whl", ".gz", ".zip"].iter().any(|end| name.ends_with(end));
    let is_package =
        line.starts_with(|first: char| first.is_ascii_alphanumeric()) && !line.contains("file:") && !is_file;
    line.is_empty() || line.starts_with('#') || is_option || is_package
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|item| item.as_str().map(|text| text.trim().to_owned())).collect()
}

/// The requirements of a dependency group (PEP 735), with those of the groups that it includes.
fn group(groups: &toml::Table, name: &str, depth: usize) -> Vec<String> {
    let mut requirements = Vec::new();
    if depth == 0 {
        return requirements;
    }
    for item in groups.get(name).and_then(Value::as_array).into_iter().flatten() {
        match (item.as_str(), item.get("include-group").and_then(Value::as_str)) {
            (Some(requirement), _) => requirements.push(requirement.trim().to_owned()),
            (None, Some(included)) => requirements.extend(group(groups, included, depth - 1)),
            (None, None) => {}
        }
    }
    requirements
}

/// Requirements as Poetry and Pipfile write them: a table from name to version or to a table with `version` and `extras`.
/// Those from a path, a repository or a URL, and the interpreter itself, are left out.
fn poetry_requirements(table: Option<&Value>) -> Vec<String> {
    let entries = table.and_then(Value::as_table).into_iter().flatten();
    entries
        .filter(|(name, _)| name.as_str() != "python")
        .filter_map(|(name, value)| {
            let constraint = match value {
                Value::String(text) => text.as_str(),
                Value::Table(table) if !["path", "git", "url", "file"].iter().any(|key| table.contains_key(*key)) => {
                    table.get("version").and_then(Value::as_str).unwrap_or("*")
                }
                _ => return None,
            };
            let extras = strings(value.get("extras")).join(",");
            let extras = if extras.is_empty() { extras } else { format!("[{extras}]") };
            let marker =
                value.get("markers").and_then(Value::as_str).map(|marker| format!(" ; {marker}")).unwrap_or_default();
            Some(format!("{name}{extras}{}{marker}", specifiers(constraint)?))
        })
        .collect()
}

/// Poetry's constraint as PEP 440 specifiers: `^1.2.3` is `>=1.2.3,<2`, `~1.2` is `>=1.2,<1.3`, a bare version is `==`.
fn specifiers(constraint: &str) -> Option<String> {
    let constraint = constraint.trim();
    if constraint.is_empty() || constraint == "*" || constraint == "latest" {
        return Some(String::new());
    }
    if constraint.contains("||") {
        return None;
    }
    let parts: Vec<String> = constraint
        .split(',')
        .map(str::trim)
        .map(|part| match part.chars().next() {
            Some('^') => between(&part[1..], first_significant),
            Some('~') if !part.starts_with("~=") => between(&part[1..], |release| usize::from(release.len() > 1)),
            Some(first) if first.is_ascii_digit() => Some(format!("=={part}")),
            Some(_) | None => Some(part.replace(' ', "")),
        })
        .collect::<Option<_>>()?;
    Some(parts.join(","))
}

/// `>=VERSION,<NEXT`, where in NEXT the part that `raised` names is one higher and everything after it gone.
fn between(version: &str, raised: impl Fn(&[u64]) -> usize) -> Option<String> {
    let version = version.trim();
    let release: Vec<u64> = version.split('.').map_while(|part| part.parse().ok()).collect();
    let at = raised(&release);
    let mut next = release.get(..=at)?.to_vec();
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    let next: Vec<String> = next.iter().map(ToString::to_string).collect();
    Some(format!(">={version},<{}", next.join(".")))
}

/// The first part of a version that is not zero, or the last one.
fn first_significant(release: &[u64]) -> usize {
    release.iter().position(|part| *part > 0).unwrap_or(release.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::{Dependencies, is_requirement, specifiers};
    use crate::project::Manifests;

    #[test]
    fn installing_runs_code_of_the_repository_when_anything_of_it_is_named() {
        let runs_code = |line: &str| {
            let text = format!(
                "# what it needs\n--index-url https://pypi.example/simple\nsix>=1 ; python_version < '4'\n{line}\n"
            );
            Dependencies::read(&Manifests::from_texts([("requirements.txt", &text)])).run_code
        };
        for line in ["", "requests[socks]==2.0 --hash=sha256:00", "x @ https://h.example/x.whl", "a # ./b"] {
            assert!(!runs_code(line), "{line}");
        }
        for line in
            ["-e .", ".", "./lib", "lib/x.whl", "x.whl", "x.tar.gz", "x @ file:lib", "-r more.txt", "-c more.txt", "/x"]
        {
            assert!(runs_code(line), "{line}");
        }
        for manifest in ["setup.py", "pyproject.toml"] {
            assert!(Dependencies::read(&Manifests::from_texts([(manifest, "[project]\nname = 'x'\n")])).run_code);
        }
    }

    #[test]
    fn an_environment_of_conda_is_installed_as_far_as_pip_can() {
        let text = "dependencies:\n  - python=3.10\n  - numpy=1.21\n  - libgadget\n  - pip:\n    - gadget>=1\n";
        let of_file = |name: &str| Dependencies::read(&Manifests::from_texts([(name, text)]));
        let found = of_file("environment.yml");
        assert_eq!(found.requirements, ["numpy==1.21.*", "gadget>=1"]);
        assert_eq!(found.for_conda, ["libgadget"]);
        assert!(!found.run_code && found.found == ["environment.yml"]);
        assert_eq!(of_file("environment-test.yaml").requirements.len(), 2);
        assert!(of_file("environment-docs.yml").is_empty());
    }

    #[test]
    fn a_requirement_is_a_name_and_no_option_path_or_url() {
        for text in [
            "six",
            "a.b-c_d",
            "x>=1,<2",
            "x (>=1)",
            "x[a,b-c]~=1.0; python_version < '3.8'",
            "x == 1.*",
            "x ; extra == 'y'",
        ] {
            assert!(is_requirement(text), "{text}");
        }
        for text in [
            "",
            "-e .",
            "--index-url=http://h",
            "./x",
            "x @ https://h/x.whl",
            "git+https://h/x",
            "https://h/x.whl",
            "unit-: x",
            "x-",
            "x[a-]",
            "x --hash=sha256:0",
            "x\ny",
        ] {
            assert!(!is_requirement(text), "{text}");
        }
    }

    #[test]
    fn constraints_of_poetry_become_specifiers() {
        for (constraint, expected) in [
            ("^1.2.3", ">=1.2.3,<2"),
            ("^0.2.3", ">=0.2.3,<0.3"),
            ("^0.0", ">=0.0,<0.1"),
            ("~1.2.3", ">=1.2.3,<1.3"),
            ("~1", ">=1,<2"),
            ("~=1.4.2", "~=1.4.2"),
            (">=1.0, <3", ">=1.0,<3"),
            ("1.2.3", "==1.2.3"),
            ("*", ""),
        ] {
            assert_eq!(specifiers(constraint).as_deref(), Some(expected), "{constraint}");
        }
        assert_eq!(specifiers("^x"), None);
        assert_eq!(specifiers("^1 || ^2"), None);
    }
}
