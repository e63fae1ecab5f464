//! Search for the Pythons of this machine that may run a project's tests, and for the folders that the
//! sandbox has to show for them.
//!
//! Nothing is run here: environments are recognised by `pyvenv.cfg`, links are followed by reading them, and
//! a shim of pyenv is resolved as pyenv does it. A candidate that does not work is detected by running it
//! inside the sandbox.

#![expect(
    clippy::disallowed_methods,
    reason = "the host's own programs and the user's checkout, looked at before any command runs"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use autoheal_sandbox::untrusted::UntrustedFolder;

use crate::host_programs::{SHOWN_ANYWAY, is_program};
use crate::repo_config::Version;
use crate::setup::Interpreter;

/// Maximum number of links that are followed to a program.
const LONGEST_CHAIN: usize = 16;

/// The names of virtual environments in a checkout.
const ENVIRONMENT_FOLDERS: [&str; 2] = [".venv", "venv"];

/// Part of this process's environment that determines which interpreter is used.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Value of `VIRTUAL_ENV`.
    pub virtual_env: Option<PathBuf>,
    /// Value of `PATH`.
    pub path: OsString,
    /// Value of `PYENV_VERSION`.
    pub pyenv_version: Option<String>,
    /// Version that the repository requires: interpreters with this version in their name are candidates, too.
    pub wanted: Option<Version>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process(wanted: Option<Version>) -> Self {
        Self {
            virtual_env: std::env::var_os("VIRTUAL_ENV").map(PathBuf::from),
            path: std::env::var_os("PATH").unwrap_or_default(),
            pyenv_version: std::env::var("PYENV_VERSION").ok(),
            wanted,
        }
    }
}

/// The interpreters that may run the tests, the best first: a virtual environment in the checkout that is not part of the
/// repository, the active one, then each `python3` on `PATH`.
///
/// `checkout`: the user's own folder (and the project's folder in it), `None` for a repository cloned from elsewhere. `tree`: its files as
/// committed. An environment that is committed is the repository's, not the user's, and is left out.
pub fn candidates(checkout: Option<&Path>, tree: &Path, directory: &str, around: &Surroundings) -> Vec<Interpreter> {
    let mut found = Vec::new();
    for (folder, name) in checkout.into_iter().flat_map(|checkout| {
        let folders = BTreeSet::from([directory, ""]).into_iter().rev();
        folders.flat_map(move |folder| {
            ENVIRONMENT_FOLDERS.map(|name| (checkout.join(folder), Path::new(folder).join(name)))
        })
    }) {
        let is_committed = UntrustedFolder::open(tree).is_ok_and(|tree| tree.kind(&name).is_some());
        let environment = folder.join(name.file_name().unwrap_or_default());
        if !is_committed
            && let Some(interpreter) = in_environment(&environment, &format!("{} of the checkout", name.display()))
        {
            found.push(interpreter);
        }
    }
    if let Some(environment) = &around.virtual_env {
        found.extend(in_environment(environment, "VIRTUAL_ENV"));
    }
    for folder in std::env::split_paths(&around.path).filter(|folder| folder.is_absolute()) {
        // An environment's packages are found by the way to its program, whether somebody has activated it or only named it here.
        if let Some(environment) = folder.parent().filter(|_| folder.ends_with("bin"))
            && let Some(found_there) = in_environment(environment, &format!("python3 on PATH ({})", folder.display()))
        {
            found.push(found_there);
            continue;
        }
        let versioned = around.wanted.map(|version| folder.join(format!("python{version}")));
        for program in versioned.into_iter().chain([folder.join("python3")]) {
            // The file behind the links: outside of an environment nothing depends on the way to it.
            for real in unshim(&program, around).iter().filter_map(|program| program.canonicalize().ok()) {
                found.extend(interpreter(&real, &format!("python3 on PATH ({})", real.display())));
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|interpreter| seen.insert(interpreter.program.clone()));
    found
}

/// The interpreter of a virtual environment.
fn in_environment(environment: &Path, found: &str) -> Option<Interpreter> {
    let environment = std::path::absolute(environment).ok()?;
    if !environment.join("pyvenv.cfg").is_file() {
        return None;
    }
    ["python3", "python"].iter().find_map(|name| interpreter(&environment.join("bin").join(name), found))
}

/// The interpreter at `program`, with everything on the way from it to the file that its links end at.
fn interpreter(program: &Path, found: &str) -> Option<Interpreter> {
    let real = program.canonicalize().ok()?;
    if !is_program(&real) {
        return None;
    }
    let mut folders = BTreeSet::new();
    let mut hop = program.to_owned();
    for _ in 0..LONGEST_CHAIN {
        // A link that lies elsewhere (`~/.local/bin`) is seen alone: its folder is not Python's.
        folders.insert(installation(&hop).unwrap_or_else(|| hop.clone()));
        match fs::read_link(&hop) {
            Ok(target) => hop = normal(&hop.parent()?.join(target)),
            Err(_) => break,
        }
    }
    folders.insert(installation(&real).unwrap_or(real));
    folders.retain(|folder| !SHOWN_ANYWAY.iter().any(|shown| folder.starts_with(shown)));
    // A folder inside another one is seen with it.
    let outermost =
        folders.iter().filter(|folder| !folders.iter().any(|other| *folder != other && folder.starts_with(other)));
    let folders: Vec<PathBuf> = outermost.cloned().collect();
    // What is shown inside is opened without links: where they lead is settled here.
    let real = |folder: &PathBuf| folder.canonicalize().ok().filter(|real| real != folder);
    let links: BTreeMap<PathBuf, PathBuf> =
        folders.iter().filter_map(|folder| Some((folder.clone(), real(folder)?))).collect();
    Some(Interpreter {
        program: program.to_owned(),
        folders,
        links,
        installed: None,
        version: None,
        modules: Vec::new(),
        found: found.to_owned(),
    })
}

/// Returns the virtual environment, or the installation with its standard library, that a program in its `bin` belongs to. Any
/// other folder above a `bin` (a home!) is not exposed to the sandbox.
fn installation(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    if bin.file_name()? != "bin" {
        return None;
    }
    let folder = normal(bin.parent()?);
    let libraries = fs::read_dir(folder.join("lib")).into_iter().flatten().flatten();
    let holds_library = || {
        libraries.into_iter().any(|entry| {
            entry.file_name().to_string_lossy().starts_with("python3") && entry.path().join("os.py").is_file()
        })
    };
    (folder.join("pyvenv.cfg").is_file() || holds_library()).then_some(folder)
}

/// `path` without `.` and `..`, by its words alone.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(component),
        }
    }
    clean
}

/// Returns the programs behind a shim, the one that is set first. pyenv's shims are scripts in `ROOT/shims`; `PYENV_VERSION` or the file
/// `ROOT/version` contains the version, and the program is `ROOT/versions/VERSION/bin/python3`. Other scripts are passed over.
fn unshim(program: &Path, around: &Surroundings) -> Vec<PathBuf> {
    let Ok(real) = program.canonicalize() else { return Vec::new() };
    if is_program(&real) {
        return vec![program.to_owned()];
    }
    let is_shim = |shims: &&Path| shims.file_name().is_some_and(|name| name == "shims");
    let Some(root) = program.parent().filter(is_shim).and_then(Path::parent) else { return Vec::new() };
    let versions = root.join("versions");
    let set = around.pyenv_version.clone().or_else(|| fs::read_to_string(root.join("version")).ok());
    let set = set.unwrap_or_default();
    let set = set.split([':', '\n']).map(str::trim).filter(|name| !name.is_empty() && !name.contains('/'));
    let wanted = around.wanted.and_then(|version| newest_like(&versions, version));
    let programs = set.map(|name| versions.join(name)).chain(wanted).map(|folder| folder.join("bin/python3"));
    programs.filter(|program| program.exists()).collect()
}

/// The newest folder of a version: `3.11.10` before `3.11.9`.
fn newest_like(versions: &Path, wanted: Version) -> Option<PathBuf> {
    let numbers = |name: &str| name.split('.').map(|number| number.parse::<u8>().ok()).collect::<Option<Vec<_>>>();
    let entries = fs::read_dir(versions).into_iter().flatten().flatten();
    let versions = entries.filter_map(|entry| Some((numbers(entry.file_name().to_str()?)?, entry.path())));
    let fitting =
        versions.filter(|(numbers, _)| matches!(numbers[..], [major, minor, ..] if wanted.fits((major, minor))));
    fitting.max().map(|(_, folder)| folder)
}
