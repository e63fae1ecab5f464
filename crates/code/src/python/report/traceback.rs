//! Python tracebacks in text: the interpreter's form (`File "x.py", line 3, in f`), pytest's short form
//! (`x.py:3: in f` with `E   Error: message`), syntax errors (`File "x.py", line 3` alone), chains and exception groups.

use std::sync::LazyLock;

use regex::Regex;

use crate::language::PrintedCall;
use crate::stack::calls_by_indent;

const MAX_FRAMES: usize = 2_000;
const MAX_MESSAGE_LINES: usize = 20;

/// One call on the stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The file as printed.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// The function, `<module>` at top level; `None`: the place of a syntax error.
    pub function: Option<String>,
    /// The part of the line that failed, in characters from its first visible one, when the interpreter marked it.
    pub marked: Option<(usize, usize)>,
}

/// One exception with its stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traceback {
    /// The stack, outermost call first.
    pub frames: Vec<Frame>,
    /// The exception's class as printed, with its module if that was printed.
    pub error_type: String,
    /// Message of the exception; may have several lines.
    pub message: String,
}

impl Traceback {
    /// The class without its module.
    pub fn error_name(&self) -> &str {
        self.error_type.rsplit('.').next().unwrap_or_default()
    }
}

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
    Patterns {
        native_frame: pattern(r#"^\s*File "([^"]+)", line ([0-9]+)(?:, in (.+))?$"#),
        short_frame: pattern(r"^([^\s:][^:]*\.\w+):([0-9]+): in (.+)$"),
        long_end: pattern(r"^([^\s:][^:]*\.\w+):([0-9]+): ([A-Za-z_][\w.]*)?$"),
        error: pattern(r"^([A-Za-z_][\w.<>]*)(?::\s?(.*))?$"),
        group: pattern(r"^\s*(?:\| ?|\+-[+-]*(?:\s.*)?$|\+ )"),
    }
});

struct Patterns {
    native_frame: Regex,
    short_frame: Regex,
    long_end: Regex,
    error: Regex,
    group: Regex,
}

/// Every exception in the text, in the order printed: causes first, the one that surfaced last.
pub fn parse(text: &str) -> Vec<Traceback> {
    let has_groups = text.contains("Exception Group Traceback");
    let mut reader = Reader::default();
    for line in text.lines() {
        let line = if has_groups {
            line.get(PATTERNS.group.find(line).map_or(0, |found| found.end())..).unwrap_or_default()
        } else {
            line
        };
        reader.line(line);
    }
    reader.close();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Traceback>,
    current: Traceback,
    message_lines: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        // pytest marks the error's own lines with `E` and three spaces.
        let marked = line.strip_prefix("E   ").or_else(|| (line == "E").then_some(""));
        let content = marked.unwrap_or(line);
        if is_heading(content) {
            self.close();
            return;
        }
        if let Some(frame) = frame(content) {
            if !self.current.error_type.is_empty() {
                self.close();
            }
            if self.current.frames.len() < MAX_FRAMES {
                self.current.frames.push(frame);
            } else if let Some(last) = self.current.frames.last_mut() {
                // The deepest frame counts.
                *last = frame;
            }
            return;
        }
        if let Some(marked) = marks(content)
            && self.current.error_type.is_empty()
            && let Some(frame) = self.current.frames.last_mut()
        {
            frame.marked = Some(marked);
            return;
        }
        if self.current.error_type.is_empty() {
            let may_be_error = marked.is_some() || !self.current.frames.is_empty();
            if may_be_error && let Some(found) = PATTERNS.error.captures(content) {
                found.get(1).map_or("", |name| name.as_str()).clone_into(&mut self.current.error_type);
                found.get(2).map_or("", |message| message.as_str()).clone_into(&mut self.current.message);
                self.message_lines = 1;
            }
        } else if let Some(found) = PATTERNS.long_end.captures(line) {
            // pytest's long form ends with the deepest frame.
            self.current.frames.extend(frame_of(&found, None));
        } else if self.message_lines < MAX_MESSAGE_LINES {
            self.current.message.push('\n');
            self.current.message.push_str(content);
            self.message_lines += 1;
        }
    }

    fn close(&mut self) {
        let mut done = std::mem::take(&mut self.current);
        if !done.error_type.is_empty() {
            done.message.truncate(done.message.trim_end().len());
            self.found.push(done);
        }
        self.message_lines = 0;
    }
}

/// Returns the columns that the interpreter marks with `~~~^^^~~~`, relative to the code, which it prints with
/// four spaces before it.
fn marks(line: &str) -> Option<(usize, usize)> {
    let drawing = line.strip_prefix("    ")?;
    let is_drawing = drawing.contains('^') && drawing.chars().all(|char| matches!(char, '^' | '~' | ' '));
    let start = drawing.find(['^', '~'])?;
    is_drawing.then(|| (start, drawing.trim_end().len()))
}

/// Calls of a traceback in a text, as printed.
pub(in crate::python) fn printed_calls(text: &str) -> Vec<PrintedCall> {
    calls_by_indent(text, |line| {
        let group =
            PATTERNS.group.find(line).filter(|_| line.trim_start().starts_with('|')).map_or(0, |found| found.end());
        let line = line.get(group..).unwrap_or_default();
        frame(line.strip_prefix("E   ").unwrap_or(line)).map(|frame| frame.file)
    })
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("Traceback (most recent call last)")
        || line == "Traceback:"
        || line.starts_with("Exception Group Traceback")
        || line.starts_with("During handling of the above exception")
        || line.starts_with("The above exception was the direct cause")
}

fn frame(line: &str) -> Option<Frame> {
    if let Some(found) = PATTERNS.native_frame.captures(line) {
        let function = found.get(3).map(|function| function.as_str().to_owned());
        return frame_of(&found, function);
    }
    let found = PATTERNS.short_frame.captures(line)?;
    let function = found.get(3).map(|function| function.as_str().to_owned());
    frame_of(&found, function)
}

fn frame_of(found: &regex::Captures<'_>, function: Option<String>) -> Option<Frame> {
    let file = found.get(1)?.as_str().replace('\\', "/");
    let line = found.get(2)?.as_str().parse().ok()?;
    Some(Frame { file, line, function, marked: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_gives_the_cause_first() {
        let text = r#"Traceback (most recent call last):
  File "/r/pkg/a.py", line 3, in load
    return table[key]
           ~~~~~^^^^^
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/r/tests/test_a.py", line 9, in test
    load("x")
  File "/r/pkg/a.py", line 5, in load
    raise Broken("two
lines") from None
pkg.errors.Broken: two
lines
"#;
        let found = parse(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].error_type.as_str(), found[0].message.as_str()), ("KeyError", "'x'"));
        assert_eq!((found[1].error_name(), found[1].message.as_str()), ("Broken", "two\nlines"));
        assert_eq!(found[1].frames[1].line, 5);
    }

    #[test]
    fn the_short_form_of_pytest_is_understood() {
        let text = r#"ImportError while importing test module '/r/tests/test_a.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
tests/test_a.py:1: in <module>
    import pkg
E     File "/r/pkg/__init__.py", line 7
E       def f(
E            ^
E   SyntaxError: '(' was never closed"#;
        let found = parse(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].error_type, "SyntaxError");
        assert_eq!(
            found[0].frames.last().map(|frame| (frame.file.as_str(), frame.line, frame.function.is_none())),
            Some(("/r/pkg/__init__.py", 7, true))
        );
    }

    #[test]
    fn an_exception_group_gives_its_members() {
        let text = r#"  + Exception Group Traceback (most recent call last):
  |   File "/r/a.py", line 1, in <module>
  |     raise ExceptionGroup("many", [ValueError(1), TypeError("t")])
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/r/b.py", line 4, in g
    |     1 + ""
    | TypeError: t
    +------------------------------------
"#;
        let found = parse(text);
        assert_eq!(found.last().map(|last| (last.error_name(), last.frames[0].line)), Some(("TypeError", 4)));
    }
}
