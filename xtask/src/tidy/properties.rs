//! Every property of the specification that this version must keep has a tagged property test of at least 100 cases.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context as _, ensure};
use regex::Regex;

use super::{Complaint, SourceFile};

/// The specification's table: number, `required` or `later`, title.
const TABLE: &str = include_str!("../../data/properties.tsv");
const TABLE_PATH: &str = "xtask/data/properties.tsv";

/// The fewest cases a property test may run.
const CASES: u64 = 100;

/// What marks a tag, written so that this file holds none.
const MARK: &str = concat!("Feature: ", "autoheal-ci-agent");

static TAG: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"^\s*// {MARK}, Property (\d+): (.+)$")));
static TEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*#\[(tokio::)?(test|rstest)\b"));
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

pub(super) fn check(files: &[SourceFile]) -> anyhow::Result<Vec<Complaint>> {
    let properties = table()?;
    let titles: BTreeMap<u32, &str> = properties.iter().map(|property| (property.number, property.title)).collect();
    let mut complaints = Vec::new();
    let mut tested = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.contains(MARK)) {
            match tag(line, &titles).and_then(|number| is_tested(&lines, index).map(|()| number)) {
                Ok(number) => tested.push(number),
                Err(message) => complaints.push(Complaint::new(&file.path, index + 1, message)),
            }
        }
    }
    for property in properties.iter().filter(|property| property.required && !tested.contains(&property.number)) {
        let message = format!("no test carries the tag `// {MARK}, Property {}: {}`", property.number, property.title);
        complaints.push(Complaint::new(TABLE_PATH, property.line, message));
    }
    Ok(complaints)
}

/// The property that a tag names.
fn tag(line: &str, titles: &BTreeMap<u32, &str>) -> Result<u32, String> {
    let Some(parts) = TAG.captures(line) else {
        return Err(format!("a tag is a line of its own: `// {MARK}, Property N: title`"));
    };
    let number: u32 = parts[1].parse().map_err(|_| format!("no property has the number {}", &parts[1]))?;
    match titles.get(&number) {
        None => Err(format!("no property has the number {number}")),
        Some(title) if *title != &parts[2] => Err(format!("the title of property {number} is `{title}`")),
        Some(_) => Ok(number),
    }
}

/// That the tag on line `index` stands directly above a property test with enough cases.
fn is_tested(lines: &[&str], index: usize) -> Result<(), String> {
    let mut header = lines[index + 1..].iter().take_while(|line| !FUNCTION.is_match(line));
    let mut is_test = false;
    let is_above = header.all(|line| {
        is_test |= TEST.is_match(line);
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("//")
    });
    if !is_test || !is_above {
        return Err("the tag stands directly above no test".to_owned());
    }
    // `proptest! { .. }` around the test, or a `TestRunner` inside it.
    let body = lines[index + 1..].iter().skip_while(|line| !FUNCTION.is_match(line)).skip(1);
    let body: Vec<&str> = body.take_while(|line| !TAG.is_match(line) && !TEST.is_match(line)).copied().collect();
    let around: Vec<&str> = lines[..index].iter().rev().copied().collect();
    let block_start = around.iter().position(|line| line.contains("proptest!"));
    let runs_inside = body.iter().any(|line| line.contains("TestRunner") || line.contains("proptest!"));
    if block_start.is_none() && !runs_inside {
        return Err("the tag stands above a test that is not a property test (`proptest!`)".to_owned());
    }
    let configuration = if runs_inside { &body[..] } else { &around[..=block_start.unwrap_or(0)] };
    let Some(cases) = configuration.iter().find_map(|line| CASES_SET.captures(line)) else {
        return Ok(()); // The library's default is 256.
    };
    let cases = cases[1].to_owned();
    match cases.parse::<u64>().ok().or_else(|| constant(lines, &cases)) {
        Some(count) if count < CASES => Err(format!("{count} cases: a property test runs at least {CASES}")),
        Some(_) => Ok(()),
        None => Err(format!("cannot tell how many cases `{cases}` is: write the number, or a constant of this file")),
    }
}

/// The value of `const name: T = N;` in these lines.
fn constant(lines: &[&str], name: &str) -> Option<u64> {
    let start = format!("const {name}:");
    let line = lines.iter().find(|line| line.trim_start().trim_start_matches("pub ").starts_with(&start))?;
    line.split_once('=')?.1.trim().trim_end_matches(';').replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    /// What is said about the tags of `text`, without what is said about properties that have no test.
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
}
