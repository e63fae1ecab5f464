//! Text that is the same in every run on the same tree: without the folders of this run and of this machine, addresses of objects
//! and durations. Only so can the answer to a question be replayed elsewhere.

use std::path::Path;
use std::sync::LazyLock;

use autoheal_engine::diagnostics::Finding;
use regex::Regex;

use crate::folders::Folders;

/// Name of everything that a run keeps outside of its tree.
const TEMPORARY: &str = "<temporary>";

/// Things that tools print and that differ from run to run, with their replacements.
#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static VARYING: LazyLock<[(Regex, &str); 5]> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
    [
        (pattern(r#"(^|[^\w/.-])/tmp/[^\s'"`,;:()\[\]{}<>]+"#), "$1<temporary>"),
        (pattern(r"\bat 0x[0-9a-fA-F]{6,}"), "at 0x..."),
        (pattern(r"\b(in|after) [0-9]+\.[0-9]+ ?(ms|s)\b"), "$1 ..."),
        (pattern(r"\b(duration_ms:?) [0-9.]+"), "$1 ..."),
        (pattern(r"(^|\n)(thread '[^'\n]*') \([0-9]+\) panicked"), "$1$2 panicked"),
    ]
});

/// Folders whose names differ from run to run, or from machine to machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unvarying {
    /// Paths with the text that replaces them, longest first.
    folders: Vec<(String, &'static str)>,
}

impl Unvarying {
    /// The folders of a run, in the data folder of this machine.
    pub(crate) fn of(folders: &Folders, data: &Path) -> Self {
        let text = |path: &Path| path.display().to_string();
        // A file of the tree has the name that the repository knows it by.
        let mut folders = vec![
            (format!("{}/", text(&folders.tree())), ""),
            (text(&folders.tree()), "."),
            (format!("{}/", text(&folders.before())), ""),
            (text(folders.root()), TEMPORARY),
            (text(data), "<data>"),
        ];
        folders.retain(|(path, _)| path.len() > 1);
        folders.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self { folders }
    }

    /// The text without what varies.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.folders {
            if text.contains(path.as_str()) {
                text = if *name == TEMPORARY { without_rest(&text, path) } else { text.replace(path.as_str(), name) };
            }
        }
        for (pattern, replacement) in VARYING.iter() {
            text = pattern.replace_all(&text, *replacement).into_owned();
        }
        text
    }

    /// A finding whose message and stack are without what varies.
    pub(crate) fn finding(&self, finding: &Finding) -> Finding {
        let stack = finding.stack.as_deref().map(|stack| self.text(stack));
        Finding { message: self.text(&finding.message), stack, ..finding.clone() }
    }
}

/// Replaces whole paths below a folder, for their other parts vary, too: names of temporary files, counters.
fn without_rest(text: &str, folder: &str) -> String {
    let mut parts = text.split(folder);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = |character: char| character.is_whitespace() || "'\"`,;:()[]{}<>".contains(character);
        result.push_str(TEMPORARY);
        result.push_str(&part[part.find(is_end).unwrap_or(part.len())..]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_the_same_text_in_two_runs() {
        let of = |run: &str, home: &str, address: &str, seconds: &str| {
            let data = format!("{home}/data");
            let root = format!("{data}/runs/{run}");
            let unvarying = Unvarying::of(&Folders::new(root.clone().into()), Path::new(&data));
            unvarying.text(&format!(
                "File \"{root}/tree/shop/a.py\", line 3\nin '{root}/tree'\n{root}/scratch/pytest-0/{run}/x.txt: gone\n'/tmp/tmp{run}/a'\n\
                 {data}/environments/lib/site-packages/a.py\n<shop.Cart object at {address}>\n2 failed in {seconds}s\n\
                 file://{root}/tree/a.js:1:2"
            ))
        };
        let told = of("01a2", "/home/a", "0x7f00aa11", "0.13");
        assert_eq!(told, of("ffff", "/root", "0x55bb22cc33", "12.50"));
        assert_eq!(
            told,
            "File \"shop/a.py\", line 3\nin '.'\n<temporary>: gone\n'<temporary>'\n<data>/environments/lib/site-packages/a.py\n\
             <shop.Cart object at 0x...>\n2 failed in ...s\nfile://a.js:1:2"
                .replace("...s\n", "...\n")
        );
        let kept = "shop/a.py:3 expected 0x7f00aa11, in 3 s, at 12:30";
        assert_eq!(Unvarying::default().text(kept), kept);
    }
}
