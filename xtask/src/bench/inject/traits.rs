//! Declarations of types, traits and matches that are not complete.

use syn::{Expr, Item};

use super::source::{Edit, Node, range};
use super::{Kind, Places};

pub(super) const KINDS: &[Kind] = &[
    of_type("lost_lifetime", |source, _| {
        let lifetimes = source.tokens.iter().enumerate().filter(|(index, token)| {
            let word = source.word(token);
            word.starts_with('\'') && !word.ends_with('\'') && source.word_at(index.checked_sub(1)) == "&"
        });
        lifetimes.map(|(_, token)| Edit::delete(token.range.start..token.range.end + 1)).collect()
    }),
    of_type("lost_lifetime_argument", |source, _| {
        let mut edits = Vec::new();
        for (index, token) in source.tokens.iter().enumerate() {
            let (before, after) = (source.word_at(index.checked_sub(1)), source.word_at(Some(index + 1)));
            if before == "<" && after == ">" && source.word(token).starts_with('\'') {
                edits.push(Edit::delete(source.tokens[index - 1].range.start..source.tokens[index + 1].range.end));
            }
        }
        edits
    }),
    of_type("lost_generics", |source, _| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            if let Node::Generics(generics) = node
                && !generics.params.is_empty()
            {
                edits.push(Edit::delete(range(&generics.lt_token).start..range(&generics.gt_token).end));
            }
        }
        edits
    }),
    of_type("lost_bound", |source, _| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            let Node::Generics(generics) = node else { continue };
            for parameter in generics.type_params() {
                if let Some(last) = parameter.bounds.last() {
                    edits.push(Edit::delete(range(&parameter.ident).end..range(last).end));
                }
            }
        }
        edits
    }),
    of_type("lost_derive", |source, _| {
        let mut edits = Vec::new();
        for (index, token) in source.tokens.iter().enumerate() {
            if source.word(token) != "derive" {
                continue;
            }
            let names = source.tokens[index + 2..].iter().take_while(|token| source.word(token) != ")");
            let names: Vec<_> = names.filter(|token| token.is_word).collect();
            edits.extend(names.windows(2).map(|pair| Edit::delete(pair[0].range.start..pair[1].range.start)));
            edits.extend(names.windows(2).map(|pair| Edit::delete(pair[0].range.end..pair[1].range.end)));
        }
        edits
    }),
    of_type("lost_member", |source, _| {
        let mut edits = Vec::new();
        for item in source.items() {
            let Item::Impl(item) = item else { continue };
            // A trait requires it, or somewhere it is called.
            edits.extend(item.items.iter().filter_map(|member| source.lines(range(member))).map(Edit::delete));
        }
        edits
    }),
    of_type("lost_field", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Struct(literal) = expression else { continue };
            let fields: Vec<_> = literal.fields.iter().map(range).collect();
            edits.extend(fields.windows(2).map(|pair| Edit::delete(pair[0].end..pair[1].end)));
            edits.extend(fields.windows(2).map(|pair| Edit::delete(pair[0].start..pair[1].start)));
        }
        edits
    }),
    of_type("lost_arm", |source, _| {
        let mut edits = Vec::new();
        for expression in source.expressions() {
            let Expr::Match(expression) = expression else { continue };
            edits.extend(expression.arms.iter().filter_map(|arm| source.lines(range(arm))).map(Edit::delete));
        }
        edits
    }),
    of_type("lost_variant", |source, _| {
        let mut edits = Vec::new();
        for item in source.items() {
            let Item::Enum(item) = item else { continue };
            let variants: Vec<_> = item.variants.iter().map(range).collect();
            edits.extend(variants.windows(2).map(|pair| Edit::delete(pair[0].end..pair[1].end)));
        }
        edits
    }),
    of_type("owned_for_borrowed", |source, _| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            if let Node::Type(syn::Type::Reference(reference)) = node {
                let new = match source.of(&*reference.elem) {
                    "str" => "String",
                    other => other,
                };
                edits.push(Edit::new(range(reference), new));
            }
        }
        edits
    }),
    of_type("wrong_type_of_local", |source, random| {
        let mut edits = Vec::new();
        for node in source.nodes() {
            if let Node::Local(local) = node
                && let syn::Pat::Ident(pattern) = &local.pat
            {
                let new = random.choice(&[": u32", ": i64", ": String", ": &str", ": bool"]);
                edits.push(Edit::insert(range(&pattern.ident).end, new));
            }
        }
        edits
    }),
];

const fn of_type(name: &'static str, places: Places) -> Kind {
    Kind::new("TYPE_ERROR", name, places)
}
