//! Contents that a commit names but does not include, end to end: submodules and files of Git LFS.

use autoheal_engine::{ErrorCode, StopReason};
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::heal;

const BROKEN: &str = "from lib.rates import RATE\n\n\ndef convert(amount)\n    return amount * RATE\n";
const TEST: &str = "from money import convert\n\n\ndef test_convert():\n    assert convert(2) == 6\n";

/// A broken repository with another one in it.
fn with_submodule() -> (TestRepository, TestRepository) {
    let library = TestRepository::with_files(&[("__init__.py", ""), ("rates.py", "RATE = 3\n")]);
    let repository =
        TestRepository::with_files(&[("conftest.py", ""), ("money.py", BROKEN), ("tests/test_money.py", TEST)]);
    let path = library.path().display().to_string();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &path, "lib"]);
    repository.commit("With a library");
    (repository, library)
}

#[tokio::test]
async fn a_submodule_of_the_checkout_is_there_for_tests_and_is_not_edited() {
    let (repository, _library) = with_submodule();
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "money.py");
    assert_eq!(healed.results.warnings, Vec::<String>::new());

    // The fault is the library's: nothing here repairs it.
    repository.write("money.py", BROKEN.replace("amount)", "amount):"));
    let library = repository.path().join("lib");
    std::fs::write(library.join("rates.py"), "RATE = = 3\n").unwrap();
    for arguments in
        [&["add", "rates.py"][..], &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Break it"]]
    {
        autoheal_testkit::repository::git(&library, arguments);
    }
    repository.git(&["branch", "-D", "AUTOHEAL_BOT_AI_Fix"]);
    repository.commit("With a broken library");
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert!(!healed.results.stop_reason.is_success(), "{}", healed.report);
    assert_eq!(healed.state.fixes.accepted, []);
}

#[tokio::test]
async fn a_submodule_that_nobody_fetched_is_told() {
    let (repository, _library) = with_submodule();
    let [fetched, elsewhere] = [".git/modules", ".git/elsewhere"].map(|folder| repository.path().join(folder));
    std::fs::rename(&fetched, &elsewhere).unwrap();
    let request = || HealRequest::new(repository.path().display().to_string());
    let Some(healed) = heal(request()).await else { return };
    let error = healed.results.error.unwrap();
    assert_eq!(error.code, ErrorCode::RepoCloneFailed);
    assert!(error.message.contains("the submodule lib is missing"), "{}", error.message);
    // A repository whose CI goes without it may be healed without it.
    let workflow =
        "on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: python -m pytest\n";
    repository.write(".github/workflows/ci.yml", workflow);
    repository.write("money.py", BROKEN.replace("from lib.rates import RATE", "RATE = 3"));
    std::fs::rename(&elsewhere, &fetched).unwrap();
    repository.commit("Without it");
    std::fs::rename(&fetched, &elsewhere).unwrap();
    let Some(healed) = heal(request()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let warnings = healed.results.warnings.join("\n");
    assert!(warnings.contains("the submodule lib is missing"), "{warnings}");
}

#[tokio::test]
async fn a_file_that_lfs_keeps_in_the_checkout_is_there_for_tests() {
    let content = "3\n";
    // What `sha256sum` says of it.
    let hash = "1121cfccd5913f0a63fec40a6ffd44ea64f9dc135c66634ba001d10bcf4302a2";
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hash}\nsize {}\n", content.len());
    let broken = BROKEN.replace("from lib.rates import RATE", "RATE = int(open('rate.txt').read())");
    let repository = TestRepository::with_files(&[
        ("conftest.py", ""),
        ("money.py", &broken.replace("(amount)\n", "(amount):\n")),
        ("rate.txt", &pointer),
        ("tests/test_money.py", TEST),
    ]);
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert_eq!(healed.results.fixes_applied, 0, "the lack of a file is no fault of the program: {}", healed.report);

    repository.write("money.py", &broken);
    repository.commit("forget a colon");
    let request = || HealRequest::new(repository.path().display().to_string());
    let Some(healed) = heal(request()).await else { return };
    assert!(!healed.results.stop_reason.is_success(), "{}", healed.report);
    let warnings = healed.results.warnings.join("\n");
    assert!(warnings.contains("1 files are kept by Git LFS and not here"), "{warnings}");
    assert!(warnings.contains("rate.txt"), "{warnings}");

    let folder = repository.path().join(".git/lfs/objects").join(&hash[..2]).join(&hash[2..4]);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(hash), content).unwrap();
    repository.git(&["branch", "--list"]);
    let Some(healed) = heal(request()).await else { return };
    // The colon was put in before.
    assert_eq!(healed.results.stop_reason, StopReason::Unmerged, "{}", healed.report);
}

#[tokio::test]
async fn a_file_that_git_ignores_is_said_to_be_missing_and_not_healed_around() {
    for (ignored, needs, told) in [
        ("local.py\n", "from config.local import RATE", "config/local.py"),
        ("/data/\n", "RATE = int(open('data/rate.txt').read())", "data/rate.txt"),
    ] {
        let repository = TestRepository::with_files(&[
            (".gitignore", ignored),
            ("conftest.py", ""),
            ("config/__init__.py", ""),
            ("config/locals.py", "RATE = 4\n"),
            ("money.py", &BROKEN.replace("from lib.rates import RATE", needs)),
            ("tests/test_money.py", TEST),
        ]);
        let request = HealRequest::new(repository.path().display().to_string());
        let Some(healed) = heal(request).await else { return };
        assert!(!healed.results.stop_reason.is_success(), "{}", healed.report);
        let warnings = healed.results.warnings.join("\n");
        assert!(warnings.contains(&format!("the tests need {told}, which git ignores")), "{warnings}");
        assert_eq!(healed.results.fixes_applied, 1, "the colon, and no other name instead: {}", healed.report);
    }
}
