//! Pills that are JavaScript or TypeScript.

use super::Pill;

const fn js(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.js", before, unit)
}

const fn ts(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.ts", before, unit)
}

const fn jsx(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.jsx", before, unit)
}

const fn tsx(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.tsx", before, unit)
}

/// Pills that are JavaScript or TypeScript.
pub const fn javascript() -> &'static [Pill] {
    &PILLS
}

static PILLS: [Pill; 109] = [
    // Brackets.
    js("js-parentheses", "x = ", "(").then("0").closed_by(")"),
    js("js-arrays", "x = ", "[").closed_by("]"),
    js("js-objects", "x = ", "{a:").then("0").closed_by("}"),
    js("js-blocks", "", "{").closed_by("}"),
    js("js-calls-in-calls", "x = ", "f(").closed_by(")"),
    js("js-defaults-in-parentheses", "x = ", "(a=").then("0").closed_by(")"),
    js("js-defaults-in-patterns", "var ", "{a=").then("0").closed_by("}"),
    js("js-arrays-of-patterns", "", "[a=").then("0").closed_by("]"),
    js("js-wrong-closers", "x = ", "(]"),
    js("js-groups-of-brackets", "x = [", "((((((((((((0)))))))))))), ").then("]\n"),
    js("js-groups-of-prefixes", "x = ", "!!!!!!!!!!!!!!!!(").then("0").closed_by(")"),
    // Prefixes.
    js("js-not", "x = ", "!").then("1\n"),
    js("js-minus", "x = ", "- ").then("1\n"),
    js("js-typeof", "x = ", "typeof ").then("a\n"),
    js("js-new", "x = ", "new ").then("a\n"),
    js("js-arrows", "x = ", "a=>").then("1\n"),
    js("js-arrows-with-parameters", "x = ", "(a,b)=>").then("1\n"),
    js("js-async-arrows", "x = ", "async a=>").then("1\n"),
    js("js-async-calls", "x = ", "async(a=").then("1").closed_by(")"),
    js("js-arrows-with-blocks", "x = ", "()=>{").closed_by("}"),
    js("js-assignments", "", "a=").then("1\n"),
    js("js-powers", "x = ", "a**").then("1\n"),
    js("js-conditionals", "x = ", "a?b:").then("1\n"),
    js("js-conditionals-with-brackets", "x = ", "a?[b,c]:").then("1\n"),
    js("js-conditionals-or-arrows", "x = ", "c?(a):").then("1\n"),
    js("js-await", "async function f() { x = ", "await ").then("a }\n"),
    js("js-yield", "function* f() { x = ", "yield ").then("a }\n"),
    js("js-class-extends", "x = ", "class extends ").then("a {}\n"),
    js("js-imports", "x = ", "import(").then("a").closed_by(")"),
    js("js-decorators", "", "@a ").then("class b {}\n"),
    // Chains.
    js("js-members", "x = a", ".b").then("\n"),
    js("js-calls", "x = a", "(b,)").then("\n"),
    js("js-optional-chain", "x = a", "?.b?.(c,d)").then("\n"),
    js("js-indices", "x = a", "[b,c]").then("\n"),
    js("js-sums", "x = a", "+f(0,0)").then("\n"),
    js("js-logical", "x = a", "||b&&c").then("\n"),
    js("js-nullish", "x = a", "??b").then("\n"),
    js("js-sequence", "x = a", ",b{#}").then("\n"),
    js("js-instanceof", "x = a", " instanceof b").then("\n"),
    js("js-objects-in-a-row", "x = ", "{}\n+").then("1\n"),
    js("js-tagged-templates", "x = a", "``").then("\n"),
    js("js-without-semicolons", "", "a = b.c(d)\n"),
    // Templates and regular expressions.
    js("js-templates", "x = ", "`${").then("0").closed_by("}`"),
    js("js-templates-tagged", "x = ", "f`${").then("0").closed_by("}`"),
    js("js-fields-of-one-template", "x = `", "${a}b").then("`\n"),
    js("js-templates-open", "x = 1\n", "`${"),
    js("js-regex-groups", "x = /", "(").then("a/\n"),
    js("js-regex-closed-groups", "x = [\n", "/((((((((((((((((a))))))))))))))))/,\n").then("]\n"),
    js("js-regex-choices", "x = /", "a|").then("/\n"),
    js("js-regex-named-groups", "x = /", "(?<a{#}>b)").then("/\n"),
    js("js-regex-same-names", "x = /", "(?<a>b)|").then("/\n"),
    js("js-regex-references", "x = /(?<a>b)", "\\k<a>").then("/\n"),
    js("js-regex-class", "x = /[", "a-b").then("]/\n"),
    js("js-regex-classes-in-classes", "x = /", "[").then("a]/v\n"),
    js("js-regex-lookbehind", "x = /", "(?<!").then("a/\n"),
    js("js-slashes", "x = ", "/ "),
    js("js-quotes", "x = ", "'"),
    // Statements.
    js("js-if", "", "if(a)").then("b\n"),
    js("js-else-if", "", "if(a);else ").then("b\n"),
    js("js-else-if-with-blocks", "", "if (a) { b(); } else ").then("{}\n"),
    js("js-else-if-with-comparisons", "", "if (a < f(0, 1)) b = {#}; else ").then("{}\n"),
    js("js-for", "", "for(;;)").then("b\n"),
    js("js-while", "", "while(a)").then("b\n"),
    js("js-do", "", "do ").then("b\n"),
    js("js-do-while", "", "do ").then("a;").closed_by("while(b);"),
    js("js-labels", "", "x{#}:").then("b\n"),
    js("js-try", "", "try{").closed_by("}finally{}"),
    js("js-switch", "", "switch(a){case b:").closed_by("}"),
    js("js-cases", "switch (a) {\n", "case {#}: b(); break;\n").then("}\n"),
    js("js-functions-in-functions", "", "function a(){").closed_by("}"),
    js("js-classes-in-fields", "", "class a {b=").then("0").closed_by("}"),
    js("js-functions", "", "function f{#}(a) { return a }\n"),
    js("js-same-functions", "", "function f(a) { return a }\n"),
    js("js-classes", "", "class A{#} extends B { c() { return 1 } }\n"),
    js("js-methods", "class A {\n", " m{#}() { return 1 }\n").then("}\n"),
    js("js-lets", "", "let a{#} = 1;\n"),
    js("js-same-lets", "", "let a = 1;\n"),
    js("js-same-vars", "", "var a = 1;\n"),
    js("js-parameters", "function f(", "a{#}, ").then(") {}\n"),
    js("js-same-parameters", "function f(", "a, ").then(") {}\n"),
    js("js-exports", "", "export const a{#} = 1;\n"),
    js("js-import-names", "import {", " a{#},").then(" } from 'b';\n"),
    js("js-private-names", "class A {\n", " #a{#} = 1;\n").then("}\n"),
    js("js-one-line-data", "x = [", "{a: {#}, b: [1, 2]}, ").then("]\n"),
    js("js-numbers", "x = [", "{#},").then("]\n"),
    js("js-comments", "", "/* a{#} */\n"),
    js("js-html-comments", "", "<!-- a\n"),
    // Tags.
    jsx("jsx-tags", "x = ", "<a>").closed_by("</a>"),
    jsx("jsx-tags-and-fields", "x = ", "<a>{").then("0").closed_by("}</a>"),
    jsx("jsx-attributes-nested", "x = ", "<a b={").then("0").closed_by("}/>"),
    jsx("jsx-attributes", "x = <a ", "b{#}={c} ").then("/>\n"),
    jsx("jsx-quotes-in-text", "x = ", "<a>it's `;,").closed_by("</a>"),
    jsx("jsx-fragments", "x = ", "<>").closed_by("</>"),
    tsx("tsx-generic-arrows", "x = ", "<T,>(a: ").then("T").closed_by(") => a"),
    // Types.
    ts("ts-parentheses", "let x: ", "(").then("a").closed_by(")"),
    ts("ts-arguments", "let x: ", "A<").then("b").closed_by(">"),
    ts("ts-arguments-with-commas", "let x: ", "A<b,").then("b").closed_by(">"),
    ts("ts-less-than", "x = a", "<b").then("\n"),
    ts("ts-less-than-in-lines", "", "x = a < b && c < d\n"),
    ts("ts-conditionals", "type x = ", "a extends b ? c : ").then("d\n"),
    ts("ts-functions", "let x: ", "() => ").then("a\n"),
    ts("ts-keyof", "let x: ", "keyof ").then("a\n"),
    ts("ts-array-types", "let x: a", "[]").then("\n"),
    ts("ts-unions", "type x = a", " | b{#}").then("\n"),
    ts("ts-assertions", "x = ", "<a>").then("b\n"),
    ts("ts-as", "x = a", " as b").then("\n"),
    ts("ts-satisfies", "x = {}", " satisfies {}").then("\n"),
    ts("ts-not-null", "x = a", "!").then("\n"),
    ts("ts-namespaces", "", "namespace a {").closed_by("}"),
];
