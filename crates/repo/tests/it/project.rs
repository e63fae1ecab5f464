//! Detection of a repository's kind of project.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::path::{Path, PathBuf};

use autoheal_code::{javascript, python};
use autoheal_repo::project::{MainLanguage, Manifests, OTHER_LANGUAGES, Project, manifest_hash, survey};
use autoheal_repo::repo_config::Version;
use autoheal_repo::test_runner::TestRunner;
use autoheal_repo::toolchain::node::{JEST, MOCHA};
use autoheal_repo::toolchain::python::dependencies::Dependencies;
use autoheal_repo::toolchain::python::interpreter::{Surroundings, candidates};
use autoheal_repo::toolchain::python::{PYTEST, UNITTEST};
use proptest::prelude::*;
use rstest::rstest;

use crate::discovery::write;

fn surveyed(files: &[(&str, &str)]) -> Project {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        write(folder.path(), file, text);
    }
    survey(folder.path())
}

fn framework(files: &[(&str, &str)]) -> Option<TestRunner> {
    surveyed(files).runner.map(|detected| detected.runner)
}

const A_CASE: &str = "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n";

#[rstest]
#[case::pytest_ini(&[("pytest.ini", "[pytest]\n"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::pyproject(&[("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::tox_section(&[("tox.ini", "[tox]\n[pytest]\naddopts = -q\n"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::setup_cfg(&[("setup.cfg", "[tool:pytest]\n"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::conftest(&[("tests/conftest.py", ""), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::requirement(&[("requirements-dev.txt", "pytest>=7\n"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::extra(&[("setup.py", "setup(tests_require=['pytest'])"), ("tests/test_a.py", A_CASE)], PYTEST)]
#[case::import(&[("tests/test_a.py", "import pytest\nimport unittest\n")], PYTEST)]
#[case::functions(&[("test_a.py", "def test_a():\n    assert True\n")], PYTEST)]
#[case::a_comment_is_no_evidence(&[("requirements.txt", "# not pytest\n"), ("tests/test_a.py", A_CASE)], UNITTEST)]
#[case::another_name_is_no_evidence(&[("requirements.txt", "my-pytest-like\n"), ("tests/test_a.py", A_CASE)], UNITTEST)]
#[case::unittest(&[("setup.py", "setup()"), ("tests/test_a.py", A_CASE)], UNITTEST)]
#[case::jest_script(&[("package.json", r#"{"scripts": {"test": "jest --ci"}}"#), ("a.test.js", "")], JEST)]
#[case::mocha_dependency(&[("package.json", r#"{"devDependencies": {"mocha": "^10"}}"#), ("a.test.js", "")], MOCHA)]
fn the_framework_is_found(#[case] files: &[(&str, &str)], #[case] expected: TestRunner) {
    assert_eq!(framework(files), Some(expected));
}

#[test]
fn without_tests_or_settings_there_is_no_framework() {
    assert_eq!(framework(&[("module.py", "x = 1\n")]), None);
}

#[test]
fn the_language_is_that_of_most_files() {
    assert_eq!(surveyed(&[("a.py", ""), ("b.pyi", ""), ("c.js", "")]).language, Some(MainLanguage::Known(python::ID)));
    assert_eq!(
        surveyed(&[("a.py", ""), ("b.ts", ""), ("c.js", "")]).language,
        Some(MainLanguage::Known(javascript::ID))
    );
    assert_eq!(surveyed(&[("A.java", "")]).language, Some(MainLanguage::Other(&OTHER_LANGUAGES[0])));
    assert_eq!(surveyed(&[("README.md", "")]).language, None);
    let vendored = [("a.py", ""), ("node_modules/x.js", ""), ("node_modules/y.js", "")];
    assert_eq!(surveyed(&vendored).language, Some(MainLanguage::Known(python::ID)));
}

#[rstest]
#[case::flat(&[("pkg/__init__.py", "")], &[""])]
#[case::src(&[("src/pkg/__init__.py", "")], &["src", ""])]
#[case::src_is_a_package(&[("src/__init__.py", ""), ("src/a.py", "")], &[""])]
#[case::setup_cfg(&[("setup.cfg", "[options]\npackage_dir =\n    =lib\n"), ("lib/pkg/a.py", "")], &["lib", ""])]
#[case::setup_py(&[("setup.py", "setup(package_dir={'': 'lib'})"), ("lib/pkg/a.py", "")], &["lib", ""])]
#[case::find_packages(&[("setup.py", "setup(packages=find_packages('lib'))"), ("lib/pkg/a.py", "")], &["lib", ""])]
#[case::setuptools(&[("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = ['lib']\n"), ("lib/a/b.py", "")], &["lib", ""])]
#[case::poetry(&[("pyproject.toml", "[tool.poetry]\npackages = [{include = 'a', from = 'lib'}]\n"), ("lib/a/b.py", "")], &["lib", ""])]
#[case::pytest_path(&[("pytest.ini", "[pytest]\npythonpath = . lib\n"), ("lib/a.py", "")], &["", "lib"])]
#[case::outside(&[("pytest.ini", "[pytest]\npythonpath = ../.. /etc absent\n"), ("a.py", "")], &[""])]
fn the_import_path_is_found(#[case] files: &[(&str, &str)], #[case] expected: &[&str]) {
    assert_eq!(surveyed(files).roots, expected);
}

#[test]
fn of_a_monorepo_the_package_with_most_tests_is_taken() {
    let project = surveyed(&[
        ("packages/a/pyproject.toml", ""),
        ("packages/a/tests/test_a.py", ""),
        ("packages/b/setup.py", ""),
        ("packages/b/src/b/__init__.py", ""),
        ("packages/b/tests/test_a.py", ""),
        ("packages/b/tests/test_b.py", ""),
    ]);
    assert_eq!(project.directory, "packages/b");
    assert_eq!(project.packages, ["packages/a", "packages/b"]);
    assert_eq!(project.roots, ["packages/b/src", "packages/b"]);

    let one = surveyed(&[("pyproject.toml", ""), ("packages/a/pyproject.toml", ""), ("packages/a/test_a.py", "")]);
    assert_eq!((one.directory.as_str(), one.packages.len()), ("", 0));
    let outside = surveyed(&[("packages/a/pyproject.toml", ""), ("tests/test_a.py", "")]);
    assert_eq!(outside.directory, "");
}

#[test]
fn dependencies_are_read_from_every_kind_of_manifest() {
    let found = Dependencies::read(&Manifests::from_texts([
        (
            "pyproject.toml",
            "[project]\nname = 'x'\ndependencies = ['attrs>=22', 'numpy; python_version > \"3.8\"']\n\
             [project.optional-dependencies]\ntest = ['pytest', 'hypothesis']\ndocs = ['sphinx']\n\
             [dependency-groups]\ndev = [{include-group = 'test'}, 'ruff']\ntest = ['pytest-cov']\ndocs = ['furo']\n\
             [tool.poetry.group.dev.dependencies]\nmock = '^4.0'\nlocal = {path = '../x'}\n\
             rich = {version = '>=12', extras = ['jupyter']}\n",
        ),
        ("requirements.txt", "six\n"),
        ("requirements-docs.txt", "sphinx\n"),
        ("requirements/test.txt", "pytest\n"),
        ("tox.ini", "[testenv]\ndeps =\n    freezegun\n    -r other.txt\n    py38: old\n"),
    ]));
    assert_eq!(found.requirement_files, ["requirements.txt", "requirements/test.txt"]);
    assert!(found.is_installable);
    assert_eq!(found.project_word().as_deref(), Some(".[test]"));
    for requirement in
        ["attrs>=22", "pytest", "hypothesis", "pytest-cov", "ruff", "mock>=4.0,<5", "rich[jupyter]>=12", "freezegun"]
    {
        assert!(found.requirements.iter().any(|other| other == requirement), "{requirement}: {found:?}");
    }
    for other in ["sphinx", "furo", "local", "-r other.txt"] {
        assert!(!found.requirements.iter().any(|requirement| requirement.starts_with(other)), "{other}");
    }
    let words = found.pip_words().unwrap();
    assert_eq!(words[..2], ["--requirement", "requirements.txt"]);
}

#[test]
fn setup_cfg_states_requirements() {
    let text = "[metadata]\nname = x\n[options]\ninstall_requires =\n    attrs\n    # a comment\n    six>=1\n\
                [options.extras_require]\ntesting =\n    pytest\ndocs =\n    sphinx\n";
    let found = Dependencies::read(&Manifests::from_texts([("setup.cfg", text)]));
    assert_eq!(found.requirements, ["attrs", "six>=1", "pytest"]);
    assert_eq!(found.extras, ["testing"]);
    assert!(found.is_installable);
}

#[test]
fn nothing_to_install_is_nothing() {
    let found = Dependencies::read(&Manifests::default());
    assert!(found.is_empty() && found.pip_words().is_none() && found.project_word().is_none());
}

#[test]
fn the_hash_follows_what_is_installed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "requirements.txt", "six\n");
    let first = manifest_hash(folder.path(), "");
    write(folder.path(), "module.py", "changed\n");
    write(folder.path(), "pytest.ini", "[pytest]\n");
    assert_eq!(manifest_hash(folder.path(), ""), first);
    assert_eq!(survey(folder.path()).manifest_hash, first);
    write(folder.path(), "requirements.txt", "six>=1\n");
    assert_ne!(manifest_hash(folder.path(), ""), first);
}

/// A file that counts as a program, in a folder that counts as an installation.
fn fake_python(installation: &Path) -> PathBuf {
    write(installation, "lib/python3.12/os.py", "");
    write(installation, "bin/python3.12", "\u{7f}ELF");
    installation.join("bin/python3.12")
}

fn link(target: &Path, at: &Path) {
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[test]
fn an_environment_of_the_checkout_comes_first_with_everything_behind_its_links() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let real = fake_python(&folder.join("pythons/3.12.1"));
    link(&folder.join("pythons/3.12.1"), &folder.join("pythons/3.12"));
    let checkout = folder.join("checkout");
    let environment = checkout.join(".venv");
    write(&environment, "pyvenv.cfg", "home = x\n");
    link(&folder.join("pythons/3.12/bin/python3.12"), &environment.join("bin/python"));
    link(Path::new("python"), &environment.join("bin/python3"));
    let tree = folder.join("tree");
    std::fs::create_dir_all(&tree).unwrap();
    let around = Surroundings { path: real.parent().unwrap().as_os_str().to_owned(), ..Surroundings::default() };
    link(Path::new("python3.12"), &real.with_file_name("python3"));

    let found = candidates(Some(&checkout), &tree, "", &around);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].program, environment.join("bin/python3"));
    assert_eq!(found[0].folders, [environment.clone(), folder.join("pythons/3.12"), folder.join("pythons/3.12.1")]);
    assert_eq!(found[1].program, real);
    assert_eq!(found[1].folders, [folder.join("pythons/3.12.1")]);

    // Committed, it is the repository's: its links could show any folder of this machine inside the sandbox.
    std::fs::create_dir_all(tree.join(".venv")).unwrap();
    assert_eq!(candidates(Some(&checkout), &tree, "", &around).len(), 1);
    assert_eq!(candidates(None, &tree, "", &around).len(), 1);
}

#[test]
fn an_environment_of_a_package_comes_before_that_of_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let real = fake_python(&folder.path().join("python"));
    for environment in ["checkout/.venv", "checkout/pkg/venv"] {
        write(folder.path(), &format!("{environment}/pyvenv.cfg"), "");
        link(&real, &folder.path().join(environment).join("bin/python3"));
    }
    let found =
        candidates(Some(&folder.path().join("checkout")), &folder.path().join("tree"), "pkg", &Surroundings::default());
    let names: Vec<&str> = found.iter().map(|interpreter| interpreter.found.as_str()).collect();
    assert_eq!(names, ["pkg/venv of the checkout", ".venv of the checkout"]);
}

#[test]
fn an_environment_on_the_path_is_one_without_being_active() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let real = fake_python(&folder.join("python"));
    link(&real, &real.with_file_name("python3"));
    let environment = folder.join("env");
    write(&environment, "pyvenv.cfg", "");
    link(&real, &environment.join("bin/python3"));
    let path = std::env::join_paths([environment.join("bin"), real.parent().unwrap().to_owned()]).unwrap();
    let found = candidates(None, &folder, "", &Surroundings { path, ..Surroundings::default() });
    let programs: Vec<_> = found.iter().map(|interpreter| interpreter.program.clone()).collect();
    assert_eq!(programs, [environment.join("bin/python3"), real]);
    assert_eq!(found[0].folders, [environment, folder.join("python")]);
}

#[test]
fn a_link_in_a_home_does_not_show_the_home() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let real = fake_python(&folder.join("opt/python"));
    // A user's own packages lie where a standard library would, without one.
    write(&folder, "home/.local/lib/python3.12/site-packages/x.py", "");
    link(&real, &folder.join("home/.local/bin/python3"));
    let environment = folder.join("env");
    write(&environment, "pyvenv.cfg", "");
    link(&folder.join("home/.local/bin/python3"), &environment.join("bin/python3"));
    let around = Surroundings { virtual_env: Some(environment.clone()), ..Surroundings::default() };
    let found = candidates(None, &folder, "", &around);
    assert_eq!(found[0].folders, [environment, folder.join("home/.local/bin/python3"), folder.join("opt/python")]);
}

#[test]
fn a_shim_of_pyenv_is_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("pyenv");
    for version in ["3.11.9", "3.12.1"] {
        let real = fake_python(&root.join("versions").join(version));
        link(&real, &real.with_file_name("python3"));
    }
    write(&root, "shims/python3", "#!/bin/sh\nexec pyenv exec python3\n");
    write(&root, "version", "3.12.1\n");
    let mut around = Surroundings { path: root.join("shims").into_os_string(), ..Surroundings::default() };
    let program = |around: &Surroundings| candidates(None, folder.path(), "", around)[0].program.clone();
    assert_eq!(program(&around), root.join("versions/3.12.1/bin/python3.12"));
    around.pyenv_version = Some("3.11.9".to_owned());
    assert_eq!(program(&around), root.join("versions/3.11.9/bin/python3.12"));
    // What the repository asks for is there, too, after what is set.
    around.wanted = Version::try_from("3.12".to_owned()).ok();
    let versions: Vec<PathBuf> =
        candidates(None, folder.path(), "", &around).into_iter().map(|one| one.program).collect();
    assert_eq!(
        versions,
        ["3.11.9", "3.12.1"].map(|version| root.join("versions").join(version).join("bin/python3.12"))
    );
    around.wanted = None;
    around.pyenv_version = Some("../../elsewhere".to_owned());
    assert!(candidates(None, folder.path(), "", &around).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_manifest_is_read_or_passed_over(
        name in proptest::sample::select(vec!["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "package.json", "Pipfile"]),
        text in prop_oneof![
            ".{0,200}",
            "(\\[(project|options|testenv|tool\\.poetry|dependency-groups)\\]\n([a-z]{1,6} ?= ?([\\[{'\"a-z^~0-9.,-]|\n ){0,20}\n){0,4}){0,3}",
        ],
    ) {
        let project = surveyed(&[(name, &text), ("tests/test_a.py", "")]);
        prop_assert!(project.roots.contains(&project.directory));
        let dependencies = Dependencies::read(&Manifests::from_texts([(name, &text)]));
        for word in dependencies.pip_words().unwrap_or_default() {
            prop_assert!(word == "--requirement" || !word.starts_with('-'), "{}", word);
        }
    }
}
