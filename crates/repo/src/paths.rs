//! Paths of files in a repository: relative to its root, with `/`.

/// `name` in the folder `directory`, which may be `""`.
pub(crate) fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}

/// The folder that a manifest names, without `./` and the like; `None` when it leaves the project.
pub(crate) fn clean(folder: &str) -> Option<String> {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!folder.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
}
