//! Repositories that attack the machine that heals them, through files that their installers and tests leave on its disk. Each is
//! rejected with a message to the user, and the host's own files are unchanged.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::path::{Path, PathBuf};

use autoheal_engine::StopReason;
use autoheal_engine::event::EventBody;
use autoheal_repo::HealRequest;
use autoheal_sandbox::Choice;
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::{Healed, heal_offline};

const PASSES: &str =
    "import unittest\n\n\nclass Passes(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, 1)\n";

/// A machine with a home folder that holds a secret, and a data folder.
struct Host {
    place: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let host = Self { place: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(host.home().join(".ssh")).unwrap();
        std::fs::write(host.home().join(".ssh/id"), "\x7fELF PRIVATE KEY").unwrap();
        host
    }

    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    fn data(&self) -> PathBuf {
        self.place.path().join("data")
    }

    async fn heal(&self, choice: Choice, repository: &TestRepository) -> Option<Healed> {
        self.heal_as_asked(choice, HealRequest::new(repository.path().display().to_string())).await
    }

    async fn heal_as_asked(&self, choice: Choice, request: HealRequest) -> Option<Healed> {
        let healed = heal_offline(choice, &self.data(), request).await?;
        let error = healed.state.error.as_ref().map(ToString::to_string).unwrap_or_default();
        if error.contains("is missing; fetch it") || error.contains("no Node was found") {
            autoheal_testkit::skip(&format!("hostile repositories with {choice:?}"), &error);
            return None;
        }
        Some(healed)
    }

    fn assert_untouched(&self, healed: &Healed) {
        let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
        assert_eq!((entries(&self.home()), entries(&self.home().join(".ssh"))), (1, 1), "{}", healed.report);
        let key = std::fs::read_to_string(self.home().join(".ssh/id")).unwrap();
        assert_eq!(key, "\x7fELF PRIVATE KEY", "{}", healed.report);
        let told = format!("{} {:?}", healed.report, healed.events);
        assert!(!told.contains("PRIVATE KEY"), "a command has read the host's file: {told}");
    }

    /// The folders that were installed.
    fn installed(&self, room: &str) -> usize {
        let folders = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.filter(|entry| entry.file_type().unwrap().is_dir()).map(|entry| entry.path()).collect::<Vec<_>>()
        };
        folders(&self.data().join(room)).iter().map(|entry| folders(entry).len()).sum()
    }
}

fn notes(healed: &Healed, wanted: &str) -> usize {
    let is_it = |event: &&EventBody| format!("{event:?}").contains(wanted);
    healed.events.iter().filter(is_it).count()
}

/// A repository of Python that installs by running a file of the repository.
fn with_installer(installer: &str, files: &[(&str, &str)]) -> TestRepository {
    let own = [(".autoheal.toml", "install = \"python install.py\"\n"), ("install.py", installer)];
    TestRepository::with_files(&[&own, files].concat())
}

/// An installer that puts links where the host once kept its notes, and everywhere around.
#[rstest]
#[tokio::test]
async fn an_environment_that_is_a_link_somewhere_empties_no_file(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let host = Host::new();
    let installer = format!(
        "import os\nenvironment = os.environ['VIRTUAL_ENV']\nfor name in ('autoheal-complete', 'complete', '../complete', '../used', '../lock'):\n    \
         try:\n        os.symlink('{home}/.ssh/id' if name != 'complete' else '{home}/new', environment + '/' + name)\n    \
         except OSError as error:\n        print(name, error)\nprint('seen:', os.path.exists('{home}'))\n",
        home = host.home().display()
    );
    let repository = with_installer(&installer, &[("test_it.py", PASSES)]);
    for _ in 0..2 {
        let Some(healed) = host.heal(choice, &repository).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
        host.assert_untouched(&healed);
    }
    assert_eq!(host.installed("environments"), 1, "the second run used what the first one installed");
}

/// A linter of the environment that is a link to a file which looks like a program.
#[rstest]
#[tokio::test]
async fn a_linter_that_is_a_link_out_of_the_environment_is_not_shown(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let host = Host::new();
    let key = host.home().join(".ssh/id").display().to_string();
    let installer = format!(
        "import os\nfor name in ('ruff', 'flake8', 'pyright-langserver', 'basedpyright-langserver'):\n    \
         os.symlink('{key}', os.environ['VIRTUAL_ENV'] + '/bin/' + name)\n"
    );
    let tests = format!(
        "import unittest\n\n\nclass Steals(unittest.TestCase):\n    def test_it(self):\n        \
         self.fail(repr(open({key:?}, 'rb').read()))\n"
    );
    let ci = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ruff check .\n      - run: flake8\n      - run: python -m unittest\n";
    let repository = with_installer(&installer, &[("test_it.py", &tests), (".github/workflows/ci.yml", ci)]);
    let mut request = HealRequest::new(repository.path().display().to_string());
    request.lsp = true;
    let Some(healed) = host.heal_as_asked(choice, request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert!(format!("{:?}", healed.events).contains("FileNotFoundError"), "{:?}", healed.events);
    host.assert_untouched(&healed);
}

/// Tests of Node that read and write the host through the place of a cache.
fn thief(installer: &str) -> TestRepository {
    let tests = "const test = require('node:test');\nconst fs = require('fs');\ntest('steals', () => {\n  \
                 const cache = 'node_modules/.cache';\n  const seen = fs.readFileSync(cache + '/.ssh/id', 'utf8');\n  \
                 fs.writeFileSync(cache + '/.bashrc', 'owned');\n  throw new Error('READ FROM HOST: ' + seen);\n});\n";
    TestRepository::with_files(&[
        (".autoheal.toml", "install = \"node install.js\"\n"),
        ("install.js", installer),
        ("package.json", r#"{"scripts": {"test": "node --test"}, "dependencies": {"leftpad": "1.0.0"}}"#),
        ("a.test.js", tests),
    ])
}

const LEFTPAD: &str = "const fs = require('fs');\nfs.mkdirSync('node_modules/leftpad', { recursive: true });\n\
                       fs.writeFileSync('node_modules/leftpad/package.json', '{\"name\": \"leftpad\"}');\n";

#[rstest]
#[tokio::test]
async fn a_link_in_scratch_is_no_way_to_the_host(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let host = Host::new();
    let home = host.home().display().to_string();
    let installer = format!(
        "{LEFTPAD}for (const place of ['../scratch', '../reports', '../mounts', '.']) {{\n  try {{\n    \
         fs.mkdirSync(place + '/node_modules', {{ recursive: true }});\n    \
         fs.symlinkSync('{home}', place + '/node_modules_cache');\n    \
         if (place !== '.') fs.symlinkSync('{home}', place + '/node_modules/.cache');\n  }} catch (error) {{ console.log(error.message); }}\n}}\n"
    );
    let Some(healed) = host.heal(choice, &thief(&installer)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert!(format!("{:?}", healed.events).contains("ENOENT"), "{:?}", healed.events);
    host.assert_untouched(&healed);
}

#[rstest]
#[tokio::test]
async fn a_link_among_packages_is_refused_where_a_tool_would_write(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let host = Host::new();
    let installer = format!("{LEFTPAD}fs.symlinkSync('{}', 'node_modules/.cache');\n", host.home().display());
    let Some(healed) = host.heal(choice, &thief(&installer)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Infra, "{}", healed.report);
    let error = healed.state.error.as_ref().unwrap().to_string();
    assert!(error.contains("completing packages failed") && error.contains("symbolic link"), "{error}");
    host.assert_untouched(&healed);
    assert_eq!(host.installed("node_modules"), 0, "what was refused is not kept");
}

/// A copy of yarn that is committed, plugins of its, and hooks of pnpm: none is run, whatever is installed in the end.
#[rstest]
#[case::yarn("yarn@4.5.3", "yarn.lock", "__metadata:\n  version: 8\n", "@yarnpkg/cli-dist@4.5.3")]
#[case::classic("yarn@1.22.22", "yarn.lock", "# yarn lockfile v1\n", "yarn@1.22.22")]
#[case::pnpm("pnpm@9.0.0", "pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "pnpm@9.0.0")]
#[tokio::test]
async fn no_program_of_the_repository_is_run_to_install(
    #[case] manager: &str,
    #[case] lock: &str,
    #[case] locked: &str,
    #[case] fetched: &str,
) {
    let host = Host::new();
    let package = format!(
        r#"{{"name": "x", "packageManager": "{manager}", "bin": {{"{manager}": "evil.cjs", "yarn": "evil.cjs", "pnpm": "evil.cjs"}},
            "scripts": {{"test": "node --test", "preinstall": "node evil.cjs"}}, "dependencies": {{"leftpad": "1.0.0"}}}}"#
    );
    let evil = "console.error('EVIL RAN');\nprocess.exit(1);\n";
    let repository = TestRepository::with_files(&[
        ("package.json", &package),
        (lock, locked),
        (".yarn/releases/yarn-4.5.3.cjs", evil),
        (".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.5.3.cjs\nplugins:\n  - path: evil.cjs\n    spec: evil\n"),
        (".yarnrc", "yarn-path \"./evil.cjs\"\n"),
        (".pnpmfile.cjs", evil),
        (
            ".npmrc",
            "git=./evil.cjs\nscript-shell=./evil.cjs\nglobal-pnpmfile=./evil.cjs\nnode-options=--require ./evil.cjs\n",
        ),
        ("evil.cjs", evil),
        ("a.test.js", "require('node:test')('passes', () => {});\n"),
    ]);
    if manager.starts_with("yarn@1") {
        repository.git(&["rm", "--quiet", ".yarnrc.yml"]);
        repository.commit("yarn 1 has no such settings");
    }
    let Some(healed) = host.heal(Choice::Bubblewrap, &repository).await else { return };
    // There is no way to a registry here: what could run is what is committed.
    let error = healed.state.error.as_ref().unwrap().to_string();
    assert!(error.contains(&format!("npx --yes --package={fetched} -- ")), "{error}");
    assert!(!error.contains("EVIL RAN") && !format!("{:?}", healed.events).contains("EVIL RAN"), "{error}");
}

/// Makes every assertion of the environment hold.
const POISON: &str = "import glob, os\nsite = glob.glob(os.environ['VIRTUAL_ENV'] + '/lib/python3*/site-packages')[0]\n\
    open(site + '/poison.pth', 'w').write('import unittest; unittest.TestCase.assertEqual = lambda *of: None\\n')\n";

const RED: &str =
    "import unittest\n\n\nclass Red(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, 2)\n";

#[rstest]
#[tokio::test]
async fn what_one_repository_or_branch_installs_no_other_uses(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let host = Host::new();
    let attacker = with_installer(POISON, &[("test_it.py", RED)]);
    let Some(healed) = host.heal(choice, &attacker).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "it deceives itself alone: {}", healed.report);
    // Another repository with the same manifests, and then an unread branch of this one.
    let victim = with_installer("pass\n", &[("test_it.py", RED)]);
    let Some(healed) = host.heal(choice, &victim).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    victim.git(&["checkout", "--quiet", "-b", "unread"]);
    victim.write("install.py", POISON).commit("poison");
    victim.git(&["checkout", "--quiet", "main"]);
    victim.write("README", "another commit").commit("another commit");
    let mut request = HealRequest::new(victim.path().display().to_string());
    request.branch = Some("unread".to_owned());
    let Some(healed) = host.heal_as_asked(choice, request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    for is_first in [true, false] {
        let Some(healed) = host.heal(choice, &victim).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
        assert_eq!(notes(&healed, "installing") > 0, is_first, "the same commit installs once: {:?}", healed.events);
    }
}

#[tokio::test]
async fn two_runs_that_install_the_same_install_it_once() {
    let host = Host::new();
    // Slow enough for both to be under way: each part waits for a program.
    let installer = "import glob, os, subprocess, sys\nsite = glob.glob(os.environ['VIRTUAL_ENV'] + '/lib/python3*/site-packages')[0]\n\
                     for part in range(8):\n    subprocess.run([sys.executable, '-c', 'pass'])\n    \
                     open(f'{site}/part{part}.py', 'w').close()\n";
    let tests = "import importlib\nimport unittest\n\n\nclass Parts(unittest.TestCase):\n    def test_all(self):\n        \
                 for part in range(8):\n            importlib.import_module(f'part{part}')\n";
    let repository = with_installer(installer, &[("test_parts.py", tests)]);
    let (one, other) =
        tokio::join!(host.heal(Choice::Bubblewrap, &repository), host.heal(Choice::Bubblewrap, &repository));
    let (Some(one), Some(other)) = (one, other) else { return };
    for healed in [&one, &other] {
        assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    }
    assert_eq!(host.installed("environments"), 1);
    assert_eq!(notes(&one, "python install.py") + notes(&other, "python install.py"), 1, "one of them installed");
}

/// An environment that changed after its installation is not used.
#[tokio::test]
async fn an_environment_that_was_changed_is_installed_anew() {
    let host = Host::new();
    let repository = with_installer("pass\n", &[("test_it.py", RED)]);
    let Some(healed) = host.heal(Choice::Bubblewrap, &repository).await else { return };
    let environment = healed.state.analysis.setup.unwrap().main_tools.interpreter.installed.unwrap().folder;
    let library = std::fs::read_dir(environment.join("lib")).unwrap().next().unwrap().unwrap().path();
    let poison = "import unittest; unittest.TestCase.assertEqual = lambda *of: None\n";
    std::fs::write(library.join("site-packages/poison.pth"), poison).unwrap();
    let Some(healed) = host.heal(Choice::Bubblewrap, &repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert_ne!(healed.state.analysis.setup.unwrap().main_tools.interpreter.installed.unwrap().folder, environment);
}

/// Folders closed even to their owner, a pipe in the place of `.gitignore`, a link in the place of the report.
#[rstest]
#[tokio::test]
async fn what_tests_leave_holds_up_no_fix(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let host = Host::new();
    let tests = format!(
        "import os\nimport unittest\n\nfrom calc import add\n\nif not os.path.exists('locked'):\n    os.makedirs('locked/in')\n    \
         open('locked/in/file', 'w').close()\n    os.chmod('locked/in', 0o555)\n    os.chmod('locked', 0)\n    \
         os.mkfifo('.gitignore')\n    os.symlink('{home}', '../scratch/home')\n    os.symlink('{home}/new', '../reports/other')\n\n\n\
         class Adds(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 5), 7)\n",
        home = host.home().display()
    );
    let repository =
        TestRepository::with_files(&[("calc.py", "def add(a, b):\n    return a - b\n"), ("test_calc.py", &tests)]);
    let Some(healed) = host.heal(choice, &repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.state.error);
    assert!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]).ends_with("return a + b"));
    let left: Vec<_> = std::fs::read_dir(&healed.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    for name in ["tree", "before", "scratch", "reports", "mounts", "monitor"] {
        assert!(!left.contains(&name.into()), "{left:?}");
    }
    assert!(left.contains(&"clone".into()), "the branch stays: {left:?}");
    host.assert_untouched(&healed);
}

/// All of this again as an ordinary user, to whom a closed folder is closed.
#[test]
fn hostile_repositories_gain_nothing_from_an_ordinary_user_either() {
    let others = ["hostile::", "--skip", "ordinary_user", "--skip", "Docker"];
    autoheal_testkit::ordinary_user::test_again("hostile repositories", &others, "what_tests_leave_holds_up_no_fix");
}
