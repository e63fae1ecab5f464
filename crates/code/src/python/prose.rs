//! Parts of a file that address readers and tools instead of the interpreter: comments, and texts that stand alone. A suppression
//! comment, which tells a tool to ignore its line, belongs to that line: on another one it counts as new.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

use super::{parse, tokens};
use crate::language::guard::Guard;

/// Guard for Python: comments, texts and code that a change must not add.
pub(crate) static GUARD: Guard = Guard {
    prose: of_python,
    tokens: tokens::scan,
    escapes: &["Any", "cast", "object", "no_type_check", "TYPE_CHECKING", "getattr"],
    phrases: &[
        "sys.exit",
        "os._exit",
        "_exit(",
        "SystemExit",
        "os.abort",
        "os.kill",
        "pytest",
        "unittest",
        "nose",
        "SkipTest",
        "skipTest",
        "sys.settrace",
        "sys.setprofile",
        "sys.excepthook",
        "sys.unraisablehook",
        "sys.meta_path",
        "sys.path_hooks",
        "sys.modules",
        "sys._getframe",
        "sys.flags",
        "atexit",
        "builtins",
        "__builtins__",
        "__import__",
        "inspect.stack",
        "inspect.currentframe",
        "gc.get_objects",
        "ctypes",
        "AssertionError",
        "except BaseException",
        "PYTEST_CURRENT_TEST",
        "PYTHONHASHSEED",
    ],
    powers: &[
        "os.system",
        "import system",
        "os.popen",
        "import popen",
        "os.exec",
        "os.spawn",
        "os.posix_spawn",
        "subprocess",
        "pty.",
        "multiprocessing",
        "importlib",
        "runpy",
        "eval(",
        "exec(",
        "pickle.load",
        "marshal.load",
        "socket",
        "http.client",
        "urllib.request",
        "requests.",
        "httpx.",
        "aiohttp",
        "ftplib",
        "smtplib",
        "shutil.rmtree",
    ],
};

/// Beginnings of the comments that tell a tool to ignore a line.
const SUPPRESSIONS: [&str; 8] = ["noqa", "type:", "pragma", "nosec", "pylint", "mypy", "ruff", "pyright"];

/// The comment, or with it the line that it speaks of.
fn with_its_line(text: &str, start: usize, end: usize) -> &str {
    let comment = text.get(start..end).unwrap_or_default().trim_end();
    let words = comment.trim_start_matches(['#', ' ']).to_ascii_lowercase();
    if !SUPPRESSIONS.iter().any(|begin| words.starts_with(begin)) {
        return comment;
    }
    let line = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    text.get(line..end).unwrap_or(comment).trim()
}

fn of_python(text: &str) -> Vec<&str> {
    let mut prose = comments(text);
    if let Ok(tree) = parse::parse(text, None) {
        let mut texts = Texts { text, found: Vec::new() };
        tree.read(|body| texts.visit_body(body));
        prose.extend(texts.found);
    }
    prose
}

fn comments(text: &str) -> Vec<&str> {
    let tokens = tokens::scan(text);
    let comments = tokens.iter().filter(|token| token.kind == tokens::Kind::Comment);
    comments.map(|token| with_its_line(text, token.start, token.end)).collect()
}

/// Nothing but literals: it does nothing, so it is there to be read.
fn is_text(expression: &Expr) -> bool {
    match expression {
        Expr::StringLiteral(_)
        | Expr::FString(_)
        | Expr::TString(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_text),
        Expr::List(list) => list.elts.iter().all(is_text),
        Expr::Set(set) => set.elts.iter().all(is_text),
        _ => false,
    }
}

struct Texts<'text> {
    text: &'text str,
    found: Vec<&'text str>,
}

impl<'ast> Visitor<'ast> for Texts<'_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression) = statement
            && is_text(&expression.value)
        {
            let range = expression.value.range();
            self.found.extend(self.text.get(range.start().to_usize()..range.end().to_usize()));
        }
        walk_stmt(self, statement);
    }
}
