//! Fixers show themselves: each has an example in its own file, as a test, and `docs/fixers.md` is made of these examples.

use std::fmt::Write as _;

use anyhow::Context as _;
use serde_json::Value;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ImplItem, Item, ItemFn, Lit, Meta, Visibility};

use super::{Complaint, SourceFile};

pub(super) const PAGE: &str = "docs/fixers.md";

/// Folders of fixers, and their headings.
const FOLDERS: [(&str, &str); 3] = [
    ("crates/code/src/python/fix/", "Python"),
    ("crates/code/src/javascript/fix/", "JavaScript and TypeScript"),
    ("crates/code/src/repair/", "Every language"),
];

/// Names of functions that give changes.
const GIVES_CHANGES: [&str; 4] = ["candidates", "proposals", "repair", "repairs"];

const HEAD: &str = "\
# Fixers

Each fixer reads one kind of error and proposes small changes, most likely first; the tests decide. These are
examples: the report of a tool, and the change that the fixer proposes. They are tests in the files of the
fixers, and `cargo xtask fixers` generates this page from them.
";

/// A file that gives changes, or shows some.
struct Fixer<'f> {
    file: &'f str,
    name: &'f str,
    /// First sentence of its documentation.
    sentence: String,
    /// True if the file has to show an example.
    gives_changes: bool,
    examples: Vec<Example>,
}

/// A report of a tool, and the change that is proposed for it.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    /// Name of the test.
    test: String,
    tool: String,
    report: String,
    change: String,
}

pub(super) fn check(files: &[SourceFile]) -> anyhow::Result<Vec<Complaint>> {
    let mut complaints = Vec::new();
    for (folder, _) in FOLDERS {
        let silent =
            fixers(files, folder)?.into_iter().filter(|fixer| fixer.gives_changes && fixer.examples.is_empty());
        complaints.extend(silent.map(|fixer| {
            Complaint::new(
                fixer.file,
                1,
                "a fixer without an example: add a test that calls `check_fix` (CONTRIBUTING.md)",
            )
        }));
    }
    let is_current =
        files.iter().find(|file| file.path == PAGE).is_some_and(|file| page(files).ok() == Some(file.text.clone()));
    if !is_current {
        complaints.push(Complaint::new(PAGE, 1, "not what the examples of the fixers say: run `cargo xtask fixers`"));
    }
    Ok(complaints)
}

/// Returns the page of all fixers.
pub(super) fn page(files: &[SourceFile]) -> anyhow::Result<String> {
    let mut page = HEAD.to_owned();
    for (folder, heading) in FOLDERS {
        write!(page, "\n## {heading}\n")?;
        for fixer in fixers(files, folder)?.into_iter().filter(|fixer| !fixer.examples.is_empty()) {
            let Fixer { file, name, sentence, examples, .. } = fixer;
            let about = wrapped(&format!("{sentence} ([source](../{file}))"));
            write!(page, "\n### `{name}`\n\n{about}")?;
            for Example { test, tool, report, change } in examples {
                let (caption, said) = (caption(&test), headline(&tool, &report));
                write!(page, "\n{caption} ({tool}):\n\n    {said}\n\n```diff\n{}```\n", diff(&change))?;
            }
        }
    }
    Ok(page)
}

/// The text in lines of at most 110 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + word.chars().count() < 110 => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

/// The files of a folder that give changes or show some, in order.
fn fixers<'f>(files: &'f [SourceFile], folder: &str) -> anyhow::Result<Vec<Fixer<'f>>> {
    let mut found = Vec::new();
    for file in files {
        let Some(name) = file.path.strip_prefix(folder).and_then(|path| path.strip_suffix(".rs")) else { continue };
        let parsed = syn::parse_file(&file.text).with_context(|| format!("cannot read {}", file.path))?;
        let mut tests = Tests::default();
        tests.visit_file(&parsed);
        let gives_changes = parsed.items.iter().any(gives_changes);
        let sentence = first_sentence(&documentation(&parsed));
        found.push(Fixer { file: &file.path, name, sentence, gives_changes, examples: tests.examples });
    }
    found.sort_by_key(|fixer| fixer.name);
    Ok(found)
}

/// Returns whether an item is a fixer, or a function of the crate that gives changes.
fn gives_changes(item: &Item) -> bool {
    let is_it = |visibility: &Visibility, name: &syn::Ident| {
        !matches!(visibility, Visibility::Inherited) && GIVES_CHANGES.iter().any(|known| name == known)
    };
    match item {
        Item::Fn(function) => is_it(&function.vis, &function.sig.ident),
        Item::Impl(block) => {
            let gives = |item: &ImplItem| matches!(item, ImplItem::Fn(one) if is_it(&one.vis, &one.sig.ident));
            fixed_by(item).is_some() || block.items.iter().any(gives)
        }
        _ => false,
    }
}

/// The type of `impl Fixer for Type`.
fn fixed_by(item: &Item) -> Option<&syn::Ident> {
    let Item::Impl(block) = item else { return None };
    let (_, path, _) = block.trait_.as_ref()?;
    let syn::Type::Path(own) = &*block.self_ty else { return None };
    own.path.get_ident().filter(|_| path.is_ident("Fixer"))
}

/// The documentation of the fixer in a file, else of the file.
fn documentation(file: &syn::File) -> String {
    let fixer = file.items.iter().find_map(fixed_by);
    let of_fixer = file.items.iter().find_map(|item| match item {
        Item::Struct(item) if Some(&item.ident) == fixer => Some(text_of(&item.attrs)),
        _ => None,
    });
    of_fixer.unwrap_or_else(|| text_of(&file.attrs))
}

fn text_of(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => literal(&pair.value),
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The first sentence of the first paragraph, on one line.
fn first_sentence(documentation: &str) -> String {
    let paragraph = documentation.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => line,
    }
}

fn literal(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Reads the examples of a file: of each test the first that is written out.
#[derive(Default)]
struct Tests {
    /// Test that is being read, until its first example.
    test: Option<String>,
    examples: Vec<Example>,
}

impl<'a> Visit<'a> for Tests {
    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        let is_test = function.attrs.iter().any(|attribute| attribute.path().is_ident("test"));
        self.test = is_test.then(|| function.sig.ident.to_string());
        visit::visit_item_fn(self, function);
        self.test = None;
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        if let Some((tool, report, change)) = example(call)
            && let Some(test) = self.test.take()
        {
            self.examples.push(Example { test, tool, report, change });
        }
        visit::visit_expr_call(self, call);
    }
}

/// The tool, the report and the change of a call of `check_fix` or one of its kin.
fn example(call: &ExprCall) -> Option<(String, String, String)> {
    const CHECKS: [&str; 3] = ["check_fix", "check_fix_at", "check_lint_fix"];
    let name = |call: &ExprCall| match &*call.func {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    };
    let checks = name(call)?;
    let arguments: Vec<&Expr> = call.args.iter().collect();
    let [.., Expr::Call(report), change] = arguments.as_slice() else { return None };
    let report_text = report.args.first().and_then(literal)?;
    CHECKS.contains(&checks.as_str()).then_some(())?;
    Some((name(report)?, report_text, literal(change)?))
}

/// The name of a test as the caption of its example.
fn caption(test: &str) -> String {
    let words = test.replace('_', " ");
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// The line of a report that says what is wrong.
fn headline(tool: &str, report: &str) -> String {
    if let Ok(json) = serde_json::from_str::<Value>(report) {
        return message_in(&json).unwrap_or_default();
    }
    let mut lines = report.lines().filter(|line| !line.trim().is_empty());
    let line = match tool {
        "pytest" => lines.next_back(),
        _ => lines.clone().find(|line| line.contains("Error")).or_else(|| lines.next()),
    };
    line.unwrap_or_default().to_owned()
}

/// The first message in a linter's JSON, behind the name of its rule.
fn message_in(json: &Value) -> Option<String> {
    match json {
        Value::Object(fields) => {
            let Some(message) = fields.get("message").and_then(Value::as_str) else {
                return fields.values().find_map(message_in);
            };
            let rule = ["code", "ruleId", "rule"].iter().find_map(|name| fields.get(*name)?.as_str());
            Some(rule.map_or_else(|| message.to_owned(), |rule| format!("{rule}: {message}")))
        }
        Value::Array(items) => items.iter().find_map(message_in),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// A change as the body of a diff, its files under headings.
fn diff(change: &str) -> String {
    let mut diff = String::new();
    for line in change.trim_start_matches('\n').lines() {
        match line.strip_prefix("//- /").map(|header| header.split_once(' ').unwrap_or((header, ""))) {
            Some((file, "")) => diff.extend(["@@ ", file, " @@\n"]),
            Some((file, marks)) => diff.extend(["@@ ", file, " (", marks, ") @@\n"]),
            None => diff.extend([line, "\n"]),
        }
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const SPELLING: &str = r##"//! Names.

/// Corrects names. There is more to say.
pub(super) struct Spelling;

impl Fixer for Spelling {}

#[cfg(test)]
mod tests {
    #[test]
    fn corrects_name() {
        check_fix(&Spelling, pytest(&format!("NameError: {x}")), "-a\n+b\n");
        check_fix(
            &Spelling,
            pytest(r#"File "/repo/a.py", line 1
NameError: name 'a' is not defined"#),
            r"
//- /a.py
-a
+b
//- /test_a.py protected
 b
",
        );
        check_fix(&Spelling, pytest("a"), "-c\n+d\n");
    }

    #[test]
    fn leaves_others_alone() {
        check_no_fix(&Spelling, pytest("a"), " a\n");
    }
}
"##;

    #[test]
    fn page_shows_first_example_of_each_test() {
        let page = page(&[file("crates/code/src/python/fix/spelling.rs", SPELLING)]).unwrap();
        let shown = "\
## Python

### `spelling`

Corrects names. ([source](../crates/code/src/python/fix/spelling.rs))

Corrects name (pytest):

    NameError: name 'a' is not defined

```diff
@@ a.py @@
-a
+b
@@ test_a.py (protected) @@
 b
```

## JavaScript and TypeScript
";
        assert!(page.contains(shown), "{page}");
    }

    #[test]
    fn linters_json_is_shown_by_its_message() {
        let ruff = r#"[{"code": "F401", "message": "`os` imported but unused", "fix": null}]"#;
        assert_eq!(headline("ruff", ruff), "F401: `os` imported but unused");
        let eslint =
            r#"[{"filePath": "/repo/a.js", "messages": [{"ruleId": "semi", "message": "Missing semicolon."}]}]"#;
        assert_eq!(headline("eslint", eslint), "semi: Missing semicolon.");
        assert_eq!(headline("node", "/repo/a.js:1\nSyntaxError: no\n    at x"), "SyntaxError: no");
    }

    #[test]
    fn fixer_without_example_and_stale_page_are_named() {
        let said = |files: &[SourceFile]| check(files).unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
        let path = "crates/code/src/javascript/fix/quotes.rs";
        let silent = || file(path, "//! Quotes.\npub(super) fn proposals() {}\n");
        let text = page(&[silent()]).unwrap();
        let without =
            format!("{path}:1: a fixer without an example: add a test that calls `check_fix` (CONTRIBUTING.md)");
        assert_eq!(said(&[silent(), file(PAGE, &text)]), [without.as_str()]);
        let helper = file(path, "//! Quotes.\nfn proposals() {}\npub(super) fn marks() {}\n");
        let stale = format!("{PAGE}:1: not what the examples of the fixers say: run `cargo xtask fixers`");
        assert_eq!(said(&[helper, file(PAGE, "# Fixers\n")]), [stale.as_str()]);
    }
}
