//! A file as operators see it: its tree, its tables, and the pieces of it that other places may have meant.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, BoolOp, Expr, Operator, Stmt};
use ruff_text_size::Ranged;

use super::stock::{Stock, is_short};
use crate::edit::{Edit, apply_within};
use crate::python::module::{Function, Module, Shape, Span};
use crate::python::parse;
use crate::search::layout::Layout;
use crate::search::site::Text;
use crate::search::uses::Uses;

/// A file that parses.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) module: &'a Module,
    pub(super) conditions: Vec<&'a Expr>,
    uses: BTreeMap<&'a str, Uses>,
    methods: BTreeSet<&'a str>,
    attributes: BTreeMap<&'a str, BTreeSet<&'a str>>,
    fields: BTreeSet<&'a str>,
    /// Positions of number literals.
    pub(super) numbers: Vec<Span>,
    /// Positions of string literals.
    pub(super) texts: Vec<Span>,
    pub(super) layout: Layout<'a>,
    /// Fallbacks for a missing value (`value or this`), with the number of times each is used.
    pub(super) fallbacks: BTreeMap<&'a str, u32>,
    /// Pieces of the file that other places in it may lack.
    pub(super) stock: Stock,
}

/// Maximum number of a file's functions that are tried in another's place.
const MOST_FUNCTIONS: usize = 30;

/// Returns the uses of a variable that follow from a value assigned to it.
fn uses_of_value(value: &Expr) -> Uses {
    match value {
        Expr::NumberLiteral(_) => Uses::COUNTED,
        Expr::List(_)
        | Expr::Dict(_)
        | Expr::Set(_)
        | Expr::ListComp(_)
        | Expr::SetComp(_)
        | Expr::DictComp(_)
        | Expr::StringLiteral(_) => Uses::ITERATED,
        _ => Uses::default(),
    }
}

impl<'a> File<'a> {
    pub(super) fn new(name: &'a str, text: &'a str, module: &'a Module, body: &'a [Stmt]) -> Self {
        let mut survey = Survey::default();
        survey.visit_body(body);
        let Survey { conditions, uses, mut methods, fallbacks: ends } = survey;
        let mut fallbacks: BTreeMap<&str, u32> = BTreeMap::new();
        for code in ends.iter().map(|end| Span::from(end.range()).text(text)).filter(|code| is_short(code)) {
            *fallbacks.entry(code).or_default() += 1;
        }
        let own_methods = module.functions.iter().filter(|function| function.class.is_some());
        methods.extend(own_methods.map(|function| function.name.as_str()));
        let names = module.classes.iter().flat_map(|class| class.attributes.keys()).map(String::as_str);
        let fields = names.filter(|name| !methods.contains(name) && !name.starts_with("__")).collect();
        let mut attributes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        for expression in &module.expressions {
            match &expression.shape {
                Shape::Attribute { value, name } => {
                    attributes.entry(value.text(text)).or_default().insert(name.text(text));
                }
                Shape::Number => numbers.push(expression.span),
                Shape::Text => texts.push(expression.span),
                _ => {}
            }
        }
        let stock = Stock::new(text, module, body);
        let layout = Layout::of(text);
        Self {
            name,
            text,
            module,
            conditions,
            uses,
            methods,
            attributes,
            fields,
            numbers,
            texts,
            layout,
            fallbacks,
            stock,
        }
    }

    /// Returns the uses of a variable.
    pub(super) fn uses(&self, name: &str) -> Uses {
        self.uses.get(name).copied().unwrap_or_default()
    }

    /// The functions of the file itself, methods not included.
    pub(super) fn functions(&self) -> impl Iterator<Item = &'a str> {
        let plain = self.module.functions.iter().filter(|function| function.class.is_none());
        plain.map(|function| function.name.as_str()).take(MOST_FUNCTIONS)
    }

    /// Returns the functions that can be called with one argument.
    pub(super) fn functions_of_one(&self) -> impl Iterator<Item = &'a str> {
        let takes_one = |function: &&Function| {
            let needed = function.parameters.iter().filter(|parameter| parameter.default.is_none());
            function.class.is_none() && needed.count() == 1
        };
        self.module.functions.iter().filter(takes_one).map(|function| function.name.as_str()).take(MOST_FUNCTIONS)
    }

    /// The function or method of that name; `None` when several files or classes have one.
    pub(super) fn definition(&self, name: &str) -> Option<&'a Function> {
        let mut found = self.module.functions.iter().filter(|function| function.name == name);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }

    /// Returns whether the file has a method of that name or calls one.
    pub(super) fn is_method(&self, name: &str) -> bool {
        self.methods.contains(name)
    }

    /// Returns the attributes of the file's classes, methods not included.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> {
        self.fields.iter().copied()
    }

    /// Returns the attributes that are read from objects of that name.
    pub(super) fn attributes_read(&self, receiver: &str) -> impl Iterator<Item = &'a str> {
        self.attributes.get(receiver).into_iter().flatten().copied()
    }
}

impl Text for File<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn text(&self) -> &str {
        self.text
    }

    fn line_of(&self, at: usize) -> u32 {
        self.module.line_of(at)
    }

    /// Quotes inside an f-string's own braces end the string before Python 3.12.
    fn allows(&self, edits: &[Edit]) -> bool {
        let mut quoting = edits.iter().filter(|edit| edit.replacement.contains(['"', '\'', '\\', '\n']));
        quoting.all(|edit| {
            let is_inside = |span: &Span| span.start < edit.start && edit.end < span.end;
            !self.texts.iter().any(is_inside)
        })
    }

    /// Parses only the lines of the function, or else of the top-level statement, that contains the edits: everything outside of it
    /// is unchanged, and parsed before.
    fn parses(&self, edits: &[Edit]) -> bool {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
        let edited = Span { start: first.start, end: last.end };
        let layout = self.layout;
        let lines = |span: Span| Span { start: layout.line_start(span.start), end: layout.line_end(span.end) };
        let functions = self.module.functions.iter().map(|function| function.span);
        // Only what may contain the edits once it is whole lines: finding lines takes time.
        let near = |span: &Span| span.start <= edited.end && edited.start <= layout.line_end(span.end);
        let around = functions
            .filter(near)
            .map(lines)
            .filter(|lines| lines.contains(edited))
            .min_by_key(|lines| lines.end - lines.start);
        let statements = || self.module.statements.iter().map(|statement| statement.span).filter(near).map(lines);
        let whole = Span { start: 0, end: self.text.len() };
        let around = around.or_else(|| statements().find(|lines| lines.contains(edited))).unwrap_or(whole);
        let Some(code) = apply_within(self.text, edits, around) else { return false };
        // An indented function stands in some block; a class is one that says nothing about what surrounds it.
        let block = if code.starts_with([' ', '\t']) { "class _:\n" } else { "" };
        parse::compiles(&format!("{block}{code}"), None)
    }
}

/// Built-in functions that take something with elements.
const GO_THROUGH: [&str; 11] =
    ["len", "sorted", "sum", "any", "all", "list", "set", "tuple", "enumerate", "zip", "reversed"];

/// One walk over the whole tree for what the operators ask of the file.
#[derive(Default)]
struct Survey<'a> {
    conditions: Vec<&'a Expr>,
    uses: BTreeMap<&'a str, Uses>,
    methods: BTreeSet<&'a str>,
    /// The last operands of `or`.
    fallbacks: Vec<&'a Expr>,
}

impl<'a> Survey<'a> {
    fn note(&mut self, expression: &'a Expr, uses: Uses) {
        if let Expr::Name(name) = expression {
            self.uses.entry(name.id.as_str()).or_default().note(uses);
        }
    }

    fn condition(&mut self, condition: &'a Expr) {
        self.conditions.push(condition);
        if let Expr::BoolOp(inner) = condition {
            self.conditions.extend(&inner.values);
        }
    }
}

impl<'a> Visitor<'a> for Survey<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::If(inner) => {
                self.condition(&inner.test);
                let tests = inner.elif_else_clauses.iter().filter_map(|clause| clause.test.as_ref());
                tests.for_each(|test| self.condition(test));
            }
            Stmt::While(inner) => self.condition(&inner.test),
            Stmt::For(inner) => self.note(&inner.iter, Uses::ITERATED),
            Stmt::Assign(inner) => {
                for target in &inner.targets {
                    match (target, &*inner.value) {
                        (Expr::Tuple(targets), Expr::Tuple(values)) => {
                            let pairs = targets.elts.iter().zip(&values.elts);
                            pairs.for_each(|(target, value)| self.note(target, uses_of_value(value)));
                        }
                        (target, value) => self.note(target, uses_of_value(value)),
                    }
                }
            }
            Stmt::AugAssign(inner) if inner.value.is_number_literal_expr() => self.note(&inner.target, Uses::COUNTED),
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
        self.note(&comprehension.iter, Uses::ITERATED);
        visitor::walk_comprehension(self, comprehension);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => {
                self.note(&call.func, Uses::CALLED);
                if let Expr::Attribute(attribute) = &*call.func {
                    self.methods.insert(&attribute.attr);
                }
                if matches!(&*call.func, Expr::Name(name) if GO_THROUGH.contains(&name.id.as_str())) {
                    call.arguments.args.iter().for_each(|argument| self.note(argument, Uses::ITERATED));
                }
            }
            Expr::Attribute(attribute) => self.note(&attribute.value, Uses::RECEIVER),
            Expr::BoolOp(operation) if operation.op == BoolOp::Or => self.fallbacks.extend(operation.values.last()),
            Expr::Subscript(subscript) => {
                self.note(&subscript.value, Uses::INDEXED);
                self.note(&subscript.slice, Uses::INDEX);
            }
            // Texts and lists are added too.
            Expr::BinOp(operation)
                if operation.op != Operator::Add
                    || [&operation.left, &operation.right].iter().any(|side| side.is_number_literal_expr()) =>
            {
                self.note(&operation.left, Uses::COUNTED);
                self.note(&operation.right, Uses::COUNTED);
            }
            Expr::Compare(comparison) if comparison.ops.iter().any(|op| op.as_str().starts_with(['<', '>'])) => {
                self.note(&comparison.left, Uses::COUNTED);
                comparison.comparators.iter().for_each(|right| self.note(right, Uses::COUNTED));
            }
            _ => {}
        }
        visitor::walk_expr(self, expression);
    }
}
