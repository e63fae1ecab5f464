//! The sandbox around a tree: what commands see of this machine, and with which variables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use autoheal_engine::RunId;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Mount, WorkspaceSpec};

use crate::caches::InUse;
use crate::folders::Folders;
use crate::host_programs::is_seen_with;
use crate::setup::{Setup, Tools};
use crate::step_error::disk;
use crate::toolchains;

/// Guards of the installed environments that a setup uses.
pub(crate) fn in_use(setup: &Setup) -> Vec<InUse> {
    let mut folders: BTreeSet<&Path> = BTreeSet::new();
    for Tools { interpreter, .. } in setup.tools() {
        folders.extend(interpreter.modules.iter().filter_map(|modules| modules.installed.as_deref()));
        folders.extend(interpreter.installed.as_ref().map(|installed| installed.folder.as_path()));
    }
    folders.into_iter().filter_map(InUse::of).collect()
}

/// The variables that the suite at hand has otherwise than the main one, whose the workspace has. What the tools need stays as it is.
pub(crate) fn of_suite(folders: &Folders, setup: &Setup) -> BTreeMap<String, String> {
    if setup.at == 0 {
        return BTreeMap::new();
    }
    let mut environment = setup.suite().environment.clone();
    let tools = toolchains::of(setup.language()).environment(folders, setup);
    if setup.interpreter() == &setup.main_tools.interpreter {
        environment.retain(|name, _| tools.iter().all(|(set, _)| set != name));
    } else {
        environment.extend(tools);
    }
    environment
}

/// Makes the folders of a run beside its tree, with our programs in them.
pub(crate) fn prepare(folders: &Folders) -> Result<(), StepError> {
    let programs = toolchains::ALL.iter().flat_map(|toolchain| toolchain.programs()).copied();
    folders.prepare(programs).map_err(|error| disk("preparing the run's folder", &error))
}

/// Returns the workspace for the commands of a run. The sandbox rejects it if the source of a mount is a link, or lies in anything that
/// commands may write.
pub(crate) fn spec(run: RunId, folders: &Folders, setup: &Setup) -> WorkspaceSpec {
    let tree = folders.tree();
    let mut mounts: Vec<Mount> = Vec::new();
    for tools in setup.tools() {
        let new = tools.interpreter.mounts();
        mounts.extend(new.into_iter().filter(|mount| !mounts.contains(mount)).collect::<Vec<_>>());
    }
    mounts.push(Mount::read_only(folders.tools()));
    mounts.extend(Some(folders.before()).filter(|folder| UntrustedFolder::open(folder).is_ok()).map(Mount::read_only));
    mounts.push(Mount { host: folders.reports(), inside: folders.reports(), writable: true });
    mounts.push(Mount { host: folders.scratch(), inside: folders.scratch(), writable: true });
    // A linter of the project's own packages is seen with them.
    let programs = setup.linters.iter().map(|linter| &linter.program);
    let elsewhere = programs.filter(|program| {
        program.is_absolute() && !setup.tools().any(|tools| is_seen_with(&tools.interpreter, program))
    });
    mounts.extend(elsewhere.map(Mount::read_only));
    // What nobody needs must not keep a sandbox from standing: it may be gone since it was found, or a link by now.
    let servers: BTreeSet<&PathBuf> = setup.language_servers.iter().flat_map(|server| &server.mounts).collect();
    for path in servers {
        let is_there = is_real(path);
        if is_there && mounts.iter().all(|mount| mount.inside != *path) {
            mounts.push(Mount::read_only(path));
        }
    }
    for Tools { language, interpreter, .. } in setup.tools() {
        mounts.extend(toolchains::of(*language).mounts(folders, interpreter));
    }
    let ours = BTreeMap::from([
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ("CI".to_owned(), "true".to_owned()),
        ("NO_COLOR".to_owned(), "1".to_owned()),
    ]);
    let mut environment = setup.main_suite.environment.clone();
    environment.extend(ours);
    let toolchain = toolchains::of(setup.language());
    environment.extend(toolchain.environment(folders, setup));
    // The same path on both sides: what the tests print needs no translation.
    WorkspaceSpec { run, inside: tree.clone(), root: tree, mounts, environment, image: toolchain.image() }
}

#[expect(clippy::disallowed_methods, reason = "a language server of the host's own; the sandbox looks at it again")]
fn is_real(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real == *path)
}
