//! Syntax of Rust text: rust-analyzer's parser, which continues behind a fault.

use std::ops::Range;

use ra_ap_syntax::{Edition, SourceFile, SyntaxError};

use super::tokens::{self, Kind};
use crate::edit::{self, Edit};
use crate::recursion::{MAX_BRACKETS, deep, room_for};

/// Maximum length of a text that is parsed, in bytes: longer files are not written by hand.
const MAX_TEXT: usize = 8 << 20;

/// Maximum depth of a tree, in tokens. The parser's crate drops its trees on a thread with a stack of 2 MiB.
const MOST_DEPTH: usize = 2_000;

/// Reason why a text does not parse, with its place in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
}

/// Runs what reads the tree of a text and the parser's errors, where there is stack for it.
///
/// # Errors
///
/// The text is refused unparsed: it is too long, or nested too deeply.
pub(crate) fn read<T>(text: &str, walk: impl FnOnce(&SourceFile, Vec<SyntaxError>) -> T) -> Result<T, Fault> {
    let refusal = |message: &str| Fault { start: 0, end: 0, message: message.to_owned() };
    if text.len() > MAX_TEXT {
        return Err(refusal("the file is too large"));
    }
    let depth = depth(text).ok_or_else(|| refusal("the code is nested too deeply to be parsed"))?;
    Ok(deep(room_for(depth), || {
        // Words that only later editions reserve are names in the texts of earlier ones.
        let parsed = SourceFile::parse(text, Edition::Edition2021);
        let errors = parsed.errors();
        walk(&parsed.tree(), errors)
    }))
}

/// Every reason why the text does not parse, in order of place.
pub(crate) fn faults(text: &str) -> Vec<Fault> {
    let fault = |error: &SyntaxError| {
        let range = error.range();
        Fault { start: range.start().into(), end: range.end().into(), message: error.to_string() }
    };
    let mut faults: Vec<Fault> =
        read(text, |_, errors| errors.iter().map(fault).collect()).unwrap_or_else(|refusal| vec![refusal]);
    faults.sort_by_key(|fault| fault.start);
    faults
}

/// Returns whether the text has no fault at all.
pub(crate) fn parses(text: &str) -> bool {
    faults(text).is_empty()
}

/// Returns whether edits of a text that does not parse remove at least one fault, the first, and add none. The next fault has to be
/// independent of it: whole lines lie between the two.
pub(crate) fn removes_faults(before: &str, after: &str, edits: &[Edit]) -> bool {
    let places = |text: &str| -> Vec<(Range<usize>, String)> {
        faults(text).into_iter().map(|fault| (fault.start..fault.end, fault.message)).collect()
    };
    edit::removes_faults(before, edits, &places(before), &places(after))
}

/// Returns whether two texts have the same tokens, except for comments, for commas that close a list, and for the order of imports and
/// of declared modules: a formatter sets those.
pub(crate) fn is_same_program(before: &str, after: &str) -> bool {
    sorted(&words(before)) == sorted(&words(after))
}

fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for token in tokens::scan(text) {
        if matches!(token.kind, Kind::Comment | Kind::Newline) {
            continue;
        }
        if token.kind == Kind::Close && words.last() == Some(&",") {
            words.pop();
        }
        words.push(token.text(text));
    }
    words
}

/// The words without the statements `use` and `mod`, and those, sorted, each with its names sorted.
fn sorted<'t>(words: &[&'t str]) -> (Vec<&'t str>, Vec<Vec<&'t str>>) {
    let (mut rest, mut statements) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let begins =
            at == 0 || words.get(at - 1).is_some_and(|before| matches!(*before, ";" | "{" | "}" | "]" | "pub" | ")"));
        let length = words[at..].iter().position(|word| *word == ";");
        let is_statement = |statement: &[&str]| match *word {
            "use" => true,
            "mod" => statement.len() == 2,
            _ => false,
        };
        let statement = length.and_then(|length| words.get(at..at + length));
        if let Some(statement) = statement.filter(|statement| begins && is_statement(statement)) {
            let mut statement = statement.to_vec();
            statement.sort_unstable();
            at += statement.len() + 1;
            statements.push(statement);
        } else {
            rest.push(*word);
            at += 1;
        }
    }
    statements.sort_unstable();
    (rest, statements)
}

/// An open part of the code: the file, or a pair of brackets in it.
#[derive(Default)]
struct Part {
    /// Tokens in it that nest.
    depth: usize,
    /// Angle brackets that may be open: commas in those end nothing.
    angles: usize,
}

/// The depth of a text's nesting, in tokens; `None` where it is too deep to be parsed safely. Every token may nest what follows it. Only
/// what surely ends a construct takes that back: a closing bracket what is in it, a semicolon what is before it in the same brackets, a
/// comma too outside of angle brackets, and a block unless its statement continues.
fn depth(text: &str) -> Option<usize> {
    let mut open: Vec<Part> = vec![Part::default()];
    let (mut total, mut deepest, mut closed_block) = (0_usize, 0_usize, false);
    for token in tokens::scan(text) {
        let shown = token.text(text);
        if matches!(token.kind, Kind::Comment | Kind::Newline) {
            continue;
        }
        let brackets = open.len();
        let last = open.last_mut()?;
        let is_next_statement = match token.kind {
            // A chain of `else if` nests.
            Kind::Keyword => !matches!(shown, "else" | "as"),
            Kind::Name | Kind::Number | Kind::String | Kind::Open => true,
            _ => shown == "#",
        };
        let ends_block = std::mem::take(&mut closed_block) && is_next_statement;
        if shown == ";" || shown == "," && last.angles == 0 || ends_block {
            total -= std::mem::take(last).depth;
        }
        last.depth += 1;
        total += 1;
        match (token.kind, shown) {
            (Kind::Open, _) => open.push(Part::default()),
            (Kind::Close, _) if brackets > 1 => {
                total -= open.pop().map_or(0, |part| part.depth);
                closed_block = shown == "}";
            }
            (_, "<" | "<<") => last.angles += shown.len(),
            (_, ">" | ">>" | ">=" | ">>=") => last.angles = last.angles.saturating_sub(shown.matches('>').count()),
            // No list of types contains these.
            (_, "=>" | "&&" | "||" | "==") => last.angles = 0,
            _ => {}
        }
        if total > MOST_DEPTH || open.len() > MAX_BRACKETS {
            return None;
        }
        deepest = deepest.max(total);
    }
    Some(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found_and_further_ones_behind_them() {
        assert!(parses("fn f() -> i32 { 1 }\n"));
        assert!(!parses("fn f( -> i32 { 1 }\n"));
        let text = "fn f() { let x = ; }\n\nfn ok() {}\n\nfn g() { let y = ; }\n";
        let faults = faults(text);
        assert!(faults[0].start == 17 && faults.iter().any(|fault| fault.start == 51), "{faults:?}");
        let edit = [Edit::insert(17, "1")];
        let after = format!("{}1{}", &text[..17], &text[17..]);
        assert!(removes_faults(text, &after, &edit), "{after}");
        assert!(!removes_faults(text, text, &[]));
    }

    #[test]
    fn what_is_nested_without_end_is_refused() {
        for text in [
            "(".repeat(5000),
            "!".repeat(100_000),
            format!("type T = {};", "Box<".repeat(50_000)),
            "if a {} else ".repeat(50_000),
        ] {
            let text = format!("fn f() {{ {text} }}");
            assert!(!parses(&text));
        }
        let many = format!("const A: [u8; 50000] = [{}];\n", "1, ".repeat(50_000));
        assert!(parses(&many));
        let items = "pub fn f(a: Vec<u8>) -> Option<u8> { a.first().copied() }\n".repeat(5_000);
        assert!(parses(&items));
    }

    #[test]
    fn a_format_changes_no_program() {
        assert!(is_same_program("fn f(a:u8,b:u8){}", "fn f(\n    a: u8,\n    b: u8,\n) {\n}\n"));
        assert!(!is_same_program("fn f(a: u8) {}", "fn f(a: u16) {}"));
        let imports = "use b::{d, c};\nuse a;\nmod y;\nmod x;\nfn f() {}\n";
        assert!(is_same_program(imports, "mod x;\nmod y;\nuse a;\nuse b::{c, d};\nfn f() {}\n"));
        assert!(!is_same_program(imports, "use b::{d, e};\nuse a;\nmod y;\nmod x;\nfn f() {}\n"));
    }
}
