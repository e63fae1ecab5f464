//! The entry points that the fuzz targets and the replay of their corpora share: each reads arbitrary bytes as one kind of outside input.

use std::path::Path;

use autoheal_code::javascript::report as node;
use autoheal_code::languages::as_runtime_error;
use autoheal_code::python::report::{compile, findings, traceback};
use autoheal_code::replacement::{Replacement, edits};
use autoheal_code::report::lsp::{Encoding, has_errors};
use autoheal_code::report::{Look, flake8, job_log, junit, lsp, ruff};
use autoheal_code::{Sources, languages, tampering};
use autoheal_page::diff::structural_diff;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{Relocator, Status};
use autoheal_page::structured::structured_data;
use autoheal_page::{Document, Selector};
use serde_json::json;

/// An entry point.
pub type Target = fn(&[u8]);

/// The entry points by the names of their targets and of the folders of their corpora.
pub const TARGETS: [(&str, Target); 10] = [
    ("answer", answer),
    ("javascript", javascript),
    ("language_server", language_server),
    ("page", page),
    ("python", python),
    ("recipe", recipe),
    ("relocate", relocate),
    ("reports", reports),
    ("selector", selector),
    ("settings", settings),
];

/// Answers of language models: the JSON in them, and their replacements in a program.
pub fn answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(value) = autoheal_llm::json::find_json(&text) {
        assert!(value.is_object() || value.is_array(), "neither an object nor an array");
    }
    let mut parts = text.splitn(3, '\0').map(str::to_owned);
    let mut next = || parts.next().unwrap_or_default();
    let (program, search, replace) = (next(), next(), next());
    for file in ["a.py", "a.ts"] {
        let mut sources = Sources::new(Vec::new());
        sources.insert(file, program.as_str(), true);
        let replacement = Replacement { file: file.to_owned(), search: search.clone(), replace: replace.clone() };
        let _ = edits(&[replacement], &sources);
        let _ = tampering::added(file, &program, &replace);
    }
}

/// JavaScript and TypeScript, with and without tags: the first byte selects the extension.
pub fn javascript(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let file = ["a.js", "a.ts", "a.jsx", "a.tsx", "a.mjs", "a.cjs"][usize::from(*kind) % 6];
    let text = String::from_utf8_lossy(bytes);
    let _ = languages::check(file, &text);
    let mut sources = Sources::new(Vec::new());
    sources.insert(file, text.as_ref(), false);
    let _ = autoheal_code::javascript::index::Index::of(&sources).files().count();
}

/// The parameters of `textDocument/publishDiagnostics`.
pub fn language_server(bytes: &[u8]) {
    let Ok(said) = serde_json::from_slice::<ls_types::PublishDiagnosticsParams>(bytes) else { return };
    let mut sources = Sources::new(Vec::new());
    sources.insert("a.py", "x = 'ä\u{1f600}' + 1\ny = z\n", false);
    for encoding in [Some(Encoding::Utf8), Some(Encoding::Utf16), Some(Encoding::Utf32), None] {
        let look = lsp::Look { tree: Path::new("/tree"), sources: &sources, encoding };
        let _ = (look.file(&said.uri), has_errors(&said.diagnostics));
        for finding in look.findings("a.py", &said.diagnostics) {
            let _ = as_runtime_error(&finding);
        }
    }
}

/// Pages: the tree, the diff, structured data, and extraction by rules.
pub fn page(bytes: &[u8]) {
    let html = autoheal_page::document::decode(bytes);
    let page = Document::parse(&html);
    assert!(structural_diff(&page, &page).is_empty(), "a page is not different from itself");
    let _ = structured_data(&page);
    let _ = autoheal_extract::rule_based(&page, None);
}

/// Python: the parser with its limit of depth, the index, comments and literals.
pub fn python(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = languages::check("a.py", &text);
    let mut sources = Sources::new(Vec::new());
    sources.insert("a.py", text.as_ref(), false);
    let _ = autoheal_code::python::index::Index::of(&sources).names().count();
}

/// Recipes, and those that are valid applied to a page.
pub fn recipe(bytes: &[u8]) {
    thread_local! {
        static PAGE: Document = Document::parse(
            "<title>T</title><h1 class=a id=b>Soup for 4</h1><ul><li>1 g salt<li>2 g <a href='/x?y=1'>oil</a></ul>
            <time datetime=2020-05-01>1 May</time><script type='application/ld+json'>{\"@type\":\"Recipe\",\"name\":\"Soup\"}</script>",
        );
    }
    let text = String::from_utf8_lossy(bytes);
    for recipe in [Recipe::from_json(&text, "fuzz.json"), Recipe::from_toml(&text, "fuzz.toml")] {
        match recipe {
            Ok(recipe) => {
                let extraction = PAGE.with(|page| recipe.apply(page, None));
                for (_, outcome) in extraction.records.iter().flat_map(|record| &record.fields) {
                    assert!(!outcome.values.is_empty() || !outcome.misses.is_empty(), "neither a value nor a reason");
                }
            }
            Err(error) => assert!(error.to_string().starts_with("fuzz."), "{error}"),
        }
    }
}

/// Relocation: an old page, a new page and a recipe, with a zero byte between them. An invalid recipe is replaced by one that
/// looks for common fields.
pub fn relocate(bytes: &[u8]) {
    const RECIPE: &str = r#"{"version":1,"fields":{
        "title":{"select":"h1","example":["a"]},
        "body":{"select":"p","many":true,"example":["a","b"]},
        "publishing_date":{"select":"time","take":"attr:datetime","example":["2020-01-01"]}}}"#;
    thread_local! {
        /// Every best candidate is accepted, so that every path to an answer is walked.
        static RELOCATOR: Relocator = Relocator::new().expect("the built-in tables fit").with_threshold(0.0);
    }
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (old, new) = (Document::parse_bytes(next()), Document::parse_bytes(next()));
    let own = Recipe::from_json(&String::from_utf8_lossy(next()), "fuzz");
    let recipe = own.unwrap_or_else(|_| Recipe::from_json(RECIPE, "built-in").expect("the recipe above is one"));
    for (name, answer) in RELOCATOR.with(|relocator| relocator.relocate(&[&old], &recipe, &new)).fields {
        let is_there = matches!(answer.status, Status::Kept | Status::Moved);
        assert_eq!(is_there, !answer.values.is_empty(), "{name}: {:?}", answer.status);
        let Some(select) = answer.select.filter(|_| answer.status == Status::Moved) else { continue };
        let field =
            json!({"select": select.source(), "take": answer.take.to_string(), "many": true, "transforms": ["trim"]});
        let recipe = Recipe::from_json(&json!({"version": 1, "fields": {"a": field}}).to_string(), "new");
        let extraction = recipe.expect("a selector that was given is understood").apply(&new, None);
        let outcomes = extraction.records.iter().flat_map(|record| &record.fields);
        let mut texts: Vec<String> = outcomes.flat_map(|(_, outcome)| outcome.texts()).collect();
        texts.retain(|text| !text.is_empty());
        assert_eq!(texts, answer.values, "{select}");
    }
}

/// Output of test runners, linters, compilers and CI: the first byte selects the reader.
pub fn reports(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    let sources = Sources::new(Vec::new());
    let look = Look { prefixes: &[], directory: "", sources: &sources };
    match kind % 10 {
        0 => drop(junit::parse(&text)),
        1 => drop(node::jest::parse(&text, &[])),
        2 => drop(ruff::findings(&text, &[])),
        3 => drop(node::eslint::findings(&text, &look)),
        4 => drop((compile::findings(&text), flake8::findings(&text, &[]))),
        5 => drop(node::tsc::findings(&text, &look)),
        6 => drop((traceback::parse(&text), node::stack::parse(&text))),
        7 => drop(job_log::findings("job", &text, &[], &look)),
        8 => drop(node::entries::parse(&text, &[])),
        _ => {
            drop(findings::findings_from_output(&text, "", "ended", &look));
            drop(node::findings::findings_from_output(&text, "", "ended", &look));
        }
    }
}

/// Selectors: a valid one selects on a page without a panic, and within its budget of work.
pub fn selector(bytes: &[u8]) {
    thread_local! {
        static PAGE: Document = Document::parse(
            "<title>T</title><div class=a id=b><ul><li>1 <b>g</b> salt<li>2 g <a href='/x?y=1'>oil</a></ul><table><tr><td>c<td>d</table></div>",
        );
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(selector) = Selector::parse(&text) {
        let _ = PAGE.with(|page| page.try_select(&selector).map(|found| found.len()));
    }
}

/// Settings and workflows: TOML and YAML of a repository.
pub fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = toml::from_str::<toml::Table>(&text);
    let _ = serde_saphyr::from_str::<serde_json::Value>(&text);
}
