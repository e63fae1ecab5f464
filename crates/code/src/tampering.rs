//! Detection of additions by a change that are not program code: explanatory comments and texts, directives
//! that make a tool ignore something, ways to keep a test from running or from failing, and the first program or
//! connection that a file starts. No repair needs any of them.

use std::collections::BTreeMap;

use crate::language::Language;
use crate::language::guard::Guard;
use crate::languages;
use crate::repair::tokens::Kind;

/// Reason a change is not one of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Tampering {
    /// A comment, a text that explains, or a suppression.
    #[error("a comment or a text that explains: {0}")]
    Prose(String),
    /// A piece of code that tests are switched off with.
    #[error("`{0}`, by which tests are ended, skipped or recognised")]
    Phrase(&'static str),
    /// A piece of code that can do more than the file could.
    #[error("`{0}`, which starts a program, opens a connection or runs a text as code")]
    Power(&'static str),
}

/// Returns the first kind of tampering that `after` contains more of than `before`; `None` if `after` adds
/// none. In a file in an unknown language, comments run from `#` to the end of a line, as in manifests.
pub fn added(file: &str, before: &str, after: &str) -> Option<Tampering> {
    let guard = languages::of(file).map(Language::guard);
    let prose = guard.map_or(of_lines as fn(&str) -> Vec<&str>, |guard| guard.prose);
    if let Some(text) = first_new(prose(before), prose(after)) {
        return Some(Tampering::Prose(text.lines().next().unwrap_or_default().chars().take(80).collect()));
    }
    let guard = guard?;
    let (before, after) = (code(guard, before), code(guard, after));
    let more = |phrase: &&&str| count(&after, phrase) > count(&before, phrase);
    if let Some(phrase) = guard.phrases.iter().find(more) {
        return Some(Tampering::Phrase(phrase));
    }
    // A file that has the power already may be repaired where it uses it.
    let is_new = |phrase: &&&str| count(&before, phrase) == 0 && count(&after, phrase) > 0;
    guard.powers.iter().find(is_new).map(|phrase| Tampering::Power(phrase))
}

/// Returns the reason `after` is checked less strictly than `before`, if it is: a directive that makes a tool
/// ignore something, a type that accepts every value, or a removed annotation. Findings of a type checker are
/// never healed that way.
pub fn loosened(file: &str, before: &str, after: &str) -> Option<String> {
    let language = languages::of(file)?;
    if let Some(Tampering::Prose(text)) = added(file, before, after) {
        return Some(text);
    }
    let guard = language.guard();
    let count = |text: &str, word: &str| (guard.tokens)(text).iter().filter(|token| token.text(text) == word).count();
    if let Some(word) = guard.escapes.iter().find(|word| count(after, word) > count(before, word)) {
        return Some((*word).to_owned());
    }
    let fewer = language.annotations(file, after) < language.annotations(file, before);
    fewer.then(|| "fewer annotations".to_owned())
}

fn of_lines(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.find('#').map(|at| line[at..].trim_end())).collect()
}

fn first_new<'t>(before: Vec<&str>, after: Vec<&'t str>) -> Option<&'t str> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for text in before {
        *known.entry(text).or_default() += 1;
    }
    after.into_iter().find(|text| match known.get_mut(text) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    })
}

/// The words of a text without what stands between them; words that would become one are kept apart.
fn code(guard: &Guard, text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for token in (guard.tokens)(text) {
        if matches!(token.kind, Kind::Comment | Kind::Newline) {
            continue;
        }
        let word = token.text(text);
        let is_word = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
        if is_word(code.chars().next_back()) && is_word(word.chars().next()) {
            code.push(' ');
        }
        code.push_str(word);
    }
    code
}

/// Counts the occurrences of a phrase in compact code, except as the end of a longer name.
fn count(code: &str, phrase: &str) -> usize {
    let is_part = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
    let begins_with_word = is_part(phrase.chars().next());
    let begins =
        |at: &usize| !(begins_with_word && is_part(code.get(..*at).and_then(|before| before.chars().next_back())));
    code.match_indices(phrase).map(|(at, _)| at).filter(begins).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_explains_or_looks_away_is_seen_in_every_language() {
        for (file, before, after) in [
            ("a.py", "x = 1\n", "x = 2  # fixed\n"),
            ("a.py", "x = 1\n", "x = 1  # type: ignore\n"),
            ("a.py", "x = 1\n", "x = 1  # pragma: no cover\n"),
            ("a.js", "x = 1;\n", "x = 2; // fixed\n"),
            ("a.js", "x = 1;\n", "/* why */ x = 2;\n"),
            ("a.js", "x = 1;\n", "// eslint-disable-next-line\nx = 1;\n"),
            ("a.js", "// eslint-disable-next-line\nx = 1;\ny = 2;\n", "x = 1;\n// eslint-disable-next-line\ny = 2;\n"),
            ("a.ts", "x = 1;\n", "// @ts-expect-error\nx = 1;\n"),
            ("a.ts", "x = 1;\n", "// @ts-nocheck\nx = 1;\n"),
            ("a.tsx", "x = 1;\n", "/* istanbul ignore next */\nx = 1;\n"),
            ("a.mjs", "x = 1;\n", "// biome-ignore lint: x\nx = 1;\n"),
            ("a.cfg", "x = 1\n", "x = 1 # why\n"),
        ] {
            assert!(matches!(added(file, before, after), Some(Tampering::Prose(_))), "{file}: {after}");
            assert_eq!(added(file, before, before), None);
        }
        assert_eq!(added("a.js", "// why\nx = 1;\n", "// why\nx = 'http://a';\n"), None);
        assert_eq!(added("a.py", "x = 1  # why\n", "x = '#'  # why\n"), None);
    }

    #[test]
    fn what_checks_less_is_seen() {
        for (file, before, after) in [
            ("a.py", "def f() -> str:\n    return 1\n", "def f():\n    return 1\n"),
            ("a.py", "def f() -> str:\n    return 1\n", "def f() -> Any:\n    return 1\n"),
            ("a.py", "def f() -> str:\n    return 1\n", "def f() -> str:\n    return cast(str, 1)\n"),
            ("a.py", "def f() -> str:\n    return 1\n", "def f() -> str:\n    return 1  # type: ignore\n"),
            ("a.py", "def f(x: int) -> str:\n    pass\n", "def f(x) -> str:\n    pass\n"),
            ("a.py", "x: int = 'a'\n", "x = 'a'\n"),
            ("a.ts", "let x: string = 1;\n", "let x = 1;\n"),
            ("a.ts", "let x: string = 1;\n", "let x: any = 1;\n"),
            ("a.ts", "let x: string = y;\n", "let x: string = y as string;\n"),
            ("a.ts", "let x: string = 1;\n", "// @ts-ignore\nlet x: string = 1;\n"),
        ] {
            assert!(loosened(file, before, after).is_some(), "{after}");
            assert_eq!(loosened(file, before, before), None);
        }
        assert_eq!(loosened("a.py", "def f() -> str:\n    return 1\n", "def f() -> int:\n    return 1\n"), None);
        assert_eq!(loosened("a.ts", "let x: string = 1;\n", "let x: number = 1;\n"), None);
    }

    #[test]
    fn what_can_do_more_than_the_file_could_is_seen() {
        for (file, after) in [
            ("a.py", "import os\nos.system('x')\n"),
            ("a.py", "from os import system\nsystem('x')\n"),
            ("a.py", "import subprocess\n"),
            ("a.py", "eval(x)\n"),
            ("a.py", "import urllib.request\n"),
            ("a.js", "const { exec } = require('node:child_process');\n"),
            ("a.ts", "eval(x);\n"),
            ("a.js", "fetch('http://x');\n"),
            ("a.rs", "fn f() { std::process::Command::new(\"x\"); }\n"),
        ] {
            assert!(matches!(added(file, "", after), Some(Tampering::Power(_))), "{file}: {after}");
        }
        let used = "def f():\n    return subprocess.run(['x'])\n";
        assert_eq!(added("a.py", used, &format!("import subprocess\n\n\n{used}")), None);
        assert_eq!(added("a.py", "", "from urllib.parse import quote\nimport re\nre.compile(retrieval(x))\n"), None);
    }

    #[test]
    fn what_switches_tests_off_is_seen() {
        for (file, after) in [
            ("a.py", "import sys\nsys.exit (0)\n"),
            ("a.py", "from os import _exit\n_exit(0)\n"),
            ("a.py", "import pytest\n"),
            ("a.py", "from unittest import TestCase\n"),
            ("a.py", "raise SystemExit(0)\n"),
            ("a.py", "import sys\nsys.modules['x'] = y\n"),
            ("a.py", "import atexit\n"),
            ("a.py", "import sys\nsys.settrace(None)\n"),
            ("a.py", "try:\n    pass\nexcept AssertionError:\n    pass\n"),
            ("a.py", "raise SkipTest\n"),
            ("a.js", "process.exit(0);\n"),
            ("a.js", "process\n  .exitCode = 0;\n"),
            ("a.js", "const assert = require('node:assert');\n"),
            ("a.ts", "import assert from 'assert';\n"),
            ("a.js", "describe.skip('x', f);\n"),
            ("a.js", "if (process.env.JEST_WORKER_ID) x();\n"),
            ("a.js", "require.cache[x] = y;\n"),
        ] {
            assert!(matches!(added(file, "", after), Some(Tampering::Phrase(_))), "{file}: {after}");
        }
        assert_eq!(added("a.py", "sys.exit(1)\n", "sys.exit(2)\n"), None);
        assert_eq!(added("a.py", "", "my_sys.exits(1)\n"), None);
        assert_eq!(added("a.js", "", "latest.skip = subprocess.exits(1);\n"), None);
    }
}
