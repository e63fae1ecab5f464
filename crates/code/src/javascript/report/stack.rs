//! V8's stacks in text, and the places that parsers name beside them.

use std::sync::LazyLock;

use regex::Regex;

use crate::language::PrintedCall;

const MAX_FRAMES: usize = 500;
const MAX_ERRORS: usize = 50;
const MAX_MESSAGE_LINES: usize = 6;

/// One call on the stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The file as printed, without `file://`.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Column of the call, from 1, in UTF-16 units.
    pub column: u32,
    /// The function, as V8 names it; `None` at top level.
    pub function: Option<String>,
}

/// One error with its stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thrown {
    /// Its class as printed: `TypeError`; empty when only words were printed.
    pub class: String,
    /// Message of the error, at most a few lines.
    pub message: String,
    /// Position at which a parser reports that it stopped: file, line, and column if reported.
    pub place: Option<(String, u32, Option<u32>)>,
    /// The stack, innermost call first.
    pub frames: Vec<Frame>,
}

impl Thrown {
    /// `TypeError: x is not a function`.
    pub fn headline(&self) -> String {
        match (self.class.as_str(), self.message.as_str()) {
            ("", message) => message.to_owned(),
            (class, "") => class.to_owned(),
            (class, message) => format!("{class}: {message}"),
        }
    }

    /// The error as V8 prints it.
    pub(super) fn shown(&self) -> String {
        let frame = |frame: &Frame| {
            let function = frame.function.as_deref().unwrap_or("<anonymous>");
            format!("\n    at {function} ({}:{}:{})", frame.file, frame.line, frame.column)
        };
        self.headline() + &self.frames.iter().map(frame).collect::<String>()
    }
}

struct Patterns {
    ansi: Regex,
    frame: Regex,
    head: Regex,
    node_place: Regex,
    babel_place: Regex,
    told_place: Regex,
    esbuild_place: Regex,
    drawn_place: Regex,
    code_frame: Regex,
}

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
    Patterns {
        ansi: pattern(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))"),
        frame: pattern(
            r"^\s*(?:at|❯) (?:async )?(?:(?:new )?(\S.*?) \(?)?(?:file://)?([^\s()][^()]*?):([0-9]+):([0-9]+)\)?\s*$",
        ),
        head: pattern(
            r"^[\s●]*(?:Uncaught |Exception during run: |Caused by: |\[)?((?:[A-Za-z_$][\w$]*\.)*(?:[A-Za-z_$][\w$]*)?(?:Error|Exception)\d?)(?: \[\w+\])?(?:\[ @[^\]]*\])?(?:: (.*)|:?\s*)$",
        ),
        node_place: pattern(
            r"^\s*(?:Exception during run: )?(?:file://)?(/[^:\s][^:]*|[^:\s/][^:\s]*\.[cm]?[jt]sx?):([0-9]+)$",
        ),
        babel_place: pattern(r"^(?:\[BABEL\] )?(/?[^:\s][^:]*\.\w+): (.*?) ?\(([0-9]+):([0-9]+)\)"),
        told_place: pattern(
            r"^(.*?\S) ?(?:in (?:file:? )?|\(([0-9]+):([0-9]+)\) (?:in|while parsing) (?:file:? )?)(?:file://)?([^\s()]+\.[cm]?[jt]sx?)(?: ?\(([0-9]+):([0-9]+)\))?",
        ),
        esbuild_place: pattern(
            r"^\s*(?:[Ff]ile: )?(?:file://)?(/?[^:\s(][^:\s]*\.\w+):([0-9]+):([0-9]+):?(?: ERROR: (.*))?\s*$",
        ),
        drawn_place: pattern(r"(?:,-|╭─|┌─)\s*\[\s*(?:file://)?([^\]\s:]+):([0-9]+):([0-9]+)\s*\]"),
        code_frame: pattern(r"^\s*(?:>?\s*[0-9]+ ?[|│]|[|│·]|\^)"),
    }
});

/// `text` without the colours and moves of a terminal.
pub fn without_ansi(text: &str) -> String {
    PATTERNS.ansi.replace_all(text, "").into_owned()
}

/// The errors in a text, in its order. Colours are passed over.
pub fn parse(text: &str) -> Vec<Thrown> {
    let text = without_ansi(text);
    let mut errors: Vec<Thrown> = Vec::new();
    // A place may stand before the error that it belongs to, as Node prints it.
    let mut place = None;
    let mut may_continue = false;
    for line in text.lines() {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        if let Some(frame) = frame(line) {
            may_continue = false;
            let last = current(&mut errors);
            if last.frames.len() < MAX_FRAMES {
                last.frames.push(frame);
            }
        } else if let Some(captures) = PATTERNS.head.captures(line) {
            let message = captures.get(2).map_or("", |message| message.as_str()).trim();
            let mut thrown = Thrown {
                class: captures[1].rsplit('.').next().unwrap_or_default().to_owned(),
                message: message.to_owned(),
                place: place.take(),
                frames: Vec::new(),
            };
            if let Some((file, said, at)) = babel(message).or_else(|| told(message)) {
                thrown.message = said;
                thrown.place = Some((file, at.0, Some(at.1)));
            }
            errors.push(thrown);
            may_continue = true;
        } else if let Some(found) = place_of(line) {
            may_continue = false;
            // Lines without a column are Node's, which names the place first.
            let belongs =
                |error: &&mut Thrown| error.place.is_none() && (error.frames.is_empty() || found.0.2.is_some());
            match errors.last_mut().filter(belongs) {
                Some(error) => {
                    if let Some(said) = found.1
                        && error.message.starts_with("Transform failed")
                    {
                        error.message = said;
                    }
                    error.place = Some(found.0);
                }
                None => place = Some(found.0),
            }
        } else if may_continue {
            may_continue = continue_message(&mut errors, line);
        }
    }
    errors
}

/// The error that a frame belongs to; one without words when the text begins with frames.
fn current(errors: &mut Vec<Thrown>) -> &mut Thrown {
    if errors.is_empty() {
        errors.push(Thrown::default());
    }
    let last = errors.len() - 1;
    &mut errors[last]
}

/// Takes a line into the message of the latest error; whether more may follow.
fn continue_message(errors: &mut [Thrown], line: &str) -> bool {
    let Some(error) = errors.last_mut() else { return false };
    let trimmed = line.trim();
    if PATTERNS.code_frame.is_match(line) || trimmed.starts_with("Require stack") || trimmed.starts_with('{') {
        return false;
    }
    if trimmed.is_empty() {
        return true;
    }
    if error.message.lines().count() >= MAX_MESSAGE_LINES {
        return false;
    }
    if !error.message.is_empty() {
        error.message.push('\n');
    }
    error.message.push_str(trimmed);
    true
}

fn frame(line: &str) -> Option<Frame> {
    let captures = PATTERNS.frame.captures(line)?;
    Some(Frame {
        file: captures[2].to_owned(),
        line: captures[3].parse().ok()?,
        column: captures[4].parse().ok()?,
        function: captures.get(1).map(|name| name.as_str().to_owned()).filter(|name| name != "Object.<anonymous>"),
    })
}

/// Calls of the engine's stacks in a text, as printed; those of the engine itself have no file.
pub(in crate::javascript) fn printed_calls(text: &str) -> Vec<PrintedCall> {
    let own = |line: &str| {
        let is_engine =
            line.trim_start().starts_with("at ") && (line.ends_with("(<anonymous>)") || line.ends_with("(native)"));
        is_engine.then(|| "<anonymous>".to_owned())
    };
    let call = |(number, line): (usize, &str)| {
        let file = frame(line).map(|frame| frame.file).or_else(|| own(line))?;
        Some(PrintedCall { lines: number..number + 1, file })
    };
    text.lines().enumerate().filter_map(call).collect()
}

/// `/w/a.js: Unexpected token (3:5)` as babel says it: the file, what was said, line and column from 1.
fn babel(message: &str) -> Option<(String, String, (u32, u32))> {
    let captures = PATTERNS.babel_place.captures(message)?;
    let (line, column): (u32, u32) = (captures[3].parse().ok()?, captures[4].parse().ok()?);
    let said = captures[2].trim().trim_end_matches('.').to_owned();
    Some((captures[1].to_owned(), said, (line, column.saturating_add(1))))
}

/// `Unexpected token in src/a.js (3:5)`, `Unexpected token (3:5) while parsing src/a.js`: columns from 0, as those of all who write so.
fn told(message: &str) -> Option<(String, String, (u32, u32))> {
    let captures = PATTERNS.told_place.captures(message)?;
    let number = |first: usize, other: usize| captures.get(first).or(captures.get(other))?.as_str().parse::<u32>().ok();
    let at = (number(2, 5)?, number(3, 6)?.saturating_add(1));
    Some((captures[4].to_owned(), captures[1].to_owned(), at))
}

type Place = (String, u32, Option<u32>);

/// Returns the place that a line names, and the message that it gives for that place.
fn place_of(line: &str) -> Option<(Place, Option<String>)> {
    if let Some(captures) = PATTERNS.node_place.captures(line) {
        return Some(((captures[1].to_owned(), captures[2].parse().ok()?, None), None));
    }
    let captures = PATTERNS.esbuild_place.captures(line).or_else(|| PATTERNS.drawn_place.captures(line))?;
    let place = (captures[1].to_owned(), captures[2].parse().ok()?, captures[3].parse().ok());
    Some((place, captures.get(4).map(|said| said.as_str().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_frames() {
        for (line, file, function) in [
            ("    at greet (/w/src/calc.js:5:26)", "/w/src/calc.js", Some("greet")),
            ("    at /w/test/calc.test.js:4:37", "/w/test/calc.test.js", None),
            ("    at file:///w/a.mjs:4:37", "/w/a.mjs", None),
            ("    at async Promise.all (file:///w/a b/c.mjs:4:37)", "/w/a b/c.mjs", Some("Promise.all")),
            ("    at new Thing (src/thing.ts:4:37)", "src/thing.ts", Some("Thing")),
            ("    at Object.<anonymous> (src/x.js:4:37)", "src/x.js", None),
            (" ❯ greet src/calc.mjs:4:37", "src/calc.mjs", Some("greet")),
        ] {
            let frame = frame(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.file.as_str(), frame.function.as_deref()), (file, function), "{line}");
        }
        assert_eq!(frame("    at new Promise (<anonymous>)"), None);
    }

    #[test]
    fn node_prints_the_place_before_the_error() {
        let text = "/w/src/broken.js:2\n  return 1;\n         ^\n\nSyntaxError: Unexpected number\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n";
        let errors = parse(text);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].headline(), "SyntaxError: Unexpected number");
        assert_eq!(errors[0].place, Some(("/w/src/broken.js".to_owned(), 2, None)));
        let mocha = parse(&format!(" Exception during run: {text}").replace(" Exception", "Exception"));
        assert_eq!(mocha[0].place, errors[0].place);
        let jest = parse(&format!("    {}", text.replace('\n', "\n    ")));
        assert_eq!(jest[0].place, errors[0].place);
        let module = parse(" Exception during run: SyntaxError[ @/w/test/a.mjs ]: Unexpected token '{'\n");
        assert_eq!(module[0].headline(), "SyntaxError: Unexpected token '{'");
    }

    #[test]
    fn parsers_name_places_in_their_own_ways() {
        let babel = "    SyntaxError: /w/src/broken.js: Unexpected keyword 'return'. (2:2)\n\n      1 | function broken( {\n    > 2 |   return 1;\n";
        let esbuild = "Error: Transform failed with 1 error:\n/w/src/broken.ts:2:2: ERROR: Expected identifier but found \"return\"\n    at failureErrorWithLog (/w/node_modules/esbuild/lib/main.js:1467:15)";
        let oxc = "Error: Parse failure\n  ╭─[ src/broken.mjs:2:3 ]\n";
        let told = "SyntaxError: Unexpected token in src/broken.js (2:2)\n";
        let while_parsing = "SyntaxError: Unexpected token (2:2) while parsing file: /w/src/broken.js\n";
        let vite = "Error: Failed to parse source for import analysis\n    at f (file:///w/node_modules/vite/a.js:1:1)\n/w/src/broken.mjs:2:3\n";
        for (text, file, column, said) in [
            (babel, "/w/src/broken.js", 3, "SyntaxError: Unexpected keyword 'return'"),
            (esbuild, "/w/src/broken.ts", 2, "Error: Expected identifier but found \"return\""),
            (oxc, "src/broken.mjs", 3, "Error: Parse failure"),
            (told, "src/broken.js", 3, "SyntaxError: Unexpected token"),
            (while_parsing, "/w/src/broken.js", 3, "SyntaxError: Unexpected token"),
            (vite, "/w/src/broken.mjs", 3, "Error: Failed to parse source for import analysis"),
        ] {
            let errors = parse(text);
            assert_eq!(errors[0].place, Some((file.to_owned(), 2, Some(column))), "{text}");
            assert_eq!(errors[0].headline(), said);
        }
    }

    #[test]
    fn a_message_is_a_few_lines_and_no_code() {
        let text = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n3 !== 4\n\n    at TestContext.<anonymous> (/w/test/calc.test.js:3:48)\nCaused by: TypeError: inner\n    at f (/w/a.js:1:1)";
        let errors = parse(text);
        assert_eq!(errors[0].headline(), "AssertionError: Expected values to be strictly equal:\n3 !== 4");
        assert_eq!(errors[1].headline(), "TypeError: inner");
        assert_eq!(errors[1].frames.len(), 1);
    }
}
