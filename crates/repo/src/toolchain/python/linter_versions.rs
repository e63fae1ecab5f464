//! Version of a tool that CI uses, as the repository states it.

use std::path::Path;

use regex::Regex;

use crate::project::read_text;

/// Returns the requirement that pip installs for a distribution: with the version that CI, the manifests, the
/// lock files or pre-commit pin, else the newest.
pub(crate) fn requirement(tree: &Path, distribution: &str) -> String {
    let files = crate::discovery::files(tree);
    let name = regex::escape(distribution);
    let pinned =
        Regex::new(&format!(r#"(?im)(?:^|[\s"'`])(?:{name})(?:\[[\w, -]+\])?\s*==\s*([0-9][\w.]*)(?:$|[^\w.*])"#));
    let locked = Regex::new(&format!(r#"(?m)^name = "{name}"\r?\nversion = "([0-9][\w.]*)""#));
    let hooked = Regex::new(&format!(
        r#"(?m)repo:\s*\S*/(?:{name}|{name}-pre-commit|{name}-pre-commit-mirror|mirrors-{name})(?:\.git)?\s*\n\s*rev:\s*["']?v?([0-9][\w.]*)"#
    ));
    let (Ok(pinned), Ok(locked), Ok(hooked)) = (pinned, locked, hooked) else { return distribution.to_owned() };
    let version = [(Place::Ci, &pinned), (Place::Manifest, &pinned), (Place::Lock, &locked), (Place::Hooks, &hooked)]
        .into_iter()
        .find_map(|(place, pattern)| {
            let texts =
                files.iter().filter(|file| Place::of(file) == Some(place)).filter_map(|file| read_text(tree, file));
            texts.into_iter().find_map(|text| Some(pattern.captures(&text)?[1].to_owned()))
        });
    version.map_or_else(|| distribution.to_owned(), |version| format!("{distribution}=={version}"))
}

/// A file that may say which version is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Ci,
    Manifest,
    Lock,
    Hooks,
}

impl Place {
    fn of(file: &str) -> Option<Self> {
        let name = file.rsplit('/').next().unwrap_or(file);
        match name {
            _ if file.starts_with(".github/workflows/") => Some(Self::Ci),
            "pyproject.toml" | "setup.cfg" | "setup.py" | "tox.ini" | "noxfile.py" | "Pipfile" => Some(Self::Manifest),
            _ if file.contains("requirements") && Path::new(name).extension().is_some_and(|end| end == "txt") => {
                Some(Self::Manifest)
            }
            "uv.lock" | "poetry.lock" | "pdm.lock" => Some(Self::Lock),
            _ if file == ".pre-commit-config.yaml" => Some(Self::Hooks),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_ci_uses() {
        for (file, text, wanted) in [
            (
                ".github/workflows/ci.yml",
                "on: push\njobs: {a: {steps: [{run: 'pip install pytest black==23.1.0 ruff'}]}}\n",
                "black==23.1.0",
            ),
            (".github/workflows/ci.yml", "      - run: pip install pytest black\n", "black"),
            ("requirements-dev.txt", "pytest\nblack[d] == 24.1.0  # why\n", "black==24.1.0"),
            ("requirements.txt", "not-black==1.0\nblackened==2.0\nblack>=23\n", "black"),
            ("pyproject.toml", "[dependency-groups]\ndev = [\"black==24.3.0\", \"x\"]\n", "black==24.3.0"),
            ("uv.lock", "[[package]]\nname = \"black\"\nversion = \"25.1.0\"\n", "black==25.1.0"),
            (
                ".pre-commit-config.yaml",
                "repos:\n- repo: https://github.com/psf/black-pre-commit-mirror\n  rev: 24.8.0\n  hooks: [{id: black}]\n",
                "black==24.8.0",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
            assert_eq!(requirement(folder.path(), "black"), wanted, "{file}");
        }
    }
}
