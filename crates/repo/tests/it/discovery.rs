//! Detection of test files and of files that are never edited.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use autoheal_repo::discovery::{is_test_file, is_vendored, test_files};
use autoheal_repo::protected::{Protection, is_protected, keeps_configuration, protection};
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn write(tree: &Path, file: &str, text: &str) {
    let path = tree.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn ignored_files_and_other_peoples_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path();
    for file in [
        "test_a.py",
        "package/b_test.py",
        "package/tests/deep/data.py",
        "src/build/test_c.py",
        "node_modules/x/test_x.py",
        "build/lib/test_x.py",
        "generated/test_x.py",
        "my-env/lib/python3.11/site-packages/x/test_x.py",
        "other-env/test_x.py",
        ".hidden/test_d.py",
        "package/contest.py",
        "tests/data.txt",
    ] {
        write(tree, file, "");
    }
    write(tree, ".gitignore", "generated/\n");
    write(tree, "other-env/pyvenv.cfg", "home = /usr/bin\n");
    std::os::unix::fs::symlink("/", tree.join("tests/outside")).unwrap();
    std::os::unix::fs::symlink(tree.join("test_a.py"), tree.join("test_link.py")).unwrap();
    assert_eq!(
        test_files(tree),
        [".hidden/test_d.py", "package/b_test.py", "package/tests/deep/data.py", "src/build/test_c.py", "test_a.py"]
    );
}

#[test]
fn without_tests_nothing_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "package/module.py", "");
    assert!(test_files(folder.path()).is_empty());
    assert!(test_files(&folder.path().join("absent")).is_empty());
}

/// A file name that follows a pattern of the spec, for a language.
fn test_name() -> impl Strategy<Value = String> {
    (
        "[a-z]{1,8}",
        select(vec![
            "test_{}.py",
            "{}_test.py",
            "{}.test.js",
            "{}.spec.js",
            "{}.test.ts",
            "{}.spec.ts",
            "{}.test.jsx",
            "{}.spec.tsx",
            "{}.test.mjs",
            "{}.spec.cts",
            "{}-test.js",
            "{}_test.cjs",
            "test-{}.mjs",
        ]),
    )
        .prop_map(|(stem, pattern)| pattern.replace("{}", &stem))
}

/// A file that no pattern of the spec names.
fn other_name() -> impl Strategy<Value = String> {
    let stem = "[a-z]{1,8}".prop_filter("it would make `test_tested.py`", |stem| stem != "test");
    let patterns =
        vec!["{}.py", "{}.js", "{}.txt", "{}_tested.py", "my_test_{}.py", "test_{}.txt", "{}.test.json", "{}.specs.ts"];
    (stem, select(patterns)).prop_map(|(stem, pattern)| pattern.replace("{}", &stem))
}

/// Folders that mean nothing to discovery.
fn folder() -> impl Strategy<Value = String> {
    proptest::collection::vec("(src|pkg|lib|[f-m]{2,5}|\\.hidden|[a-d]{1,2} [a-d]{1,2})", 0..4)
        .prop_map(|parts| parts.iter().flat_map(|part| [part.as_str(), "/"]).collect())
}

// Feature: autoheal-ci-agent, Property 4: Test File Discovery Completeness
#[test]
fn every_test_file_is_found_and_nothing_else() {
    let vendored = select(vec!["node_modules", "venv", ".venv", ".git", "site-packages", "vendor", ".tox"]);
    let file = prop_oneof![
        (folder(), test_name()).prop_map(|(folder, name)| (format!("{folder}{name}"), true)),
        (folder(), folder(), "[a-z]{1,8}").prop_map(|(a, b, stem)| (format!("{a}tests/{b}{stem}.py"), true)),
        (folder(), folder(), "(test|tests|__tests__)/", "[a-z]{1,8}\\.(js|mjs|tsx)")
            .prop_map(|(a, b, tests, name)| (format!("{a}{tests}{b}{name}"), true)),
        (folder(), folder(), "[a-z]{1,8}\\.(py|js|ts)")
            .prop_map(|(a, b, name)| (format!("{a}__tests__/{b}{name}"), true)),
        (folder(), other_name()).prop_map(|(folder, name)| (format!("{folder}{name}"), false)),
        (folder(), vendored, folder(), test_name())
            .prop_map(|(a, vendored, b, name)| (format!("{a}{vendored}/{b}{name}"), false)),
    ];
    proptest!(ProptestConfig::with_cases(150), |(files in proptest::collection::vec(file, 0..12))| {
        let folder = tempfile::tempdir().unwrap();
        for (file, _) in &files {
            write(folder.path(), file, "");
        }
        let expected: BTreeSet<&String> = files.iter().filter(|(_, is_test)| *is_test).map(|(file, _)| file).collect();
        let found = test_files(folder.path());
        prop_assert_eq!(found.iter().collect::<BTreeSet<_>>(), expected);
        prop_assert!(found.iter().all(|file| is_protected(file)));
    });
}

#[test]
fn what_decides_green_is_never_edited() {
    for (file, why) in [
        ("tests/test_a.py", Protection::Test),
        ("tests/data/expected.json", Protection::Test),
        ("package/test_a.py", Protection::Test),
        ("package/conftest.py", Protection::Test),
        (".github/workflows/ci.yml", Protection::Ci),
        (".GitHub/workflows/ci.yml", Protection::Ci),
        (".gitlab-ci.yml", Protection::Ci),
        ("Makefile", Protection::Ci),
        ("tox.ini", Protection::Configuration),
        ("sub/pytest.ini", Protection::Configuration),
        ("setup.cfg", Protection::Configuration),
        (".flake8", Protection::Configuration),
        ("ruff.toml", Protection::Configuration),
        ("jest.config.mjs", Protection::Configuration),
        ("vite.config.ts", Protection::Configuration),
        ("tsconfig.build.json", Protection::Configuration),
        ("tsconfig-test.json", Protection::Configuration),
        ("babel.config.cjs", Protection::Configuration),
        (".babelrc", Protection::Configuration),
        (".babelrc.json", Protection::Configuration),
        ("pkg/.swcrc", Protection::Configuration),
        ("karma.conf.js", Protection::Configuration),
        ("playwright.config.ts", Protection::Configuration),
        ("cypress.config.js", Protection::Configuration),
        ("src/setupTests.ts", Protection::Configuration),
        ("jest.setup.js", Protection::Configuration),
        ("vitest.setup.ts", Protection::Configuration),
        (".npmrc", Protection::Configuration),
        ("src/__mocks__/fs.js", Protection::Test),
        ("poetry.lock", Protection::Lock),
        ("package-lock.json", Protection::Lock),
        (".git/config", Protection::Git),
        ("sub/.git/hooks/pre-commit", Protection::Git),
        (".gitattributes", Protection::Git),
        ("vendor/x.py", Protection::Vendored),
        ("node_modules/x/index.js", Protection::Vendored),
    ] {
        assert_eq!(protection(file), Some(why), "{file}");
    }
    for file in [
        "package/module.py",
        "setup.py",
        "pyproject.toml",
        "requirements.txt",
        "src/build/env.py",
        "contest.py",
        "testing.py",
        "package.json",
        "src/latest.js",
        "src/contest.ts",
        "webpack.config.js",
    ] {
        assert_eq!(protection(file), None, "{file}");
    }
}

#[test]
fn a_manifest_may_gain_a_dependency_and_nothing_about_tests() {
    let before =
        "[project]\nname = 'x'\ndependencies = ['a']\n[tool.pytest.ini_options]\naddopts = '-q'\n[tool.black]\nx = 1\n";
    let keeps = |after: &str| keeps_configuration("pyproject.toml", before, after);
    assert!(keeps(&before.replace("['a']", "['a', 'b']")));
    assert!(!keeps(&before.replace("-q", "-q -k nothing")));
    assert!(!keeps(&format!("{before}[tool.ruff.lint]\nignore = ['F401']\n")));
    assert!(!keeps("[project"));
    assert!(!keeps("[project]\nname = 'x'\n"));
    assert!(keeps_configuration("a.py", "", "anything"));

    let before = r#"{"name": "x", "type": "module", "scripts": {"test": "jest"}, "dependencies": {"a": "1"}}"#;
    let keeps = |after: &str| keeps_configuration("pkg/package.json", before, after);
    assert!(keeps(&before.replace(r#""a": "1""#, r#""a": "1", "b": "2""#)));
    assert!(!keeps(&before.replace("jest", "true")));
    assert!(!keeps(&before.replace("module", "commonjs")));
    for field in ["babel", "exports", "imports", "main", "module", "bin"] {
        assert!(!keeps(&before.replace(r#""scripts""#, &format!(r#""{field}": "./other.js", "scripts""#))), "{field}");
    }
    assert!(!keeps(&before.replace(r#""type""#, r#""jest": {"testMatch": []}, "type""#)));
    assert!(!keeps("{"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_path_is_judged(file in ".{0,40}") {
        // What lies below a protected folder is protected, whatever its name.
        let name = file.rsplit('/').next().unwrap_or_default();
        let below = format!("tests/{name}");
        let vendored = format!("node_modules/{name}");
        prop_assert!(is_protected(&below) && is_protected(&vendored));
        prop_assert!(is_vendored(&vendored) && !is_test_file(&vendored));
        let _ = (is_protected(&file), is_test_file(&file));
    }
}
