//! A wrong function: one that is easily taken for the right one.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;

use crate::python::search::site::{Place, Site};
use crate::search::change::Changes;

/// Built-in functions, and methods of built-in types, that do similar things; each is tried for each other of its line.
const RELATED: &[&[&str]] = &[
    &["min", "max"],
    &["any", "all"],
    &["min", "max", "sum", "len"],
    &["sorted", "reversed", "list"],
    &["sorted", "list", "set", "tuple", "frozenset"],
    &["int", "float", "round", "str"],
    &["str", "repr"],
    &["range", "enumerate", "len"],
    &["floor", "ceil", "trunc", "round"],
    &["map", "filter"],
    &["isinstance", "issubclass"],
    &["hasattr", "getattr"],
    &["append", "extend", "insert", "add"],
    &["append", "appendleft"],
    &["pop", "popleft", "popitem"],
    &["heappush", "heappop"],
    &["add", "update", "discard", "remove"],
    &["update", "setdefault"],
    &["get", "pop", "setdefault"],
    &["keys", "values", "items"],
    &["startswith", "endswith"],
    &["strip", "lstrip", "rstrip"],
    &["removeprefix", "removesuffix"],
    &["split", "rsplit", "splitlines"],
    &["partition", "rpartition", "split"],
    &["find", "rfind", "index", "rindex"],
    &["upper", "lower", "title", "capitalize", "swapcase", "casefold"],
    &["isdigit", "isalpha", "isalnum", "isnumeric", "isspace"],
    &["isupper", "islower"],
    &["ljust", "rjust", "center", "zfill"],
    &["union", "intersection", "difference", "symmetric_difference"],
    &["issubset", "issuperset"],
    &["match", "search", "fullmatch"],
    &["findall", "finditer", "search"],
    &["sub", "subn"],
    &["permutations", "combinations", "combinations_with_replacement", "product"],
    &["encode", "decode"],
    &["read", "readline", "readlines"],
    &["sin", "cos"],
    &["log", "log2", "log10"],
    &["sort", "reverse"],
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().iter().filter(|node| node.place == Place::Callee) {
        let (name, place) = match node.expression {
            Expr::Name(name) => (name.id.as_str(), name.range()),
            Expr::Attribute(attribute) => (attribute.attr.as_str(), attribute.attr.range()),
            _ => continue,
        };
        for line in RELATED.iter().filter(|line| line.contains(&name)) {
            // The shorter the line, the closer its functions.
            let weight = 4.0 / f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX));
            for other in line.iter().filter(|other| **other != name) {
                changes.replace(weight, &place, *other);
            }
        }
        if node.expression.is_name_expr() {
            for other in site.file.functions().filter(|other| *other != name) {
                changes.replace(0.5, &place, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_related_functions_has_several_and_none_twice() {
        for line in RELATED {
            let names: std::collections::BTreeSet<_> = line.iter().collect();
            assert!(names.len() > 1 && names.len() == line.len(), "{line:?}");
        }
    }
}
