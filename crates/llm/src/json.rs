//! Extraction of JSON from a model's answer. Syntax errors are repaired, but no data is made up: a truncated part is dropped,
//! not completed.

use std::borrow::Cow;

use serde_json::Value;

/// Maximum nesting depth that is parsed.
const DEEPEST: usize = 64;

/// Returns the JSON object or array in a text, if there is one: after reasoning, in a code fence or between other words, with
/// trailing commas, single quotes, comments, or a truncated end. A text that is JSON as a whole is parsed unchanged: fences
/// and reasoning tags within its strings are data.
pub fn find_json(text: &str) -> Option<Value> {
    let whole = |text: &str| {
        let begun = text.trim_start();
        begun.starts_with(['{', '[']).then(|| value_at(begun)).flatten()
    };
    let said = without_thoughts(text);
    whole(text).or_else(|| whole(after_thoughts(text))).or_else(|| found_in(&said))
}

/// Returns the text after the thoughts with which it begins; empty if it begins with none.
fn after_thoughts(text: &str) -> &str {
    let begun = text.trim_start();
    let tag =
        |name: &str| begun.strip_prefix(&format!("<{name}>")).and_then(|rest| rest.split_once(&format!("</{name}>")));
    tag("think").or_else(|| tag("thinking")).map_or("", |(_, said)| said)
}

/// The value in a text that has more in it than the value.
fn found_in(said: &str) -> Option<Value> {
    fenced(said).chain([said]).find_map(first_value)
}

/// Returns the text without `<think>...</think>`. A thought without an end includes the rest, and one without a beginning the text
/// before it.
fn without_thoughts(text: &str) -> Cow<'_, str> {
    const OPEN: [&str; 2] = ["<think>", "<thinking>"];
    const CLOSE: [&str; 2] = ["</think>", "</thinking>"];
    let mut said = String::new();
    // The start of the spoken text; `None` within a thought.
    let mut from = Some(0);
    for (place, _) in text.match_indices('<') {
        let tag = |tags: [&'static str; 2]| tags.into_iter().find(|tag| text[place..].starts_with(tag));
        if let Some(close) = tag(CLOSE) {
            if from.is_some() {
                // Some servers leave out the beginning.
                said.clear();
            }
            from = Some(place + close.len());
        } else if let (Some(_), Some(start)) = (tag(OPEN), from) {
            said.push_str(&text[start..place]);
            from = None;
        }
    }
    match from {
        Some(0) => Cow::Borrowed(text),
        Some(start) => Cow::Owned(said + &text[start..]),
        None => Cow::Owned(said),
    }
}

/// Returns the contents of code fences, those marked `json` first.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    let mut blocks: Vec<(bool, &str)> = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("```") {
        let (first_line, _) = after.split_once('\n').unwrap_or((after, ""));
        let is_json = first_line.trim().to_ascii_lowercase().starts_with("json");
        let content =
            if is_json { after.trim_start().get(4..).unwrap_or("").trim_start_matches(['5', 'c']) } else { after };
        let (block, tail) = content.split_once("```").unwrap_or((content, ""));
        blocks.push((!is_json, block));
        rest = tail;
    }
    blocks.sort_by_key(|(is_other, _)| *is_other);
    blocks.into_iter().map(|(_, block)| block)
}

/// The first object or array that can be read.
fn first_value(text: &str) -> Option<Value> {
    let starts = text.char_indices().filter(|(_, char)| matches!(char, '{' | '['));
    // The text before it may contain brackets, too.
    starts.take(20).find_map(|(start, _)| value_at(&text[start..]))
}

fn value_at(text: &str) -> Option<Value> {
    let scan = Scan::of(text)?;
    let candidate = &text[..scan.end];
    if scan.open.is_empty() {
        return parsed(candidate).filter(is_meant);
    }
    // Cut off: back to the last place at which everything before is whole.
    let (end, open) = scan.whole?;
    let closers: String = open.iter().rev().map(|bracket| if *bracket == '{' { '}' } else { ']' }).collect();
    parsed(&format!("{}{closers}", &text[..end])).filter(is_meant)
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| json5::from_str(text).ok())
}

/// Returns false for brackets in prose, such as `[1]` or `{}`, which are not an answer.
fn is_meant(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

/// Extent of a value in a text.
struct Scan {
    /// Position at which the value ends, or the text does.
    end: usize,
    /// The brackets that are still open there.
    open: Vec<char>,
    /// The last place at which a whole entry ends, with the brackets that are open there.
    whole: Option<(usize, Vec<char>)>,
}

impl Scan {
    fn of(text: &str) -> Option<Self> {
        let mut scan = Self { end: text.len(), open: Vec::new(), whole: None };
        let mut quote: Option<char> = None;
        let mut escaped = false;
        let mut previous = ' ';
        for (place, char) in text.char_indices() {
            if let Some(closing) = quote {
                match char {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    _ if char == closing => quote = None,
                    _ => {}
                }
                previous = char;
                continue;
            }
            match char {
                // An apostrophe within a word quotes nothing.
                '"' => quote = Some('"'),
                '\'' if !previous.is_alphanumeric() => quote = Some('\''),
                '{' | '[' => {
                    scan.open.push(char);
                    if scan.open.len() > DEEPEST {
                        return None;
                    }
                    scan.whole = Some((place + 1, scan.open.clone()));
                }
                '}' | ']' => {
                    let opening = if char == '}' { '{' } else { '[' };
                    if scan.open.pop() != Some(opening) {
                        return None;
                    }
                    if scan.open.is_empty() {
                        scan.end = place + char.len_utf8();
                        return Some(scan);
                    }
                    scan.whole = Some((place + 1, scan.open.clone()));
                }
                ',' => scan.whole = Some((place, scan.open.clone())),
                _ => {}
            }
            if !char.is_whitespace() {
                previous = char;
            }
        }
        Some(scan)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_stands_in_the_texts_of_an_answer_is_not_the_answer() {
        let inner = "```json\n{\"edits\": [{\"file\": \"other.py\"}]}\n```";
        for quoted in [inner, "<think>no</think> {\"a\": 1}", "</think>{\"a\": 1}"] {
            let answer = serde_json::json!({ "edits": [{ "search": quoted }] });
            assert_eq!(find_json(&answer.to_string()), Some(answer.clone()), "{quoted}");
            assert_eq!(find_json(&format!("<think>hm</think>\n{answer}")), Some(answer), "{quoted}");
        }
    }

    #[test]
    fn the_answer_is_found_in_whatever_stands_around_it() {
        let wanted = json!({ "title": "A {chair}", "price": 12 });
        for text in [
            r#"{"title": "A {chair}", "price": 12}"#,
            "<think>maybe {\"title\": \"no\"}?</think>{\"title\": \"A {chair}\", \"price\": 12}",
            "the model thought</think> {\"title\": \"A {chair}\", \"price\": 12}",
            "Here you are [1]:\n```json\n{\"title\": \"A {chair}\", \"price\": 12}\n```\nAnything else?",
            "```\n{'title': 'A {chair}', 'price': 12,}\n```",
            "Sure! {title: \"A {chair}\", /* that is all */ price: 12} I hope it's right.",
        ] {
            assert_eq!(find_json(text).as_ref(), Some(&wanted), "{text}");
        }
    }

    #[test]
    fn what_was_cut_off_is_left_out_and_never_completed() {
        assert_eq!(find_json(r#"{"a": 1, "b": [1, 2], "c": "hal"#), Some(json!({ "a": 1, "b": [1, 2] })));
        assert_eq!(
            find_json(r#"{"items": [{"a": 1}, {"a": 2, "b": "#),
            Some(json!({ "items": [{ "a": 1 }, { "a": 2 }] }))
        );
        assert_eq!(find_json(r#"{"a": 12"#), None, "12 may be the beginning of 123");
    }

    #[test]
    fn words_are_no_answer() {
        for text in ["", "I cannot do that.", "see [1] and {}", "{", "```json\n```", "]}", "{]"] {
            assert_eq!(find_json(text), None, "{text:?}");
        }
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from)
        ];
        let inner = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        prop::collection::btree_map("[a-z]{1,6}", inner, 1..4).prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    /// Returns whether `whole` contains everything in `part`, at the same position.
    fn is_part(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, value)| whole.get(key).is_some_and(|other| is_part(value, other)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_part(part, whole))
            }
            _ => part == whole,
        }
    }

    proptest! {
        #[test]
        fn any_document_is_found_and_any_beginning_of_it_says_nothing_new(document in document(), cut in any::<prop::sample::Index>()) {
            let text = document.to_string();
            prop_assert_eq!(find_json(&text), Some(document.clone()));
            let mut end = cut.index(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            if let Some(found) = find_json(&text[..end]) {
                prop_assert!(is_part(&found, &document) || contains(&document, &found), "{found} of {document}");
            }
        }

        #[test]
        fn no_text_is_too_strange(text in ".{0,300}") {
            let _ = find_json(&text);
        }
    }

    fn contains(whole: &Value, part: &Value) -> bool {
        is_part(part, whole)
            || match whole {
                Value::Object(object) => object.values().any(|value| contains(value, part)),
                Value::Array(items) => items.iter().any(|value| contains(value, part)),
                _ => false,
            }
    }
}
