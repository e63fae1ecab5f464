//! `autoheal init`: by flags, and by answers on a terminal.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use autoheal_testkit::repository::TestRepository;
use serde_json::{Value, json};

use crate::binary::{Ended, Home, path_with_program};
use crate::healing::sandbox;
use crate::scraper::{PAGE, Scraper};
use crate::terminal::at_terminal;

const SETTINGS: &str = ".autoheal.toml";
const WORKFLOW: &str = ".github/workflows/autoheal.yml";

/// Tests that no run would find by itself.
const FILES: [(&str, &str); 3] = [
    ("prices.py", "def total(prices)\n    return sum(prices)\n"),
    ("checks/__init__.py", ""),
    (
        "checks/check_prices.py",
        "import unittest\n\nfrom prices import total\n\n\nclass PricesTest(unittest.TestCase):\n    \
         def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
    ),
];

const TEST_COMMAND: &str = "python3 -m unittest discover -s checks -p 'check_*.py' -t .";

/// A home and a repository to set up.
struct World {
    home: Home,
    repository: TestRepository,
}

impl World {
    fn new() -> Self {
        Self { home: Home::new(), repository: TestRepository::with_files(&FILES) }
    }

    fn init(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(&[&["init"], arguments].concat());
        command.current_dir(self.repository.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.init(arguments))
    }

    fn file(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.repository.path().join(path)).ok()
    }

    fn test_setting(&self) -> Option<String> {
        let settings: toml::Table = toml::from_str(&self.file(SETTINGS).unwrap()).unwrap();
        settings.get("test").map(|command| command.as_str().unwrap().to_owned())
    }

    fn is_untouched(&self) -> bool {
        self.repository.git(&["status", "--porcelain", "--ignored"]).is_empty()
    }

    /// Types these answers on a terminal.
    fn answered(&self, arguments: &[&str], answers: &str) -> Ended {
        let mut terminal = at_terminal(&self.init(arguments), 200);
        let mut terminal =
            terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        terminal.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        let output = terminal.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Runs the command that `init` names, as the user pastes it into a shell.
#[expect(clippy::disallowed_methods, reason = "runs what the program under test recommends")]
fn pasted(command: &str, home: &Home, folder: &Path, sandbox: &str) -> Ended {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env_clear().env("HOME", home.path()).env("PATH", path_with_program());
    for role in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "ada@shop.example");
    }
    Ended::of(shell.env("AUTOHEAL_SANDBOX", sandbox).current_dir(folder))
}

#[test]
fn a_repository_is_set_up_by_flags_and_healed_by_the_next_command() {
    let Some(sandbox) = sandbox() else { return };
    let world = World::new();
    let ended = world.run(&[
        "--repository",
        "--test-command",
        TEST_COMMAND,
        "--workflow",
        "github",
        "--action",
        "octo/autoheal",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let outcome: Value = serde_json::from_str(&ended.stdout).unwrap();
    let written = |path: &str| json!({ "path": path, "state": "WRITTEN" });
    assert_eq!(outcome["files"], json!([written(SETTINGS), written(WORKFLOW)]));
    assert_eq!(world.test_setting().as_deref(), Some(TEST_COMMAND));
    let workflow: Value = serde_saphyr::from_str(&world.file(WORKFLOW).unwrap()).unwrap();
    let action = format!("octo/autoheal@v{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(workflow["jobs"]["heal"]["steps"][2]["uses"], action.as_str());
    assert_eq!(workflow["permissions"], json!({ "contents": "read" }));

    let healed = pasted(outcome["next"].as_str().unwrap(), &world.home, &world.repository.path(), sandbox);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert!(healed.stderr.contains("(GREEN)"), "{}", healed.told());
    let commands = world.home.run(&["report", "last", "--commands"]).stdout;
    assert!(commands.contains("check_*.py"), "{commands}");
}

#[test]
fn answers_on_a_terminal_set_up_a_repository() {
    let world = World::new();
    world.repository.git(&["remote", "add", "origin", "git@github.com:octo/shop.git"]);
    let answers = format!("maybe\n\npytest 'tests\n{TEST_COMMAND}\nautoheal\nocto/autoheal\n");
    let ended = world.answered(&[], &answers);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    for part in [
        "Heal a repository, or watch a page?",
        "expected `repository` or `page`",
        "Test command",
        "cannot be split into words",
        "GitHub repository of autoheal's action",
        "such as OWNER/autoheal",
        "wrote .autoheal.toml",
        "wrote .github/workflows/autoheal.yml",
        "&& autoheal heal .",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.told());
    }
    assert_eq!(world.test_setting().as_deref(), Some(TEST_COMMAND));
    assert!(world.file(WORKFLOW).unwrap().contains("octo/autoheal@v"));
}

#[test]
fn defaults_are_the_same_by_enter_and_by_flag() {
    let (by_enter, by_flag) = (World::new(), World::new());
    for world in [&by_enter, &by_flag] {
        world.repository.git(&["remote", "add", "origin", "https://gitlab.com/octo/shop.git"]);
    }
    let (entered, flagged) = (by_enter.answered(&[], "\n\n\n"), by_flag.run(&["--yes"]));
    assert_eq!((entered.code, flagged.code), (Some(0), Some(0)), "{}{}", entered.told(), flagged.told());
    assert_eq!(by_enter.file(SETTINGS), by_flag.file(SETTINGS));
    assert_eq!((by_flag.test_setting(), by_flag.file(WORKFLOW)), (None, None));
    let jobs: Value = serde_saphyr::from_str(&flagged.stdout).unwrap();
    assert!(jobs["autoheal"]["script"].is_array(), "{}", flagged.told());
    assert!(entered.stdout.contains("- autoheal heal \"$CI_PROJECT_URL\""), "{}", entered.told());
}

#[test]
fn an_interrupted_question_writes_nothing() {
    for key in [&b"\x03"[..], b"\x04"] {
        let world = World::new();
        let mut terminal = at_terminal(world.init(&[]).env("NO_COLOR", "1"), 200);
        let mut terminal = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut keyboard, mut screen) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
        keyboard.write_all(b"repository\n").unwrap();
        let mut seen = String::new();
        while !(seen.contains("Test command [") && seen.ends_with("]: ")) {
            let mut byte = [0];
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "{seen}");
            seen.push(char::from(byte[0]));
        }
        keyboard.write_all(key).unwrap();
        std::io::copy(&mut screen, &mut std::io::sink()).unwrap();
        assert_eq!(terminal.wait().unwrap().code(), Some(130));
        assert!(world.is_untouched());
    }
}

#[test]
fn existing_files_stay_as_they_are() {
    let world = World::new();
    let flags =
        ["--repository", "--test-command", "pytest", "--workflow", "github", "--action", "octo/autoheal", "--json"];
    let states = |ended: &Ended| {
        let outcome: Value = serde_json::from_str(&ended.stdout).unwrap();
        [0, 1].map(|file| outcome["files"][file]["state"].as_str().unwrap().to_owned())
    };
    world.repository.write(SETTINGS, "test = 'nose'\n");
    let first = world.run(&flags);
    assert_eq!((first.code, states(&first)), (Some(1), ["LEFT_AS_IT_IS", "WRITTEN"].map(str::to_owned)));
    assert!(first.stderr.contains("warning: .autoheal.toml exists already, and was left as it is"), "{}", first.told());
    assert_eq!(world.file(SETTINGS).as_deref(), Some("test = 'nose'\n"));
    std::fs::remove_file(world.repository.path().join(SETTINGS)).unwrap();
    let second = world.run(&flags);
    assert_eq!((second.code, states(&second)), (Some(0), ["WRITTEN", "UNCHANGED"].map(str::to_owned)));
    // A run reads commits.
    assert!(world.run(&flags).stderr.contains(&format!("next: git add {SETTINGS} {WORKFLOW} && ")));
    world.repository.commit("Set up");
    let last = world.run(&flags);
    assert_eq!((last.code, states(&last)), (Some(0), ["UNCHANGED", "UNCHANGED"].map(str::to_owned)));
    assert!(last.stderr.ends_with("next: autoheal heal .\n"), "{}", last.told());
}

#[test]
fn links_of_the_repository_lead_nowhere() {
    let (world, outside) = (World::new(), tempfile::tempdir().unwrap());
    symlink(outside.path(), world.repository.path().join(".github")).unwrap();
    symlink(outside.path().join("settings"), world.repository.path().join(SETTINGS)).unwrap();
    let flags = ["--repository", "--test-command", "", "--workflow", "github", "--action", "octo/autoheal"];
    let ended = world.run(&flags);
    assert_eq!(ended.code, Some(3), "{}", ended.told());
    assert!(ended.stderr.contains("warning: .autoheal.toml exists already"), "{}", ended.told());
    assert!(ended.stderr.contains("error: cannot write .github/workflows/autoheal.yml"), "{}", ended.told());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn without_a_terminal_the_missing_flags_are_named() {
    let world = World::new();
    insta::assert_snapshot!(world.run(&[]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: cannot ask without a terminal; give --page URL, or --repository with --test-command and --workflow; or --yes for the defaults
    ");
    insta::assert_snapshot!(world.run(&["--repository", "--test-command", "pytest"]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: cannot ask without a terminal; give --workflow; or --yes for the defaults
    ");
    for (arguments, told) in [
        (&["--repository", "--page", "https://example.com/"] as &[&str], "cannot be used with"),
        (&["--yes", "--workflow", "github"], "--action <OWNER/NAME>"),
        (&["--yes", "--workflow", "gitlab", "--action", "octo/autoheal"], "--workflow github needs --action"),
        (&["--yes", "--test-command", "pytest 'tests"], "cannot be split into words"),
        (&["--yes", "--page", "example.com"], "expected an address"),
    ] {
        let ended = world.run(arguments);
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        assert!(ended.stderr.contains(told), "{}", ended.told());
    }
    assert!(world.is_untouched());

    let nowhere = Home::new().run(&["init", "--yes"]);
    assert_eq!(nowhere.code, Some(2));
    assert!(nowhere.stderr.contains("not a git repository, and a page has no default"), "{}", nowhere.told());
    let elsewhere = Home::new().run(&["init", "--yes", "--repository"]);
    assert_eq!(elsewhere.code, Some(2));
    assert!(elsewhere.stderr.contains("to make it one: git init"), "{}", elsewhere.told());
}

#[test]
fn a_hostile_test_command_is_only_a_string() {
    let world = World::new();
    let command = "sh -c 'echo \"\"\"\n[policy]\nmodel = false\n' '''${{ github.token }}'''";
    let ended = world.run(&["--yes", "--repository", "--test-command", command]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(world.test_setting().as_deref(), Some(command));
    let settings: toml::Table = toml::from_str(&world.file(SETTINGS).unwrap()).unwrap();
    assert_eq!(settings.len(), 1, "{settings}");
}

#[tokio::test]
async fn a_page_is_added_as_a_source() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url(PAGE);
    let init = |arguments: &[&str]| {
        let mut command = scraper.home.command(&[&["init"], arguments].concat());
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        Ended::of(&mut command)
    };
    let added = init(&["--page", url.as_str()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    let next = added.stderr.lines().last().unwrap();
    let name = next.strip_prefix("next: autoheal source run ").unwrap();
    assert_eq!(scraper.run(&["run", name]).code, Some(0));
    let again = init(&["--page", url.as_str(), "--json"]);
    assert_eq!(again.code, Some(2), "{}", again.told());
    assert!(again.stderr.contains(&format!("cannot add `{name}`")), "{}", again.told());
}
