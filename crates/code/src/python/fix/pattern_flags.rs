//! Flags in the middle of a regular expression, such as `a(?i)b`: since Python 3.11 an error.

use std::collections::BTreeSet;
use std::ops::Range;

use super::blame::{Blame, Place};
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Expression, Module, Role, Shape, Span};
use crate::python::tokens::{Kind, scan};

/// Moves flags in the middle of a regular expression to its start, or makes them local to a piece, where the expression then
/// means the same as before Python 3.11. A pattern that is put together of pieces that cannot be read is left alone.
pub(super) struct PatternFlags;

const NAME: &str = "pattern_flags";

/// Messages of Python 3.11, and of the warning of versions before.
const MESSAGES: [&str; 2] =
    ["global flags not at the start of the expression", "Flags not at the start of the expression"];

impl Fixer for PatternFlags {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if !MESSAGES.iter().any(|message| blame.message.starts_with(message)) {
            return Vec::new();
        }
        let position = position(&blame.message);
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().enumerate() {
            let depth = f64::from(u32::try_from(depth).unwrap_or(9));
            reachable(&mut list, &blame, place, position, depth);
        }
        if let Some(place) = blame.places.first()
            && let Some(module) = blame.module(&place.file)
        {
            for expression in &module.expressions {
                move_to_start(&mut list, &blame, &place.file, expression, position, 4.0);
            }
        }
        list.finish(NAME, 6)
    }
}

/// Reads the number in `at position 12 (line 2, column 3)`.
fn position(message: &str) -> Option<usize> {
    let rest = message.split_once("at position ")?.1;
    rest.split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
}

/// Proposes changes of the patterns in the statement of a place, and of those that are assigned to names which it reads.
fn reachable(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, position: Option<usize>, depth: f64) {
    let text = blame.text(&place.file);
    let Some(module) = blame.module(&place.file) else { return };
    let statement = module.statement_at(text, place.line).unwrap_or(place.span);
    patterns_in(list, blame, &place.file, module, statement, (position, 0.5 + depth));
    let is_read = |role: Role| matches!(role, Role::Load | Role::Attribute);
    let words = module.words.iter().filter(|word| statement.contains(word.span) && is_read(word.role));
    let names: BTreeSet<&str> = words.map(|word| word.text.as_str()).collect();
    for (file, other) in blame.index.modules() {
        let extra = if file == place.file { 1.5 } else { 2.5 };
        for (target, value) in other.assignments() {
            let target = target.text(blame.text(file));
            let target = target.rsplit('.').next().unwrap_or(target);
            if names.contains(target) {
                patterns_in(list, blame, file, other, value, (position, extra + depth));
            }
        }
    }
}

fn patterns_in(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    module: &Module,
    span: Span,
    (position, bits): (Option<usize>, f64),
) {
    for expression in module.expressions.iter().filter(|expression| span.contains(expression.span)) {
        move_to_start(list, blame, file, expression, position, bits);
        make_local(list, blame, file, module, expression, bits);
    }
}

/// Proposes the flags of a literal at its start, if the literal is where the pattern begins.
fn move_to_start(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    expression: &Expression,
    position: Option<usize>,
    bits: f64,
) {
    let Some(module) = blame.module(file) else { return };
    let text = blame.text(file);
    if !matches!(expression.shape, Shape::Text | Shape::Binary { .. }) || !expression.span.text(text).contains("(?") {
        return;
    }
    // Of `a + b + c` the whole is read, and not its parts: the pattern begins where the whole does.
    let is_part = module.expressions.iter().any(|other| {
        matches!(other.shape, Shape::Binary { left, right }
            if (left == expression.span || right == expression.span) && joins(text, left, right))
    });
    if is_part {
        return;
    }
    let Some(pieces) = pieces(text, module, expression) else { return };
    let is_verbose = is_verbose(text, module, expression.span);
    let Some(mut found) = Flags::find(text, &pieces, is_verbose) else { return };
    if is_template(text, expression.span) {
        found.position = None;
    }
    // The position of a pattern whose text is known is known, too.
    if let (Some(wanted), Some(own)) = (position, found.position)
        && wanted != own
    {
        return;
    }
    let bits = if found.position.is_some() && found.position == position { bits } else { bits + 1.0 };
    list.add(bits, format!("move '{}' to the start of the pattern", found.shown()), file, found.edits(text));
}

/// Returns whether values are put into a text: `'%s' % value` and `'{}'.format(value)`.
fn is_template(text: &str, span: Span) -> bool {
    let behind = text.get(span.end..).unwrap_or_default().trim_start_matches([' ', ')']);
    behind.starts_with('%') || behind.starts_with(".format")
}

/// Returns whether the operator between two operands is a `+`.
fn joins(text: &str, left: Span, right: Span) -> bool {
    let between = text.get(left.end..right.start).unwrap_or_default();
    scan(between).iter().any(|token| token.text(between) == "+")
}

/// A piece of a pattern: a string token, or an expression that is not known.
enum Piece {
    /// Place of the text between the quotes, and the letters before them.
    Literal {
        content: Range<usize>,
        is_raw: bool,
        is_formatted: bool,
    },
    Unknown,
}

/// The pieces of which an expression makes a pattern: string literals next to each other or joined by `+`, also formatted ones. The first
/// has to be a literal.
fn pieces(text: &str, module: &Module, expression: &Expression) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    collect(text, module, expression, &mut found, 0);
    matches!(found.first(), Some(Piece::Literal { .. })).then_some(found)
}

/// Maximum depth of a sum of pieces.
const DEEPEST: usize = 60;

fn collect(text: &str, module: &Module, expression: &Expression, found: &mut Vec<Piece>, depth: usize) {
    match &expression.shape {
        Shape::Text => {
            let code = expression.span.text(text);
            let tokens = scan(code).into_iter().filter(|token| token.kind == Kind::String);
            found.extend(tokens.filter_map(|token| literal(token.text(code), expression.span.start + token.start)));
        }
        Shape::Binary { left, right } if joins(text, *left, *right) && depth < DEEPEST => {
            for operand in [left, right] {
                match module.expressions.iter().find(|other| other.span == *operand) {
                    Some(operand) => collect(text, module, operand, found, depth + 1),
                    None => found.push(Piece::Unknown),
                }
            }
        }
        Shape::Binary { .. }
        | Shape::Name
        | Shape::Attribute { .. }
        | Shape::Call(_)
        | Shape::Subscript { .. }
        | Shape::Number
        | Shape::Tuple(_)
        | Shape::Display
        | Shape::Other => found.push(Piece::Unknown),
    }
}

/// Reads a string token that begins at a byte of the file.
fn literal(token: &str, at: usize) -> Option<Piece> {
    let bare = token.trim_start_matches(|char: char| char.is_ascii_alphabetic());
    let prefix = token[..token.len() - bare.len()].to_ascii_lowercase();
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| bare.starts_with(quote))?;
    let start = at + prefix.len() + quote.len();
    let end = (at + token.len()).checked_sub(quote.len()).filter(|end| *end >= start)?;
    Some(Piece::Literal { content: start..end, is_raw: prefix.contains('r'), is_formatted: prefix.contains('f') })
}

/// Returns whether blanks and comments in the pattern mean nothing, as far as the statement tells.
fn is_verbose(text: &str, module: &Module, span: Span) -> bool {
    let around = module.statements.iter().filter(|statement| statement.span.contains(span));
    let statement = around.min_by_key(|statement| statement.span.end - statement.span.start);
    statement.is_some_and(|statement| {
        let code = statement.span.text(text);
        let is_flag = |words: &[&str]| words.iter().any(|word| code.contains(word));
        is_flag(&["re.X", "VERBOSE", "(?x"])
    })
}

/// Groups of flags in a pattern that are not at its start.
struct Flags {
    /// Place of each group, and its letters.
    groups: Vec<(Range<usize>, String)>,
    /// Letters of the group at the start, and the place behind them; without such a group, the start.
    leading: (String, usize),
    /// Number of characters before the first group, if the text of the pattern is known.
    position: Option<usize>,
}

impl Flags {
    /// Finds the groups; `None`: there is nothing to move, or to take a group out would join its neighbours to something else.
    fn find(text: &str, pieces: &[Piece], is_verbose: bool) -> Option<Self> {
        let Some(Piece::Literal { content: first, .. }) = pieces.first() else { return None };
        let mut found = Self { groups: Vec::new(), leading: (String::new(), first.start), position: None };
        // Characters so far; `None` from the first on that is not written as it is.
        let mut count = Some(0);
        let (mut is_start, mut in_set) = (true, false);
        for piece in pieces {
            let Piece::Literal { content, is_raw, is_formatted } = piece else {
                (count, is_start) = (None, false);
                continue;
            };
            let mut at = content.start;
            while let Some(rest) = text.get(at..content.end).filter(|rest| !rest.is_empty()) {
                let step = Step::read(rest, *is_raw, *is_formatted, is_verbose && !in_set);
                if let (false, Step::Flags(length)) = (in_set, &step) {
                    let letters = rest.get(2..length - 1)?.to_owned();
                    if !is_start {
                        let (before, after) = (text.get(..at)?, text.get(at + length..content.end)?);
                        if is_bound(before, after) {
                            return None;
                        }
                        if found.groups.is_empty() {
                            found.position = count;
                        }
                        found.groups.push((at..at + length, letters));
                    } else if found.leading.0.is_empty() && at == first.start {
                        found.leading = (letters, at + length - 1);
                    }
                } else {
                    is_start &= matches!(step, Step::Blank(_));
                    in_set = match rest.as_bytes().first() {
                        Some(b'[') if matches!(step, Step::Plain(1)) && !in_set => {
                            // A bracket at the beginning of a set is one of its characters.
                            let skipped = set_start(rest);
                            count = count.map(|count: usize| count + skipped);
                            at += skipped;
                            true
                        }
                        Some(b']') if matches!(step, Step::Plain(1)) => false,
                        Some(_) | None => in_set,
                    };
                }
                let length = step.length();
                count = match &step {
                    Step::Escape(_) if !is_raw => None,
                    Step::Unknown(_) => None,
                    Step::Escape(_) | Step::Plain(_) | Step::Blank(_) | Step::Flags(_) => {
                        let characters = rest.get(..length).map_or(0, |step| step.chars().count());
                        count.map(|count| count + characters)
                    }
                };
                at += length;
            }
        }
        (!found.groups.is_empty()).then_some(found)
    }

    fn shown(&self) -> String {
        format!("(?{})", self.groups.iter().map(|(_, letters)| letters.as_str()).collect::<String>())
    }

    fn edits(&self, text: &str) -> Vec<Edit> {
        let (leading, at) = &self.leading;
        let mut letters = String::new();
        for letter in self.groups.iter().flat_map(|(_, letters)| letters.chars()) {
            if !leading.contains(letter) && !letters.contains(letter) {
                letters.push(letter);
            }
        }
        let mut edits: Vec<Edit> = self.groups.iter().map(|(range, _)| Edit::delete(range.clone())).collect();
        if !letters.is_empty() {
            let is_within = !leading.is_empty();
            edits.push(Edit::insert(*at, if is_within { letters } else { format!("(?{letters})") }));
        }
        edits.retain(|edit| text.get(edit.start..edit.end) != Some(edit.replacement.as_str()));
        edits
    }
}

/// Number of bytes of `[`, `[^`, `[]` or `[^]` behind the first.
fn set_start(rest: &str) -> usize {
    let negated = usize::from(rest.get(1..).is_some_and(|rest| rest.starts_with('^')));
    negated + usize::from(rest.get(1 + negated..).is_some_and(|rest| rest.starts_with(']')))
}

/// Returns whether a pattern reads otherwise when what is between these texts is taken out.
fn is_bound(before: &str, after: &str) -> bool {
    let digits = before.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_number =
        digits.len() < before.len() && digits.ends_with('\\') && after.starts_with(|char: char| char.is_ascii_digit());
    is_number || after.starts_with(['?', '*', '+', '{']) || before.ends_with(['{', ','])
}

/// A step through the source of a pattern, with its length in bytes.
enum Step {
    /// A group of flags for the whole pattern: `(?i)`.
    Flags(usize),
    /// Something that a backslash begins.
    Escape(usize),
    /// Blanks or a comment that mean nothing.
    Blank(usize),
    /// A field of a formatted string.
    Unknown(usize),
    /// One character.
    Plain(usize),
}

impl Step {
    const fn length(&self) -> usize {
        match self {
            Self::Flags(length)
            | Self::Escape(length)
            | Self::Blank(length)
            | Self::Unknown(length)
            | Self::Plain(length) => *length,
        }
    }

    fn read(rest: &str, is_raw: bool, is_formatted: bool, is_verbose: bool) -> Self {
        let width = |at: usize| rest.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        if let Some(behind) = rest.strip_prefix('\\') {
            // Without `r`, two backslashes are one of the pattern, which escapes the next character.
            let length = if !is_raw && behind.starts_with('\\') {
                let next = rest.get(2..).unwrap_or_default();
                2 + if next.starts_with("\\\\") { 2 } else { width(2) }
            } else {
                1 + width(1)
            };
            return Self::Escape(length);
        }
        if is_formatted && rest.starts_with("{{") {
            return Self::Unknown(2);
        }
        if is_formatted && rest.starts_with('{') {
            let mut depth = 0_usize;
            for (at, char) in rest.char_indices() {
                match char {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return Self::Unknown(at + 1);
                }
            }
            return Self::Unknown(rest.len());
        }
        if rest.starts_with("(?#") {
            return Self::Blank(rest.find(')').map_or(rest.len(), |end| end + 1));
        }
        if let Some(behind) = rest.strip_prefix("(?") {
            let letters = behind.bytes().take_while(|letter| b"aiLmsux".contains(letter)).count();
            if letters > 0 && behind.as_bytes().get(letters) == Some(&b')') {
                return Self::Flags(letters + 3);
            }
        }
        if is_verbose && rest.starts_with('#') {
            return Self::Blank(rest.find('\n').unwrap_or(rest.len()));
        }
        Self::Plain(width(0))
    }
}

/// Proposes local flags for the alternatives of `'|'.join([...])`, if all alternatives begin with the same: it is all the same then whether
/// they apply to each or to the whole.
fn make_local(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    module: &Module,
    expression: &Expression,
    bits: f64,
) {
    let text = blame.text(file);
    let Shape::Call(number) = expression.shape else { return };
    let Some(call) = module.calls.get(number) else { return };
    let joiner = call.callee.text(text).strip_suffix(".join").unwrap_or_default();
    let joiner = joiner.trim_start_matches(|char: char| char.is_ascii_alphabetic()).trim_matches(['"', '\'']);
    let ("|", [only]) = (joiner, call.arguments.as_slice()) else { return };
    let name = only.value.text(text);
    let assigned = module.assignments().filter(|(target, _)| target.text(text) == name).map(|(_, value)| value);
    for span in std::iter::once(only.value).chain(assigned) {
        let is_it = |other: &&Expression| other.span == span && matches!(other.shape, Shape::Display | Shape::Tuple(_));
        if !module.expressions.iter().any(|other| is_it(&other)) {
            continue;
        }
        if let Some(edits) = local_edits(text, module, span) {
            list.add(bits, "make the flags of each alternative local", file, edits);
        }
    }
}

fn local_edits(text: &str, module: &Module, span: Span) -> Option<Vec<Edit>> {
    let elements = module.expressions.iter().filter(|other| span.contains(other.span) && other.span != span);
    let mut common: Option<String> = None;
    let mut edits = Vec::new();
    for element in elements {
        let pieces = pieces(text, module, element)?;
        let [Piece::Literal { content, is_raw, is_formatted: false }] = pieces.as_slice() else { return None };
        let (content, written) = (content.clone(), text.get(content.clone())?);
        let Step::Flags(length) = Step::read(written, *is_raw, false, false) else { return None };
        let letters = written.get(2..length - 1)?;
        // Other flags cannot be local, or not in all texts; in a verbose pattern a comment would reach to the end.
        let is_local = letters.chars().all(|letter| "ims".contains(letter));
        if !is_local
            || common.as_deref().is_some_and(|common| common != letters)
            || written.get(length..)?.contains("(?#")
        {
            return None;
        }
        common = Some(letters.to_owned());
        edits.push(Edit::replace(content.start + length - 1..content.start + length, ":"));
        edits.push(Edit::insert(content.end, ")"));
    }
    (edits.len() > 2).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    const AT_1: &str = r#"File "/repo/a.py", line 2, in <module>
  File "/usr/lib/python3.11/re/_parser.py", line 841, in _parse
    raise source.error('global flags not at the start '
re.error: global flags not at the start of the expression at position 1"#;

    #[test]
    fn moves_flag_to_start() {
        check_fix(
            &PatternFlags,
            pytest(
                r#"File "/repo/a.py", line 2, in <module>
  File "/usr/lib/python3.11/re/__init__.py", line 227, in compile
    return _compile(pattern, flags)
re.error: global flags not at the start of the expression at position 7"#,
            ),
            r"
 import re
-UNIT = re.compile(r'(\d+)\s(?i)(px|em)')
+UNIT = re.compile(r'(?i)(\d+)\s(px|em)')
",
        );
    }

    #[test]
    fn follows_name_to_pattern() {
        check_fix(
            &PatternFlags,
            pytest(
                r#"File "/repo/a.py", line 4, in find
  File "/repo/lib.py", line 4, in scan
re.PatternError: global flags not at the start of the expression at position 1"#,
            ),
            r"
//- /a.py
 from patterns import WORD
 from lib import scan
 def find(text):
     return scan(WORD, text)
//- /lib.py
 import re
 OTHER = '(?i)a'

 def scan(pattern, text): return re.search(pattern, text)
//- /patterns.py
 HOST = 'ab(?i)c'
-WORD = '^(?i)[a-z]+$'
+WORD = '(?i)^[a-z]+$'
",
        );
    }

    #[test]
    fn joins_flags_at_start() {
        check_fix(
            &PatternFlags,
            pytest(&AT_1.replace("position 1", "position 5")),
            r#"
 import re
-RULE = re.compile(b"(?m)^(?is)rule" b".*(?m)$")
+RULE = re.compile(b"(?mis)^rule" b".*$")
"#,
        );
    }

    #[test]
    fn moves_flag_over_pieces_of_pattern() {
        check_fix(
            &PatternFlags,
            pytest(AT_1),
            r#"
 import re
-RULE = re.compile("^" + f'{re.__name__}' + r'(?i)[(?s)]\(?i)')
+RULE = re.compile("(?i)^" + f'{re.__name__}' + r'[(?s)]\(?i)')
"#,
        );
    }

    #[test]
    fn makes_flags_of_alternatives_local() {
        check_fix(
            &PatternFlags,
            pytest(&AT_1.replace("position 1", "position 8")),
            r"
 import re
-RULE = re.compile('|'.join(['(?i)one', '(?i)two']))
+RULE = re.compile('|'.join(['(?i:one)', '(?i:two)']))
",
        );
    }

    #[test]
    fn leaves_pattern_of_unknown_pieces_alone() {
        check_no_fix(
            &PatternFlags,
            pytest(AT_1),
            r"
 import re
 def rule(head, tail=''): return re.compile(head + '(?i)rule' + tail)
",
        );
    }

    #[test]
    fn leaves_alternatives_with_different_flags_alone() {
        check_no_fix(
            &PatternFlags,
            pytest(&AT_1.replace("position 1", "position 8")),
            r"
 import re
 RULE = re.compile('|'.join(['(?i)one', '(?s)t.o']))
",
        );
    }

    #[test]
    fn leaves_other_patterns_alone() {
        check_no_fix(
            &PatternFlags,
            pytest(AT_1),
            r"
 import re
 RULES = [re.compile(r'[(?i)]a'), re.compile('\\(?i)a'), re.compile('ab(?i)c'), re.compile('(?m)(?i)c')]
",
        );
    }

    #[test]
    fn leaves_patterns_of_tests_alone() {
        check_no_fix(
            &PatternFlags,
            pytest(&AT_1.replace("a.py", "test_a.py")),
            r"
//- /test_a.py protected
 import re
 RULE = re.compile('a(?i)b')
",
        );
    }
}
