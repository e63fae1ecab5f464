//! Translation of Python 2 syntax, throughout the file. Nothing is left out: a `print` that was forgotten after debugging becomes a call
//! like any other, because the tests do not tell whether the program is meant to print it.

use std::ops::Range;

use crate::edit::Edit;
use crate::python::tokens::{Kind, Token, scan};

use super::proposal::Proposal;

/// A file that has such leftovers most likely has nothing else.
const LEFTOVER: f64 = 1.0;

/// The translation of the whole text, when there is something to translate.
pub(super) fn proposals(text: &str) -> Vec<Proposal> {
    let mut edits = Vec::new();
    let tokens: Vec<Token> = scan(text).into_iter().filter(|token| token.kind != Kind::Comment).collect();
    for statement in statements(&tokens, text) {
        Statement { text, tokens: statement }.translate(&mut edits);
    }
    literals(text, &tokens, &mut edits);
    edits.sort();
    edits.dedup();
    if edits.is_empty() || edits.windows(2).any(|pair| pair[1].start < pair[0].end) {
        return Vec::new();
    }
    vec![Proposal::new(edits, LEFTOVER, "translate from Python 2".to_owned())]
}

/// Runs of tokens between ends of lines, semicolons and colons that open a block, outside brackets.
fn statements<'tokens>(tokens: &'tokens [Token], text: &str) -> Vec<&'tokens [Token]> {
    let mut statements = Vec::new();
    let (mut depth, mut first, mut in_lambda) = (0_usize, 0, false);
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        in_lambda |= token.text(text) == "lambda";
        let colon = depth == 0 && token.text(text) == ":" && !in_lambda;
        if depth == 0 && (token.kind == Kind::Newline || token.text(text) == ";") || colon {
            statements.push(&tokens[first..index + usize::from(colon)]);
            first = index + 1;
            in_lambda = false;
        }
    }
    statements.push(&tokens[first..]);
    statements.retain(|statement| !statement.is_empty());
    statements
}

struct Statement<'text> {
    text: &'text str,
    tokens: &'text [Token],
}

impl Statement<'_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text(self.text))
    }

    fn range(&self, tokens: Range<usize>) -> Range<usize> {
        let slice = self.tokens.get(tokens).unwrap_or_default();
        slice.first().map_or(0, |token| token.start)..slice.last().map_or(0, |token| token.end)
    }

    fn source(&self, tokens: Range<usize>) -> &str {
        self.text.get(self.range(tokens)).unwrap_or_default()
    }

    /// The parts between commas outside brackets, from a token on.
    fn parts(&self, from: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut depth, mut first) = (0_usize, from);
        for (index, token) in self.tokens.iter().enumerate().skip(from) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && token.text(self.text) == "," {
                parts.push(first..index);
                first = index + 1;
            }
        }
        parts.push(first..self.tokens.len());
        parts
    }

    fn translate(&self, edits: &mut Vec<Edit>) {
        match self.word(0) {
            "print" => self.print(edits),
            "exec" => self.exec(edits),
            "raise" => self.raise(edits),
            "except" => self.except(edits),
            _ => {}
        }
    }

    fn print(&self, edits: &mut Vec<Edit>) {
        let second = self.tokens.get(1).map(|token| (token.kind, token.text(self.text)));
        let is_statement = match second {
            Some((Kind::Name | Kind::Number | Kind::String | Kind::Unknown, _)) => true,
            Some((Kind::Keyword, word)) => !matches!(word, "in" | "is" | "and" | "or" | "if" | "for"),
            Some((Kind::Operator, sign)) => matches!(sign, ">>" | "-" | "~"),
            Some((Kind::Open | Kind::Close | Kind::Comment | Kind::Newline, _)) | None => false,
        };
        if !is_statement {
            return;
        }
        let redirected = self.word(1) == ">>";
        let mut parts = self.parts(if redirected { 2 } else { 1 });
        let goes_on = parts.last().is_some_and(Range::is_empty) && parts.len() > 1;
        parts.retain(|part| !part.is_empty());
        let file = (redirected && !parts.is_empty()).then(|| parts.remove(0));
        let mut arguments: Vec<String> = parts.iter().map(|part| self.source(part.clone()).to_owned()).collect();
        if goes_on {
            arguments.push("end=' '".to_owned());
        }
        if let Some(file) = file {
            arguments.push(format!("file={}", self.source(file)));
        }
        edits.push(Edit::replace(self.range(0..self.tokens.len()), format!("print({})", arguments.join(", "))));
    }

    fn exec(&self, edits: &mut Vec<Edit>) {
        if !matches!(self.tokens.get(1).map(|token| token.kind), Some(Kind::Name | Kind::String)) {
            return;
        }
        let split = (1..self.tokens.len()).find(|index| self.word(*index) == "in").unwrap_or(self.tokens.len());
        let mut arguments = vec![self.source(1..split).to_owned()];
        if split + 1 < self.tokens.len() {
            arguments.extend(self.parts(split + 1).into_iter().map(|part| self.source(part).to_owned()));
        }
        edits.push(Edit::replace(self.range(0..self.tokens.len()), format!("exec({})", arguments.join(", "))));
    }

    fn raise(&self, edits: &mut Vec<Edit>) {
        let parts = self.parts(1);
        let sources: Vec<&str> = parts.iter().map(|part| self.source(part.clone())).collect();
        let raised = match sources.as_slice() {
            [exception, message] if !message.is_empty() => format!("raise {exception}({message})"),
            [exception, message, trace] => format!("raise {exception}({message}).with_traceback({trace})"),
            _ => return,
        };
        edits.push(Edit::replace(self.range(0..self.tokens.len()), raised));
    }

    fn except(&self, edits: &mut Vec<Edit>) {
        let parts = self.parts(1);
        let [_, name] = parts.as_slice() else { return };
        let Some(comma) = self.tokens.get(name.start - 1) else { return };
        if self.tokens.get(name.start).is_some_and(|token| token.kind == Kind::Name) && self.word(name.start + 1) == ":"
        {
            edits.push(Edit::replace(comma.start..comma.end, " as"));
        }
    }
}

/// Backticks, `<>`, octal and long numbers, `ur""`.
fn literals(text: &str, tokens: &[Token], edits: &mut Vec<Edit>) {
    let mut backtick = None;
    for token in tokens {
        let word = token.text(text);
        let range = token.start..token.end;
        match token.kind {
            Kind::Newline => backtick = None,
            Kind::Unknown if word == "`" => match backtick.take() {
                None => backtick = Some(range),
                Some(open) => {
                    edits.push(Edit::replace(open, "repr("));
                    edits.push(Edit::replace(range, ")"));
                }
            },
            Kind::Operator if word == "<>" => edits.push(Edit::replace(range, "!=")),
            Kind::Number => {
                let short = word.trim_end_matches(['l', 'L']);
                let digits = short.trim_start_matches('0');
                if short.starts_with('0') && !digits.is_empty() && short.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
                {
                    edits.push(Edit::replace(range, format!("0o{digits}")));
                } else if short.len() < word.len() {
                    edits.push(Edit::replace(range, short));
                }
            }
            Kind::String if word.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("ur")) => {
                edits.push(Edit::delete(token.start..token.start + 1));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::SyntaxRepair;
    use super::*;
    use crate::edit::applied;
    use crate::fix_example::{check_fix, pytest};

    fn translated(text: &str) -> String {
        let edits = proposals(text).into_iter().next().map(|proposal| proposal.edits).unwrap_or_default();
        applied(text, &edits).unwrap()
    }

    #[test]
    fn translates_whole_file() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 4
    except IOError, error:
           ^^^^^^^^^^^^^^
SyntaxError: multiple exception types must be parenthesized"#,
            ),
            r"
 def show(path):
     try:
-        print open(path).read()
-    except IOError, error:
-        print 'no file:', error
+        print(open(path).read())
+    except IOError as error:
+        print('no file:', error)
",
        );
    }

    #[test]
    fn statements_become_calls() {
        assert_eq!(translated("print 'a', f(b, c)  # d\n"), "print('a', f(b, c))  # d\n");
        assert_eq!(translated("if x: print >>err, x,\n"), "if x: print(x, end=' ', file=err)\n");
        assert_eq!(translated("exec code in a, b\n"), "exec(code, a, b)\n");
        assert_eq!(translated("raise E, 'm'\nraise E, 'm', t\n"), "raise E('m')\nraise E('m').with_traceback(t)\n");
    }

    #[test]
    fn clauses_and_literals() {
        assert_eq!(translated("try: pass\nexcept (A, B), e:\n  x\n"), "try: pass\nexcept (A, B) as e:\n  x\n");
        assert_eq!(translated("x = 0777 + 10L if `a` <> ur'b' else 0\n"), "x = 0o777 + 10 if repr(a) != r'b' else 0\n");
    }

    #[test]
    fn python_3_stays() {
        assert!(
            proposals(
                "print('a')\nprint = 3\nraise E('a')\nexcept A as e:\nx = 0x1fL if 0 else 00\n"
                    .replace('L', "")
                    .as_str()
            )
            .is_empty()
        );
    }
}
