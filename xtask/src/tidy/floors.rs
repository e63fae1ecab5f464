//! An arrow never goes up a floor, and crates of one floor do not import each other.

use cargo_metadata::{DependencyKind, Metadata};

use super::Complaint;

/// The house, from the ground. A crate that is not named here has no place in it yet.
const FLOORS: &[&[&str]] = &[
    &["engine", "process"],
    &["store", "llm", "fetch", "page", "code", "forge", "sandbox"],
    &["source", "extract", "navigate", "repo"],
    &["orchestrator", "scraper"],
    &["server"],
    &["cli", "python"],
];

/// Crates outside the layers: only tests and `xtask` use `testkit`, and no crate uses `xtask`.
const TESTKIT: &str = "testkit";
const XTASK: &str = "xtask";

/// Crates that only some may use: the database by the store, processes of this machine by those that start some, or have to
/// tell one from another.
const RESERVED: &[(&str, &[&str])] =
    &[("sqlx", &["store", TESTKIT]), ("process", &["forge", "fetch", "sandbox", "orchestrator", TESTKIT])];

/// One line of a manifest's dependencies.
pub(super) struct Use {
    from: String,
    to: String,
    for_tests: bool,
    manifest: String,
}

/// Every dependency that a crate of the workspace names.
pub(super) fn uses_of(metadata: &Metadata) -> Vec<Use> {
    let mut uses = Vec::new();
    for package in metadata.workspace_packages() {
        let manifest = package.manifest_path.strip_prefix(&metadata.workspace_root).unwrap_or(&package.manifest_path);
        for dependency in &package.dependencies {
            uses.push(Use {
                from: short(&package.name).to_owned(),
                to: short(&dependency.name).to_owned(),
                for_tests: dependency.kind == DependencyKind::Development,
                manifest: manifest.to_string(),
            });
        }
    }
    uses
}

fn short(name: &str) -> &str {
    name.strip_prefix("autoheal-").unwrap_or(name)
}

fn floor_of(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&name))
}

pub(super) fn check(uses: &[Use]) -> Vec<Complaint> {
    uses.iter()
        .filter_map(|used| {
            wrong_with(used)
                .map(|message| Complaint::new(&used.manifest, 1, format!("{} uses {}: {message}", used.from, used.to)))
        })
        .collect()
}

fn wrong_with(used: &Use) -> Option<String> {
    let (from, to) = (used.from.as_str(), used.to.as_str());
    if let Some((_, owners)) = RESERVED.iter().find(|(name, _)| *name == to) {
        return (!owners.contains(&from)).then(|| format!("only {} may", owners.join(" and ")));
    }
    if to == XTASK {
        return Some("no crate may".to_owned());
    }
    if to == TESTKIT {
        let may = used.for_tests || from == XTASK;
        return (!may).then(|| "only tests and xtask may (`[dev-dependencies]`)".to_owned());
    }
    let to_floor = floor_of(to)?;
    if from == TESTKIT || from == XTASK {
        return None;
    }
    match floor_of(from) {
        None => Some("it has no floor: give it one in xtask/src/tidy/floors.rs and ARCHITECTURE.md".to_owned()),
        Some(from_floor) if from_floor < to_floor => Some(format!(
            "a dependency points up, from floor {from_floor} to floor {to_floor}: move the common part down"
        )),
        Some(from_floor) if from_floor == to_floor => {
            Some(format!("both are on floor {from_floor}: let the binary connect them by a trait of engine"))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complains(from: &str, to: &str, for_tests: bool) -> bool {
        let used = Use { from: from.to_owned(), to: to.to_owned(), for_tests, manifest: "Cargo.toml".to_owned() };
        !check(&[used]).is_empty()
    }

    #[test]
    fn arrows_go_down_only() {
        assert!(!complains("repo", "code", false));
        assert!(!complains("cli", "engine", false));
        assert!(complains("engine", "store", false));
        assert!(complains("store", "code", false), "same floor");
        assert!(complains("store", "orchestrator", true), "tests as well");
        assert!(complains("novelty", "engine", false), "no floor");
        assert!(!complains("engine", "serde", false), "others' crates have no floor");
    }

    #[test]
    fn testkit_and_xtask_serve_tests_only() {
        assert!(!complains("store", "testkit", true));
        assert!(complains("store", "testkit", false));
        assert!(!complains("testkit", "store", false));
        assert!(!complains("xtask", "testkit", false));
        assert!(complains("cli", "xtask", true));
    }

    #[test]
    fn the_database_belongs_to_the_store() {
        assert!(!complains("store", "sqlx", false));
        assert!(complains("repo", "sqlx", false));
    }
}
