//! Edits of `package.json`: dependencies that are added, and bounds that exclude a release that broke the tests. All else in the file stays as
//! it is, and as it is written.

use std::ops::Range;

use serde_json::Value;

use crate::edit::Edit;

/// Fields of a manifest that list packages.
pub const FIELDS: [&str; 4] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// A bound on the versions of a package.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// Name of the package.
    pub package: &'a str,
    /// The bound as a range: `<2`.
    pub range: &'a str,
    /// A release below it that is known to fit.
    pub good: &'a str,
}

impl Bound<'_> {
    /// The range that takes the place of those in other packages. It must not admit older releases, which those may exclude.
    fn whole(&self) -> String {
        let Self { range, good, .. } = *self;
        if range.strip_prefix("<=") == Some(good) { good.to_owned() } else { format!(">={good} {range}") }
    }
}

/// The member of a manifest that bounds packages which only other packages require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overrides {
    /// `overrides`, of npm.
    Npm,
    /// `pnpm.overrides`.
    Pnpm,
    /// `resolutions`, of yarn.
    Yarn,
}

impl Overrides {
    const fn path(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["overrides"],
            Self::Pnpm => &["pnpm", "overrides"],
            Self::Yarn => &["resolutions"],
        }
    }

    /// The name under which a bound is stated. Where the package manager can, it holds for those alone that would take an excluded release.
    fn name(self, bound: &Bound<'_>) -> Option<String> {
        let excluded = match bound.range.strip_prefix("<=") {
            Some(end) => format!(">{end}"),
            None => format!(">={}", bound.range.strip_prefix('<')?),
        };
        Some(match self {
            Self::Npm | Self::Pnpm => format!("{}@{excluded}", bound.package),
            Self::Yarn => bound.package.to_owned(),
        })
    }
}

/// Returns the package of a specifier: `@scope/name` of `@scope/name/file`.
pub fn package_of(specifier: &str) -> &str {
    let count = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(count - 1).map_or(specifier.len(), |(at, _)| at);
    specifier.get(..end).unwrap_or(specifier)
}

/// Returns whether a manifest states a package.
pub fn states(text: &str, package: &str) -> bool {
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    FIELDS.iter().any(|field| manifest.get(field).and_then(|field| field.get(package)).is_some())
}

/// Returns the edits that add the bound to each range that a manifest states for the package; `None`: it states none, or one that cannot take the
/// bound.
pub fn tightened(text: &str, bound: &Bound<'_>) -> Option<Vec<Edit>> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let stated = |field: &&&str| manifest.get(**field).and_then(|field| field.get(bound.package)).is_some();
    let mut fields: Vec<&str> = FIELDS.iter().filter(stated).copied().collect();
    // The range for those who use the project is a promise to them, and decides nothing here if another field does.
    if fields.len() > 1 {
        fields.retain(|field| *field != "peerDependencies");
    }
    let edits: Option<Vec<Edit>> =
        fields.iter().map(|field| narrowed_in(text, &[field], bound.package, bound)).collect();
    let mut edits = edits.filter(|edits| !edits.is_empty())?;
    edits.sort();
    Some(edits)
}

/// Returns the edit that bounds a package which a manifest does not state itself; `None`: it says something else about the package there.
pub fn overridden(text: &str, bound: &Bound<'_>, form: Overrides) -> Option<Edit> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let stated = form.path().iter().try_fold(&manifest, |value, name| value.get(name));
    let is_of_it = |name: &&String| {
        let version = name.strip_prefix(bound.package);
        version.is_some_and(|version| version.is_empty() || version.starts_with('@'))
    };
    let mut known = stated.and_then(Value::as_object).into_iter().flat_map(|stated| stated.keys()).filter(is_of_it);
    match (known.next(), known.next()) {
        (None, _) => {
            let name = form.name(bound)?;
            with_member(text, form.path(), &name, &bound.whole())
        }
        (Some(name), None) if name == bound.package => narrowed_in(text, form.path(), name, bound),
        _ => None,
    }
}

/// The edit that adds a bound to the range in a member.
fn narrowed_in(text: &str, path: &[&str], name: &str, bound: &Bound<'_>) -> Option<Edit> {
    let mut open = text.find('{')?;
    for field in path {
        open = member(text, open, field)?.start;
    }
    let value = member(text, open, name)?;
    let range: String = serde_json::from_str(text.get(value.clone())?).ok()?;
    Some(Edit::replace(value, Value::from(narrowed(&range, bound.range)?).to_string()))
}

/// Returns a range with a further bound, with its own lower end; `None`: it names a single release, or no range of a registry's releases.
fn narrowed(range: &str, bound: &str) -> Option<String> {
    let alternatives: Vec<&str> = range.split("||").map(str::trim).collect();
    let is_only = alternatives.len() == 1;
    let bounded = |alternative: &&str| {
        if matches!(*alternative, "" | "*" | "x" | "X" | "latest") {
            return Some(bound.to_owned());
        }
        let mut comparators = comparators(alternative)?;
        if comparators.iter().any(|comparator| is_pinned(comparator)) {
            return None;
        }
        // The installed release fits the old upper end, and the bound excludes it.
        comparators.retain(|comparator| !(is_only && comparator.starts_with('<')));
        comparators.push(bound.to_owned());
        Some(comparators.join(" "))
    };
    let bounded: Option<Vec<String>> = alternatives.iter().map(bounded).collect();
    Some(bounded?.join(" || "))
}

/// The comparators of a range, each with its operator; `None`: the text is a tag, a path, an address or the like.
fn comparators(range: &str) -> Option<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let mut operator = String::new();
    for word in range.split_whitespace() {
        operator.push_str(word);
        let version = operator.trim_start_matches(['<', '>', '=', '^', '~']);
        if version.is_empty() {
            continue;
        }
        let begins =
            version.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit() || "xX*".contains(first));
        let is_version = version.chars().all(|part| part.is_ascii_alphanumeric() || ".-+*".contains(part));
        if !begins || !is_version {
            return None;
        }
        found.push(std::mem::take(&mut operator));
    }
    operator.is_empty().then_some(found)
}

/// Returns whether a comparator admits a single release.
fn is_pinned(comparator: &str) -> bool {
    let version = comparator.trim_start_matches(['=', 'v']);
    let core = version.split(['-', '+']).next().unwrap_or(version);
    let is_number = |part: &str| part.parse::<u64>().is_ok();
    core.split('.').count() == 3 && core.split('.').all(is_number)
}

/// Returns the manifest with one member more in the object at a path, which is made if it is missing; all else as it was.
pub(crate) fn with_member(text: &str, path: &[&str], name: &str, value: &str) -> Option<Edit> {
    let entry = format!("{}: {}", Value::from(name), Value::from(value));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut open = text.find('{')?;
    let (top, _) = members(text, open)?;
    // The manifest's own unit of indentation.
    let unit = indentation(text, top.first()?.1);
    for (depth, field) in path.iter().enumerate() {
        text.get(open..)?.starts_with('{').then_some(())?;
        if let Some(value) = member(text, open, field) {
            open = value.start;
            continue;
        }
        let (fields, end) = members(text, open)?;
        let last = text.get(..end)?.trim_end().len();
        let missing = path.get(depth..)?;
        let comma = if fields.is_empty() { "" } else { "," };
        let level = fields.last().map_or(unit, |(_, at)| indentation(text, *at));
        let block = match (level, unit) {
            (Some(level), Some(unit)) => {
                format!("{comma}{newline}{level}{}", block(missing, &entry, level, unit, newline))
            }
            _ => format!("{comma} {}", inline(missing, &entry)),
        };
        return Some(Edit::insert(last, block));
    }
    text.get(open..)?.starts_with('{').then_some(())?;
    let (entries, close) = members(text, open)?;
    let Some((_, last)) = entries.last() else { return Some(Edit::insert(open + 1, entry)) };
    let between = |at: usize| match indentation(text, at) {
        Some(indent) => format!(",{newline}{indent}"),
        None => ", ".to_owned(),
    };
    // In alphabetical order, as npm writes them.
    if let Some((_, at)) = entries.iter().find(|(other, _)| other.as_str() > name) {
        return Some(Edit::insert(*at, format!("{entry}{}", between(*at))));
    }
    Some(Edit::insert(text.get(..close)?.trim_end().len(), format!("{}{entry}", between(*last))))
}

/// The members of a path around an entry, each on its own line.
fn block(path: &[&str], entry: &str, level: &str, unit: &str, newline: &str) -> String {
    let Some((field, inner)) = path.split_first() else { return entry.to_owned() };
    let deeper = format!("{level}{unit}");
    format!("\"{field}\": {{{newline}{deeper}{}{newline}{level}}}", block(inner, entry, &deeper, unit, newline))
}

/// The same on one line.
fn inline(path: &[&str], entry: &str) -> String {
    path.iter().rev().fold(entry.to_owned(), |inner, field| format!("\"{field}\": {{ {inner} }}"))
}

/// Returns the white space before a byte on its line; `None` if
/// anything else precedes it, or on the first line.
fn indentation(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let indent = before.get(before.rfind('\n')? + 1..)?;
    indent.trim().is_empty().then_some(indent)
}

/// The value of a member of the object that begins at a byte.
fn member(text: &str, open: usize, name: &str) -> Option<Range<usize>> {
    text.get(open..)?.starts_with('{').then_some(())?;
    let (found, _) = members(text, open)?;
    let (_, at) = found.iter().rfind(|(other, _)| other == name)?;
    let colon = string_end(text, *at)?;
    let after = text.get(colon..)?.trim_start().strip_prefix(':')?.trim_start();
    let start = text.len() - after.len();
    let end = if after.starts_with('"') { string_end(text, start)? } else { start + 1 };
    Some(start..end)
}

/// The names of an object's members, each with the byte it begins at, and where the object's last brace is. `open`: its first brace.
/// The text is JSON.
fn members(text: &str, open: usize) -> Option<(Vec<(String, usize)>, usize)> {
    let mut found = Vec::new();
    let (mut depth, mut is_name, mut at) = (0_usize, true, open + 1);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = string_end(text, at)?;
                if depth == 0 && is_name {
                    found.push((serde_json::from_str(text.get(at..end)?).ok()?, at));
                    is_name = false;
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some((found, at)),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => is_name = true,
            _ => {}
        }
        at += 1;
    }
    None
}

/// One past the quote that ends the string that begins at a byte.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.as_bytes().iter().skip(start + 1).position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(start + end + 2)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::edit::FileEdit;

    const BOUND: Bound<'static> = Bound { package: "gadget", range: "<2", good: "1.4.2" };

    fn applied(text: &str, edits: Option<Vec<Edit>>) -> Option<String> {
        FileEdit { file: "package.json".to_owned(), edits: edits? }.apply(text).ok()
    }

    #[rstest]
    #[case("*", "<2")]
    #[case("", "<2")]
    #[case("latest", "<2")]
    #[case(">=1", ">=1 <2")]
    #[case(">= 1.0.0", ">=1.0.0 <2")]
    #[case("^1.4.0", "^1.4.0 <2")]
    #[case("~1.4", "~1.4 <2")]
    #[case("1.x", "1.x <2")]
    #[case(">=1 <9", ">=1 <2")]
    #[case("<9", "<2")]
    #[case("^1.2 || >=1.9", "^1.2 <2 || >=1.9 <2")]
    fn a_range_keeps_its_lower_end(#[case] range: &str, #[case] expected: &str) {
        assert_eq!(narrowed(range, "<2").as_deref(), Some(expected));
    }

    #[rstest]
    #[case("1.4.0")]
    #[case("=1.4.0")]
    #[case("v1.4.0-beta.1")]
    #[case("next")]
    #[case("1.0 - 2.0")]
    #[case("npm:other@^1")]
    #[case("workspace:*")]
    #[case("file:../gadget")]
    #[case("github:owner/gadget")]
    #[case("https://h.example/gadget.tgz")]
    fn what_is_pinned_or_no_range_is_left_alone(#[case] range: &str) {
        assert_eq!(narrowed(range, "<2"), None);
        let text = format!("{{ \"dependencies\": {{ \"gadget\": \"{range}\" }} }}");
        assert_eq!(tightened(&text, &BOUND), None);
    }

    #[test]
    fn every_range_of_the_package_takes_the_bound() {
        let text = "{\n\t\"config\": { \"gadget\": \"*\" },\n\t\"devDependencies\": { \"gadget\" : \">=1\", \"gadget-kit\": \"*\" },\n\
                    \t\"peerDependencies\": { \"gadget\": \"1 || 2\" }\n}\n";
        let expected = text.replace("\">=1\"", "\">=1 <2\"");
        assert_eq!(applied(text, tightened(text, &BOUND)), Some(expected));
        let peers = "{\"peerDependencies\": {\"gadget\": \">=1\"}}";
        assert_eq!(applied(peers, tightened(peers, &BOUND)), Some(peers.replace(">=1", ">=1 <2")));
        assert_eq!(tightened("{ \"dependencies\": { \"gadget-kit\": \"*\" } }", &BOUND), None);
        assert_eq!(tightened("{ \"dependencies\": [\"gadget\"] }", &BOUND), None);
        assert_eq!(tightened("{ \"dependencies\": { \"gadget\": 1 } }", &BOUND), None);
        assert_eq!(tightened("[no manifest", &BOUND), None);
    }

    #[rstest]
    #[case(
        Overrides::Npm,
        "{\n  \"name\": \"x\"\n}\n",
        "{\n  \"name\": \"x\",\n  \"overrides\": {\n    \"gadget@>=2\": \">=1.4.2 <2\"\n  }\n}\n"
    )]
    #[case(
        Overrides::Npm,
        "{\n  \"overrides\": {\n    \"z\": \"1\"\n  }\n}\n",
        "{\n  \"overrides\": {\n    \"gadget@>=2\": \">=1.4.2 <2\",\n    \"z\": \"1\"\n  }\n}\n"
    )]
    #[case(
        Overrides::Npm,
        "{ \"overrides\": { \"gadget\": \">=1\" } }",
        "{ \"overrides\": { \"gadget\": \">=1 <2\" } }"
    )]
    #[case(
        Overrides::Npm,
        "{ \"name\": \"x\" }",
        "{ \"name\": \"x\", \"overrides\": { \"gadget@>=2\": \">=1.4.2 <2\" } }"
    )]
    #[case(
        Overrides::Pnpm,
        "{\r\n\t\"name\": \"x\"\r\n}\r\n",
        "{\r\n\t\"name\": \"x\",\r\n\t\"pnpm\": {\r\n\t\t\"overrides\": {\r\n\t\t\t\"gadget@>=2\": \">=1.4.2 <2\"\r\n\t\t}\r\n\t}\r\n}\r\n"
    )]
    #[case(
        Overrides::Pnpm,
        "{\n  \"pnpm\": {\n    \"a\": 1\n  }\n}\n",
        "{\n  \"pnpm\": {\n    \"a\": 1,\n    \"overrides\": {\n      \"gadget@>=2\": \">=1.4.2 <2\"\n    }\n  }\n}\n"
    )]
    #[case(Overrides::Yarn, "{\n  \"resolutions\": {}\n}\n", "{\n  \"resolutions\": {\"gadget\": \">=1.4.2 <2\"}\n}\n")]
    fn a_package_of_others_is_bounded_in_the_root(#[case] form: Overrides, #[case] text: &str, #[case] expected: &str) {
        let edit = overridden(text, &BOUND, form).map(|edit| vec![edit]);
        assert_eq!(applied(text, edit).as_deref(), Some(expected));
    }

    #[rstest]
    #[case("{ \"overrides\": { \"gadget\": { \"other\": \"1\" } } }")]
    #[case("{ \"overrides\": { \"gadget@^1\": \"1.0.0\" } }")]
    #[case("{ \"overrides\": { \"gadget\": \"1.0.0\" } }")]
    #[case("{ \"overrides\": \"gadget\" }")]
    #[case("{}")]
    #[case("")]
    fn other_words_about_the_package_are_left_alone(#[case] text: &str) {
        assert_eq!(overridden(text, &BOUND, Overrides::Npm), None);
    }

    #[test]
    fn a_release_that_is_tried_is_named_alone() {
        let bound = Bound { package: "@s/gadget", range: "<=1.4.2", good: "1.4.2" };
        let text = "{ \"name\": \"x\" }";
        let edit = overridden(text, &bound, Overrides::Npm).map(|edit| vec![edit]);
        let expected = "{ \"name\": \"x\", \"overrides\": { \"@s/gadget@>1.4.2\": \"1.4.2\" } }";
        assert_eq!(applied(text, edit).as_deref(), Some(expected));
    }

    #[test]
    fn packages_of_specifiers() {
        assert_eq!(package_of("@a/b/c"), "@a/b");
        assert_eq!(package_of("a/b"), "a");
        assert_eq!(package_of("a"), "a");
    }
}
