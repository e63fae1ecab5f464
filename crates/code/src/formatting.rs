//! Comparison of two texts of a file: whether they are the same program in
//! another format, as a formatter may produce it.

use crate::languages;

/// Returns whether a file's two texts differ only in their format. Texts in no known language are the same
/// program if they differ only in white space.
pub fn is_same_program(file: &str, before: &str, after: &str) -> bool {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let language = languages::of(file);
    language.map_or_else(|| bare(before) == bare(after), |language| language.is_same_program(file, before, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_formatters_write_is_the_same_program() {
        for (file, before, after) in [
            ("a.py", "x = {'a':1,'b':(2)}\n", "x = {\"a\": 1, \"b\": 2}\n"),
            (
                "a.py",
                "def f( a ):\n  '''  Adds.\n  '''\n  return ( a+0XF )\n",
                "def f(a):\n    \"\"\"Adds.\"\"\"\n    return a + 0xF\n",
            ),
            ("a.py", "class A():\n    x = 'a' 'b'\n", "class A:\n    x = \"ab\"\n"),
            (
                "a.py",
                "import sys\nimport os\nfrom a import c\nfrom a import b\n\nx = 1\n",
                "import os\nimport sys\n\nfrom a import b, c\n\nx = 1\n",
            ),
            ("a.py", "import os, sys\nx = 1\n", "import os\nimport sys\n\nx = 1\n"),
            (
                "a.js",
                "const x = {a:1}; function f(y){return (y+1)}\n",
                "const x = { a: 1 };\nfunction f(y) {\n  return y + 1;\n}\n",
            ),
            ("a.js", "'use strict'\nx => x\n", "\"use strict\";\n(x) => x;\n"),
            ("a.ts", "type A=(string)|number;let x:A='a'\n", "type A = string | number;\nlet x: A = \"a\";\n"),
            ("a.css", "a{b:c}\n", "a {\n  b: c\n}\n"),
        ] {
            assert!(is_same_program(file, before, after), "{file}: {after}");
        }
    }

    #[test]
    fn what_means_something_else_is_not() {
        for (file, before, after) in [
            ("a.py", "assert f(1) == 2\n", "assert f(1) == 3\n"),
            ("a.py", "assert f(1) == 2\nassert f(2) == 3\n", "assert f(1) == 2\n"),
            ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
            ("a.py", "x = 'a b'\n", "x = 'a  b'\n"),
            ("a.py", "import os\nx = 1\n", "import os\nimport sys\nx = 1\n"),
            ("a.py", "import os\nx = 1\nimport a\n", "import a\nimport os\nx = 1\n"),
            ("a.py", "import os as a\nimport sys as b\n", "import os as b\nimport sys as a\n"),
            ("a.py", "x = (\n", "x = (\n"),
            ("a.js", "expect(f(1)).toBe(2);\n", "expect(f(1)).toBe(3);\n"),
            ("a.js", "(a + b) * c;\n", "a + b * c;\n"),
            ("a.js", "it('x', () => {});\n", "it.skip('x', () => {});\n"),
            ("a.js", "'use strict';\nx();\n", "x();\n"),
            ("a.ts", "let x: number = 1;\n", "let x: any = 1;\n"),
            ("a.css", "a{b:c}\n", "a{b:d}\n"),
        ] {
            assert!(!is_same_program(file, before, after), "{file}: {after}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(before in "\\PC{0,60}", after in "\\PC{0,60}") {
            for file in ["a.py", "a.ts", "a.jsx", "a.md"] {
                let _ = (is_same_program(file, &before, &after), is_same_program(file, &before, &before));
            }
        }
    }
}
