//! Diagnostics of language servers: servers that this machine has, and one of our own that does everything wrong. Whatever it does, a run comes to
//! what it would come to without.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::os::unix::fs::PermissionsExt as _;

use autoheal_engine::StopReason;
use autoheal_engine::diagnostics::{Category, Location, Source};
use autoheal_repo::HealRequest;
use autoheal_repo::request::{CommandLimits, Delivery};
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::{Healed, heal, kept};
use crate::heal_node::heal_as_asked;

const DOUBLE: &str = include_str!("language_server.js");

const PACKAGE: &str = r#"{"scripts": {"test": "node --test test/*.js"}}"#;

const GREET: &str = "function greet(name) {\n  return 'é ' + name.toUpperCase();\n}\n\nfunction twice(name) {\n  return name + name;\n}\n\n\
                     module.exports = { greet, twice };\n";

const TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { greet } = require('../src/greet');\n\
                     test('greets', () => assert.equal(greet('x'), 'é X'));\n";

/// A repository whose last commit broke it, and that brings a language server.
fn repository(mode: &str) -> TestRepository {
    // What was wrong before is not what broke.
    let old = GREET.replace("return name + name", "return name + 'naem'");
    let repository = TestRepository::new();
    let server = "node_modules/.bin/typescript-language-server";
    for (file, text) in [
        ("package.json", PACKAGE),
        ("src/greet.js", &old),
        ("test/greet.js", TESTS),
        (server, &DOUBLE.replace("MODE", mode)),
    ] {
        repository.write(file, text);
    }
    std::fs::set_permissions(repository.path().join(server), std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.commit("as it was");
    repository.write("src/greet.js", old.replace("+ name.toUpperCase()", "+ naem.toUpperCase()"));
    repository.commit("break it");
    repository
}

async fn heal_with(repository: &TestRepository, lsp: bool, lsp_seconds: u64) -> Option<Healed> {
    let limits = CommandLimits { lsp_seconds, ..CommandLimits::default() };
    let request = HealRequest { lsp, limits, ..HealRequest::new(repository.path().display().to_string()) };
    heal_as_asked(request).await
}

/// Checks that the repository has the one repair that it needs, whatever the servers reported.
fn is_healed(healed: &Healed, repository: &TestRepository) {
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let fixed = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/greet.js"]);
    assert!(fixed.contains("'é ' + name.toUpperCase()"), "{fixed}");
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "src/greet.js");
    assert!(healed.state.diagnosis.log.entries().iter().all(|entry| entry.finding.source != Source::Lsp));
}

#[rstest]
#[tokio::test]
async fn what_a_server_says_is_told_and_judges_nothing(#[values("pushes", "pulls", "pulls-later")] mode: &str) {
    let repository = repository(mode);
    let Some(healed) = heal_with(&repository, true, 300).await else { return };
    is_healed(&healed, &repository);
    let lsp = &healed.state.diagnosis.lsp;
    let [diagnostic] = lsp.log.entries() else { panic!("{:?}\n{}", lsp.log, healed.report) };
    assert_eq!((diagnostic.finding.source, diagnostic.finding.category), (Source::Lsp, Category::TypeError));
    assert_eq!(diagnostic.finding.file.as_deref(), Some("src/greet.js"));
    assert_eq!(diagnostic.finding.location, Some(Location { line: 2, column: Some(17) }));
    assert_eq!(diagnostic.finding.message, "TS2304: Cannot find name 'naem'.");
    assert!(lsp.are_new && lsp.silent.is_empty(), "{lsp:?}");
    assert!(healed.report.contains("## Hints of a language server"), "{}", healed.report);
    assert!(healed.report.contains("Cannot find name 'naem'"), "{}", healed.report);
    assert_eq!(healed.state.warnings, Vec::<String>::new());
}

/// Nothing is known of what was there before: what the last commit did not touch is not what broke.
#[tokio::test]
async fn where_nothing_is_known_of_the_commit_before_only_changed_lines_count() {
    let repository = repository("forgets");
    let Some(healed) = heal_with(&repository, true, 300).await else { return };
    is_healed(&healed, &repository);
    let lines: Vec<_> =
        healed.state.diagnosis.lsp.log.entries().iter().map(|entry| entry.finding.location.unwrap().line).collect();
    assert_eq!(lines, [2], "{}", healed.report);
    let remarks = &healed.state.warnings;
    assert!(remarks.iter().any(|remark| remark.ends_with("of the commit before, it ended: exit 3")), "{remarks:?}");
}

#[rstest]
// There is a commit before: a part of the time is for that.
#[case::hangs("hangs", 5, "it had not said everything after 3 s")]
#[case::dies("dies", 300, "it ended: exit 3, it hurts")]
#[case::floods("floods", 300, "it says more than anybody reads")]
#[case::shouts("shouts", 300, "it ended: output limit")]
#[case::lies_about_lengths("lies", 300, "what it says cannot be read")]
#[case::announces_too_much("huge", 300, "a message of `99999999999999999999` bytes")]
#[case::prints("prints", 300, "`hello` where a header has to be")]
#[case::sends_what_is_not_json("mumbles", 300, "what it says cannot be read: expected value")]
#[case::sends_what_has_no_form("nonsense", 300, "what it says cannot be read: invalid type")]
#[case::refuses("refuses", 300, "it refused `initialize`: not today")]
#[case::names_files_of_the_machine("elsewhere", 300, "files that are none of the repository's was left out")]
#[tokio::test]
async fn a_server_that_misbehaves_is_a_remark(#[case] mode: &str, #[case] seconds: u64, #[case] remark: &str) {
    let repository = repository(mode);
    let Some(healed) = heal_with(&repository, true, seconds).await else { return };
    is_healed(&healed, &repository);
    assert_eq!(healed.state.diagnosis.lsp.log.entries(), []);
    let remarks = &healed.state.warnings;
    assert!(remarks.iter().any(|warning| warning.contains(remark)), "{remarks:?}");
    assert!(healed.report.contains("typescript-language-server"), "{}", healed.report);
}

#[tokio::test]
async fn nobody_is_asked_unless_that_is_wanted() {
    let repository = repository("dies");
    let Some(healed) = heal_with(&repository, false, 300).await else { return };
    is_healed(&healed, &repository);
    assert_eq!((healed.state.diagnosis.lsp.accepted, healed.state.warnings.as_slice()), (None, [].as_slice()));
}

const SHAPE: &str = "class Shape:\n    def __init__(self, color):\n        self.color = color\n\n    def label(self):\n        return self.color\n\n\n\
                     def area(width, height):\n    return width * height\n";

const TESTS_OF_SHAPE: &str = "import unittest\n\nfrom shape import Shape, area\n\n\nclass ShapeTest(unittest.TestCase):\n    def test_label(self):\n        \
                              self.assertEqual(Shape('red').label(), 'red')\n\n    def test_area(self):\n        self.assertEqual(area(2, 3), 6)\n";

/// A Python repository whose last commit broke it, healed with whichever of the known servers `PATH` has first.
async fn heal_python(wrong: &str) -> Option<(Healed, TestRepository)> {
    let repository = kept(&[("shape.py", SHAPE), ("test_shape.py", TESTS_OF_SHAPE)]);
    repository.write("shape.py", wrong);
    repository.commit("break it");
    let limits = CommandLimits { lsp_seconds: 300, ..CommandLimits::default() };
    let request = HealRequest { lsp: true, limits, ..HealRequest::new(repository.path().display().to_string()) };
    Some((heal(request).await?, repository))
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        autoheal_testkit::skip(&format!("asking {program}"), "it is not on PATH");
    }
    found
}

#[tokio::test]
async fn pyright_says_what_it_knows() {
    if !is_on_path("pyright-langserver") {
        return;
    }
    let wrong = SHAPE.replace("return self.color", "return self.colour").replace("return width *", "return widht *");
    let Some((healed, repository)) = heal_python(&wrong).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shape.py"]), SHAPE.trim_end());
    let lsp = &healed.state.diagnosis.lsp;
    let told: Vec<_> =
        lsp.log.entries().iter().map(|entry| (entry.finding.location, entry.finding.message.as_str())).collect();
    let at = |line, column| Some(Location { line, column: Some(column) });
    assert_eq!(told[0].0, at(6, 21), "{told:?}");
    assert!(told[0].1.starts_with("reportAttributeAccessIssue: Cannot access attribute \"colour\""), "{told:?}");
    assert_eq!(told[1], (at(10, 12), "reportUndefinedVariable: \"widht\" is not defined"));
    assert!(lsp.are_new && lsp.servers.contains("pyright-langserver"), "{lsp:?}");
}

/// The failing test does not mention the error, and its stack trace leads nowhere.
#[tokio::test]
async fn a_hint_says_what_a_red_test_does_not() {
    if !is_on_path("pyright-langserver") {
        return;
    }
    let guarded = "        try:\n            return self.color\n        except Exception:\n            return None";
    let right = SHAPE.replace("        return self.color", guarded);
    // Elsewhere the name is right: nothing about its spelling is odd.
    let paint = "class Paint:\n    def __init__(self, colour):\n        self.colour = colour\n\n    def mixed(self, other):\n        \
                 return (self.colour + other.colour) / 2\n";
    let files = [("shape.py", right.as_str()), ("test_shape.py", TESTS_OF_SHAPE), ("paint.py", paint)];
    let repository = kept(&files);
    // More than the few lines that are restored as they were.
    let notes = "# Of a shape, not of its paint.\n            ".repeat(9);
    repository.write("shape.py", right.replace("return self.color", &format!("{notes}return self.colour")));
    repository.commit("break it");
    // Without the diagnostic there is nothing to go by.
    let limits = CommandLimits { lsp_seconds: 300, search_seconds: 0, ..CommandLimits::default() };
    for (lsp, reason) in [(false, StopReason::NoProgress), (true, StopReason::Green)] {
        let request = HealRequest {
            lsp,
            limits,
            delivery: Delivery::NoPush,
            ..HealRequest::new(repository.path().display().to_string())
        };
        let Some(healed) = heal(request).await else { return };
        assert_eq!(healed.results.stop_reason, reason, "{}", healed.report);
        let fixers: Vec<&str> = healed.state.fixes.accepted.iter().map(|fix| fix.fixer.as_str()).collect();
        assert_eq!(fixers, if lsp { vec!["attribute_spelling"] } else { vec![] });
    }
}

const SYNTAX: &str = "export function twice(text: string): string {\n  return text + ;\n}\n";

#[tokio::test]
async fn typescript_language_server_says_what_it_knows() {
    if !is_on_path("typescript-language-server") {
        return;
    }
    // What does not parse is said first. The rest comes whenever it comes, and a test must not wait for it.
    let repository = kept(&[
        ("package.json", PACKAGE),
        ("src/twice.ts", &SYNTAX.replace("+ ;", "+ text;")),
        ("test/twice.js", "require('node:test')('twice', () => {\n  throw new Error('it does not parse');\n});\n"),
    ]);
    repository.write("src/twice.ts", SYNTAX);
    repository.commit("break it");
    let Some(healed) = heal_with(&repository, true, 300).await else { return };
    let lsp = &healed.state.diagnosis.lsp;
    let is_told = lsp.log.entries().iter().any(|entry| {
        let finding = &entry.finding;
        finding.file.as_deref() == Some("src/twice.ts") && finding.message == "TS1109: Expression expected."
    });
    assert!(is_told, "{lsp:?}\n{}", healed.report);
    assert!(lsp.are_new, "{lsp:?}");
}
