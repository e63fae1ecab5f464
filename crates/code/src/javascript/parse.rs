//! Parsing of JavaScript and TypeScript.
//!
//! A file is read as Node or a bundler would: by its extension, as a module when it imports or exports, else as a script that may
//! return at top level (`CommonJS`). JSX is understood where the extension says so, and in `.js` files that hold tags.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, TSTypeAnnotation};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::{ContentEq, LabeledSpan, SourceType};

use super::components::{self, is_component};
use super::depth::{room, too_many_words};
use super::flow;
use super::patterns;
use super::place::{Place, place};
use super::tokens::{self, Kind};
use crate::edit::{Edit, has_lines_between, origin};
use crate::recursion::deep;

/// Files that are longer are not read.
const MAX_BYTES: usize = 2 << 20;

/// Something that keeps a file from being read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line})")]
pub struct Fault {
    /// Message of the parser.
    pub message: String,
    /// Line of the fault, from 1.
    pub line: u32,
    /// First byte of the fault.
    pub start: usize,
    /// One past the last byte of the fault.
    pub end: usize,
}

/// Checks that a file of that name can be parsed.
///
/// # Errors
///
/// The first [`Fault`].
pub fn check(file: &str, text: &str) -> Result<(), Fault> {
    faults(file, text).into_iter().next().map_or(Ok(()), Err)
}

/// Returns whether a file of that name can be parsed.
pub fn compiles(file: &str, text: &str) -> bool {
    faults(file, text).is_empty()
}

/// Everything that keeps a file from being read, as far as the parser gets.
pub fn faults(file: &str, text: &str) -> Vec<Fault> {
    let report =
        |(message, start, end)| Fault { message, line: crate::repair::region::line_of(text, start), start, end };
    match read(file, text, |_, _| ()) {
        Ok(()) => Vec::new(),
        Err(faults) => faults.into_iter().map(report).collect(),
    }
}

/// Places of which the parser says that they do not fit each other: what it met, and what it met before that.
pub(crate) fn unfit_pairs(file: &str, text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let source_type = source_type(file, text);
    let program = program_in(file, text);
    let text = program.as_ref();
    let Some(room) = room_in(text, source_type) else { return Vec::new() };
    let range = |label: &LabeledSpan| {
        let (_, start, end) = place("", Some(label));
        start..end
    };
    deep(room, || {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, source_type).parse();
        let pairs = parsed.diagnostics.errors().filter_map(|error| match &error.labels[..] {
            [here, before] => Some((range(here), range(before))),
            _ => None,
        });
        pairs.collect()
    })
}

/// Returns whether edits of a text that cannot be parsed remove its first fault: the parser,
/// which reports no fault after the first, gets at least a line further, and no quotation
/// mark or comment swallowed code on the way.
pub(crate) fn removes_fault(file: &str, before: &str, after: &str, edits: &[Edit]) -> bool {
    const SWALLOWED: usize = 3;
    let (old, new) = (faults(file, before), faults(file, after));
    let (Some(old), Some(new)) = (old.first(), new.iter().map(|fault| fault.start).min()) else { return false };
    let is_later = has_lines_between(before, old.end, origin(new, edits).start);
    let words = |text: &str| tokens::scan(text).iter().filter(|token| token.kind != Kind::Comment).count();
    is_later && words(after) + SWALLOWED >= words(before)
}

/// Parses a text and hands the tree to `use_tree`, when there is nothing wrong with it.
pub(crate) fn read<Tree>(
    file: &str,
    text: &str,
    use_tree: impl FnOnce(&Program<'_>, &Semantic<'_>) -> Tree,
) -> Result<Tree, Vec<Place>> {
    let source_type = source_type(file, text);
    let program = program_in(file, text);
    let text = program.as_ref();
    let Some(room) = room_in(text, source_type) else {
        return Err(vec![("the text is too long or nested too deeply to be parsed".to_owned(), 0, 0)]);
    };
    deep(room, || read_within(text, source_type, use_tree))
}

/// Returns whether a file is parsed at all: not one that is too long, or nested too deeply.
pub(crate) fn is_parsed(file: &str, text: &str) -> bool {
    room_in(program_in(file, text).as_ref(), source_type(file, text)).is_some()
}

fn room_in(program: &str, source_type: SourceType) -> Option<usize> {
    let is_short = program.len() <= MAX_BYTES;
    is_short.then(|| room(program, source_type.is_typescript(), source_type.is_jsx()))?
}

/// Returns what the parser reads of a file, every byte in its place.
fn program_in<'text>(file: &str, text: &'text str) -> Cow<'text, str> {
    if is_component(file) {
        Cow::Owned(components::blanked(text))
    } else if holds_flow(file, text) {
        Cow::Owned(flow::as_typescript(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns whether a file has the types of Flow.
fn holds_flow(file: &str, text: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("js" | "jsx" | "mjs" | "cjs")) && flow::is_flow(text)
}

fn read_within<Tree>(
    text: &str,
    source_type: SourceType,
    use_tree: impl FnOnce(&Program<'_>, &Semantic<'_>) -> Tree,
) -> Result<Tree, Vec<Place>> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        // They are parsed below, each by itself.
        parse_regular_expression: false,
        allow_return_outside_function: !source_type.is_module(),
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, text, source_type).with_options(options).parse();
    let faults: Vec<Place> =
        parsed.diagnostics.errors().map(|error| place(&error.message, error.labels.first())).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    // What `tsc` and the tools that strip types find wrong about names differs; what JavaScript says is the same everywhere.
    let checks = source_type.is_javascript();
    let built = SemanticBuilder::new().with_build_nodes(true).with_check_syntax_error(checks).build(&parsed.program);
    let faults: Vec<Place> =
        built.diagnostics.errors().map(|error| place(&error.message, error.labels.first())).collect();
    if checks && !faults.is_empty() {
        return Err(faults);
    }
    let faults: Vec<Place> = patterns::faults(&allocator, &built.semantic);
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(use_tree(&parsed.program, &built.semantic))
}

/// Returns whether two texts of a file of that name both parse, and to the
/// same tree except for redundant parentheses.
pub(crate) fn is_same(file: &str, before: &str, after: &str) -> bool {
    if !compiles(file, before) || !compiles(file, after) {
        return false;
    }
    if is_component(file) {
        let script = format!("a.{}", components::extension(before));
        return components::has_same_markup(before, after)
            && is_same(&script, &components::blanked(before), &components::blanked(after));
    }
    if holds_flow(file, before) || holds_flow(file, after) {
        // The parser does not see what is blank: the tokens are compared.
        let words = |text: &str| -> Vec<String> {
            let tokens = tokens::scan(text);
            let visible = tokens.iter().filter(|token| token.kind != Kind::Newline);
            visible.map(|token| token.text(text).to_owned()).collect()
        };
        return words(before) == words(after);
    }
    let source_type = source_type(file, before);
    let room_of = |text: &str| room(text, source_type.is_typescript(), source_type.is_jsx());
    let (Some(first), Some(second)) = (room_of(before), room_of(after)) else { return false };
    deep(first.max(second), || {
        let options = ParseOptions {
            preserve_parens: false,
            allow_return_outside_function: !source_type.is_module(),
            ..ParseOptions::default()
        };
        let allocator = Allocator::default();
        let parse = |text| Parser::new(&allocator, text, source_type).with_options(options).parse().program;
        let (before, after) = (parse(before), parse(after));
        before.directives.content_eq(&after.directives) && before.body.content_eq(&after.body)
    })
}

/// Counts the type annotations of a file; 0 if it cannot be parsed.
pub(crate) fn annotations(file: &str, text: &str) -> usize {
    struct Count(usize);
    impl<'a> Visit<'a> for Count {
        fn visit_ts_type_annotation(&mut self, annotation: &TSTypeAnnotation<'a>) {
            self.0 += 1;
            walk::walk_ts_type_annotation(self, annotation);
        }
    }
    let counted = read(file, text, |program, _| {
        let mut count = Count(0);
        count.visit_program(program);
        count.0
    });
    counted.unwrap_or_default()
}

/// Returns the source type with which to parse a file of that name and text.
fn source_type(file: &str, text: &str) -> SourceType {
    if is_component(file) {
        return source_type(&format!("a.{}", components::extension(text)), "").with_module(true);
    }
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known = SourceType::from_path(Path::new(file)).unwrap_or_else(|_| SourceType::unambiguous());
    let known = match extension {
        // A long one with tags is a bundle that has them in strings.
        "js" | "mjs" => known.with_jsx((text.contains("</") || text.contains("/>")) && !too_many_words(text)),
        _ => known,
    };
    let known = if holds_flow(file, text) { known.with_typescript(true) } else { known };
    match extension {
        "js" | "jsx" if is_module(text) => known.with_module(true),
        "js" | "jsx" | "cjs" => known.with_script(true),
        _ => known,
    }
}

/// Returns whether a text imports, exports or awaits at top level.
pub(crate) fn is_module(text: &str) -> bool {
    if !["import", "export", "await"].iter().any(|word| text.contains(word)) {
        return false;
    }
    let mut depth = 0_usize;
    let mut line_is_new = true;
    let tokens = tokens::scan(text);
    let mut visible = tokens.iter().filter(|token| token.kind != Kind::Comment).peekable();
    while let Some(token) = visible.next() {
        let word = token.text(text);
        let next = visible.peek().map_or("", |next| next.text(text));
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Keyword if line_is_new && word == "export" && !matches!(next, "." | "=") => return true,
            Kind::Keyword if line_is_new && word == "import" && !matches!(next, "(" | ".") => return true,
            Kind::Keyword if depth == 0 && line_is_new && word == "await" => return true,
            Kind::Keyword
            | Kind::Name
            | Kind::Number
            | Kind::String
            | Kind::Operator
            | Kind::Comment
            | Kind::Newline
            | Kind::Unknown => {}
        }
        line_is_new = token.kind == Kind::Newline || word == ";";
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_file_is_read_as_what_it_is() {
        for (file, text) in [
            ("a.js", "#!/usr/bin/env node\nif (x) return;\nmodule.exports = 1;\n"),
            ("a.js", "import a from './a.js';\nexport const b = await a;\n"),
            ("a.js", "const x = () => <p class='x'>it's</p>;\n"),
            ("a.cjs", "with (a) { b }\n"),
            ("a.mjs", "export default class {}\n"),
            ("a.jsx", "<></>\n"),
            ("a.ts", "const x = <number>y as const satisfies number;\nenum A { B }\n"),
            ("a.tsx", "const f = <T,>(x: T) => <p>{x}</p>;\n"),
            ("a.d.ts", "declare function f(x: number): string;\nexport = f;\n"),
        ] {
            assert_eq!(check(file, text), Ok(()), "{file}: {text}");
        }
    }

    #[test]
    fn what_node_refuses_is_refused() {
        for (file, text) in [
            ("a.js", "function f( {\n"),
            ("a.js", "let a = 1;\nlet a = 2;\n"),
            ("a.js", "const x;\n"),
            ("a.js", "x = /(/;\n"),
            ("a.js", "break;\n"),
            ("a.js", "function f() { await g(); }\n"),
            ("a.js", "const x = <p>\n"),
            ("a.mjs", "return 1;\n"),
            ("a.ts", "const x: = 1;\n"),
        ] {
            assert!(!compiles(file, text), "{file}: {text}");
        }
        assert_eq!(check("a.js", "a;\nb = = c;\n").unwrap_err().line, 2);
    }
}
