//! Whether a text is nested too deeply to be read: parsing and walking need stack in proportion to it, and a stack that overflows
//! ends the whole process.

use super::tokens::{Kind, Token, fields, scan};

/// How deep brackets may be nested, templates' fields included.
const MAX_BRACKETS: usize = 160;
/// How many tokens a statement may have, what is in its brackets left out, without a comma.
const MAX_CHAIN: usize = 1000;
/// How many `else` may follow each other.
const MAX_ELSE: usize = 200;
/// How many tags may be open.
const MAX_TAGS: usize = 800;

/// Words that go on with what stands before a closing brace.
const CONTINUING: [&str; 9] = ["as", "catch", "else", "extends", "finally", "in", "instanceof", "of", "while"];

/// Whether the nesting exceeds what is safe to parse; `has_tags`: the text may be JSX.
pub(crate) fn too_deep(text: &str, has_tags: bool) -> bool {
    exceeds(text, has_tags, 0)
}

fn exceeds(text: &str, has_tags: bool, outside: usize) -> bool {
    if outside > MAX_BRACKETS {
        return true;
    }
    let is_visible = |token: &Token| !matches!(token.kind, Kind::Comment | Kind::Newline);
    let tokens: Vec<Token> = scan(text).into_iter().filter(is_visible).collect();
    // The tokens of the statement so far, for each open bracket.
    let mut chains = vec![0_usize];
    let (mut elses, mut tags) = (0_usize, 0_usize);
    for (index, token) in tokens.iter().enumerate() {
        let word = token.text(text);
        let next = tokens.get(index + 1);
        let next_word = next.map_or("", |next| next.text(text));
        let ends_statement = match token.kind {
            Kind::Close if word == "}" => next.is_some_and(|next| {
                matches!(next.kind, Kind::Name | Kind::Keyword) && !CONTINUING.contains(&next_word)
            }),
            Kind::Operator => word == ";" && next_word != "else",
            Kind::Close
            | Kind::Open
            | Kind::Name
            | Kind::Keyword
            | Kind::Number
            | Kind::String
            | Kind::Comment
            | Kind::Newline
            | Kind::Unknown => false,
        };
        match token.kind {
            Kind::Open => chains.push(0),
            Kind::Close if chains.len() > 1 => {
                chains.pop();
            }
            Kind::String if word.starts_with('`') => {
                let depth = outside + chains.len();
                if fields(word).into_iter().any(|field| exceeds(field, has_tags, depth)) {
                    return true;
                }
            }
            Kind::Keyword if word == "else" => elses += 1,
            Kind::Operator if has_tags && word == "<" => {
                let touches = next.is_some_and(|next| next.start == token.end);
                match next_word {
                    "/" => tags = tags.saturating_sub(1),
                    _ if touches => tags += 1,
                    _ => {}
                }
            }
            Kind::Operator if has_tags && word == "/" && next_word == ">" => tags = tags.saturating_sub(1),
            Kind::Close
            | Kind::Name
            | Kind::Keyword
            | Kind::Number
            | Kind::String
            | Kind::Operator
            | Kind::Comment
            | Kind::Newline
            | Kind::Unknown => {}
        }
        let depth = chains.len();
        let Some(chain) = chains.last_mut() else { return true };
        *chain = if ends_statement || word == "," { 0 } else { *chain + 1 };
        if ends_statement && depth == 1 {
            elses = 0;
        }
        if outside + depth > MAX_BRACKETS || *chain > MAX_CHAIN || elses > MAX_ELSE || tags > MAX_TAGS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::javascript::parse::compiles;

    #[test]
    fn what_is_long_is_not_deep() {
        let text = "if (a) { b.c(d, [e, { f: `${g}` }]); } else if (h) { i = (j) => k; }\n".repeat(2_000);
        assert!(!too_deep(&text, true));
        assert!(!too_deep(&format!("x = [{}];", "'a',".repeat(20_000)), true));
    }

    #[test]
    fn no_text_overflows_a_small_stack() {
        let pieces = [
            "(",
            "[",
            "{a:",
            "!",
            "a=>",
            "if(a)",
            "if(a){}else ",
            "if(a);else ",
            "`${",
            "a?b:",
            "a?[b,c]:",
            "new ",
            "a+",
            "{}+",
            "({})instanceof ",
            "a.b().",
            "<a>",
            "<a>{}b;",
            "async a=>",
            "- ",
            "typeof ",
            "a=",
            "a**",
            "f`${",
            "x:",
            "for(;;)",
            "do ",
            "()=>{",
            "class a extends ",
            "await ",
            "a??",
            "function a(){",
            "import(",
            "a<b<",
            "while(a)",
            "with(a)",
            "for(a of b)",
            "switch(a){case b:",
            "try{",
            "[...",
            "x=[",
            "var {a=",
            "yield ",
            "a as ",
            "a!",
            "@a ",
            "let a:(",
            "let a:()=>",
            "type a=b extends c?d:",
            "type a=b<",
            "keyof ",
            "a?.",
            "{}\na=",
        ];
        for piece in pieces {
            for count in [150, 790, 6_000] {
                let text = piece.repeat(count);
                for file in ["a.js", "a.jsx", "a.tsx", "a.ts"] {
                    std::thread::scope(|scope| {
                        let small = std::thread::Builder::new().stack_size(2 << 20);
                        small.spawn_scoped(scope, || compiles(file, &text)).unwrap().join().unwrap();
                    });
                }
            }
        }
    }
}
