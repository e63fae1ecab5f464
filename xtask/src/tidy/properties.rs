//! Every property of the specification that this version must keep has a tagged property test of at least 100 cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use anyhow::{Context as _, ensure};
use regex::Regex;

use super::{Complaint, SourceFile};

/// The specification's table: number, `required` or `later`, title.
const TABLE: &str = include_str!("../../data/properties.tsv");
const TABLE_PATH: &str = "xtask/data/properties.tsv";

/// The fewest cases a property test may run.
const CASES: u64 = 100;

/// Marker of a tag, written so that this file contains none.
const MARK: &str = concat!("Feature: ", "autoheal-ci-agent");

static TAG: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"^\s*// {MARK}, Property (\d+): (.+)$")));
static TEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*#\[(tokio::)?(test|rstest)\b"));
static SCRIPT_TEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(describe|it|test)(\.\w+(\([^)]*\))?)*\("));
static RUNS_SET: LazyLock<Regex> = LazyLock::new(|| regex(r"\bnumRuns: *([\w.]+)"));
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*(pub )?(async )?fn "));
static CASES_SET: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:with_cases\(|\bcases: )([\w:]+)"));

#[expect(clippy::expect_used, reason = "the patterns are literals, and the tests use each")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

struct Property {
    number: u32,
    required: bool,
    title: &'static str,
    line: usize,
}

fn table() -> anyhow::Result<Vec<Property>> {
    let mut properties = Vec::new();
    for (index, row) in TABLE.lines().enumerate().filter(|(_, row)| !row.starts_with('#')) {
        let mut cells = row.split('\t');
        let (number, state, title) = (cells.next(), cells.next(), cells.next());
        let (Some(number), Some(state), Some(title)) = (number, state, title) else {
            anyhow::bail!("{TABLE_PATH}:{}: not `number, state, title`", index + 1);
        };
        ensure!(["required", "later"].contains(&state), "{TABLE_PATH}:{}: unknown state {state}", index + 1);
        let number = number.parse().with_context(|| format!("{TABLE_PATH}:{}", index + 1))?;
        properties.push(Property { number, required: state == "required", title, line: index + 1 });
    }
    Ok(properties)
}

/// A tag above a test that counts.
struct Tested<'files> {
    number: u32,
    file: &'files str,
    line: usize,
}

/// The tests of properties, and what is wrong with tags.
fn tested<'files>(files: &'files [SourceFile], properties: &[Property]) -> (Vec<Tested<'files>>, Vec<Complaint>) {
    let titles: BTreeMap<u32, &str> = properties.iter().map(|property| (property.number, property.title)).collect();
    let (mut tested, mut complaints) = (Vec::new(), Vec::new());
    for file in files {
        let is_script = file.is_below(&["dashboard/"]) && file.has_extension(&["ts", "tsx"]);
        if !is_script && !file.has_extension(&["rs"]) {
            continue;
        }
        let is_tested = if is_script { is_tested_in_script } else { is_tested };
        // The name of a test may be a tag as well there.
        let is_tag = |line: &str| line.contains(MARK) && (!is_script || line.contains("//"));
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_tag(line)) {
            match tag(line, &titles).and_then(|number| is_tested(&lines, index).map(|()| number)) {
                Ok(number) => tested.push(Tested { number, file: &file.path, line: index + 1 }),
                Err(message) => complaints.push(Complaint::new(&file.path, index + 1, message)),
            }
        }
    }
    (tested, complaints)
}

pub(super) fn check(files: &[SourceFile]) -> anyhow::Result<Vec<Complaint>> {
    let properties = table()?;
    let (tested, mut complaints) = tested(files, &properties);
    let is_missing = |property: &&Property| !tested.iter().any(|test| test.number == property.number);
    for property in properties.iter().filter(|property| property.required).filter(is_missing) {
        let message = format!("no test carries the tag `// {MARK}, Property {}: {}`", property.number, property.title);
        complaints.push(Complaint::new(TABLE_PATH, property.line, message));
    }
    Ok(complaints)
}

/// Every property with the places of its tests, a line each.
pub(super) fn list(files: &[SourceFile]) -> anyhow::Result<String> {
    let properties = table()?;
    let (tested, _) = tested(files, &properties);
    let mut text = String::new();
    for property in &properties {
        let places = tested.iter().filter(|test| test.number == property.number);
        let places: Vec<String> = places.map(|test| format!("{}:{}", test.file, test.line)).collect();
        let places = if places.is_empty() { "no test".to_owned() } else { places.join(", ") };
        writeln!(text, "{:>2}  {:<40}  {places}", property.number, property.title)?;
    }
    let with_test = properties.iter().filter(|property| tested.iter().any(|test| test.number == property.number));
    writeln!(text, "{} of {} properties have tests", with_test.count(), properties.len())?;
    Ok(text)
}

/// The property that a tag names.
fn tag(line: &str, titles: &BTreeMap<u32, &str>) -> Result<u32, String> {
    let Some(parts) = TAG.captures(line) else {
        return Err(format!("a tag needs a separate line: `// {MARK}, Property N: title`"));
    };
    let number: u32 = parts[1].parse().map_err(|_| format!("no property has the number {}", &parts[1]))?;
    match titles.get(&number) {
        None => Err(format!("no property has the number {number}")),
        Some(title) if *title != &parts[2] => Err(format!("the title of property {number} is `{title}`")),
        Some(_) => Ok(number),
    }
}

/// Checks that the tag on line `index` is directly above a property test with enough cases.
fn is_tested(lines: &[&str], index: usize) -> Result<(), String> {
    let mut header = lines[index + 1..].iter().take_while(|line| !FUNCTION.is_match(line));
    let mut is_test = false;
    let is_above = header.all(|line| {
        is_test |= TEST.is_match(line);
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("//")
    });
    if !is_test || !is_above {
        return Err("the tag is not directly above a test".to_owned());
    }
    // `proptest! { .. }` around the test, or a `TestRunner` inside it.
    let body = lines[index + 1..].iter().skip_while(|line| !FUNCTION.is_match(line)).skip(1);
    let body: Vec<&str> = body.take_while(|line| !TAG.is_match(line) && !TEST.is_match(line)).copied().collect();
    let around: Vec<&str> = lines[..index].iter().rev().copied().collect();
    let block_start = around.iter().position(|line| line.contains("proptest!"));
    let runs_inside = body.iter().any(|line| line.contains("TestRunner") || line.contains("proptest!"));
    if block_start.is_none() && !runs_inside {
        return Err("the tag is above a test that is not a property test (`proptest!`)".to_owned());
    }
    let configuration = if runs_inside { &body[..] } else { &around[..=block_start.unwrap_or(0)] };
    let Some(cases) = configuration.iter().find_map(|line| CASES_SET.captures(line)) else {
        return Ok(()); // The library's default is 256.
    };
    enough(lines, &cases[1])
}

/// The same in TypeScript: directly above `describe`, `it` or `test`, in a file that says how often its properties are tried.
fn is_tested_in_script(lines: &[&str], index: usize) -> Result<(), String> {
    let below = lines[index + 1..].iter().find(|line| !line.trim_start().starts_with("//"));
    if !below.is_some_and(|line| SCRIPT_TEST.is_match(line)) {
        return Err("the tag is not directly above a test".to_owned());
    }
    let body: Vec<&str> = lines[index + 1..].iter().take_while(|line| !TAG.is_match(line)).copied().collect();
    if !body.iter().any(|line| line.contains("fc.assert")) {
        return Err("the tag is above a test that is not a property test (`fc.assert`)".to_owned());
    }
    let of = |lines: &[&str]| -> Vec<String> {
        lines.iter().flat_map(|line| RUNS_SET.captures_iter(line).map(|found| found[1].to_owned())).collect()
    };
    let mut runs = of(&body);
    if runs.is_empty() {
        runs = of(lines);
    }
    if runs.is_empty() {
        return Err(format!("say how often it is tried: `numRuns: {CASES}`"));
    }
    runs.iter().try_for_each(|cases| enough(lines, cases))
}

/// That a number of cases, or the constant of this name, is large enough.
fn enough(lines: &[&str], cases: &str) -> Result<(), String> {
    match cases.parse::<u64>().ok().or_else(|| constant(lines, cases)) {
        Some(count) if count < CASES => Err(format!("{count} cases: a property test runs at least {CASES}")),
        Some(_) => Ok(()),
        None => Err(format!("cannot tell how many cases `{cases}` is: write the number, or a constant of this file")),
    }
}

/// The value of `const name: T = N;`, or `const name = N`, in these lines.
fn constant(lines: &[&str], name: &str) -> Option<u64> {
    let is_it = |line: &&&str| {
        let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("export ");
        let rest = line.strip_prefix("const ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with([':', ' ']))
    };
    let line = lines.iter().find(is_it)?;
    line.split_once('=')?.1.trim().trim_end_matches(';').replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    /// Returns the complaints about the tags of `text`, without those about properties that have no test.
    fn said(text: &str) -> Vec<String> {
        let text = text.replace("TAG", &format!("// {MARK}, Property"));
        let complaints = check(&[file("a.rs", &text)]).unwrap();
        complaints.into_iter().filter(|complaint| complaint.file == "a.rs").map(|complaint| complaint.message).collect()
    }

    const GOOD: &str = "proptest! {\n    TAG 3: Commit Message Prefix\n    #[test]\n    fn prefix(x in 0..1) {}\n}\n";

    #[test]
    fn the_table_has_forty_properties() {
        let numbers: Vec<u32> = table().unwrap().iter().map(|property| property.number).collect();
        assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
    }

    #[test]
    fn a_tagged_property_test_counts() {
        assert_eq!(said(GOOD), Vec::<String>::new());
        let text = GOOD.replace("TAG", &format!("// {MARK}, Property"));
        let missing: Vec<_> = check(&[file("a.rs", &text)]).unwrap();
        assert!(!missing.iter().any(|complaint| complaint.message.contains("Property 3:")));
        assert!(missing.iter().any(|complaint| complaint.message.contains("Property 2:")));
    }

    #[test]
    fn titles_are_exact() {
        assert_eq!(said(&GOOD.replace("Prefix", "Postfix")).len(), 1);
        assert_eq!(said(&GOOD.replace(" 3:", " 41:")).len(), 1);
        assert_eq!(said(&GOOD.replace("TAG 3:", "/TAG 3:")).len(), 1);
    }

    #[test]
    fn a_tag_without_a_property_test_does_not_count() {
        assert_eq!(said(&GOOD.replace("    #[test]\n", "")).len(), 1);
        assert_eq!(said(&GOOD.replace("    #[test]\n", "    #[test]\n    const X: u8 = 0;\n")).len(), 1);
        assert_eq!(said(&GOOD.replace("proptest! {", "mod tests {")).len(), 1);
    }

    #[test]
    fn few_cases_do_not_count() {
        let with = |cases: &str| {
            GOOD.replace(
                "{\n    TAG",
                &format!("{{\n    #![proptest_config(ProptestConfig::with_cases({cases}))]\n    TAG"),
            )
        };
        assert_eq!(said(&with("100")), Vec::<String>::new());
        assert_eq!(said(&with("99")).len(), 1);
        assert_eq!(said(&with("CASES")).len(), 1);
        assert_eq!(said(&format!("const CASES: u32 = 1_000;\n{}", with("CASES"))), Vec::<String>::new());
    }

    /// Returns the complaints about the tags of a TypeScript file.
    fn said_of_script(text: &str) -> Vec<String> {
        let text = text.replace("TAG", &format!("// {MARK}, Property"));
        let complaints = check(&[file("dashboard/src/a.test.tsx", &text)]).unwrap();
        let of_it = complaints.into_iter().filter(|complaint| complaint.file.starts_with("dashboard/"));
        of_it.map(|complaint| complaint.message).collect()
    }

    const SCRIPT: &str = "const RUNS = 100;\nTAG 14: Speed Bonus Calculation\n// why\ntest.each([1])('bonus', () => {\n  \
                          fc.assert(fc.property(fc.nat(), holds), { numRuns: 100 });\n});\n";

    #[test]
    fn a_tagged_property_test_of_the_dashboard_counts() {
        assert_eq!(said_of_script(SCRIPT), Vec::<String>::new());
        assert_eq!(said_of_script(&SCRIPT.replace("numRuns: 100", "numRuns: RUNS")), Vec::<String>::new());
        let text = SCRIPT.replace("TAG", &format!("// {MARK}, Property"));
        assert!(list(&[file("dashboard/src/a.test.tsx", &text)]).unwrap().contains("dashboard/src/a.test.tsx:2"));
        assert!(list(&[file("elsewhere/a.test.tsx", &text)]).unwrap().contains("0 of 40"));
    }

    #[test]
    fn a_tag_in_the_dashboard_without_enough_behind_it_does_not_count() {
        for (is, instead) in [
            ("numRuns: 100", "numRuns: 99"),
            ("numRuns: 100", "numRuns: MANY"),
            (", { numRuns: 100 }", ""),
            ("fc.assert", "expect"),
            ("// why", "const holds = true;"),
            ("Speed", "Slow"),
        ] {
            assert_eq!(said_of_script(&SCRIPT.replace(is, instead)).len(), 1, "{is} -> {instead}");
        }
    }
}
