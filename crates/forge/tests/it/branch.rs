use autoheal_forge::{BranchName, ForgeError};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;

#[test]
fn people_keep_their_branches() {
    for name in ["main", "master", "MAIN", "Master", "refs/heads/main", "heads/master"] {
        assert!(matches!(BranchName::parse(name), Err(ForgeError::ProtectedBranch { .. })), "{name}");
    }
    assert!(serde_json::from_str::<BranchName>("\"main\"").is_err());
}

#[test]
fn a_branch_may_have_main_in_its_name() {
    for name in ["MAIN_TEAM_LEADER_AI_Fix", "main-2", "fix/main", "maintenance"] {
        assert_eq!(BranchName::parse(name).unwrap().to_string(), name);
    }
}

#[test]
fn what_is_accepted_git_accepts_too() {
    let repository = TestRepository::new();
    let cases = ["a", "A_B_AI_Fix", "a/b", "a.b", "ü", "a@b", "{", "a/@/b", "@a", "a-", "%41", "a'b\"c", "$(x)"];
    for name in cases {
        let branch = BranchName::parse(name).unwrap();
        assert_eq!(repository.git(&["check-ref-format", "--branch", branch.as_str()]), name);
    }
}

#[test]
fn what_git_refuses_is_refused() {
    let long = "a".repeat(300);
    for name in [
        "", "@", "HEAD", "-a", ".a", "a.", "a..b", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a@{b",
        "/a", "a/", "a//b", "a/.b", "a.lock", "a.lock/b", "a\tb", "a\u{7f}b", "refs/x", &long,
    ] {
        assert!(BranchName::parse(name).is_err(), "{name:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_accepted_name_follows_the_rules_of_git(name in "[a-zA-Z_@{}./ ~^:?*\\[\\\\-]{0,12}") {
        if let Ok(branch) = BranchName::parse(&name) {
            let name = branch.as_str();
            let holds_forbidden = ["..", "//", "@{"].iter().any(|part| name.contains(part));
            prop_assert!(!holds_forbidden);
            prop_assert!(!name.starts_with(['/', '-', '.']) && !name.ends_with(['/', '.']));
            prop_assert!(!name.contains([' ', '~', '^', ':', '?', '*', '[', '\\']));
            prop_assert!(!name.eq_ignore_ascii_case("main") && !name.eq_ignore_ascii_case("master"));
        }
    }
}
