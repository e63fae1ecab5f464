//! `cargo xtask tidy`: the rules of the house that a program can check and no compiler does.
//!
//! # Layout
//!
//! - [`floors`]: which crate may use which; [`circles`]: no modules of a crate depend on each other in a circle
//! - [`source`]: rules about single lines of program text (SQL, processes, I/O, lint exceptions)
//! - [`text`]: rules about every file (length, white space, words)
//! - [`prose`]: how doc comments open; [`dialect`]: plain English, in the lines that [`prose_lines`] finds
//! - [`properties`]: every required property of the specification has a tagged test
//! - [`error_pages`]: every error code has its page
//! - [`fixers`]: every fixer has an example, and the page of the fixers is made of them

mod circles;
mod dialect;
mod error_pages;
mod fixers;
mod floors;
mod properties;
mod prose;
mod prose_lines;
mod source;
mod text;

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::process;

/// Beginnings of the paths of binary files that belong to the project. Elsewhere, such a file was added by mistake: often a package that a
/// tool has downloaded to its working directory.
const BINARIES: &[&str] =
    &["crates/page/src/relocate/tables.bin", "dashboard/e2e/baselines/", "dashboard/e2e/boxes.ttf", "fuzz/corpus/"];

const NO_TEXT: &str = "not a text file: remove it, or name its place in `BINARIES` if the project needs it";

/// A file of the repository, as text.
pub(crate) struct SourceFile {
    /// Path from the root, with `/`.
    path: String,
    /// Content of the file.
    text: String,
}

impl SourceFile {
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }

    fn is_below(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    /// Returns whether the file is a test or a bench, not part of the program.
    fn is_test(&self) -> bool {
        ["/tests/", "/benches/"].iter().any(|folder| self.path.contains(folder))
    }
}

/// Something to be put right.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    file: String,
    line: usize,
    message: String,
}

impl Complaint {
    fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Checks everything and prints what is wrong.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let (files, binaries) = read_all(root)?;
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot read the workspace's manifests")?;

    let mut complaints = floors::check(&floors::uses_of(&metadata));
    let is_slipped_in = |path: &&String| !BINARIES.iter().any(|place| path.starts_with(place));
    complaints.extend(binaries.iter().filter(is_slipped_in).map(|path| Complaint::new(path, 0, NO_TEXT)));
    complaints.extend(files.iter().flat_map(source::check));
    complaints.extend(files.iter().flat_map(text::check));
    complaints.extend(files.iter().flat_map(prose::check));
    complaints.extend(dialect::check(&files));
    complaints.extend(circles::check(&files)?);
    complaints.extend(properties::check(&files)?);
    complaints.extend(error_pages::check(&files));
    complaints.extend(fixers::check(&files)?);
    complaints.sort();

    if complaints.is_empty() {
        return Ok(());
    }
    for complaint in &complaints {
        tell(complaint);
    }
    bail!("{} to put right", complaints.len())
}

/// Prints every property of the specification with the places of its tests.
#[expect(clippy::print_stdout, reason = "the list is the output of the command")]
pub(crate) fn list_properties(root: &Path) -> anyhow::Result<()> {
    print!("{}", properties::list(&files_of(root)?)?);
    Ok(())
}

/// Prints every phrase that is not plain English, with a replacement.
#[expect(clippy::print_stdout, reason = "the list is the output of the command")]
pub(crate) fn list_phrases(root: &Path) -> anyhow::Result<()> {
    print!("{}", dialect::list(&files_of(root)?));
    Ok(())
}

/// Writes the page of the fixers from their examples.
pub(crate) fn write_fixers(root: &Path) -> anyhow::Result<()> {
    let page = fixers::page(&files_of(root)?)?;
    std::fs::write(root.join(fixers::PAGE), page).with_context(|| format!("cannot write {}", fixers::PAGE))
}

#[expect(clippy::print_stderr, reason = "the complaints are what this program is for")]
fn tell(complaint: &Complaint) {
    eprintln!("{complaint}");
}

/// Every text file that is committed or about to be.
fn files_of(root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    Ok(read_all(root)?.0)
}

/// Every file that is committed or about to be: those that are text, and the paths of the others.
fn read_all(root: &Path) -> anyhow::Result<(Vec<SourceFile>, Vec<String>)> {
    let names = process::text_of(process::command(root, "git").args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
    let (mut files, mut binaries) = (Vec::new(), Vec::new());
    for path in names.split('\0').filter(|name| !name.is_empty()) {
        match std::fs::read_to_string(root.join(path)) {
            Ok(text) => files.push(SourceFile { path: path.to_owned(), text }),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => binaries.push(path.to_owned()),
            // A file may be deleted and not yet committed.
            Err(_) => {}
        }
    }
    Ok((files, binaries))
}

#[cfg(test)]
fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}
