//! Text where bytes are wanted, and bytes where text is wanted.

mod called;
mod codecs;
mod compared;
mod literals;
mod mismatch;

use std::collections::BTreeSet;

use super::blame::{Blame, Place};
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Call, Function, Module, Role, Shape, Span, StatementKind};

use called::called;
use codecs::{Codec, NO_TEXT_CODECS, codecs, normal};
use compared::Compared;
use literals::{prefixes, with_prefix};
use mismatch::Mismatch;
pub(super) use mismatch::is_about;

/// Makes bytes of a text, or text of bytes, where an operation or a test wants the other: `.encode()`, `.decode()`, the `b` before a
/// literal, the mode of `open()`.
///
/// A wrong codec passes each test that has only ASCII in it. Therefore a codec is taken from the code: the only one that the file names, or
/// if it names none, the repository. Without any, it is Python's own default, UTF-8, which refuses what is not UTF-8 instead of reading it as
/// something else. If the file names several codecs that write the same text differently, no conversion is proposed. Where an assertion shows
/// both the bytes and the text, the codec has to make the one of the other.
pub(super) struct TextAndBytes;

const NAME: &str = "text_and_bytes";

/// Methods of texts that bytes do not have.
const ONLY_TEXT: [&str; 7] =
    ["format", "format_map", "casefold", "isdecimal", "isidentifier", "isnumeric", "isprintable"];

/// The type that a value is changed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Bytes,
    Text,
}

impl To {
    const fn other(self) -> Self {
        match self {
            Self::Bytes => Self::Text,
            Self::Text => Self::Bytes,
        }
    }

    const fn method(self) -> &'static str {
        match self {
            Self::Bytes => "encode",
            Self::Text => "decode",
        }
    }
}

impl Fixer for TextAndBytes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        match blame.error.as_str() {
            "TypeError" => {
                if let Some(mismatch) = Mismatch::read(&blame.message) {
                    mixed(&mut list, &blame, mismatch);
                }
            }
            "AttributeError" => without_method(&mut list, &blame),
            "AssertionError" => unequal(&mut list, &blame),
            _ => {}
        }
        list.finish(NAME, 16)
    }
}

/// Proposes changes at the places of an operation that met both.
fn mixed(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, mismatch: Mismatch) {
    for (depth, place) in blame.places.iter().take(3).enumerate() {
        let depth = 2.0 * f64::from(u32::try_from(depth).unwrap_or(9));
        let Some(ground) = Ground::new(blame, &place.file) else { continue };
        ground.at_place(list, place, mismatch, depth);
        ground.earlier(list, place, mismatch, depth + 1.5);
        let function = ground.module.function_at(place.span.start);
        ground.modes(list, function, mismatch, depth);
    }
    // The test itself met the value: the program returns it.
    if blame.places.is_empty() {
        for (file, function) in called(blame) {
            let Some(ground) = Ground::new(blame, file) else { continue };
            for (to, bits) in [(To::Text, 1.5), (To::Bytes, 2.0)] {
                ground.returned(list, function, to, None, bits);
            }
        }
    }
}

/// Proposes changes for a method that only the other type has.
fn without_method(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>) {
    let quoted = blame.quoted();
    let [owner @ ("str" | "bytes"), method, ..] = quoted.as_slice() else { return };
    let is_conversion = matches!((*owner, *method), ("str", "decode") | ("bytes", "encode"));
    let is_of_text = *owner == "bytes" && ONLY_TEXT.contains(method);
    if !is_conversion && !is_of_text {
        return;
    }
    for (depth, place) in blame.places.iter().take(2).enumerate() {
        let bits = 0.5 + 2.0 * f64::from(u32::try_from(depth).unwrap_or(9));
        let Some(ground) = Ground::new(blame, &place.file) else { continue };
        let statement = ground.statement(place);
        for expression in ground.module.expressions.iter().filter(|expression| statement.contains(expression.span)) {
            if is_conversion && let Shape::Call(number) = expression.shape {
                ground.unconverted(list, number, method, bits);
            }
            if let (false, Shape::Attribute { value, name }) = (is_conversion, &expression.shape)
                && name.text(ground.text) == *method
            {
                ground.convert(list, *value, To::Text, bits);
            }
        }
    }
}

/// Proposes changes for an assertion that compares bytes with the same as text.
fn unequal(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>) {
    let Some(compared) = Compared::read(&blame.message) else { return };
    let Some(to) = compared.expected(blame) else { return };
    for (file, function) in called(blame) {
        let Some(ground) = Ground::new(blame, file) else { continue };
        ground.returned(list, function, to, Some(compared.codec), 1.0);
    }
}

/// A file in which values are converted.
struct Ground<'a> {
    file: String,
    text: &'a str,
    module: &'a Module,
    /// Arguments for `.encode()` and `.decode()`, the likeliest first; empty if the code does not tell.
    codecs: Vec<String>,
}

impl<'a> Ground<'a> {
    fn new(blame: &Blame<'a>, file: &str) -> Option<Self> {
        let module = blame.module(file)?;
        Some(Self { file: file.to_owned(), text: blame.text(file), module, codecs: codecs(blame, file, module) })
    }

    fn statement(&self, place: &Place) -> Span {
        self.module.statement_at(self.text, place.line).unwrap_or(place.span)
    }

    fn at_place(&self, list: &mut Shortlist<'_, '_>, place: &Place, mismatch: Mismatch, extra: f64) {
        let statement = self.statement(place);
        let is_near = |span: Span| !place.is_exact || place.span.contains(span) || span.contains(place.span);
        for expression in self.module.expressions.iter().filter(|expression| statement.contains(expression.span)) {
            let extra = extra + if is_near(expression.span) { 0.0 } else { 2.0 };
            match &expression.shape {
                Shape::Call(number) => {
                    let Some(call) = self.module.calls.get(*number) else { continue };
                    for argument in call.arguments.iter().filter(|argument| !argument.is_starred) {
                        self.given(list, argument.value, mismatch, extra);
                    }
                    if let Some(receiver) = self.receiver(call).filter(|_| mismatch.is_of_method) {
                        self.other(list, receiver, mismatch, extra);
                    }
                }
                Shape::Binary { left, right } => {
                    // Which side is complained about depends on the operator.
                    let is_left_given = self.text.get(left.end..right.start).is_some_and(|text| text.contains(" in"));
                    let (given, other) = if is_left_given { (*left, *right) } else { (*right, *left) };
                    self.given(list, given, mismatch, extra);
                    self.other(list, other, mismatch, extra);
                }
                Shape::Name
                | Shape::Attribute { .. }
                | Shape::Subscript { .. }
                | Shape::Text
                | Shape::Number
                | Shape::Tuple(_)
                | Shape::Display
                | Shape::Other => {}
            }
        }
    }

    /// The value that a method belongs to, unless it is a module.
    fn receiver(&self, call: &Call) -> Option<Span> {
        let callee = self.module.expressions.iter().find(|expression| expression.span == call.callee)?;
        let Shape::Attribute { value, .. } = callee.shape else { return None };
        let name = value.text(self.text);
        let is_module = self.module.imports.iter().any(|import| {
            import.from.is_none() && import.names.iter().any(|one| one.bound() == name || one.name == name)
        });
        (!is_module && !matches!(name, "self" | "cls")).then_some(value)
    }

    /// The value that the message complains about.
    fn given(&self, list: &mut Shortlist<'_, '_>, value: Span, Mismatch { wanted, .. }: Mismatch, extra: f64) {
        let ((first, cost), (second, other)) =
            wanted.map_or(((To::Text, 2.0), (To::Bytes, 2.5)), |to| ((to, 1.0), (to.other(), 2.5)));
        self.convert(list, value, first, cost + extra);
        self.convert(list, value, second, other + extra);
    }

    /// The value that it does not fit to.
    fn other(&self, list: &mut Shortlist<'_, '_>, value: Span, Mismatch { wanted, .. }: Mismatch, extra: f64) {
        if wanted != Some(To::Text) {
            self.convert(list, value, To::Text, 2.0 + extra);
        }
        if wanted != Some(To::Bytes) {
            self.convert(list, value, To::Bytes, if wanted.is_some() { 2.0 } else { 2.5 } + extra);
        }
    }

    /// Proposes to convert a value: a literal by its prefix, all others by a method.
    fn convert(&self, list: &mut Shortlist<'_, '_>, value: Span, to: To, bits: f64) {
        let Some(expression) = self.module.expressions.iter().find(|expression| expression.span == value) else {
            return;
        };
        let code = value.text(self.text);
        if expression.shape == Shape::Text {
            if let Some(edits) = with_prefix(code, value.start, to) {
                let description = format!("write {code} as {}", if to == To::Bytes { "bytes" } else { "text" });
                list.add(bits, description, &self.file, edits);
                return;
            }
            let is_bytes = prefixes(code).any(|prefix| prefix.contains('b'));
            if is_bytes == (to == To::Bytes) {
                return;
            }
        }
        let is_convertible = match expression.shape {
            Shape::Name
            | Shape::Attribute { .. }
            | Shape::Call(_)
            | Shape::Subscript { .. }
            | Shape::Text
            | Shape::Binary { .. } => true,
            Shape::Other => code.starts_with("await "),
            Shape::Number | Shape::Tuple(_) | Shape::Display => false,
        };
        let converts_already =
            code.rsplit_once('.').is_some_and(|(_, end)| end.starts_with("encode(") || end.starts_with("decode("));
        if !is_convertible || converts_already || matches!(code, "self" | "cls" | "None" | "True" | "False") {
            return;
        }
        let is_open = matches!(expression.shape, Shape::Binary { .. } | Shape::Other);
        for (number, codec) in self.codecs.iter().enumerate() {
            let bits = bits + 0.5 + if number > 0 { 3.0 } else { 0.0 };
            let mut edits =
                vec![Edit::insert(value.end, format!("{}.{}({codec})", if is_open { ")" } else { "" }, to.method()))];
            if is_open {
                edits.push(Edit::insert(value.start, "("));
            }
            list.add(bits, format!("{} '{code}'", to.method()), &self.file, edits);
        }
    }

    /// Proposes changes of assignments, above in the same function, of the names at the failing place.
    fn earlier(&self, list: &mut Shortlist<'_, '_>, place: &Place, mismatch: Mismatch, bits: f64) {
        let statement = self.statement(place);
        let words = self.module.words.iter().filter(|word| statement.contains(word.span) && word.role == Role::Load);
        let names: BTreeSet<&str> = words.map(|word| word.text.as_str()).collect();
        let scope = self.module.scope_at(place.span.start);
        for (target, value) in self.module.assignments() {
            let is_above = target.end <= statement.start && self.module.scope_at(target.start) == scope;
            let name = target.text(self.text);
            if !is_above || !names.contains(name) {
                continue;
            }
            let (first, second) = match mismatch.wanted {
                Some(to) => (to.other(), to),
                None => (To::Text, To::Bytes),
            };
            self.convert(list, value, first, bits + 1.0);
            self.convert(list, value, second, bits + 1.5);
        }
    }

    /// Proposes another mode for the files that a function opens, or the module outside of functions.
    fn modes(&self, list: &mut Shortlist<'_, '_>, function: Option<&Function>, mismatch: Mismatch, extra: f64) {
        let is_here = |call: &&Call| match function {
            Some(function) => function.definition.contains(call.span),
            None => self.module.function_at(call.span.start).is_none(),
        };
        for call in self.module.calls.iter().filter(is_here).filter(|call| call.callee.text(self.text) == "open") {
            let by_name = |name: &str| {
                call.arguments.iter().find(|one| one.keyword.as_ref().is_some_and(|(keyword, _)| keyword == name))
            };
            let positional = call.arguments.get(1).filter(|one| one.keyword.is_none() && !one.is_starred);
            // Files of bytes have no encoding.
            let is_encoded = ["encoding", "errors", "newline"].iter().any(|name| by_name(name).is_some());
            let Some(mode) = by_name("mode").or(positional) else {
                if let ([path], Some(To::Bytes), false) = (call.arguments.as_slice(), mismatch.wanted, is_encoded) {
                    list.edit(
                        1.8 + extra,
                        "open the file for bytes",
                        &self.file,
                        Edit::insert(path.span.end, ", 'rb'"),
                    );
                }
                continue;
            };
            let code = mode.value.text(self.text);
            let letters = code.trim_matches(['"', '\'']);
            if letters == code || letters.is_empty() || !letters.chars().all(|letter| "rwxab+t".contains(letter)) {
                continue;
            }
            let is_read = letters.starts_with('r');
            let (changed, wanted) = if letters.contains('b') {
                (letters.replace('b', ""), To::Text)
            } else {
                (format!("{}b", letters.replace('t', "")), To::Bytes)
            };
            // Bytes read where text is wanted, and text read where bytes are; for a file that is written the reverse.
            let fits = mismatch.wanted.is_none_or(|given| (given == wanted) == is_read);
            if wanted == To::Bytes && is_encoded || !fits {
                continue;
            }
            // Nothing is lost by writing bytes as they are; to write a text to a file of bytes is a choice of a codec.
            let bits = if wanted == To::Bytes { 1.2 } else { 2.2 };
            let edit = Edit::replace(mode.value.range(), code.replace(letters, &changed));
            list.edit(bits + extra, format!("open the file with '{changed}'"), &self.file, edit);
        }
    }

    /// Proposes to convert what a function returns. `codec`: the only one that fits.
    fn returned(&self, list: &mut Shortlist<'_, '_>, function: &Function, to: To, codec: Option<Codec>, bits: f64) {
        let own = Ground {
            file: self.file.clone(),
            text: self.text,
            module: self.module,
            codecs: match codec {
                None => self.codecs.clone(),
                Some(codec) => self.codecs.iter().filter(|named| Codec::of(named).fits(codec)).cloned().collect(),
            },
        };
        let is_own = |span: Span| {
            self.module.function_at(span.start).is_some_and(|around| around.name_span == function.name_span)
        };
        let mut names = BTreeSet::new();
        for statement in self.module.statements.iter().filter(|statement| function.definition.contains(statement.span))
        {
            if let StatementKind::Return { value: Some(value) } = statement.kind
                && is_own(value)
            {
                own.convert(list, value, to, bits);
                names.insert(value.text(self.text));
            }
        }
        for (target, value) in self.module.assignments() {
            if is_own(target) && names.contains(target.text(self.text)) {
                own.convert(list, value, to, bits + 1.0);
            }
        }
    }

    /// Proposes a value itself in place of its conversion by a method that it does not have.
    fn unconverted(&self, list: &mut Shortlist<'_, '_>, number: usize, method: &str, bits: f64) {
        let Some(call) = self.module.calls.get(number).filter(|call| call.name == method) else { return };
        let Some(callee) = self.module.expressions.iter().find(|expression| expression.span == call.callee) else {
            return;
        };
        let Shape::Attribute { value, .. } = callee.shape else { return };
        let codec = call.arguments.first().map(|argument| argument.value.text(self.text));
        let is_text_codec = match codec {
            None => true,
            Some(code) => {
                let name = code.trim_matches(['"', '\'']);
                name != code && !NO_TEXT_CODECS.contains(&normal(name).as_str())
            }
        };
        if is_text_codec {
            let description = format!("use '{}' itself, which needs no {method}()", value.text(self.text));
            list.edit(bits, description, &self.file, Edit::delete(value.end..call.span.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, check_fix_at, check_no_fix, pytest};

    fn failed(line: u32, error: &str) -> crate::fix_example::Report {
        pytest(&format!("File \"/repo/a.py\", line {line}, in f\n{error}"))
    }

    #[test]
    fn writes_literal_as_bytes() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/a.py", line 2, in fields
TypeError: a bytes-like object is required, not 'str'"#,
            ),
            r"
 def fields(data):
-    return data.split(',')
+    return data.split(b',')
",
        );
    }

    #[test]
    fn encodes_what_is_hashed() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/a.py", line 3, in digest
TypeError: Strings must be encoded before hashing"#,
            ),
            r"
 import hashlib
 def digest(text):
-    return hashlib.sha256(text).hexdigest()
+    return hashlib.sha256(text.encode()).hexdigest()
",
        );
    }

    #[test]
    fn decodes_with_codec_of_file() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/a.py", line 4, in title
TypeError: can only concatenate str (not "bytes") to str"#,
            ),
            r"
 def read(path):
     return open(path, encoding='latin-1').read()
 def title(raw):
-    return 'Title: ' + raw
+    return 'Title: ' + raw.decode('latin-1')
",
        );
    }

    #[test]
    fn writes_bytes_to_file_of_bytes() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/a.py", line 3, in save
TypeError: write() argument must be str, not bytes"#,
            ),
            r"
 def save(path, data):
-    with open(path, 'w') as file:
+    with open(path, 'wb') as file:
         file.write(data)
",
        );
    }

    #[test]
    fn decodes_what_tests_compare_with_text() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/test_a.py", line 3, in test_name
AssertionError: assert b'J\xc3\xbcrgen' == 'Jürgen'"#,
            ),
            r"
//- /a.py
 import base64
 def name(code):
-    return base64.b64decode(code)
+    return base64.b64decode(code).decode()
//- /test_a.py protected
 from a import name
 def test_name():
     assert name('SsO8cmdlbg==') == 'Jürgen'
",
        );
    }

    #[test]
    fn drops_conversion_of_text() {
        check_fix(
            &TextAndBytes,
            pytest(
                r#"File "/repo/a.py", line 2, in name
AttributeError: 'str' object has no attribute 'decode'. Did you mean: 'encode'?"#,
            ),
            r"
 def name(row):
-    return row['name'].decode('utf-8').strip()
+    return row['name'].strip()
",
        );
    }

    #[test]
    fn decodes_before_method_of_text() {
        check_fix(
            &TextAndBytes,
            failed(2, "AttributeError: 'bytes' object has no attribute 'format'"),
            r"
 def f(template, name):
-    return template.format(name)
+    return template.decode().format(name)
",
        );
    }

    #[test]
    fn decodes_value_where_it_comes_from() {
        check_fix_at(
            3,
            &TextAndBytes,
            failed(4, "TypeError: a bytes-like object is required, not 'str'"),
            r"
 import subprocess
 def f(command):
-    output = subprocess.check_output(command)
+    output = subprocess.check_output(command).decode()
     return output.split(',')
",
        );
    }

    /// With one codec or the other, ASCII passes: the code does not tell which.
    #[test]
    fn leaves_choice_between_codecs_alone() {
        check_no_fix(
            &TextAndBytes,
            failed(4, "TypeError: can only concatenate str (not \"bytes\") to str"),
            r"
 def old(raw): return raw.decode('cp437')
 def new(raw): return raw.decode('utf-8')
 def f(raw, title):
     return title + raw
",
        );
    }

    #[test]
    fn leaves_codecs_that_make_no_text_alone() {
        check_no_fix(
            &TextAndBytes,
            failed(2, "AttributeError: 'str' object has no attribute 'decode'"),
            r"
 def f(code):
     return code.decode('hex')
",
        );
    }

    #[test]
    fn leaves_different_values_alone() {
        check_no_fix(
            &TextAndBytes,
            pytest("File \"/repo/test_a.py\", line 3, in test_f\nAssertionError: assert b'one' == 'two'"),
            r"
//- /a.py
 def f(code):
     return code
//- /test_a.py protected
 from a import f
 def test_f():
     assert f(b'one') == 'two'
",
        );
    }

    #[test]
    fn leaves_other_errors_alone() {
        check_no_fix(
            &TextAndBytes,
            failed(2, "TypeError: can only concatenate str (not \"int\") to str"),
            r"
 def f(code):
     return 'a' + code
",
        );
    }
}
