//! Expected values of a Rust test. A wrapper that gives another value of any type cannot be written, so literals are exchanged for others of
//! their kind: those of a comparison that is made of literals on one side, and those in a call of a function that asserts.

use super::libtest::DOC;
use super::module::{Function, Module};
use super::tokens::{self, Kind, Token};
use crate::edit::Edit;
use crate::language::assertions::is_assertion;
use crate::language::plan::{Form, Found, How, Mutation, Plan, TestPlace, last_name};
use crate::span::Span;

/// Lets a test fail at its end.
const FAILURE: &str = "panic!(\"autoheal\"); ";

/// Names, other than those of types and variants, that a value may be made with.
const OF_VALUES: [&str; 12] = [
    "vec",
    "to_string",
    "to_owned",
    "to_vec",
    "into",
    "from",
    "as_str",
    "as_bytes",
    "std",
    "string",
    "collections",
    "new",
];

/// Finds the expected values that can be perturbed, and the place where the test can be made to fail at its end.
pub(super) fn find(text: &str, place: &TestPlace) -> Option<Found> {
    let is_example = place.name.split("::").nth(1) == Some(DOC);
    let module = Module::read(text);
    let name = last_name(&place.name);
    let is_at_failure = |span: Span| {
        let lines = module.line_of(span.start)..=module.line_of(span.end);
        place.lines.iter().any(|(line, _)| lines.contains(line))
    };
    let mut named: Vec<&Function> = module.functions.iter().filter(|function| function.name == name).collect();
    named.sort_by_key(|function| !is_at_failure(function.span));
    let test = named.first().filter(|_| !is_example)?;
    let reader = Reader::new(text, test.span);
    let plans = reader.assertions();
    let failed = plans.iter().position(|(span, _)| is_at_failure(*span));
    let plan = match failed {
        Some(at) => plans.into_iter().nth(at).map_or_else(Plan::nothing, |(_, plan)| plan),
        None => Plan::together(plans.into_iter().map(|(_, plan)| plan).collect()),
    };
    Some(Found::Code { plan, failing: reader.failing(test), other: String::new(), wrapped: exchanged })
}

/// The exchanges of a literal for the next one, and for the one before.
fn neighbours(literal: Span) -> Vec<Mutation> {
    vec![vec![(literal, How::Near)], vec![(literal, How::NearDown)]]
}

/// Another literal of the same kind.
fn exchanged(literal: &str, how: How) -> String {
    match literal {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        _ if literal.ends_with('"') || literal.ends_with("\"#") => {
            let end = literal.rfind('"').unwrap_or(literal.len());
            format!("{}autoheal{}", &literal[..end], &literal[end..])
        }
        _ if literal.ends_with('\'') => {
            let prefix = if literal.starts_with('b') { "b" } else { "" };
            let other = if literal.ends_with("'a'") { 'b' } else { 'a' };
            format!("{prefix}'{other}'")
        }
        number => other_number(number, how),
    }
}

fn other_number(number: &str, how: How) -> String {
    let digits: String = number.chars().filter(|character| *character != '_').collect();
    let (radix, rest) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    let end = rest.find(|character: char| !character.is_digit(radix)).unwrap_or(rest.len());
    let (whole, suffix) = rest.split_at(end);
    let step: i128 = if matches!(how, How::FarDown | How::NearDown) { -1 } else { 1 };
    match i128::from_str_radix(whole, radix) {
        Ok(value) if suffix.is_empty() || suffix.starts_with(['i', 'u', 'f']) => format!("{}{suffix}", value + step),
        Ok(_) | Err(_) => format!("({number} + {step}.0)"),
    }
}

/// The tokens of a test, comments and line ends left out.
struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, test: Span) -> Self {
        let is_of_test = |token: &Token| {
            test.start <= token.start && token.end <= test.end && !matches!(token.kind, Kind::Comment | Kind::Newline)
        };
        Self { text, tokens: tokens::scan(text).into_iter().filter(is_of_test).collect() }
    }

    fn shown(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text(self.text))
    }

    fn span(&self, (start, end): (usize, usize)) -> Option<Span> {
        Some(Span { start: self.tokens.get(start)?.start, end: self.tokens.get(end.checked_sub(1)?)?.end })
    }

    /// Number of the token that closes the bracket at `open`.
    fn close_of(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The parts between these tokens that a sign separates, brackets left whole.
    fn parts(&self, start: usize, end: usize, sign: &str) -> Vec<(usize, usize)> {
        let (mut depth, mut begin, mut parts) = (0_i64, start, Vec::new());
        for at in start..end {
            match self.tokens.get(at).map(|token| token.kind) {
                Some(Kind::Open) => depth += 1,
                Some(Kind::Close) => depth -= 1,
                _ if depth == 0 && self.shown(at) == sign => {
                    parts.push((begin, at));
                    begin = at + 1;
                }
                _ => {}
            }
        }
        if begin < end {
            parts.push((begin, end));
        }
        parts
    }

    /// Returns the assertions of the test, each with its place.
    fn assertions(&self) -> Vec<(Span, Plan)> {
        let assertion = |at: usize| {
            let name = self.shown(at);
            let is_macro = self.shown(at + 1) == "!";
            let open = at + 1 + usize::from(is_macro);
            let is_call =
                self.tokens.get(open).is_some_and(|token| token.kind == Kind::Open) && self.shown(open) == "(";
            if !is_call || !is_assertion(name) || at.checked_sub(1).is_some_and(|before| self.shown(before) == "fn") {
                return None;
            }
            let close = self.close_of(open)?;
            let arguments = self.parts(open + 1, close, ",");
            let plan = match (is_macro, name) {
                (true, "assert_eq" | "debug_assert_eq") => self.equality(*arguments.first()?, *arguments.get(1)?),
                (true, "assert" | "debug_assert") => {
                    let (start, end) = *arguments.first()?;
                    let is_joined = (start..end).any(|at| matches!(self.shown(at), "&&" | "||" | "!="));
                    match self.parts(start, end, "==").as_slice() {
                        [left, right] if !is_joined => self.equality(*left, *right),
                        _ => None,
                    }
                }
                (true, "assert_ne" | "debug_assert_ne") => None,
                (_, _) => self.judgement(&arguments),
            };
            Some((self.span((at, close + 1))?, plan?))
        };
        (0..self.tokens.len()).filter_map(assertion).collect()
    }

    /// The comparison of a value that is made of literals with one that is computed.
    fn equality(&self, left: (usize, usize), right: (usize, usize)) -> Option<Plan> {
        let (computed, expected, literal) = match (self.literal_of_value(left), self.literal_of_value(right)) {
            (None, Some(literal)) => (left, right, literal),
            (Some(literal), None) => (right, left, literal),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        let pair = Some((self.span(computed)?, self.span(expected)?));
        Some(Plan { each: neighbours(literal), pair, ..Plan::new(Form::Equality, neighbours(literal)) })
    }

    /// A call that judges: another value may rightly be as good.
    fn judgement(&self, arguments: &[(usize, usize)]) -> Option<Plan> {
        let literal = arguments.iter().rev().find_map(|argument| self.literal_of_value(*argument))?;
        Some(Plan::new(Form::Judgement, neighbours(literal)))
    }

    /// The last literal of an expression that nothing is computed in; `None`: something may be, or no literal is in it.
    fn literal_of_value(&self, (start, end): (usize, usize)) -> Option<Span> {
        let is_plain = |at: usize| match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Name) => {
                let name = self.shown(at);
                name.starts_with(char::is_uppercase) || OF_VALUES.contains(&name)
            }
            Some(Kind::Keyword) => matches!(self.shown(at), "true" | "false"),
            Some(Kind::Operator) => matches!(self.shown(at), "&" | "-" | "." | "," | "::" | "!" | ":" | "*"),
            Some(Kind::Number | Kind::String | Kind::Open | Kind::Close) => true,
            Some(Kind::Comment | Kind::Newline | Kind::Unknown) | None => false,
        };
        let is_literal = |at: &usize| match self.tokens.get(*at).map(|token| token.kind) {
            // A number behind a dot is the field of a tuple.
            Some(Kind::Number) => at.checked_sub(1).is_none_or(|before| self.shown(before) != "."),
            Some(Kind::String) => true,
            _ => matches!(self.shown(*at), "true" | "false"),
        };
        let last = (start..end).all(is_plain).then(|| (start..end).rev().find(is_literal))??;
        self.span((last, last + 1))
    }

    /// Lets the test fail at its end; `None`: it is to panic.
    fn failing(&self, test: &Function) -> Option<Edit> {
        let attributes = self.text.get(test.span.start..test.definition.start)?;
        if attributes.contains("should_panic") {
            return None;
        }
        let close = self.tokens.len().checked_sub(1)?;
        let last = close.checked_sub(1)?;
        // The value of the body stays at its end.
        let has_value = !matches!(self.shown(last), ";" | "}" | "{");
        let mut depth = 0_i64;
        let before_value = (0..close).rev().find(|at| {
            match self.tokens.get(*at).map(|token| token.kind) {
                Some(Kind::Close) if depth == 0 && self.shown(*at) == "}" => return true,
                Some(Kind::Close) => depth += 1,
                Some(Kind::Open) if depth == 0 => return true,
                Some(Kind::Open) => depth -= 1,
                _ => {}
            }
            depth == 0 && self.shown(*at) == ";"
        });
        let at = if has_value { before_value? + 1 } else { close };
        Some(Edit::insert(self.tokens.get(at)?.start, FAILURE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation;

    const TEXT: &str = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n        \
        assert!(shown(1) == Some(\"one\".to_owned()), \"so {}\", 1);\n        assert_total(&cart, 0xffu8);\n    }\n\n    \
        #[test]\n    fn reads() -> Result<(), E> {\n        let one = read(2)?;\n        assert_eq!([one, 1], [one, 2]);\n        \
        Ok(())\n    }\n\n    #[test]\n    #[should_panic]\n    fn refuses() {\n        assert_ne!(read(3), 4);\n    }\n}\n";

    fn expectation(name: &str, line: u32) -> expectation::Expectation {
        let place =
            TestPlace { name: format!("shop::lib::tests::{name}"), lines: vec![(line, None)], is_asserted: true };
        expectation::of("src/lib.rs", TEXT, &place).unwrap()
    }

    fn line(text: &str, line: usize) -> String {
        text.lines().nth(line - 1).unwrap().trim().to_owned()
    }

    #[test]
    fn the_literal_of_the_assertion_that_failed_is_exchanged() {
        let found = expectation("adds", 5);
        let lines: Vec<String> = found.perturbed.iter().map(|text| line(text, 5)).collect();
        assert_eq!(lines, ["assert_eq!(add(1, 2), 4);", "assert_eq!(add(1, 2), 2);"]);
        assert_eq!((found.form, found.exact.len()), (Form::Equality, 2));
        assert_eq!(line(&found.agreed.unwrap(), 5), "assert_eq!(3, 3);");
        let found = expectation("adds", 6);
        assert_eq!(
            line(&found.perturbed[0], 6),
            "assert!(shown(1) == Some(\"oneautoheal\".to_owned()), \"so {}\", 1);"
        );
        let found = expectation("adds", 7);
        assert_eq!(
            (line(&found.perturbed[0], 7), found.form),
            ("assert_total(&cart, 256u8);".to_owned(), Form::Judgement)
        );
    }

    #[test]
    fn without_a_line_all_assertions_of_the_test_are_perturbed_together() {
        let found = expectation("adds", 99);
        let lines: Vec<String> = (5..=7).map(|number| line(&found.perturbed[0], number)).collect();
        let last = "assert_total(&cart, 256u8);";
        let second = "assert!(shown(1) == Some(\"oneautoheal\".to_owned()), \"so {}\", 1);";
        assert_eq!(lines, ["assert_eq!(add(1, 2), 4);", second, last]);
    }

    #[test]
    fn a_test_can_be_made_to_fail_at_its_end() {
        let failing = |name: &str| expectation(name, 99).failing;
        assert!(failing("adds").unwrap().contains("0xffu8);\n    panic!(\"autoheal\"); }"));
        assert!(failing("reads").unwrap().contains("        panic!(\"autoheal\"); Ok(())\n"));
        assert_eq!(failing("refuses"), None);
    }

    #[test]
    fn what_is_not_made_of_literals_is_left_alone() {
        assert_eq!(expectation("reads", 13).perturbed, Vec::<String>::new());
        assert_eq!(expectation("refuses", 20).perturbed, Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_literal_has_another() {
        let pairs = [
            ("true", "false"),
            ("\"a\"", "\"aautoheal\""),
            ("r#\"a\"#", "r#\"aautoheal\"#"),
            ("'x'", "'a'"),
            ("b'a'", "b'b'"),
            ("1_000u64", "1001u64"),
            ("0xff", "256"),
            ("1.5", "(1.5 + 1.0)"),
        ];
        for (literal, other) in pairs {
            assert_eq!(exchanged(literal, How::Near), other);
        }
        assert_eq!(exchanged("7", How::NearDown), "6");
    }
}
