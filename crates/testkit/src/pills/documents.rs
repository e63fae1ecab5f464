//! Pills that are data: reports, settings, answers.

use super::Pill;

/// Pills that are data: JSON, XML, TOML, YAML, selectors, dates, and what programs print.
pub const fn documents() -> &'static [Pill] {
    &PILLS
}

const fn json(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.json", before, unit)
}

const fn xml(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.xml", before, unit)
}

const fn toml(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.toml", before, unit)
}

const fn yaml(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.yml", before, unit)
}

const fn output(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.txt", before, unit)
}

static PILLS: [Pill; 58] = [
    json("json-arrays", "", "[").closed_by("]"),
    json("json-arrays-open", "", "["),
    json("json-objects", "", "{\"a\":").then("0").closed_by("}"),
    json("json-keys", "{", "\"a{#}\":0,").then("\"z\":0}"),
    json("json-same-keys", "{", "\"a\":0,").then("\"a\":0}"),
    json("json-numbers", "[", "{#},").then("0]"),
    json("json-long-number", "", "1234567890"),
    json("json-exponents", "[", "1e999999999,").then("0]"),
    json("json-escapes", "\"", "\\u0041\\ud83d\\ude00").then("\""),
    json("json-half-answers", "Here it is: ", "{\"a\": \"b\" "),
    json("json-fences", "", "```json\n{\"a\": 1,}\n```\n"),
    json("json-quotes", "{", "\"a\": \"b\"c\", "),
    json("json-commas", "[", "1,,"),
    json("json-comments", "[", "1, // a\n").then("0]"),
    json("json-braces-in-prose", "", "a { b } "),
    xml("xml-elements", "", "<testsuite>").closed_by("</testsuite>"),
    xml("xml-elements-open", "", "<testsuite>"),
    xml("xml-attributes", "<testsuite ", "a{#}='b' ").then("/>"),
    xml("xml-same-attributes", "<testsuite ", "a='b' ").then("/>"),
    xml("xml-cases", "<testsuite>", "<testcase classname='a' name='b{#}'/>").then("</testsuite>"),
    xml("xml-failures", "<testsuite>", "<testcase classname='a' name='b{#}'><failure>c</failure></testcase>")
        .then("</testsuite>"),
    xml("xml-entities", "<testsuite name='", "&lt;&#65;").then("'/>"),
    xml("xml-comments", "<testsuite>", "<!-- a -->").then("</testsuite>"),
    xml("xml-declared-entities", "<!DOCTYPE a [<!ENTITY b 'c'>", "<!ENTITY b{#} '&b;&b;'>").then("]><a>&b;</a>"),
    xml("xml-namespaces", "<testsuite ", "xmlns:a{#}='b' ").then("/>"),
    xml("xml-namespaces-nested", "", "<a xmlns:b='c'>"),
    toml("toml-arrays", "a = ", "[").closed_by("]"),
    toml("toml-tables-in-line", "a = ", "{a = ").then("0").closed_by("}"),
    toml("toml-dotted", "a", ".a").then(" = 0\n"),
    toml("toml-dotted-table", "[a", ".a").then("]\n"),
    toml("toml-keys", "", "a{#} = 0\n"),
    toml("toml-tables", "", "[a{#}]\n"),
    toml("toml-arrays-of-tables", "", "[[a]]\n"),
    toml("toml-arrays-of-tables-nested", "", "[[a.b]]\n[[a]]\n"),
    yaml("yaml-flow", "a: ", "[").closed_by("]"),
    yaml("yaml-flow-maps", "a: ", "{a: ").then("0").closed_by("}"),
    yaml("yaml-sequences", "", "- ").then("a\n"),
    yaml("yaml-keys", "", "a{#}: 0\n"),
    yaml("yaml-same-keys", "", "a: 0\n"),
    yaml("yaml-anchors", "a: &a [x]\nb:\n", " - *a\n"),
    yaml("yaml-anchors-of-anchors", "a0: &a0 [x]\n", "b{#}: &b [*a0, *a0]\n"),
    yaml("yaml-documents", "", "---\na: 1\n"),
    yaml("yaml-tags", "a: ", "!!str "),
    yaml("yaml-steps", "on: push\njobs:\n a:\n  steps:\n", "   - run: pytest a{#}\n"),
    yaml("yaml-block-text", "a: |\n", "  line {#}\n"),
    output("output-traceback", "Traceback (most recent call last):\n", "  File \"a.py\", line 1, in f\n    g()\n")
        .then("ValueError: a\n"),
    output(
        "output-tracebacks",
        "",
        "Traceback (most recent call last):\n  File \"a.py\", line {#}, in f\nValueError: a\n",
    ),
    output("output-causes", "", "\nDuring handling of the above exception, another exception occurred:\n\n"),
    output("output-node-stack", "Error: a\n", "    at f (/a/b.js:1:{#})\n"),
    output("output-node-errors", "", "TypeError: a is not a function\n    at f (b.js:1:2)\n\n"),
    output(
        "output-compile",
        "",
        "  File \"a.py\", line {#}\n    x = (\n        ^\nSyntaxError: '(' was never closed\n",
    ),
    output("output-flake8", "", "a.py:{#}:1: E999 SyntaxError: a\n"),
    output("output-tsc", "", "a.ts({#},1): error TS2304: Cannot find name 'a'.\n"),
    output("output-tap", "TAP version 14\n", "not ok {#} - a\n  ---\n  b: c\n  ...\n"),
    output("output-ansi", "", "\u{1b}[31mERROR\u{1b}[0m a "),
    output("output-one-line", "", "Error: a: "),
    output("output-actions-log", "", "2024-01-01T00:00:00.0000000Z ##[group]a{#}\n"),
    output("output-colons", "", ":::"),
];
