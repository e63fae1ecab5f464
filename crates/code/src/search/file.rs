//! A file as operators see it: its tree, its tables, and the pieces of it that other places may have meant.

use std::collections::{BTreeMap, BTreeSet};

use super::idioms::Idioms;
use super::layout::Layout;
use super::stock::{Stock, is_short};
use super::tables::{Function, Tables};
use super::tree::{Call, Kind, Node, Place, Shape, Statement, Tree};
use super::uses::Uses;
use crate::edit::Edit;
use crate::span::Span;

/// A file that parses.
pub(crate) struct File<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) idioms: &'static Idioms,
    pub(crate) tables: &'a dyn Tables,
    pub(crate) tree: &'a Tree,
    pub(crate) layout: Layout<'a>,
    pub(crate) all_functions: Vec<Function<'a>>,
    uses: BTreeMap<&'a str, Uses>,
    /// Names that are called behind a dot, and those of the file's own methods.
    pub(crate) methods: BTreeSet<&'a str>,
    /// Names that are read behind a dot and not called, with how often.
    pub(crate) fields: BTreeMap<&'a str, u32>,
    /// Names that objects are made with.
    pub(crate) keys: BTreeSet<&'a str>,
    /// Members that the file's classes declare, methods not included.
    pub(crate) declared: BTreeSet<&'a str>,
    /// Members that are accessed, by the text of their object.
    members: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Functions that are called with one argument, with the number of such calls.
    pub(crate) around: BTreeMap<&'a str, u32>,
    /// Functions that are called with one argument, each with that argument.
    pub(crate) applied: BTreeSet<(&'a str, &'a str)>,
    /// Methods that are called without arguments, with the number of such calls.
    pub(crate) behind: BTreeMap<&'a str, u32>,
    /// Positions of number literals.
    pub(crate) numbers: Vec<Span>,
    /// Positions of string literals.
    pub(crate) texts: Vec<Span>,
    /// Fallbacks for a missing value (`fallback` in `value or fallback`), with the number of their occurrences.
    pub(crate) fallbacks: BTreeMap<&'a str, u32>,
    /// Values given to names and members, in order of the text.
    pub(crate) given: Vec<Given<'a>>,
    /// Pieces of code that other places may lack.
    pub(crate) stock: Stock,
    /// Functions and imports that nothing uses.
    pub(crate) unused: Vec<&'a str>,
    /// End of a statement: a semicolon, or nothing.
    pub(crate) semicolon: &'static str,
    /// True if the statement of a branch is mostly written in braces.
    pub(crate) has_braces: bool,
}

/// A value that a name or a member is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) target: Span,
    /// Empty if the value is a part of another.
    pub(crate) value: &'a str,
}

/// Maximum number of a file's functions that are tried in another's place.
const MOST_FUNCTIONS: usize = 30;

impl<'a> File<'a> {
    pub(crate) fn new(
        name: &'a str,
        text: &'a str,
        idioms: &'static Idioms,
        tables: &'a dyn Tables,
        tree: &'a Tree,
    ) -> Self {
        let simple = tree.statements.iter().filter(|one| matches!(one.kind, Kind::Expression(_) | Kind::Return(_)));
        let (ended, open): (Vec<&Statement>, Vec<&Statement>) =
            simple.partition(|statement| statement.span.text(text).ends_with(';'));
        let branches = tree.statements.iter().filter_map(|one| match &one.kind {
            Kind::If { yes, .. } => Some(yes.text(text).starts_with('{')),
            _ => None,
        });
        let (braced, bare): (Vec<bool>, Vec<bool>) = branches.partition(|is_braced| *is_braced);
        let all_functions = tables.functions();
        let methods = all_functions.iter().filter(|function| function.is_method).map(|function| function.name);
        let mut file = Self {
            name,
            text,
            idioms,
            tables,
            tree,
            layout: Layout::of(text),
            uses: BTreeMap::new(),
            methods: methods.collect(),
            all_functions,
            fields: BTreeMap::new(),
            keys: tables.keys().into_iter().collect(),
            declared: BTreeSet::new(),
            members: BTreeMap::new(),
            around: BTreeMap::new(),
            applied: BTreeSet::new(),
            behind: BTreeMap::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
            fallbacks: BTreeMap::new(),
            given: Vec::new(),
            stock: Stock::new(text, idioms, tables, tree),
            unused: tables.unused(),
            semicolon: if !idioms.has_semicolons || open.len() > ended.len() { "" } else { ";" },
            has_braces: braced.len() >= bare.len(),
        };
        let values: BTreeMap<Span, &Node> = tree.nodes.iter().rev().map(|node| (node.span, node)).collect();
        tree.nodes.iter().for_each(|node| file.survey(node, &values));
        tree.statements.iter().for_each(|statement| file.note_values(statement, &values));
        let declared = tables.declared_members().into_iter();
        file.declared = declared.filter(|name| !file.methods.contains(name)).collect();
        file
    }

    fn note(&mut self, name: &'a str, uses: Uses) {
        if is_name(name) {
            self.uses.entry(name).or_default().note(uses);
        }
    }

    fn note_values(&mut self, statement: &'a Statement, values: &BTreeMap<Span, &Node>) {
        let text = self.text;
        match &statement.kind {
            Kind::Declaration(declared) | Kind::For { declared, .. } => {
                for declarator in declared.iter().filter(|declarator| declarator.is_name) {
                    let value = declarator.value.and_then(|value| values.get(&value).copied());
                    self.note(name_of(declarator.target.text(text)), self.uses_of_value(value));
                    if let (Kind::Declaration(_), Some(value)) = (&statement.kind, declarator.value) {
                        self.given.push(Given { target: declarator.target, value: value.text(text) });
                    }
                }
            }
            Kind::Assign { targets, last } => {
                let Some(last) = last else { return };
                let value = values.get(&last.value).copied();
                if last.operator.is_empty() {
                    for target in targets {
                        self.note_assigned(*target, value, values);
                    }
                } else if value.is_some_and(|value| matches!(value.shape, Shape::Number(_))) {
                    self.note(last.target.text(text), Uses::COUNTED);
                }
            }
            _ => {}
        }
    }

    /// Of `a, b = 1, []` each target has its own value.
    fn note_assigned(&mut self, target: Span, value: Option<&Node>, values: &BTreeMap<Span, &Node>) {
        let targets = values.get(&target).map(|target| &target.shape);
        if let (Some(Shape::Tuple(targets)), Some(Shape::Tuple(given))) = (targets, value.map(|value| &value.shape)) {
            for (target, value) in targets.iter().zip(given) {
                self.note(target.text(self.text), self.uses_of_value(values.get(value).copied()));
                self.given.push(Given { target: *target, value: value.text(self.text) });
            }
        } else if let Some(Shape::Tuple(targets)) = targets {
            self.given.extend(targets.iter().map(|target| Given { target: *target, value: "" }));
        } else {
            self.note(target.text(self.text), self.uses_of_value(value));
            let value = value.map_or("", |value| value.span.text(self.text));
            self.given.push(Given { target, value });
        }
    }

    /// Returns the known uses of a variable that is given such a value.
    fn uses_of_value(&self, value: Option<&Node>) -> Uses {
        match value.map(|value| &value.shape) {
            Some(Shape::Number(_)) => Uses::COUNTED,
            Some(Shape::List(_) | Shape::Text | Shape::Template(_) | Shape::Comprehension(_)) => Uses::ITERATED,
            Some(Shape::Object { .. }) if self.idioms.has_dictionaries => Uses::ITERATED,
            _ => Uses::default(),
        }
    }

    fn survey(&mut self, node: &'a Node, values: &BTreeMap<Span, &Node>) {
        let text = self.text;
        if node.place == Place::Shorthand {
            self.keys.insert(node.span.text(text));
        }
        if node.place == Place::Iterable {
            self.note(node.span.text(text), Uses::ITERATED);
        }
        match &node.shape {
            Shape::Call(call) => self.survey_call(call),
            Shape::Member { object, name, .. } => {
                let (object, name) = (object.text(text), name.text(text));
                let is_length = self.idioms.length.1.strip_prefix('.') == Some(name);
                self.note(object, if is_length { Uses::ITERATED } else { Uses::RECEIVER });
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
                let is_number =
                    |side: &Span| values.get(side).is_some_and(|node| matches!(node.shape, Shape::Number(_)));
                // Texts are added too.
                if *operator != "+" || is_number(left) || is_number(right) {
                    self.note(left.text(text), Uses::COUNTED);
                    self.note(right.text(text), Uses::COUNTED);
                }
            }
            Shape::Comparison { operands, operators } if operators.iter().any(|one| one.starts_with(['<', '>'])) => {
                for operand in operands {
                    self.note(operand.text(text), Uses::COUNTED);
                }
            }
            Shape::Logical { operands, operator }
                if node.place != Place::Condition && self.idioms.falls_back.contains(operator) =>
            {
                let last = operands.last().map(|last| last.text(text)).filter(|last| is_short(last));
                if let Some(last) = last {
                    *self.fallbacks.entry(last).or_default() += 1;
                }
            }
            Shape::Update { operand, .. } => self.note(operand.text(text), Uses::COUNTED),
            Shape::Number(_) => self.numbers.push(node.span),
            Shape::Text => self.texts.push(node.span),
            _ => {}
        }
    }

    fn survey_call(&mut self, call: &'a Call) {
        let text = self.text;
        self.note(call.callee.text(text), Uses::CALLED);
        let (callee, name) = (call.callee.text(text), call.name.text(text));
        if callee != name && !name.is_empty() {
            self.methods.insert(name);
            if call.arguments.is_empty() && call.keywords.is_empty() {
                *self.behind.entry(name).or_default() += 1;
            }
        } else if self.idioms.go_through.contains(&name) {
            call.arguments.iter().for_each(|argument| self.note(argument.text(text), Uses::ITERATED));
        }
        let [argument] = call.arguments.as_slice() else { return };
        let is_of_owner = callee.strip_prefix(self.idioms.owner).is_some_and(|rest| rest.starts_with('.'));
        let is_plain = callee.split('.').all(is_name) && !is_of_owner && call.keywords.is_empty();
        if !call.is_new && is_plain && callee.len() < 30 && !self.idioms.not_wrapped.contains(&callee) {
            let is_static = callee.starts_with(|first: char| first.is_ascii_uppercase());
            // Errors are thrown where they are made.
            let is_error = callee.ends_with("Error") || callee.ends_with("Exception");
            if (callee == name || is_static) && !is_error {
                *self.around.entry(callee).or_default() += 1;
                self.applied.insert((callee, argument.text(text)));
            }
        }
    }

    /// Returns the ways in which a variable is used.
    pub(crate) fn uses(&self, name: &str) -> Uses {
        self.uses.get(name).copied().unwrap_or_default()
    }

    /// The functions of the file that can be called by their name.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &'a str> {
        self.all_functions
            .iter()
            .filter(|function| function.is_listed)
            .map(|function| function.name)
            .take(MOST_FUNCTIONS)
    }

    /// Returns the functions that can be called with one argument.
    pub(crate) fn functions_of_one(&self) -> impl Iterator<Item = &'a str> {
        let takes_one = |function: &&Function<'_>| {
            let needed = function.parameters.iter().filter(|parameter| !parameter.is_optional).count();
            function.is_listed && (needed == 1 || function.parameters.len() == 1)
        };
        self.all_functions.iter().filter(takes_one).map(|function| function.name).take(MOST_FUNCTIONS)
    }

    /// The function or method of that name; `None` when several have it.
    pub(crate) fn definition(&self, name: &str) -> Option<&Function<'a>> {
        let mut found = self.all_functions.iter().filter(|function| function.name == name);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }

    /// Returns whether anything of that name is read or called after a dot.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.methods.contains(name) || self.fields.contains_key(name)
    }

    /// Returns the members that are accessed of the object of that name.
    pub(crate) fn members_of(&self, object: &str) -> impl Iterator<Item = &'a str> {
        self.members.get(object).into_iter().flatten().copied()
    }

    /// The line, from 1, that a byte stands in.
    pub(crate) fn line_of(&self, at: usize) -> u32 {
        self.tables.line_of(at)
    }

    /// Returns whether the edits may be made at all, as far as that is known without parsing.
    pub(crate) fn allows(&self, edits: &[Edit]) -> bool {
        self.tables.allows(edits)
    }

    /// Returns whether the text parses with the edits.
    pub(crate) fn parses(&self, edits: &[Edit]) -> bool {
        self.tables.parses(edits)
    }
}

/// Returns the name that is declared, without its type.
fn name_of(target: &str) -> &str {
    target.split([':', '!']).next().unwrap_or_default().trim()
}

/// Returns whether the code is one word that may be a variable.
pub(crate) fn is_name(code: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    code.chars().all(is_word) && !code.starts_with(|first: char| first.is_ascii_digit()) && !code.is_empty()
}
