//! Which names on a page will still be there tomorrow: class names and ids made by a build step, of one article, or of a
//! passing state are of no use to a selector.

/// Prefixes that style tools give to the hashes they make.
const TOOL_PREFIXES: &[&str] = &[
    "css-",
    "sc-",
    "jsx-",
    "jss",
    "svelte-",
    "emotion-",
    "styled-",
    "ng-tns-",
    "_ngcontent",
    "ember",
    "astro-",
    "data-v-",
    "mui-",
    "tss-",
];

/// Names of states, which come and go with what the visitor does or where an element happens to stand.
const STATES: &[&str] = &[
    "active",
    "open",
    "opened",
    "closed",
    "selected",
    "current",
    "hover",
    "focus",
    "visible",
    "hidden",
    "show",
    "hide",
    "shown",
    "loaded",
    "loading",
    "lazy",
    "lazyload",
    "lazyloaded",
    "disabled",
    "enabled",
    "expanded",
    "collapsed",
    "first",
    "last",
    "odd",
    "even",
    "is-active",
    "is-open",
    "is-selected",
    "is-visible",
    "is-hidden",
    "is-loaded",
    "has-js",
    "no-js",
    "js",
];

/// Names of layout, which say how something looks and not what it is.
const LAYOUT: &[&str] = &[
    "row",
    "col",
    "cols",
    "column",
    "columns",
    "container",
    "container-fluid",
    "wrap",
    "wrapper",
    "inner",
    "outer",
    "clearfix",
    "flex",
    "grid",
    "block",
    "inline",
    "left",
    "right",
    "center",
    "top",
    "bottom",
    "bold",
    "italic",
    "small",
    "large",
    "big",
    "full",
    "relative",
    "absolute",
    "fixed",
    "sticky",
    "uppercase",
    "lowercase",
    "truncate",
    "group",
    "box",
];

/// Whether a name was made by a machine for this build, this article or this moment.
pub fn is_volatile(name: &str) -> bool {
    name.is_empty()
        || name.chars().count() > 48
        || TOOL_PREFIXES.iter().any(|prefix| name.starts_with(prefix) && name.len() > prefix.len())
        || STATES.contains(&name)
        || name.split(['-', '_', ':', '.']).filter(|segment| !segment.is_empty()).any(is_made_up)
}

/// Whether a name says how something looks: it may stay, and it may be anywhere.
pub fn is_layout(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    LAYOUT.contains(&lower.as_str())
        || name.contains([':', '/', '[', '!', '@'])
        || name
            .split(['-', '_'])
            .next_back()
            .is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a part of a name is a number or a hash.
fn is_made_up(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let letters = segment.chars().filter(|character| character.is_alphabetic()).count();
    if digits >= 3 {
        return true;
    }
    if digits > 0 && letters > 0 {
        let kinds: Vec<bool> = segment.bytes().map(|byte| byte.is_ascii_digit()).collect();
        let switches = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
        return segment.len() >= 4 && switches >= 2 || segment.len() >= 5 && kinds.first() == Some(&true);
    }
    letters >= 5 && segment.is_ascii() && is_scrambled(segment)
}

/// Letters that no person would put in such a row: `gdDZBe`, `csIspw`.
fn is_scrambled(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let has_lower = letters.iter().any(char::is_ascii_lowercase);
    let uppers_inside = letters.iter().skip(1).filter(|letter| letter.is_ascii_uppercase()).count();
    let is_mixed = has_lower && uppers_inside > 0;
    let vowels = letters.iter().filter(|letter| "aeiouyAEIOUY".contains(**letter)).count();
    let lone_capitals =
        letters.windows(2).filter(|pair| pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase()).count();
    let few_vowels = vowels * 5 < letters.len();
    let is_acronym_at_end =
        word.trim_end_matches(|letter: char| letter.is_ascii_uppercase()).len() + uppers_inside == word.len();
    is_mixed && letters.len() <= 10 && (few_vowels || (lone_capitals > 0 && uppers_inside >= 3 && !is_acronym_at_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_machines_made() {
        for name in [
            "css-1x2y3z",
            "sc-bdVaJa",
            "jsx-2871293",
            "post-12345",
            "gdDZBe",
            "csIspw",
            "Header_title__3xYz1",
            "a1b2c3",
            "svelte-xyz",
            "active",
            "ember42",
            "id-9f86d081",
            "2024-10-15",
            "",
        ] {
            assert!(is_volatile(name), "{name}");
        }
    }

    #[test]
    fn names_that_people_gave() {
        for name in [
            "headline",
            "article-body",
            "entry-title",
            "productPrice",
            "h1",
            "price_now",
            "BreadcrumbList",
            "col-6",
            "mb-4",
            "c-card__title",
            "articleHTML",
            "video-js",
            "wprm-recipe-ingredient",
            "ArticleHeader-headline",
            "storyURL",
            "h2-title",
        ] {
            assert!(!is_volatile(name), "{name}");
        }
    }

    #[test]
    fn names_of_layout() {
        for name in ["col-6", "row", "md:flex", "w-1/2", "mt-4"] {
            assert!(is_layout(name), "{name}");
        }
        for name in ["headline", "price", "recipe-title"] {
            assert!(!is_layout(name), "{name}");
        }
    }
}
