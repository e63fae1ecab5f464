//! Bounds on the versions of packages: installations with older ones, and the manifests that state them.
//!
//! An older release is tried just as the manifests will state it: the bound is written into them, and they are installed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use async_trait::async_trait;
use autoheal_code::javascript::manifest::{self, Bound, FIELDS, Overrides};
use autoheal_code::{Edit, FileEdit, Sources};
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::untrusted::UntrustedFolder;
use serde_json::Value;

use super::complaints::Stacks;
use super::packages::{self, Packages};
use super::{installation, programs, words};
use crate::project::{join, read_text};
use crate::setup::Interpreter;
use crate::state::{HealState, Offender};
use crate::step_error::disk;
use crate::toolchain::package_manager::{Complaints, Distribution, PackageManager};
use crate::toolchain::{Place, Search};

/// npm, pnpm and yarn.
pub(super) struct Registries;

#[async_trait]
impl PackageManager for Registries {
    fn complaints(&self) -> &'static dyn Complaints {
        &Stacks
    }

    fn has_installed(&self, interpreter: &Interpreter) -> bool {
        !interpreter.modules.is_empty() && interpreter.modules.iter().all(|modules| modules.installed.is_some())
    }

    fn lock(&self, search: Search<'_>) -> Option<String> {
        let packages = packages_of(search)?;
        packages.lock.map(|lock| join(&packages.root, &lock))
    }

    fn installed_words(&self, place: &Place<'_>, search: Search<'_>) -> Vec<String> {
        let folders = packages_of(search).map(|packages| packages.folders).unwrap_or_default();
        let tree = place.folders.tree();
        let folders = folders.into_iter().map(|folder| tree.join(folder).display().to_string());
        [place.program(), place.tool(programs::INSTALLED)].into_iter().chain(folders).collect()
    }

    fn stated(&self, search: Search<'_>) -> BTreeSet<String> {
        let tree = search.checkout.folders.tree();
        let folders = packages_of(search).map(|packages| packages.folders).unwrap_or_default();
        let manifests = folders.iter().filter_map(|folder| packages::json(&tree, folder));
        let stated = |manifest: Value| {
            let names = |field| Some(manifest.get(field)?.as_object()?.keys().cloned().collect::<Vec<String>>());
            FIELDS.into_iter().filter_map(names).flatten().collect::<Vec<String>>()
        };
        manifests.flat_map(stated).collect()
    }

    /// npm answers for every package manager: it finds the registry by the variables and by `.npmrc`.
    fn releases_words(&self, place: &Place<'_>, names: &[String]) -> Vec<String> {
        let tree = place.folders.tree();
        let directory = &place.setup.suite().directory;
        let root = Packages::of(&tree, directory).map_or_else(|| directory.clone(), |packages| packages.root);
        let variables = words::environment().map(|(name, value)| format!("{name}={value}"));
        let ours = [place.program(), place.tool(programs::RELEASES), tree.join(root).display().to_string()];
        std::iter::once("env".to_owned()).chain(variables).chain(ours).chain(names.iter().cloned()).collect()
    }

    async fn with_bounds(
        &self,
        search: Search<'_>,
        state: &HealState,
        base: &Interpreter,
        _installed: &[Distribution],
        bounds: &[String],
    ) -> Result<Result<Interpreter, String>, StepError> {
        let Some(packages) = packages_of(search) else { return Ok(Err("there is no package.json".to_owned())) };
        let tree = search.checkout.folders.tree();
        let untrusted = UntrustedFolder::open(&tree).map_err(|error| disk("opening the tree", &error))?;
        let mut manifests = Manifests::of(&packages, |file| read_text(&tree, file));
        for bound in bounds {
            if read(bound).and_then(|bound| manifests.state(&bound)).is_none() {
                return Ok(Err(format!("package.json cannot state {bound}")));
            }
        }
        // No package of the base is seen while others take their place.
        let bare = Interpreter { modules: Vec::new(), ..base.clone() };
        let changed = Changed::write(&untrusted, &manifests).map_err(|error| disk("writing the manifests", &error))?;
        let installed = installation::install(&bare, &packages, search, state).await;
        drop(changed);
        Ok(installed?.map(|modules| Interpreter { modules, ..base.clone() }))
    }

    fn up_to(&self, package: &str, version: &str) -> String {
        format!("{package}@<={version}")
    }

    fn states_bounds(&self, file: &str) -> bool {
        file.rsplit('/').next() == Some("package.json")
    }

    fn edits(&self, search: Search<'_>, sources: &Sources, offenders: &[Offender]) -> Option<Vec<FileEdit>> {
        let packages = packages_of(search)?;
        let mut manifests = Manifests::of(&packages, |file| sources.text(file).map(str::to_owned));
        for Offender { package, bound, last_good, .. } in offenders {
            manifests.state(&Bound { package, range: bound, good: &last_good.version })?;
        }
        let edit = |(file, before, after): (&str, &str, &str)| FileEdit::single(file, Edit::between(before, after));
        Some(manifests.changed().map(edit).collect())
    }
}

/// Reads what [`up_to`](PackageManager::up_to) wrote.
fn read(bound: &str) -> Option<Bound<'_>> {
    let (package, range) = bound.rsplit_once('@')?;
    Some(Bound { package, range, good: range.strip_prefix("<=")? })
}

/// The packages that the project of a search installs.
fn packages_of(search: Search<'_>) -> Option<Packages> {
    Packages::of(&search.checkout.folders.tree(), &search.project.directory)
}

/// The manifests that are installed together, with their texts before and after bounds were stated.
struct Manifests {
    texts: BTreeMap<String, (String, String)>,
    /// The manifest in the folder that packages are installed from.
    root: String,
    overrides: Overrides,
}

impl Manifests {
    fn of(packages: &Packages, read: impl Fn(&str) -> Option<String>) -> Self {
        let overrides = match packages.manager {
            packages::PackageManager::Npm => Overrides::Npm,
            packages::PackageManager::Pnpm => Overrides::Pnpm,
            packages::PackageManager::YarnClassic | packages::PackageManager::Yarn => Overrides::Yarn,
        };
        let files = packages.folders.iter().map(|folder| join(folder, "package.json"));
        let texts = files.filter_map(|file| read(&file).map(|text| (file, (text.clone(), text)))).collect();
        Self { texts, root: join(&packages.root, "package.json"), overrides }
    }

    /// States a bound in every manifest that states the package, else in the root for the packages that require it; `None`: that cannot be
    /// stated.
    fn state(&mut self, bound: &Bound<'_>) -> Option<()> {
        let mut is_stated = false;
        for (file, (_, text)) in &mut self.texts {
            if manifest::states(text, bound.package) {
                let edits = manifest::tightened(text, bound)?;
                *text = FileEdit { file: file.clone(), edits }.apply(text).ok()?;
                is_stated = true;
            }
        }
        if !is_stated {
            let (_, text) = self.texts.get_mut(&self.root)?;
            let edit = manifest::overridden(text, bound, self.overrides)?;
            *text = FileEdit::single(self.root.clone(), edit).apply(text).ok()?;
        }
        Some(())
    }

    /// The files that changed, with both texts.
    fn changed(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let texts = self.texts.iter().map(|(file, (before, after))| (file.as_str(), before.as_str(), after.as_str()));
        texts.filter(|(_, before, after)| before != after)
    }
}

/// Manifests of the tree with bounds in them. Dropped, they are as they were.
struct Changed<'a> {
    tree: &'a UntrustedFolder,
    manifests: &'a Manifests,
}

impl<'a> Changed<'a> {
    fn write(tree: &'a UntrustedFolder, manifests: &'a Manifests) -> io::Result<Self> {
        let written = Self { tree, manifests };
        manifests.changed().try_for_each(|(file, _, after)| tree.write(file, after.as_bytes()))?;
        Ok(written)
    }
}

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        for (file, before, _) in self.manifests.changed() {
            // The tree is written anew before a later run depends on it.
            let _ = self.tree.write(file, before.as_bytes());
        }
    }
}
