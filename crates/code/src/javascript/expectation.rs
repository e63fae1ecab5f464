//! Expectations of a test in JavaScript or TypeScript.

use super::module::{Call, Function, Module};
use super::tokens::{self, Kind};
use crate::edit::Edit;
use crate::language::plan::{
    Form, Found, How, Mutation, Plan, TestPlace, is_approximate, is_equality, is_ordering, last_name, ways_of_argument,
};
use crate::span::Span;

/// Helper function that returns another value of the same kind. `ANY` is a placeholder for a parameter's type
/// annotation.
const OTHER: &str = r"

function autohealOtherValue(valueANY, howANY, depthANY)ANY {
  const step = [1, 1000003, -1000003, -1, 1][how];
  const level = depth || 0;
  const next = (inner) => autohealOtherValue(inner, how, level + 1);
  if (level > 4 || value === null || value === undefined) return { autoheal: 1 };
  if (how === 4 && (typeof value === 'string' || Array.isArray(value)) && value.length) return value.slice(0, 0);
  if (how === 4 && (value instanceof Set || value instanceof Map) && value.size) return new (value.constructor)();
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'bigint') return value + BigInt(step);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 0;
    const other = value + (how === 1 || how === 2 ? step * (1 + Math.abs(value)) : step);
    return other === value ? 0 : other;
  }
  if (typeof value === 'string') return value + '\u0001autoheal';
  if (typeof value === 'symbol') return Symbol('autoheal');
  if (typeof value === 'function') {
    if (/^class\b/.test(Function.prototype.toString.call(value)) || value.prototype instanceof Error) return class AutohealOther {};
    return function () { return next(value.apply(this, arguments)); };
  }
  if (value instanceof RegExp) return /autoheal\u0001never/;
  if (value instanceof Date) return new Date(value.getTime() + step * 86400000);
  if (value instanceof Error) { const other = new Error(value.message + '\u0001autoheal'); other.name = value.name; return other; }
  if (typeof value.then === 'function') return value.then(next);
  if (Array.isArray(value)) return value.length ? value.slice(0, -1).concat([next(value[value.length - 1])]) : ['autoheal'];
  if (value instanceof Set) return new Set(Array.from(value).concat(['autoheal']));
  if (value instanceof Map) return new Map(Array.from(value).concat([['autoheal', 1]]));
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  const keys = Object.keys(copy);
  if (!keys.length) copy.autoheal = 1;
  else copy[keys[keys.length - 1]] = next(copy[keys[keys.length - 1]]);
  return copy;
}
";

const FAILURE: &str = "throw new Error('autoheal');";

/// The function that gives another value, as a file of that name may say it.
fn other(file: &str) -> String {
    let is_typed = file.rsplit('.').next().is_some_and(|end| matches!(end, "ts" | "tsx" | "mts" | "cts"));
    if is_typed {
        let typed = OTHER.replace("depthANY)", "depth?: any)").replace("ANY", ": any");
        let typed = typed.replace("(inner)", "(inner: any)").replace("function () {", "function (this: any) {");
        return typed.replace("const copy =", "const copy: any =");
    }
    OTHER.replace("ANY", "")
}

/// An expression in a call of that function.
fn wrapped(expression: &str, how: How) -> String {
    format!("autohealOtherValue(({expression}), {}, 0)", how as u8)
}

/// Finds the values that can be perturbed, and the place at the test's end where it can be made to fail.
pub(crate) fn find(file: &str, text: &str, place: &TestPlace) -> Option<Found> {
    let module = Module::read(file, text);
    if module.line_starts.is_empty() || module.statements.is_empty() {
        return None;
    }
    let reader = Reader { text, module: &module };
    let test = reader.test(place);
    let failed = place.lines.iter().find_map(|(line, column)| reader.plan_at(*line, *column, !place.is_asserted));
    let plan = failed.or_else(|| {
        let test = test?;
        let inside = module.calls.iter().filter(|call| test.span.contains(call.span) && reader.is_outermost(call));
        let plans: Vec<Plan> = inside.filter_map(|call| reader.plan(call, true)).collect();
        (!plans.is_empty()).then(|| Plan::together(plans))
    });
    let plan = plan.unwrap_or_else(Plan::nothing);
    let failing = test.and_then(|test| failing(test, text));
    Some(Found::Code { plan, failing, other: other(file), wrapped })
}

/// Lets the function end with an error.
fn failing(function: &Function, text: &str) -> Option<Edit> {
    let last = function.body.last();
    if let Some(braces) = function.braces {
        let at = last.filter(|last| last.text(text).starts_with("return")).map_or(braces.end - 1, |last| last.start);
        return Some(Edit::insert(at, format!(";{FAILURE}\n")));
    }
    let body = last?;
    Some(Edit::replace(body.range(), format!("{{ ({}); {FAILURE} }}", body.text(text))))
}

/// Lets the function around a byte return before it does anything.
pub(crate) fn hollow(file: &str, text: &str, at: usize) -> Option<Edit> {
    let module = Module::read(file, text);
    let function = module.function_at(at)?;
    match function.braces {
        Some(braces) => Some(Edit::insert(braces.start + 1, " return undefined;")),
        None => Some(Edit::replace(function.body.last()?.range(), "undefined")),
    }
}

struct Reader<'a> {
    text: &'a str,
    module: &'a Module,
}

impl<'a> Reader<'a> {
    fn at(&self, line: u32, column: Option<u32>) -> Option<usize> {
        let start = self.module.line_start(line)?;
        let shown = self.module.line_span(self.text, line)?.text(self.text);
        let column = column.and_then(|column| usize::try_from(column).ok()?.checked_sub(1));
        let indent = shown.len() - shown.trim_start().len();
        // Of a line with other letters than ASCII the column is only near.
        Some(start + column.filter(|column| shown.is_char_boundary(*column) && *column < shown.len()).unwrap_or(indent))
    }

    /// The name of a test's title, when the call declares a test.
    fn title(&self, call: &Call) -> Option<&'a str> {
        let callee = call.callee.text(self.text);
        let first = callee.split(['.', '(']).next().unwrap_or_default();
        let declares = matches!(first, "it" | "test" | "specify" | "fit" | "xit" | "Deno" | "t");
        let title = call.arguments.first()?.text(self.text);
        declares.then(|| title.trim_matches(['\'', '"', '`']))
    }

    /// The function of the test: the one around where it failed, else the one of its title.
    fn test(&self, place: &TestPlace) -> Option<&'a Function> {
        let ats: Vec<usize> = place.lines.iter().filter_map(|(line, column)| self.at(*line, *column)).collect();
        let tests = || self.module.calls.iter().filter(|call| self.title(call).is_some());
        let around = tests().filter(|call| ats.iter().any(|at| call.span.start <= *at && *at < call.span.end));
        let wanted = last_name(&place.name);
        let named = || tests().find(|call| self.title(call).is_some_and(|title| last_name(title) == wanted));
        let call = around.min_by_key(|call| call.span.end - call.span.start).or_else(named)?;
        call.arguments.iter().rev().find_map(|span| self.module.functions.iter().find(|one| one.span == *span))
    }

    /// Returns whether no other call of the same function encloses this one.
    fn is_outermost(&self, call: &Call) -> bool {
        let function = |span: Span| self.module.function_at(span.start).map(|function| function.span);
        let own = function(call.span);
        let is_around =
            |other: &Call| other.span != call.span && other.span.contains(call.span) && function(other.span) == own;
        !self.module.calls.iter().any(is_around)
    }

    fn plan_at(&self, line: u32, column: Option<u32>, is_strict: bool) -> Option<Plan> {
        let at = self.at(line, column)?;
        let function = self.module.function_at(at).map(|function| function.span);
        let is_in_it = |call: &&Call| self.module.function_at(call.span.start).map(|one| one.span) == function;
        let lines = self.module.line_of(at);
        let is_there = |call: &&Call| {
            (call.span.start <= at && at < call.span.end) || self.module.line_of(call.span.start) == lines
        };
        let calls = self.module.calls.iter().filter(is_in_it).filter(is_there);
        let outermost =
            calls.filter(|call| self.is_outermost(call)).max_by_key(|call| call.span.end - call.span.start)?;
        self.plan(outermost, is_strict)
    }

    fn call_at(&self, span: Span) -> Option<&'a Call> {
        self.module.calls.iter().find(|call| call.span == span)
    }

    /// The call that a chain of members and calls begins with.
    fn root(&self, call: &Call) -> &'a Call {
        let beginning = self.module.calls.iter().filter(|other| other.span.start == call.span.start);
        beginning.min_by_key(|other| other.span.end).unwrap_or(&self.module.calls[0])
    }

    /// `is_strict`: only what is surely an assertion counts.
    fn plan(&self, call: &Call, is_strict: bool) -> Option<Plan> {
        let callee = call.callee.text(self.text);
        let (before, name) = callee.rsplit_once('.').unwrap_or(("", callee));
        let root = self.root(call);
        let root_name = root.callee.text(self.text);
        if self.title(call).is_some() && call.arguments.len() > 1 {
            return None;
        }
        if root_name == "expect" || root_name.ends_with(".expect") || before.contains(".should") {
            let actual =
                (root_name == "expect" || root_name.ends_with(".expect")).then(|| root.arguments.first().copied());
            let is_property = root.span == call.span;
            return Some(self.expected(call, actual.flatten(), if is_property { "" } else { name }, before));
        }
        if callee == "assert"
            || before == "assert"
            || before.starts_with("assert.")
            || before == "t"
            || before == "chai.assert"
        {
            return Some(self.asserted(call, name));
        }
        let word = name.to_ascii_lowercase();
        let says_so =
            ["assert", "expect", "check", "verify", "ensure", "should"].iter().any(|begin| word.starts_with(begin));
        (says_so || !is_strict).then(|| self.arguments(call))
    }

    /// Returns the plan for `expect(actual).matcher(...)`.
    fn expected(&self, call: &Call, actual: Option<Span>, name: &str, before: &str) -> Plan {
        if before.split(['.', '(', ')']).any(|part| part == "not") {
            return Plan::nothing().negative();
        }
        if name.to_ascii_lowercase().contains("throw") || before.contains("rejects") {
            return Plan::nothing();
        }
        let is_negative = ["toBeFalsy", "toBeNull", "toBeUndefined"].contains(&name)
            || call.arguments.first().is_some_and(|first| first.text(self.text) == "false")
            || ["false", "null", "undefined"]
                .iter()
                .any(|end| call.callee.text(self.text).ends_with(&format!(".{end}")));
        let judged = || {
            let plan = actual.map_or_else(Plan::nothing, |actual| self.judged(actual));
            if is_negative { plan.negative() } else { plan }
        };
        let arguments: Vec<Span> = call.arguments.clone();
        if name.to_ascii_lowercase().contains("snapshot") {
            let any = actual.map(|actual| vec![(actual, How::Near)]);
            return Plan::new(Form::Equality, any.into_iter().collect());
        }
        if name.is_empty() || arguments.is_empty() {
            return judged();
        }
        let first = arguments[0];
        if matches!(first.text(self.text), "true" | "false") && arguments.len() == 1 {
            return judged();
        }
        let perturbed = |how| arguments.iter().map(|span| (*span, how)).collect::<Mutation>();
        if is_ordering(name) || name.eq_ignore_ascii_case("within") {
            Plan::new(Form::Judgement, [How::FarUp, How::FarDown].map(|how| vec![(first, how)]).to_vec())
        } else if is_approximate(name) {
            Plan::new(Form::Equality, vec![vec![(first, How::FarUp)]])
        } else if name == "toBe" || is_equality(name) {
            Plan::new(Form::Equality, vec![perturbed(How::Near)])
        } else {
            Plan::new(Form::Judgement, vec![vec![(first, How::Near)], vec![(first, How::FarUp)]])
        }
    }

    /// Returns the plan for `assert.equal(actual, expected)`.
    fn asserted(&self, call: &Call, name: &str) -> Plan {
        let word = name.to_ascii_lowercase();
        if word.contains("not") {
            return Plan::nothing().negative();
        }
        if ["throws", "rejects", "fail"].iter().any(|other| word.contains(other)) {
            return Plan::nothing();
        }
        let (first, second) = (call.arguments.first().copied(), call.arguments.get(1).copied());
        match (first, second) {
            (Some(first), Some(second)) if is_equality(&word) && second.text(self.text) == "true" => self.judged(first),
            (Some(first), Some(second)) if is_equality(&word) && second.text(self.text) == "false" => {
                self.judged(first).negative()
            }
            (Some(_), Some(second)) if is_equality(&word) => Plan::new(Form::Equality, vec![vec![(second, How::Near)]]),
            (Some(_), Some(second)) if is_approximate(&word) => {
                Plan::new(Form::Equality, vec![vec![(second, How::FarUp)]])
            }
            (Some(_), Some(second)) if is_ordering(&word) => {
                Plan::new(Form::Judgement, [How::FarUp, How::FarDown].map(|how| vec![(second, how)]).to_vec())
            }
            (Some(_), Some(second)) if matches!(word.as_str(), "match" | "include" | "property" | "lengthof") => {
                Plan::new(Form::Judgement, vec![vec![(second, How::Near)]])
            }
            (Some(first), _) => self.judged(first),
            (None, _) => Plan::nothing(),
        }
    }

    /// A value that has to be true.
    fn judged(&self, span: Span) -> Plan {
        let inner = span.text(self.text);
        if let Some(rest) = inner.strip_prefix('!').filter(|rest| !rest.starts_with('=')) {
            return self.judged(Span { start: span.end - rest.len(), end: span.end }).negative();
        }
        if let Some(call) = self.call_at(span) {
            return self.arguments(call);
        }
        let mut depth = 0_usize;
        for token in tokens::scan(inner) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Operator if depth == 0 => {
                    let start =
                        span.start + token.end + inner[token.end..].len() - inner[token.end..].trim_start().len();
                    let right = Span { start, end: span.end };
                    match token.text(inner) {
                        "&&" | "||" | "??" | "?" | "=>" => return Plan::nothing(),
                        "===" | "==" => return Plan::new(Form::Equality, vec![vec![(right, How::Near)]]),
                        "<" | ">" | "<=" | ">=" => {
                            let ways = [How::FarUp, How::FarDown].map(|how| vec![(right, how)]);
                            return Plan::new(Form::Judgement, ways.to_vec());
                        }
                        _ => {}
                    }
                }
                Kind::Operator
                | Kind::Name
                | Kind::Keyword
                | Kind::Number
                | Kind::String
                | Kind::Comment
                | Kind::Newline
                | Kind::Unknown => {}
            }
        }
        self.assigned(inner, span.start)
    }

    /// The call whose value a variable got.
    fn assigned(&self, name: &str, before: usize) -> Plan {
        let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '$'));
        let declared = ["const ", "let ", "var "].iter().filter(|_| is_name).filter_map(|keyword| {
            let begin = format!("{keyword}{name} = ");
            let at = self.text.get(..before)?.rfind(&begin)?;
            self.module.calls.iter().find(|call| call.span.start == at + begin.len()).map(|_| at + begin.len())
        });
        let Some(at) = declared.max() else { return Plan::nothing() };
        let calls = self.module.calls.iter().filter(|call| call.span.start == at);
        calls.max_by_key(|call| call.span.end).map_or_else(Plan::nothing, |call| self.arguments(call))
    }

    /// Returns the plan for a call that judges its arguments: literals are perturbed first, the last argument
    /// before the others.
    fn arguments(&self, call: &Call) -> Plan {
        const MOST: usize = 4;
        let is_function = |span: &Span| self.module.functions.iter().any(|function| function.span == *span);
        let is_spread = |span: &Span| span.text(self.text).starts_with("...");
        let all: Vec<Span> =
            call.arguments.iter().copied().filter(|span| !is_function(span) && !is_spread(span)).collect();
        // What is computed is what is judged: a judge may notice another value there and not look at what is expected.
        let (literal, computed): (Vec<Span>, Vec<Span>) = all.iter().rev().partition(|span| self.is_literal(**span));
        let is_call = |span: &Span| self.call_at(*span).is_some() || span.text(self.text).starts_with("await ");
        let (called, named): (Vec<Span>, Vec<Span>) = computed.into_iter().partition(is_call);
        let expected = [&literal, &named, &called].into_iter().find(|tier| !tier.is_empty());
        let ways = expected.into_iter().flatten().flat_map(|span| {
            let ways = ways_of_argument(self.is_number(*span), called.is_empty());
            ways.iter().map(|how| vec![(*span, *how)])
        });
        let mut plan = Plan::new(Form::Judgement, ways.take(MOST).collect());
        if let Some(number) = literal.iter().find(|span| self.is_number(**span)).filter(|_| !called.is_empty()) {
            plan.each = [How::Near, How::NearDown].map(|how| vec![(*number, how)]).to_vec();
        }
        if let ([computed], [expected], []) = (called.as_slice(), literal.as_slice(), named.as_slice()) {
            plan.pair = Some((*computed, *expected));
        }
        plan
    }

    fn is_number(&self, span: Span) -> bool {
        span.text(self.text).trim_start_matches(['-', '+', ' ', '.']).starts_with(|first: char| first.is_ascii_digit())
    }

    fn is_literal(&self, span: Span) -> bool {
        let text = span.text(self.text);
        text.starts_with(['\'', '"', '`', '[', '{', '/'])
            || matches!(text, "true" | "false" | "null" | "undefined")
            || self.is_number(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::{self, Expectation};

    fn of(file: &str, line: &str) -> Expectation {
        let text = format!("const test = require('node:test');\ntest('vat', async () => {{\n  {line}\n}});\n");
        let place = TestPlace { name: "a.test.js::vat".to_owned(), lines: vec![(3, Some(3))], is_asserted: true };
        expectation::of(file, &text, &place).unwrap()
    }

    fn first(expectation: &Expectation) -> &str {
        let text = expectation.perturbed.first().map_or("", String::as_str);
        text.lines().find(|line| line.contains("autohealOtherValue((")).unwrap_or_default().trim()
    }

    #[test]
    fn what_is_expected_is_wrapped() {
        for (line, form, wrapped) in [
            ("expect(f(1)).toBe(19);", Form::Equality, "expect(f(1)).toBe(autohealOtherValue((19), 0, 0));"),
            (
                "expect(f(1)).to.deep.equal({ a: 1 });",
                Form::Equality,
                "expect(f(1)).to.deep.equal(autohealOtherValue(({ a: 1 }), 0, 0));",
            ),
            (
                "await expect(f(1)).resolves.toEqual(x);",
                Form::Equality,
                "await expect(f(1)).resolves.toEqual(autohealOtherValue((x), 0, 0));",
            ),
            (
                "expect(near(f(1), 19)).toBe(true);",
                Form::Judgement,
                "expect(near(f(1), autohealOtherValue((19), 1, 0))).toBe(true);",
            ),
            (
                "expect(near(f(1), 19)).to.be.true;",
                Form::Judgement,
                "expect(near(f(1), autohealOtherValue((19), 1, 0))).to.be.true;",
            ),
            (
                "expect(f(1)).toMatchSnapshot();",
                Form::Equality,
                "expect(autohealOtherValue((f(1)), 0, 0)).toMatchSnapshot();",
            ),
            (
                "assert.strictEqual(f(1), 19);",
                Form::Equality,
                "assert.strictEqual(f(1), autohealOtherValue((19), 0, 0));",
            ),
            ("assert(f(1) === 19);", Form::Equality, "assert(f(1) === autohealOtherValue((19), 0, 0));"),
            ("assert.ok(near(f(1), 19));", Form::Judgement, "assert.ok(near(f(1), autohealOtherValue((19), 1, 0)));"),
            ("close(f(1), 19);", Form::Judgement, "close(f(1), autohealOtherValue((19), 1, 0));"),
            ("f(1).should.equal(19);", Form::Equality, "f(1).should.equal(autohealOtherValue((19), 0, 0));"),
            (
                "expect(f(1)).toBeCloseTo(19, 2);",
                Form::Equality,
                "expect(f(1)).toBeCloseTo(autohealOtherValue((19), 1, 0), 2);",
            ),
        ] {
            for file in ["a.test.js", "a.test.ts"] {
                let found = of(file, line);
                assert_eq!((found.form, first(&found)), (form, wrapped), "{line}");
                assert!(found.failing.is_some(), "{line}");
            }
        }
        let agreed = |line| of("a.test.ts", line).agreed;
        assert!(agreed("expect(near(f(1), 19)).toBe(true);").unwrap().contains("expect(near(19, 19)).toBe(true);"));
        assert_eq!(agreed("expect(near(f(1), x)).toBe(true);"), None);
        assert_eq!(agreed("expect(f(1)).toBe(19);"), None);
        assert!(of("a.test.js", "expect(f).not.toBe(1);").perturbed.is_empty());
        assert_eq!(of("a.test.js", "close(f(1), 19);").exact.len(), 2);
    }

    #[test]
    fn a_predicate_is_asked_about_nothing_too() {
        let asked = of("a.test.js", "assert.ok(isFull([1, 2, 3]));").perturbed;
        assert!(asked.iter().any(|text| text.contains("autohealOtherValue(([1, 2, 3]), 4, 0)")), "{asked:?}");
        let judged = of("a.test.js", "assert.ok(same(f(1), [1, 2, 3]));").perturbed;
        assert!(
            judged.iter().all(|text| !text.contains(", 4, 0)")),
            "a judge that compares lengths must not pass for one: {judged:?}"
        );
    }

    #[test]
    fn a_test_without_braces_can_be_made_to_fail() {
        let text = "test('vat', () => close(vat(100), 19));\n";
        let place = TestPlace { name: "a::vat".to_owned(), lines: vec![(1, Some(19))], is_asserted: true };
        let found = expectation::of("a.test.js", text, &place).unwrap();
        assert_eq!(first(&found), "test('vat', () => close(vat(100), autohealOtherValue((19), 1, 0)));");
        assert!(found.failing.unwrap().contains("() => { (close(vat(100), 19)); throw new Error('autoheal'); }"));
    }
}
