//! The depth of a text's nesting, and the limit beyond which it is not parsed.
//!
//! One rule: every token may nest what follows it, and only what surely ends a construct takes that back. A closing bracket ends what is
//! in it; a comma what stands before it in the same brackets; a semicolon, or a word that begins a statement, the statement before it.
//! Templates are read through, so that what is in their fields counts like anything else.
//!
//! A scanner cannot always tell a regular expression from a division, nor text between tags from code. Where that leaves a doubt, the
//! number of words is what is limited ([`MAX_WORDS`]): that many never need more stack than there is.

use super::tokens::{Kind, Scanner, Step};
use crate::recursion::{self, MAX_BRACKETS, MOST_ROOM, room_for};

/// Maximum depth of a tree, in tokens. For some nodes the parser checks everything around them,
/// so the limit is lower than the available stack would allow.
const MAX_DEPTH: usize = recursion::MAX_DEPTH / DEPTHS_OF_TOKEN;

/// The number of Python's tokens that take as much stack as one of JavaScript.
const DEPTHS_OF_TOKEN: usize = 5;

/// Maximum number of words and signs in a text with tags.
const MAX_WORDS: usize = 100_000;

/// Maximum number of attempts of the parser to read type arguments where there are none (`a < b < c`),
/// summed over the text: each attempt reads on until the parser knows.
const MAX_ATTEMPTS: usize = 2_000_000;

/// Words that begin a statement and are never part of an expression.
const BEGINNINGS: [&str; 14] = [
    "break", "case", "const", "continue", "debugger", "default", "export", "for", "if", "return", "switch", "throw",
    "try", "var",
];

/// Maximum number of parameters of a function: each is compared with all others.
const MAX_PARAMETERS: usize = 255;

/// Words that make the brackets after them the head of a statement, which continues after the brackets.
const HEADS: [&str; 5] = ["await", "for", "if", "while", "with"];

/// Keywords that an expression or a statement may end with.
const ENDS: [&str; 9] = ["break", "continue", "debugger", "false", "null", "return", "this", "true", "undefined"];

/// Words of types that continue on the next line.
const TYPE_PREFIXES: [&str; 9] =
    ["abstract", "asserts", "infer", "is", "keyof", "module", "namespace", "readonly", "unique"];

/// Words that begin a statement when they stand behind a closing brace.
const BEGINNINGS_BEHIND_BRACE: [&str; 4] = ["class", "function", "import", "let"];

/// Returns the stack that work on the text's tree needs, in bytes; `None` if the nesting is too deep to parse
/// safely. `has_types`: the text may be TypeScript; `has_tags`: the text may contain JSX.
pub(crate) fn room(text: &str, has_types: bool, has_tags: bool) -> Option<usize> {
    let depth = depth(text, has_types)?;
    let words = if has_tags { words(text) } else { 0 };
    let room = room_for(depth * DEPTHS_OF_TOKEN).max(words * (MOST_ROOM / MAX_WORDS));
    (words <= MAX_WORDS).then_some(room)
}

fn depth(text: &str, has_types: bool) -> Option<usize> {
    let mut scanner = Scanner::new(text);
    let mut nesting = Nesting { has_types, ..Nesting::default() };
    let mut deepest = 0;
    while let Some(step) = scanner.step_into(nesting.is_in_template()) {
        nesting.take(text, step);
        let is_deep = nesting.depth > MAX_DEPTH || nesting.open.len() > MAX_BRACKETS;
        if is_deep || nesting.attempts > MAX_ATTEMPTS || nesting.has_many_parameters {
            return None;
        }
        deepest = deepest.max(nesting.depth);
    }
    Some(deepest)
}

/// Returns whether a text has too many words for its nesting to be determined if it may contain tags.
pub(crate) fn too_many_words(text: &str) -> bool {
    words(text) > MAX_WORDS
}

/// The words and signs of a text, white space left out.
fn words(text: &str) -> usize {
    let mut words = 0_usize;
    let mut was_word = false;
    for byte in text.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'$');
        words += usize::from(!(byte.is_ascii_whitespace() || is_word && was_word));
        was_word = is_word;
    }
    words
}

/// Open construct: the text, a pair of brackets, a template or a field of one.
#[derive(Default)]
struct Part {
    /// Token that closes it; empty for the text, which nothing closes,
    /// and for a template, which ends by itself.
    closer: &'static str,
    is_template: bool,
    /// True if a statement continues after it.
    is_head: bool,
    commas: usize,
    /// The tokens in it that nest.
    depth: usize,
    /// Number of open `<` that may begin type arguments: their commas end nothing.
    arguments: usize,
    has_arguments: bool,
}

/// Construct that may have ended with the last token; the next token decides.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Ending {
    #[default]
    Nothing,
    Semicolon,
    Brace,
    Operand,
}

#[derive(Default)]
struct Nesting {
    outermost: Part,
    open: Vec<Part>,
    /// The sum of all that is open.
    depth: usize,
    attempts: usize,
    ending: Ending,
    has_new_line: bool,
    has_types: bool,
    /// True if the last word is in [`HEADS`].
    is_before_head: bool,
    /// The commas of the brackets that were closed last.
    commas: usize,
    has_many_parameters: bool,
}

impl Nesting {
    fn is_in_template(&self) -> bool {
        self.open.last().is_some_and(|part| part.is_template)
    }

    fn part(&mut self) -> &mut Part {
        self.open.last_mut().unwrap_or(&mut self.outermost)
    }

    fn take(&mut self, text: &str, step: Step) {
        match step {
            Step::TemplateBegins => {
                self.end_before(Kind::String, "`");
                self.begin(Part { is_template: true, ..Part::default() });
            }
            Step::FieldBegins => self.begin(Part { closer: "}", ..Part::default() }),
            Step::TemplateEnds => {
                self.end();
                self.ending = Ending::Operand;
            }
            Step::Token(token) if token.kind == Kind::Newline => self.has_new_line = true,
            Step::Token(token) if token.kind == Kind::Comment => {}
            Step::Token(token) => self.token(token.kind, token.text(text)),
        }
    }

    fn token(&mut self, kind: Kind, word: &str) {
        self.end_before(kind, word);
        self.has_many_parameters |= self.commas >= MAX_PARAMETERS && matches!(word, "{" | "=>" | ":");
        self.commas = 0;
        let mut goes_on = false;
        match kind {
            Kind::Open => {
                let is_head = self.is_before_head && word == "(";
                self.begin(Part { closer: closer(word), is_head, ..Part::default() });
            }
            Kind::Close if self.open.last().is_some_and(|part| part.closer == word) => {
                goes_on = self.part().is_head;
                self.commas = self.part().commas;
                self.end();
            }
            Kind::Operator if word == "," => {
                self.part().commas += 1;
                if self.part().has_arguments {
                    self.add();
                } else {
                    self.end_statement();
                }
            }
            Kind::Operator | Kind::Name | Kind::Keyword | Kind::Number | Kind::String | Kind::Unknown | Kind::Close => {
                self.add();
                self.type_arguments(word);
            }
            Kind::Comment | Kind::Newline => {}
        }
        self.ending = match kind {
            Kind::Operator if word == ";" => Ending::Semicolon,
            Kind::Close if word == "}" => Ending::Brace,
            Kind::Close if !goes_on => Ending::Operand,
            Kind::Number | Kind::String => Ending::Operand,
            Kind::Name if !(self.has_types && TYPE_PREFIXES.contains(&word)) => Ending::Operand,
            Kind::Keyword if ENDS.contains(&word) => Ending::Operand,
            Kind::Close
            | Kind::Name
            | Kind::Keyword
            | Kind::Open
            | Kind::Operator
            | Kind::Unknown
            | Kind::Comment
            | Kind::Newline => Ending::Nothing,
        };
        self.is_before_head = matches!(kind, Kind::Keyword | Kind::Name) && HEADS.contains(&word);
        self.has_new_line = false;
    }

    /// Ends the statement before a token that surely begins another.
    fn end_before(&mut self, kind: Kind, word: &str) {
        if self.ending == Ending::Nothing {
            return;
        }
        let begins = kind == Kind::Keyword && BEGINNINGS.contains(&word);
        let begins_line = self.has_new_line && (begins || kind == Kind::Name);
        let is_over = match self.ending {
            Ending::Nothing => false,
            Ending::Semicolon => !matches!(word, "else" | "while"),
            Ending::Brace => begins || begins_line || BEGINNINGS_BEHIND_BRACE.contains(&word),
            Ending::Operand => begins_line,
        };
        if is_over {
            self.end_statement();
        }
    }

    fn type_arguments(&mut self, word: &str) {
        if !self.has_types {
            return;
        }
        let part = self.part();
        let before = part.arguments;
        match word {
            "<" => part.arguments += 1,
            "<<" => part.arguments += 2,
            ">" => part.arguments = before.saturating_sub(1),
            ">>" => part.arguments = before.saturating_sub(2),
            ">>>" => part.arguments = before.saturating_sub(3),
            _ => return,
        }
        part.has_arguments = true;
        self.attempts += before;
    }

    fn add(&mut self) {
        self.part().depth += 1;
        self.depth += 1;
    }

    fn begin(&mut self, part: Part) {
        self.add();
        self.open.push(part);
    }

    fn end(&mut self) {
        self.depth -= self.open.pop().map_or(0, |part| part.depth);
    }

    fn end_statement(&mut self) {
        let part = self.part();
        let depth = std::mem::take(&mut part.depth);
        (part.arguments, part.has_arguments) = (0, false);
        self.depth -= depth;
    }
}

fn closer(opener: &str) -> &'static str {
    match opener {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_is_not_deep() {
        for text in [
            "if (a) { b.c(d, [e, { f: `${g}` }]); } else if (h) { i = (j) => k; }\n".repeat(20_000),
            "x = [\n".to_owned() + &"'a', b => c, d ? e : f,\n".repeat(20_000) + "]",
            "const a = require('b')\nconst c = d.e(`f${g}h`)\nif (i) return\n".repeat(20_000),
            "function f(a) { return a }\nclass B { c() { return 1 } }\n".repeat(20_000),
            "a = b.c(d)\nexpect(e).toBe(f[g])\n".repeat(20_000),
            "for (let i = 0; i < n; i++) a.push(b < c);\n".repeat(20_000),
            "const a: Map<string, Array<number>> = new Map<string, Array<number>>();\n".repeat(20_000),
        ] {
            assert!(depth(&text, true).is_some(), "{}", &text[..50]);
        }
    }

    #[test]
    fn commas_and_semicolons_of_another_level_end_nothing() {
        for unit in
            ["(a,b)=>", "async (a,b)=>", "if(f(a,b));else ", "for(a;b;c)", "function(a,b){c;}+", "{}=", "f`${a;b}`."]
        {
            assert!(depth(&unit.repeat(2 * MAX_DEPTH), false).is_none(), "{unit}");
        }
        for unit in ["(a,)", "[b,]", "`${a,b}`", "?.(a,b)", "a<b,c<", "a?[b,c]:", "keyof\n", "if(a)\nbc:\n"] {
            assert!(depth(&format!("let x:a{}", unit.repeat(2 * MAX_DEPTH)), true).is_none(), "{unit}");
        }
    }
}
