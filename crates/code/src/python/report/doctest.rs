//! An example in a docstring that gives something else than it says.

/// A failed example, as doctest or pytest reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FailedExample {
    /// Name of the file, as reported.
    pub(super) file: String,
    /// The example's line, from 1.
    pub(super) line: u32,
    source: String,
    expected: String,
    got: String,
}

impl FailedExample {
    /// The failure in one line, as of an assertion.
    pub(super) fn message(&self) -> String {
        let Self { source, expected, got, .. } = self;
        let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
        format!("AssertionError: the example `{source}` gives {} instead of {}", or_nothing(got), or_nothing(expected))
    }
}

/// Reads the first failed example in the output of a test.
pub(super) fn failed_example(text: &str) -> Option<FailedExample> {
    let lines: Vec<&str> = text.lines().collect();
    if let Some(at) = lines.iter().position(|line| line.trim_start().starts_with("Differences (")) {
        return differing(&lines, at);
    }
    let at = lines.iter().position(|line| matches!(line.trim(), "Expected:" | "Expected nothing"))?;
    let got = lines.iter().skip(at).position(|line| matches!(line.trim(), "Got:" | "Got nothing"))? + at;
    let (file, line) = place_of_pytest(lines.get(got..)?).or_else(|| place_of_doctest(lines.get(..at)?))?;
    let is_empty = |line: &&&str| line.trim().is_empty() || line.trim_start().starts_with("---");
    let indented = |lines: &[&str]| {
        let block = lines.iter().take_while(|line| line.starts_with("    ") && !is_empty(line));
        block.map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    };
    Some(FailedExample {
        file,
        line,
        source: source(lines.get(..at)?),
        expected: indented(lines.get(at + 1..got)?),
        got: indented(lines.get(got + 1..)?),
    })
}

/// Reads a failed example for which only the difference is printed, as pytest does for longer results. The last
/// differing lines count, such as the error at the end of a traceback.
fn differing(lines: &[&str], at: usize) -> Option<FailedExample> {
    let below = lines.get(at..)?;
    let (file, line) = place_of_pytest(below).or_else(|| place_of_doctest(lines.get(..at)?))?;
    let last = |sign: &str| {
        let mut changed = below.iter().filter_map(|line| line.strip_prefix("    ")?.strip_prefix(sign));
        changed.next_back().unwrap_or_default().trim().to_owned()
    };
    Some(FailedExample { file, line, source: source(lines.get(..at)?), expected: last("-"), got: last("+") })
}

/// A report without the line in which pytest names the example that an error came from: the error has its own place.
pub(super) fn without_example(text: &str) -> &str {
    let trimmed = text.trim_end();
    let start = trimmed.rfind('\n').map_or(0, |at| at + 1);
    if trimmed.ends_with(": UnexpectedException") { trimmed.get(..start).unwrap_or(text) } else { text }
}

/// Finds the place as pytest reports it: `shop/price.py:12: DocTestFailure`.
fn place_of_pytest(lines: &[&str]) -> Option<(String, u32)> {
    let place = lines.iter().find_map(|line| line.trim().strip_suffix(": DocTestFailure"))?;
    let (file, line) = place.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

/// Finds the place that doctest prints above `Failed example:`: `File "shop/price.py", line 12, in shop.price.vat`.
fn place_of_doctest(lines: &[&str]) -> Option<(String, u32)> {
    let at = lines.iter().rposition(|line| line.trim() == "Failed example:")?;
    let (file, rest) = lines.get(at.checked_sub(1)?)?.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    Some((file.to_owned(), rest.split(',').next()?.parse().ok()?))
}

/// The code of the example, of several lines the first.
fn source(lines: &[&str]) -> String {
    let of_pytest = lines.iter().rev().find_map(|line| line.split_once(">>> ").map(|(_, code)| code));
    let heading = lines.iter().rposition(|line| line.trim() == "Failed example:");
    let of_doctest = heading.and_then(|at| lines.get(at + 1)).map(|line| line.trim());
    of_pytest.or(of_doctest).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_read_as_pytest_and_doctest_tell_them() {
        let of_pytest =
            "009 X.\n010 \n011         >>> A().g()\nExpected:\n    2\nGot:\n    3\n\n/tmp/x.py:11: DocTestFailure";
        let of_doctest = "Traceback (most recent call last):\nAssertionError: Failed doctest test for x.A.g\n  File \"/tmp/x.py\", line 8, in g\n\n\
                          ----------------------------------------------------------------------\nFile \"/tmp/x.py\", line 11, in x.A.g\nFailed \
                          example:\n    A().g()\nExpected:\n    2\nGot:\n    3\n";
        for text in [of_pytest, of_doctest] {
            let found = failed_example(text).unwrap();
            assert_eq!((found.file.as_str(), found.line), ("/tmp/x.py", 11));
            assert_eq!(found.message(), "AssertionError: the example `A().g()` gives 3 instead of 2");
        }
        let longer = "017     >>> Stack().pop()\nDifferences (unified diff with -expected +actual):\n    @@ -1,3 +1,8 @@\n     Traceback (most \
                      recent call last):\n    -    ...\n    -IndexError: empty\n    +  File \"x.py\", line 31, in pop\n    +IndexError: emty\n\n/tmp/\
                      stack.py:17: DocTestFailure\n";
        let told = failed_example(longer).unwrap().message();
        assert_eq!(
            told,
            "AssertionError: the example `Stack().pop()` gives IndexError: emty instead of IndexError: empty"
        );
        assert_eq!(without_example("NameError: name 'x'\n/tmp/x.py:3: UnexpectedException"), "NameError: name 'x'\n");
        assert_eq!(failed_example("Expected:\n    2\nbut it was 3\n"), None);
    }
}
