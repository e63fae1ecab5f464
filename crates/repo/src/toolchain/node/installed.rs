//! Comparison of the packages that the user installed with those that a project requires.

use std::path::Path;

use autoheal_sandbox::untrusted::{Kind, UntrustedFolder};
use serde_json::Value;

use super::packages::{Packages, dependencies};
use crate::project::join;

/// A longer file is not what a package manager wrote.
const LONGEST: u64 = 256 << 20;

/// Returns whether `checkout`, the user's own folder, holds the packages that `packages` of the commit in
/// `tree` would install: according to what the package manager wrote down when it installed; without a lock
/// file, if every dependency is there.
pub(super) fn fits(checkout: &Path, tree: &Path, packages: &Packages) -> bool {
    let (Some(checkout), Ok(files)) = (own(checkout), UntrustedFolder::open(tree)) else { return false };
    let modules = |name: &str| join(&packages.root, &format!("node_modules/{name}"));
    let text = |folder: &UntrustedFolder, name: &str| String::from_utf8(folder.read(name, LONGEST).ok()?).ok();
    let locked = packages.lock.as_deref().and_then(|name| text(&files, &join(&packages.root, name)));
    match (packages.lock.as_deref(), locked) {
        (Some("pnpm-lock.yaml"), Some(locked)) => {
            text(&checkout, &modules(".pnpm/lock.yaml")).is_some_and(|held| held == locked)
        }
        (Some("package-lock.json" | "npm-shrinkwrap.json"), Some(locked)) => {
            text(&checkout, &modules(".package-lock.json")).is_some_and(|held| holds(&held, &locked))
        }
        // What yarn writes down is not the lock file's text: that the user's is the commit's, and was installed after it, is enough.
        (Some("yarn.lock"), Some(locked)) => {
            let own = text(&checkout, &join(&packages.root, "yarn.lock"));
            checkout.has_file(modules(".yarn-integrity")) && own.is_some_and(|own| own == locked)
        }
        (Some(_), _) => false,
        (None, _) => {
            let manifest = super::packages::json(tree, &packages.root).unwrap_or_default();
            // Of pnpm and of workspaces, packages are links: that they are there is enough.
            checkout.has_folder(join(&packages.root, "node_modules"))
                && dependencies(&manifest).all(|name| {
                    checkout.has_file(modules(&format!("{name}/package.json")))
                        || checkout.kind(modules(name)) == Some(Kind::Link)
                })
        }
    }
}

/// The user's own checkout, which may be named through a link.
#[expect(
    clippy::disallowed_methods,
    reason = "the host's own name of the user's checkout; what is in it is opened without links"
)]
fn own(checkout: &Path) -> Option<UntrustedFolder> {
    UntrustedFolder::open(&checkout.canonicalize().ok()?).ok()
}

/// Returns whether npm's list of installed packages has every package of the lock file in its version.
/// Optional packages may be absent: they are for other machines.
fn holds(held: &str, locked: &str) -> bool {
    let packages = |text: &str| -> Option<Value> { serde_json::from_str::<Value>(text).ok()?.get("packages").cloned() };
    let (Some(held), Some(locked)) = (packages(held), packages(locked)) else { return false };
    let Some(locked) = locked.as_object() else { return false };
    locked.iter().filter(|(name, _)| name.contains("node_modules/")).all(|(name, package)| {
        let is_optional = ["optional", "devOptional", "peer"]
            .iter()
            .any(|key| package.get(key).and_then(Value::as_bool).unwrap_or_default());
        let version = |package: &Value| package.get("version").cloned();
        match held.get(name) {
            Some(held) => version(held) == version(package),
            None => is_optional,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn every_package_has_to_be_there_in_its_version() {
        let locked = r#"{"packages": {"": {}, "node_modules/a": {"version": "1.0.0"},
            "node_modules/b": {"version": "2.0.0", "optional": true}}}"#;
        let held = |version: &str| format!(r#"{{"packages": {{"node_modules/a": {{"version": "{version}"}}}}}}"#);
        assert!(holds(&held("1.0.0"), locked));
        assert!(!holds(&held("1.0.1"), locked));
        assert!(!holds(r#"{"packages": {}}"#, locked));
        assert!(!holds("", locked));
    }
}
