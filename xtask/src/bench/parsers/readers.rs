//! Readers of external text, by the kind of text.

use std::hint::black_box;

use autoheal_code::javascript::report as node;
use autoheal_code::python::report::{compile, findings as python, traceback};
use autoheal_code::report::{Look, flake8, job_log, junit, ruff};
use autoheal_code::{Sources, languages};
use autoheal_page::diff::Outline;
use autoheal_page::recipe::Recipe;
use autoheal_page::structured::structured_data;
use autoheal_page::{Document, Selector};
use autoheal_testkit::pills::Pill;

use super::Reader;

/// The readers of a text.
pub(super) fn of(pill: &Pill) -> &'static [Reader] {
    match pill.file.rsplit('.').next() {
        Some("html") => &PAGE,
        Some("json") => &JSON,
        Some("xml") => &XML,
        Some("toml") => &TOML,
        Some("yml") => &YAML,
        Some("txt") => &OUTPUT,
        Some(_) | None => &PROGRAM,
    }
}

const PROGRAM: [Reader; 2] = [
    Reader { name: "check", read: |pill, text| drop(black_box(languages::check(pill.file, text))) },
    Reader { name: "index", read: index },
];

fn index(pill: &Pill, text: &str) {
    let mut sources = Sources::new(Vec::new());
    sources.insert(pill.file, text, false);
    let names = autoheal_code::python::index::Index::of(&sources).names().count();
    black_box((names, autoheal_code::javascript::index::Index::of(&sources).files().count()));
}

const PAGE: [Reader; 4] = [
    Reader { name: "document", read: |_, text| drop(black_box(Document::parse(text))) },
    Reader { name: "outline", read: |_, text| drop(black_box(Outline::of(&Document::parse(text)).to_string())) },
    Reader { name: "structured", read: |_, text| drop(black_box(structured_data(&Document::parse(text)))) },
    Reader {
        name: "extract",
        read: |_, text| drop(black_box(autoheal_extract::rule_based(&Document::parse(text), None))),
    },
];

const JSON: [Reader; 5] = [
    Reader { name: "answer", read: |_, text| drop(black_box(autoheal_llm::json::find_json(text))) },
    Reader { name: "jest", read: |_, text| drop(black_box(node::jest::parse(text, &[]))) },
    Reader { name: "ruff", read: |_, text| drop(black_box(ruff::findings(text, &[]))) },
    Reader { name: "recipe", read: |_, text| drop(black_box(Recipe::from_json(text, "pill.json"))) },
    Reader { name: "selector", read: |_, text| drop(black_box(Selector::parse(text))) },
];

const XML: [Reader; 1] = [Reader { name: "junit", read: |_, text| drop(black_box(junit::parse(text))) }];

const TOML: [Reader; 2] = [
    Reader { name: "table", read: |_, text| drop(black_box(toml::from_str::<toml::Table>(text))) },
    Reader { name: "recipe", read: |_, text| drop(black_box(Recipe::from_toml(text, "pill.toml"))) },
];

const YAML: [Reader; 1] =
    [Reader { name: "workflow", read: |_, text| drop(black_box(serde_saphyr::from_str::<serde_json::Value>(text))) }];

const OUTPUT: [Reader; 6] = [
    Reader { name: "tracebacks", read: |_, text| drop(black_box(traceback::parse(text))) },
    Reader { name: "stacks", read: |_, text| drop(black_box(node::stack::parse(text))) },
    Reader { name: "compile", read: |_, text| drop(black_box(compile::findings(text))) },
    Reader { name: "flake8", read: |_, text| drop(black_box(flake8::findings(text, &[]))) },
    Reader { name: "findings", read: findings },
    Reader { name: "answer", read: |_, text| drop(black_box(autoheal_llm::json::find_json(text))) },
];

fn findings(_: &Pill, text: &str) {
    let sources = Sources::new(Vec::new());
    let look = Look { prefixes: &[], directory: "", sources: &sources };
    black_box(python::findings_from_output(text, "", "ended", &look));
    black_box(job_log::findings("job", text, &[], &look));
    black_box(node::findings::findings_from_output(text, "", "ended", &look));
    black_box(node::tsc::findings(text, &look));
}
