//! Tags of JSX that do not belong together: the one that closes is not of the name of the one that is open.

use std::ops::Range;

use crate::edit::Edit;
use crate::javascript::parse;
use crate::repair::proposal::Proposal;

/// Another name in a closing tag, and in an opening one.
const CLOSING: f64 = 1.0;
const OPENING: f64 = 2.0;
/// A tag that was lost, and one that is too many.
const LOST: f64 = 3.0;
const EXTRA: f64 = 4.0;
/// Maximum number of pairs that are examined.
const MAX_PAIRS: usize = 6;

/// An opening tag and the closing one that the parser met where it expected that of the opening one.
struct Pair<'text> {
    text: &'text str,
    /// The name in the opening tag; empty in a fragment's.
    opened: Range<usize>,
    /// The name in the closing tag; empty in a fragment's.
    closed: Range<usize>,
    /// The whole closing tag.
    tag: Range<usize>,
}

/// Proposes tags that fit each other, wherever the parser met one that does not fit.
pub(super) fn proposals(file: &str, text: &str) -> Vec<Proposal> {
    let pairs = parse::unfit_pairs(file, text).into_iter().filter_map(|(here, before)| Pair::of(text, here, before));
    pairs.take(MAX_PAIRS).flat_map(|pair| pair.proposals()).collect()
}

impl<'text> Pair<'text> {
    /// Returns the tags at two places that the parser names; `None` if no such tags stand there.
    fn of(text: &'text str, here: Range<usize>, before: Range<usize>) -> Option<Self> {
        let name = |place: Range<usize>, fragment: &str| {
            let is_fragment = text.get(place.clone())? == fragment;
            Some(if is_fragment { place.end - 1..place.end - 1 } else { place })
        };
        let (opened, closed) = (name(before, "<>")?, name(here, "</>")?);
        let start = text.get(..closed.start)?.trim_end().strip_suffix('/')?.trim_end().strip_suffix('<')?.len();
        let end = closed.end + text.get(closed.end..)?.find('>')? + 1;
        let is_opening = text.get(..opened.start)?.trim_end().ends_with('<') && opened.end <= start;
        is_opening.then_some(Self { text, opened, closed, tag: start..end })
    }

    fn proposals(&self) -> Vec<Proposal> {
        let text = self.text;
        let (opened, closed) = (&text[self.opened.clone()], &text[self.closed.clone()]);
        let mut found = Vec::new();
        let mut put = |edit: Edit, bits: f64, what: String| found.push(Proposal::new(vec![edit], bits, what));
        put(Edit::replace(self.closed.clone(), opened), CLOSING, format!("close `<{opened}>` by its name"));
        put(Edit::replace(self.opened.clone(), closed), OPENING, format!("open what `</{closed}>` closes"));
        let line_of = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = |at: usize| {
            let line = &text[line_of(at)..];
            &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
        };
        let line = line_of(self.tag.start);
        let is_first = text[line..self.tag.start].trim().is_empty();
        let lost = format!("insert the missing `</{opened}>`");
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        if line_end(self.opened.end) < line {
            let last = text[..line_end(self.opened.end)].trim_end().len();
            put(Edit::insert(last, format!("</{opened}>")), LOST, lost.clone());
        }
        if is_first {
            let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let level = indent(self.opened.start);
            put(Edit::insert(line, format!("{level}</{opened}>{newline}")), LOST, lost.clone());
            let last = text[..line].trim_end().len();
            put(Edit::insert(last, format!("</{opened}>")), LOST, lost.clone());
        }
        put(Edit::insert(self.tag.start, format!("</{opened}>")), LOST + 0.5, lost);
        if let Some(end) = self.end_of_opening().filter(|_| !opened.is_empty()) {
            put(Edit::insert(end, " /"), LOST, format!("close `<{opened}>` where it opens"));
        }
        let extra = format!("remove the extra `</{closed}>`");
        let end = text[self.tag.end..].find('\n').map_or(text.len(), |at| self.tag.end + at + 1);
        if is_first && text[self.tag.end..end].trim().is_empty() {
            put(Edit::delete(line..end), EXTRA, extra);
        } else {
            put(Edit::delete(self.tag.clone()), EXTRA, extra);
        }
        found
    }

    /// Returns the position of the `>` that ends the opening tag, braces and strings of its attributes skipped.
    fn end_of_opening(&self) -> Option<usize> {
        let (mut braces, mut quote) = (0_usize, None);
        for (at, sign) in self.text.get(self.opened.end..self.tag.start)?.char_indices() {
            match (quote, sign) {
                (Some(mark), sign) if mark == sign => quote = None,
                (None, '"' | '\'' | '`') => quote = Some(sign),
                (None, '{') => braces += 1,
                (None, '}') => braces = braces.checked_sub(1)?,
                (None, '>') if braces == 0 => return Some(self.opened.end + at),
                (Some(_) | None, _) => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::SyntaxRepair;
    use super::*;
    use crate::edit::applied;
    use crate::fix_example::{check_fix, node};

    fn repaired(text: &str) -> Vec<String> {
        let apply = |proposal: Proposal| applied(text, &proposal.edits).unwrap();
        proposals("a.jsx", text).into_iter().map(apply).collect()
    }

    const WHOLE: &str =
        "const a = (\n  <ul title={x > 1 ? 'a' : \"b\"}>\n    <li>it's</li>\n    <img src=\"a\" />\n  </ul>\n);\n";

    #[test]
    fn closes_tag_by_its_name() {
        check_fix(
            &SyntaxRepair,
            node(r"SyntaxError: /repo/Row.jsx: Expected corresponding JSX closing tag for <li>. (2:33)"),
            r"
//- /Row.jsx
 export function Row({ name, price }) {
-  return <li>{name}: {price}</ul>;
+  return <li>{name}: {price}</li>;
 }
",
        );
    }

    #[test]
    fn tags_that_fit_are_left_alone() {
        assert_eq!(repaired(WHOLE), Vec::<String>::new());
        assert_eq!(repaired("let a = 1;\nlet a = 2;\n"), Vec::<String>::new());
    }

    #[test]
    fn a_tag_gets_the_name_of_the_other() {
        for wrong in ["</ol>", "</>", "</ul.a>"] {
            assert!(repaired(&WHOLE.replace("</ul>", wrong)).contains(&WHOLE.to_owned()), "{wrong}");
        }
        assert!(repaired(&WHOLE.replace("<ul ", "<ol ")).contains(&WHOLE.to_owned()));
        let fragment = "const a = <><b>c</b></>;\n";
        assert_eq!(repaired(&fragment.replace("</>", "</p>"))[0], fragment);
        assert!(repaired(&fragment.replace("<>", "<p>")).contains(&fragment.to_owned()));
    }

    #[test]
    fn a_tag_that_was_lost_is_put_back_and_one_too_many_is_taken_out() {
        for (right, wrong) in [("</li>", ""), (" />", ">"), ("</li>", "</li></b>"), ("  </ul>", "    </b>\n  </ul>")] {
            assert!(repaired(&WHOLE.replace(right, wrong)).contains(&WHOLE.to_owned()), "{wrong}");
        }
    }
}
