//! Names, arguments and types of expressions that do not fit.

use std::ops::Range;

use syn::{Expr, Item, ReturnType, Stmt, UnOp};

use super::random::Random;
use super::source::{Edit, Node, Source, range};
use super::{Kind, Places};

const INTEGERS: [&str; 10] = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// Methods whose loss leaves another type.
const CONVERSIONS: [&str; 22] = [
    "as_bytes",
    "as_ref",
    "as_slice",
    "as_str",
    "chars",
    "clone",
    "cloned",
    "collect",
    "copied",
    "expect",
    "get",
    "into",
    "into_iter",
    "iter",
    "len",
    "ok",
    "peekable",
    "to_owned",
    "to_string",
    "to_vec",
    "unwrap",
    "unwrap_or_default",
];

pub(super) const KINDS: &[Kind] = &[
    of_type("typo_in_name", |source, random| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Path(path) = expression else { continue };
            if let Some(name) = path.path.get_ident().filter(|name| *name != "self") {
                edits.push(Edit::new(range(name), random.typo(&name.to_string())));
            }
        }
        edits
    }),
    of_type("typo_in_method", |source, random| {
        typos(source, random, |before, _, after| before == "." && ["(", "::"].contains(&after))
    }),
    of_type("typo_in_field", |source, random| {
        typos(source, random, |before, _, after| before == "." && !["(", "::"].contains(&after))
    }),
    of_type("typo_in_type", |source, random| {
        typos(source, random, |before, word, _| {
            is_capital(word) && ![".", "::", "struct", "enum", "trait"].contains(&before)
        })
    }),
    of_type("typo_in_path", |source, random| typos(source, random, |before, _, _| before == "::")),
    of_type("typo_in_macro", |source, random| {
        typos(source, random, |before, _, after| after == "!" && before != "macro_rules")
    }),
    of_type("renamed_function", |source, random| {
        let names: Vec<&syn::Ident> = source.signatures().into_iter().map(|signature| &signature.ident).collect();
        names.into_iter().map(|name| Edit::new(range(name), random.typo(&name.to_string()))).collect()
    }),
    of_type("renamed_type", |source, random| {
        let names = source.items().into_iter().filter_map(|item| match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Const(item) => Some(&item.ident),
            Item::Static(item) => Some(&item.ident),
            _ => None,
        });
        names.map(|name| Edit::new(range(name), random.typo(&name.to_string()))).collect()
    }),
    of_type("renamed_local", |source, random| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            if let Node::Pattern(pattern) = node
                && pattern.ident != "self"
            {
                edits.push(Edit::new(range(&pattern.ident), random.typo(&pattern.ident.to_string())));
            }
        }
        edits
    }),
    of_type("renamed_field", |source, random| {
        let mut edits = Vec::new();
        for item in source.items() {
            let Item::Struct(item) = item else { continue };
            for name in item.fields.iter().filter_map(|field| field.ident.as_ref()) {
                edits.push(Edit::new(range(name), random.typo(&name.to_string())));
            }
        }
        edits
    }),
    of_type("lost_argument", |source, _| {
        let mut edits = Vec::new();
        for arguments in source.arguments() {
            if let [only] = arguments[..] {
                edits.push(Edit::delete(range(only)));
            }
            edits.extend(arguments.windows(2).map(|pair| Edit::delete(range(pair[0]).end..range(pair[1]).end)));
        }
        edits
    }),
    of_type("swapped_arguments", |source, _| {
        source.arguments().iter().flat_map(|all| all.windows(2)).map(|pair| source.swapped(pair[0], pair[1])).collect()
    }),
    of_type("argument_too_many", |source, random| {
        let mut edits = Vec::new();
        for arguments in source.arguments() {
            if let Some(last) = arguments.last() {
                let new = random.choice(&["0", "None", "true", source.of(arguments[0])]);
                edits.push(Edit::insert(range(*last).end, format!(", {new}")));
            }
        }
        edits
    }),
    of_type("lost_parameter", |source, _| {
        let mut edits = Vec::new();
        for signature in source.signatures() {
            let all: Vec<Range<usize>> = signature.inputs.iter().map(range).collect();
            edits.extend(all.windows(2).map(|pair| Edit::delete(pair[0].end..pair[1].end)));
        }
        edits
    }),
    of_type("swapped_parameters", |source, _| {
        let mut edits = Vec::new();
        for signature in source.signatures() {
            let all: Vec<&syn::FnArg> = signature.inputs.iter().collect();
            let pairs = all.windows(2).filter(|pair| !matches!(pair[0], syn::FnArg::Receiver(_)));
            edits.extend(pairs.map(|pair| source.swapped(pair[0], pair[1])));
        }
        edits
    }),
    of_type("lost_reference", |source, _| {
        let references = source.expressions().into_iter().filter_map(|expression| match expression {
            Expr::Reference(reference) => Some(range(reference).start..range(&*reference.expr).start),
            _ => None,
        });
        references.map(Edit::delete).collect()
    }),
    of_type("reference_too_many", |source, _| {
        let arguments = source.arguments().into_iter().flatten();
        arguments.map(|argument| Edit::insert(range(argument).start, "&")).collect()
    }),
    of_type("lost_dereference", |source, _| {
        let stars = source.expressions().into_iter().filter_map(|expression| match expression {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => Some(range(&unary.op)),
            _ => None,
        });
        stars.map(Edit::delete).collect()
    }),
    of_type("lost_mut", |source, _| {
        let words = source.words(|before, word, _| word == "mut" && ["let", "&", "("].contains(&before));
        words.into_iter().map(|range| Edit::delete(range.start..range.end + 1)).collect()
    }),
    of_type("lost_question_mark", |source, _| {
        source.words(|_, word, after| word == "?" && after != "Sized").into_iter().map(Edit::delete).collect()
    }),
    of_type("question_mark_too_many", |source, _| {
        let calls = source.expressions().into_iter().filter(|expression| matches!(expression, Expr::MethodCall(_)));
        calls.map(|call| Edit::insert(range(call).end, "?")).collect()
    }),
    of_type("lost_conversion", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            match expression {
                Expr::MethodCall(call) if CONVERSIONS.contains(&call.method.to_string().as_str()) => {
                    edits.push(Edit::delete(range(&*call.receiver).end..range(call).end));
                }
                Expr::Cast(cast) => edits.push(Edit::delete(range(&*cast.expr).end..range(cast).end)),
                _ => {}
            }
        }
        edits
    }),
    of_type("lost_wrapper", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Call(call) = expression else { continue };
            let is_wrapper = ["Some", "Ok", "Err", "Box::new"].contains(&source.of(&*call.func));
            if let Some(argument) = call.args.first().filter(|_| is_wrapper) {
                edits.push(Edit::new(range(call), source.of(argument)));
            }
        }
        edits
    }),
    of_type("other_integer", |source, random| {
        let words = source.words(|before, word, _| INTEGERS.contains(&word) && before != "::");
        let other = |range: Range<usize>| {
            let others: Vec<&str> =
                INTEGERS.into_iter().filter(|other| *other != &source.text[range.clone()]).collect();
            Edit::new(range, random.choice(&others))
        };
        words.into_iter().map(other).collect()
    }),
    of_type("string_for_char", |source, _| {
        let literals = source.words(|_, word, _| word.starts_with('\'') && word.ends_with('\'') && word.len() > 2);
        let with_quotes = |range: Range<usize>| {
            let inner = &source.text[range.start + 1..range.end - 1];
            let inner = if inner == "\"" { "\\\"" } else { inner };
            Edit::new(range, format!("\"{inner}\""))
        };
        literals.into_iter().map(with_quotes).collect()
    }),
    of_type("semicolon_too_many", |source, _| {
        let mut edits = Vec::new();
        for block in source.blocks() {
            if let Some(Stmt::Expr(last, None)) = block.stmts.last() {
                edits.push(Edit::insert(range(last).end, ";"));
            }
        }
        edits
    }),
    of_type("lost_result_type", |source, _| {
        let mut edits = Vec::new();
        for signature in source.signatures() {
            if let ReturnType::Type(..) = signature.output {
                edits.push(Edit::delete(range(&signature.paren_token.span.close()).end..range(&signature.output).end));
            }
        }
        edits
    }),
    of_type("lost_receiver", |source, _| {
        let fields = source.expressions().into_iter().filter_map(|expression| match expression {
            Expr::Field(field) if source.of(&*field.base) == "self" => Some(&field.member),
            _ => None,
        });
        fields.map(|member| Edit::delete(range(member).start - "self.".len()..range(member).start)).collect()
    }),
    of_type("other_receiver", |source, random| {
        let mut edits = Vec::new();
        for signature in source.signatures() {
            let Some(receiver) = signature.receiver() else { continue };
            let others: Vec<&str> =
                ["self", "&self", "&mut self"].into_iter().filter(|other| *other != source.of(receiver)).collect();
            edits.push(Edit::new(range(receiver), random.choice(&others)));
        }
        edits
    }),
    of_type("assign_for_compare", |source, _| {
        source.words(|_, word, _| word == "==").into_iter().map(|range| Edit::new(range, "=")).collect()
    }),
];

const fn of_type(name: &'static str, places: Places) -> Kind {
    Kind::new("TYPE_ERROR", name, places)
}

fn is_capital(word: &str) -> bool {
    word.starts_with(|first: char| first.is_uppercase()) && word.len() > 1
}

/// Typing errors in the words that the test accepts.
fn typos(source: &Source, random: &mut Random, accepts: impl Fn(&str, &str, &str) -> bool) -> Vec<Edit> {
    let words = source.words(|before, word, after| {
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        is_name && syn::parse_str::<syn::Ident>(word).is_ok() && accepts(before, word, after)
    });
    words.into_iter().map(|range| Edit::new(range.clone(), random.typo(&source.text[range]))).collect()
}
