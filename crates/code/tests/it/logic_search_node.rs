//! The search for faults of LOGIC in JavaScript and TypeScript: what it finds, and what it never does.

use autoheal_code::logic::{candidates, region};
use autoheal_code::search::{Evidence, TestCoverage};
use autoheal_code::{Candidate, Sources, languages};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use proptest::prelude::*;

use crate::logic_programs::Program;
use crate::logic_programs_node::PROGRAMS;
use crate::logic_search::{check_promises, position};

/// A failing test, without a stack in the program itself.
fn finding() -> Finding {
    Finding {
        source: Source::Test,
        category: Category::Logic,
        file: Some("test/program.test.js".to_owned()),
        location: Some(Location { line: 3, column: None }),
        message: "AssertionError: 1 == 2".to_owned(),
        stack: None,
    }
}

/// A repository of one program and a test that uses it.
fn repository(file: &str, code: &str, name: &str) -> Sources {
    let mut sources = Sources::new(Vec::new());
    sources.insert(format!("lib/{file}"), code, false);
    let test = format!("const it = require('../lib/{file}');\n\ntest('it', () => expect(it.{name}(1)).toBe(2));\n");
    sources.insert("test/program.test.js", test, true);
    for (other, program) in PROGRAMS.iter().filter(|(other, _)| *other != file) {
        sources.insert(format!("lib/{other}"), program.code, true);
    }
    sources
}

/// Returns evidence that the failing test ran these lines of the file.
pub(crate) fn ran(file: &str, lines: impl IntoIterator<Item = u32>) -> Evidence {
    let lines = [(file.to_owned(), lines.into_iter().collect())].into();
    Evidence { coverage: vec![TestCoverage { is_failing: true, lines }], ..Evidence::default() }
}

fn broken(program: &Program) -> String {
    assert_eq!(program.code.matches(program.right).count(), 1, "{}", program.name);
    program.code.replacen(program.right, program.wrong, 1)
}

/// Returns the rank, from 1, of the working program among the candidates.
pub(crate) fn rank(file: &str, program: &Program, evidence: &Evidence, most: usize) -> Option<usize> {
    let broken = broken(program);
    assert_eq!(languages::check(file, &broken), Ok(()), "{file}");
    let sources = repository(file, &broken, program.name);
    position(&sources, &candidates(&finding(), &sources, evidence, most), program.code)
}

#[test]
fn candidates_of_the_programs_keep_what_is_promised() {
    for (file, program) in PROGRAMS {
        let sources = repository(file, &broken(program), program.name);
        let evidence = ran(&format!("lib/{file}"), 1..40);
        let found = candidates(&finding(), &sources, &evidence, 200);
        assert!(found.len() > 50, "{file}: {}", found.len());
        check_promises(&sources, &found);
        assert_eq!(found, candidates(&finding(), &sources, &evidence, 200));
    }
}

#[test]
fn without_coverage_what_the_test_uses_is_suspicious() {
    let (file, program) = &PROGRAMS[1];
    assert!(rank(file, program, &Evidence::default(), 500).is_some());
}

#[test]
fn protected_files_are_left_alone() {
    let mut sources = repository("gcd.js", PROGRAMS[0].1.code, "gcd");
    sources.insert("lib/gcd.js", PROGRAMS[0].1.code, true);
    assert_eq!(candidates(&finding(), &sources, &ran("lib/gcd.js", 1..9), 100), []);
}

#[test]
fn a_file_that_does_not_parse_is_left_to_others() {
    let sources = repository("a.js", "function f(a {\n  return a;\n}\n", "f");
    assert_eq!(candidates(&finding(), &sources, &ran("lib/a.js", 1..9), 100), []);
}

const TYPED: &str = "
import { low as least, type Kind } from './low';
import type { Far } from './far';

type Size = { width: number; height: number };

interface Shape { size: Size; name?: string }

export const area = (shape: Shape, factor: number = 1): number => {
  // the whole of it
  const size = shape.size as Size;
  return least(size.width * size.height, factor) /* not less */ + factor;
};

export { area as surface } from './surface';
";

#[test]
fn imports_exports_types_and_comments_stay() {
    let sources = repository("typed.ts", TYPED, "area");
    let found = candidates(&finding(), &sources, &ran("lib/typed.ts", 1..30), 2_000);
    assert!(found.len() > 100, "{}", found.len());
    check_promises(&sources, &found);
    let kept = [
        "import { low as least, type Kind } from './low';",
        "import type { Far } from './far';",
        "type Size = { width: number; height: number };",
        "interface Shape { size: Size; name?: string }",
        "shape: Shape",
        "factor: number",
        "): number => {",
        "// the whole of it",
        "export { area as surface } from './surface';",
    ];
    for candidate in found {
        let after = candidate.files[0].apply(TYPED).expect("an edit that fits");
        let lost = kept.iter().find(|part| !after.contains(*part));
        assert_eq!(lost, None, "{}", candidate.description);
    }
}

#[test]
fn a_repository_may_hold_both_languages() {
    let python = "def add(a, b):\n    return a - b\n";
    let mut sources = repository("gcd.js", PROGRAMS[0].1.code, "gcd");
    sources.insert("add.py", python, false);
    let mut evidence = ran("lib/gcd.js", 2..5);
    evidence.coverage.extend(ran("add.py", 1..3).coverage);
    let found = candidates(&finding(), &sources, &evidence, 300);
    assert_eq!(found.len(), 300);
    check_promises(&sources, &found);
    let is_of = |end: &'static str| move |one: &&Candidate| one.files[0].file.ends_with(end);
    assert!(found.iter().find(is_of(".py")).and_then(|one| region(one, &sources)).is_some());
    let first = found.iter().find(is_of(".js")).expect("a change of the other language");
    assert_eq!(region(first, &sources), Some(("lib/gcd.js".to_owned(), 2..=5)));
}

const CART: &str = "\
class Cart {
  constructor() {
    this.lines = [];
  }

  add(name, price, count = 1) {
    this.lines.push({ name, price, count });
  }

  subtotal() {
    let total = 0;
    for (const line of this.lines) {
      total += line.price * line.count;
    }
    return total;
  }

  dearest() {
    let best = this.lines[0];
    for (const line of this.lines) {
      if (line.price > best.price) {
        best = line;
      }
    }
    return best;
  }
}

module.exports = { Cart };
";

#[test]
fn a_member_that_is_mentioned_once_is_a_misspelled_one() {
    let program = Program { name: "Cart", code: CART, right: "line.count", wrong: "line.cuont" };
    assert_eq!(rank("cart.js", &program, &ran("lib/cart.js", 1..30), 100), Some(1));
}

#[test]
fn a_member_that_is_mentioned_once_is_written_nowhere_else() {
    let broken = CART.replace("line.count", "line.cuont");
    let sources = repository("cart.js", &broken, "Cart");
    let found = candidates(&finding(), &sources, &ran("lib/cart.js", 1..30), 4_000);
    let spread = found.iter().find(|one| {
        let text = one.files[0].apply(&broken).expect("an edit that fits");
        text.matches("cuont").count() > 1
    });
    assert_eq!(spread, None);
    // What is mentioned twice may be written anywhere.
    let known = |one: &Candidate| one.files[0].apply(&broken).is_ok_and(|text| text.contains("line.name > best.price"));
    let broken = broken.replace("return best;", "return best.name + best.name;");
    let sources = repository("cart.js", &broken, "Cart");
    assert!(candidates(&finding(), &sources, &ran("lib/cart.js", 1..30), 4_000).iter().any(known));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_change_of_a_program_is_no_danger(
        number in 0..PROGRAMS.len(),
        start in 0..400_usize,
        length in 0..8_usize,
        noise in "(`\\$\\{|\"|//|/\\*|é|\r\n|\t|=> |\\?\\.|if |[a-z_.()\\[\\]:, \n+<{}]{0,6})",
        covered in proptest::collection::vec((any::<bool>(), proptest::collection::btree_set(0..30_u32, 0..10)), 0..4),
    ) {
        let (file, program) = &PROGRAMS[number];
        let start = start.min(program.code.len());
        let end = (start + length).min(program.code.len());
        let sources = repository(file, &format!("{}{noise}{}", &program.code[..start], &program.code[end..]), program.name);
        let lines = |lines| [(format!("lib/{file}"), lines)].into();
        let coverage = covered.into_iter().map(|(is_failing, covered)| TestCoverage { is_failing, lines: lines(covered) });
        let evidence = Evidence { coverage: coverage.collect(), changed: lines([2, 3].into()), ..Evidence::default() };
        let found = candidates(&finding(), &sources, &evidence, 60);
        prop_assert!(found.len() <= 60);
        check_promises(&sources, &found);
    }

    #[test]
    fn any_text_is_no_danger(text in "(?s).{0,200}", stack in ".{0,200}") {
        let sources = repository("a.js", &text, "f");
        let finding = Finding { stack: Some(stack), ..finding() };
        check_promises(&sources, &candidates(&finding, &sources, &ran("lib/a.js", 1..20), 30));
    }
}

/// Recall when only the function is known. The floors are what is reached, less what a change of the priors may cost: they are there to
/// be raised.
#[test]
fn most_repairs_are_early_when_only_the_function_is_known() {
    let one = |(file, program): &(&'static str, Program)| {
        let lines = u32::try_from(program.code.lines().count()).expect("a short program");
        (program.name, rank(file, program, &ran(&format!("lib/{file}"), 1..=lines), 1_000))
    };
    let ranks: Vec<(&str, Option<usize>)> = PROGRAMS.iter().map(one).collect();
    let within = |most: usize| ranks.iter().filter(|(_, rank)| rank.is_some_and(|rank| rank <= most)).count();
    let [first, ten, fifty, hundred, all] = [1, 10, 50, 100, 1_000].map(within);
    let report = format!(
        "of {}: {first} first, {ten} in 10, {fifty} in 50, {hundred} in 100, {all} in 1000; {ranks:?}",
        ranks.len()
    );
    println!("{report}");
    assert!(ten >= 5 && fifty >= 17 && hundred >= 22 && all >= 33, "{report}");
}
