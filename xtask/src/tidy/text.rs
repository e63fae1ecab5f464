//! Rules about every file: it can be read in one go, ends in a newline, and speaks of the project alone.

use super::{Complaint, SourceFile};

/// Beyond this a file is two files.
const LONGEST: usize = 600;

/// Extensions of program text, which developers read from top to bottom.
const PROGRAMS: &[&str] = &["rs", "py", "sh", "ts", "tsx", "js", "css", "sql"];

/// Written by tools, whose words and white space are theirs.
const GENERATED: &[&str] = &["lock", "snap"];

/// The same, by their paths.
const GENERATED_FILES: &[&str] = &["dashboard/src/api/schema.ts"];

/// Words that belong to one machine or one person's session, not to the project.
const MACHINE_WORDS: &[&str] = &["/root/.", "/work/main", "/work/shared", "/work/.", "/tmp/brief"];

/// Hosts that only the sandbox's default list of registries, the data of the benches and the manual name.
const REGISTRY_HOSTS: &[&str] =
    &["pypi.org", "pythonhosted.org", "static.crates.io", "index.crates.io", "registry.npmjs.org", "deb.debian.org"];
const NAMES_REGISTRIES: &[&str] = &["crates/sandbox/", "docs/", "xtask/src/image"];

/// The rule itself has to name what it forbids.
const THIS_FILE: &str = "xtask/src/tidy/text.rs";

pub(super) fn check(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let is_generated = GENERATED_FILES.contains(&file.path.as_str()) || file.path.starts_with("fuzz/corpus/");
    if file.has_extension(GENERATED) || is_generated {
        return complaints;
    }
    let mut complain = |line: usize, message: String| complaints.push(Complaint::new(&file.path, line, message));
    let length = file.text.lines().count();
    if file.has_extension(PROGRAMS) && length > LONGEST {
        complain(LONGEST + 1, format!("{length} lines: above {LONGEST} a file is two files"));
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        complain(length, "no newline at the end".to_owned());
    }
    for (number, line) in file.lines() {
        if line.ends_with([' ', '\t']) {
            complain(number, "white space at the end of the line".to_owned());
        }
        if file.path == THIS_FILE {
            continue;
        }
        for word in MACHINE_WORDS.iter().filter(|word| line.contains(**word)) {
            complain(number, format!("`{word}` is a path of one machine"));
        }
        for host in REGISTRY_HOSTS.iter().filter(|host| line.contains(**host) && !file.is_below(NAMES_REGISTRIES)) {
            complain(number, format!("`{host}`: registries are named by the sandbox's settings only"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&file(path, text)).len()
    }

    #[test]
    fn white_space_is_in_order() {
        assert_eq!(complaints("a.md", "a\nb\n"), 0);
        assert_eq!(complaints("a.md", ""), 0);
        assert_eq!(complaints("a.md", "a\nb"), 1);
        assert_eq!(complaints("a.md", "a \nb\t\n"), 2);
        assert_eq!(complaints("a.snap", "a \nb"), 0);
    }

    #[test]
    fn long_programs_are_two_files() {
        assert_eq!(complaints("a.rs", &"x\n".repeat(LONGEST)), 0);
        assert_eq!(complaints("a.rs", &"x\n".repeat(LONGEST + 1)), 1);
        assert_eq!(complaints("a.md", &"x\n".repeat(LONGEST + 1)), 0);
    }

    #[test]
    fn the_project_speaks_of_itself_alone() {
        assert_eq!(complaints("a.rs", "let path = \"/work/main/x\";\n"), 1);
        assert_eq!(complaints("a.rs", "let host = \"pypi.org\";\n"), 1);
        assert_eq!(complaints("crates/sandbox/src/registries.rs", "let host = \"pypi.org\";\n"), 0);
    }
}
