//! Small git repositories for tests.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test that cannot set itself up has failed"
)]

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Author, committer and time of every commit, so that the same files give the same commits.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "A Person"),
    ("GIT_AUTHOR_EMAIL", "person@example.org"),
    ("GIT_AUTHOR_DATE", "@1700000000 +0000"),
    ("GIT_COMMITTER_NAME", "A Person"),
    ("GIT_COMMITTER_EMAIL", "person@example.org"),
    ("GIT_COMMITTER_DATE", "@1700000000 +0000"),
];

/// A git repository with files, on branch `main`, in a separate folder.
#[derive(Debug)]
pub struct TestRepository {
    folder: PathBuf,
    /// Removes it at the end.
    _temporary: Option<tempfile::TempDir>,
}

impl Default for TestRepository {
    fn default() -> Self {
        Self::new()
    }
}

impl TestRepository {
    /// A repository without commits.
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        Self { folder: temporary.path().to_owned(), _temporary: Some(temporary) }.begin(&[])
    }

    fn begin(self, files: &[(&str, &str)]) -> Self {
        fs::create_dir_all(self.path()).expect("the repository's folder");
        self.git(&["init", "--quiet", "--initial-branch=main", "."]);
        for (path, text) in files {
            self.write(path, text);
        }
        self
    }

    /// A repository with one commit that holds these files, below `place`: made anew, and at the same place each time that the same test makes it.
    /// Its installed packages are kept.
    pub fn kept(place: &Path, files: &[(&str, &str)]) -> Self {
        let mut hasher = DefaultHasher::new();
        // The test's name: the thread's, or with one process for each test, the argument.
        (std::thread::current().name(), std::env::args().skip(1).collect::<Vec<_>>(), files).hash(&mut hasher);
        let folder = place.join("repositories").join(format!("{:016x}", hasher.finish()));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{}: {error}", folder.display()),
            Ok(()) | Err(_) => {}
        }
        let repository = Self { folder, _temporary: None }.begin(files);
        repository.commit("first");
        repository
    }

    /// A repository with one commit that holds these files.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let repository = Self { folder: temporary.path().to_owned(), _temporary: Some(temporary) }.begin(files);
        repository.commit("first");
        repository
    }

    /// Returns the top folder of the repository.
    pub fn path(&self) -> PathBuf {
        self.folder.join("repository")
    }

    /// Writes a file, and the folders that it needs.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).expect("the file's folder");
        fs::write(file, content).expect("the file");
        self
    }

    /// Commits everything that is not ignored; the commit's hash.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git in the repository; its output without the line break at the end.
    ///
    /// # Panics
    ///
    /// When git fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.path(), arguments)
    }

    /// Runs git in the repository with a file for its input; its output without the line break at the end.
    ///
    /// # Panics
    ///
    /// When git fails.
    pub fn git_with_input(&self, arguments: &[&str], input: &Path) -> String {
        let input = fs::File::open(input).expect("the input");
        let output = isolated_git().current_dir(self.path()).args(arguments).stdin(input).output();
        let output = output.expect("git can be started");
        assert!(output.status.success(), "git {arguments:?} failed: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Makes a bare copy `NAME.git` in `folder`, as a server would hold it; its path.
    pub fn bare_copy(&self, folder: &Path, name: &str) -> PathBuf {
        let copy = folder.join(format!("{name}.git"));
        self.git(&["clone", "--quiet", "--bare", ".", copy.to_str().expect("a path that is text")]);
        copy
    }
}

/// Runs git in a folder, without the configuration of the user and the machine; its output without the line break at the end.
///
/// # Panics
///
/// When git fails.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = isolated_git().current_dir(folder).args(arguments).output().expect("git can be started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} in {} failed: {error}", folder.display());
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// git without the configuration of the user and the machine.
#[expect(clippy::disallowed_methods, reason = "tests prepare their repositories with git itself")]
pub(crate) fn isolated_git() -> Command {
    let mut command = Command::new("git");
    command.env_clear().envs(IDENTITY).stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", "/nonexistent").env("LC_ALL", "C.UTF-8");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}
