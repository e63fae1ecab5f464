//! The search for faults of LOGIC: what it finds, and what it never does.

use autoheal_code::python::parse;
use autoheal_code::python::search::{Evidence, NAME, TestCoverage, candidates};
use autoheal_code::{Candidate, Sources};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use proptest::prelude::*;

use crate::logic_programs::{PROGRAMS, Program};

const TEST: &str = "tests/test_it.py";

/// A failing test of the names, without a stack in the program itself.
fn finding() -> Finding {
    Finding {
        source: Source::Test,
        category: Category::Logic,
        file: Some(TEST.to_owned()),
        location: Some(Location { line: 5, column: None }),
        message: "AssertionError: assert 1 == 2".to_owned(),
        stack: None,
    }
}

/// A repository of one program and a test that uses all that it defines.
fn repository(code: &str) -> Sources {
    let mut sources = Sources::new(vec![String::new()]);
    sources.insert("package/program.py", code, false);
    let defined =
        code.lines().filter_map(|line| line.trim_start().strip_prefix("def ").or(line.strip_prefix("class ")));
    let names: Vec<&str> = defined.filter_map(|rest| rest.split(['(', ':']).next()).collect();
    let test =
        format!("from package.program import *\n\n\ndef test_it():\n    assert check({}) == 2\n", names.join(", "));
    sources.insert(TEST, test, true);
    // The rest of a project, for what is usual in it.
    for other in PROGRAMS.iter().filter(|program| !code.contains(&format!("def {}", program.name))) {
        sources.insert(format!("package/{}.py", other.name), other.code, true);
    }
    sources
}

/// At which place, from 1, the working program is; no line is known to be at fault.
fn rank(program: &Program, most: usize) -> Option<usize> {
    let broken = program.code.replacen(program.right, program.wrong, 1);
    assert_ne!(broken, program.code, "{}", program.name);
    parse::check(&broken).expect("a program that parses");
    let sources = repository(&broken);
    let found = candidates(&finding(), &sources, &Evidence::default(), most);
    position(&sources, &found, program.code)
}

fn position(sources: &Sources, found: &[Candidate], wanted: &str) -> Option<usize> {
    let restores = |candidate: &Candidate| {
        candidate
            .files
            .iter()
            .all(|edit| edit.apply(sources.text(&edit.file).unwrap_or_default()).is_ok_and(|text| text == wanted))
    };
    found.iter().position(restores).map(|position| position + 1)
}

/// What every candidate keeps, whatever the text: it edits one editable file, once, into another text that parses and has no
/// more comments than before; no two come to the same text; the order is by cost.
fn check_promises(sources: &Sources, found: &[Candidate]) {
    assert!(found.is_sorted_by_key(|candidate| candidate.cost));
    let mut texts = std::collections::BTreeSet::new();
    for candidate in found {
        assert_eq!(candidate.fixer, NAME);
        let [edit] = candidate.files.as_slice() else { panic!("one file: {candidate:?}") };
        assert!(sources.is_editable(&edit.file));
        let before = sources.text(&edit.file).expect("a file of the repository");
        let after = edit.apply(before).expect("an edit that fits");
        assert_ne!(before, after);
        assert_eq!(parse::check(&after), Ok(()), "{}", candidate.description);
        let comments =
            |text: &str| text.lines().filter(|line| line.trim_start().starts_with('#') || line.contains("  #")).count();
        assert!(comments(&after) <= comments(before), "{}", candidate.description);
        assert!(texts.insert((edit.file.clone(), after)), "twice: {}", candidate.description);
    }
}

#[test]
fn candidates_of_the_programs_keep_what_is_promised() {
    for program in PROGRAMS {
        let sources = repository(&program.code.replacen(program.right, program.wrong, 1));
        let found = candidates(&finding(), &sources, &Evidence::default(), 200);
        assert!(found.len() > 100, "{}: {}", program.name, found.len());
        check_promises(&sources, &found);
        assert_eq!(found, candidates(&finding(), &sources, &Evidence::default(), 200));
    }
}

#[test]
fn protected_files_are_left_alone() {
    let mut sources = repository(PROGRAMS[0].code);
    sources.insert("package/program.py", PROGRAMS[0].code, true);
    assert_eq!(candidates(&finding(), &sources, &Evidence::default(), 100), []);
}

#[test]
fn a_file_that_does_not_parse_is_left_to_others() {
    let sources = repository("def gcd(a, b):\n    return (a\n");
    assert_eq!(candidates(&finding(), &sources, &Evidence::default(), 100), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_change_of_a_program_is_no_danger(
        number in 0..PROGRAMS.len(),
        start in 0..400_usize,
        length in 0..8_usize,
        noise in "(f\"\\{|\"|#|é|\r\n|\t|lambda x: |\\*|if |[a-z_.()\\[\\]:, \n+<]{0,6})",
        covered in proptest::collection::vec((any::<bool>(), proptest::collection::btree_set(0..30_u32, 0..10)), 0..4),
    ) {
        let code = PROGRAMS[number].code;
        let start = start.min(code.len());
        let end = (start + length).min(code.len());
        let sources = repository(&format!("{}{noise}{}", &code[..start], &code[end..]));
        let lines = |lines| [("package/program.py".to_owned(), lines)].into();
        let coverage = covered.into_iter().map(|(is_failing, covered)| TestCoverage { is_failing, lines: lines(covered) });
        let evidence = Evidence { coverage: coverage.collect(), changed: lines([2, 3].into()) };
        let found = candidates(&finding(), &sources, &evidence, 60);
        prop_assert!(found.len() <= 60);
        check_promises(&sources, &found);
    }

    #[test]
    fn any_text_is_no_danger(text in "(?s).{0,200}", stack in ".{0,200}") {
        let sources = repository(&text);
        let finding = Finding { stack: Some(stack), ..finding() };
        check_promises(&sources, &candidates(&finding, &sources, &Evidence::default(), 30));
    }
}

/// Recall when only the function is known. The floors are what is reached, less what a change of the priors may cost: they are
/// there to be raised.
#[test]
fn most_repairs_are_early_when_only_the_function_is_known() {
    let ranks: Vec<(&str, Option<usize>)> =
        PROGRAMS.iter().map(|program| (program.name, rank(program, 3_000))).collect();
    let within = |most: usize| ranks.iter().filter(|(_, rank)| rank.is_some_and(|rank| rank <= most)).count();
    let [first, ten, fifty, hundred, all] = [1, 10, 50, 100, 3_000].map(within);
    let report = format!(
        "of {}: {first} first, {ten} in 10, {fifty} in 50, {hundred} in 100, {all} at all; {ranks:?}",
        ranks.len()
    );
    assert!(ten >= 5 && fifty >= 15 && hundred >= 25 && all >= 40, "{report}");
    println!("{report}");
}
