//! A source file read once, and the edits that break it.

use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Operators of several characters, the longest first.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "..=", "...", "=>", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=",
    "^=", "|=", "&=", "..", "<<", ">>", "'",
];

/// A change of one file.
pub(super) struct Edit {
    /// Bytes to replace.
    pub(super) range: Range<usize>,
    pub(super) new: String,
    /// Path of another file of the program, and an item that is added to it.
    pub(super) added: Option<(String, String)>,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, new: impl Into<String>) -> Self {
        Self { range, new: new.into(), added: None }
    }

    pub(super) fn insert(at: usize, new: impl Into<String>) -> Self {
        Self::new(at..at, new)
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self::new(range, "")
    }
}

/// Token with its place in the text.
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) is_word: bool,
}

/// Parts of the tree that kinds of defects look at.
#[derive(Clone, Copy)]
pub(super) enum Node<'a> {
    Item(&'a syn::Item),
    Signature(&'a syn::Signature),
    Generics(&'a syn::Generics),
    Block(&'a syn::Block),
    Local(&'a syn::Local),
    Pattern(&'a syn::PatIdent),
    Expression(&'a syn::Expr),
    Type(&'a syn::Type),
}

/// One source file: text, tokens, tree.
pub(super) struct Source {
    /// Path below the root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) tree: syn::File,
    pub(super) tokens: Vec<Token>,
    /// Paths of the program's other files.
    pub(super) others: Vec<String>,
    /// Tests and documentation, which stay as they are.
    kept: Vec<Range<usize>>,
}

/// Reads every file of the sources that is program text.
pub(super) fn read(root: &Path, sources: &[String]) -> anyhow::Result<Vec<Source>> {
    let paths: Vec<String> =
        sources.iter().flat_map(|source| files(root, source)).filter(|path| !is_test(path)).collect();
    let mut read = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(root.join(path)).with_context(|| path.clone())?;
        let mut source = Source::new(path, text).with_context(|| path.clone())?;
        source.others = paths.iter().filter(|other| *other != path).cloned().collect();
        read.push(source);
    }
    Ok(read)
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "test" | "tests" | "test.rs" | "tests.rs"))
}

/// Paths of the Rust files at or below a path, in their order.
pub(super) fn files(root: &Path, path: &str) -> Vec<String> {
    if root.join(path).is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(root.join(path)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let below = names.into_iter().map(|name| format!("{path}/{name}"));
    let is_rust = |path: &String| Path::new(path).extension().is_some_and(|extension| extension == "rs");
    below.filter(|path| is_rust(path) || root.join(path).is_dir()).flat_map(|path| files(root, &path)).collect()
}

/// Place of a node in the text that it was parsed from.
pub(super) fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// Returns whether one of the attributes is `#[name]`.
pub(super) fn has_attribute(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// The tests in a file of the program, with its documentation, which holds examples.
pub(in crate::bench) fn tests_of(text: &str) -> anyhow::Result<String> {
    let kept = kept(&syn::parse_file(text)?);
    Ok(kept.into_iter().map(|range| text[range].to_owned() + "\n").collect())
}

fn kept(tree: &syn::File) -> Vec<Range<usize>> {
    let mut kept = Kept::default();
    kept.visit_file(tree);
    kept.0
}

#[derive(Default)]
struct Kept(Vec<Range<usize>>);

impl<'a> Visit<'a> for Kept {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if is_for_tests(item) {
            self.0.push(range(item));
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
        if attribute.path().is_ident("doc") {
            self.0.push(range(attribute));
        }
    }
}

fn is_for_tests(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        _ => return false,
    };
    let is_cfg_test = |attribute: &syn::Attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string().contains("test"))
    };
    has_attribute(attributes, "test") || attributes.iter().any(is_cfg_test)
}

impl Source {
    fn new(path: &str, text: String) -> anyhow::Result<Self> {
        let tree = syn::parse_file(&text)?;
        let stream: TokenStream = text.parse().map_err(|error| anyhow::anyhow!("{error}"))?;
        let mut tokens = Vec::new();
        flatten(stream, &text, &mut tokens);
        let kept = kept(&tree);
        tokens.retain(|token| !kept.iter().any(|kept| kept.start <= token.range.start && token.range.end <= kept.end));
        Ok(Self { path: path.to_owned(), text, tree, tokens, others: Vec::new(), kept })
    }

    /// The text after an edit.
    pub(super) fn with(&self, edit: &Edit) -> String {
        format!("{}{}{}", &self.text[..edit.range.start], edit.new, &self.text[edit.range.end..])
    }

    /// Returns whether an edit changes something, and no test.
    pub(super) fn allows(&self, edit: &Edit) -> bool {
        let is_kept = |kept: &Range<usize>| edit.range.start < kept.end && kept.start < edit.range.end;
        self.text[edit.range.clone()] != edit.new && !self.kept.iter().any(is_kept)
    }

    pub(super) fn of(&self, node: &impl Spanned) -> &str {
        &self.text[range(node)]
    }

    pub(super) fn word(&self, token: &Token) -> &str {
        &self.text[token.range.clone()]
    }

    /// The word of the token at an index; empty beyond the ends.
    pub(super) fn word_at(&self, index: Option<usize>) -> &str {
        index.and_then(|index| self.tokens.get(index)).map_or("", |token| self.word(token))
    }

    /// Tokens that the test accepts: it sees the words before, here and after.
    pub(super) fn words(&self, accepts: impl Fn(&str, &str, &str) -> bool) -> Vec<Range<usize>> {
        let accepted = self.tokens.iter().enumerate().filter(|(index, token)| {
            let (before, after) = (self.word_at(index.checked_sub(1)), self.word_at(Some(index + 1)));
            accepts(before, self.word(token), after)
        });
        accepted.map(|(_, token)| token.range.clone()).collect()
    }

    /// Puts each of two nodes in the place of the other.
    pub(super) fn swapped(&self, left: &impl Spanned, right: &impl Spanned) -> Edit {
        let (first, second) = (range(left), range(right));
        let between = &self.text[first.end..second.start];
        Edit::new(first.start..second.end, format!("{}{between}{}", self.of(right), self.of(left)))
    }

    /// The lines of a node; none when it shares them with other code.
    pub(super) fn lines(&self, range: Range<usize>) -> Option<Range<usize>> {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[range.end..].find('\n').map_or(self.text.len(), |at| range.end + at + 1);
        let (before, after) = (&self.text[start..range.start], self.text[range.end..end].trim());
        (before.trim().is_empty() && (after.is_empty() || after.starts_with("//"))).then_some(start..end)
    }

    /// Every part of the program, tests excluded.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        let mut all = Nodes(Vec::new());
        all.visit_file(&self.tree);
        all.0
    }

    pub(super) fn expressions(&self) -> Vec<&syn::Expr> {
        let expression = |node| match node {
            Node::Expression(expression) => Some(expression),
            _ => None,
        };
        self.nodes().into_iter().filter_map(expression).collect()
    }

    /// Lists of arguments, of functions and of methods.
    pub(super) fn arguments(&self) -> Vec<Vec<&syn::Expr>> {
        let all = self.expressions().into_iter().filter_map(|expression| match expression {
            syn::Expr::Call(call) => Some(call.args.iter().collect::<Vec<_>>()),
            syn::Expr::MethodCall(call) => Some(call.args.iter().collect()),
            _ => None,
        });
        all.collect()
    }

    pub(super) fn blocks(&self) -> Vec<&syn::Block> {
        let block = |node| match node {
            Node::Block(block) => Some(block),
            _ => None,
        };
        self.nodes().into_iter().filter_map(block).collect()
    }

    pub(super) fn items(&self) -> Vec<&syn::Item> {
        let item = |node| match node {
            Node::Item(item) => Some(item),
            _ => None,
        };
        self.nodes().into_iter().filter_map(item).collect()
    }

    pub(super) fn signatures(&self) -> Vec<&syn::Signature> {
        let signature = |node| match node {
            Node::Signature(signature) => Some(signature),
            _ => None,
        };
        self.nodes().into_iter().filter_map(signature).collect()
    }
}

fn flatten(stream: TokenStream, text: &str, tokens: &mut Vec<Token>) {
    // The end of a mark that the next one continues.
    let mut joined: Option<usize> = None;
    for tree in stream {
        let here = tree.span().byte_range();
        // A comment of the documentation is several tokens in one place.
        if text[here.clone()].starts_with("//") || text[here.clone()].starts_with("/*") {
            continue;
        }
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => flatten(group.stream(), text, tokens),
            TokenTree::Group(group) => {
                tokens.push(Token { range: group.span_open().byte_range(), is_word: false });
                flatten(group.stream(), text, tokens);
                tokens.push(Token { range: group.span_close().byte_range(), is_word: false });
                joined = None;
            }
            TokenTree::Punct(mark) => {
                match tokens.last_mut() {
                    Some(last) if joined == Some(here.start) && is_operator(&text[last.range.start..here.end]) => {
                        last.range.end = here.end;
                    }
                    _ => tokens.push(Token { range: here.clone(), is_word: false }),
                }
                joined = (mark.spacing() == Spacing::Joint).then_some(here.end);
            }
            TokenTree::Ident(_) => {
                match tokens.last_mut() {
                    Some(last) if joined == Some(here.start) && &text[last.range.clone()] == "'" => {
                        last.range.end = here.end;
                    }
                    _ => tokens.push(Token { range: here, is_word: true }),
                }
                joined = None;
            }
            TokenTree::Literal(_) => {
                tokens.push(Token { range: here, is_word: false });
                joined = None;
            }
        }
    }
}

fn is_operator(text: &str) -> bool {
    OPERATORS.contains(&text)
}

struct Nodes<'a>(Vec<Node<'a>>);

impl<'a> Visit<'a> for Nodes<'a> {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_for_tests(item) {
            self.0.push(Node::Item(item));
            visit::visit_item(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'a syn::Signature) {
        self.0.push(Node::Signature(signature));
        visit::visit_signature(self, signature);
    }

    fn visit_generics(&mut self, generics: &'a syn::Generics) {
        self.0.push(Node::Generics(generics));
        visit::visit_generics(self, generics);
    }

    fn visit_block(&mut self, block: &'a syn::Block) {
        self.0.push(Node::Block(block));
        visit::visit_block(self, block);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.0.push(Node::Local(local));
        visit::visit_local(self, local);
    }

    fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
        self.0.push(Node::Pattern(pattern));
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'a syn::Expr) {
        self.0.push(Node::Expression(expression));
        visit::visit_expr(self, expression);
    }

    fn visit_type(&mut self, kind: &'a syn::Type) {
        self.0.push(Node::Type(kind));
        visit::visit_type(self, kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_belong_to_no_defect() {
        let text = "/// Adds: `add(1)`.\npub fn add(to: u8) -> u8 {\n    to + 1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    \
                    fn adds() {\n        assert_eq!(super::add(1), 2);\n    }\n}\n";
        let source = Source::new("src/lib.rs", text.to_owned()).unwrap();
        let words: Vec<&str> = source.tokens.iter().map(|token| source.word(token)).collect();
        assert_eq!(words.join(" "), "pub fn add ( to : u8 ) -> u8 { to + 1 }");
        assert!(source.allows(&Edit::insert(text.find("1\n").unwrap(), "1")));
        assert!(!source.allows(&Edit::delete(text.find("2)").unwrap()..text.find("2)").unwrap() + 1)));

        let tests = |text: &str| tests_of(text).unwrap();
        assert_eq!(tests(text), tests(&text.replace("to + 1", "to - 1")));
        assert_ne!(tests(text), tests(&text.replace(", 2)", ", 0)")));
        assert_ne!(tests(text), tests(&text.replace("add(1)`", "add(2)`")));
    }
}
