//! Bounds in the files that say what is installed: a release that broke the tests is excluded where the repository states its requirements,
//! with the reason in a comment. All else in the file stays as it is.
//!
//! # Layout
//!
//! - `lines`: `requirements.txt`, `constraints.txt`; `ini`: `setup.cfg`, `tox.ini`; `pyproject`, `setup_py`; `tables`: those of
//!   Poetry, and `Pipfile`; `environment`: `environment.yml` of conda
//! - `requirement`: one requirement; `array`: lists in brackets

mod array;
mod environment;
mod ini;
mod lines;
mod pyproject;
mod requirement;
mod setup_py;
mod tables;

use std::ops::Range;

pub use self::environment::{EnvironmentRequirements, is_environment, of_environment};
use crate::edit::Edit;

/// A bound on the versions of a distribution.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// Name of the distribution, as its own metadata has it.
    pub distribution: &'a str,
    /// The bound as a specifier: `<2`.
    pub specifier: &'a str,
    /// Reason of the bound, one line, for the comment above it.
    pub reason: &'a str,
}

/// A format of files that state requirements.
trait Manifest {
    /// The requirements for running and testing that the file states, as ranges of its text.
    fn requirements(&self, text: &str) -> Vec<Range<usize>>;

    /// The names for which the file states a constraint apart from the name, and those constraints, as ranges of its text.
    fn constraints(&self, _text: &str) -> Vec<(String, Range<usize>)> {
        Vec::new()
    }

    /// Edits that add a requirement to a list that is installed for tests, else to what is always installed; `None`: the file has no list.
    /// `is_wanted`: whether an extra or a group of this name is installed.
    fn added(&self, text: &str, requirement: &str, reason: &str, is_wanted: &dyn Fn(&str) -> bool)
    -> Option<Vec<Edit>>;
}

/// Returns the format of a file, by its name.
fn manifest_of(file: &str) -> Option<&'static dyn Manifest> {
    match file.rsplit('/').next().unwrap_or(file) {
        "pyproject.toml" => Some(&pyproject::Pyproject),
        "setup.cfg" => Some(&ini::SETUP_CFG),
        "tox.ini" => Some(&ini::TOX),
        "setup.py" => Some(&setup_py::SetupPy),
        "Pipfile" => Some(&tables::Pipfile),
        name if name.strip_suffix(".txt").is_some() => Some(&lines::Lines),
        name if is_environment(name) => Some(&environment::Environment),
        _ => None,
    }
}

/// Returns the edits that add the bound to each requirement of the distribution in a file; `None`: the file states none that can take it.
pub fn tightened(file: &str, text: &str, bound: &Bound<'_>) -> Option<Vec<Edit>> {
    let manifest = manifest_of(file)?;
    let stated = manifest.requirements(text).into_iter();
    let own = stated.filter(|range| requirement::is_of(&text[range.clone()], bound.distribution)).map(|range| {
        let (at, addition) = requirement::bounded(&text[range.clone()], bound.specifier)?;
        Some(Edit::insert(range.start + at, addition))
    });
    let constraints = manifest.constraints(text).into_iter();
    let constraints = constraints.filter(|(name, _)| requirement::is_of(name, bound.distribution)).map(|(_, range)| {
        let bounded = tables::bounded(&text[range.clone()], bound.specifier)?;
        Some(Edit::replace(range, bounded))
    });
    let mut own: Vec<Edit> = own.chain(constraints).collect::<Option<_>>()?;
    own.sort();
    let mut edits = Vec::new();
    let mut commented = None;
    for edit in own {
        let line = line_start(text, edit.start);
        // Two requirements on one line have one comment.
        if commented.replace(line) != Some(line) {
            edits.push(comment_above(text, edit.start, bound.reason));
        }
        edits.push(edit);
    }
    (!edits.is_empty()).then_some(edits)
}

/// Returns the edits that add a requirement with the bound to a file that states no requirement of the distribution. `is_wanted`: whether an
/// extra or a group of this name is installed where the tests run.
pub fn added(file: &str, text: &str, bound: &Bound<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<Edit>> {
    let manifest = manifest_of(file)?;
    let requirements = manifest.requirements(text);
    let mut names = requirements.iter().map(|range| &text[range.clone()]);
    let constraints = manifest.constraints(text);
    let is_own = |name: &str| requirement::is_of(name, bound.distribution);
    if names.any(is_own) || constraints.iter().any(|(name, _)| is_own(name)) {
        return None;
    }
    manifest.added(text, &format!("{}{}", bound.distribution, bound.specifier), bound.reason, is_wanted)
}

/// First byte of the line that holds a byte.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The indentation of the line that holds a byte.
fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A comment above the line that holds a byte. All of these formats take it there.
fn comment_above(text: &str, at: usize, reason: &str) -> Edit {
    let indentation = indentation(text, at);
    Edit::insert(line_start(text, at), format!("{indentation}# {reason}{}", newline_of(text)))
}

/// A line below the one that holds a byte, indented like it, with the reason as a comment above it.
fn line_below(text: &str, at: usize, reason: &str, line: &str) -> Edit {
    let (newline, indentation) = (newline_of(text), indentation(text, at));
    let end = at + text[at..].find(['\r', '\n']).unwrap_or(text.len() - at);
    Edit::insert(end, format!("{newline}{indentation}# {reason}{newline}{indentation}{line}"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::edit::FileEdit;
    use crate::python::distributions::is_for_tests;

    const BOUND: Bound<'static> = Bound { distribution: "Gadget-Kit", specifier: "<2", reason: "2.0 fails" };

    fn applied(file: &str, text: &str, edits: Option<Vec<Edit>>) -> Option<String> {
        FileEdit { file: file.to_owned(), edits: edits? }.apply(text).ok()
    }

    #[rstest]
    #[case("requirements.txt", "six\ngadget_kit>=1\n", "six\n# 2.0 fails\ngadget_kit>=1,<2\n")]
    #[case("constraints.txt", "gadget-kit # used\n", "# 2.0 fails\ngadget-kit<2 # used\n")]
    #[case(
        "requirements.txt",
        "gadget.kit[a] (>=1) ; python_version > '3'\n",
        "# 2.0 fails\ngadget.kit[a] (>=1,<2) ; python_version > '3'\n"
    )]
    #[case(
        "pyproject.toml",
        "[project]\ndependencies = [\"six\", \"gadget-kit~=1.0\"]\n",
        "[project]\n# 2.0 fails\ndependencies = [\"six\", \"gadget-kit~=1.0,<2\"]\n"
    )]
    #[case(
        "pyproject.toml",
        "[dependency-groups]\ntest = [\n    \"six\",\n    'gadget-kit',  # old\n]\n",
        "[dependency-groups]\ntest = [\n    \"six\",\n    # 2.0 fails\n    'gadget-kit<2',  # old\n]\n"
    )]
    #[case(
        "setup.cfg",
        "[options]\ninstall_requires =\n    six\n    gadget-kit >= 1 ; python_version > '3'\npackages = find:\n",
        "[options]\ninstall_requires =\n    six\n    # 2.0 fails\n    gadget-kit >= 1,<2 ; python_version > '3'\npackages = find:\n"
    )]
    #[case(
        "setup.cfg",
        "[options.extras_require]\ntests =\n  gadget-kit; \\\n    python_version > '3'\n",
        "[options.extras_require]\ntests =\n  # 2.0 fails\n  gadget-kit<2; \\\n    python_version > '3'\n"
    )]
    #[case(
        "tox.ini",
        "[testenv]\ndeps =\n    gadget-kit\ncommands = gadget-kit\n",
        "[testenv]\ndeps =\n    # 2.0 fails\n    gadget-kit<2\ncommands = gadget-kit\n"
    )]
    #[case(
        "setup.py",
        "setup(\n    name='gadget-kit',\n    install_requires=['six', 'gadget-kit>=1'],\n)\n",
        "setup(\n    name='gadget-kit',\n    # 2.0 fails\n    install_requires=['six', 'gadget-kit>=1,<2'],\n)\n"
    )]
    #[case(
        "setup.py",
        "setup(install_requires=(\"gadget-kit >= 1\",))\n",
        "# 2.0 fails\nsetup(install_requires=(\"gadget-kit >= 1,<2\",))\n"
    )]
    #[case(
        "setup.py",
        "extras = {\n    'tests': [\n        \"gadget-kit\",\n    ],\n}\nsetup(extras_require=extras)\n",
        "extras = {\n    'tests': [\n        # 2.0 fails\n        \"gadget-kit<2\",\n    ],\n}\nsetup(extras_require=extras)\n"
    )]
    #[case(
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = \"^3.9\"\ngadget-kit = \"^1.2\"  # used\n",
        "[tool.poetry.dependencies]\npython = \"^3.9\"\n# 2.0 fails\ngadget-kit = \"^1.2,<2\"  # used\n"
    )]
    #[case(
        "pyproject.toml",
        "[tool.poetry.group.test.dependencies]\ngadget_kit = { version = \"*\", extras = [\"a\"] }\n",
        "[tool.poetry.group.test.dependencies]\n# 2.0 fails\ngadget_kit = { version = \"<2\", extras = [\"a\"] }\n"
    )]
    #[case(
        "Pipfile",
        "[packages]\nsix = \"*\"\n[dev-packages]\n\"gadget.kit\" = '>=1'\n",
        "[packages]\nsix = \"*\"\n[dev-packages]\n# 2.0 fails\n\"gadget.kit\" = '>=1,<2'\n"
    )]
    #[case(
        "environment.yml",
        "channels:\n  - gadget-kit\ndependencies:\n  - python=3.10\n  - c::gadget-kit >=1  # used\n",
        "channels:\n  - gadget-kit\ndependencies:\n  - python=3.10\n  # 2.0 fails\n  - c::gadget-kit >=1,<2  # used\n"
    )]
    #[case(
        "environment-dev.yaml",
        "dependencies:\r\n- gadget-kit\r\n",
        "dependencies:\r\n# 2.0 fails\r\n- gadget-kit<2\r\n"
    )]
    #[case(
        "environment.yml",
        "dependencies:\n  - pip\n  - pip:\n    - -e .\n    - \"gadget_kit>=1\"\n",
        "dependencies:\n  - pip\n  - pip:\n    - -e .\n    # 2.0 fails\n    - \"gadget_kit>=1,<2\"\n"
    )]
    fn a_requirement_takes_the_bound(#[case] file: &str, #[case] text: &str, #[case] expected: &str) {
        assert_eq!(applied(file, text, tightened(file, text, &BOUND)).as_deref(), Some(expected));
    }

    #[rstest]
    #[case("requirements.txt", "gadget-kit==1.0\n")]
    #[case("requirements.txt", "gadget-kit @ https://h.example/g.whl\n")]
    #[case("requirements.txt", "# gadget-kit\n-r gadget-kit.txt\ngadget-kit-more\n")]
    #[case("requirements.txt", "gadget-kit>=1 --hash=sha256:00\n")]
    #[case("pyproject.toml", "[build-system]\nrequires = [\"gadget-kit\"]\n")]
    #[case("pyproject.toml", "[project\n")]
    #[case("pyproject.toml", "[tool.poetry.dependencies]\ngadget-kit = \"1.2\"\n")]
    #[case("pyproject.toml", "[tool.poetry.dependencies]\ngadget-kit = \"^1 || ^2\"\n")]
    #[case("pyproject.toml", "[tool.poetry.dependencies]\ngadget-kit = { path = \"kit\" }\n")]
    #[case("Pipfile", "[packages]\ngadget-kit = \"==1.2\"\n")]
    #[case("Pipfile", "[packages\n")]
    #[case("setup.cfg", "[metadata]\nname = gadget-kit\n[tool:pytest]\naddopts =\n    gadget-kit\n")]
    #[case("setup.py", "setup(name='gadget-kit', packages=['gadget-kit'])\n")]
    #[case("environment.yml", "dependencies:\n  - gadget-kit=1.20\n")]
    #[case("environment.yml", "dependencies:\n  - gadget-kit 1.20.*\n")]
    #[case("environment.yml", "dependencies: [gadget-kit, six]\n")]
    #[case("environment.yml", "dependencies:\n  - &kit gadget-kit\n  - *kit\n")]
    #[case("environment.yml", "dependencies:\n  - x:\n    - gadget-kit\n")]
    #[case("environment.yml", "- gadget-kit\n")]
    #[case("environments.yml", "dependencies:\n  - gadget-kit\n")]
    #[case("conftest.py", "gadget-kit\n")]
    fn what_states_no_open_requirement_is_left_alone(#[case] file: &str, #[case] text: &str) {
        assert_eq!(tightened(file, text, &BOUND), None);
    }

    #[rstest]
    #[case("requirements.txt", "six", "six\n# 2.0 fails\nGadget-Kit<2\n")]
    #[case("requirements.txt", "six\r\n", "six\r\n# 2.0 fails\r\nGadget-Kit<2\r\n")]
    #[case(
        "pyproject.toml",
        "[project]\ndependencies = [\"six\"]\n[project.optional-dependencies]\ntest = [\n    \"a\",  # old\n]\n",
        "[project]\ndependencies = [\"six\"]\n[project.optional-dependencies]\ntest = [\n    \"a\",  # old\n    # 2.0 fails\n    \"Gadget-Kit<2\",\n]\n"
    )]
    #[case(
        "pyproject.toml",
        "[project]\ndependencies = [\"six\"]\n",
        "[project]\n# 2.0 fails\ndependencies = [\"six\", \"Gadget-Kit<2\"]\n"
    )]
    #[case(
        "pyproject.toml",
        "[project]\ndependencies = [\n    \"six\"\n]\n",
        "[project]\ndependencies = [\n    \"six\",\n    # 2.0 fails\n    \"Gadget-Kit<2\",\n]\n"
    )]
    #[case(
        "pyproject.toml",
        "[project]\ndependencies = []\n",
        "[project]\n# 2.0 fails\ndependencies = [\"Gadget-Kit<2\"]\n"
    )]
    #[case(
        "setup.cfg",
        "[options]\ninstall_requires =\n    six\n\n[options.extras_require]\ntests =\n  a\n  b\n\n[x]\n",
        "[options]\ninstall_requires =\n    six\n\n[options.extras_require]\ntests =\n  a\n  b\n  # 2.0 fails\n  Gadget-Kit<2\n\n[x]\n"
    )]
    #[case(
        "tox.ini",
        "[testenv]\ndeps = a\ncommands = x\n",
        "[testenv]\ndeps = a\n    # 2.0 fails\n    Gadget-Kit<2\ncommands = x\n"
    )]
    #[case(
        "setup.py",
        "setup(\n    install_requires=[\n        'six',\n    ],\n)\n",
        "setup(\n    install_requires=[\n        'six',\n        # 2.0 fails\n        'Gadget-Kit<2',\n    ],\n)\n"
    )]
    #[case(
        "setup.py",
        "setup(install_requires=[\"six[a]>=1\"])\n",
        "# 2.0 fails\nsetup(install_requires=[\"six[a]>=1\", \"Gadget-Kit<2\"])\n"
    )]
    #[case(
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = \"^3.9\"\n\n[tool.poetry.group.dev.dependencies]\nsix = { version = \"*\" } # a\n\n[x]\n",
        "[tool.poetry.dependencies]\npython = \"^3.9\"\n\n[tool.poetry.group.dev.dependencies]\nsix = { version = \"*\" } # a\n# 2.0 fails\nGadget-Kit = \"<2\"\n\n[x]\n"
    )]
    #[case("Pipfile", "[packages]\nsix = \"*\"\n", "[packages]\nsix = \"*\"\n# 2.0 fails\nGadget-Kit = \"<2\"\n")]
    #[case(
        "environment.yml",
        "dependencies:\n  - numpy\n  - pip:\n      - six  # a\n  - scipy\nprefix: x\n",
        "dependencies:\n  - numpy\n  - pip:\n      - six  # a\n      # 2.0 fails\n      - Gadget-Kit<2\n  - scipy\nprefix: x\n"
    )]
    #[case("environment.yml", "dependencies:\n- six", "dependencies:\n- six\n# 2.0 fails\n- Gadget-Kit<2")]
    fn a_requirement_is_added(#[case] file: &str, #[case] text: &str, #[case] expected: &str) {
        assert_eq!(applied(file, text, added(file, text, &BOUND, &is_for_tests)).as_deref(), Some(expected));
    }

    #[rstest]
    #[case("requirements.txt", "gadget_kit==1\n")]
    #[case("pyproject.toml", "[project]\nname = \"a\"\n")]
    #[case("setup.cfg", "[metadata]\nname = a\n")]
    #[case("setup.py", "setup(install_requires=read('requirements.txt'))\n")]
    #[case("tox.ini", "[testenv]\ncommands = x\n")]
    #[case("Pipfile", "[packages]\ngadget_kit = \"==1\"\n")]
    #[case("Pipfile", "[packages]\n")]
    #[case("environment.yml", "dependencies:\n  - gadget_kit 1.0\n")]
    #[case("environment.yml", "dependencies: []\n")]
    fn nothing_is_added_where_there_is_no_list(#[case] file: &str, #[case] text: &str) {
        assert_eq!(added(file, text, &BOUND, &is_for_tests), None);
    }

    #[test]
    fn an_environment_states_requirements_for_pip() {
        let text = "name: x\ndependencies:\n  - python=3.10\n  - numpy\n  - c::pandas>=1.5, <2\n  - scipy=1.9=py39_0\n  - requests 2.28.*\n  \
                    - lxml==4.9\n  - six 1.16 py_0\n  - click=7|8\n  - libgadget>=2\n  - pip:\n    - -r more.txt\n    - anything~=1.0\n";
        let expected = "numpy pandas>=1.5,<2 scipy==1.9.* requests==2.28.* lxml==4.9 six==1.16 anything~=1.0";
        let found = of_environment(text);
        assert_eq!(
            (found.for_pip.join(" ").as_str(), found.for_conda.join(" ").as_str()),
            (expected, "click libgadget")
        );
        assert_eq!(of_environment("dependencies: {a: b}\n"), EnvironmentRequirements::default());
    }
}
