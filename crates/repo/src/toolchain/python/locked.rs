//! Lock files of uv, Poetry, PDM and Pipenv, and `pylock.toml` (PEP 751): the versions that a repository holds.

use std::collections::BTreeMap;

use serde_json::Value;

use super::requirement::is_requirement;
use crate::project::Manifests;

/// Lock files in TOML, each with the list of its packages.
const TOML: [(&str, &str); 4] =
    [("uv.lock", "package"), ("poetry.lock", "package"), ("pdm.lock", "package"), ("pylock.toml", "packages")];

/// The lock file of Pipenv, in JSON.
const PIPENV: &str = "Pipfile.lock";

/// Keys of packages that come from elsewhere than a registry.
const ELSEWHERE: [&str; 8] = ["git", "path", "editable", "vcs", "directory", "virtual", "url", "archive"];

/// The versions that a lock file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Locked {
    /// Name of the lock file.
    pub(super) file: &'static str,
    /// One constraint for each package that has a single version: `six==1.16.0`.
    pub(super) constraints: Vec<String>,
}

impl Locked {
    /// Returns the versions of the first lock file that holds any.
    pub(super) fn of(manifests: &Manifests) -> Option<Self> {
        let in_toml = TOML.into_iter().map(|(file, list)| {
            let packages = manifests.toml(file).remove(list).and_then(|list| serde_json::to_value(list).ok());
            let packages: Vec<Value> = packages.and_then(|list| serde_json::from_value(list).ok()).unwrap_or_default();
            let named = |package: Value| Some((package.get("name")?.as_str()?.to_owned(), package));
            (file, packages.into_iter().filter_map(named).collect::<Vec<_>>())
        });
        let in_json = std::iter::once_with(|| {
            let manifest = manifests.json(PIPENV).unwrap_or_default();
            let lists = ["default", "develop"].into_iter().filter_map(|list| manifest.get(list)?.as_object().cloned());
            (PIPENV, lists.flatten().collect())
        });
        let all = in_toml.chain(in_json).map(|(file, packages)| Self { file, constraints: constraints(&packages) });
        all.into_iter().find(|locked| !locked.constraints.is_empty())
    }
}

/// The constraints of packages. One that is there in several versions, for several platforms, is left open.
fn constraints(packages: &[(String, Value)]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (name, package) in packages {
        let Some(version) = version_of(package) else { continue };
        let known = versions.entry(name).or_insert(Some(version));
        if *known != Some(version) {
            *known = None;
        }
    }
    let constraint = |(name, version): (&str, Option<&str>)| Some(format!("{name}=={}", version?));
    versions.into_iter().filter_map(constraint).filter(|constraint| is_requirement(constraint)).collect()
}

/// The version of a package of a registry.
fn version_of(package: &Value) -> Option<&str> {
    let has = |value: &Value| ELSEWHERE.iter().any(|key| value.get(key).is_some());
    let source = package.get("source");
    // Poetry names the kind of its source; `legacy` is a registry.
    let is_elsewhere = source.is_some_and(|source| match source.get("type").and_then(Value::as_str) {
        Some(kind) => kind != "legacy",
        None => has(source),
    });
    let version = package.get("version")?.as_str()?.trim_start_matches("==");
    let is_plain = version.chars().all(|c| c.is_ascii_alphanumeric() || ".!+-_".contains(c));
    (!has(package) && !is_elsewhere && is_plain && !version.is_empty()).then_some(version)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::uv(
        "uv.lock",
        "version = 1\n[[package]]\nname = \"six\"\nversion = \"1.16.0\"\nsource = { registry = \"https://h.example/simple\" }\n\
         [[package]]\nname = \"shop\"\nversion = \"0.1\"\nsource = { editable = \".\" }\n\
         [[package]]\nname = \"numpy\"\nversion = \"1.26.4\"\n[[package]]\nname = \"numpy\"\nversion = \"2.0.0\"\n",
        &["six==1.16.0"]
    )]
    #[case::poetry(
        "poetry.lock",
        "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n[package.source]\ntype = \"legacy\"\nurl = \"https://h.example/simple\"\n\
         [[package]]\nname = \"lib\"\nversion = \"2\"\n[package.source]\ntype = \"git\"\nurl = \"https://h.example/lib\"\n",
        &["six==1.16.0"]
    )]
    #[case::pdm(
        "pdm.lock",
        "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n[[package]]\nname = \"lib\"\nversion = \"2\"\npath = \"./lib\"\n",
        &["six==1.16.0"]
    )]
    #[case::standard("pylock.toml", "[[packages]]\nname = \"six\"\nversion = \"1.16.0\"\n[packages.index]\n", &["six==1.16.0"])]
    #[case::pipenv(
        "Pipfile.lock",
        r#"{"default": {"six": {"version": "==1.16.0"}, "lib": {"git": "https://h.example"}}, "develop": {"a": {"version": "==1!2"}}}"#,
        &["a==1!2", "six==1.16.0"]
    )]
    #[case::hostile(
        "uv.lock",
        "[[package]]\nname = \"-r x\"\nversion = \"1\"\n[[package]]\nname = \"b\"\nversion = \"1\\n--index-url https://h.example\"\n\
         [[package]]\nname = \"c @ https://h.example\"\nversion = \"1\"\n[[package]]\nname = \"six\"\nversion = \"1\"\n",
        &["six==1"]
    )]
    fn the_versions_of_a_registry_are_held(#[case] file: &str, #[case] text: &str, #[case] expected: &[&str]) {
        let locked = Locked::of(&Manifests::from_texts([(file, text)])).unwrap();
        assert_eq!(
            (locked.file, locked.constraints.as_slice()),
            (file, &expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
        );
    }

    #[rstest]
    #[case("uv.lock", "version = 1\n")]
    #[case("poetry.lock", "[[package\n")]
    #[case("Pipfile.lock", "[]")]
    #[case("requirements.txt", "six==1\n")]
    fn a_file_without_versions_is_no_lock(#[case] file: &str, #[case] text: &str) {
        assert_eq!(Locked::of(&Manifests::from_texts([(file, text)])), None);
    }
}
