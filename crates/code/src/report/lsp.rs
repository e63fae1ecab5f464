//! Findings from the diagnostics of language servers (the Language Server Protocol, version 3.17).

use std::path::Path;

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString, PositionEncodingKind, Uri};

use super::{cut_middle, ruff};
use crate::javascript::report::kind;
use crate::sources::Sources;

/// Maximum number of errors read per file: a server that reports more does not show where the fault is.
const MOST: usize = 50;

const MAX_MESSAGE: usize = 2 * 1024;

/// Unit in which a server counts columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes of the UTF-8 encoding.
    Utf8,
    /// Units of UTF-16, the default of servers that do not report an encoding.
    Utf16,
    /// Characters (Unicode code points).
    Utf32,
}

impl Encoding {
    /// Returns the encoding that a server chose, UTF-16 if it chose none; `None` if the encoding is unknown.
    pub fn chosen(kind: Option<&PositionEncodingKind>) -> Option<Self> {
        match kind.map(PositionEncodingKind::as_str) {
            None | Some("utf-16") => Some(Self::Utf16),
            Some("utf-8") => Some(Self::Utf8),
            Some("utf-32") => Some(Self::Utf32),
            Some(_) => None,
        }
    }

    const fn units(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// Returns the column, from 1 and in characters, for an offset into a line in units of this encoding. An
    /// offset within a character or past the end of the line counts as the next character.
    fn column(self, line: &str, offset: u32) -> Option<u32> {
        let offset = usize::try_from(offset).ok()?;
        let mut passed = 0;
        let before = line.chars().take_while(|character| {
            let is_before = passed < offset;
            passed += self.units(*character);
            is_before
        });
        u32::try_from(before.count()).ok()?.checked_add(1)
    }
}

/// Context in which a server's response is read.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The absolute folder that the repository lay in.
    pub tree: &'a Path,
    /// Texts of the repository's files.
    pub sources: &'a Sources,
    /// Unit of columns; `None` if the server uses one that is not supported.
    pub encoding: Option<Encoding>,
}

impl Look<'_> {
    /// The file of the repository that an address names; `None`: it names none.
    pub fn file(&self, address: &Uri) -> Option<String> {
        if !address.scheme().as_str().eq_ignore_ascii_case("file") {
            return None;
        }
        let path = address.to_file_path()?;
        let file = path.strip_prefix(self.tree).ok()?.to_str()?;
        self.sources.text(file).map(|_| file.to_owned())
    }

    /// The errors that a server sees in a file of the repository, one finding each; warnings and remarks are left out.
    pub fn findings(&self, file: &str, diagnostics: &[Diagnostic]) -> Vec<Finding> {
        let errors = diagnostics.iter().filter(|diagnostic| is_error(diagnostic)).take(MOST);
        errors.map(|diagnostic| self.finding(file, diagnostic)).collect()
    }

    fn finding(&self, file: &str, diagnostic: &Diagnostic) -> Finding {
        let start = diagnostic.range.start;
        let line = start.line.saturating_add(1);
        let text = || self.sources.text(file)?.lines().nth(usize::try_from(start.line).ok()?);
        let column = self.encoding.and_then(|encoding| encoding.column(text()?, start.character));
        let said = diagnostic.message.replace('\u{a0}', " ");
        let (category, message) = match &diagnostic.code {
            Some(NumberOrString::Number(number)) => {
                let number = u32::try_from(*number).unwrap_or_default();
                (kind::of_typescript(number), format!("TS{number}: {said}"))
            }
            Some(NumberOrString::String(rule)) if rule.starts_with("report") => {
                (of_pyright(rule, &said), format!("{rule}: {said}"))
            }
            Some(NumberOrString::String(rule)) if rule != "invalid-syntax" => {
                (of_linter(rule), format!("{rule} {said}"))
            }
            Some(NumberOrString::String(_)) | None => (of_unnamed(&said), said),
        };
        Finding {
            source: Source::Lsp,
            category,
            file: Some(file.to_owned()),
            location: Some(Location { line, column }),
            message: cut_middle(&message, MAX_MESSAGE),
            stack: None,
        }
    }
}

/// Returns whether at least one of the diagnostics is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(is_error)
}

/// Returns whether a diagnostic is an error. One without a severity counts as
/// one: the protocol leaves that to the client.
fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity.is_none_or(|severity| severity == DiagnosticSeverity::ERROR)
}

/// Returns the error that Python would raise where pyright found a fault.
pub(crate) fn of_python(message: &str) -> Option<(Category, String)> {
    let name_error = |name: &str| (Category::TypeError, format!("NameError: name '{name}' is not defined"));
    if let Some(name) = ruff::undefined_name(message) {
        return Some(name_error(name));
    }
    let (rule, said) = message.lines().next()?.split_once(": ")?;
    let quoted: Vec<&str> = said.split('"').skip(1).step_by(2).collect();
    match (rule, quoted.as_slice()) {
        ("reportUndefinedVariable", [name]) => Some(name_error(name)),
        ("reportMissingImports", [module]) => {
            Some((Category::Import, format!("ModuleNotFoundError: No module named '{module}'")))
        }
        ("reportAttributeAccessIssue", [name, module]) if said.contains("is not a known attribute of module") => {
            Some((Category::TypeError, format!("AttributeError: module '{module}' has no attribute '{name}'")))
        }
        ("reportAttributeAccessIssue", [name, class]) if said.starts_with("Cannot access attribute") => {
            let class = class.trim_end_matches('*');
            let itself = class.strip_prefix("type[").and_then(|class| class.strip_suffix(']'));
            let whose = match itself {
                Some(class) => format!("type object '{}'", class.trim_end_matches('*')),
                None => format!("'{class}' object"),
            };
            Some((Category::TypeError, format!("AttributeError: {whose} has no attribute '{name}'")))
        }
        _ => None,
    }
}

/// By the rules of pyright (its `configuration.md`); what it has no rule for is that a file does not parse.
pub(super) fn of_pyright(rule: &str, message: &str) -> Category {
    const ABOUT_IMPORTS: [&str; 4] =
        ["reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs", "reportImportCycles"];
    const ABOUT_STYLE: [&str; 8] = [
        "reportUnused",
        "reportUnnecessary",
        "reportDeprecated",
        "reportPrivate",
        "reportUnknown",
        "reportUntyped",
        "reportMissingParameterType",
        "reportMissingTypeArgument",
    ];
    if ABOUT_IMPORTS.contains(&rule) || message.ends_with("is unknown import symbol") {
        Category::Import
    } else if ABOUT_STYLE.iter().any(|begins| rule.starts_with(begins)) {
        Category::Linting
    } else {
        Category::TypeError
    }
}

/// By the codes of pyflakes and pycodestyle, which ruff has, too.
fn of_linter(rule: &str) -> Category {
    match rule {
        // A name that nothing defines, or that is read before it is.
        "F821" | "F822" | "F823" => Category::TypeError,
        "E902" | "E999" => Category::Syntax,
        _ => Category::Linting,
    }
}

pub(super) fn of_unnamed(message: &str) -> Category {
    if message.to_lowercase().contains("indent") { Category::Indentation } else { Category::Syntax }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn sources() -> Sources {
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/a b.py", "one\nx = 'é😀' + y\n", false);
        sources
    }

    fn look(sources: &Sources, encoding: Encoding) -> Look<'_> {
        Look { tree: Path::new("/w"), sources, encoding: Some(encoding) }
    }

    fn found(diagnostic: serde_json::Value, encoding: Encoding) -> Vec<Finding> {
        let diagnostics: Vec<Diagnostic> = vec![serde_json::from_value(diagnostic).unwrap()];
        look(&sources(), encoding).findings("src/a b.py", &diagnostics)
    }

    fn at(line: u32, character: u32) -> serde_json::Value {
        json!({ "start": { "line": line, "character": character }, "end": { "line": line, "character": character } })
    }

    #[test]
    fn only_files_of_the_repository_are_named() {
        let sources = sources();
        let file = |address: &str| look(&sources, Encoding::Utf16).file(&address.parse().unwrap());
        assert_eq!(file("file:///w/src/a%20b.py").as_deref(), Some("src/a b.py"));
        for other in [
            "file:///etc/passwd",
            "file:///w/../etc/passwd",
            "file:///w/src/other.py",
            "file:///w",
            "untitled:/w/src/a%20b.py",
            "http://w/src/a%20b.py",
        ] {
            assert_eq!(file(other), None, "{other}");
        }
    }

    #[test]
    fn columns_are_characters_whatever_the_server_counts() {
        for (encoding, character) in [(Encoding::Utf8, 15), (Encoding::Utf16, 12), (Encoding::Utf32, 11)] {
            let found = found(json!({ "range": at(1, character), "message": "m" }), encoding);
            assert_eq!(found[0].location, Some(Location { line: 2, column: Some(12) }), "{encoding:?}");
        }
        // Behind the end of the text, too, there is a place.
        let behind = found(json!({ "range": at(9, 4), "message": "m" }), Encoding::Utf16);
        assert_eq!(behind[0].location, Some(Location { line: 10, column: None }));
        assert_eq!(Encoding::chosen(Some(&PositionEncodingKind::new("ebcdic"))), None);
        assert_eq!(Encoding::chosen(None), Some(Encoding::Utf16));
    }

    #[test]
    fn what_servers_say_has_its_kind() {
        for (code, message, category, told) in [
            (
                json!("reportUndefinedVariable"),
                "\"y\" is not defined",
                Category::TypeError,
                "reportUndefinedVariable: \"y\" is not defined",
            ),
            (
                json!("reportMissingImports"),
                "Import \"b\" could not be resolved",
                Category::Import,
                "reportMissingImports: Import \"b\" could not be resolved",
            ),
            (
                json!("reportAttributeAccessIssue"),
                "\"b\" is unknown import symbol",
                Category::Import,
                "reportAttributeAccessIssue: \"b\" is unknown import symbol",
            ),
            (json!("reportUnusedExpression"), "m", Category::Linting, "reportUnusedExpression: m"),
            (json!("F821"), "Undefined name `y`", Category::TypeError, "F821 Undefined name `y`"),
            (json!("invalid-syntax"), "Expected a statement", Category::Syntax, "Expected a statement"),
            (json!(null), "Expected\u{a0}indented block", Category::Indentation, "Expected indented block"),
            (json!(2551), "Property 'b' does not exist", Category::TypeError, "TS2551: Property 'b' does not exist"),
            (json!(2305), "no exported member", Category::Import, "TS2305: no exported member"),
        ] {
            let found =
                found(json!({ "range": at(0, 0), "severity": 1, "code": code, "message": message }), Encoding::Utf16);
            assert_eq!((found[0].category, found[0].message.as_str()), (category, told));
            assert_eq!(found[0].source, Source::Lsp);
        }
    }

    #[test]
    fn hints_are_restated_as_the_errors_that_they_foresee() {
        let restated = |file: &str, category, message: &str| {
            let hint = Finding {
                source: Source::Lsp,
                category,
                file: Some(file.to_owned()),
                location: None,
                message: message.to_owned(),
                stack: None,
            };
            crate::languages::as_runtime_error(&hint).map(|error| (error.category, error.message))
        };
        for (message, error) in [
            ("reportUndefinedVariable: \"y\" is not defined", "NameError: name 'y' is not defined"),
            ("F821 Undefined name `y`", "NameError: name 'y' is not defined"),
            (
                "reportAttributeAccessIssue: Cannot access attribute \"b\" for class \"A*\"\n  Attribute \"b\" is unknown",
                "AttributeError: 'A' object has no attribute 'b'",
            ),
            (
                "reportAttributeAccessIssue: Cannot access attribute \"b\" for class \"type[A]\"",
                "AttributeError: type object 'A' has no attribute 'b'",
            ),
            (
                "reportAttributeAccessIssue: \"b\" is not a known attribute of module \"a\"",
                "AttributeError: module 'a' has no attribute 'b'",
            ),
        ] {
            let told = restated("a.py", Category::TypeError, message);
            assert_eq!(told, Some((Category::TypeError, error.to_owned())), "{message}");
        }
        let missing = restated("a.py", Category::Import, "reportMissingImports: Import \"a.b\" could not be resolved");
        assert_eq!(missing, Some((Category::Import, "ModuleNotFoundError: No module named 'a.b'".to_owned())));
        assert_eq!(restated("a.py", Category::TypeError, "reportCallIssue: Expected 2 positional arguments"), None);
        assert_eq!(restated("a.py", Category::Syntax, "Expected expression"), None);
        let compiler = "TS2551: Property 'b' does not exist on type 'A'. Did you mean 'c'?";
        assert_eq!(restated("a.ts", Category::TypeError, compiler), Some((Category::TypeError, compiler.to_owned())));
        assert_eq!(restated("a.ts", Category::Linting, "TS6133: 'a' is declared but never read."), None);
        assert_eq!(restated("a.txt", Category::TypeError, compiler), None);
    }

    #[test]
    fn only_errors_count() {
        for severity in [2, 3, 4, 77] {
            assert_eq!(found(json!({ "range": at(0, 0), "severity": severity, "message": "m" }), Encoding::Utf8), []);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_place_and_message_is_read(line in any::<u32>(), character in any::<u32>(), message in "(?s).{0,4000}") {
            let found = found(json!({ "range": at(line, character), "message": message }), Encoding::Utf16);
            prop_assert!(found.len() == 1 && found[0].message.len() <= MAX_MESSAGE + 8);
        }
    }
}
