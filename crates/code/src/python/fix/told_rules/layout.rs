//! White space that a linter minds: at the ends of lines, between lines, and between tokens. Such an edit is kept only when the
//! program stays the same.

use std::ops::Range;

use super::{Repair, Told, line_around};
use crate::edit::{Edit, applied};
use crate::python::same_program::is_same;
use crate::python::tokens::{self, Kind, Token};

/// Codes of findings that this repairs: of flake8 and pycodestyle, and of pylint.
pub(super) const CODES: &[&str] = &[
    "W291", "W293", "C0303", "W292", "C0304", "W391", "C0305", "E301", "E302", "E303", "E304", "E305", "E306", "E261",
    "E262", "E265", "E266", "E231", "E275", "E225", "E226", "E227", "E228", "E252", "E221", "E222", "E223", "E224",
    "E241", "E242", "E271", "E272", "E273", "E274", "E201", "E202", "E203", "E204", "E211", "E251",
];

/// Those of a space that has to go.
const NO_SPACE: [&str; 6] = ["E201", "E202", "E203", "E204", "E211", "E251"];

/// Finds the rewrite for a finding about white space; `None`: it would change the program.
pub(super) fn repair(told: &Told<'_>) -> Option<Repair> {
    let Told { text, at, code, words, .. } = *told;
    let (edits, description) = match code {
        "W291" | "W293" | "C0303" => (vec![end_of_line(text, at)], "remove the white space at the end of the line"),
        "W292" | "C0304" => (vec![end_of_file(text)], "end the last line"),
        "W391" | "C0305" => (vec![end_of_file(text)], "remove the blank lines at the end"),
        "E301" | "E302" | "E305" | "E306" => {
            (vec![blank_lines(text, at, wanted(words)?)?], "separate by the blank lines that PEP 8 asks for")
        }
        "E303" => (vec![blank_lines(text, at, most_blank_lines(text, at))?], "remove the superfluous blank lines"),
        "E304" => (vec![blank_lines(text, at, 0)?], "remove the blank lines behind the decorator"),
        "E261" => (vec![space_at(text, at, "  ")?], "put two spaces before the comment"),
        "E262" | "E265" | "E266" => (vec![comment_sign(text, at)?], "begin the comment with `# `"),
        "E231" | "E275" => (vec![space_after(text, at)?], "insert the missing space"),
        "E225" | "E226" | "E227" | "E228" | "E252" => (spaces_around(text, at)?, "put spaces around the operator"),
        _ if NO_SPACE.contains(&code) => (vec![space_at(text, at, "")?], "remove the space"),
        _ => (vec![space_at(text, at, " ")?], "leave one space"),
    };
    let after = applied(text, &edits).ok()?;
    is_same(text, &after).then_some(Repair { edits, description })
}

/// Bytes of the line that holds `at`, without its line break.
fn line_at(text: &str, at: usize) -> Range<usize> {
    let line = line_around(text, at);
    let own = text.get(line.clone()).unwrap_or_default();
    let own = own.strip_suffix('\n').unwrap_or(own);
    line.start..line.start + own.strip_suffix('\r').unwrap_or(own).len()
}

fn end_of_line(text: &str, at: usize) -> Edit {
    let line = line_at(text, at);
    let kept = text.get(line.clone()).unwrap_or_default().trim_end().len();
    Edit::delete(line.start + kept..line.end)
}

fn end_of_file(text: &str) -> Edit {
    let kept = text.trim_end().len();
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Edit::replace(kept..text.len(), if kept == 0 { "" } else { line_break })
}

/// The number of empty lines in `E302 expected 2 blank lines, found 1`.
fn wanted(message: &str) -> Option<usize> {
    let (_, rest) = message.split_once("expected ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|count| *count <= 2)
}

/// The number of empty lines that may stand before a line: fewer inside of a block.
fn most_blank_lines(text: &str, at: usize) -> usize {
    let line = text.get(line_at(text, at)).unwrap_or_default();
    if line.starts_with([' ', '\t']) { 1 } else { 2 }
}

/// Makes `count` empty lines stand before the statement at `at`, and before the comments directly above it.
fn blank_lines(text: &str, at: usize, count: usize) -> Option<Edit> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let before = |start: usize| {
        let line = line_at(text, start.checked_sub(1)?);
        Some((line.start, text.get(line)?))
    };
    let mut start = line_at(text, at).start;
    let own = indent(text.get(line_at(text, at))?);
    while let Some((above, line)) = before(start) {
        if !line.trim_start().starts_with('#') || indent(line) != own {
            break;
        }
        start = above;
    }
    let end = start;
    while let Some((above, line)) = before(start) {
        if !line.trim().is_empty() {
            break;
        }
        start = above;
    }
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // Nothing separates the first line of a file from anything.
    let count = if start == 0 { 0 } else { count };
    Some(Edit::replace(start..end, line_break.repeat(count)))
}

/// Replaces the space that `at` is in, at the beginning or at the end of.
fn space_at(text: &str, at: usize, space: &str) -> Option<Edit> {
    let is_blank = |c: char| c == ' ' || c == '\t';
    let start = text.get(..at)?.trim_end_matches(is_blank).len();
    let rest = text.get(at..)?;
    let end = at + rest.len() - rest.trim_start_matches(is_blank).len();
    // The space at the beginning of a line is its indentation.
    (start > 0 && !text.get(..start)?.ends_with('\n')).then(|| Edit::replace(start..end, space))
}

/// The token that begins or ends at `at`; one that begins there first.
fn token_at(tokens: &[Token], at: usize, fits: impl Fn(&Token) -> bool) -> Option<usize> {
    let find = |place: fn(&Token) -> usize| tokens.iter().position(|token| place(token) == at && fits(token));
    find(|token| token.start).or_else(|| find(|token| token.end))
}

fn space_after(text: &str, at: usize) -> Option<Edit> {
    let tokens = tokens::scan(text);
    let is_word = |token: &Token| token.kind == Kind::Keyword || matches!(token.text(text), "," | ";" | ":");
    let found = token_at(&tokens, at, is_word)?;
    let (token, next) = (tokens.get(found)?, tokens.get(found + 1)?);
    (token.end == next.start && next.kind != Kind::Newline).then(|| Edit::insert(token.end, " "))
}

fn spaces_around(text: &str, at: usize) -> Option<Vec<Edit>> {
    let tokens = tokens::scan(text);
    let is_operator = |token: &Token| {
        token.kind == Kind::Operator || matches!(token.text(text), "->" | ":=" | "=" | "in" | "is" | "and" | "or")
    };
    let found = token_at(&tokens, at, is_operator)?;
    let (left, operator, right) = (tokens.get(found.checked_sub(1)?)?, tokens.get(found)?, tokens.get(found + 1)?);
    let gaps = [left.end..operator.start, operator.end..right.start];
    let is_one_line = left.kind != Kind::Newline && right.kind != Kind::Newline;
    let edits: Vec<Edit> = gaps.into_iter().filter(Range::is_empty).map(|gap| Edit::insert(gap.start, " ")).collect();
    (is_one_line && !edits.is_empty()).then_some(edits)
}

fn comment_sign(text: &str, at: usize) -> Option<Edit> {
    let comment = tokens::scan(text).into_iter().find(|token| token.kind == Kind::Comment && token.start == at)?;
    let said = comment.text(text).trim_start_matches(['#', ':', '!']).trim_start();
    let sign = if said.is_empty() { "#" } else { "# " };
    Some(Edit::replace(comment.start..comment.end, format!("{sign}{said}")))
}

#[cfg(test)]
mod tests {
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, flake8};

    #[test]
    fn separates_functions() {
        check_lint_fix(
            flake8("a.py:3:1: E302 expected 2 blank lines, found 0"),
            r"
 LIMIT = 3
+
+
 # The most that fits.
 def limit():
     return LIMIT
",
        );
    }

    #[test]
    fn puts_spaces_around_operator() {
        check_lint_fix(
            flake8("a.py:1:6: E225 missing whitespace around operator"),
            r"
-LIMIT=3
+LIMIT = 3
",
        );
    }

    #[test]
    fn leaves_text_alone() {
        check_no_lint_fix(
            flake8("a.py:1:9: E231 missing whitespace after ','"),
            r"
 KEYS = 'a,b'
",
        );
    }
}
