//! The command lines that install packages, and what keeps programs of the repository from being run by them.
//!
//! Package managers run programs that a repository names: another copy of themselves (`yarnPath`), plugins, `.pnpmfile.cjs`, another git, and
//! the scripts of packages. None of them is run: what an installation gives is what registries gave.

use std::io;
use std::path::Path;

use autoheal_sandbox::untrusted::{Kind, UntrustedFolder};
use serde_json::{Map, Value};

use super::packages::{PackageManager, Packages};
use crate::project::join;

/// Versions of package managers for projects that do not pin one; they read the lock files of such projects.
const PNPM: &str = "9";
const YARN_CLASSIC: &str = "1.22.22";
const YARN: &str = "4.5.3";

/// Maximum size of a settings file that is read, in bytes.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// Maximum number of copies of yarn that are searched.
const MOST_RELEASES: usize = 100;

/// Settings of yarn 2 and later that say what is installed, and from where. Everything else is left out: `plugins` and `yarnPath` are programs.
const YARN_SETTINGS: [&str; 19] = [
    "catalog",
    "catalogs",
    "checksumBehavior",
    "compressionLevel",
    "defaultProtocol",
    "defaultSemverRangePrefix",
    "enableTransparentWorkspaces",
    "nmHoistingLimits",
    "nmMode",
    "nmSelfReferences",
    "nodeLinker",
    "npmAlwaysAuth",
    "npmMinimalAgeGate",
    "npmRegistries",
    "npmRegistryServer",
    "npmScopes",
    "packageExtensions",
    "pnpMode",
    "supportedArchitectures",
];

/// Variables of every command that installs what lock files and manifests say. They stand over the repository's own settings.
pub(super) fn environment() -> impl Iterator<Item = (String, String)> {
    [
        ("YARN_IGNORE_PATH", "1"),
        ("YARN_ENABLE_SCRIPTS", "false"),
        ("npm_config_ignore_scripts", "true"),
        ("npm_config_ignore_pnpmfile", "true"),
        ("npm_config_git", "git"),
        ("npm_config_node_options", ""),
        ("npm_config_script_shell", "/bin/sh"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// Returns the command that installs the packages of the lock file or, without one, of the manifest. A package manager other than npm
/// is fetched from the registry, by a name that no program of the project itself can replace.
pub(super) fn install(packages: &Packages, tree: &UntrustedFolder) -> Vec<String> {
    let asked = |default: &str| packages.manager_version.clone().unwrap_or_else(|| default.to_owned());
    let has_lock = packages.lock.is_some();
    let frozen = if has_lock { "--frozen-lockfile" } else { "--no-lockfile" };
    let from_registry = |package: String, program: &str, options: &[&str]| {
        let words = ["npx", "--yes", &format!("--package={package}"), "--", program, "install"].map(str::to_owned);
        words.into_iter().chain(options.iter().map(|option| (*option).to_owned())).collect::<Vec<String>>()
    };
    match packages.manager {
        PackageManager::Npm if has_lock => ["npm", "ci", "--ignore-scripts"].map(str::to_owned).to_vec(),
        PackageManager::Npm => ["npm", "install", "--no-package-lock", "--ignore-scripts"].map(str::to_owned).to_vec(),
        PackageManager::Pnpm => {
            let options = [frozen, "--ignore-scripts", "--ignore-pnpmfile"];
            from_registry(format!("pnpm@{}", asked(PNPM)), "pnpm", &options)
        }
        PackageManager::YarnClassic => {
            let options = [frozen, "--non-interactive", "--ignore-scripts"];
            from_registry(format!("yarn@{}", asked(YARN_CLASSIC)), "yarn", &options)
        }
        PackageManager::Yarn => {
            let version = packages.manager_version.clone().or_else(|| committed_version(packages, tree));
            let package = format!("@yarnpkg/cli-dist@{}", version.as_deref().unwrap_or(YARN));
            let frozen = if has_lock { "--immutable" } else { "--no-immutable" };
            from_registry(package, "yarn", &[frozen, "--mode=skip-build"])
        }
    }
}

/// The version of yarn that is committed, by the name of its file: that one is not run, and the registry's of the same version is.
fn committed_version(packages: &Packages, tree: &UntrustedFolder) -> Option<String> {
    let releases = tree.entries(join(&packages.root, ".yarn/releases"), MOST_RELEASES).ok()?;
    let version = |name: &str| {
        let version = name.strip_prefix("yarn-")?.strip_suffix(".cjs")?;
        let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        is_version.then(|| version.to_owned())
    };
    let mut named =
        releases.iter().rev().filter(|(_, kind)| *kind == Kind::File).filter_map(|(name, _)| version(name.to_str()?));
    named.next()
}

/// The settings that yarn reads instead of `.yarnrc.yml`, in a file of the tree. Dropped, it is gone.
pub(super) struct YarnSettings<'a> {
    tree: &'a UntrustedFolder,
    file: String,
    name: String,
}

impl<'a> YarnSettings<'a> {
    pub(super) fn write(tree: &'a UntrustedFolder, root: &str) -> io::Result<Self> {
        // A name that nothing committed can have.
        let name = format!(".autoheal-{}.yml", uuid::Uuid::now_v7().simple());
        let own = tree.read(join(root, ".yarnrc.yml"), LONGEST_SETTINGS).unwrap_or_default();
        let file = join(root, &name);
        tree.write(&file, chosen(&String::from_utf8_lossy(&own)).as_bytes())?;
        Ok(Self { tree, file, name })
    }

    /// The file's name, for `YARN_RC_FILENAME`.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for YarnSettings<'_> {
    fn drop(&mut self) {
        // The tree is written anew before anything depends on what is in it beside the commit's files.
        let _ = self.tree.remove_file(Path::new(&self.file));
    }
}

/// Those of the settings that are no programs, as JSON, which is YAML, too. Settings that cannot be read say nothing.
fn chosen(text: &str) -> String {
    let settings: Map<String, Value> = serde_saphyr::from_str(text).unwrap_or_default();
    let chosen =
        settings.into_iter().filter(|(name, value)| YARN_SETTINGS.contains(&name.as_str()) && !value.is_null());
    Value::Object(chosen.collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(manager: PackageManager, lock: Option<&str>) -> Packages {
        Packages {
            root: String::new(),
            manager,
            manager_version: None,
            lock: lock.map(str::to_owned),
            folders: vec![String::new()],
            has_dependencies: true,
            node_major: None,
        }
    }

    #[test]
    fn what_is_locked_is_what_is_installed_and_no_program_of_the_repository_is_run() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(tree.path().join(".yarn/releases")).unwrap();
        let untrusted = UntrustedFolder::open(tree.path()).unwrap();
        let words = |manager, lock| install(&packages(manager, lock), &untrusted).join(" ");
        assert_eq!(words(PackageManager::Npm, Some("package-lock.json")), "npm ci --ignore-scripts");
        assert_eq!(words(PackageManager::Npm, None), "npm install --no-package-lock --ignore-scripts");
        assert_eq!(
            words(PackageManager::Pnpm, Some("pnpm-lock.yaml")),
            "npx --yes --package=pnpm@9 -- pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile"
        );
        assert_eq!(
            words(PackageManager::YarnClassic, Some("yarn.lock")),
            "npx --yes --package=yarn@1.22.22 -- yarn install --frozen-lockfile --non-interactive --ignore-scripts"
        );
        let yarn = "npx --yes --package=@yarnpkg/cli-dist@VERSION -- yarn install --immutable --mode=skip-build";
        assert_eq!(words(PackageManager::Yarn, Some("yarn.lock")), yarn.replace("VERSION", "4.5.3"));
        // A committed one says which version is wanted, and nothing else.
        for name in ["yarn-3.2.1.cjs", "yarn-; evil.cjs", "other-9.9.9.cjs"] {
            std::fs::write(tree.path().join(".yarn/releases").join(name), "evil()").unwrap();
        }
        assert_eq!(words(PackageManager::Yarn, Some("yarn.lock")), yarn.replace("VERSION", "3.2.1"));
    }

    #[test]
    fn settings_of_yarn_that_are_programs_are_left_out() {
        let tree = tempfile::tempdir().unwrap();
        let own = "yarnPath: .yarn/releases/yarn-4.5.3.cjs\nnodeLinker: node-modules\nplugins:\n  - path: evil.cjs\n\
                   npmScopes:\n  corp:\n    npmRegistryServer: https://npm.corp.example\nenableScripts: true\n";
        std::fs::write(tree.path().join(".yarnrc.yml"), own).unwrap();
        let untrusted = UntrustedFolder::open(tree.path()).unwrap();
        let settings = YarnSettings::write(&untrusted, "").unwrap();
        let text = std::fs::read_to_string(tree.path().join(settings.name())).unwrap();
        let expected =
            r#"{"nodeLinker":"node-modules","npmScopes":{"corp":{"npmRegistryServer":"https://npm.corp.example"}}}"#;
        assert_eq!(text, expected);
        drop(settings);
        assert_eq!(std::fs::read_dir(tree.path()).unwrap().count(), 1);
        assert_eq!(chosen("[no map"), "{}");
    }
}
