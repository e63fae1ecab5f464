//! Idioms of Python.

use crate::python::tokens::{is_keyword, scan};
use crate::search::idioms::{Idioms, Style, Takes, Wrapper};

/// The spelling of Python.
pub(super) static IDIOMS: Idioms = Idioms {
    scan,
    is_keyword,
    comment: "#",
    has_semicolons: false,
    idle: Some("pass"),
    branch,
    else_if: "el",

    owner: "self",
    not: "not ",
    not_around: ("not (", ")"),
    and: "and",
    or: "or",
    loose: &[" if ", "lambda", ":="],
    booleans: ["True", "False"],
    nothing: "None",
    return_nothing: "return None",
    length: ("len(", ")"),
    wait: ("await ", ""),
    has_dictionaries: true,

    comparisons: &[
        ("<", &[("<=", 8.0), (">", 2.0), (">=", 2.0), ("!=", 0.7), ("==", 0.5)]),
        ("<=", &[("<", 8.0), (">=", 2.0), (">", 2.0), ("==", 0.7), ("!=", 0.5)]),
        (">", &[(">=", 8.0), ("<", 2.0), ("<=", 2.0), ("!=", 0.7), ("==", 0.5)]),
        (">=", &[(">", 8.0), ("<=", 2.0), ("<", 2.0), ("==", 0.7), ("!=", 0.5)]),
        ("==", &[("!=", 5.0), ("<=", 1.0), (">=", 1.0), ("<", 0.5), (">", 0.5), ("in", 0.5), ("is", 0.5)]),
        ("!=", &[("==", 5.0), ("<", 1.0), (">", 1.0), ("<=", 0.5), (">=", 0.5), ("not in", 0.5), ("is not", 0.5)]),
        ("is", &[("is not", 5.0), ("==", 1.0)]),
        ("is not", &[("is", 5.0), ("!=", 1.0)]),
        ("in", &[("not in", 5.0), ("==", 1.0)]),
        ("not in", &[("in", 5.0), ("!=", 1.0)]),
    ],
    unopposed: &[],
    arithmetic: &[
        ("+", &[("-", 5.0), ("*", 2.0), ("%", 0.3), ("/", 0.3), ("|", 0.3)]),
        ("-", &[("+", 5.0), ("%", 1.0), ("/", 0.5), ("*", 0.5)]),
        ("*", &[("**", 2.0), ("+", 2.0), ("/", 2.0), ("//", 1.0), ("-", 0.5), ("%", 0.5)]),
        ("@", &[("*", 1.0)]),
        ("/", &[("//", 5.0), ("*", 2.0), ("%", 1.0), ("-", 0.5)]),
        ("//", &[("/", 4.0), ("%", 4.0), ("*", 1.0), (">>", 0.3)]),
        ("%", &[("//", 4.0), ("/", 1.0), ("*", 0.5), ("-", 0.5), ("+", 0.3)]),
        ("**", &[("*", 5.0), ("//", 0.3), ("^", 0.5)]),
        ("<<", &[(">>", 5.0)]),
        (">>", &[("<<", 5.0), ("//", 0.5)]),
        ("|", &[("&", 4.0), ("^", 3.0), ("+", 0.5)]),
        ("^", &[("&", 4.0), ("|", 4.0), ("**", 1.0)]),
        ("&", &[("|", 4.0), ("^", 4.0), ("-", 0.5)]),
    ],
    connectives: &[("and", &[("or", 5.0)]), ("or", &[("and", 5.0)])],
    falls_back: &["or"],
    assignments: &[("+=", 2.0), ("-=", 0.7), ("*=", 0.5), ("|=", 0.2)],
    literals: &[
        ("True", &[("False", 6.0), ("None", 1.0)]),
        ("False", &[("True", 6.0), ("None", 1.0)]),
        ("None", &[("False", 1.0), ("True", 1.0), ("0", 1.0), ("''", 0.7), ("[]", 0.7), ("{}", 0.5)]),
        ("[]", &[("{}", 1.0), ("None", 1.0), ("set()", 1.0), ("[[]]", 1.0), ("''", 0.5), ("0", 0.5), ("[0]", 0.5)]),
        ("{}", &[("[]", 1.0), ("set()", 1.0), ("None", 1.0)]),
    ],
    related: RELATED,

    checks: &[("not {}", 2.0), ("{} is None", 1.0), ("{} is not None", 0.2), ("{}", 0.2)],
    number_checks: &[("{} == 0", 1.0), ("{} <= 0", 0.5)],
    collection_checks: &[("len({}) == 1", 0.3)],
    tests: &[("{}", 0.4), ("not {}", 0.3), ("{} is not None", 0.2), ("{} is None", 0.1)],
    results: &[("{}", 1.5), ("not {}", 0.3)],
    collection_results: &[("len({}) == 0", 0.4), ("len({}) > 0", 0.3)],
    constants: &[
        ("True", 1.0),
        ("False", 1.0),
        ("None", 1.0),
        ("0", 0.7),
        ("[]", 0.7),
        ("1", 0.5),
        ("-1", 0.5),
        ("''", 0.4),
        ("{}", 0.3),
        ("[[]]", 0.3),
    ],
    beginnings: &[
        ("0", 2.0),
        ("1", 2.0),
        ("None", 1.5),
        ("[]", 1.5),
        ("{}", 1.0),
        ("set()", 1.0),
        ("-1", 1.0),
        ("''", 0.7),
        ("True", 0.7),
        ("False", 0.7),
        ("float('inf')", 0.7),
        ("float('-inf')", 0.7),
    ],
    first_values: &[("{}", 1.0), ("{}[0]", 0.5), ("len({})", 0.5), ("len({}) - 1", 0.5), ("[{}]", 0.3), ("{{}}", 0.2)],
    fallbacks: &[("None", 1.0), ("[]", 1.0), ("''", 0.7), ("{}", 0.7), ("0", 0.7), ("()", 0.5), ("False", 0.3)],
    arguments: &[("0", 1.0), ("1", 1.0), ("-1", 1.0), ("None", 1.0), ("True", 1.0), ("False", 1.0), ("''", 1.0)],
    usual_arguments: &[
        ("sorted", &[("reverse=True", 2.0), ("key=len", 1.0), ("key={collection}.get", 0.7)]),
        ("sort", &[("reverse=True", 2.0), ("key=len", 1.0), ("key={collection}.get", 0.7)]),
        ("min", &[("key=len", 1.0), ("key={collection}.get", 0.7)]),
        ("max", &[("key=len", 1.0), ("key={collection}.get", 0.7)]),
        ("get", &[("0", 2.0)]),
        ("range", &[("{number}", 0.5)]),
        ("split", &[("1", 1.0)]),
        ("zip", &[("strict=True", 0.5)]),
    ],
    take_one: &[
        "len", "abs", "sum", "list", "set", "tuple", "bool", "float", "str", "repr", "any", "all", "reversed", "iter",
        "chr", "ord", "hash", "type", "append",
    ],

    around: AROUND,
    around_iterables: AROUND_ITERABLES,
    behind: &[
        (".copy()", 1.0),
        (".strip()", 1.0),
        (".lower()", 1.0),
        (".items()", 1.0),
        (".values()", 0.7),
        (".keys()", 0.3),
        (".split()", 0.5),
        (".upper()", 0.3),
        ("()", 1.0),
    ],
    not_wrapped: &[],
    unusual: 1.0,
    go_through: &["len", "sorted", "sum", "any", "all", "list", "set", "tuple", "enumerate", "zip", "reversed"],
    give_order: &["str", "list", "repr"],
    pieces: &[],
    ranges: &["range"],
    counting: &["len", "index", "find", "count", "int", "max", "min"],
    not_counting: &["range", "append", "print"],
    members: &[],

    indices: &[("{index}:", 0.5), (":{index}", 0.5), ("-{index}", 1.0), ("-{index} - 1", 0.7)],
    accesses: &[],
    parts: &[("[1:]", 0.6), ("[:-1]", 0.6), ("[::-1]", 0.6)],
    elements: &[("[0]", 1.0), ("[-1]", 1.0), ("[1]", 1.0)],
    bounded: &[("[{}:]", 1.0), ("[:{}]", 0.7), ("[{} + 1:]", 0.5)],
    squared: Some(" ** 2"),
    compared: 1.0,
    indexed_number: 0.3,
    better: &[("max", 1.5), ("min", 1.0)],
    updates: &[("{} += 1", 1.0), ("{} -= 1", 0.2)],
    collects,
};

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

const AROUND: &[Wrapper] = &[
    ("len", 2.0, Takes::Elements),
    ("str", 2.0, Takes::Anything),
    ("int", 2.0, Takes::Anything),
    ("list", 1.6, Takes::Elements),
    ("abs", 1.5, Takes::Number),
    ("sorted", 1.5, Takes::Elements),
    ("set", 1.0, Takes::Elements),
    ("float", 1.0, Takes::Number),
    ("tuple", 1.0, Takes::Anything),
    ("reversed", 1.0, Takes::Elements),
    ("bool", 0.5, Takes::Anything),
    ("sum", 0.7, Takes::Elements),
    ("max", 0.5, Takes::Anything),
    ("min", 0.5, Takes::Anything),
    ("round", 0.5, Takes::Number),
    ("dict", 0.3, Takes::Anything),
    ("repr", 0.3, Takes::Anything),
];

const AROUND_ITERABLES: &[Wrapper] = &[
    ("reversed", 3.0, Takes::Elements),
    ("enumerate", 2.0, Takes::Anything),
    // Before `sorted`, which asks more of the values: where a list passes, it is the smaller change.
    ("list", 2.1, Takes::Elements),
    ("sorted", 2.0, Takes::Elements),
    ("range", 2.0, Takes::Anything),
    ("set", 1.0, Takes::Elements),
];

/// `if condition:` and the statement below it.
fn branch(condition: &str, statement: &str, style: Style<'_>) -> String {
    let Style { newline, indentation, unit, .. } = style;
    format!("if {condition}:{newline}{indentation}{unit}{statement}")
}

fn collects(value: &str) -> Option<&'static str> {
    let is_set = value.starts_with("set(") || (value.starts_with('{') && !value.contains(':') && value != "{}");
    let is_list = value.starts_with('[') || value.starts_with("list(");
    if is_set {
        Some("add")
    } else if is_list {
        Some("append")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of two changes that pass is chosen, and to order the values is more than was asked.
    #[test]
    fn list_comes_before_sorted_whatever_is_wrapped() {
        for table in [AROUND, AROUND_ITERABLES] {
            let row = |wanted: &str| table.iter().find(|(name, ..)| *name == wanted).expect("a row");
            let ((_, list, takes), (_, sorted, same)) = (row("list"), row("sorted"));
            assert!(list > sorted && takes == same, "{list} {takes:?}, {sorted} {same:?}");
        }
    }

    #[test]
    fn a_line_of_related_functions_has_several_and_none_twice() {
        for line in RELATED {
            let names: std::collections::BTreeSet<_> = line.iter().collect();
            assert!(names.len() > 1 && names.len() == line.len(), "{line:?}");
        }
    }
}
