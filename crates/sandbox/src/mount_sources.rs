//! The check of everything that a workspace shows, before a sandbox shows it.
//!
//! A mount is made by a program outside of the sandbox (`bwrap`, the engine), which follows links of its source and of its destination. So a
//! source is a real folder or file, reached without any link; it lies in nothing that commands may write, where one of them could put a link
//! in its place; and below a folder that commands may write no destination is reached through a link.

use std::io;
use std::path::{Component, Path};

use crate::outcome::SandboxError;
use crate::spec::{Mount, WorkspaceSpec};
use crate::untrusted::{Kind, UntrustedFolder, kind_of, open_without_links};

/// Reason to refuse a path that is, or may by now be, a symbolic link.
const LINK: &str = "it is a symbolic link, or reached through one, and links are not followed; name the folder that it leads to, or, when a \
                    command of the repository made it, heal again";

/// Refuses a workspace with a mount that could lead to a path other than the one it names.
///
/// # Errors
///
/// [`SandboxError::UnsafeMount`], and [`SandboxError::Failed`] when a source cannot be checked.
pub(crate) fn verify(spec: &WorkspaceSpec) -> Result<(), SandboxError> {
    let root = Mount { host: spec.root.clone(), inside: spec.inside.clone(), writable: true };
    let mounts: Vec<&Mount> = std::iter::once(&root).chain(&spec.mounts).collect();
    for (index, mount) in mounts.iter().enumerate() {
        verify_source(&mount.host)?;
        let others = mounts.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
        for writable in others.filter(|other| other.writable) {
            if mount.host.starts_with(&writable.host) {
                let reason = format!("it lies in {}, which commands may write", writable.host.display());
                return Err(unsafe_mount(&mount.host, reason));
            }
            if let Ok(below) = mount.inside.strip_prefix(&writable.inside) {
                verify_destination(&writable.host, below)?;
            }
        }
    }
    Ok(())
}

fn verify_source(path: &Path) -> Result<(), SandboxError> {
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !path.is_absolute() || !is_plain {
        return Err(unsafe_mount(path, "its path is not absolute, or not written out".to_owned()));
    }
    let handle = open_without_links(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => failed(path, &error),
        _ => unsafe_mount(path, LINK.to_owned()),
    })?;
    match kind_of(&handle).map_err(|error| failed(path, &error))? {
        Kind::File | Kind::Folder => Ok(()),
        Kind::Link => Err(unsafe_mount(path, LINK.to_owned())),
        Kind::Other => Err(unsafe_mount(path, "it is neither a folder nor a regular file".to_owned())),
    }
}

/// Refuses a mount point that is a link or a special file. The sandbox
/// makes a mount point that does not exist yet.
fn verify_destination(writable: &Path, below: &Path) -> Result<(), SandboxError> {
    let folder = UntrustedFolder::open(writable).map_err(|error| failed(writable, &error))?;
    for path in below.ancestors().filter(|path| !path.as_os_str().is_empty()) {
        match folder.kind(path) {
            Some(Kind::File | Kind::Folder) => return Ok(()),
            Some(Kind::Link | Kind::Other) => return Err(unsafe_mount(&writable.join(path), LINK.to_owned())),
            // Nothing is there, or a link is further up.
            None => {}
        }
    }
    Ok(())
}

fn unsafe_mount(path: &Path, reason: String) -> SandboxError {
    SandboxError::UnsafeMount { path: path.to_owned(), reason }
}

fn failed(path: &Path, source: &io::Error) -> SandboxError {
    let source = io::Error::new(source.kind(), format!("{}: {source}", path.display()));
    SandboxError::Failed { doing: "looking at what the sandbox is to show", source: source.into() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;
    use crate::Image;

    /// Checks a workspace whose root `tree` is mounted at `/tree`; each mount is a folder of the host, its path inside, and
    /// whether it is writable.
    fn verdict(place: &Path, mounts: &[(&str, &str, bool)]) -> Result<(), String> {
        let mount = |(host, inside, writable): &(&str, &str, bool)| Mount {
            host: place.join(host),
            inside: PathBuf::from(inside),
            writable: *writable,
        };
        let spec = WorkspaceSpec {
            run: autoheal_engine::RunId(uuid::Uuid::nil()),
            root: place.join("tree"),
            inside: "/tree".into(),
            mounts: mounts.iter().map(mount).collect(),
            environment: BTreeMap::new(),
            image: Image::PYTHON,
        };
        verify(&spec).map_err(|error| error.to_string())
    }

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for folder in ["tree", "scratch", "packages", "elsewhere/deep"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        std::fs::write(place.path().join("tool"), "").unwrap();
        place
    }

    #[test]
    fn real_folders_and_files_are_shown() {
        let place = place();
        let mounts = [
            ("packages", "/tree/node_modules", false),
            ("elsewhere/deep", "/tree/node_modules/.cache", true),
            ("scratch", "/scratch", true),
            ("tool", "/tool", false),
        ];
        assert_eq!(verdict(place.path(), &mounts), Ok(()));
    }

    #[test]
    fn a_source_that_is_or_lies_behind_a_link_is_refused() {
        let place = place();
        symlink(place.path().join("elsewhere"), place.path().join("link")).unwrap();
        symlink("tool", place.path().join("tool-link")).unwrap();
        for source in ["link", "link/deep", "tool-link", "packages/../elsewhere"] {
            for writable in [true, false] {
                let refused = verdict(place.path(), &[(source, "/shown", writable)]).unwrap_err();
                assert!(refused.contains("cannot be shown"), "{source}: {refused}");
            }
        }
        assert!(verdict(place.path(), &[("absent", "/shown", false)]).is_err());
        let _socket = std::os::unix::net::UnixListener::bind(place.path().join("socket")).unwrap();
        assert!(verdict(place.path(), &[("socket", "/shown", false)]).unwrap_err().contains("regular file"));
    }

    #[test]
    fn a_source_in_what_commands_may_write_is_refused() {
        let place = place();
        std::fs::create_dir_all(place.path().join("scratch/node_modules/.cache")).unwrap();
        std::fs::create_dir_all(place.path().join("tree/sub")).unwrap();
        for source in ["scratch/node_modules/.cache", "scratch", "tree/sub", "tree"] {
            let mounts = [("scratch", "/scratch", true), (source, "/shown", false)];
            assert!(verdict(place.path(), &mounts).unwrap_err().contains("commands may write"), "{source}");
        }
    }

    #[test]
    fn a_destination_through_a_link_is_refused() {
        let place = place();
        let packages = place.path().join("tree/packages");
        std::fs::create_dir_all(packages.join("one")).unwrap();
        let mounts = [("packages", "/tree/packages/one/node_modules", false)];
        assert_eq!(verdict(place.path(), &mounts), Ok(()));
        std::fs::remove_dir_all(&packages).unwrap();
        assert_eq!(verdict(place.path(), &mounts), Ok(()), "what is not there is made");
        symlink("/oldroot/root", &packages).unwrap();
        assert!(verdict(place.path(), &mounts).unwrap_err().contains("symbolic link"));
    }
}
