//! Bounds on the versions of distributions: environments with older ones, and the manifests that state them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use async_trait::async_trait;
use autoheal_code::python::distributions::{canonical, distribution_of, is_for_tests};
use autoheal_code::python::requirements::{self, Bound};
use autoheal_code::{Edit, FileEdit, Sources};
use autoheal_engine::workflow::StepError;

use super::ci_installs::ci_texts;
use super::complaints::Tracebacks;
use super::dependencies::{Dependencies, is_wanted};
use super::{installation, programs};
use crate::caches::{Begun, Room};
use crate::project::join;
use crate::setup::{InstalledEnvironment, Interpreter};
use crate::state::{HealState, Offender};
use crate::step_error::sandbox_error;
use crate::toolchain::package_manager::{Complaints, Distribution, PackageManager};
use crate::toolchain::{Place, Search, installing};

/// pip in virtual environments.
pub(super) struct Pip;

#[async_trait]
impl PackageManager for Pip {
    fn complaints(&self) -> &'static dyn Complaints {
        &Tracebacks
    }

    fn has_installed(&self, interpreter: &Interpreter) -> bool {
        interpreter.installed.is_some()
    }

    /// A requirement that pins a release is one like any other, and no bound on it can be installed.
    fn lock(&self, search: Search<'_>) -> Option<String> {
        let installed = search.setup.main_tools.interpreter.installed.as_ref()?;
        if !installation::is_locked(&installed.folder) {
            return None;
        }
        let locked = Dependencies::of(&search.checkout.folders.tree(), search.project).locked?;
        Some(join(&search.project.directory, locked.file))
    }

    fn installed_words(&self, place: &Place<'_>, search: Search<'_>) -> Vec<String> {
        let tree = search.checkout.folders.tree();
        let extras = Dependencies::of(&tree, search.project).extras;
        let folder = tree.join(&search.project.directory).display().to_string();
        // Isolated: the tree may hold metadata of the project, too.
        let ours = [place.program(), "-I".to_owned(), place.tool(programs::INSTALLED)];
        ours.into_iter().chain([folder]).chain(extras).collect()
    }

    fn stated(&self, search: Search<'_>) -> BTreeSet<String> {
        let dependencies = Dependencies::of(&search.checkout.folders.tree(), search.project);
        let stated = dependencies.requirements.iter().chain(&dependencies.stated_in_files);
        stated.map(|requirement| canonical(distribution_of(requirement))).collect()
    }

    fn releases_words(&self, place: &Place<'_>, names: &[String]) -> Vec<String> {
        [place.program(), place.tool(programs::RELEASES)].into_iter().chain(names.iter().cloned()).collect()
    }

    async fn with_bounds(
        &self,
        search: Search<'_>,
        state: &HealState,
        base: &Interpreter,
        installed: &[Distribution],
        bounds: &[String],
    ) -> Result<Result<Interpreter, String>, StepError> {
        // The project itself stays as it is in the copy; its requirements are installed with all others.
        let own = installed.iter().flat_map(|one| &one.requirements);
        let requirements: Vec<String> = own.chain(bounds).cloned().collect();
        install_over(base, search, &requirements, state).await
    }

    fn up_to(&self, package: &str, version: &str) -> String {
        format!("{package}<={version}")
    }

    fn states_bounds(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_list = name.strip_suffix(".txt").is_some() && (is_wanted(name) || name.starts_with("constraints"));
        let is_own = is_list || requirements::is_environment(name);
        is_own || ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile"].contains(&name)
    }

    fn edits(&self, search: Search<'_>, sources: &Sources, offenders: &[Offender]) -> Option<Vec<FileEdit>> {
        let manifests = Manifests::of(search, sources);
        let before: BTreeMap<&str, String> =
            manifests.files.iter().filter_map(|file| Some((*file, sources.text(file)?.to_owned()))).collect();
        let mut texts = before.clone();
        for offender in offenders {
            let reason = offender.sentence();
            let bound = Bound { distribution: &offender.package, specifier: &offender.bound, reason: &reason };
            let changed = manifests.with(&bound, &texts);
            if changed.is_empty() {
                return None;
            }
            texts.extend(changed);
        }
        let is_changed = |file: &str, text: &String| before.get(file).is_some_and(|before| before != text);
        let changed = texts.iter().filter(|(file, text)| is_changed(file, text));
        let edit = |(file, text): (&&str, &String)| FileEdit::single(*file, Edit::between(&before[file], text));
        Some(changed.map(edit).collect())
    }
}

/// Makes an environment from a copy of the one that `base` has, in which all requirements hold together with further ones; the reason when that
/// fails. The one that is copied stays as it is.
async fn install_over(
    base: &Interpreter,
    search: Search<'_>,
    requirements: &[String],
    state: &HealState,
) -> Result<Result<Interpreter, String>, StepError> {
    let Some(old) = &base.installed else { return Ok(Err("no environment was installed".to_owned())) };
    let over = |environment: PathBuf| {
        let others = base.folders.iter().filter(|folder| **folder != old.folder);
        Interpreter {
            program: environment.join("bin/python3"),
            folders: others.cloned().chain([environment.clone()]).collect(),
            installed: Some(InstalledEnvironment { folder: environment, base: old.base.clone() }),
            ..base.clone()
        }
    };
    let dependencies = Dependencies::of(&search.checkout.folders.tree(), search.project);
    let scope = installing::Scope::of(search, state).await?;
    let mut parts = installation::content(base, search, &dependencies, state);
    parts.extend([old.folder.display().to_string(), requirements.join("\0")]);
    let cache = scope.cache(search, Room::Environments, parts, dependencies.run_code);
    let installing = match cache.begin(None, search.context).await? {
        Begun::Complete(environment) => return Ok(Ok(over(environment))),
        Begun::Empty(installing) => installing,
    };
    let environment = installing.folder();
    let (mut workspace, _downloads) = installation::open(base, &environment, &scope, search).await?;
    let copy = search.checkout.folders.tools().join(programs::COPY_ENVIRONMENT);
    let copy = [&old.base, &copy, &old.folder, &environment].map(|path| path.display().to_string());
    let runner = installation::has_pytest(search.setup).then(|| "pytest".to_owned());
    let all =
        dependencies.pip_words().unwrap_or_default().into_iter().chain(runner).chain(requirements.iter().cloned());
    let commands = vec![copy.to_vec(), installation::pip_install(&environment, all)];
    let failure = installation::run_all(&mut *workspace, commands, &environment, search, state).await?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    if let Some(reason) = failure {
        return Ok(Err(reason));
    }
    Ok(Ok(over(installing::complete(installing, search).await?)))
}

/// The manifests that decide what is installed for the tests.
struct Manifests<'s> {
    /// Files of metadata and requirements, those first that CI names.
    files: Vec<&'s str>,
    /// Texts of the files of CI.
    ci: Vec<String>,
}

impl<'s> Manifests<'s> {
    fn of(search: Search<'_>, sources: &'s Sources) -> Self {
        let mut found = Self { files: Vec::new(), ci: ci_texts(&search.checkout.folders.tree()) };
        let folders: Vec<&String> =
            std::iter::once(&search.project.directory).chain(&search.project.other_directories).collect();
        let is_here = |file: &str, name: &str| folders.iter().any(|folder| join(folder, name) == file);
        let is_manifest =
            |file: &&str| Pip.states_bounds(file) && is_here(file, file.rsplit('/').next().unwrap_or(file));
        let mut files: Vec<&str> = sources.iter().map(|(file, _)| file).filter(is_manifest).collect();
        files.sort_by_key(|file| found.rank(file));
        found.files = files;
        found
    }

    /// A list that CI installs comes before the project's own metadata, and that before lists that may be of no use.
    fn rank(&self, file: &str) -> (u8, bool) {
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_named = self.ci.iter().any(|text| text.contains(name));
        let rank = match name {
            "pyproject.toml" | "setup.cfg" | "setup.py" | "Pipfile" => 1,
            "tox.ini" if self.ci.iter().any(|text| text.contains("tox")) => 0,
            "tox.ini" => 3,
            _ if is_named => 0,
            _ => 2,
        };
        (rank, name == "requirements.txt")
    }

    /// Returns whether CI installs an extra or a group; where there is no CI, whether its name says that it is for tests.
    fn is_installed(&self, name: &str) -> bool {
        let words = [format!("[{name}]"), format!("[{name},"), format!(",{name}]"), format!("--group {name}")];
        is_for_tests(name)
            && (self.ci.is_empty() || self.ci.iter().any(|text| words.iter().any(|word| text.contains(word))))
    }

    /// Returns the texts of the files with the bound: of those that state the distribution, else of the first that can.
    fn with(&self, bound: &Bound<'_>, texts: &BTreeMap<&str, String>) -> Vec<(&'s str, String)> {
        let changed = |file: &&'s str, edits: Option<Vec<Edit>>| {
            let after = FileEdit { file: (*file).to_owned(), edits: edits? }.apply(texts.get(file)?).ok()?;
            Some((*file, after))
        };
        let stating =
            self.files.iter().filter_map(|file| changed(file, requirements::tightened(file, texts.get(file)?, bound)));
        let stating: Vec<(&str, String)> = stating.collect();
        if !stating.is_empty() {
            return stating;
        }
        let is_wanted = |name: &str| self.is_installed(name);
        let mut adding = self
            .files
            .iter()
            .filter_map(|file| changed(file, requirements::added(file, texts.get(file)?, bound, &is_wanted)));
        adding.next().into_iter().collect()
    }
}
