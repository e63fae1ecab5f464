//! Categories of errors: the six kinds of fault (spec `autoheal-ci.md`, "Categorization Rules").

use autoheal_engine::diagnostics::Category;

/// The category of an exception, by its class (with or without its module) and what it said. `NameError` counts as a type
/// error here; whether an import would bring the name is known to [`super::findings`] only.
pub fn of_exception(error_type: &str, message: &str) -> Category {
    let name = error_type.rsplit('.').next().unwrap_or_default();
    match name {
        "IndentationError" | "TabError" => Category::Indentation,
        "SyntaxError" => Category::Syntax,
        "ImportError" | "ModuleNotFoundError" => Category::Import,
        // An import cycle shows as a module that has not got its names yet.
        "AttributeError" if message.contains("partially initialized module") => Category::Import,
        "TypeError" | "AttributeError" | "NameError" | "UnboundLocalError" => Category::TypeError,
        "ValueError" if is_conversion(message) => Category::TypeError,
        _ => Category::Logic,
    }
}

fn is_conversion(message: &str) -> bool {
    ["could not convert", "cannot convert", "invalid literal for int", "values to unpack"]
        .iter()
        .any(|words| message.contains(words))
}

/// The category of an error that is known by its words only (a tool that prints no exception class).
pub fn of_words(message: &str) -> Category {
    const RULES: [(Category, &[&str]); 5] = [
        (
            Category::Indentation,
            &["indentation", "unexpected indent", "unindent", "expected an indented block", "inconsistent use of tabs"],
        ),
        (
            Category::Syntax,
            &["syntaxerror", "invalid syntax", "missing colon", "unexpected eof", "was never closed", "unterminated"],
        ),
        (
            Category::Import,
            &[
                "importerror",
                "modulenotfounderror",
                "no module named",
                "module not found",
                "cannot import",
                "cannot find module",
            ],
        ),
        (
            Category::TypeError,
            &[
                "typeerror",
                "type mismatch",
                "attributeerror",
                "has no attribute",
                "cannot convert",
                "nameerror",
                "is not defined",
            ],
        ),
        (Category::Linting, &["unused import", "unused variable", "line too long", "imported but unused"]),
    ];
    let message = message.to_lowercase();
    RULES
        .iter()
        .find(|(_, words)| words.iter().any(|word| message.contains(word)))
        .map_or(Category::Logic, |(category, _)| *category)
}
