//! The depth of a text's nesting, and the limit beyond which it is not parsed.
//!
//! One rule: every token may nest what follows it, and only what surely ends a construct takes that back. A closing bracket ends what is
//! in it, a comma what stands before it in the same brackets, a line break outside of brackets a statement. So the count is never less
//! than the depth of the tree, whatever the tokens are.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::recursion::{MAX_BRACKETS, MAX_DEPTH, room_for};

/// Maximum indentation of a line, in characters. A block is indented further than what it belongs to, so blocks nest no deeper
/// either.
const MAX_INDENTATION: usize = 800;

/// The number of tokens that take as much stack as one block.
const TOKENS_OF_BLOCK: usize = 4;

/// Returns the stack that work on the text's tree needs, in bytes; `None` if the nesting is too deep to parse safely.
pub(crate) fn room(text: &str) -> Option<usize> {
    let blocks = indentation(text)?;
    Some(room_for(depth(text)? + blocks * TOKENS_OF_BLOCK))
}

fn indentation(text: &str) -> Option<usize> {
    let of_line = |line: &str| {
        let bytes = line.bytes().take(MAX_INDENTATION + 1);
        bytes.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count()
    };
    let furthest = text.split(['\n', '\r']).map(of_line).max().unwrap_or_default();
    (furthest <= MAX_INDENTATION).then_some(furthest)
}

fn depth(text: &str) -> Option<usize> {
    let mut lexer = lex(text, Mode::Module);
    let mut nesting = Nesting::default();
    let mut deepest = 0;
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return Some(deepest);
        }
        nesting.take(kind);
        if nesting.depth > MAX_DEPTH || nesting.open.len() > 2 * MAX_BRACKETS || nesting.brackets > MAX_BRACKETS {
            return None;
        }
        deepest = deepest.max(nesting.depth);
    }
}

/// Open part of the code: the statement, or a pair of brackets in it.
#[derive(Default)]
struct Part {
    /// Token that closes the part; `None` for the statement.
    closer: Option<TokenKind>,
    /// The tokens in it that nest.
    depth: usize,
    /// Number of `lambda`s whose parameter lists are still open: commas in those end nothing.
    parameters: usize,
    /// Number of `if`s that have no `else` yet.
    choices: usize,
    /// Set after a token whose operands may contain commas (`yield a, b`), or that begins a statement, of which the parser recovers
    /// what it can.
    keeps_commas: bool,
}

#[derive(Default)]
struct Nesting {
    statement: Part,
    open: Vec<Part>,
    /// Number of open brackets; the other open parts are f-strings.
    brackets: usize,
    /// The sum of all that is open.
    depth: usize,
    /// Set when the next token is the first of its line, within brackets or not.
    line_is_new: bool,
    last: Option<TokenKind>,
    /// Set when decorators, or `async` alone, stand on the lines before: the statement that they belong to follows.
    is_prefixed: bool,
}

impl Nesting {
    fn take(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Comment | TokenKind::Indent | TokenKind::Dedent => return,
            TokenKind::NonLogicalNewline => {
                self.line_is_new = true;
                return;
            }
            TokenKind::Newline => {
                if self.open.is_empty() && !self.is_prefixed {
                    self.end_statement();
                }
                self.is_prefixed = false;
                self.line_is_new = true;
                return;
            }
            _ => {}
        }
        if self.line_is_new && ends_everything(kind) && self.last.is_some_and(is_operand) && !self.has_choice() {
            self.end_statement();
        }
        if self.last.is_none() || self.line_is_new && self.open.is_empty() {
            self.is_prefixed = matches!(kind, TokenKind::At | TokenKind::Async);
        }
        // Strings that touch each other are one.
        let continues = kind == TokenKind::String && self.last == Some(TokenKind::String);
        self.line_is_new = false;
        self.last = Some(kind);
        if let Some(closer) = closer(kind) {
            self.add(1);
            self.brackets += usize::from(is_bracket(closer));
            self.open.push(Part { closer: Some(closer), ..Part::default() });
        } else if let Some(part) = self.open.pop_if(|part| part.closer == Some(kind)) {
            self.brackets -= usize::from(is_bracket(kind));
            self.depth -= part.depth;
        } else if !continues {
            self.add(1);
        }
        let is_in_brackets = !self.open.is_empty();
        let part = self.open.last_mut().unwrap_or(&mut self.statement);
        match kind {
            TokenKind::Lambda => part.parameters += 1,
            TokenKind::Colon => part.parameters = part.parameters.saturating_sub(1),
            TokenKind::If => part.choices += 1,
            TokenKind::Else => part.choices = part.choices.saturating_sub(1),
            TokenKind::Comma if is_in_brackets && !part.keeps_commas && part.parameters == 0 => {
                self.depth -= part.depth;
                (part.depth, part.choices) = (0, 0);
            }
            TokenKind::Yield => part.keeps_commas = true,
            _ if begins_statement(kind) => part.keeps_commas = true,
            _ => {}
        }
    }

    fn add(&mut self, tokens: usize) {
        self.open.last_mut().unwrap_or(&mut self.statement).depth += tokens;
        self.depth += tokens;
    }

    fn has_choice(&self) -> bool {
        self.statement.choices > 0 || self.open.iter().any(|part| part.choices > 0)
    }

    fn end_statement(&mut self) {
        *self = Self::default();
    }
}

fn closer(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::Lpar => Some(TokenKind::Rpar),
        TokenKind::Lsqb => Some(TokenKind::Rsqb),
        TokenKind::Lbrace => Some(TokenKind::Rbrace),
        TokenKind::FStringStart => Some(TokenKind::FStringEnd),
        TokenKind::TStringStart => Some(TokenKind::TStringEnd),
        _ => None,
    }
}

fn is_bracket(closer: TokenKind) -> bool {
    matches!(closer, TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace)
}

/// Returns whether an expression may end with such a token.
fn is_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd
            | TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
    )
}

/// Returns whether such a token is never part of an expression.
fn begins_statement(kind: TokenKind) -> bool {
    ends_everything(kind)
        || matches!(kind, TokenKind::Try | TokenKind::Except | TokenKind::Finally | TokenKind::Elif | TokenKind::Match)
}

/// Returns whether the parser treats such a token as the beginning of a statement even while brackets are open, if the token
/// begins a line and follows an operand: a closing bracket was forgotten.
fn ends_everything(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Class
            | TokenKind::Def
            | TokenKind::Return
            | TokenKind::With
            | TokenKind::Import
            | TokenKind::From
            | TokenKind::Del
            | TokenKind::Global
            | TokenKind::Nonlocal
            | TokenKind::Raise
            | TokenKind::Assert
            | TokenKind::While
            | TokenKind::Pass
            | TokenKind::Break
            | TokenKind::Continue
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_is_not_deep() {
        for text in [
            "x = [\n".to_owned() + &"    f(a, b=[c, {d: lambda e, f: g}], *h), 'i'\n    'j',\n".repeat(20_000) + "]\n",
            "if a: b(c)\nelif d: e\n".to_owned() + &"elif d: e = {f: g for h in i if j}\n".repeat(20_000),
            "@a(b)\ndef f(x, y): return f'{x!r:>{y}} {x + y}'\n".repeat(20_000),
            "x = (".to_owned() + &"'a'\n".repeat(50_000) + ")\n",
        ] {
            assert!(room(&text).is_some(), "{}", &text[..50]);
        }
    }

    #[test]
    fn a_forgotten_bracket_does_not_nest_the_rest_of_the_file() {
        let text = "x = f(a, [b\n".to_owned() + &"def g(h):\n    return h + 1\n".repeat(20_000);
        assert!(room(&text).is_some());
    }

    #[test]
    fn commas_of_another_level_end_nothing() {
        for unit in ["lambda a,b: ", "(lambda a,b: ", "- f(a,) ** ", "not (a, b) is ", "await [a,].b("] {
            assert!(room(&format!("x = {}0\n", unit.repeat(MAX_DEPTH))).is_none(), "{unit}");
        }
        for unit in ["(a,)", " + f(0,)", "[b,].c", "(a)(b, c)[d]", ".a(b, [c, d])"] {
            assert!(room(&format!("x = a{}\n", unit.repeat(MAX_DEPTH))).is_none(), "{unit}");
        }
        assert!(room(&format!("x = ({})\n", "yield a, ".repeat(MAX_DEPTH))).is_none());
        assert!(room(&"async @a\n@b\n".repeat(MAX_DEPTH)).is_none());
    }

    /// A stack that overflows ends the test.
    #[test]
    fn the_room_is_enough_for_what_just_fits() {
        let blocks =
            ["if a:", "for a in b:", "with a as b, c:", "class A(b):", "async def f(a: b = c):", "try:", "while a:"];
        let blocks = blocks.map(|head| {
            let lines: String = (0..MAX_INDENTATION).map(|column| " ".repeat(column) + head + "\n").collect();
            lines + &" ".repeat(MAX_INDENTATION) + "pass\n"
        });
        let deep = ["not ", "-", "a ** ", "lambda: ", "await ", "a if b else ", "yield "]
            .map(|unit| [30, 300, MAX_DEPTH / 8].map(|count| format!("x = {}0\n", unit.repeat(count))));
        let brackets = ["(", "[", "{", "f(", "a[b:", "f'{"]
            .map(|unit| [20, 150].map(|count| format!("x = {}0\n", unit.repeat(count))));
        for text in blocks.iter().chain(deep.iter().flatten()).chain(brackets.iter().flatten()) {
            let tree = crate::python::parse::parse(text, None).unwrap();
            let walked = tree.read(|body| format!("{body:?}").len());
            assert!(walked > 0, "{}", &text[..20]);
        }
    }
}
