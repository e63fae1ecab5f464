//! Syntax check of Python text: the parser's errors, and those that `CPython`'s compiler reports beyond the grammar (`return`
//! outside a function, a parameter named twice, ...).

use std::cell::RefCell;
use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Mod, PySourceType, PythonVersion, Stmt, StmtFunctionDef, Suite};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError, SemanticSyntaxErrorKind,
};
use ruff_python_parser::{
    LexicalErrorType, ParseError, ParseErrorType, ParseOptions, UnsupportedSyntaxError, parse_unchecked,
};
use ruff_text_size::TextRange;

use super::depth;
use crate::edit::{self, Edit};
use crate::recursion::deep;

/// One reason why a text does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxProblem {
    /// Line of the problem, from 1.
    pub line: u32,
    /// Column of the problem, from 1, in characters.
    pub column: u32,
    /// Message of the parser.
    pub message: String,
    /// True if `CPython` would report it as an `IndentationError`.
    pub is_indentation: bool,
}

/// A problem with its place in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
    pub(crate) is_indentation: bool,
}

/// Maximum length of a text that is parsed, in bytes: offsets are 32 bits wide, and longer files are not
/// written by hand.
const MAX_TEXT: usize = 8 << 20;

/// Every reason why the text does not compile, in order of place; for a version of Python also what only other versions
/// accept (`match` before 3.10).
pub fn syntax_errors(text: &str, version: Option<(u8, u8)>) -> Vec<SyntaxProblem> {
    let mut problems = Vec::new();
    let (mut position, mut line, mut column) = (0, 1, 1);
    for fault in faults(text, version) {
        let start = fault.start.min(text.len());
        for character in text.get(position..start).unwrap_or_default().chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        position = start.max(position);
        let Fault { message, is_indentation, .. } = fault;
        problems.push(SyntaxProblem { line, column, message, is_indentation });
    }
    problems
}

/// Checks whether the text compiles, as far as that does not depend on the version of Python.
///
/// # Errors
///
/// Returns the first [`SyntaxProblem`] of a text that does not compile.
pub fn check(text: &str) -> Result<(), SyntaxProblem> {
    syntax_errors(text, None).into_iter().next().map_or(Ok(()), Err)
}

/// Returns the same as [`syntax_errors`], with positions in bytes.
pub(crate) fn faults(text: &str, version: Option<(u8, u8)>) -> Vec<Fault> {
    match parse(text, version) {
        Ok(tree) => all_faults(text, &tree, version),
        Err(refusal) => vec![refusal],
    }
}

/// The faults of a text of which there is a tree, in order of place.
pub(crate) fn all_faults(text: &str, tree: &Tree, version: Option<(u8, u8)>) -> Vec<Fault> {
    let parser_says = |error: &ParseError| fault(error.location, error.error.to_string(), is_indentation(&error.error));
    let mut faults: Vec<Fault> = tree.errors.iter().map(parser_says).collect();
    if version.is_some() {
        faults.extend(tree.unsupported.iter().map(|error| fault(error.range, error.to_string(), false)));
    }
    if faults.is_empty() {
        let errors = semantic_errors(text, tree, version);
        faults = errors.iter().map(|error| fault(error.range, error.to_string(), false)).collect();
    }
    faults.sort_by_key(|fault| fault.start);
    faults
}

/// Bytes behind a place that are read to know whether the parser gets past it.
const HEAD_BEHIND: usize = 2 << 10;
/// A fault this close to the end of a text's beginning may come from the text's being cut there.
const HEAD_DOUBT: usize = 256;

/// The beginning of a text, up to the end of a line some way behind a place; `None` where that is nearly all of it.
pub(crate) fn head(text: &str, at: usize) -> Option<&str> {
    let end = at.checked_add(HEAD_BEHIND).filter(|end| *end < text.len() / 2)?;
    let end = text.floor_char_boundary(end);
    let line = text.get(end..)?.find('\n')?;
    text.get(..=end + line)
}

/// The faults in the beginning of a text that are faults of the whole text too: the parser reads from the beginning to the end, and
/// what is open where the text was cut is reported there.
pub(crate) fn faults_within(head: &str, version: Option<(u8, u8)>) -> Vec<Fault> {
    let end = head.len().saturating_sub(HEAD_DOUBT);
    let mut faults = parse(head, version).map_or_else(|_| Vec::new(), |tree| all_faults(head, &tree, version));
    faults.retain(|fault| fault.end <= end);
    faults
}

/// Returns whether a text is parsed at all: not one that is too long, or nested too deeply.
pub(crate) fn is_parsed(text: &str) -> bool {
    text.len() <= MAX_TEXT && depth::room(text).is_some()
}

/// Returns whether edits of a text that does not compile remove at least one fault, the first, and add none. The next fault has
/// to be independent of it: whole lines lie between the two.
pub(crate) fn removes_faults(before: &str, after: &str, edits: &[Edit]) -> bool {
    let places = |text: &str| -> Vec<(Range<usize>, String)> {
        faults(text, None).into_iter().map(|fault| (fault.start..fault.end, fault.message)).collect()
    };
    edit::removes_faults(before, edits, &places(before), &places(after))
}

/// Returns whether the text has no fault at all.
pub(crate) fn compiles(text: &str, version: Option<(u8, u8)>) -> bool {
    compiled(text, version).is_some()
}

/// Returns the tree of a text without any fault.
pub(crate) fn compiled(text: &str, version: Option<(u8, u8)>) -> Option<Tree> {
    let tree = parse(text, version).ok()?;
    let is_right = tree.errors.is_empty()
        && (version.is_none() || tree.unsupported.is_empty())
        && semantic_errors(text, &tree, version).is_empty();
    is_right.then_some(tree)
}

/// The tree of a text, as far as it could be made, with every error; the reason where the text is refused unparsed.
pub(crate) fn parse(text: &str, version: Option<(u8, u8)>) -> Result<Tree, Fault> {
    let room = room(text)?;
    let target = version.map_or_else(PythonVersion::default, PythonVersion::from);
    let options = ParseOptions::from(PySourceType::Python).with_target_version(target);
    Ok(deep(room, || {
        let parsed = parse_unchecked(text, options);
        let (errors, unsupported) = (parsed.errors().to_vec(), parsed.unsupported_syntax_errors().to_vec());
        let body = match parsed.into_syntax() {
            Mod::Module(module) => module.body,
            Mod::Expression(_) => Suite::default(),
        };
        Tree { body, errors, unsupported, room }
    }))
}

/// The statements of a text. They may be deep: they are read, and dropped, where there is stack for that.
#[derive(Debug)]
pub(crate) struct Tree {
    body: Suite,
    errors: Vec<ParseError>,
    unsupported: Vec<UnsupportedSyntaxError>,
    /// The stack that walking it needs, in bytes.
    room: usize,
}

impl Tree {
    /// Runs what walks the statements. What it returns of them is to be walked within [`deep`] too.
    pub(crate) fn read<'tree, T>(&'tree self, walk: impl FnOnce(&'tree [Stmt]) -> T) -> T {
        deep(self.room, || walk(&self.body))
    }

    /// Returns whether the text follows the grammar.
    pub(crate) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        deep(self.room, || self.body.clear());
    }
}

fn fault(range: TextRange, message: String, is_indentation: bool) -> Fault {
    Fault { start: range.start().to_usize(), end: range.end().to_usize(), message, is_indentation }
}

fn is_indentation(error: &ParseErrorType) -> bool {
    match error {
        ParseErrorType::UnexpectedIndentation | ParseErrorType::Lexical(LexicalErrorType::IndentationError) => true,
        ParseErrorType::OtherError(message) => message.starts_with("Expected an indented block"),
        _ => false,
    }
}

/// The stack that the text's tree needs, in bytes.
///
/// # Errors
///
/// What `CPython` refuses before parsing, or what is nested so deeply that walking its tree needs an unbounded stack.
pub(super) fn room(text: &str) -> Result<usize, Fault> {
    let refusal =
        |at: usize, message: &str| Fault { start: at, end: at, message: message.into(), is_indentation: false };
    if text.len() > MAX_TEXT {
        return Err(refusal(0, "the file is too large"));
    }
    if let Some(at) = text.bytes().position(|byte| byte == 0) {
        return Err(refusal(at, "source code cannot contain null bytes"));
    }
    depth::room(text).ok_or_else(|| refusal(0, "the code is nested too deeply to be parsed"))
}

fn semantic_errors(text: &str, tree: &Tree, version: Option<(u8, u8)>) -> Vec<SemanticSyntaxError> {
    let mut walk = SemanticWalk {
        checker: SemanticSyntaxChecker::new(),
        errors: RefCell::default(),
        version: version.map_or_else(PythonVersion::default, PythonVersion::from),
        text,
        scopes: vec![Scope::Module],
        loops: vec![0],
    };
    tree.read(|body| walk.visit_body(body));
    let mut errors = walk.errors.into_inner();
    errors.retain(|error| !matches!(error.kind, SemanticSyntaxErrorKind::NonlocalWithoutBinding(_)));
    errors
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Module,
    Class,
    Function { is_async: bool },
    Lambda,
    Comprehension { is_async: bool, is_generator: bool },
}

/// Walks the tree and knows, at every node, what surrounds it: all that the parser's own checker asks for.
struct SemanticWalk<'text> {
    checker: SemanticSyntaxChecker,
    errors: RefCell<Vec<SemanticSyntaxError>>,
    version: PythonVersion,
    text: &'text str,
    scopes: Vec<Scope>,
    loops: Vec<u32>,
}

impl SemanticWalk<'_> {
    fn with_checker(&mut self, look: impl FnOnce(&mut SemanticSyntaxChecker, &Self)) {
        let mut checker = std::mem::take(&mut self.checker);
        look(&mut checker, self);
        self.checker = checker;
    }

    fn within(&mut self, scope: Scope, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        self.loops.push(0);
        walk(self);
        self.loops.pop();
        self.scopes.pop();
    }

    fn in_loop(&mut self, walk: impl FnOnce(&mut Self)) {
        self.change_loops(|depth| depth + 1);
        walk(self);
        self.change_loops(|depth| depth - 1);
    }

    fn change_loops(&mut self, change: impl FnOnce(u32) -> u32) {
        if let Some(depth) = self.loops.last_mut() {
            *depth = change(*depth);
        }
    }

    fn visit_function(&mut self, function: &StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(parameters) = &function.type_params {
            self.visit_type_params(parameters);
        }
        self.visit_parameters(&function.parameters);
        if let Some(returns) = &function.returns {
            self.visit_annotation(returns);
        }
        self.within(Scope::Function { is_async: function.is_async }, |walk| walk.visit_body(&function.body));
    }

    /// The innermost scope that is not a comprehension.
    fn scope(&self) -> Scope {
        let mut scopes = self.scopes.iter().rev();
        scopes.find(|scope| !matches!(scope, Scope::Comprehension { .. })).copied().unwrap_or(Scope::Module)
    }
}

impl SemanticSyntaxContext for SemanticWalk<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        false
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, _name: &str) -> Option<TextRange> {
        None
    }

    fn has_nonlocal_binding(&self, _name: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        self.scope() == Scope::Function { is_async: true }
    }

    fn in_await_allowed_context(&self) -> bool {
        matches!(self.scope(), Scope::Function { .. } | Scope::Lambda)
    }

    fn in_yield_allowed_context(&self) -> bool {
        matches!(self.scopes.last(), Some(Scope::Function { .. } | Scope::Lambda))
    }

    fn in_sync_comprehension(&self) -> bool {
        self.scopes.iter().any(|scope| matches!(scope, Scope::Comprehension { is_async: false, .. }))
    }

    fn in_class_body_comprehension(&self) -> bool {
        matches!(self.scopes.last(), Some(Scope::Comprehension { .. })) && self.scope() == Scope::Class
    }

    fn in_module_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.scope(), Scope::Function { .. } | Scope::Lambda)
    }

    fn in_generator_context(&self) -> bool {
        matches!(self.scopes.last(), Some(Scope::Comprehension { is_generator: true, .. }))
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.errors.borrow_mut().push(error);
    }

    fn in_loop_context(&self) -> bool {
        self.loops.last().is_some_and(|depth| *depth > 0)
    }

    fn is_bound_parameter(&self, _name: &str) -> bool {
        false
    }
}

/// Maximum number of type parameters of a statement that is checked: each is compared with all others.
const MAX_TYPE_PARAMETERS: usize = 255;

fn type_parameters(statement: &Stmt) -> usize {
    let parameters = match statement {
        Stmt::FunctionDef(function) => function.type_params.as_ref(),
        Stmt::ClassDef(class) => class.type_params.as_ref(),
        Stmt::TypeAlias(alias) => alias.type_params.as_ref(),
        _ => None,
    };
    parameters.map_or(0, |parameters| parameters.len())
}

impl<'ast> Visitor<'ast> for SemanticWalk<'_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if type_parameters(statement) <= MAX_TYPE_PARAMETERS {
            self.with_checker(|checker, context| checker.visit_stmt(statement, context));
        }
        match statement {
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.within(Scope::Class, |walk| walk.visit_body(&class.body));
            }
            Stmt::FunctionDef(function) => self.visit_function(function),
            Stmt::For(statement) => {
                self.visit_expr(&statement.iter);
                self.visit_expr(&statement.target);
                self.in_loop(|walk| walk.visit_body(&statement.body));
                self.visit_body(&statement.orelse);
            }
            Stmt::While(statement) => {
                self.visit_expr(&statement.test);
                self.in_loop(|walk| walk.visit_body(&statement.body));
                self.visit_body(&statement.orelse);
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.with_checker(|checker, context| checker.visit_expr(expression, context));
        let (generators, is_generator) = match expression {
            Expr::Lambda(_) => return self.within(Scope::Lambda, |walk| walk_expr(walk, expression)),
            Expr::ListComp(list) => (&list.generators, false),
            Expr::SetComp(set) => (&set.generators, false),
            Expr::DictComp(dictionary) => (&dictionary.generators, false),
            Expr::Generator(generator) => (&generator.generators, true),
            _ => return walk_expr(self, expression),
        };
        for comprehension in generators {
            self.visit_comprehension(comprehension);
        }
        let is_async = generators.iter().any(|generator| generator.is_async);
        self.within(Scope::Comprehension { is_async, is_generator }, |walk| match expression {
            Expr::ListComp(list) => walk.visit_expr(&list.elt),
            Expr::SetComp(set) => walk.visit_expr(&set.elt),
            Expr::Generator(generator) => walk.visit_expr(&generator.elt),
            Expr::DictComp(dictionary) => {
                if let Some(key) = &dictionary.key {
                    walk.visit_expr(key);
                }
                walk.visit_expr(&dictionary.value);
            }
            _ => {}
        });
    }
}
