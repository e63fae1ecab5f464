//! Programs that compile and do the wrong thing: one small edit each.

use syn::{BinOp, Expr, Lit, RangeLimits, Stmt, UnOp};

use super::source::{Edit, Node, range};
use super::{Kind, Places};

/// Methods of the same type that are taken for each other.
const METHODS: [[&str; 2]; 16] = [
    ["min", "max"],
    ["first", "last"],
    ["any", "all"],
    ["is_some", "is_none"],
    ["is_ok", "is_err"],
    ["starts_with", "ends_with"],
    ["find", "rfind"],
    ["saturating_add", "saturating_sub"],
    ["checked_add", "checked_sub"],
    ["wrapping_add", "wrapping_sub"],
    ["to_lowercase", "to_uppercase"],
    ["to_ascii_lowercase", "to_ascii_uppercase"],
    ["is_alphabetic", "is_alphanumeric"],
    ["trim_start", "trim_end"],
    ["leading_zeros", "trailing_zeros"],
    ["push_front", "push_back"],
];

/// Methods whose loss leaves the same type.
const SAME_TYPE: [&str; 9] =
    ["abs", "rev", "trim", "trim_start", "trim_end", "to_ascii_lowercase", "to_lowercase", "swap_bytes", "fuse"];

pub(super) const KINDS: &[Kind] = &[
    logic("other_comparison", |source, random| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Binary(binary) = expression else { continue };
            let others: &[&str] = match binary.op {
                BinOp::Lt(_) => &["<=", ">"],
                BinOp::Le(_) => &["<", ">="],
                BinOp::Gt(_) => &[">=", "<"],
                BinOp::Ge(_) => &[">", "<="],
                BinOp::Eq(_) => &["!="],
                BinOp::Ne(_) => &["=="],
                _ => continue,
            };
            edits.push(Edit::new(range(&binary.op), random.choice(others)));
        }
        edits
    }),
    logic("other_operator", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Binary(binary) = expression else { continue };
            let other = match binary.op {
                BinOp::Add(_) => "-",
                BinOp::Sub(_) | BinOp::Mul(_) => "+",
                BinOp::Div(_) => "*",
                BinOp::Rem(_) => "/",
                BinOp::BitAnd(_) => "|",
                BinOp::BitOr(_) => "&",
                BinOp::Shl(_) => ">>",
                BinOp::Shr(_) => "<<",
                BinOp::AddAssign(_) => "-=",
                BinOp::SubAssign(_) => "+=",
                _ => continue,
            };
            edits.push(Edit::new(range(&binary.op), other));
        }
        edits
    }),
    logic("off_by_one", |source, random| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            match expression {
                Expr::Binary(binary) if source.of(&*binary.right) == "1" => {
                    if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) {
                        edits.push(Edit::delete(range(&*binary.left).end..range(binary).end));
                    }
                }
                Expr::MethodCall(call) if call.method == "len" => {
                    edits.push(Edit::insert(range(call).end, random.choice(&[" + 1", " - 1"])));
                }
                _ => {}
            }
        }
        edits
    }),
    logic("other_number", |source, random| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Lit(literal) = expression else { continue };
            let Lit::Int(number) = &literal.lit else { continue };
            let plain = format!("{}{}", number.base10_digits(), number.suffix());
            if let Some(value) = number.base10_parse::<u64>().ok().filter(|_| source.of(number) == plain) {
                let other =
                    if value == 0 { 1 } else { random.choice(&[value - 1, value + 1, value.saturating_add(2)]) };
                edits.push(Edit::new(range(number), format!("{other}{}", number.suffix())));
            }
        }
        edits
    }),
    logic("other_text", |source, random| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Lit(literal) = expression else { continue };
            match &literal.lit {
                Lit::Char(letter) if letter.value().is_ascii_graphic() && !"'\\".contains(letter.value()) => {
                    let others: Vec<&str> = vec!["'-'", "'_'", "'a'", "'0'", "' '"];
                    edits.push(Edit::new(range(letter), random.choice(&others)));
                }
                Lit::Str(text) if text.value().len() > 1 && !source.of(text).contains(['\\', '#', '{']) => {
                    let word = text.value();
                    let last = word.char_indices().last().map_or(0, |(at, _)| at);
                    edits.push(Edit::new(range(text), format!("\"{}\"", &word[..last])));
                }
                _ => {}
            }
        }
        edits
    }),
    logic("other_truth", |source, _| {
        let words = source.words(|_, word, _| ["true", "false"].contains(&word));
        let other = |word: &str| if word == "true" { "false" } else { "true" };
        words.into_iter().map(|range| Edit::new(range.clone(), other(&source.text[range]))).collect()
    }),
    logic("other_connective", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Binary(binary) = expression else { continue };
            match binary.op {
                BinOp::And(_) => edits.push(Edit::new(range(&binary.op), "||")),
                BinOp::Or(_) => edits.push(Edit::new(range(&binary.op), "&&")),
                _ => {}
            }
        }
        edits
    }),
    logic("lost_condition", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::Binary(binary) = expression
                && matches!(binary.op, BinOp::And(_) | BinOp::Or(_))
            {
                edits.push(Edit::delete(range(&*binary.left).end..range(binary).end));
                edits.push(Edit::delete(range(binary).start..range(&*binary.right).start));
            }
        }
        edits
    }),
    logic("negation", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let condition = match expression {
                Expr::If(expression) => &*expression.cond,
                Expr::While(expression) => &*expression.cond,
                _ => continue,
            };
            match condition {
                Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => edits.push(Edit::delete(range(&unary.op))),
                Expr::Path(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Field(_) => {
                    edits.push(Edit::insert(range(condition).start, "!"));
                }
                _ => {}
            }
        }
        edits
    }),
    logic("other_bound", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Range(bounds) = expression else { continue };
            if bounds.end.is_some() {
                let other = match bounds.limits {
                    RangeLimits::HalfOpen(_) => "..=",
                    RangeLimits::Closed(_) => "..",
                };
                edits.push(Edit::new(range(&bounds.limits), other));
            }
        }
        edits
    }),
    logic("other_method", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::MethodCall(call) = expression else { continue };
            for [left, right] in METHODS {
                let other = if call.method == left { right } else { left };
                if call.method == left || call.method == right {
                    edits.push(Edit::new(range(&call.method), other));
                }
            }
        }
        edits
    }),
    logic("lost_call", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::MethodCall(call) = expression
                && SAME_TYPE.contains(&call.method.to_string().as_str())
            {
                edits.push(Edit::delete(range(&*call.receiver).end..range(call).end));
            }
        }
        edits
    }),
    logic("exchanged_arguments", |source, _| {
        source.arguments().iter().flat_map(|all| all.windows(2)).map(|pair| source.swapped(pair[0], pair[1])).collect()
    }),
    logic("exchanged_operands", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            if let Expr::Binary(binary) = expression
                && matches!(binary.op, BinOp::Sub(_) | BinOp::Div(_) | BinOp::Rem(_))
            {
                edits.push(source.swapped(&*binary.left, &*binary.right));
            }
        }
        edits
    }),
    logic("other_variable", |source, random| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            let Node::Block(block) = node else { continue };
            let names: Vec<String> = block
                .stmts
                .iter()
                .filter_map(|statement| match statement {
                    Stmt::Local(local) => match &local.pat {
                        syn::Pat::Ident(pattern) => Some(pattern.ident.to_string()),
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            let inside = range(block);
            for place in source
                .words(|before, word, after| before != "." && after != "(" && names.iter().any(|name| name == word))
            {
                let others: Vec<&String> = names.iter().filter(|name| **name != source.text[place.clone()]).collect();
                if inside.start < place.start && place.end < inside.end && !others.is_empty() {
                    edits.push(Edit::new(place, random.choice(&others)));
                }
            }
        }
        edits
    }),
    logic("other_field", |source, random| {
        let mut places = Vec::new();
        for expression in source.expressions() {
            if let Expr::Field(field) = expression
                && source.of(&*field.base) == "self"
            {
                places.push(range(&field.member));
            }
        }
        let mut names: Vec<&str> = places.iter().map(|place| &source.text[place.clone()]).collect();
        names.sort_unstable();
        names.dedup();
        let mut edits = Vec::new();
        for place in places {
            let others: Vec<&str> = names.iter().copied().filter(|name| *name != &source.text[place.clone()]).collect();
            if !others.is_empty() {
                edits.push(Edit::new(place, random.choice(&others)));
            }
        }
        edits
    }),
    logic("lost_statement", |source, _| {
        let mut edits = Vec::new();
        for statement in source.blocks().into_iter().flat_map(|block| &block.stmts) {
            if matches!(statement, Stmt::Expr(_, Some(_))) {
                edits.extend(source.lines(range(statement)).map(Edit::delete));
            }
        }
        edits
    }),
    logic("lost_guard", |source, _| {
        let mut edits = Vec::new();
        for statement in source.blocks().into_iter().flat_map(|block| &block.stmts) {
            let Stmt::Expr(Expr::If(guard), _) = statement else { continue };
            let leaves = match &guard.then_branch.stmts[..] {
                [Stmt::Expr(Expr::Return(_) | Expr::Continue(_) | Expr::Break(_), _)] => guard.else_branch.is_none(),
                _ => false,
            };
            edits.extend(source.lines(range(statement)).filter(|_| leaves).map(Edit::delete));
        }
        edits
    }),
    logic("exchanged_arms", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Match(expression) = expression else { continue };
            for pair in expression.arms.windows(2) {
                let (left, right) = (&*pair[0].body, &*pair[1].body);
                if !matches!(left, Expr::Block(_)) && !matches!(right, Expr::Block(_)) {
                    edits.push(source.swapped(left, right));
                }
            }
        }
        edits
    }),
];

const fn logic(name: &'static str, places: Places) -> Kind {
    Kind::new("LOGIC", name, places)
}
