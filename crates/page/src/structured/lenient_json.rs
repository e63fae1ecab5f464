//! JSON as pages write it: in comments, with line breaks in strings, commas before brackets, or cut off.

use serde_json::Value;

/// The values that the text holds: usually one; none when nothing can be made of it.
pub(super) fn parse(text: &str) -> Vec<Value> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    // The bracket of `<![CDATA[` opens nothing.
    let repaired = repair(&text.replace("<![CDATA[", " ").replace("]]>", " "));
    let stream = serde_json::Deserializer::from_str(&repaired).into_iter::<Value>();
    stream.map_while(Result::ok).collect()
}

/// Bracket that is open while the text is read.
enum Open {
    Object,
    Array,
}

/// The text with the common faults mended: wrappers and comments dropped, control characters in strings escaped, wrong escapes
/// taken literally, commas before brackets dropped, and what is open at the end closed.
fn repair(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 8);
    let mut open: Vec<Open> = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => string(&mut characters, &mut result),
            '/' if characters.peek() == Some(&'*') => {
                let mut before = ' ';
                for inner in characters.by_ref() {
                    if before == '*' && inner == '/' {
                        break;
                    }
                    before = inner;
                }
            }
            '{' | '[' => {
                open.push(if character == '{' { Open::Object } else { Open::Array });
                result.push(character);
            }
            '}' | ']' => {
                drop_comma(&mut result);
                open.pop();
                result.push(character);
            }
            // Outside of any bracket stand only wrappers: `<!--`, `//<![CDATA[`, `;`.
            _ if open.is_empty() => {}
            _ => result.push(character),
        }
    }
    while let Some(bracket) = open.pop() {
        drop_comma(&mut result);
        if result.trim_end().ends_with(':') {
            result.push_str("null");
        }
        result.push(match bracket {
            Open::Object => '}',
            Open::Array => ']',
        });
    }
    result
}

fn drop_comma(result: &mut String) {
    let kept = result.trim_end();
    if kept.ends_with(',') {
        let length = kept.len() - 1;
        result.truncate(length);
    }
}

/// Copies a string up to its closing quote, or closes it where the text ends.
fn string(characters: &mut impl Iterator<Item = char>, result: &mut String) {
    result.push('"');
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                result.push('"');
                return;
            }
            '\\' => match characters.next() {
                Some(escaped @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => {
                    result.push('\\');
                    result.push(escaped);
                }
                Some(other) => result.push(other),
                None => break,
            },
            control if control.is_control() => result.push(' '),
            other => result.push(other),
        }
    }
    result.push('"');
}
