//! The spec's formats of branch names and commit messages.

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Category;
use autoheal_forge::{CommitId, CommitInfo, Identity};
use autoheal_repo::branch_name::{BranchNameError, create_branch_name, numbered_branch_name};
use autoheal_repo::commit_message::{PREFIX, commit_message, is_ours};
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn the_examples_of_the_spec() {
    let branch = create_branch_name("RIFT Organisers", "Saiyam Kumar").unwrap();
    assert_eq!(branch.as_str(), "RIFT_ORGANISERS_SAIYAM_KUMAR_AI_Fix");
    let message = commit_message(Category::Syntax, "src/validator.py", 8);
    assert_eq!(message, "[AI-AGENT] Fix SYNTAX error in validator.py line 8");
}

#[test]
fn what_a_branch_name_may_not_have_is_dropped() {
    let branch = |team, leader| create_branch_name(team, leader).map(|name| name.to_string());
    assert_eq!(branch("a.b/c", "x--y").unwrap(), "ABC_XY_AI_Fix");
    assert_eq!(branch("Straße", "l").unwrap(), "STRASSE_L_AI_Fix");
    assert_eq!(branch("a\n b", "l").unwrap(), "A_B_L_AI_Fix");
    assert_eq!(branch("main", "master").unwrap(), "MAIN_MASTER_AI_Fix");
    for (team, leader, part) in
        [("", "l", "team"), ("t", "", "leader"), ("***", "l", "team"), ("_ _", "l", "team"), ("t", "日本", "leader")]
    {
        let error = create_branch_name(team, leader).unwrap_err();
        assert!(matches!(error, BranchNameError::Empty { part: found } if found == part), "{error}");
    }
    assert!(matches!(branch(&"t".repeat(150), &"l".repeat(150)), Err(BranchNameError::TooLong)));
}

#[test]
fn a_number_goes_into_the_team_part() {
    assert_eq!(numbered_branch_name("t", "l", 1).unwrap().as_str(), "T_L_AI_Fix");
    assert_eq!(numbered_branch_name("t", "l", 12).unwrap().as_str(), "T_12_L_AI_Fix");
}

#[test]
fn a_commit_is_ours_by_who_made_it_and_message() {
    let identity = |email: &str| Identity { email: email.to_owned(), ..Identity::default() };
    let commit = |author: &str, committer: &str, message: &str| CommitInfo {
        id: CommitId::parse(&"0".repeat(40)).unwrap(),
        parents: Vec::new(),
        author: identity(author),
        committer: identity(committer),
        at: Timestamp::from_millis(0),
        message: message.to_owned(),
    };
    let ours = Identity::default().email;
    let message = commit_message(Category::Import, "a.py", 1);
    let person = "person@example.org";
    assert!(is_ours(&commit(&ours, &ours, &message)));
    assert!(is_ours(&commit(person, &ours, &message)), "the repository names the author");
    assert!(is_ours(&commit(&ours, person, &message)), "the host has taken it over");
    assert!(!is_ours(&commit(person, person, &message)));
    assert!(!is_ours(&commit(&ours, &ours, "Fix it by hand")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    // Feature: autoheal-ci-agent, Property 2: Branch Name Format Compliance
    #[test]
    fn a_branch_name_has_the_form_of_the_spec(team in ".{0,40}", leader in ".{0,40}", number in 1..50_u32) {
        if let Ok(branch) = numbered_branch_name(&team, &leader, number) {
            let stem = branch.as_str().strip_suffix("_AI_Fix");
            prop_assert!(stem.is_some(), "{}", branch);
            let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            prop_assert!(stem.unwrap().chars().all(allowed), "{}", branch);
            prop_assert!(stem.unwrap().chars().any(|c| c != '_'), "{}", branch);
        } else {
            let is_usable = |name: &str| name.to_uppercase().chars().any(|c| c.is_ascii_alphanumeric());
            prop_assert!(!is_usable(&team) || !is_usable(&leader) || team.len() + leader.len() > 80);
        }
    }

    // Feature: autoheal-ci-agent, Property 3: Commit Message Prefix
    #[test]
    fn a_commit_message_has_the_form_of_the_spec(
        folder in "([^/\0]{1,8}/){0,3}",
        name in "[^/\0]{1,20}",
        line in 1..100_000_u32,
        category in select(Category::ALL.as_slice()),
    ) {
        let message = commit_message(category, &format!("{folder}{name}"), line);
        prop_assert!(message.starts_with(PREFIX));
        prop_assert!(message.contains(category.name()));
        prop_assert!(!message.contains(['\n', '\r']), "one line");
        if !name.chars().any(char::is_control) {
            prop_assert_eq!(message, format!("[AI-AGENT] Fix {} error in {name} line {line}", category.name()));
        }
    }
}
