//! Expected values of a Python test.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, ExprCall, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::module::Module;
use super::{parse, test_units};
use crate::edit::Edit;
use crate::language::plan::{
    Form, Found, How, Mutation, Plan, TestPlace, is_approximate, is_equality, is_ordering, last_name, ways_of_argument,
};
use crate::span::Span;

/// Gives another value of the same kind. Its name begins without underscores, which classes would change.
const OTHER: &str = r#"

def autoheal_other_value(value, how, depth=0):
    import copy
    step = (1, 1000003, -1000003, -1, 1)[how]
    try:
        if depth > 4 or value is None:
            return object()
        if how == 4 and isinstance(value, (str, bytes, list, tuple, set, frozenset, dict)) and value:
            return type(value)()
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float, complex)):
            if value != value or value in (float("inf"), float("-inf")):
                return 0
            far = how in (1, 2)
            other = value + (step * (1 + abs(value)) if far else step)
            return 0 if other == value else other
        if isinstance(value, str):
            return value + "\u0001autoheal"
        if isinstance(value, (bytes, bytearray)):
            return value + b"\x01autoheal"
        if isinstance(value, (list, tuple)):
            last = [autoheal_other_value(value[-1], how, depth + 1)] if value else [object()]
            other = [*value[:-1], *last]
            return type(value)(*other) if hasattr(value, "_fields") else type(value)(other)
        if isinstance(value, (set, frozenset)):
            return type(value)([*value, object()])
        if isinstance(value, dict):
            other = copy.copy(value)
            keys = list(other)
            if keys:
                other[keys[-1]] = autoheal_other_value(other[keys[-1]], how, depth + 1)
            else:
                other["autoheal"] = object()
            return other
        if isinstance(value, type):
            return type("AutohealOther", (), {})
        if type(value).__name__ in ("function", "method", "builtin_function_or_method"):
            return lambda *a, **k: autoheal_other_value(value(*a, **k), how, depth + 1)
        try:
            other = value + step
            if type(other) is type(value):
                return other
        except Exception:
            pass
        fields = getattr(value, "__dict__", None)
        if fields and depth < 2:
            other = copy.copy(value)
            for name in fields:
                object.__setattr__(other, name, autoheal_other_value(fields[name], how, depth + 1))
            return other
        return object()
    except Exception:
        return object()
"#;

const FAILURE: &str = "raise AssertionError(\"autoheal\")";

/// An expression in a call of that function.
fn wrapped(expression: &str, how: How) -> String {
    format!("autoheal_other_value(({expression}), {})", how as u8)
}

/// Finds the expected values that can be perturbed, and the place where the test can be made to fail at its end.
pub(crate) fn find(text: &str, place: &TestPlace) -> Option<Found> {
    parse::parse(text, None).ok()?.read(|body| {
        let mut reader = Reader { text, name: last_name(&place.name), functions: Vec::new(), statements: Vec::new() };
        reader.visit_body(body);
        let test = reader.test(place);
        let failed = place.lines.iter().find_map(|(line, _)| reader.plan_at(*line, !place.is_asserted));
        let plan = failed.or_else(|| {
            let inside =
                reader.statements.iter().filter(|statement| test.is_some_and(|test| contains(test, statement)));
            let plans: Vec<Plan> = inside.filter_map(|statement| reader.plan(statement, true)).collect();
            (!plans.is_empty()).then(|| Plan::together(plans))
        });
        let plan = plan.unwrap_or_else(Plan::nothing);
        let failing = test.and_then(|test| failing(test, text));
        Some(Found::Code { plan, failing, other: OTHER.to_owned(), wrapped })
    })
}

/// Lets the examples of a docstring expect something else, when the test is one. An example without a result gets one.
pub(crate) fn of_example(text: &str, place: &TestPlace) -> Option<Vec<Edit>> {
    let name = last_name(&place.name);
    if name.starts_with("test") {
        return None;
    }
    let module = Module::read(text);
    let examples = test_units::read(text, false).examples;
    let named = |span: Span| {
        let function = module.functions.iter().find(|function| function.body.first() == Some(&span));
        let class = module.classes.iter().find(|class| class.span.contains(span));
        match (function, class) {
            (Some(function), _) => function.name == name,
            (None, Some(class)) => class.name == name,
            (None, None) => true,
        }
    };
    let (docstring, _) = examples.into_iter().find(|(span, _)| named(*span))?;
    let mut results = Vec::new();
    let mut first_without = None;
    let (mut is_in_result, mut last_code): (bool, Option<usize>) = (false, None);
    let mut at = docstring.start;
    for line in docstring.text(text).split_inclusive('\n') {
        let code = line.trim_start();
        let begin = at + line.len() - code.len();
        at += line.len();
        if code.contains(">>> ") || code.starts_with("... ") && last_code.is_some() {
            (is_in_result, last_code) = (false, Some(at));
            first_without = first_without.or_else(|| line.ends_with('\n').then(|| (at, line.len() - code.len())));
        } else if code.trim().is_empty() {
            (is_in_result, last_code) = (false, None);
        } else if last_code.is_some() && !code.starts_with("\"\"\"") && !code.starts_with("'''") {
            let is_detail = code.starts_with("Traceback (") || line.starts_with("  ") && code.starts_with("...");
            if !is_in_result && !is_detail {
                results.push(Edit::insert(begin, "autoheal"));
                is_in_result = true;
            }
        }
    }
    if results.is_empty() {
        let (at, indent) = first_without?;
        return Some(vec![Edit::insert(at, format!("{}autoheal\n", " ".repeat(indent)))]);
    }
    Some(results)
}

/// Lets the function around a byte return before it does anything.
pub(crate) fn hollow(text: &str, at: usize) -> Option<Edit> {
    let module = Module::read(text);
    let first = module.function_at(at)?.body.first()?;
    Some(Edit::insert(first.start, "return; "))
}

fn contains(function: &StmtFunctionDef, statement: &Stmt) -> bool {
    Span::from(function.range()).contains(statement.range().into())
}

/// Lets the function end with a failed assertion.
fn failing(function: &StmtFunctionDef, text: &str) -> Option<Edit> {
    let last = function.body.last()?;
    let (start, end) = (last.range().start().to_usize(), last.range().end().to_usize());
    let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = text.get(line..start)?;
    if !indent.trim().is_empty() {
        // On the line of `def`, or behind another statement.
        return Some(Edit::insert(start, format!("{FAILURE}; ")));
    }
    if matches!(last, Stmt::Return(_)) {
        return Some(Edit::insert(start, format!("{FAILURE}\n{indent}")));
    }
    let rest = text.get(end..)?;
    let end = end + rest.find('\n').unwrap_or(rest.len());
    Some(Edit::insert(end, format!("\n{indent}{FAILURE}")))
}

struct Reader<'a> {
    text: &'a str,
    name: &'a str,
    functions: Vec<&'a StmtFunctionDef>,
    statements: Vec<&'a Stmt>,
}

impl<'a> Visitor<'a> for Reader<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.statements.push(statement);
        if let Stmt::FunctionDef(function) = statement {
            self.functions.push(function);
        }
        walk_stmt(self, statement);
    }
}

impl Reader<'_> {
    fn line_start(&self, line: u32) -> Option<usize> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).nth(index)
    }

    /// The function of the test: the one of its name, nearest to where it failed.
    fn test(&self, place: &TestPlace) -> Option<&StmtFunctionDef> {
        let named = || self.functions.iter().filter(|function| function.name.as_str() == self.name);
        let starts: Vec<usize> = place.lines.iter().filter_map(|(line, _)| self.line_start(*line)).collect();
        let is_around = |function: &&&StmtFunctionDef| {
            let span = Span::from(function.range());
            starts.iter().any(|at| span.start <= *at && *at < span.end)
        };
        named().find(is_around).or_else(|| named().next()).copied()
    }

    /// The plan of the innermost statement on a line.
    fn plan_at(&self, line: u32, is_strict: bool) -> Option<Plan> {
        let start = self.line_start(line)?;
        let rest = self.text.get(start..)?;
        let at = start + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let around = self.statements.iter().filter(|statement| {
            let span = Span::from(statement.range());
            span.start <= at && at < span.end
        });
        let statement = around.min_by_key(|statement| statement.range().len())?;
        self.plan(statement, is_strict)
    }

    /// `is_strict`: only what is surely an assertion counts.
    fn plan(&self, statement: &Stmt, is_strict: bool) -> Option<Plan> {
        match statement {
            Stmt::Assert(assert) => Some(self.judged(&assert.test, assert.range().start().to_usize())),
            Stmt::Expr(expression) => match unawaited(&expression.value) {
                Expr::Call(call) => self.called(call, is_strict),
                _ => None,
            },
            // What is assigned, returned or a context was called on the way to a failed assertion: a judge like any other.
            Stmt::Assign(assign) if !is_strict => match unawaited(&assign.value) {
                Expr::Call(call) if is_assertion(last(&call.func)) => self.called(call, false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A value that has to be true.
    fn judged(&self, test: &Expr, before: usize) -> Plan {
        match test {
            Expr::Compare(compare) if compare.comparators.len() == 1 => {
                let (left, right, operator) = (&*compare.left, &compare.comparators[0], compare.ops[0]);
                match operator {
                    CmpOp::Eq | CmpOp::Is if is_verdict(right) => self.verdict(left, right, before),
                    CmpOp::Eq | CmpOp::Is if is_verdict(left) => self.verdict(right, left, before),
                    CmpOp::Eq | CmpOp::Is => equality(left, right),
                    CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => ordering(right),
                    CmpOp::In => Plan::new(Form::Judgement, vec![vec![place(left, How::Near)]]),
                    CmpOp::NotEq | CmpOp::IsNot | CmpOp::NotIn => Plan::nothing().negative(),
                }
            }
            Expr::UnaryOp(not) => self.judged(&not.operand, before).negative(),
            Expr::BoolOp(both) => Plan::together(both.values.iter().map(|value| self.judged(value, before)).collect()),
            Expr::Call(call) => arguments(call),
            Expr::Await(awaited) => self.judged(&awaited.value, before),
            Expr::Name(name) => self.assigned(name.id.as_str(), before),
            _ => Plan::nothing(),
        }
    }

    /// A value that has to be `verdict`.
    fn verdict(&self, value: &Expr, verdict: &Expr, before: usize) -> Plan {
        let plan = self.judged(value, before);
        let is_false = matches!(verdict, Expr::BooleanLiteral(literal) if !literal.value);
        if is_false { plan.negative() } else { plan }
    }

    /// The value that a variable got last.
    fn assigned(&self, name: &str, before: usize) -> Plan {
        let around = self.functions.iter().filter(|function| {
            let span = Span::from(function.range());
            span.start <= before && before < span.end
        });
        let Some(function) = around.min_by_key(|function| function.range().len()) else { return Plan::nothing() };
        let value = self.statements.iter().rev().find_map(|statement| match statement {
            Stmt::Assign(assign) if statement.range().end().to_usize() <= before && contains(function, statement) => {
                let is_it = matches!(assign.targets.last(), Some(Expr::Name(target)) if target.id.as_str() == name);
                is_it.then_some(&*assign.value)
            }
            _ => None,
        });
        match value {
            Some(Expr::Name(_)) | None => Plan::nothing(),
            Some(value) => self.judged(value, value.range().start().to_usize()),
        }
    }

    fn called(&self, call: &ExprCall, is_strict: bool) -> Option<Plan> {
        let name = last(&call.func);
        let plain = name.replace('_', "").to_ascii_lowercase();
        let (first, second) = (call.arguments.args.first(), call.arguments.args.get(1));
        let at = call.range().start().to_usize();
        if plain.contains("raises") || plain.contains("warns") || plain.contains("logs") {
            return Some(Plan::nothing());
        }
        if matches!(plain.as_str(), "asserttrue" | "assertfalse" | "assert" | "ok") {
            let plan = first.map_or_else(Plan::nothing, |first| self.judged(first, at));
            return Some(if plain == "assertfalse" { plan.negative() } else { plan });
        }
        if plain.starts_with("assert") {
            if plain.contains("not") || plain.contains("none") && second.is_none() {
                return Some(Plan::nothing().negative());
            }
            if plain.contains("called") {
                let all: Mutation = call.arguments.args.iter().map(|argument| place(argument, How::Near)).collect();
                return Some(if all.is_empty() { Plan::nothing() } else { Plan::new(Form::Equality, vec![all]) });
            }
            let Some((first, second)) = first.zip(second) else { return Some(arguments(call)) };
            return Some(if is_ordering(&plain) {
                ordering(second)
            } else if is_approximate(&plain) && is_of_framework(&call.func) {
                Plan::new(Form::Equality, vec![vec![place(second, How::FarUp)]])
            } else if is_equality(&plain) && is_of_framework(&call.func) {
                if is_verdict(second) { self.verdict(first, second, at) } else { equality(first, second) }
            } else if plain == "assertin" {
                Plan::new(Form::Judgement, vec![vec![place(first, How::Near)]])
            } else {
                arguments(call)
            });
        }
        if is_strict && !is_assertion(name) {
            return None;
        }
        Some(arguments(call))
    }
}

fn unawaited(expression: &Expr) -> &Expr {
    match expression {
        Expr::Await(awaited) => unawaited(&awaited.value),
        other => other,
    }
}

fn place(expression: &Expr, how: How) -> (Span, How) {
    (expression.range().into(), how)
}

/// The last name of what is called.
fn last(callee: &Expr) -> &str {
    match callee {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}

/// Returns whether an assertion is a method, as those of unittest, mocks and numpy are. A plain function of such a name belongs to
/// the project, which may give it another meaning.
fn is_of_framework(callee: &Expr) -> bool {
    matches!(callee, Expr::Attribute(_))
}

fn is_assertion(name: &str) -> bool {
    ["assert", "expect", "check", "verify", "ensure", "should"].iter().any(|word| name.starts_with(word))
}

fn is_verdict(expression: &Expr) -> bool {
    matches!(expression, Expr::BooleanLiteral(_))
}

fn equality(left: &Expr, right: &Expr) -> Plan {
    let is_tolerant = |side: &Expr| matches!(side, Expr::Call(call) if is_approximate(last(&call.func)));
    let any = match (is_tolerant(left), is_tolerant(right)) {
        (true, _) => place(right, How::FarUp),
        (false, true) => place(left, How::FarUp),
        (false, false) => place(right, How::Near),
    };
    Plan::new(Form::Equality, vec![vec![any]])
}

fn ordering(bound: &Expr) -> Plan {
    let any = [How::FarUp, How::FarDown].map(|how| vec![place(bound, how)]);
    Plan::new(Form::Judgement, any.to_vec())
}

fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(_) => true,
        Expr::UnaryOp(unary) => is_number(&unary.operand),
        _ => false,
    }
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::List(_)
        | Expr::Tuple(_)
        | Expr::Dict(_)
        | Expr::Set(_) => true,
        _ => is_number(expression),
    }
}

/// Returns the plan for a call that judges its arguments: literals are perturbed first, the last argument
/// before the others.
fn arguments(call: &ExprCall) -> Plan {
    const MOST: usize = 4;
    let all: Vec<&Expr> = call
        .arguments
        .args
        .iter()
        .chain(call.arguments.keywords.iter().map(|keyword| &keyword.value))
        .filter(|argument| !matches!(argument, Expr::Starred(_) | Expr::Generator(_) | Expr::Lambda(_)))
        .collect();
    // What is computed is what is judged: a judge may notice another value there and not look at what is expected.
    let (literal, computed): (Vec<&Expr>, Vec<&Expr>) = all.iter().rev().partition(|argument| is_literal(argument));
    let (called, named): (Vec<&Expr>, Vec<&Expr>) =
        computed.iter().partition(|argument| matches!(argument, Expr::Call(_) | Expr::Await(_)));
    let expected = [&literal, &named, &called].into_iter().find(|tier| !tier.is_empty());
    let ways = expected.into_iter().flatten().flat_map(|argument| {
        ways_of_argument(is_number(argument), called.is_empty()).iter().map(|how| vec![place(argument, *how)])
    });
    let mut plan = Plan::new(Form::Judgement, ways.take(MOST).collect());
    // `near(vat(100), 19.0)`: what is expected beside what is computed.
    if let Some(number) = literal.iter().find(|argument| is_number(argument)).filter(|_| !called.is_empty()) {
        plan.each = [How::Near, How::NearDown].map(|how| vec![place(number, how)]).to_vec();
    }
    if let ([computed], [expected], []) = (called.as_slice(), literal.as_slice(), named.as_slice()) {
        plan.pair = Some((computed.range().into(), expected.range().into()));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::{self, Expectation};

    fn of(body: &str, line: u32) -> Expectation {
        of_failure(body, line, true)
    }

    fn of_failure(body: &str, line: u32, is_asserted: bool) -> Expectation {
        let text = format!("import unittest\nasync def test_it(self):\n{body}");
        let place = TestPlace { name: "test_a.T::test_it[1-2]".to_owned(), lines: vec![(line, None)], is_asserted };
        expectation::of("test_a.py", &text, &place).unwrap()
    }

    fn first(expectation: &Expectation) -> &str {
        let text = expectation.perturbed.first().map_or("", String::as_str);
        text.lines().find(|line| line.contains("autoheal_other_value((")).unwrap_or_default().trim()
    }

    #[test]
    fn what_is_expected_is_wrapped() {
        for (line, form, wrapped) in [
            ("assert f(1) == 19", Form::Equality, "assert f(1) == autoheal_other_value((19), 0)"),
            ("assert approx(3) == f(1)", Form::Equality, "assert approx(3) == autoheal_other_value((f(1)), 1)"),
            ("self.assertEqual(f(1), [2])", Form::Equality, "self.assertEqual(f(1), autoheal_other_value(([2]), 0))"),
            (
                "self.assertTrue(near(f(1), 2))",
                Form::Judgement,
                "self.assertTrue(near(f(1), autoheal_other_value((2), 1)))",
            ),
            (
                "assert near(f(1), 2) is True",
                Form::Judgement,
                "assert near(f(1), autoheal_other_value((2), 1)) is True",
            ),
            ("assert not f('x')", Form::Judgement, "assert not f(autoheal_other_value(('x'), 1))"),
            ("expect_close(f(1), 19.0)", Form::Judgement, "expect_close(f(1), autoheal_other_value((19.0), 1))"),
            ("await check(f, want=3)", Form::Judgement, "await check(f, want=autoheal_other_value((3), 1))"),
            ("assert f(1) < 3", Form::Judgement, "assert f(1) < autoheal_other_value((3), 1)"),
            (
                "m.assert_called_with(1, 2)",
                Form::Equality,
                "m.assert_called_with(autoheal_other_value((1), 0), autoheal_other_value((2), 0))",
            ),
            ("assert_equal(f(1), 2)", Form::Judgement, "assert_equal(f(1), autoheal_other_value((2), 1))"),
        ] {
            let found = of(&format!("    {line}\n"), 3);
            assert_eq!((found.form, first(&found)), (form, wrapped), "{line}");
        }
        let agreed = |line: &str| of(&format!("    {line}\n"), 3).agreed;
        assert!(agreed("assert near(f(1), 2)").unwrap().contains("assert near(2, 2)\n"));
        assert_eq!(agreed("assert near(f(1), x)"), None);
        assert_eq!(agreed("assert f(1) == 19"), None);
    }

    #[test]
    fn a_number_beside_what_is_computed_is_looked_at_closely() {
        assert_eq!(of("    assert near(f(1), 2)\n", 3).exact.len(), 2);
        assert_eq!(of("    assert is_adult(18)\n", 3).exact.len(), 0);
        assert_eq!(of("    assert f(1) == 2\n", 3).exact.len(), 0);
    }

    #[test]
    fn a_predicate_is_asked_about_nothing_too() {
        let asked = of("    assert is_full([1, 2])\n", 3).perturbed;
        assert!(asked.iter().any(|text| text.contains("autoheal_other_value(([1, 2]), 4)")), "{asked:?}");
        let judged = of("    assert same(f(1), [1, 2])\n", 3).perturbed;
        assert!(
            judged.iter().all(|text| !text.contains(", 4)")),
            "what compares lengths must not pass for a judge: {judged:?}"
        );
    }

    #[test]
    fn the_value_of_a_variable_is_followed_and_other_statements_count_when_the_failed_one_asserts_nothing() {
        let found = of("    ok = near(f(1), 2)\n    assert ok\n", 4);
        assert_eq!(first(&found), "ok = near(f(1), autoheal_other_value((2), 1))");
        let found = of("    x = f(1)\n    assert x == 2\n    y = 1\n    assert y == 1\n", 3);
        assert!(found.perturbed[0].contains("x == autoheal_other_value((2), 0)"));
        assert!(found.perturbed[0].contains("y == autoheal_other_value((1), 0)"));
    }

    #[test]
    fn a_function_can_be_made_to_do_nothing() {
        let text = "def f(a):\n    \"\"\"Why.\"\"\"\n    if a:\n        raise ValueError(a)\n";
        let hollow = expectation::hollow("a.py", text, text.len() - 4).unwrap();
        assert_eq!(hollow, text.replace("    \"\"\"Why", "    return; \"\"\"Why"));
        assert_eq!(expectation::hollow("a.py", "if 1:\n    x = 2\n", 8), None);
    }

    #[test]
    fn a_test_can_be_made_to_fail_at_its_end() {
        let failing = |body: &str| of(body, 3).failing.unwrap();
        assert!(failing("    f(1)\n").ends_with("    f(1)\n    raise AssertionError(\"autoheal\")\n"));
        assert!(failing("    f(1)\n    return 2\n").contains("raise AssertionError(\"autoheal\")\n    return 2"));
        assert!(
            failing("    with a:\n        f(1)\n").ends_with("        f(1)\n    raise AssertionError(\"autoheal\")\n")
        );
        let broken = of_failure("    f(1)\n", 3, false);
        assert_eq!((broken.form, broken.perturbed.len()), (Form::Unknown, 0), "what broke is no judge");
    }
}
