//! Idioms of JavaScript and TypeScript.

use crate::javascript::tokens::{is_keyword, scan};
use crate::search::idioms::{Alternatives, Idioms, Style, Takes, Wrapper};

/// The spelling of JavaScript.
pub(super) static IDIOMS: Idioms = Idioms {
    scan,
    is_keyword,
    comment: "//",
    has_semicolons: true,
    idle: None,
    branch,
    else_if: "else ",

    owner: "this",
    not: "!",
    not_around: ("!(", ")"),
    and: "&&",
    or: "||",
    loose: &["?"],
    booleans: ["true", "false"],
    nothing: "undefined",
    return_nothing: "return",
    length: ("", ".length"),
    wait: ("await ", ""),
    has_dictionaries: false,

    comparisons: &[
        ("<", &[("<=", 8.0), (">", 2.0), (">=", 2.0), ("!==", 0.7), ("===", 0.5)]),
        ("<=", &[("<", 8.0), (">=", 2.0), (">", 2.0), ("===", 0.7), ("!==", 0.5)]),
        (">", &[(">=", 8.0), ("<", 2.0), ("<=", 2.0), ("!==", 0.7), ("===", 0.5)]),
        (">=", &[(">", 8.0), ("<=", 2.0), ("<", 2.0), ("===", 0.7), ("!==", 0.5)]),
        ("===", &[("!==", 5.0), ("<=", 0.7), (">=", 0.7), ("<", 0.4), (">", 0.4), ("==", 0.7)]),
        ("!==", &[("===", 5.0), ("<", 0.7), (">", 0.7), ("<=", 0.4), (">=", 0.4), ("!=", 0.7)]),
        ("==", &[("!=", 5.0), ("===", 1.0), ("<=", 0.7), (">=", 0.7), ("<", 0.4), (">", 0.4)]),
        ("!=", &[("==", 5.0), ("!==", 1.0), ("<", 0.7), (">", 0.7), ("<=", 0.4), (">=", 0.4)]),
        ("in", &[("===", 0.3)]),
        ("instanceof", &[("===", 0.5)]),
    ],
    unopposed: &["in", "instanceof"],
    arithmetic: &[
        ("+", &[("-", 5.0), ("*", 2.0), ("/", 0.5), ("%", 0.3)]),
        ("-", &[("+", 5.0), ("*", 0.7), ("/", 0.5), ("%", 0.5)]),
        ("*", &[("/", 4.0), ("+", 2.0), ("**", 1.0), ("-", 0.5), ("%", 0.5)]),
        ("/", &[("*", 4.0), ("%", 2.0), ("-", 0.5), ("+", 0.3)]),
        ("%", &[("/", 4.0), ("*", 1.0), ("-", 0.5), ("+", 0.3)]),
        ("**", &[("*", 5.0), ("^", 0.3)]),
        ("<<", &[(">>", 4.0), (">>>", 2.0)]),
        (">>", &[("<<", 4.0), (">>>", 4.0)]),
        (">>>", &[(">>", 5.0), ("<<", 2.0)]),
        ("|", &[("&", 4.0), ("^", 3.0), ("||", 1.0), ("+", 0.3)]),
        ("&", &[("|", 4.0), ("^", 3.0), ("&&", 1.0)]),
        ("^", &[("&", 4.0), ("|", 4.0), ("**", 1.0)]),
    ],
    connectives: &[
        ("&&", &[("||", 5.0), ("??", 0.2)]),
        ("||", &[("&&", 5.0), ("??", 1.5)]),
        ("??", &[("||", 4.0), ("&&", 2.0)]),
    ],
    falls_back: &["||", "??"],
    assignments: &[("+=", 2.0), ("-=", 0.7), ("||=", 0.4), ("*=", 0.3), ("|=", 0.3), ("??=", 0.2)],
    literals: &[
        ("''", &[("[]", 0.3), ("null", 0.3), ("undefined", 0.3)]),
        ("true", &[("false", 6.0), ("undefined", 0.5), ("null", 0.5)]),
        ("false", &[("true", 6.0), ("undefined", 0.5), ("null", 0.5)]),
        (
            "null",
            &[("undefined", 2.0), ("false", 1.0), ("true", 0.5), ("0", 0.7), ("''", 0.7), ("[]", 0.5), ("{}", 0.5)],
        ),
        ("undefined", &[("null", 3.0), ("false", 1.0), ("true", 0.5), ("''", 0.5), ("0", 0.5)]),
        ("[]", &[("{}", 1.0), ("null", 1.0), ("''", 1.0), ("undefined", 0.5), ("[[]]", 0.5)]),
        ("{}", &[("[]", 1.0), ("null", 1.0), ("undefined", 0.5), ("Object.create(null)", 0.5)]),
    ],
    related: RELATED,

    checks: &[("!{}", 2.0), ("{} == null", 0.7), ("{}", 0.4)],
    number_checks: &[("{} === 0", 1.0), ("{} <= 0", 0.5), ("isNaN({})", 0.45)],
    collection_checks: &[("{}.length === 0", 1.0), ("typeof {} !== 'string'", 0.3), ("!Array.isArray({})", 0.2)],
    tests: &[("{}", 0.4), ("!{}", 0.3)],
    results: &[("{}", 1.5), ("!{}", 0.3)],
    collection_results: &[("{}.length === 0", 0.4), ("{}.length > 0", 0.3)],
    constants: &[
        ("true", 1.0),
        ("false", 1.0),
        ("null", 0.7),
        ("undefined", 0.7),
        ("0", 0.7),
        ("[]", 0.7),
        ("''", 0.7),
        ("this", 0.4),
        ("1", 0.5),
        ("-1", 0.5),
        ("{}", 0.4),
    ],
    beginnings: &[
        ("0", 2.0),
        ("1", 2.0),
        ("[]", 1.5),
        ("''", 1.5),
        ("{}", 1.0),
        ("null", 1.0),
        ("-1", 1.0),
        ("false", 1.0),
        ("true", 1.0),
        ("Infinity", 0.7),
        ("-Infinity", 0.7),
        ("new Map()", 0.2),
    ],
    first_values: &[("{}", 1.0), ("{}[0]", 0.5), ("{}.length", 0.5), ("{}.length - 1", 0.5), ("[{}]", 0.3)],
    fallbacks: &[("{}", 1.0), ("[]", 1.0), ("''", 1.0), ("null", 0.7), ("0", 0.7), ("false", 0.5), ("undefined", 0.3)],
    arguments: &[
        ("true", 0.5),
        ("false", 0.5),
        ("0", 0.5),
        ("1", 0.5),
        ("null", 0.5),
        ("undefined", 0.5),
        ("{}", 0.5),
        ("''", 0.5),
    ],
    usual_arguments: USUAL_ARGUMENTS,
    take_one: &[
        "Boolean",
        "String",
        "Number",
        "abs",
        "charAt",
        "charCodeAt",
        "isArray",
        "isNaN",
        "keys",
        "pop",
        "shift",
        "test",
        "trim",
        "values",
    ],

    around: AROUND,
    around_iterables: AROUND_ITERABLES,
    behind: &[
        (".length", 2.0),
        (".trim()", 1.0),
        (".toLowerCase()", 1.0),
        (".toUpperCase()", 0.5),
        (".toString()", 0.7),
        (".slice()", 0.7),
        (".reverse()", 0.5),
        (".sort()", 0.8),
        (".split('')", 0.4),
        (".join('')", 0.4),
        ("()", 1.0),
    ],
    not_wrapped: &["require", "module", "exports"],
    unusual: 0.3,
    go_through: &[],
    give_order: &["String", "concat", "join", "slice", "toString", "repeat"],
    pieces: &["slice", "substring", "substr", "subarray"],
    ranges: &[],
    counting: &[
        "length",
        "size",
        "index",
        "lastIndex",
        "indexOf",
        "lastIndexOf",
        "floor",
        "ceil",
        "max",
        "min",
        "parseInt",
        "Number",
        "getMonth",
        "getDate",
        "getDay",
    ],
    not_counting: &[],
    members: &[("length", 1.0)],

    indices: &[("{value}.length - 1", 1.0), ("{value}.length - {index}", 0.7), ("{value}.length - 1 - {index}", 0.5)],
    accesses: &[("{value}.slice({index})", 0.4)],
    parts: &[(".slice(1)", 0.6), (".slice(0, -1)", 0.4), (".slice()", 0.4)],
    elements: &[("[0]", 1.0), ("[1]", 0.5), ("[{}.length - 1]", 0.5)],
    bounded: &[(".slice({})", 1.0), (".slice(0, {})", 0.7)],
    squared: None,
    compared: 0.3,
    indexed_number: 0.03,
    better: &[("Math.max", 1.5), ("Math.min", 1.0)],
    updates: &[("{}++", 1.0), ("{}--", 0.2)],
    collects,
};

/// Functions that people take for each other.
const RELATED: &[&[&str]] = &[
    &["slice", "substring", "substr", "splice"],
    &["indexOf", "lastIndexOf", "search", "findIndex", "includes"],
    &["push", "unshift", "concat"],
    &["pop", "shift"],
    &["push", "pop"],
    &["shift", "unshift"],
    &["toLowerCase", "toUpperCase"],
    &["toLocaleLowerCase", "toLocaleUpperCase"],
    &["toString", "valueOf", "toJSON"],
    &["startsWith", "endsWith", "includes"],
    &["find", "filter", "findIndex", "findLast"],
    &["map", "forEach", "filter", "flatMap"],
    &["some", "every"],
    &["floor", "ceil", "round", "trunc"],
    &["max", "min"],
    &["abs", "sign"],
    &["keys", "values", "entries"],
    &["padStart", "padEnd"],
    &["trim", "trimStart", "trimEnd"],
    &["test", "exec", "match"],
    &["replace", "replaceAll"],
    &["charAt", "charCodeAt", "codePointAt", "at"],
    &["fromCharCode", "fromCodePoint"],
    &["get", "has", "set"],
    &["add", "delete", "has"],
    &["parseInt", "parseFloat", "Number"],
    &["String", "Number", "Boolean"],
    &["isNaN", "isFinite", "isInteger", "isSafeInteger"],
    &["encodeURIComponent", "encodeURI", "escape"],
    &["decodeURIComponent", "decodeURI", "unescape"],
    &["call", "apply", "bind"],
    &["reduce", "reduceRight"],
    &["resolve", "reject"],
    &["all", "allSettled", "race", "any"],
    &["sort", "reverse"],
    &["then", "catch", "finally"],
    &["on", "once", "off"],
    &["getDate", "getDay"],
    &["getUTCDate", "getUTCDay"],
    &["getFullYear", "getMonth", "getDate"],
    &["getHours", "getMinutes", "getSeconds", "getMilliseconds"],
    &["setHours", "setMinutes", "setSeconds", "setMilliseconds"],
    &["setFullYear", "setMonth", "setDate"],
    &["toFixed", "toPrecision", "toString"],
    &["sin", "cos"],
    &["log", "log2", "log10"],
    &["join", "concat", "split"],
    &["flat", "flatMap"],
    &["Map", "Set", "WeakMap"],
    &["Error", "TypeError", "RangeError", "SyntaxError"],
];

const USUAL_ARGUMENTS: Alternatives = &[
    ("parseInt", &[("10", 6.0), ("16", 1.0)]),
    ("toString", &[("16", 1.0), ("10", 0.5), ("2", 0.5), ("36", 0.5)]),
    ("slice", &[("1", 2.0), ("0", 1.5), ("-1", 1.5), ("2", 0.7)]),
    ("substring", &[("1", 2.0), ("0", 1.5), ("2", 0.7)]),
    ("substr", &[("1", 2.0), ("0", 1.5), ("2", 0.7)]),
    ("sort", &[("(a, b) => a - b", 4.0), ("(a, b) => b - a", 1.0)]),
    ("join", &[("''", 3.0), ("' '", 1.0), ("','", 0.7)]),
    ("split", &[("''", 2.0), ("' '", 1.0), ("','", 1.0)]),
    ("reduce", &[("0", 3.0), ("{}", 1.0), ("[]", 1.0), ("''", 1.0)]),
    ("filter", &[("Boolean", 2.0)]),
    ("stringify", &[("null, 2", 1.0)]),
    ("replace", &[("''", 2.0)]),
];

const AROUND: &[Wrapper] = &[
    ("String", 1.5, Takes::Anything),
    ("Number", 1.5, Takes::Anything),
    ("Math.abs", 1.0, Takes::Number),
    ("Math.floor", 1.5, Takes::Number),
    ("Math.ceil", 0.5, Takes::Number),
    ("Math.round", 0.7, Takes::Number),
    ("parseInt", 0.7, Takes::Anything),
    ("Object.keys", 1.0, Takes::Elements),
    ("Object.values", 0.3, Takes::Elements),
    ("Object.entries", 0.3, Takes::Elements),
    ("Array.from", 0.5, Takes::Elements),
    ("Boolean", 0.3, Takes::Anything),
];

const AROUND_ITERABLES: &[Wrapper] = &[
    ("Object.keys", 4.0, Takes::Elements),
    ("String", 1.5, Takes::Anything),
    ("Array.from", 0.5, Takes::Elements),
    ("Object.values", 0.3, Takes::Elements),
    ("Object.entries", 0.3, Takes::Elements),
];

/// `if (condition) { statement; }`, in braces where the file has them.
fn branch(condition: &str, statement: &str, style: Style<'_>) -> String {
    let Style { newline, indentation, unit, semicolon, has_braces } = style;
    if has_braces {
        format!("if ({condition}) {{{newline}{indentation}{unit}{statement}{semicolon}{newline}{indentation}}}")
    } else {
        format!("if ({condition}) {statement}{semicolon}")
    }
}

fn collects(value: &str) -> Option<&'static str> {
    value.starts_with('[').then_some("push")
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
