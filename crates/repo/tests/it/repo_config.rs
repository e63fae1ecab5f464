//! A repository's own settings in `.autoheal.toml`, end to end.

use autoheal_engine::{ErrorCode, StopReason};
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal};

const BROKEN: &str = "def add(a, b)\n    return a + b\n";

/// Creates a repository with a program, and with tests in a file whose name no discovery pattern matches.
fn repository(settings: &str) -> TestRepository {
    TestRepository::with_files(&[
        ("calc.py", BROKEN),
        ("checks/suite.py", "import calc\n\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n"),
        (".autoheal.toml", settings),
    ])
}

async fn heal_it(repository: &TestRepository, trust_config: bool) -> Option<Healed> {
    heal(HealRequest { trust_config, ..HealRequest::new(repository.path().display().to_string()) }).await
}

const TEST: &str = "test = 'python -m pytest checks/suite.py'\n";

#[tokio::test]
async fn its_test_command_decides_what_green_means() {
    let repository = repository(TEST);
    let Some(healed) = heal_it(&repository, false).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert!(healed.results.commands[0].ends_with("checks/suite.py"), "{:?}", healed.results.commands);
}

/// A repository whose tests fail on a branch of it, which says that they need not be run.
fn with_a_branch_that_says(settings: &str) -> TestRepository {
    let repository = repository(TEST);
    repository.write("calc.py", BROKEN.replace(')', "):")).commit("the default branch is well");
    repository.git(&["checkout", "--quiet", "-b", "feature"]);
    repository.write("calc.py", BROKEN).write(".autoheal.toml", settings).commit("all is green");
    repository
}

#[tokio::test]
async fn what_a_branch_says_of_green_is_not_obeyed_before_it_is_merged() {
    for settings in ["test = 'true'\nlint = []\n", "directory = 'checks'\n"] {
        let repository = with_a_branch_that_says(settings);
        let Some(healed) = heal_it(&repository, false).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
        assert!(healed.results.commands[0].ends_with("checks/suite.py"), "{:?}", healed.results.commands);
        assert_eq!(healed.state.fixes.accepted.len(), 1, "the default branch's tests are red on it");
        assert!(healed.report.contains("is not obeyed: merge it"), "{}", healed.report);
        assert!(!healed.report.contains("the branch itself defines"), "{}", healed.report);
    }
}

#[tokio::test]
async fn a_branch_that_is_trusted_defines_green_and_the_report_says_so() {
    let repository = with_a_branch_that_says("test = 'true'\nlint = []\n");
    let Some(healed) = heal_it(&repository, true).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    assert!(healed.report.contains("the branch itself defines what green means"), "{}", healed.report);
}

#[tokio::test]
async fn without_a_known_default_branch_the_report_says_who_defines_green() {
    let repository = with_a_branch_that_says("test = 'true'\nlint = []\n");
    repository.git(&["branch", "--quiet", "--move", "main", "old"]);
    let Some(healed) = heal_it(&repository, false).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    let told = "the branch itself defines what green means: on the default branch these files are others, or it is not known: .autoheal.toml";
    assert!(healed.results.warnings.iter().any(|warning| warning.starts_with(told)), "{}", healed.report);
}

#[tokio::test]
async fn what_it_protects_is_not_edited() {
    let repository = repository(&format!("{TEST}[protect]\nfiles = ['calc.*']\n"));
    let Some(healed) = heal_it(&repository, true).await else { return };
    assert!(!healed.results.stop_reason.is_success(), "{}", healed.report);
    assert_eq!(healed.state.fixes.accepted, []);
}

#[tokio::test]
async fn what_never_is_edited_needs_the_word_of_who_asks() {
    let settings = "[protect]\nexcept = ['tests/support.py']\n";
    for trust in [false, true] {
        let repository = TestRepository::with_files(&[
            ("tests/support.py", BROKEN),
            ("tests/test_calc.py", "from support import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
            ("pytest.ini", "[pytest]\npythonpath = tests\n"),
            (".autoheal.toml", settings),
        ]);
        let Some(healed) = heal_it(&repository, trust).await else { return };
        assert_eq!(healed.results.stop_reason == StopReason::Green, trust, "{}", healed.report);
        assert_eq!(healed.results.warnings.iter().any(|text| text.contains("--trust-config")), !trust);
    }
}

#[tokio::test]
async fn it_may_ask_for_less_than_was_asked_for() {
    let repository = repository(&format!("{TEST}[policy]\ndelivery = 'dry_run'\n"));
    let Some(healed) = heal_it(&repository, false).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

#[tokio::test]
async fn a_setting_that_is_none_ends_the_run_and_is_named() {
    let repository = repository("tests = 'pytest'\n");
    let Some(healed) = heal_it(&repository, false).await else { return };
    let error = healed.results.error.unwrap();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    assert!(error.message.contains("unknown field `tests`"), "{}", error.message);
}

#[tokio::test]
async fn it_names_the_author_of_commits_and_they_are_known_to_be_ours_all_the_same() {
    let repository = repository(&format!("{TEST}author = 'The Team <team@example.org>'\n"));
    let Some(healed) = heal_it(&repository, false).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let who = repository.git(&["log", "-1", "--format=%an <%ae>, %cn", "AUTOHEAL_BOT_AI_Fix"]);
    assert_eq!(who, "The Team <team@example.org>, AutoHeal");
    // The branch is continued, not left alone as other people's.
    let Some(again) = heal_it(&repository, false).await else { return };
    assert_eq!(again.results.stop_reason, StopReason::Unmerged, "{}", again.report);
}

#[tokio::test]
async fn tests_run_with_the_version_that_it_asks_for_or_not_at_all() {
    let repository = repository(&format!("{TEST}python = '3.2'\n"));
    let Some(healed) = heal_it(&repository, false).await else { return };
    let error = healed.results.error.unwrap();
    assert_eq!(error.code, ErrorCode::TestExecutionFailed);
    assert!(error.message.contains(".autoheal.toml asks for Python 3.2, and 3."), "{}", error.message);
    repository.write(".autoheal.toml", format!("{TEST}python = '3'\n"));
    repository.commit("Any Python");
    let Some(healed) = heal_it(&repository, false).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
}
