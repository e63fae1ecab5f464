//! Lines of prose: a Markdown document without its code, and the comments and messages of a Rust file without its tests.

/// A line of prose, without the marks before it.
pub(super) struct ProseLine {
    /// Number of the line, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) is_heading: bool,
}

/// The line after which a Rust file holds only tests.
const TESTS: &str = "\nmod tests {";

pub(super) fn of_markdown(text: &str) -> Vec<ProseLine> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        if !is_fenced && !line.starts_with("    ") && !line.is_empty() {
            lines.push(ProseLine { line: index + 1, text: without_marks(line), is_heading: line.starts_with('#') });
        }
    }
    lines
}

/// Returns the comments and the string literals with a space in them.
pub(super) fn of_rust(text: &str) -> Vec<ProseLine> {
    let end = text.find(TESTS).unwrap_or(text.len());
    let text: Vec<char> = text.get(..end).unwrap_or_default().chars().collect();
    let mut scanner = Scanner { text: &text, at: 0, line: 1, found: Vec::new() };
    while let Some(letter) = scanner.peek(0) {
        match (letter, scanner.peek(1)) {
            ('/', Some('/')) => scanner.comment(),
            ('"', _) => scanner.string(0, true),
            ('r', Some('"' | '#')) if !scanner.is_inside_a_name() => scanner.raw_string(),
            ('\'', _) => scanner.letter(),
            _ => scanner.forward(1),
        }
    }
    scanner.found
}

/// Returns a line without the marks of lists, tables and comments before its text.
fn without_marks(line: &str) -> String {
    let is_mark = |letter: char| letter.is_whitespace() || letter.is_ascii_digit() || "-*|>#/!.".contains(letter);
    line.trim_start_matches(is_mark).to_owned()
}

struct Scanner<'t> {
    text: &'t [char],
    at: usize,
    line: usize,
    found: Vec<ProseLine>,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn forward(&mut self, letters: usize) {
        for _ in 0..letters {
            if self.peek(0) == Some('\n') {
                self.line += 1;
            }
            self.at += 1;
        }
    }

    fn is_inside_a_name(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        // `br` and `cr` begin a raw string, too; such bytes are not prose.
        before.is_some_and(|letter| letter.is_alphanumeric() || *letter == '_')
    }

    fn keep(&mut self, line: usize, text: &str) {
        self.found.push(ProseLine { line, text: without_marks(text), is_heading: text.contains("/ # ") });
    }

    fn comment(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(|letter| letter != '\n') {
            self.at += 1;
        }
        let text: String = self.text.get(start..self.at).unwrap_or_default().iter().collect();
        self.keep(self.line, &text);
    }

    /// Reads a character literal, or the quotation mark of a lifetime.
    fn letter(&mut self) {
        match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                self.forward(3);
                while self.peek(0).is_some_and(|letter| letter != '\'' && letter != '\n') {
                    self.forward(1);
                }
                self.forward(1);
            }
            (Some(_), Some('\'')) => self.forward(3),
            _ => self.forward(1),
        }
    }

    fn raw_string(&mut self) {
        let marks = self.text.iter().skip(self.at + 1).take_while(|letter| **letter == '#').count();
        if self.peek(1 + marks) == Some('"') {
            self.forward(1 + marks);
            self.string(marks, false);
        } else {
            self.forward(1);
        }
    }

    /// Reads a string whose end has that many `#` after it.
    fn string(&mut self, marks: usize, has_escapes: bool) {
        let first = self.line;
        self.forward(1);
        let start = self.at;
        while let Some(letter) = self.peek(0) {
            let is_end = letter == '"' && (1..=marks).all(|ahead| self.peek(ahead) == Some('#'));
            if is_end {
                break;
            }
            self.forward(if has_escapes && letter == '\\' { 2 } else { 1 });
        }
        let text: String = self.text.get(start..self.at).unwrap_or_default().iter().collect();
        self.forward(1 + marks);
        if text.contains(' ') {
            for (index, line) in text.lines().enumerate() {
                self.keep(first + index, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(usize, String)> {
        of_rust(text).into_iter().map(|prose| (prose.line, prose.text)).collect()
    }

    #[test]
    fn comments_and_messages_of_a_program_are_prose() {
        let text = "//! Top.\n\nfn f<'a>() {\n    let c = '\"'; // why\n    g(\"a \\\" message\", r#\"raw \"text\"\"#, '\\'', \"word\");\n}\n";
        let expected = [(1, "Top."), (4, "why"), (5, "a \\\" message"), (5, "raw \"text\"")];
        assert_eq!(lines(text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn a_message_may_have_several_lines() {
        assert_eq!(lines("f(\"a b \\\n    c\");\n// d\n").len(), 3);
        assert_eq!(lines("f(\"a b\\n\");\n// d\n").last().map(|(line, _)| *line), Some(2));
    }

    #[test]
    fn tests_of_a_program_are_left_out() {
        assert_eq!(lines("// a b\n#[cfg(test)]\nmod tests {\n    // c d\n}\n").len(), 1);
    }

    #[test]
    fn code_of_a_document_is_left_out() {
        let text = "# Head\n\n- item\n\n```\ncode\n```\n\n    code\n\n1. last\n";
        let found: Vec<(usize, String, bool)> =
            of_markdown(text).into_iter().map(|prose| (prose.line, prose.text, prose.is_heading)).collect();
        let expected = [(1, "Head", true), (3, "item", false), (11, "last", false)];
        assert_eq!(found, expected.map(|(line, text, is_heading)| (line, text.to_owned(), is_heading)));
    }
}
