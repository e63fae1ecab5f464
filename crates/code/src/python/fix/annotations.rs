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
    (blame.context.environment.python.version >= (3, 10) && !kind.starts_with(['\'', '"']))
        .then(|| format!("{kind} | None"))
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
    use autoheal_engine::diagnostics::{Category, Finding, Location, Source};

    use super::*;
    use crate::environment::Environment;
    use crate::python::environment::PythonEnvironment;
    use crate::sources::Sources;

    fn fixed(text: &str, findings: &[(u32, &str)]) -> Vec<String> {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", text, false);
        let all: Vec<Finding> = findings
            .iter()
            .map(|(line, message)| Finding {
                source: Source::Lint,
                category: Category::TypeError,
                file: Some("a.py".to_owned()),
                location: Some(Location { line: *line, column: None }),
                message: (*message).to_owned(),
                stack: None,
            })
            .collect();
        let environment: Environment = PythonEnvironment { version: (3, 11), ..PythonEnvironment::default() }.into();
        let context = FixContext { finding: &all[0], all_findings: &all, sources: &sources, environment: &environment };
        let candidates = Annotations.candidates(&context);
        candidates.iter().map(|candidate| candidate.files[0].apply(text).unwrap()).collect()
    }

    const RETURN: &str = "Incompatible return value type (got \"Decimal\", expected \"str\")  [return-value]";

    #[test]
    fn the_annotation_says_what_the_function_returns() {
        let text = "from decimal import Decimal\n\ndef f(x: Decimal) -> str:\n    return x * 2\n";
        assert_eq!(fixed(text, &[(4, RETURN)]), [text.replace("-> str", "-> Decimal")]);
        let said = "reportReturnType: Type \"Literal[3]\" is not assignable to return type \"str\"\n  x";
        assert_eq!(fixed("def f() -> str:\n    return 3\n", &[(2, said)]), ["def f() -> int:\n    return 3\n"]);
        let default = "Incompatible default for parameter \"x\" (default has type \"None\", parameter has type \"int\")  [assignment]";
        assert_eq!(
            fixed("def f(x: int = None) -> None:\n    pass\n", &[(1, default)]),
            ["def f(x: int | None = None) -> None:\n    pass\n"]
        );
        let assigned =
            "Incompatible types in assignment (expression has type \"int\", variable has type \"str\")  [assignment]";
        assert_eq!(fixed("x: str = 3\n", &[(1, assigned)]), ["x: int = 3\n"]);
    }

    #[test]
    fn where_one_return_agrees_the_other_may_be_wrong() {
        let text =
            "from decimal import Decimal\n\ndef f(x: Decimal) -> str:\n    if x:\n        return 'a'\n    return x\n";
        assert_eq!(fixed(text, &[(6, RETURN)]), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_said_that_gives_the_check_up() {
        let any = RETURN.replace("Decimal", "Any");
        let object = RETURN.replace("Decimal", "object");
        let unknown = RETURN.replace("Decimal", "Fraction");
        let maybe = RETURN.replace("Decimal", "Decimal | None");
        for message in [any, object, unknown, maybe] {
            let text = "from decimal import Decimal\nfrom typing import Any\n\ndef f(x) -> str:\n    return x\n";
            assert_eq!(fixed(text, &[(5, &message)]), Vec::<String>::new(), "{message}");
        }
    }
}
