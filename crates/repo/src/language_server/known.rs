//! Known language servers, and the search for them on a machine.

use std::path::{Path, PathBuf};

use autoheal_code::LanguageId;
use autoheal_sandbox::untrusted::UntrustedFolder;
use serde_json::Value;

use super::server::Server;
use crate::host_programs::{self, SHOWN_ANYWAY, is_program};
use crate::project;
use crate::setup::{Interpreter, LanguageServer};
use crate::toolchains;

/// Returns the names of the known servers for a language, for the user.
pub(crate) fn names(language: LanguageId) -> String {
    toolchains::of(language).language_servers().iter().map(|server| server.name).collect::<Vec<_>>().join(", ")
}

/// The servers of this machine for a language, the one to be asked first before others.
pub(crate) fn find(
    language: LanguageId,
    directory: &str,
    interpreter: &Interpreter,
    tree: &Path,
) -> Vec<LanguageServer> {
    let known = toolchains::of(language).language_servers().iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    known.filter_map(|known| known.locate(directory, interpreter, tree, &path)).collect()
}

impl Server {
    /// As one of the project's packages, beside the interpreter, else on `PATH`: there a program, or a script of a package for Node.
    fn locate(
        &self,
        directory: &str,
        interpreter: &Interpreter,
        tree: &Path,
        path: &[PathBuf],
    ) -> Option<LanguageServer> {
        if self.is_package {
            // A link that is committed, or was left by an installation, may lead to anything of this machine: that is none of the packages.
            let program_in = |folder: &Path, modules: &str| {
                let program = Path::new(modules).join(".bin").join(self.name);
                UntrustedFolder::open(folder).ok()?.behind_links(folder, program)
            };
            let installed = interpreter.modules.iter().filter_map(|modules| program_in(&modules.host, ""));
            let committed = [directory, ""].map(|folder| project::join(folder, "node_modules"));
            let committed = committed.iter().filter_map(|modules| program_in(tree, modules));
            if installed.chain(committed).any(|program| self.is_new_enough(&program)) {
                // Found inside by the search path.
                return Some(self.server(vec![self.name.to_owned()], Vec::new()));
            }
        }
        if self.since.is_none()
            && let Some(program) = host_programs::beside(interpreter, self.name)
        {
            return Some(self.server(vec![program.display().to_string()], alone(interpreter, program)));
        }
        let programs = path.iter().filter_map(|folder| own_program(folder, self.name));
        programs.filter(|program| self.is_new_enough(program)).find_map(|program| {
            if is_program(&program) {
                return Some(self.server(vec![program.display().to_string()], alone(interpreter, program)));
            }
            let (node, mut mounts) = self.node(interpreter, path)?;
            mounts.push(packages_around(&program)?);
            // What every sandbox shows anyway would stand in the place of what a container has.
            mounts.retain(|path| {
                let is_shown = SHOWN_ANYWAY.iter().any(|shown| path.starts_with(shown));
                !is_shown && !host_programs::is_seen_with(interpreter, path)
            });
            Some(self.server(vec![node, program.display().to_string()], mounts))
        })
    }

    /// The Node that runs a script, and what has to be seen of it.
    fn node(&self, interpreter: &Interpreter, path: &[PathBuf]) -> Option<(String, Vec<PathBuf>)> {
        if self.is_package {
            return Some((interpreter.program.display().to_string(), Vec::new()));
        }
        let programs = path.iter().filter_map(|folder| own_program(folder, "node"));
        let program = programs.into_iter().find(|program| is_program(program))?;
        let installation = host_programs::installation_of(&program).unwrap_or_else(|| program.clone());
        Some((program.display().to_string(), vec![installation]))
    }

    /// `program`: behind all links.
    fn is_new_enough(&self, program: &Path) -> bool {
        let Some((package, since)) = self.since else { return true };
        let is_its = |folder: &&Path| folder.file_name().is_some_and(|name| name == package);
        let folder = program.ancestors().skip(1).find(is_its);
        folder.and_then(|folder| major_version(folder, package)).is_some_and(|version| version >= since)
    }

    fn server(&self, mut words: Vec<String>, mounts: Vec<PathBuf>) -> LanguageServer {
        words.extend(self.arguments.iter().map(|word| (*word).to_owned()));
        let json = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        LanguageServer {
            name: self.name.to_owned(),
            words,
            mounts,
            options: json(self.options),
            settings: json(self.settings),
        }
    }
}

/// The file that a program of this machine is.
#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
fn own_program(folder: &Path, name: &str) -> Option<PathBuf> {
    folder.join(name).canonicalize().ok()
}

/// The outermost folder of packages that a script lies in: what it needs lies beside it.
fn packages_around(script: &Path) -> Option<PathBuf> {
    let is_packages = |folder: &&Path| folder.file_name().is_some_and(|name| name == "node_modules");
    script.ancestors().filter(is_packages).last().map(Path::to_path_buf)
}

/// Returns the mounts of a program that needs no other files. It is mounted even if it is in a folder that
/// every sandbox except the container shows, since the container lacks that folder.
fn alone(interpreter: &Interpreter, program: PathBuf) -> Vec<PathBuf> {
    let is_needed = is_program(&program) && !host_programs::is_seen_with(interpreter, &program);
    Some(program).filter(|_| is_needed).into_iter().collect()
}

/// The first number of the version of the package in a folder, if it is that package. `folder`: behind all links.
fn major_version(folder: &Path, package: &str) -> Option<u64> {
    // The repository may have written it: a link is not followed, and there is an end to it.
    let text = project::read_text(folder, "package.json")?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    (manifest.get("name")?.as_str()? == package).then_some(())?;
    manifest.get("version")?.as_str()?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::toolchain::Toolchain;

    fn all() -> impl Iterator<Item = &'static Server> {
        toolchains::ALL.into_iter().flat_map(Toolchain::language_servers)
    }

    fn package(folder: &Path, name: &str, version: &str, script: &str) {
        let package = folder.join("node_modules").join(name);
        fs::create_dir_all(package.join("bin")).unwrap();
        fs::create_dir_all(folder.join("node_modules/.bin")).unwrap();
        fs::write(package.join("package.json"), format!(r#"{{"name": "{name}", "version": "{version}"}}"#)).unwrap();
        fs::write(package.join("bin").join(script), "#!/usr/bin/env node\n").unwrap();
        symlink(format!("../{name}/bin/{script}"), folder.join("node_modules/.bin").join(script)).unwrap();
    }

    fn program(path: PathBuf) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, b"\x7fELF").unwrap();
        path
    }

    fn located(name: &str, interpreter: &Interpreter, tree: &Path, path: &[PathBuf]) -> Option<LanguageServer> {
        all().find(|server| server.name == name).unwrap().locate("", interpreter, tree, path)
    }

    #[test]
    fn what_servers_are_told_is_json() {
        for known in all() {
            for text in [known.options, known.settings] {
                assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn a_script_on_the_path_is_run_by_node_and_seen_with_its_packages() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        package(&place, "pyright", "1.1.0", "pyright-langserver");
        let node = program(place.join("programs/node"));
        let path = [place.join("node_modules/.bin"), place.join("programs")];
        let found = located("pyright-langserver", &Interpreter::default(), &place.join("tree"), &path).unwrap();
        let script = place.join("node_modules/pyright/bin/pyright-langserver").display().to_string();
        assert_eq!(found.words, [node.display().to_string(), script, "--stdio".to_owned()]);
        assert_eq!(found.mounts, [node, place.join("node_modules")]);
        // A script that lies anywhere else may need anything.
        fs::create_dir_all(place.join("shims")).unwrap();
        fs::write(place.join("shims/ruff"), "#!/bin/sh\n").unwrap();
        assert_eq!(located("ruff", &Interpreter::default(), &place, &[place.join("shims")]), None);
    }

    #[test]
    fn what_stands_beside_the_interpreter_comes_first() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let interpreter = Interpreter { program: program(place.join("venv/bin/python3")), ..Interpreter::default() };
        let (own, other) = (program(place.join("venv/bin/ruff")), program(place.join("programs/ruff")));
        let path = [place.join("programs")];
        assert_eq!(located("ruff", &interpreter, &place, &path).unwrap().words[0], own.display().to_string());
        let found = located("ruff", &Interpreter::default(), &place, &path).unwrap();
        assert_eq!((found.words, found.mounts), (vec![other.display().to_string(), "server".to_owned()], vec![other]));
    }

    #[test]
    fn a_link_beside_the_interpreter_is_not_mounted_and_what_is_seen_anyway_neither() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let interpreter = Interpreter {
            program: program(place.join("venv/bin/python3")),
            folders: vec![place.join("venv")],
            ..Interpreter::default()
        };
        let elsewhere = program(place.join("tools/ruff"));
        symlink(&elsewhere, place.join("venv/bin/ruff")).unwrap();
        let found = located("ruff", &interpreter, &place, &[]).unwrap();
        assert_eq!((&found.words[0], found.mounts), (&elsewhere.display().to_string(), vec![elsewhere]));
        let own = program(place.join("venv/bin/pyright-langserver"));
        let found = located("pyright-langserver", &interpreter, &place, &[]).unwrap();
        assert_eq!((&found.words[0], found.mounts), (&own.display().to_string(), Vec::new()));
    }

    #[test]
    fn a_committed_link_says_nothing_of_this_machine() {
        let place = tempfile::tempdir().unwrap();
        let (machine, tree) = (place.path().join("machine"), place.path().join("tree"));
        package(&machine, "typescript", "7.0.2", "tsc");
        let compiler = |tree: &Path| located("tsc", &Interpreter::default(), tree, &[]);
        assert!(compiler(&machine).is_some());
        // The program itself, and only what tells its version.
        fs::create_dir_all(tree.join("node_modules/.bin")).unwrap();
        symlink(machine.join("node_modules/typescript/bin/tsc"), tree.join("node_modules/.bin/tsc")).unwrap();
        assert_eq!(compiler(&tree), None);
        let tree = place.path().join("other");
        package(&tree, "typescript", "7.0.2", "tsc");
        let manifest = "node_modules/typescript/package.json";
        fs::remove_file(tree.join(manifest)).unwrap();
        symlink(machine.join(manifest), tree.join(manifest)).unwrap();
        assert_eq!(compiler(&tree), None);
    }

    #[test]
    fn a_compiler_is_a_server_from_its_seventh_version_on() {
        let place = tempfile::tempdir().unwrap();
        for (version, is_server) in [("5.9.3", false), ("7.0.2", true)] {
            let tree = place.path().join(version);
            package(&tree, "typescript", version, "tsc");
            let found = located("tsc", &Interpreter::default(), &tree, &[]);
            assert_eq!(found.map(|found| found.words.join(" ")), is_server.then(|| "tsc --lsp --stdio".to_owned()));
        }
    }
}
