//! A crate that the program names and its manifest does not, although the lock file holds it.

use autoheal_engine::diagnostics::Category;

use super::ground::Place;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::repair::shortlist::Shortlist;
use crate::sources::Sources;

/// Adds the dependency to the manifest.
pub(super) struct Dependency;

const NAME: &str = "dependency";

/// Bits: the program names the crate, and the lock file has it.
const KNOWN: f64 = 2.0;

/// Folders of a package that only tests, benchmarks and examples are built from.
const OF_TESTS: [&str; 3] = ["tests", "benches", "examples"];

impl Fixer for Dependency {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let place = Place::new(context);
        let (Category::Import, Some(file)) = (finding.category, finding.file.as_deref()) else { return Vec::new() };
        let (Some(name), Some(package)) = (missing_crate(&finding.message), place.index.package_of(file)) else {
            return Vec::new();
        };
        let Some((locked, version)) = locked(context.sources, name) else { return Vec::new() };
        let manifest =
            if package.folder.is_empty() { "Cargo.toml".to_owned() } else { format!("{}/Cargo.toml", package.folder) };
        let text = context.sources.text(&manifest).unwrap_or_default();
        let inside = file.strip_prefix(package.folder.as_str()).unwrap_or(file).trim_start_matches('/');
        let is_of_tests = OF_TESTS.iter().any(|folder| inside.starts_with(&format!("{folder}/")));
        let table = if is_of_tests { "dev-dependencies" } else { "dependencies" };
        let told =
            told_elsewhere(context.sources, &locked).unwrap_or_else(|| format!("{locked} = \"{}\"", short(&version)));
        let mut list = Shortlist::new(&place);
        list.edit(KNOWN, format!("add {locked} to the {table}"), &manifest, insertion(text, table, &told));
        list.finish(NAME, 1)
    }
}

/// The crate that an error says is not there.
fn missing_crate(message: &str) -> Option<&str> {
    const MARKS: [&str; 4] =
        ["unlinked crate `", "undeclared crate or module `", "unresolved import `", "can't find crate for `"];
    let rest = MARKS.iter().find_map(|mark| message.split_once(mark)).map(|(_, rest)| rest)?;
    let name = rest.split(['`', ':']).next()?;
    (!matches!(name, "crate" | "self" | "super" | "std" | "core" | "alloc")).then_some(name)
}

/// Name and version of a package of a lock file, by the name that programs use.
fn locked(sources: &Sources, name: &str) -> Option<(String, String)> {
    let locks = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("Cargo.lock"));
    let mut found = locks.filter_map(|(_, text)| {
        let lock: toml::Table = text.parse().ok()?;
        let mut packages: Vec<(String, String)> = Vec::new();
        for package in lock.get("package")?.as_array()? {
            let text = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
            if let (Some(own), Some(version)) = (text("name"), text("version"))
                && own.replace('-', "_") == name
            {
                packages.push((own, version));
            }
        }
        // Of two versions none is known to be meant.
        (packages.len() == 1).then(|| packages.remove(0))
    });
    found.next()
}

/// The line by which another manifest of the repository asks for the crate.
fn told_elsewhere(sources: &Sources, name: &str) -> Option<String> {
    let manifests = sources.iter().filter(|(file, _)| file.rsplit('/').next() == Some("Cargo.toml"));
    let mut lines = manifests.flat_map(|(_, text)| text.lines());
    let is_it = |line: &&str| {
        let key = line.split(['=', '.']).next().unwrap_or_default().trim();
        key == name && line.contains('=') && !line.contains("path") && !line.contains("optional")
    };
    lines.find(is_it).map(|line| line.trim().to_owned())
}

/// A version as manifests ask for it: `1.2` of `1.2.3`, `0.4` of `0.4.7`.
fn short(version: &str) -> String {
    version.split(['.', '+', '-']).take(2).collect::<Vec<_>>().join(".")
}

/// The edit that puts a line where it belongs in a table by its first letters; at the end of the file if there is no such table.
fn insertion(text: &str, table: &str, line: &str) -> Edit {
    let header = format!("[{table}]");
    let mut at = 0;
    let mut is_inside = false;
    let mut place = None;
    for own in text.split_inclusive('\n') {
        let shown = own.trim();
        if is_inside && shown.starts_with('[') {
            break;
        }
        if is_inside && !shown.is_empty() && !shown.starts_with('#') {
            if shown > line && place.is_some() {
                break;
            }
            place = Some(at + own.len());
        }
        if shown == header {
            is_inside = true;
            place = Some(at + own.len());
        }
        at += own.len();
    }
    match place {
        Some(place) if text[..place].ends_with('\n') => Edit::insert(place, format!("{line}\n")),
        Some(place) => Edit::insert(place, format!("\n{line}\n")),
        None => Edit::insert(text.len(), format!("\n{header}\n{line}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::Dependency;
    use crate::fix_example::{check_fix, check_no_fix, rustc};

    #[test]
    fn adds_crate_of_lock_file() {
        check_fix(
            &Dependency,
            rustc("src/lib.rs:1:5: E0432: unresolved import `serde_json`"),
            r#"
//- /Cargo.lock protected
 [[package]]
 name = "serde-json"
 version = "1.0.140"
//- /Cargo.toml
 [package]
 name = "shop"
 [dependencies]
 regex = "1"
+serde-json = "1.0"
 toml = "0.8"
//- /src/lib.rs
 use serde_json::Value;
"#,
        );
    }

    #[test]
    fn leaves_manifest_alone_where_lock_file_knows_no_such_crate() {
        check_no_fix(
            &Dependency,
            rustc("src/lib.rs:1:5: E0432: unresolved import `serde_json`"),
            r#"
//- /Cargo.toml
 [package]
 name = "shop"
//- /src/lib.rs
 use serde_json::Value;
"#,
        );
    }
}
