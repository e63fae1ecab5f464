//! An annotation whose type differs from that of the program: a type checker reports both. The tests see the
//! value, so the annotation is changed, but only where every value that the function returns disagrees with it.

use std::sync::LazyLock;

use regex::Regex;
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Parameter, ParameterWithDefault, Stmt, StmtFunctionDef, StmtReturn};
use ruff_text_size::Ranged;

use super::blame::Blame;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::parse::{self, Tree};
use crate::repair::region::line_of;

/// Makes an annotation say the type that a type checker found.
pub(super) struct Annotations;

const NAME: &str = "annotations";

macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

pattern!(
    RETURNED,
    r#"^(?:Incompatible return value type \(got "(?<mypy>[^"]+)", expected "[^"]+"\)|reportReturnType: Type "(?<pyright>[^"]+)" is not assignable to return type)"#
);
pattern!(
    ASSIGNED,
    r#"^(?:Incompatible types in assignment \(expression has type "(?<mypy>[^"]+)", variable has type "[^"]+"\)|reportAssignmentType: Type "(?<pyright>[^"]+)" is not assignable to declared type)"#
);
pattern!(
    DEFAULT,
    r#"^(?:Incompatible default for (?:parameter|argument) "(?<mypy>\w+)" \(default has type "None"|reportArgumentType: Expression of type "None" cannot be assigned to parameter)"#
);

impl Fixer for Annotations {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let (Some(file), Some(location)) = (&finding.file, finding.location) else { return Vec::new() };
        let Some(text) = context.sources.text(file) else { return Vec::new() };
        let Some(tree) = parse::parse(text, None).ok().filter(Tree::is_valid) else { return Vec::new() };
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        let said = |pattern: &LazyLock<Option<Regex>>| {
            let found = pattern.as_ref()?.captures(&finding.message)?;
            let kind = found.name("mypy").or_else(|| found.name("pyright"));
            Some(kind.map(|kind| kind.as_str().to_owned()).unwrap_or_default())
        };
        let known = |kind: &str| spelled(kind, &blame, file);
        tree.read(|body| {
            let places = Places::of(body, text, location.line);
            if let Some(kind) = said(&RETURNED).and_then(|kind| known(&kind)) {
                if let Some(function) = places.function
                    && let Some(annotation) = &function.returns
                    && returned_lines(function, text).into_iter().all(|line| context.is_found_at(line))
                {
                    let range = annotation.range().to_std_range();
                    let description = format!("let '{}' return '{kind}', as it does", function.name);
                    list.edit(1.0, description, file, Edit::replace(range, kind));
                }
            } else if let Some(kind) = said(&ASSIGNED).and_then(|kind| known(&kind)) {
                if let Some(Stmt::AnnAssign(assigned)) = places.statement
                    && assigned.value.is_some()
                {
                    let range = assigned.annotation.range().to_std_range();
                    list.edit(1.0, format!("annotate the variable with '{kind}'"), file, Edit::replace(range, kind));
                }
            } else if let Some(name) = said(&DEFAULT) {
                for parameter in places.with_none.iter().filter(|one| name.is_empty() || one.name.as_str() == name) {
                    let Some(annotation) = &parameter.annotation else { continue };
                    let Some(old) = text.get(annotation.range().to_std_range()) else { continue };
                    let Some(new) = optional(old, &blame, file) else { continue };
                    let description = format!("say that '{}' may be None, as by default", parameter.name);
                    list.edit(1.0, description, file, Edit::replace(annotation.range().to_std_range(), new));
                }
            }
        });
        list.finish(NAME, 4)
    }
}

/// A type as it can be written in the file: every name in it is a built-in type or bound there, and none gives the check up.
fn spelled(kind: &str, blame: &Blame<'_>, file: &str) -> Option<String> {
    const BUILT_IN: [&str; 11] =
        ["int", "str", "float", "bool", "bytes", "complex", "list", "dict", "tuple", "set", "frozenset"];
    let kind = match kind.strip_prefix("Literal[").and_then(|rest| rest.strip_suffix(']')) {
        Some("True" | "False") => "bool",
        Some(value) if value.starts_with(['\'', '"']) => "str",
        Some(value) if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => "int",
        Some(_) => return None,
        None => kind,
    };
    let visible = blame.module(file)?.visible(0);
    let is_plain = kind.chars().all(|one| one.is_alphanumeric() || "_[], |.".contains(one));
    let mut names =
        kind.split(|one: char| !(one.is_alphanumeric() || one == '_' || one == '.')).filter(|name| !name.is_empty());
    let is_known = names.all(|name| {
        let first = name.split('.').next().unwrap_or(name);
        !matches!(name, "Any" | "object" | "None") && (BUILT_IN.contains(&name) || visible.contains_key(first))
    });
    (is_plain && is_known).then(|| kind.to_owned())
}

/// A type or `None`, in the way that the file or its version of Python knows.
fn optional(kind: &str, blame: &Blame<'_>, file: &str) -> Option<String> {
    let visible = blame.module(file)?.visible(0);
    if visible.contains_key("Optional") {
        return Some(format!("Optional[{kind}]"));
    }
    (blame.runtime().version >= (3, 10) && !kind.starts_with(['\'', '"'])).then(|| format!("{kind} | None"))
}

/// Syntax around a line.
#[derive(Default)]
struct Places<'a> {
    text: &'a str,
    line: u32,
    /// Innermost function around the line.
    function: Option<&'a StmtFunctionDef>,
    /// The innermost statement that begins there.
    statement: Option<&'a Stmt>,
    /// Parameters there that are `None` by default.
    with_none: Vec<&'a Parameter>,
}

impl<'a> Places<'a> {
    fn of(body: &'a [Stmt], text: &'a str, line: u32) -> Self {
        let mut places = Self { text, line, ..Self::default() };
        places.visit_body(body);
        places
    }

    fn line(&self, place: impl Ranged) -> u32 {
        line_of(self.text, place.start().to_usize())
    }
}

impl<'a> Visitor<'a> for Places<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let last = line_of(self.text, statement.end().to_usize());
        if !(self.line(statement)..=last).contains(&self.line) {
            return;
        }
        if self.line(statement) == self.line {
            self.statement = Some(statement);
        }
        if let Stmt::FunctionDef(function) = statement {
            self.function = Some(function);
            let none = |one: &&ParameterWithDefault| matches!(one.default.as_deref(), Some(Expr::NoneLiteral(_)));
            let parameters = function.parameters.iter_non_variadic_params().filter(none);
            let here = parameters.filter(|one| self.line(*one) == self.line);
            self.with_none = here.map(|one| &one.parameter).collect();
        }
        walk_stmt(self, statement);
    }
}

/// The lines of the values that a function returns.
fn returned_lines(function: &StmtFunctionDef, text: &str) -> Vec<u32> {
    struct Returns<'t>(&'t str, Vec<u32>);
    impl<'a> Visitor<'a> for Returns<'_> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                Stmt::Return(StmtReturn { value, range, .. }) => {
                    let start = value.as_ref().map_or(range.start(), |value| value.start());
                    self.1.push(line_of(self.0, start.to_usize()));
                }
                _ => walk_stmt(self, statement),
            }
        }
    }
    let mut returns = Returns(text, Vec::new());
    returns.visit_body(&function.body);
    returns.1
}

#[cfg(test)]
mod tests {
    use super::Annotations;
    use crate::fix_example::{check_fix, check_no_fix, mypy, pyright};

    #[test]
    fn says_what_function_returns() {
        check_fix(
            &Annotations,
            mypy(
                "a.py:4:12: error: Incompatible return value type (got \"Decimal\", expected \"str\")  [return-value]",
            ),
            r"
 from decimal import Decimal

-def double(x: Decimal) -> str:
+def double(x: Decimal) -> Decimal:
     return x * 2
",
        );
        check_fix(
            &Annotations,
            pyright(
                r#"{"generalDiagnostics": [{"file": "/repo/a.py", "severity": "error", "rule": "reportReturnType",
  "message": "Type \"Literal[3]\" is not assignable to return type \"str\"", "range": {"start": {"line": 1, "character": 11}}}]}"#,
            ),
            r"
-def limit() -> str:
+def limit() -> int:
     return 3
",
        );
    }

    #[test]
    fn says_what_variable_is() {
        check_fix(
            &Annotations,
            mypy(
                "a.py:1:14: error: Incompatible types in assignment (expression has type \"int\", variable has type \"str\")  \
                 [assignment]",
            ),
            r"
-limit: str = 3
+limit: int = 3
",
        );
    }

    #[test]
    fn says_that_parameter_may_be_none() {
        check_fix(
            &Annotations,
            mypy(
                "a.py:1:24: error: Incompatible default for parameter \"most\" (default has type \"None\", parameter has type \
                 \"int\")  [assignment]",
            ),
            r"
-def lines(text, most: int = None) -> list[str]:
+def lines(text, most: int | None = None) -> list[str]:
     return text.splitlines()[:most]
",
        );
    }

    /// The other one may be wrong.
    #[test]
    fn leaves_function_alone_where_one_return_agrees() {
        check_no_fix(
            &Annotations,
            mypy(
                "a.py:6:12: error: Incompatible return value type (got \"Decimal\", expected \"str\")  [return-value]",
            ),
            r"
 from decimal import Decimal

 def shown(x: Decimal) -> str:
     if not x:
         return 'nothing'
     return x
",
        );
    }

    #[test]
    fn says_nothing_that_gives_check_up() {
        for kind in ["Any", "object", "Fraction", "Decimal | None"] {
            check_no_fix(
                &Annotations,
                mypy(&format!(
                    "a.py:5:12: error: Incompatible return value type (got \"{kind}\", expected \"str\")  [return-value]"
                )),
                r"
 from decimal import Decimal
 from typing import Any

 def shown(x) -> str:
     return x
",
            );
        }
    }
}
