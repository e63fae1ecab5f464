//! The tree on disk: reading its text, writing files into it without ever leaving it.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use autoheal_code::javascript::LOCKS;
use autoheal_code::{Language, Sources};

use crate::own_settings::Protection;
use crate::protected;
use crate::setup::Setup;
use crate::state::FileText;

/// A file longer than this is not read: no fixer has business in it.
const MAX_FILE_BYTES: u64 = 2 << 20;

/// Text files besides programs that fixers read: manifests.
const MANIFESTS: [&str; 5] = ["pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "package.json"];

/// The repository's text. Links are not followed and ignored files are left out; a file that is not UTF-8 is passed over. What the tests
/// were collected from, and what the repository itself protects, is protected.
pub(crate) fn read(tree: &Path, setup: &Setup) -> Sources {
    let mut sources = Sources::new(setup.roots.clone());
    // They were read when the run began, and could be: no pattern is lost here.
    let protection = Protection::new(&setup.protect, true).unwrap_or_default();
    let walk = ignore::WalkBuilder::new(tree)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .parents(false)
        .git_global(false)
        .sort_by_file_name(Ord::cmp)
        // Installed packages: there are far too many, and none is the repository's.
        .filter_entry(|entry| entry.file_name() != "node_modules")
        .build();
    for entry in walk.filter_map(Result::ok) {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let Some(file) = entry.path().strip_prefix(tree).ok().and_then(Path::to_str) else { continue };
        if !is_file || !is_of_interest(file) {
            continue;
        }
        let is_long = entry.metadata().is_ok_and(|data| data.len() > MAX_FILE_BYTES);
        let text = if is_long { None } else { fs::read_to_string(entry.path()).ok() };
        // That there is a lock file counts, even when it cannot be read.
        if let Some(text) = text.or_else(|| is_lock(file).then(String::new)) {
            let is_protected =
                setup.parts.is_foreign(file) || protection.is_protected(file, protected::is_protected(file));
            sources.insert(file, text, is_protected || setup.judges.contains(file));
        }
    }
    sources
}

fn is_lock(file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| LOCKS.contains(&name))
}

fn is_of_interest(file: &str) -> bool {
    let path = Path::new(file);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_requirements = name.starts_with("requirements") && path.extension().is_some_and(|end| end == "txt");
    let is_settings = (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
        && path.extension().is_some_and(|end| end == "json");
    Language::of(file).is_some() || is_settings || is_requirements || MANIFESTS.contains(&name) || is_lock(file)
}

/// Writes files and returns what they held before. All or nothing: when one cannot be written, those before it are put back.
///
/// # Errors
///
/// A path that leaves the tree, or a file that is reached through a link, is one, or does not exist.
pub(crate) fn write(tree: &Path, files: &[FileText]) -> io::Result<Vec<FileText>> {
    let mut undo: Vec<FileText> = Vec::new();
    for file in files {
        match replace(tree, file) {
            Ok(old) => undo.push(FileText { file: file.file.clone(), text: old }),
            Err(error) => {
                for old in undo.iter().rev() {
                    replace(tree, old)?;
                }
                return Err(error);
            }
        }
    }
    Ok(undo)
}

/// Replaces one file's text in one step (a crash leaves the old or the new text, never a part) and returns the old one.
fn replace(tree: &Path, file: &FileText) -> io::Result<String> {
    let path = inside(tree, &file.file)?;
    let old = fs::read_to_string(&path)?;
    let permissions = fs::metadata(&path)?.permissions();
    let folder = path.parent().unwrap_or(tree);
    let mut growing = tempfile::Builder::new().prefix(".autoheal-").tempfile_in(folder)?;
    growing.write_all(file.text.as_bytes())?;
    fs::set_permissions(growing.path(), permissions)?;
    growing.persist(&path).map_err(|error| error.error)?;
    Ok(old)
}

/// The absolute path of a file of the tree, if every step to it is a real folder and it is a plain file.
fn inside(tree: &Path, file: &str) -> io::Result<PathBuf> {
    let outside = || io::Error::other(format!("{file} is outside the repository, or reached through a symbolic link"));
    let mut path = tree.to_path_buf();
    let mut parts = Path::new(file).components().peekable();
    if parts.peek().is_none() {
        return Err(outside());
    }
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(outside()) };
        path.push(name);
        let kind = fs::symlink_metadata(&path)?.file_type();
        let expected = if parts.peek().is_some() { kind.is_dir() } else { kind.is_file() };
        if !expected {
            return Err(outside());
        }
    }
    Ok(path)
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
