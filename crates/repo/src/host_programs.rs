//! Programs of this machine, as they can be run inside the sandbox.

use std::path::{Path, PathBuf};

use autoheal_sandbox::untrusted::UntrustedFolder;

use crate::setup::Interpreter;

/// Folders that every sandbox shows anyway.
pub(crate) const SHOWN_ANYWAY: &[&str] = &["/usr", "/bin", "/lib", "/lib64"];

/// Returns whether a file is a program for this machine, and not a script that starts one.
#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
pub(crate) fn is_program(file: &Path) -> bool {
    use std::io::Read as _;
    let mut magic = [0; 4];
    std::fs::File::open(file).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == *b"\x7fELF"
}

#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).filter_map(|folder| folder.join(name).canonicalize().ok());
    programs.into_iter().find(|program| is_program(program))
}

/// A program that stands beside the interpreter, by a path that can be run inside.
pub(crate) fn beside(interpreter: &Interpreter, name: &str) -> Option<PathBuf> {
    let Some(installed) = &interpreter.installed else {
        return beside_program(interpreter, &interpreter.program, name);
    };
    // Code of the repository may have run in it: a link that leads out of it could lead to any file of this machine.
    let environment = UntrustedFolder::open(&installed.folder).ok();
    let own = environment.and_then(|folder| folder.behind_links(&installed.folder, Path::new("bin").join(name)));
    own.or_else(|| beside_program(interpreter, &installed.base, name))
}

/// The same of an interpreter that is this machine's own, or the user's.
#[expect(clippy::disallowed_methods, reason = "the host's own interpreter, in folders that no command may write")]
fn beside_program(interpreter: &Interpreter, program: &Path, name: &str) -> Option<PathBuf> {
    let folder = program.parent().map(Path::to_path_buf);
    // A virtual environment's interpreter is a link: the tools may stand beside what it leads to.
    let behind = program.canonicalize().ok().and_then(|program| program.parent().map(Path::to_path_buf));
    folder.into_iter().chain(behind).find_map(|folder| without_link(interpreter, &folder.join(name)))
}

/// Returns whether a program is mounted in the sandbox with the interpreter, so that it needs no mount of its own.
pub(crate) fn is_seen_with(interpreter: &Interpreter, program: &Path) -> bool {
    interpreter.folders.iter().any(|folder| program.starts_with(folder))
}

/// The file that a program is. Where a link is seen inside nothing can be mounted, and what it leads to may not be seen.
#[expect(clippy::disallowed_methods, reason = "the host's own programs, in folders that no command may write")]
fn without_link(interpreter: &Interpreter, program: &Path) -> Option<PathBuf> {
    if is_seen_with(interpreter, program) && program.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        // Its folder may be seen by this name only.
        return Some(program.to_owned());
    }
    let real = program.canonicalize().ok().filter(|real| real.is_file())?;
    let is_seen = is_seen_with(interpreter, &real) || SHOWN_ANYWAY.iter().any(|shown| real.starts_with(shown));
    // A script from elsewhere would be seen without what it needs.
    (is_seen || is_program(&real)).then_some(real)
}

/// The folder of an installation of Node outside of what every sandbox shows: its `bin` lies beside its `lib/node_modules`.
#[expect(clippy::disallowed_methods, reason = "the host's own programs")]
pub(crate) fn installation_of(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?.parent()?;
    let is_shown = ["/usr", "/bin", "/lib"].iter().any(|shown| program.starts_with(shown));
    (!is_shown && folder.join("lib/node_modules").is_dir()).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::setup::InstalledEnvironment;

    #[test]
    fn what_stands_beside_the_interpreter_is_no_link() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in ["venv/bin", "tools"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        for (file, text) in [
            ("venv/bin/python3", "\x7fELF"),
            ("venv/bin/flake8", "#!python3"),
            ("tools/ruff", "\x7fELF"),
            ("tools/script", "#!python3"),
        ] {
            fs::write(place.join(file), text).unwrap();
        }
        for (link, target) in [("venv/bin/ruff", "tools/ruff"), ("venv/bin/script", "tools/script")] {
            symlink(place.join(target), place.join(link)).unwrap();
        }
        symlink("flake8", place.join("venv/bin/flake")).unwrap();
        let folders = vec![place.join("venv")];
        let program = place.join("venv/bin/python3");
        let interpreter = Interpreter { program, folders, ..Interpreter::default() };
        let found = |name| beside(&interpreter, name);
        for name in ["flake8", "flake"] {
            assert_eq!(found(name), Some(place.join("venv/bin/flake8")), "{name}");
        }
        assert_eq!(found("ruff"), Some(place.join("tools/ruff")));
        assert!(!is_seen_with(&interpreter, &place.join("tools/ruff")));
        assert_eq!((found("script"), found("gone")), (None, None));
    }

    #[test]
    fn of_an_installed_environment_only_what_lies_in_it_is_used() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in ["installed/bin", "secrets", "base/bin"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        for file in ["installed/bin/own", "secrets/core", "secrets/flake8", "base/bin/python3", "base/bin/mypy"] {
            fs::write(place.join(file), "\x7fELF with a secret").unwrap();
        }
        let installed = place.join("installed");
        symlink(place.join("secrets/core"), installed.join("bin/ruff")).unwrap();
        symlink("own", installed.join("bin/alias")).unwrap();
        // Its interpreter leads elsewhere, too, and what stands there is not the base's.
        symlink(place.join("secrets/python3"), installed.join("bin/python3")).unwrap();
        fs::write(place.join("secrets/python3"), "\x7fELF").unwrap();
        let interpreter = Interpreter {
            program: installed.join("bin/python3"),
            folders: vec![installed.clone()],
            installed: Some(InstalledEnvironment { folder: installed.clone(), base: place.join("base/bin/python3") }),
            ..Interpreter::default()
        };
        let found = |name| beside(&interpreter, name);
        assert_eq!((found("ruff"), found("flake8")), (None, None));
        assert_eq!((found("own"), found("alias")), (Some(installed.join("bin/own")), Some(installed.join("bin/own"))));
        assert_eq!(found("mypy"), Some(place.join("base/bin/mypy")), "the base is this machine's own");
    }
}
