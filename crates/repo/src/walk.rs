//! The files of a tree, without what `.gitignore` leaves out.
//!
//! The walk is ours, not that of the crate `ignore`: commands have run in the tree, and that crate opens a `.gitignore` whatever it is by now, a
//! link or a pipe that never ends.

use std::path::Path;

use autoheal_sandbox::untrusted::{Kind, UntrustedFolder};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A folder with more entries is left out.
const MOST_ENTRIES: usize = 100_000;

/// Maximum number of files of a walk, which then ends: a tree with more files is not a project.
const MOST_FILES: usize = 500_000;

/// Folders nested deeper are left out.
const DEEPEST: usize = 64;

/// A longer `.gitignore` is not read.
const LONGEST_IGNORE: u64 = 1 << 20;

/// Names of files with ignore rules; later ones take precedence.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// Files that a walk leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// No file is left out.
    Nothing,
    /// Those that `.gitignore` and `.ignore` name.
    Ignored,
}

/// The regular files in `tree`, relative to it, each folder in order of name. Links are not followed; `enters` chooses folders by their path.
pub(crate) fn files(tree: &UntrustedFolder, leave: Leave, enters: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut walk = Walk { tree, leave, enters, rules: Vec::new(), found: Vec::new() };
    walk.folder("", 0);
    walk.found
}

/// Returns whether `path` is missing because `.gitignore` leaves it out, or leaves out the folder that it would be in. Paths in an ignored
/// folder that exists do not count as left out: the rules were not meant for such folders.
pub(crate) fn leaves_out(tree: &UntrustedFolder, path: &str) -> bool {
    let mut walk = Walk { tree, leave: Leave::Ignored, enters: &|_| true, rules: Vec::new(), found: Vec::new() };
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut folder = "";
    for end in ends {
        walk.rules.extend(IGNORE_FILES.iter().filter_map(|name| rules_in(tree, folder, name)));
        folder = &path[..end];
        if walk.is_ignored(folder, end < path.len()) {
            return tree.kind(folder).is_none();
        }
    }
    false
}

struct Walk<'a> {
    tree: &'a UntrustedFolder,
    leave: Leave,
    enters: &'a dyn Fn(&str) -> bool,
    /// Of the folders on the way, the outermost first.
    rules: Vec<Gitignore>,
    found: Vec<String>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &str, depth: usize) {
        let Ok(entries) = self.tree.entries(folder, MOST_ENTRIES) else { return };
        let rules = self.rules.len();
        if self.leave == Leave::Ignored {
            for name in IGNORE_FILES.iter().filter(|name| entries.iter().any(|(entry, _)| entry == *name)) {
                self.rules.extend(rules_in(self.tree, folder, name));
            }
        }
        for (name, kind) in entries {
            let Some(name) = name.to_str() else { continue };
            let path = crate::project::join(folder, name);
            let is_folder = kind == Kind::Folder;
            if self.found.len() >= MOST_FILES || self.is_ignored(&path, is_folder) {
                continue;
            }
            match kind {
                Kind::File => self.found.push(path),
                Kind::Folder if depth < DEEPEST && (self.enters)(&path) => self.folder(&path, depth + 1),
                Kind::Folder | Kind::Link | Kind::Other => {}
            }
        }
        self.rules.truncate(rules);
    }

    fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        let verdicts = self.rules.iter().rev().map(|rules| rules.matched(path, is_folder));
        verdicts.into_iter().find(|verdict| !verdict.is_none()).is_some_and(|verdict| match verdict {
            Match::Ignore(_) => true,
            Match::None | Match::Whitelist(_) => false,
        })
    }
}

/// Returns the ignore rules of a file in `folder`.
fn rules_in(tree: &UntrustedFolder, folder: &str, name: &str) -> Option<Gitignore> {
    let text = tree.read(crate::project::join(folder, name), LONGEST_IGNORE).ok()?;
    let mut rules = GitignoreBuilder::new(Path::new(folder));
    for line in String::from_utf8_lossy(&text).lines() {
        // A line that is no pattern says nothing.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_ignored_is_left_out_and_links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        for (file, text) in [
            (".gitignore", "*.log\n/build/\n!kept.log\n[\n"),
            ("a.py", ""),
            ("a.log", ""),
            ("kept.log", ""),
            ("build/out.py", ""),
            ("sub/build/in.py", ""),
            ("sub/.gitignore", "own.txt\n!sub.log\n"),
            ("sub/own.txt", ""),
            ("sub/sub.log", ""),
            ("own.txt", ""),
            ("skipped/b.py", ""),
        ] {
            std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            std::fs::write(at(file), text).unwrap();
        }
        symlink(at("build"), at("link")).unwrap();
        symlink(at("a.py"), at("link.py")).unwrap();
        // Whoever followed it would read for ever.
        symlink("/dev/zero", at("skipped/.gitignore")).unwrap();
        let tree = UntrustedFolder::open(place.path()).unwrap();
        let found = files(&tree, Leave::Ignored, &|folder| folder != "skipped");
        let expected =
            [".gitignore", "a.py", "kept.log", "own.txt", "sub/.gitignore", "sub/build/in.py", "sub/sub.log"];
        assert_eq!(found, expected);
        let found = files(&tree, Leave::Ignored, &|_| true);
        assert!(found.contains(&"skipped/b.py".to_owned()), "{found:?}");
        for (path, is_left_out) in [
            ("new.log", true),
            ("build/new.py", false),
            ("sub/own.txt", false),
            ("sub/deep/own.txt", true),
            ("new.py", false),
            ("a.log", false),
        ] {
            assert_eq!(leaves_out(&tree, path), is_left_out, "{path}");
        }
        let found = files(&tree, Leave::Nothing, &|_| true);
        assert_eq!(found.len(), 11, "{found:?}");
    }
}
