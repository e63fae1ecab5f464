//! Pills that are Python.

use super::Pill;

const fn pill(name: &'static str, before: &'static str, unit: &'static str) -> Pill {
    Pill::new(name, "pill.py", before, unit)
}

/// Pills that are Python.
pub const fn python() -> &'static [Pill] {
    &PILLS
}

static PILLS: [Pill; 78] = [
    // Brackets.
    pill("py-parentheses", "x = ", "(").then("0").closed_by(")"),
    pill("py-parentheses-open", "x = ", "("),
    pill("py-lists", "x = ", "[").closed_by("]"),
    pill("py-dictionaries", "x = ", "{0: ").then("0").closed_by("}"),
    pill("py-calls-in-calls", "x = ", "f(").closed_by(")"),
    pill("py-subscripts-in-subscripts", "x = ", "a[").then("0").closed_by("]"),
    pill("py-unclosed-in-lines", "", "x = (a,\n"),
    pill("py-wrong-closers", "x = ", "(]"),
    pill("py-groups-of-brackets", "x = [", "((((((((((((0)))))))))))), ").then("]\n"),
    // Prefixes.
    pill("py-lambdas", "x = ", "lambda: ").then("0\n"),
    pill("py-lambdas-with-parameters", "x = ", "lambda a,b: ").then("0\n"),
    pill("py-lambdas-in-defaults", "x = ", "lambda a=").then("0\n"),
    pill("py-not", "x = ", "not ").then("1\n"),
    pill("py-minus", "x = ", "-").then("1\n"),
    pill("py-tilde-plus", "x = ", "~+").then("1\n"),
    pill("py-await", "async def f():\n    x = ", "await ").then("a\n"),
    pill("py-await-outside", "x = ", "await ").then("a\n"),
    pill("py-yield-commas", "def f():\n    x = (", "yield a, ").then(")\n"),
    pill("py-yield-from", "def f():\n    x = ", "(yield from ").then("a").closed_by(")"),
    pill("py-stars", "x = ", "*").then("a\n"),
    pill("py-async", "", "async ").then("x\n"),
    pill("py-async-decorators", "", "async @a\n").then("def f(): pass\n"),
    // Chains.
    pill("py-calls", "x = f", "(a,)").then("\n"),
    pill("py-attributes", "x = a", ".b").then("\n"),
    pill("py-subscripts", "x = a", "[b,]").then("\n"),
    pill("py-mixed-chain", "x: a", "[b,].c").then(" = 1\n"),
    pill("py-sums", "x = 0", " + f(0,)").then("\n"),
    pill("py-powers", "x = ", "a ** ").then("1\n"),
    pill("py-comparisons", "x = a", " < f(0,)").then("\n"),
    pill("py-comparisons-of-names", "x = a", " < b{#}").then("\n"),
    pill("py-booleans", "x = a", " and b or c").then("\n"),
    pill("py-conditionals", "x = ", "a if b else ").then("1\n"),
    pill("py-conditionals-without-else", "x = ", "1 if ").then("1\n"),
    pill("py-walrus", "x = ", "(a := ").then("1").closed_by(")"),
    pill("py-assignments", "", "a = ").then("1\n"),
    pill("py-strings", "x = (", "'a'\n").then(")\n"),
    pill("py-strings-plus", "x = (", "'a' + ").then("'')\n"),
    pill("py-dots-in-import", "from ", ".").then(" import a\n"),
    pill("py-imported-names", "from a import (", "b{#}, ").then(")\n"),
    pill("py-global-names", "def f():\n    global a", ", b{#}").then("\n"),
    // Strings with code.
    pill("py-f-strings", "x = ", "f'{").then("0").closed_by("}'"),
    pill("py-f-strings-reused-quotes", "x = ", "f\"{").then("0").closed_by("}\""),
    pill("py-format-specifications", "x = f'", "{a:").closed_by("}"),
    pill("py-fields-of-one-f-string", "x = f'", "{a!r}").then("'\n"),
    pill("py-open-strings", "x = 1\n", "'''\n"),
    pill("py-quotes", "x = ", "'"),
    pill("py-one-string", "x = '", "a{#} ").then("'\n"),
    // Statements.
    pill("py-elif", "if a: pass\n", "elif b: pass\n"),
    pill("py-elif-with-calls", "if a: f(0)\n", "elif b < c{#}: x = f(a, b=1)\n"),
    pill("py-else-if", "", "if a:\n pass\nelse: \n "),
    pill("py-one-line-blocks", "", "if a: "),
    pill("py-semicolons", "x = 1", "; x = 1"),
    pill("py-blocks", "", "if a:\n pass\n"),
    pill("py-excepts", "try: pass\n", "except A{#}: pass\n"),
    pill("py-cases", "match a:\n", " case {#}: pass\n"),
    pill("py-patterns-in-patterns", "match x:\n case ", "A(").closed_by(")"),
    pill("py-patterns-or", "match x:\n case a", " | 0").then(": pass\n"),
    pill("py-list-patterns", "match x:\n case ", "[").closed_by("]"),
    pill("py-decorators", "", "@a(b,)\n").then("def f(): pass\n"),
    pill("py-with-items", "with a", ", b as c{#}").then(": pass\n"),
    pill("py-with-brackets", "with ", "(").then("a").closed_by(")"),
    pill("py-parameters", "def f(", "a{#}=0, ").then("): pass\n"),
    pill("py-arguments", "f(", "a{#}=0, ").then(")\n"),
    pill("py-type-parameters", "def f[", "T{#}: (int, str), ").then("](): pass\n"),
    pill("py-type-parameters-nested", "def f", "[T: ").closed_by("]"),
    pill("py-comprehension-clauses", "x = [a", " for a in b if c").then("]\n"),
    pill("py-comprehensions-nested", "x = ", "[a for a in ").then("b").closed_by("]"),
    pill("py-classes", "", "class A{#}(B): x = 1\n"),
    pill("py-functions", "", "def f{#}(a): return a\n"),
    pill("py-same-names", "", "def f(a): return a\n"),
    pill("py-deletes", "", "del a, (b, [c])\n"),
    pill("py-errors", "", "x = = 1\n"),
    pill("py-unknown-signs", "", "$?! "),
    pill("py-backslashes", "x = 1", " + \\\n1"),
    pill("py-comments", "", "# a{#} b.c(d)\n"),
    pill("py-returns-outside", "", "return 1\n"),
    pill("py-one-line-data", "x = [", "{'a': {#}, 'b': [1, 2]}, ").then("]\n"),
    pill("py-spaces", "x = 1\n", " "),
];
