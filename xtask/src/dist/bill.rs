//! The bill of materials: every dependency that is in the programs or in the dashboard, with its licence and the licence's text.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use cargo_metadata::{DependencyKind, Metadata, PackageId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dist::release::Release;

/// The packages whose dependencies are in the programs.
const PROGRAMS: &[&str] = &["autoheal-cli", "autoheal-python"];

/// A dependency.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Component {
    name: String,
    version: String,
    /// Kind of package in a package URL: `cargo` or `npm`.
    kind: &'static str,
    /// As an SPDX expression, where the package names one.
    licence: Option<String>,
    /// Folder of the package.
    folder: PathBuf,
}

/// The dependencies, sorted by name.
pub(super) struct Bill(BTreeSet<Component>);

/// The part of npm's lock file that names packages.
#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Locked>,
}

#[derive(Deserialize)]
struct Locked {
    #[serde(default)]
    version: String,
    license: Option<String>,
    #[serde(default)]
    dev: bool,
    #[serde(default)]
    optional: bool,
}

impl Bill {
    /// Collects the dependencies for the platform of the release.
    pub(super) fn of(release: &Release) -> anyhow::Result<Self> {
        let metadata = cargo_metadata::MetadataCommand::new()
            .manifest_path(release.root.join("Cargo.toml"))
            .other_options(["--locked".to_owned(), "--filter-platform".to_owned(), release.target.clone()])
            .exec()?;
        let mut components = of_cargo(&metadata)?;
        components.extend(of_dashboard(&release.root)?);
        Ok(Self(components))
    }

    /// The bill as `CycloneDX` 1.6 (ECMA-424) in JSON.
    pub(super) fn document(&self, release: &Release) -> anyhow::Result<String> {
        let component = |component: &Component| {
            let address =
                format!("pkg:{}/{}@{}", component.kind, component.name.replace('@', "%40"), component.version);
            let mut value = json!({
                "type": "library",
                "bom-ref": address,
                "name": component.name,
                "version": component.version,
                "purl": address,
            });
            if let Some(licence) = &component.licence {
                // Old packages separate alternatives by a slash.
                value["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
            }
            value
        };
        let document = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "timestamp": release.date,
                "component": { "type": "application", "name": "autoheal", "version": release.version },
            },
            "components": self.0.iter().map(component).collect::<Vec<Value>>(),
        });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// The texts of all licences, each once, with the packages that it covers.
    pub(super) fn licences(&self) -> String {
        let mut texts: BTreeMap<String, Vec<&Component>> = BTreeMap::new();
        let mut without = Vec::new();
        for component in &self.0 {
            let files = licence_files(&component.folder);
            if files.is_empty() {
                without.push(component);
            }
            for text in files {
                texts.entry(text).or_default().push(component);
            }
        }
        let mut page = "The programs of autoheal hold parts of the packages below, under these licences.\n".to_owned();
        if !without.is_empty() {
            page.push_str("\nPackages that bring no text of their licence:\n\n");
        }
        for component in without {
            let licence = component.licence.as_deref().unwrap_or("licence not named");
            // Writing to a string does not fail.
            let _ = writeln!(page, "  {} {}: {licence}", component.name, component.version);
        }
        for (text, components) in texts {
            let names = components.iter().map(|component| format!("{} {}", component.name, component.version));
            let names = names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
            let _ = write!(page, "\n{}\n{names}\n\n{}\n", "-".repeat(80), text.trim_end());
        }
        page
    }
}

/// The packages that the programs are linked from, without those that only tests or builds need.
fn of_cargo(metadata: &Metadata) -> anyhow::Result<BTreeSet<Component>> {
    let resolved = metadata.resolve.as_ref().context("cargo resolved nothing")?;
    let nodes: BTreeMap<&PackageId, _> = resolved.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_program = |id: &&PackageId| PROGRAMS.contains(&metadata[*id].name.as_str());
    let mut waiting: VecDeque<&PackageId> = metadata.workspace_members.iter().filter(is_program).collect();
    let mut seen: BTreeSet<&PackageId> = waiting.iter().copied().collect();
    while let Some(id) = waiting.pop_front() {
        for dependency in &nodes[id].deps {
            let is_linked = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if is_linked && seen.insert(&dependency.pkg) {
                waiting.push_back(&dependency.pkg);
            }
        }
    }
    let foreign = seen.into_iter().map(|id| &metadata[id]).filter(|package| package.source.is_some());
    Ok(foreign
        .map(|package| Component {
            name: package.name.to_string(),
            version: package.version.to_string(),
            kind: "cargo",
            licence: package.license.clone(),
            folder: package.manifest_path.parent().map(|folder| folder.as_std_path().to_owned()).unwrap_or_default(),
        })
        .collect())
}

/// The packages that the dashboard is bundled from.
fn of_dashboard(root: &Path) -> anyhow::Result<BTreeSet<Component>> {
    let lock = fs::read_to_string(root.join("dashboard/package-lock.json"))?;
    let lock: Lock = serde_json::from_str(&lock).context("dashboard/package-lock.json is not what npm writes")?;
    let built = std::env::var_os("DASHBOARD_DIST").map_or_else(|| root.join("dashboard/dist"), PathBuf::from);
    let dashboard = built.parent().unwrap_or(root);
    if !dashboard.join("node_modules").is_dir() {
        bail!("{} has no node_modules: the dashboard is built first (npm ci && npm run build)", dashboard.display());
    }
    let bundled =
        lock.packages.into_iter().filter(|(path, package)| !path.is_empty() && !package.dev && !package.optional);
    Ok(bundled
        .map(|(path, package)| Component {
            name: path.rsplit("node_modules/").next().unwrap_or(&path).to_owned(),
            version: package.version,
            kind: "npm",
            licence: package.license,
            folder: dashboard.join(&path),
        })
        .collect())
}

/// The texts of the files of a package that hold its licence.
fn licence_files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| is_licence(path)).collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    path.is_file() && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"].iter().any(|word| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(folder: &Path, name: &str) -> Component {
        let licence = Some("MIT".to_owned());
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            kind: "cargo",
            licence,
            folder: folder.join(name),
        }
    }

    #[test]
    fn a_text_of_two_packages_is_printed_once_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a", "Permission is granted."), ("b", "Permission is granted."), ("c", "Do as you like.")]
        {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("LICENSE-MIT"), text).unwrap();
        }
        let bill = Bill(["a", "b", "c", "d"].map(|name| component(folder.path(), name)).into());
        let page = bill.licences();
        assert_eq!(page.matches("Permission is granted.").count(), 1);
        assert!(page.contains("a 1.0.0, b 1.0.0\n\nPermission"), "{page}");
        assert!(page.contains("c 1.0.0\n\nDo as"), "{page}");
        assert!(page.contains("  d 1.0.0: MIT"), "{page}");
    }

    #[test]
    fn the_programs_hold_what_they_are_linked_with_and_no_tool_of_tests() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let metadata = cargo_metadata::MetadataCommand::new().manifest_path(root.join("Cargo.toml")).exec().unwrap();
        let components = of_cargo(&metadata).unwrap();
        let has = |name: &str| components.iter().any(|component| component.name == name);
        assert!(has("tokio") && has("html5ever") && has("pyo3"));
        assert!(!has("proptest") && !has("cargo_metadata") && !has("autoheal-engine"));
    }
}
