//! Repairs of files that do not parse, through the public interface.

use autoheal_code::environment::{Environment, Runtime};
use autoheal_code::python::fix::syntax::SyntaxRepair;
use autoheal_code::python::parse::{check, syntax_errors};
use autoheal_code::{Candidate, Edit, FileEdit, FixContext, Fixer, Sources};
use autoheal_engine::diagnostics::{Category, Finding, Source};
use proptest::prelude::*;

const VERSION: (u8, u8) = (3, 11);

/// A module of some variety, from which the tests take things away.
const SOUND: &str = r#""""Shapes."""
import math


class Circle:
    """A circle."""

    def __init__(self, radius, name="circle"):
        if radius < 0:
            raise ValueError("radius must not be negative")
        self.radius = radius
        self.name = name

    def area(self):
        return math.pi * self.radius ** 2

    def scaled(self, factor):
        if factor == 1:
            return self
        else:
            return Circle(self.radius * factor, name=self.name)


def total_area(shapes):
    total = 0
    for shape in shapes:
        total += shape.area()
    return total


def describe(shapes):
    lines = [f"{shape.name}: {shape.area():.2f}" for shape in shapes]
    for line in lines:
        print(line)
    return {"count": len(shapes), "area": total_area(shapes)}
"#;

fn python() -> Runtime {
    Runtime { version: VERSION, ..Runtime::default() }
}

fn candidates(text: &str, category: Category) -> Vec<Candidate> {
    let mut sources = Sources::new(vec![String::new()]);
    sources.insert("shapes.py", text, false);
    sources.insert("other.py", SOUND, false);
    let finding = Finding {
        source: Source::Build,
        category,
        file: Some("shapes.py".to_owned()),
        location: None,
        message: "invalid syntax".to_owned(),
        stack: None,
    };
    let environment = Environment::default().with(autoheal_code::python::ID, python());
    SyntaxRepair.candidates(&FixContext {
        finding: &finding,
        all_findings: std::slice::from_ref(&finding),
        sources: &sources,
        environment: &environment,
    })
}

/// The texts that are proposed instead of the broken one, in order.
fn repaired(text: &str) -> Vec<String> {
    let apply = |candidate: &Candidate| candidate.files[0].apply(text).unwrap();
    candidates(text, Category::Syntax).iter().map(apply).collect()
}

/// Breaks the sound module and expects it back among the first repairs.
fn heals(sound: &str, broken: &str, within: usize) {
    assert_eq!(SOUND.matches(sound).count(), 1, "{sound:?} must occur once");
    let text = SOUND.replacen(sound, broken, 1);
    assert!(!syntax_errors(&text, Some(VERSION)).is_empty(), "{broken:?} must not parse");
    let found = repaired(&text);
    let rank = found.iter().position(|result| result == SOUND);
    assert!(rank.is_some_and(|rank| rank < within), "{broken:?} -> {sound:?}: rank {rank:?} of {}", found.len());
}

#[test]
fn a_block_gets_its_only_statement_back() {
    let text = "def first_even(numbers):\n    found = None\n    for number in numbers:\n        if number % 2 == 0:\n            \
                found = number\n        if found is not None:\n    return found\n";
    let healed = text.replace("is not None:\n", "is not None:\n            break\n");
    assert!(repaired(text).iter().take(12).any(|repair| *repair == healed), "{:#?}", repaired(text));
}

/// Breaks the sound module in several places and expects it back among the first repairs.
fn heals_all(faults: &[(&str, &str)], within: usize) {
    let break_one = |text: String, (sound, broken): &(&str, &str)| {
        assert_eq!(text.matches(sound).count(), 1, "{sound:?} must occur once");
        text.replacen(sound, broken, 1)
    };
    let text = faults.iter().fold(SOUND.to_owned(), break_one);
    let found = repaired(&text);
    let rank = found.iter().position(|result| result == SOUND);
    assert!(rank.is_some_and(|rank| rank < within), "{faults:?}: rank {rank:?} of {}", found.len());
}

#[test]
fn several_faults_of_a_file_are_repaired_together() {
    let colons = [
        ("def area(self):", "def area(self)"),
        ("def scaled(self, factor):", "def scaled(self, factor)"),
        ("def describe(shapes):", "def describe(shapes)"),
    ];
    heals_all(&colons, 1);
    heals_all(&[("class Circle:", "class Circle"), ("def area(self):", "def area(self)")], 1);
    heals_all(&[("def area(self):", "def area(self)"), ("name=self.name)", "name=self.name")], 1);
    heals_all(
        &[("        self.name = name\n", "          self.name = name\n"), ("    return total\n", "  return total\n")],
        6,
    );
    heals_all(&[("raise ValueError(", "raise ValueError"), ("for shape in shapes:\n", "for shape in shapes\n")], 3);
    heals_all(&[("name=\"circle\"", "name=\"circle"), ("len(shapes), ", "len(shapes, ")], 6);
}

/// Of two faults one is beyond repair.
#[test]
fn a_fault_is_repaired_beside_one_that_is_not() {
    let nonsense = "def describe(shapes):\n    ) ] 1 2 3 ( } for for for\n";
    let sound = SOUND.replace("def describe(shapes):\n", nonsense);
    let text = sound.replace("def area(self):", "def area(self)");
    let found = repaired(&text);
    assert_eq!(found.first(), Some(&sound), "{found:#?}");
    for text in found {
        let left = syntax_errors(&text, Some(VERSION));
        assert!(left.len() <= syntax_errors(&sound, Some(VERSION)).len(), "a fault is added: {left:?}\n{text}");
    }
}

#[test]
fn delimiters() {
    heals("def area(self):", "def area(self)", 1);
    heals("print(line)", "print(line", 1);
    heals("print(line)", "printline)", 2);
    heals("radius < 0:", "radius < 0):", 2);
    heals("self, radius, name", "self radius, name", 2);
    heals("len(shapes), \"area\"", "len(shapes], \"area\"", 1);
}

#[test]
fn quotes() {
    heals("\"radius must not be negative\"", "radius must not be negative\"", 3);
    heals("name=\"circle\"", "name=\"circle'", 2);
    heals("\"\"\"A circle.\"\"\"", "\"\"\"A circle.", 3);
    heals("{shape.name}", "{shape.name", 3);
}

#[test]
fn words_and_operators() {
    heals("return total\n", "retrun total\n", 1);
    heals("import math", "improt math", 1);
    heals("else:", "esle:", 2);
    heals("factor == 1", "factor = 1", 2);
    heals("total = 0", "total = = 0", 2);
    heals("for shape in shapes:\n        total", "for shape shape in shapes:\n        total", 1);
    heals("for line in lines", "line for in lines", 2);
}

#[test]
fn indentation() {
    heals("        total += shape.area()", "    total += shape.area()", 2);
    heals("        self.radius = radius", "          self.radius = radius", 2);
    heals("        self.radius = radius", "\tself.radius = radius", 2);
    heals("        else:\n", "      else:\n", 3);
    heals("import math", "  import math", 1);
}

#[test]
fn leftovers() {
    heals("print(line)", "print line", 1);
    heals(
        "    total = 0\n",
        "<<<<<<< HEAD\n    total = 0\n=======\n    total = shapes[0].area()\n>>>>>>> feature\n",
        2,
    );
}

#[test]
fn lines_keep_their_ends() {
    let sound = SOUND.replace('\n', "\r\n");
    let broken = sound.replacen("def area(self):", "def area(self)", 1);
    assert_eq!(repaired(&broken)[0], sound);
}

#[test]
fn other_findings_are_left_alone() {
    let broken = SOUND.replacen("def area(self):", "def area(self)", 1);
    assert!(candidates(&broken, Category::Logic).is_empty());
}

#[test]
fn problems_have_places() {
    let problems = syntax_errors("a = 1\n  b = 2\n", None);
    assert_eq!((problems[0].line, problems[0].is_indentation), (2, true));
    let message = check("def f():\n    pass\nreturn 1\n").unwrap_err();
    assert_eq!((message.line, message.column), (3, 1));
    assert!(syntax_errors("match x:\n    case 1: pass\n", Some((3, 8))).len() == 1);
    assert!(check("async def f():\n    return [await x for x in y]\n").is_ok());
}

#[test]
fn hostile_texts_take_bounded_time() {
    let deep = "(".repeat(100_000);
    let chain = format!("x = {}1\n", "1 + ".repeat(50_000));
    let long = format!("x = '{}\n", "a ".repeat(100_000));
    for text in [deep.as_str(), &chain, &long, "\u{feff}x = (\n", "x = \"\"\"\n\0", &"    if x:\n".repeat(300)] {
        let started = std::time::Instant::now();
        for result in repaired(text) {
            assert!(syntax_errors(&result, Some(VERSION)).is_empty());
        }
        assert!(started.elapsed().as_secs() < 20, "{} bytes took {:?}", text.len(), started.elapsed());
    }
}

/// A few lines with one run of characters replaced.
fn broken() -> impl Strategy<Value = String> {
    const SOUND: &str = "def scaled(self, factor):\n    \"\"\"A copy.\"\"\"\n    if factor == 1:\n        return self\n\n    return f(x=[factor], y=f'{self}')\n";
    let places: Vec<usize> = SOUND.char_indices().map(|(at, _)| at).collect();
    (0..places.len() - 8, 0..4_usize, "[ -~\n\t\u{e9}]{0,3}").prop_map(move |(index, length, new)| {
        format!("{}{new}{}", &SOUND[..places[index]], &SOUND[places[index + length]..])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_candidate_adds_a_fault_and_the_list_is_short_and_stable(text in broken()) {
        let found = candidates(&text, Category::Syntax);
        prop_assert!(found.len() <= 60);
        prop_assert!(found.windows(2).all(|pair| pair[0].cost <= pair[1].cost));
        let mut results = std::collections::BTreeSet::new();
        for candidate in &found {
            let result = candidate.files[0].apply(&text).unwrap();
            let (was, left) = (syntax_errors(&text, None).len(), syntax_errors(&result, None).len());
            prop_assert!(left == 0 || left < was, "{}: {result}", candidate.description);
            prop_assert!(results.insert(result), "{} twice", candidate.description);
        }
        prop_assert_eq!(found, candidates(&text, Category::Syntax));
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,40}([\t\r\n (\\[{:'\"f#\\\\]|def |\\PC){0,60}") {
        for result in repaired(&text) {
            let left = syntax_errors(&result, None).len();
            prop_assert!(left == 0 || left < syntax_errors(&text, None).len());
        }
    }

    // Feature: autoheal-ci-agent, Property 34: Patch Application Correctness
    #[test]
    fn a_patch_changes_its_lines_and_nothing_else(
        lines in proptest::collection::vec("[ -~\u{e9}]{0,12}", 1..20),
        choices in proptest::collection::vec((any::<proptest::sample::Index>(), "[ -~]{0,12}"), 1..4),
    ) {
        let text = lines.join("\r\n") + "\r\n";
        let mut corrected = lines.clone();
        let mut edits = std::collections::BTreeMap::new();
        for (index, replacement) in choices {
            let line = index.index(lines.len());
            let start: usize = lines[..line].iter().map(|line| line.len() + 2).sum();
            edits.insert(line, Edit::replace(start..start + lines[line].len(), replacement.as_str()));
            corrected[line] = replacement;
        }
        let patch = FileEdit { file: "a.py".to_owned(), edits: edits.into_values().collect() };
        let patched = patch.apply(&text).unwrap();
        prop_assert_eq!(patched.split_terminator("\r\n").collect::<Vec<_>>(), corrected);
    }
}
