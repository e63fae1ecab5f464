//! A Rust file as data: its items, functions, imports and words.

use ra_ap_syntax::ast::{self, AstNode, AstToken as _, HasModuleItem as _, HasName as _, HasVisibility as _};
use ra_ap_syntax::{SyntaxNode, TextRange};

use super::tokens::{self, Kind};
use super::{attributes, syntax};
use crate::span::Span;

/// A function, method included.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// With attributes and documentation.
    pub(crate) span: Span,
    /// From its visibility or `fn` on.
    pub(crate) definition: Span,
    pub(crate) parameters_end: usize,
}

/// Definition of any other kind, with its name.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// True for types and traits; false for constants, macros and modules.
    pub(crate) is_type: bool,
}

/// Item at the top of a file, or of a module in it that holds tests among other items.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) span: Span,
    pub(crate) name: Option<String>,
    pub(crate) is_test: bool,
    pub(crate) is_public: bool,
}

/// One name of a `use`, or of a `mod` whose text is in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    /// Parts of the path: `["crate", "shop", "Cart"]`; the last one is `*` for all names.
    pub(crate) path: Vec<String>,
    pub(crate) at: usize,
}

/// A name and its place.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A Rust file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Module {
    pub(crate) items: Vec<Item>,
    pub(crate) functions: Vec<Function>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) uses: Vec<Use>,
    /// Names of the modules whose text is in another file.
    pub(crate) modules: Vec<Use>,
    pub(crate) words: Vec<Word>,
    /// Names that patterns bind: parameters and local variables.
    pub(crate) bindings: Vec<Word>,
    /// Documentation with code in it.
    pub(crate) examples: Vec<Span>,
    line_starts: Vec<usize>,
}

impl Module {
    /// Reads a file; of one that is refused, and of a broken one as far as the parser gets.
    pub(crate) fn read(text: &str) -> Self {
        let mut module = syntax::read(text, |file, _| {
            let mut module = Self::default();
            module.read_items(file.items());
            module.read_nodes(file.syntax());
            module
        })
        .unwrap_or_default();
        let is_name = |kind: Kind| matches!(kind, Kind::Name);
        let names = tokens::scan(text).into_iter().filter(|token| is_name(token.kind));
        let word = |token: tokens::Token| Word {
            text: token.text(text).to_owned(),
            span: Span { start: token.start, end: token.end },
        };
        module.words = names.map(word).collect();
        module.line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        module
    }

    fn read_items(&mut self, items: impl Iterator<Item = ast::Item>) {
        for item in items {
            let is_test = is_test(&item);
            if let ast::Item::Module(module) = &item
                && !is_test
                && let Some(list) = module.item_list()
                && list.syntax().descendants().filter_map(ast::Item::cast).any(|inner| self::is_test(&inner))
            {
                self.read_items(list.items());
                continue;
            }
            let name = name_of(&item);
            self.items.push(Item {
                span: span(item.syntax().text_range()),
                name,
                is_test,
                is_public: is_public(&item),
            });
        }
    }

    fn read_nodes(&mut self, file: &SyntaxNode) {
        for node in file.descendants() {
            if let Some(function) = ast::Fn::cast(node.clone()) {
                self.add_function(&function);
            } else if let Some(item) = ast::Item::cast(node.clone()) {
                self.add_item(&item);
            }
            if let Some(variant) = ast::Variant::cast(node.clone()) {
                self.add_examples(&variant);
            }
            if let Some(name) = ast::IdentPat::cast(node).and_then(|pattern| pattern.name()) {
                let span = span(name.syntax().text_range());
                self.bindings.push(Word { text: name.text().to_string(), span });
            }
        }
    }

    fn add_function(&mut self, function: &ast::Fn) {
        self.add_examples(function);
        let Some(name) = function.name() else { return };
        let whole = span(function.syntax().text_range());
        let first = function.visibility().map(|it| it.syntax().text_range().start());
        let first = first.or_else(|| function.fn_token().map(|token| token.text_range().start()));
        let parameters = function.param_list().map_or(whole.start, |list| span(list.syntax().text_range()).end);
        self.functions.push(Function {
            name: name.text().to_string(),
            span: whole,
            definition: Span { start: first.map_or(whole.start, Into::into), end: whole.end },
            parameters_end: parameters,
        });
    }

    fn add_item(&mut self, item: &ast::Item) {
        let whole = span(item.syntax().text_range());
        match item {
            ast::Item::Use(import) => {
                if let Some(tree) = import.use_tree() {
                    self.add_use(&tree, &[], whole.start);
                }
                return;
            }
            ast::Item::Module(module) => {
                self.add_examples(module);
                if module.item_list().is_none()
                    && let Some(name) = module.name()
                {
                    self.modules.push(Use { path: vec![name.text().to_string()], at: whole.start });
                }
            }
            ast::Item::Struct(it) => self.add_examples(it),
            ast::Item::Enum(it) => self.add_examples(it),
            ast::Item::Trait(it) => self.add_examples(it),
            ast::Item::MacroRules(it) => self.add_examples(it),
            ast::Item::Const(it) => self.add_examples(it),
            ast::Item::TypeAlias(it) => self.add_examples(it),
            ast::Item::Impl(it) => self.add_examples(it),
            _ => {}
        }
        let is_type = matches!(
            item,
            ast::Item::Struct(_)
                | ast::Item::Enum(_)
                | ast::Item::Union(_)
                | ast::Item::Trait(_)
                | ast::Item::TypeAlias(_)
        );
        if !matches!(item, ast::Item::Impl(_))
            && let Some(name) = name_of(item)
        {
            self.definitions.push(Definition { name, span: whole, is_type });
        }
    }

    fn add_use(&mut self, tree: &ast::UseTree, before: &[String], at: usize) {
        let mut path = before.to_vec();
        if let Some(own) = tree.path() {
            path.extend(own.segments().map(|segment| segment.syntax().text().to_string()));
        }
        if let Some(list) = tree.use_tree_list() {
            for inner in list.use_trees() {
                self.add_use(&inner, &path, at);
            }
            return;
        }
        if tree.star_token().is_some() {
            path.push("*".to_owned());
        }
        self.uses.push(Use { path, at });
    }

    fn add_examples(&mut self, item: &impl ast::HasDocComments) {
        let comments: Vec<_> = item.doc_comments().collect();
        let holds_code = comments.iter().any(|comment| comment.text().contains("```"));
        if let (true, Some(first), Some(last)) = (holds_code, comments.first(), comments.last()) {
            let (first, last) = (span(first.syntax().text_range()), span(last.syntax().text_range()));
            self.examples.push(Span { start: first.start, end: last.end });
        }
    }

    /// The line of a byte, from 1.
    pub(crate) fn line_of(&self, at: usize) -> u32 {
        let line = self.line_starts.partition_point(|start| *start <= at);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// The innermost function around a byte.
    pub(crate) fn function_at(&self, at: usize) -> Option<&Function> {
        let around = self.functions.iter().filter(|function| function.span.start <= at && at < function.span.end);
        around.min_by_key(|function| function.span.end - function.span.start)
    }
}

fn span(range: TextRange) -> Span {
    Span { start: range.start().into(), end: range.end().into() }
}

fn is_test(item: &ast::Item) -> bool {
    match item {
        ast::Item::MacroCall(call) => {
            let name = call.path().map(|path| path.syntax().text().to_string()).unwrap_or_default();
            attributes::is_macro_of_tests(name.rsplit("::").next().unwrap_or(&name)) || attributes::is_of_tests(call)
        }
        other => attributes::is_of_tests(other),
    }
}

/// The name that an item defines; of an `impl` that of its type.
fn name_of(item: &ast::Item) -> Option<String> {
    let name = match item {
        ast::Item::Const(it) => it.name(),
        ast::Item::Enum(it) => it.name(),
        ast::Item::Fn(it) => it.name(),
        ast::Item::MacroDef(it) => it.name(),
        ast::Item::MacroRules(it) => it.name(),
        ast::Item::Module(it) => it.name(),
        ast::Item::Static(it) => it.name(),
        ast::Item::Struct(it) => it.name(),
        ast::Item::Trait(it) => it.name(),
        ast::Item::TypeAlias(it) => it.name(),
        ast::Item::Union(it) => it.name(),
        ast::Item::Impl(it) => {
            return Some(it.self_ty()?.syntax().text().to_string().split('<').next()?.trim().to_owned());
        }
        _ => None,
    };
    name.map(|name| name.text().to_string())
}

fn is_public(item: &ast::Item) -> bool {
    match item {
        ast::Item::Const(it) => it.visibility().is_some(),
        ast::Item::Enum(it) => it.visibility().is_some(),
        ast::Item::Fn(it) => it.visibility().is_some(),
        ast::Item::Module(it) => it.visibility().is_some(),
        ast::Item::Static(it) => it.visibility().is_some(),
        ast::Item::Struct(it) => it.visibility().is_some(),
        ast::Item::Trait(it) => it.visibility().is_some(),
        ast::Item::TypeAlias(it) => it.visibility().is_some(),
        ast::Item::Union(it) => it.visibility().is_some(),
        ast::Item::Use(it) => it.visibility().is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
use std::{fmt, collections::HashMap as Map};
use crate::shop::*;
mod cart;

/// Adds.
///
/// ```
/// assert_eq!(add(1, 1), 2);
/// ```
#[inline]
pub fn add(a: u8, b: u8) -> u8 { a + b }

struct Cart<T> { lines: T }
impl<T> Cart<T> { fn len(&self) -> usize { 0 } }

mod inner {
    pub fn used() {}
    #[cfg(test)]
    mod tests {
        #[test]
        fn it_works() {}
    }
}
";

    #[test]
    fn items_functions_and_imports_are_read() {
        let module = Module::read(TEXT);
        let paths: Vec<String> = module.uses.iter().map(|import| import.path.join("::")).collect();
        assert_eq!(paths, ["std::fmt", "std::collections::HashMap", "crate::shop::*"]);
        assert_eq!(module.modules[0].path, ["cart"]);
        let functions: Vec<&str> = module.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(functions, ["add", "len", "used", "it_works"]);
        let tests: Vec<_> = module.items.iter().filter(|item| item.is_test).map(|item| item.name.as_deref()).collect();
        assert_eq!(tests, [Some("tests")]);
        let names: Vec<_> = module.items.iter().filter_map(|item| item.name.as_deref()).collect();
        assert_eq!(names, ["cart", "add", "Cart", "Cart", "used", "tests"]);
        assert_eq!(module.examples.len(), 1);
        let add = &module.functions[0];
        assert!(add.definition.text(TEXT).starts_with("pub fn add") && add.span.text(TEXT).starts_with("/// Adds."));
        assert_eq!(module.function_at(TEXT.find("a + b").unwrap()).unwrap().name, "add");
    }
}
