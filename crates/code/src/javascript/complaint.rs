//! Problems reported by Node, TypeScript, eslint, bundlers and test runners, in one common form.

use std::sync::LazyLock;

use regex::Regex;

/// Problem that a message complains about. Names and specifiers are as the message gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Complaint {
    /// A name that nothing declares.
    UnknownName {
        /// Name that is not declared.
        name: String,
    },
    /// A member that a value does not have.
    UnknownMember {
        /// Member that is missing.
        name: String,
    },
    /// Something is called that cannot be: `a.b.c`.
    NotCallable {
        /// The expression as the message gives it.
        expression: String,
        /// True if it was called with `new`.
        with_new: bool,
        /// True if it can only be called with `new`.
        needs_new: bool,
    },
    /// A member of `undefined` or `null` is read or set.
    MemberOfNothing {
        /// The member, when the message names it.
        name: Option<String>,
    },
    /// A module that is not there.
    UnknownModule {
        /// Specifier as imported, or the path that was not found.
        specifier: String,
    },
    /// A name that a module does not offer.
    UnknownExport {
        /// The name; `default` for the default export.
        name: String,
        /// The module as imported.
        specifier: Option<String>,
    },
    /// A script is read as a module, or a module as a script.
    WrongKindOfModule {
        /// True if the file is read as a module.
        read_as_module: bool,
    },
    /// A constant is assigned.
    ConstantAssigned {
        /// Its name, when the message gives it.
        name: Option<String>,
    },
    /// A call with too many, too few, or unfit arguments.
    Arguments,
    /// Any other problem.
    Other,
}

struct Rule {
    pattern: LazyLock<Option<Regex>>,
    complaint: fn(&regex::Captures<'_>) -> Complaint,
}

macro_rules! rule {
    ($pattern:literal, $complaint:expr) => {
        Rule { pattern: LazyLock::new(|| Regex::new($pattern).ok()), complaint: $complaint }
    };
}

fn text(captures: &regex::Captures<'_>, number: usize) -> String {
    captures.get(number).map(|found| found.as_str().to_owned()).unwrap_or_default()
}

fn module(captures: &regex::Captures<'_>) -> Complaint {
    Complaint::UnknownModule { specifier: text(captures, 1) }
}

fn export(captures: &regex::Captures<'_>, name: usize, specifier: usize) -> Complaint {
    let specifier = captures.get(specifier).map(|found| found.as_str().trim_matches(['"', '\'']).to_owned());
    Complaint::UnknownExport { name: text(captures, name), specifier }
}

static RULES: [Rule; 29] = [
    rule!(
        r"(?:Cannot use import statement outside a module|Unexpected token '?export'?|ERR_REQUIRE_ESM|require\(\) of ES Module|Cannot use 'import\.meta' outside a module)",
        |_| Complaint::WrongKindOfModule { read_as_module: false }
    ),
    rule!(r"\b(?:require|exports|module|__dirname|__filename) is not defined in ES module scope", |_| {
        Complaint::WrongKindOfModule { read_as_module: true }
    }),
    rule!(r"The requested module '([^']+)' does not provide an export named '([^']+)'", |captures| export(
        captures, 2, 1
    )),
    rule!(r"Named export '([^']+)' not found\. The requested module '([^']+)'", |captures| export(captures, 1, 2)),
    rule!(r#"[Mm]odule '"?([^'"]+)"?' has no exported member(?: named)? '([^']+)'"#, |captures| export(captures, 2, 1)),
    rule!(r#"'"?([^'"]+)"?' has no exported member named '([^']+)'"#, |captures| export(captures, 2, 1)),
    rule!(r#"Module '"?([^'"]+)"?' has no (default) export"#, |captures| export(captures, 2, 1)),
    rule!(r#"Module '"?([^'"]+)"?' declares '([^']+)' locally, but it is not exported"#, |captures| export(
        captures, 2, 1
    )),
    rule!(r#"No matching export in "([^"]+)" for import "([^"]+)""#, |captures| export(captures, 2, 1)),
    rule!(r#""?([\w$]+)"? is not exported by "?([^" ,]+)"?"#, |captures| export(captures, 1, 2)),
    rule!(r"export '([^']+)' (?:\(imported as '[^']+'\) )?was not found in '([^']+)'", |captures| export(
        captures, 1, 2
    )),
    rule!(r"Cannot find (?:module|package) '([^']+)'", module),
    rule!(r#"Cannot find module "([^"]+)""#, module),
    rule!(
        r#"(?:Could not resolve|Failed to resolve import|Can't resolve|Unable to resolve path to module|Could not locate module) ["']([^"']+)["']"#,
        module
    ),
    rule!(r"(?:Cannot access '([\w$]+)' before initialization)", |captures| Complaint::UnknownName {
        name: text(captures, 1)
    }),
    rule!(r"Cannot find name '([\w$]+)'", |captures| Complaint::UnknownName { name: text(captures, 1) }),
    rule!(r"No value exists in scope for the shorthand property '([\w$]+)'", |captures| Complaint::UnknownName {
        name: text(captures, 1)
    }),
    rule!(r"'?([\w$]+)'? is not defined", |captures| Complaint::UnknownName { name: text(captures, 1) }),
    rule!(r"Property '([\w$#]+)' does not exist on type", |captures| Complaint::UnknownMember {
        name: text(captures, 1)
    }),
    rule!(r"Class constructor ([\w$]+) cannot be invoked without 'new'", |captures| Complaint::NotCallable {
        expression: text(captures, 1),
        with_new: false,
        needs_new: true
    }),
    rule!(r"(\S+) is not a constructor", |captures| Complaint::NotCallable {
        expression: text(captures, 1),
        with_new: true,
        needs_new: false
    }),
    rule!(r"((?:\([^)]*\)|[^\s():])+) is not a function", |captures| Complaint::NotCallable {
        expression: text(captures, 1),
        with_new: false,
        needs_new: false
    }),
    rule!(
        r"Cannot (?:read|set) propert(?:y|ies) of (?:undefined|null) \((?:reading|setting) '([^']+)'\)",
        |captures| Complaint::MemberOfNothing { name: Some(text(captures, 1)) }
    ),
    rule!(r"Cannot (?:read|set) property '([^']+)' of (?:undefined|null)", |captures| Complaint::MemberOfNothing {
        name: Some(text(captures, 1))
    }),
    rule!(
        r"(?:Cannot destructure|undefined is not|null is not|is not iterable|Cannot convert undefined or null|is possibly)",
        |_| Complaint::MemberOfNothing { name: None }
    ),
    rule!(r"(?:Cannot assign to '([\w$]+)' because it is a constant|'([\w$]+)' is constant\.)", |captures| {
        let name = [1, 2].map(|group| text(captures, group)).into_iter().find(|name| !name.is_empty());
        Complaint::ConstantAssigned { name }
    }),
    rule!(r"Assignment to constant variable", |_| Complaint::ConstantAssigned { name: None }),
    rule!(r"(?:Expected (?:at least )?[\d-]+ arguments?, but got \d+|TS2554|TS2555)", |_| Complaint::Arguments),
    rule!(r"(?:Argument of type .* is not assignable|TS2345)", |_| Complaint::Arguments),
];

impl Complaint {
    /// Returns the problem that an error message reports.
    pub(crate) fn of(message: &str) -> Self {
        let found = RULES.iter().find_map(|rule| {
            let captures = rule.pattern.as_ref()?.captures(message)?;
            Some((rule.complaint)(&captures))
        });
        found.unwrap_or(Self::Other)
    }
}

/// The word that a tool suggests instead.
pub(crate) fn suggestion(message: &str) -> Option<&str> {
    let before = ["Did you mean '", "did you mean '", "Did you mean \"", "did you mean \"", "Did you mean to write '"];
    let rest = before.iter().find_map(|before| message.split(before).nth(1))?;
    rest.split(['\'', '"']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Complaint {
        Complaint::UnknownName { name: name.to_owned() }
    }

    #[test]
    fn every_pattern_is_one() {
        assert!(RULES.iter().all(|rule| rule.pattern.is_some()));
    }

    #[test]
    fn messages_of_many_tools() {
        assert_eq!(Complaint::of("ReferenceError: foo is not defined"), name("foo"));
        assert_eq!(Complaint::of("no-undef: 'foo' is not defined."), name("foo"));
        assert_eq!(Complaint::of("TS2304: Cannot find name 'foo'."), name("foo"));
        assert_eq!(
            Complaint::of("TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?"),
            Complaint::UnknownMember { name: "lenght".to_owned() }
        );
        let call = |expression: &str, with_new, needs_new| Complaint::NotCallable {
            expression: expression.to_owned(),
            with_new,
            needs_new,
        };
        assert_eq!(Complaint::of("TypeError: (0 , x.y) is not a function"), call("(0 , x.y)", false, false));
        assert_eq!(Complaint::of("TypeError: a.b is not a constructor"), call("a.b", true, false));
        assert_eq!(
            Complaint::of("TypeError: Class constructor A cannot be invoked without 'new'"),
            call("A", false, true)
        );
        assert_eq!(
            Complaint::of("TypeError: Cannot read properties of undefined (reading 'x')"),
            Complaint::MemberOfNothing { name: Some("x".to_owned()) }
        );
        for message in [
            "Cannot find module './x'\nRequire stack:",
            "Could not resolve \"./x\"",
            "TS2307: Cannot find module './x' or its corresponding type declarations.",
        ] {
            assert_eq!(Complaint::of(message), Complaint::UnknownModule { specifier: "./x".to_owned() });
        }
        for message in [
            "SyntaxError: The requested module './x' does not provide an export named 'y'",
            "TS2305: Module '\"./x\"' has no exported member 'y'.",
            "TS2724: '\"./x\"' has no exported member named 'y'. Did you mean 'z'?",
            "No matching export in \"./x\" for import \"y\"",
        ] {
            assert_eq!(
                Complaint::of(message),
                Complaint::UnknownExport { name: "y".to_owned(), specifier: Some("./x".to_owned()) },
                "{message}"
            );
        }
        assert_eq!(
            Complaint::of("ReferenceError: require is not defined in ES module scope, you can use import instead"),
            Complaint::WrongKindOfModule { read_as_module: true }
        );
        assert_eq!(Complaint::of("TS2554: Expected 2 arguments, but got 1."), Complaint::Arguments);
        assert_eq!(Complaint::of("AssertionError: 1 == 2"), Complaint::Other);
        assert_eq!(suggestion("x. Did you mean 'length'?"), Some("length"));
    }
}
