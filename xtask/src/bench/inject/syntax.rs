//! Text that no longer parses.

use std::ops::Range;

use super::source::{Edit, Token, range};
use super::{Kind, Places};

const OPENING: [&str; 3] = ["(", "[", "{"];
const CLOSING: [&str; 3] = [")", "]", "}"];
const KEYWORDS: [&str; 24] = [
    "as", "const", "else", "enum", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "mut", "pub",
    "return", "static", "struct", "trait", "type", "unsafe", "use", "where", "while",
];

/// Statements of more lines than this are in no conflict here.
const CONFLICT_LINES: usize = 8;

pub(super) const KINDS: &[Kind] = &[
    syntax("delete_bracket", |source, _| deleted(source.words(|_, word, _| is_bracket(word)))),
    syntax("other_bracket", |source, random| {
        let brackets = source.words(|_, word, _| CLOSING.contains(&word));
        let other = |range: Range<usize>| {
            let others: Vec<&str> = CLOSING.into_iter().filter(|other| *other != &source.text[range.clone()]).collect();
            Edit::new(range, random.choice(&others))
        };
        brackets.into_iter().map(other).collect()
    }),
    syntax("double_bracket", |source, _| {
        let brackets = source.words(|_, word, _| CLOSING.contains(&word) || word == "(");
        brackets.into_iter().map(|range| Edit::insert(range.end, &source.text[range])).collect()
    }),
    syntax("delete_semicolon", |source, _| deleted(source.words(|_, word, _| word == ";"))),
    syntax("delete_comma", |source, _| {
        deleted(source.words(|_, word, after| word == "," && !CLOSING.contains(&after)))
    }),
    syntax("semicolon_for_comma", |source, _| replaced(source.words(|_, word, _| word == ","), ";")),
    syntax("comma_for_semicolon", |source, _| replaced(source.words(|_, word, _| word == ";"), ",")),
    syntax("delete_colon", |source, _| deleted(source.words(|_, word, _| word == ":"))),
    syntax("one_colon_of_two", |source, _| replaced(source.words(|_, word, _| word == "::"), ":")),
    syntax("delete_quote", |source, random| {
        let strings = source.words(|_, word, _| word.starts_with('"') && word.len() > 2);
        let lost = |range: Range<usize>| {
            Edit::delete(random.choice(&[range.start..range.start + 1, range.end - 1..range.end]))
        };
        strings.into_iter().map(lost).collect()
    }),
    syntax("typo_in_keyword", |source, random| {
        let words = source.words(|_, word, _| KEYWORDS.contains(&word));
        words.into_iter().map(|range| Edit::new(range.clone(), random.typo(&source.text[range]))).collect()
    }),
    syntax("lost_arrow", |source, random| {
        let arrows = source.words(|_, word, _| word == "=>");
        arrows.into_iter().map(|range| Edit::new(range, random.choice(&["", "=", "->", "= >", ":"]))).collect()
    }),
    syntax("other_arrow", |source, random| {
        let arrows = source.words(|_, word, _| word == "->");
        arrows.into_iter().map(|range| Edit::new(range, random.choice(&["", "=>", ":", "- >", "-"]))).collect()
    }),
    syntax("else_if_of_elsewhere", |source, random| {
        let places =
            source.tokens.windows(2).filter(|pair| source.word(&pair[0]) == "else" && source.word(&pair[1]) == "if");
        let edit = |pair: &[Token]| {
            Edit::new(pair[0].range.start..pair[1].range.end, random.choice(&["elif", "elseif", "elsif", "else fi"]))
        };
        places.map(edit).collect()
    }),
    syntax("lost_let", |source, _| {
        let words = source.words(|before, word, _| word == "let" && [";", "{", "}"].contains(&before));
        words.into_iter().map(|range| Edit::delete(range.start..range.end + 1)).collect()
    }),
    syntax("conflict_markers", |source, random| {
        let mut edits = Vec::new();
        for statement in source.blocks().into_iter().flat_map(|block| &block.stmts) {
            let Some(lines) = source.lines(range(statement)) else { continue };
            let ours = &source.text[lines.clone()];
            if ours.lines().count() <= CONFLICT_LINES {
                let theirs =
                    if random.below(2) == 0 { String::new() } else { format!("{} // changed\n", ours.trim_end()) };
                let mut sides = [ours, &theirs];
                random.shuffle(&mut sides);
                let text = format!("<<<<<<< HEAD\n{}=======\n{}>>>>>>> feature\n", sides[0], sides[1]);
                edits.push(Edit::new(lines, text));
            }
        }
        edits
    }),
    syntax("delete_token", |source, _| deleted(source.words(|_, _, _| true))),
    syntax("insert_token", |source, random| {
        let words = source.tokens.iter().map(|token| source.word(token));
        let short: Vec<&str> = words.filter(|word| word.len() < 12 && !is_bracket(word)).collect();
        source
            .tokens
            .iter()
            .map(|token| Edit::insert(token.range.start, format!("{} ", random.choice(&short))))
            .collect()
    }),
    syntax("swap_tokens", |source, _| {
        let swapped = |pair: &[Token]| {
            let (left, right) = (&pair[0].range, &pair[1].range);
            let between = &source.text[left.end..right.start];
            let new = format!("{}{between}{}", &source.text[right.clone()], &source.text[left.clone()]);
            (!between.contains('\n')).then(|| Edit::new(left.start..right.end, new))
        };
        source.tokens.windows(2).filter_map(swapped).collect()
    }),
    syntax("slip_of_a_key", |source, random| {
        let marks = source
            .words(|_, word, _| !word.starts_with(|first: char| first.is_alphanumeric() || "_\"'".contains(first)));
        let slip = |range: Range<usize>| {
            let word = &source.text[range.clone()];
            let mut others: Vec<String> = "';/=[]\\.,".chars().map(String::from).collect();
            others.push(word.repeat(2));
            Edit::new(range, random.choice(&others))
        };
        marks.into_iter().map(slip).collect()
    }),
];

const fn syntax(name: &'static str, places: Places) -> Kind {
    Kind::new("SYNTAX", name, places)
}

fn is_bracket(word: &str) -> bool {
    OPENING.contains(&word) || CLOSING.contains(&word)
}

fn deleted(ranges: Vec<Range<usize>>) -> Vec<Edit> {
    replaced(ranges, "")
}

fn replaced(ranges: Vec<Range<usize>>, new: &str) -> Vec<Edit> {
    ranges.into_iter().map(|range| Edit::new(range, new)).collect()
}
