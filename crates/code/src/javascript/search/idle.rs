//! Variables that have a value and nothing that reads it: whoever declared them meant to use them, so what uses them may be what is lost.

use std::collections::BTreeSet;

use super::tree::{Kind, Place, Shape, Tree};
use crate::javascript::module::{Module, Role, Word};

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
    let mut idle = BTreeSet::new();
    for (number, scope) in module.scopes.iter().enumerate() {
        for (name, place) in &scope.bindings {
            let is_read = || read.contains(&(number, name.as_str()));
            let is_function = || module.functions.iter().any(|function| function.name == *name);
            let is_offered = || module.exports.names.contains_key(name) || module.imported(name).is_some();
            let holds_a_place = || {
                let function = module.functions.iter().find(|function| function.parameters_span.contains(*place));
                // What is passed on has to take what it is given; what is called by name was declared to be used.
                let function = function.filter(|function| function.name.is_empty());
                let later = function.into_iter().flat_map(|function| &function.parameters);
                later
                    .filter(|parameter| parameter.span.start > place.start)
                    .any(|later| read.contains(&(number, later.name.as_str())))
            };
            if place.text(text) == name && !is_read() && !is_function() && !is_offered() && !holds_a_place() {
                idle.insert((number, name.as_str()));
            }
        }
    }
    idle
}

/// Functions and imports of the file that nothing in it uses but they themselves.
pub(super) fn functions(module: &Module) -> Vec<&str> {
    let uses = module.words.iter().filter(|word| word.role == Role::Use);
    let is_recursion = |word: &Word| {
        let around = module.functions.iter().filter(|function| function.span.contains(word.span));
        around.into_iter().any(|function| function.name == word.text)
    };
    let used: BTreeSet<&str> = uses.filter(|word| !is_recursion(word)).map(|word| word.text.as_str()).collect();
    let declared = |name: &str| module.scopes.iter().any(|scope| scope.bindings.contains_key(name));
    let functions = module.functions.iter().map(|function| function.name.as_str());
    let functions = functions.filter(|name| declared(name) && !module.exports.names.contains_key(*name));
    let imports = module.imports.iter().filter(|import| !import.is_type && !import.is_export);
    let imported = imports.flat_map(|import| &import.names).map(|name| name.local.as_str());
    functions.chain(imported).filter(|name| !used.contains(name)).take(MOST_UNUSED).collect()
}

/// Files that use fewer of their functions are no programs.
const MOST_UNUSED: usize = 4;

/// Where variables stand that get a value there and give none.
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
    let is_written = |node: &&super::tree::Node| {
        node.shape == Shape::Name
            && node.place == Place::Target
            && parent(node.parent).is_some_and(|parent| match &parent.shape {
                Shape::Assign { operator: "=", .. } => true,
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
    }

    #[test]
    fn functions_that_nothing_else_calls_are_unused() {
        let module = Module::read(
            "a.js",
            "const low = require('low');\nfunction f(n) {\n  return f(n - 1);\n}\nfunction g() {}\ng();\n",
        );
        assert_eq!(functions(&module), ["f", "low"]);
    }
}
