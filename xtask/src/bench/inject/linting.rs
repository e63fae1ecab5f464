//! Programs that run as they should, and that the compiler or clippy warns about.

use syn::{BinOp, Expr, Item, Pat, Stmt};

use super::source::{Edit, Node, range};
use super::{Kind, Places};

pub(super) const KINDS: &[Kind] = &[
    linting("unused_import", |source, random| {
        let items = source.items().into_iter().filter(|item| matches!(item, Item::Use(_)));
        let lines = items.filter_map(|item| source.lines(range(item)));
        let unused = ["use core::cell::RefCell;\n", "use core::hash::Hasher;\n", "use core::time::Duration;\n"];
        lines.map(|lines| Edit::insert(lines.end, random.choice(&unused))).collect()
    }),
    linting("needless_mut", |source, _| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            if let Node::Local(local) = node
                && let Pat::Ident(pattern) = &local.pat
                && pattern.mutability.is_none()
            {
                edits.push(Edit::insert(range(pattern).start, "mut "));
            }
        }
        edits
    }),
    linting("unused_variable", |source, random| {
        let mut edits = Vec::new();
        for statement in source.blocks().into_iter().filter_map(|block| block.stmts.first()) {
            if let Some(lines) = source.lines(range(statement)) {
                let indent = &source.text[lines.start..range(statement).start];
                let name = random.choice(&["unused", "count", "before", "result"]);
                edits.push(Edit::insert(lines.start, format!("{indent}let {name} = 0;\n")));
            }
        }
        edits
    }),
    linting("needless_return", |source, _| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            let Node::Item(Item::Fn(function)) = node else { continue };
            if let Some(Stmt::Expr(last, None)) = function.block.stmts.last() {
                edits.push(Edit::new(range(last), format!("return {};", source.of(last))));
            }
        }
        edits
    }),
    linting("needless_parentheses", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let condition = match expression {
                Expr::If(expression) => &expression.cond,
                Expr::While(expression) => &expression.cond,
                _ => continue,
            };
            if !matches!(**condition, Expr::Let(_)) {
                edits.push(Edit::new(range(condition), format!("({})", source.of(condition))));
            }
        }
        edits
    }),
    linting("needless_borrow", |source, _| {
        let references =
            source.arguments().into_iter().flatten().filter(|argument| matches!(argument, Expr::Reference(_)));
        references.map(|argument| Edit::insert(range(argument).start, "&")).collect()
    }),
    linting("compared_with_truth", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::If(expression) = expression
                && matches!(*expression.cond, Expr::MethodCall(_) | Expr::Path(_))
            {
                edits.push(Edit::insert(range(&*expression.cond).end, " == true"));
            }
        }
        edits
    }),
    linting("needless_clone", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::Cast(cast) = expression
                && matches!(*cast.expr, Expr::Path(_) | Expr::Field(_))
            {
                edits.push(Edit::insert(range(&*cast.expr).end, ".clone()"));
            }
        }
        edits
    }),
    linting("field_named_twice", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Struct(literal) = expression else { continue };
            for field in literal.fields.iter().filter(|field| field.colon_token.is_none()) {
                edits.push(Edit::insert(range(field).end, format!(": {}", source.of(&field.member))));
            }
        }
        edits
    }),
    linting("long_assignment", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Binary(binary) = expression else { continue };
            let sign = match binary.op {
                BinOp::AddAssign(_) => "+",
                BinOp::SubAssign(_) => "-",
                BinOp::MulAssign(_) => "*",
                _ => continue,
            };
            edits.push(Edit::new(range(&binary.op), format!("= {} {sign}", source.of(&*binary.left))));
        }
        edits
    }),
    linting("unused_function", |source, _| {
        let mut edits = Vec::new();
        for item in &source.tree.items {
            if let Some(lines) = source.lines(range(item)).filter(|_| matches!(item, Item::Fn(_) | Item::Impl(_))) {
                edits.push(Edit::insert(lines.end, "\nfn not_used_yet() -> usize {\n    0\n}\n"));
            }
        }
        edits
    }),
    linting("length_is_zero", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::MethodCall(call) = expression
                && call.method == "is_empty"
            {
                edits.push(Edit::new(range(&call.method).start..range(call).end, "len() == 0"));
            }
        }
        edits
    }),
];

const fn linting(name: &'static str, places: Places) -> Kind {
    Kind::new("LINTING", name, places)
}
