//! Categories of JavaScript errors: the six kinds of fault (spec `autoheal-ci.md`, "Categorization Rules").

use autoheal_engine::diagnostics::Category;

/// Phrases that report a module, or a name of one, as unavailable, whatever the error's class.
const IMPORT: &[&str] = &[
    "cannot find module",
    "cannot find package",
    "could not resolve",
    "can't resolve",
    "failed to resolve import",
    "failed to resolve entry",
    "failed to load url",
    "module not found",
    "unresolved import",
    "does not provide an export named",
    "is not exported by",
    "has no exported member",
    "has no default export",
    "no matching export",
    "cannot use import statement outside a module",
    "unexpected token 'export'",
    "unexpected token 'import'",
    "require() of es module",
    "must use import to load es module",
    "require is not defined",
    "exports is not defined",
    "module is not defined",
    "import.meta",
    "directory import",
    "is not defined by \"exports\"",
    "unknown file extension",
];

/// Phrases that report a text as unparsable, whatever the error's class.
const SYNTAX: &[&str] = &[
    "syntaxerror",
    "syntax error",
    "unexpected token",
    "unexpected end of",
    "unterminated",
    "invalid js syntax",
    "failed to parse",
    "parse failure",
    "parsing error",
    "parse_error",
    "missing semicolon",
    "transform failed",
    "unexpected keyword",
    "unexpected reserved word",
    "already been declared",
];

const TYPES: &[&str] = &[
    "typeerror",
    "referenceerror",
    "is not a function",
    "is not defined",
    "is not a constructor",
    "is not iterable",
    "cannot read propert",
    "cannot set propert",
    "cannot access '",
];

/// The category of an error by its class (`TypeError`; may be empty) and what it said.
pub fn of_error(class: &str, message: &str) -> Category {
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match class {
        // An assertion may quote any error.
        "AssertionError" | "AssertionError2" => Category::Logic,
        _ if says(IMPORT) => Category::Import,
        // Data that does not parse: the program is well.
        "SyntaxError" if lower.contains("json") => Category::Logic,
        // What compilers of components call it.
        "SyntaxError" | "CompileError" => Category::Syntax,
        "TypeError" | "ReferenceError" => Category::TypeError,
        "RangeError" | "URIError" | "EvalError" => Category::Logic,
        _ if says(SYNTAX) => Category::Syntax,
        // Jest's and chai's comparisons come as plain errors.
        _ if lower.starts_with("expect") || lower.contains("expected") => Category::Logic,
        _ if says(TYPES) => Category::TypeError,
        _ => Category::Logic,
    }
}

/// The category of a TypeScript diagnostic by its number.
pub fn of_typescript(code: u32) -> Category {
    match code {
        1000..=1999 | 17_000..=17_999 => Category::Syntax,
        // Modules and what they export: not found, no such member, no default export, no types.
        2305..=2309 | 2459 | 2497 | 2613 | 2614 | 2691 | 2724 | 2732 | 2792 | 2834 | 2835 | 5097 | 7016 => {
            Category::Import
        }
        6133 | 6138 | 6192 | 6196 | 6198 | 7027 | 7028 | 7029 => Category::Linting,
        _ => Category::TypeError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_kind_of_their_cause() {
        for (class, message, category) in [
            ("SyntaxError", "Unexpected token '}'", Category::Syntax),
            ("SyntaxError", "Unexpected token } in JSON at position 4", Category::Logic),
            ("SyntaxError", "Cannot use import statement outside a module", Category::Import),
            ("SyntaxError", "The requested module './a.js' does not provide an export named 'b'", Category::Import),
            ("Error", "Cannot find module './a'", Category::Import),
            ("Error", "Failed to resolve import \"./a\" from \"src/b.ts\"", Category::Import),
            ("ReferenceError", "require is not defined in ES module scope", Category::Import),
            ("ReferenceError", "valeu is not defined", Category::TypeError),
            ("TypeError", "x.toUperCase is not a function", Category::TypeError),
            ("AssertionError", "expected [Function] to throw 'SyntaxError'", Category::Logic),
            ("Error", "expect(received).toBe(expected)", Category::Logic),
            ("Error", "Transform failed with 1 error", Category::Syntax),
            ("RangeError", "Invalid array length", Category::Logic),
            ("", "whatever", Category::Logic),
        ] {
            assert_eq!(of_error(class, message), category, "{class}: {message}");
        }
    }
}
