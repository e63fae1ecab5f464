//! Paths of files in a repository: relative to its root, with `/`.

/// `name` in the folder `directory`, which may be `""`.
pub(crate) fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}
