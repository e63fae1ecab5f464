//! Variables with a value that nothing reads: they were declared to be used, so their use may be the missing code.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::javascript::module::{Function, Module, Role, Word};
use crate::search::tree::{Kind, Node, Place, Shape, Tree};
use crate::span::Span;

/// Names that nothing reads, by the number of the scope that declares them. Functions, imports and what is exported are left out, and
/// of functions without a name parameters before one that is read: they hold its place.
pub(super) fn variables<'a>(text: &str, module: &'a Module, tree: &Tree) -> BTreeSet<(usize, &'a str)> {
    let written = written_only(tree);
    let mut read: BTreeSet<(usize, &str)> = BTreeSet::new();
    for word in module.words.iter().filter(|word| word.role == Role::Use && !written.contains(&word.span.start)) {
        let mut current = Some(word.scope);
        while let Some((number, scope)) = current.and_then(|number| Some((number, module.scopes.get(number)?))) {
            if scope.bindings.contains_key(&word.text) {
                read.insert((number, &word.text));
                break;
            }
            current = scope.parent;
        }
    }
    let functions: BTreeSet<&str> = module.functions.iter().map(|function| function.name.as_str()).collect();
    let imported = module.imports.iter().flat_map(|import| &import.names).map(|name| name.local.as_str());
    let imported: BTreeSet<&str> = imported.collect();
    let lists = outermost(module.functions.iter().map(|function| (function.parameters_span, function)).collect());
    // Where the parameters of functions without a name stand, by where their list begins.
    let mut starts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (list, function) in lists.iter().filter(|(_, function)| function.name.is_empty()) {
        for parameter in &function.parameters {
            starts.insert((list.start, parameter.name.as_str()), parameter.span.start);
        }
    }
    let mut idle = BTreeSet::new();
    for (number, scope) in module.scopes.iter().enumerate() {
        let is_read = |name: &str| read.contains(&(number, name));
        // Where the last parameter stands that is read, by where the list begins.
        let mut last_read: BTreeMap<usize, Option<usize>> = BTreeMap::new();
        for (name, place) in &scope.bindings {
            let is_function = || functions.contains(name.as_str());
            let is_offered = || module.exports.names.contains_key(name) || imported.contains(name.as_str());
            let mut holds_a_place = || {
                // What is passed on has to take what it is given; what is called by name was declared to be used.
                let function = around(&lists, *place).filter(|function| function.name.is_empty());
                let Some(list) = function.map(|function| function.parameters_span.start) else { return false };
                let last = last_read.entry(list).or_insert_with(|| {
                    let names = scope.bindings.keys().map(String::as_str).filter(|name| is_read(name));
                    names.filter_map(|name| starts.get(&(list, name)).copied()).max()
                });
                last.is_some_and(|last| place.start < last)
            };
            if place.text(text) == name && !is_read(name) && !is_function() && !is_offered() && !holds_a_place() {
                idle.insert((number, name.as_str()));
            }
        }
    }
    idle
}

/// Functions and imports of the file that nothing in it uses but they themselves.
pub(super) fn functions(module: &Module) -> Vec<&str> {
    let uses = module.words.iter().filter(|word| word.role == Role::Use);
    let mut named: BTreeMap<&str, Vec<(Span, &Function)>> = BTreeMap::new();
    for function in &module.functions {
        named.entry(function.name.as_str()).or_default().push((function.span, function));
    }
    let named: BTreeMap<&str, Vec<(Span, &Function)>> =
        named.into_iter().map(|(name, functions)| (name, outermost(functions))).collect();
    let is_recursion = |word: &Word| {
        let functions = named.get(word.text.as_str());
        functions.is_some_and(|functions| around(functions, word.span).is_some())
    };
    let used: BTreeSet<&str> = uses.filter(|word| !is_recursion(word)).map(|word| word.text.as_str()).collect();
    let declared: BTreeSet<&str> =
        module.scopes.iter().flat_map(|scope| scope.bindings.keys()).map(String::as_str).collect();
    let functions = module.functions.iter().map(|function| function.name.as_str());
    let functions = functions.filter(|name| declared.contains(name) && !module.exports.names.contains_key(*name));
    let imports = module.imports.iter().filter(|import| !import.is_type && !import.is_export);
    let imported = imports.flat_map(|import| &import.names).map(|name| name.local.as_str());
    functions.chain(imported).filter(|name| !used.contains(name)).take(MOST_UNUSED).collect()
}

/// Files that use fewer of their functions are no programs.
const MOST_UNUSED: usize = 4;

/// Of places of functions, which lie apart or in one another, those that lie in no other, in order.
fn outermost(mut places: Vec<(Span, &Function)>) -> Vec<(Span, &Function)> {
    places.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    let mut outer: Vec<(Span, &Function)> = Vec::new();
    for (place, function) in places {
        if outer.last().is_none_or(|(last, _)| !last.contains(place)) {
            outer.push((place, function));
        }
    }
    outer
}

/// The function of the place around another one. `outer`: as [`outermost`] gives them.
fn around<'m>(outer: &[(Span, &'m Function)], inner: Span) -> Option<&'m Function> {
    let last = outer.partition_point(|(place, _)| place.start <= inner.start).checked_sub(1)?;
    outer.get(last).filter(|(place, _)| place.contains(inner)).map(|(_, function)| *function)
}

/// Returns the positions at which a variable receives a value and its own value is not used.
fn written_only(tree: &Tree) -> BTreeSet<usize> {
    let alone: BTreeSet<(usize, usize)> = tree
        .statements
        .iter()
        .filter_map(|statement| match statement.kind {
            Kind::Expression(span) => Some((span.start, span.end)),
            _ => None,
        })
        .collect();
    let parent = |number: Option<usize>| number.and_then(|number| tree.nodes.get(number));
    let is_written = |node: &&Node| {
        node.shape == Shape::Name
            && node.place == Place::Target
            && parent(node.parent).is_some_and(|parent| match &parent.shape {
                Shape::Assign { operator: "", .. } => true,
                Shape::Assign { .. } | Shape::Update { .. } => alone.contains(&(parent.span.start, parent.span.end)),
                _ => false,
            })
    };
    tree.nodes.iter().filter(is_written).map(|node| node.span.start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::javascript::search::reader;

    fn idle(text: &str) -> Vec<String> {
        let module = Module::read("a.js", text);
        let tree = reader::tree("a.js", text).expect("a program that parses");
        variables(text, &module, &tree).into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn what_nothing_reads_is_idle() {
        assert_eq!(
            idle("function f(a, b) {\n  let c = a;\n  c = 2;\n  let d = 0;\n  d++;\n}\nf();\n"),
            ["b", "c", "d"]
        );
        assert_eq!(idle("function f(a) {\n  let c = 0;\n  return c++ + a;\n}\nf();\n"), Vec::<String>::new());
    }

    #[test]
    fn a_parameter_before_one_that_is_read_holds_its_place() {
        assert_eq!(idle("xs.map((x, i) => i);\n"), Vec::<String>::new());
        assert_eq!(idle("xs.map((x, i) => x);\n"), ["i"]);
        assert_eq!(idle("xs.map((x, i, all) => i);\nxs.map((y, j) => y);\n"), ["all", "j"]);
        assert_eq!(idle("function f(x, i) {\n  return i;\n}\nf();\n"), ["x"]);
    }

    #[test]
    fn functions_that_nothing_else_calls_are_unused() {
        let module = Module::read(
            "a.js",
            "const low = require('low');\nfunction f(n) {\n  return f(n - 1);\n}\nfunction g() {}\ng();\n",
        );
        assert_eq!(functions(&module), ["f", "low"]);
        let inner = "function f() {\n  function g() {\n    f();\n  }\n  g();\n}\n";
        assert_eq!(functions(&Module::read("a.js", inner)), ["f"]);
        let twice = format!("{inner}{{\n  function g() {{\n    h();\n  }}\n}}\nfunction h() {{}}\n");
        assert_eq!(functions(&Module::read("a.js", &twice)), ["f"]);
        assert_eq!(functions(&Module::read("a.js", &format!("{twice}f();\n"))), [] as [&str; 0]);
    }
}
