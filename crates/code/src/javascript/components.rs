//! Vue and Svelte components: files of which only the scripts are program.
//!
//! The other parts are read as blanks of the same length, so that every byte keeps its position. They are never
//! edited, and the names that they use stay bound.

use std::borrow::Cow;
use std::ops::Range;

/// A block at the top of a component that holds program.
struct Script {
    body: Range<usize>,
    attributes: String,
}

/// Returns whether a file of that name is a component.
pub(crate) fn is_component(file: &str) -> bool {
    [".vue", ".svelte"].iter().any(|extension| file.ends_with(extension))
}

/// The scripts of a component: blocks that begin at the start of a line, as those of its markup do not.
fn scripts(text: &str) -> Vec<Script> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("<script")).map(|start| at + start) {
        at = start + "<script".len();
        let is_top = start == 0 || text.get(..start).is_some_and(|before| before.ends_with('\n'));
        let is_word = text.get(at..).is_some_and(|rest| rest.starts_with([' ', '>', '\n', '\t', '\r']));
        let Some(open) = text.get(at..).and_then(|rest| rest.find('>')).map(|end| at + end + 1) else { break };
        let Some(close) = text.get(open..).and_then(|rest| rest.find("</script")).map(|end| open + end) else { break };
        if is_top && is_word {
            found.push(Script { body: open..close, attributes: text.get(at..open).unwrap_or_default().to_owned() });
            at = close;
        }
    }
    found
}

/// Returns the program in a text: in a component, everything outside its scripts is blank; other texts are unchanged.
pub(crate) fn program(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('<') || !text.contains("</script") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(blanked(text))
}

/// The text of a component with blanks in the place of everything but its scripts.
pub(crate) fn blanked(text: &str) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut at = 0;
    for script in scripts(text) {
        blank.extend(blanks(text.get(at..script.body.start).unwrap_or_default()));
        blank.push_str(text.get(script.body.clone()).unwrap_or_default());
        at = script.body.end;
    }
    blank.extend(blanks(text.get(at..).unwrap_or_default()));
    blank
}

fn blanks(text: &str) -> impl Iterator<Item = char> {
    text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' })
}

/// The extension that the scripts of a component would have in a file of their own.
pub(crate) fn extension(text: &str) -> &'static str {
    let says = |language: &str| {
        let quoted = ['"', '\''].map(|mark| format!("lang={mark}{language}{mark}"));
        scripts(text).iter().any(|script| quoted.iter().any(|word| script.attributes.contains(word)))
    };
    match (says("tsx"), says("ts") || says("typescript"), says("jsx")) {
        (true, _, _) => "tsx",
        (false, true, _) => "ts",
        (false, false, true) => "jsx",
        (false, false, false) => "mjs",
    }
}

/// Returns the text of a component without the bodies of its scripts, in order.
pub(super) fn markup(text: &str) -> String {
    let mut markup = String::new();
    let mut at = 0;
    for script in scripts(text) {
        markup.push_str(text.get(at..script.body.start).unwrap_or_default());
        at = script.body.end;
    }
    markup.push_str(text.get(at..).unwrap_or_default());
    markup
}

/// The places in a part of a component, outside its scripts, that hold a word.
pub(crate) fn uses_in_markup(text: &str, part: Range<usize>, word: &str) -> Vec<usize> {
    let is_word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$');
    let scripts = scripts(text);
    let found = text.get(part.clone()).unwrap_or_default().match_indices(word).map(|(at, _)| part.start + at);
    let is_use = |at: &usize| {
        let is_alone = !text.get(..*at).is_some_and(|before| before.ends_with(is_word))
            && !text.get(at + word.len()..).is_some_and(|after| after.starts_with(is_word));
        is_alone && !scripts.iter().any(|script| script.body.contains(at))
    };
    if word.is_empty() { Vec::new() } else { found.filter(is_use).collect() }
}

/// Returns whether two texts of a component differ only in their scripts, white space aside.
pub(crate) fn has_same_markup(before: &str, after: &str) -> bool {
    let bare = |text: &str| markup(text).split_whitespace().collect::<String>();
    bare(before) == bare(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Edit, FileEdit};
    use crate::javascript::parse;
    use crate::{Sources, languages};

    const VUE: &str = "<!-- à -->\n<script setup lang=\"ts\">\nimport { ref } from 'vue'\nimport OrderList from './OrderList.vue'\n\
                       const count = ref<number>(0)\nconst more = () => count.value + 1\n</script>\n\n<template>\n  <order-list :n=\"count\" />\n\
                       <p v-if=\"a < b\">{{ count }}</p>\n</template>\n\n<style>\np { color: red }\n</style>\n";

    const SVELTE: &str = "<script>\n  let { name } = $props()\n  const greeting = $derived(`Hello ${name}`)\n</script>\n\n{#if name}\n  <h1>{greeting}</h1>\n{/if}\n";

    #[test]
    fn scripts_are_read_where_they_stand() {
        for (file, text) in [("a.vue", VUE), ("a.svelte", SVELTE)] {
            assert_eq!(languages::check(file, text), Ok(()), "{file}");
            assert_eq!(blanked(text).len(), text.len());
        }
        let broken = VUE.replace("count.value + 1", "count.value + ");
        assert!(!parse::compiles("a.vue", &broken));
        assert_eq!(languages::check("a.vue", "<template>\n  <p>\n</template>\n"), Ok(()));
    }

    #[test]
    fn markup_and_the_names_that_it_uses_are_kept() {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.vue", VUE, false);
        let permits = |search: &str, replace: &str| {
            let start = VUE.find(search).unwrap();
            let edit = FileEdit::single("a.vue", Edit::replace(start..start + search.len(), replace));
            sources.permits(&edit, &edit.apply(VUE).unwrap())
        };
        assert!(permits("count.value + 1", "count.value + 2"));
        assert!(permits("const more =", "const other ="));
        assert!(!permits("const count =", "const total ="), "the template uses it");
        assert!(!permits("import OrderList from './OrderList.vue'\n", ""), "the template uses it in another spelling");
        assert!(!permits("{{ count }}", "{{ total }}"));
        assert!(!permits("</script>", ""));
        assert!(!permits("color: red", "color: blue"));
    }
}
