//! A file as operators see it: its tables, and the pieces of it that other places may have meant.

use std::collections::{BTreeMap, BTreeSet};

use super::idle;
use super::piece::{self, Piece};
use super::stock::{Stock, is_short};
use super::tree::{Kind, Node, Place, Shape, Statement, Tree};
use crate::edit::Edit;
use crate::javascript::module::{Function, Module, Role};
use crate::search::layout::Layout;
use crate::search::site::Text;
use crate::search::uses::Uses;
use crate::span::Span;

/// A file that parses.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) module: &'a Module,
    pub(super) tree: Tree,
    pub(super) layout: Layout<'a>,
    pieces: Vec<Piece>,
    uses: BTreeMap<&'a str, Uses>,
    /// Names that are called behind a dot.
    pub(super) methods: BTreeSet<&'a str>,
    /// Names that are read behind a dot and not called, with how often.
    pub(super) fields: BTreeMap<&'a str, u32>,
    /// Names that objects are made with.
    pub(super) keys: BTreeSet<&'a str>,
    /// Members that are accessed, by the text of their object.
    members: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Functions that are called with one argument, with the number of such calls.
    pub(super) around: BTreeMap<&'a str, u32>,
    /// Functions that are called with one argument, each with that argument.
    pub(super) applied: BTreeSet<(&'a str, &'a str)>,
    /// Methods that are called without arguments, with the number of such calls.
    pub(super) behind: BTreeMap<&'a str, u32>,
    /// Positions of number literals.
    pub(super) numbers: Vec<Span>,
    /// Positions of string literals.
    pub(super) texts: Vec<Span>,
    /// Positions of conditions, and of the operands of those that have several.
    pub(super) conditions: Vec<Span>,
    /// Fallbacks for a missing value (`fallback` in
    /// `value || fallback`), with the number of their occurrences.
    pub(super) fallbacks: BTreeMap<&'a str, u32>,
    /// Pieces of code that other places may lack.
    pub(super) stock: Stock,
    /// Variables that nothing reads, by the number of their scope.
    pub(super) idle: BTreeSet<(usize, &'a str)>,
    /// Functions and imports that nothing uses.
    pub(super) unused: Vec<&'a str>,
    /// End of a statement: a semicolon, or nothing.
    pub(super) semicolon: &'static str,
    /// True if the statement of a branch is mostly written in braces.
    pub(super) has_braces: bool,
}

/// Maximum number of a file's functions that are tried in another's place.
const MOST_FUNCTIONS: usize = 30;

impl<'a> File<'a> {
    pub(super) fn new(name: &'a str, text: &'a str, module: &'a Module, tree: Tree) -> Self {
        let simple = tree.statements.iter().filter(|one| matches!(one.kind, Kind::Expression(_) | Kind::Return(_)));
        let (ended, open): (Vec<&Statement>, Vec<&Statement>) =
            simple.partition(|statement| statement.span.text(text).ends_with(';'));
        let branches = tree.statements.iter().filter_map(|one| match &one.kind {
            Kind::If { yes, .. } => Some(yes.text(text).starts_with('{')),
            _ => None,
        });
        let (braced, bare): (Vec<bool>, Vec<bool>) = branches.partition(|is_braced| *is_braced);
        let keys = module.words.iter().filter(|word| word.role == Role::Key);
        let mut file = Self {
            name,
            text,
            module,
            layout: Layout::of(text),
            pieces: piece::pieces(text, module),
            uses: BTreeMap::new(),
            methods: BTreeSet::new(),
            fields: BTreeMap::new(),
            keys: keys.map(|word| word.text.as_str()).collect(),
            members: BTreeMap::new(),
            around: BTreeMap::new(),
            applied: BTreeSet::new(),
            behind: BTreeMap::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
            conditions: Vec::new(),
            fallbacks: BTreeMap::new(),
            stock: Stock::default(),
            idle: idle::variables(text, module, &tree),
            unused: idle::functions(module),
            semicolon: if open.len() > ended.len() { "" } else { ";" },
            has_braces: braced.len() >= bare.len(),
            tree: Tree::default(),
        };
        tree.nodes.iter().for_each(|node| file.survey(node));
        for statement in &tree.statements {
            if let Kind::Declaration(declared) | Kind::For { declared, .. } = &statement.kind {
                for declarator in declared.iter().filter(|declarator| declarator.is_name) {
                    let value = declarator.value.and_then(|value| tree.nodes.iter().find(|node| node.span == value));
                    file.note(name_of(declarator.target.text(text)), uses_of_value(value));
                }
            }
        }
        file.stock = Stock::new(text, module, &tree, &file.conditions);
        file.tree = tree;
        file
    }

    fn note(&mut self, name: &'a str, uses: Uses) {
        if is_name(name) {
            self.uses.entry(name).or_default().note(uses);
        }
    }

    fn survey(&mut self, node: &Node) {
        let text = self.text;
        if node.place == Place::Condition {
            self.conditions.push(node.span);
        }
        if node.place == Place::Shorthand {
            self.keys.insert(node.span.text(text));
        }
        match &node.shape {
            Shape::Call { callee, name, arguments, is_new, .. } => {
                self.note(callee.text(text), Uses::CALLED);
                let (callee, name) = (callee.text(text), name.text(text));
                if callee != name && !name.is_empty() {
                    self.methods.insert(name);
                    if arguments.is_empty() {
                        *self.behind.entry(name).or_default() += 1;
                    }
                }
                let is_plain = callee.split('.').all(is_name) && !callee.starts_with("this.");
                if arguments.len() == 1 && !is_new && is_plain && callee.len() < 30 && callee != "require" {
                    let is_static = callee.starts_with(|first: char| first.is_ascii_uppercase());
                    if callee == name || is_static {
                        *self.around.entry(callee).or_default() += 1;
                        self.applied.extend(arguments.iter().map(|only| (callee, only.text(text))));
                    }
                }
            }
            Shape::Member { object, name, .. } => {
                let (object, name) = (object.text(text), name.text(text));
                self.note(object, if name == "length" { Uses::ITERATED } else { Uses::RECEIVER });
                self.members.entry(object).or_default().insert(name);
                if node.place != Place::Callee {
                    *self.fields.entry(name).or_default() += 1;
                }
            }
            Shape::Index { object, index } => {
                self.note(object.text(text), Uses::INDEXED);
                self.note(index.text(text), Uses::INDEX);
            }
            Shape::Binary { left, right, operator } => {
                let is_number = |side: &Span| side.text(text).starts_with(|first: char| first.is_ascii_digit());
                let counts = match *operator {
                    // Texts are added too.
                    "+" => is_number(left) || is_number(right),
                    "-" | "*" | "/" | "%" | "**" | "<" | "<=" | ">" | ">=" | "<<" | ">>" | ">>>" | "&" | "|" => true,
                    _ => false,
                };
                if counts {
                    self.note(left.text(text), Uses::COUNTED);
                    self.note(right.text(text), Uses::COUNTED);
                }
            }
            Shape::Logical { right, operator: "||" | "??", .. }
                if node.place != Place::Condition && is_short(right.text(text)) =>
            {
                *self.fallbacks.entry(right.text(text)).or_default() += 1;
            }
            Shape::Update { operand, .. } => self.note(operand.text(text), Uses::COUNTED),
            Shape::Number(_) => self.numbers.push(node.span),
            Shape::Text => self.texts.push(node.span),
            _ if node.place == Place::Iterable => self.note(node.span.text(text), Uses::ITERATED),
            _ => {}
        }
    }

    /// Returns the ways in which a variable is used.
    pub(super) fn uses(&self, name: &str) -> Uses {
        self.uses.get(name).copied().unwrap_or_default()
    }

    /// The functions of the file itself, those without a name left out.
    pub(super) fn functions(&self) -> impl Iterator<Item = &'a str> {
        let declared = self.module.scopes.first().map(|scope| &scope.bindings);
        let functions = self.module.functions.iter().map(|function| function.name.as_str());
        functions.filter(move |name| declared.is_some_and(|names| names.contains_key(*name))).take(MOST_FUNCTIONS)
    }

    /// Returns the functions that take one argument.
    pub(super) fn functions_of_one(&self) -> impl Iterator<Item = &'a str> {
        let takes_one = |name: &&str| self.definition(name).is_some_and(|function| function.parameters.len() == 1);
        self.functions().filter(takes_one)
    }

    /// The function of that name; `None` when several have it.
    pub(super) fn definition(&self, name: &str) -> Option<&'a Function> {
        let mut found = self.module.functions.iter().filter(|function| function.name == name);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }

    /// Returns whether anything of that name is read or called after a dot.
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.methods.contains(name) || self.fields.contains_key(name)
    }

    /// Returns the members that are accessed of the object of that name.
    pub(super) fn members_of(&self, object: &str) -> impl Iterator<Item = &'a str> {
        self.members.get(object).into_iter().flatten().copied()
    }
}

/// Returns the name that is declared, without its type.
fn name_of(target: &str) -> &str {
    target.split([':', '!']).next().unwrap_or_default().trim()
}

/// Returns whether the code is one word that may be a variable.
pub(super) fn is_name(code: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    code.chars().all(is_word) && !code.starts_with(|first: char| first.is_ascii_digit()) && !code.is_empty()
}

/// Returns the known uses of a variable that is initialised with such a value.
fn uses_of_value(value: Option<&Node>) -> Uses {
    match value.map(|value| &value.shape) {
        Some(Shape::Number(_)) => Uses::COUNTED,
        Some(Shape::Array(_) | Shape::Text | Shape::Template(_)) => Uses::ITERATED,
        _ => Uses::default(),
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

    /// Nothing is known without parsing.
    fn allows(&self, _: &[Edit]) -> bool {
        true
    }

    fn parses(&self, edits: &[Edit]) -> bool {
        piece::parses(self.name, self.text, &self.pieces, edits)
    }
}
