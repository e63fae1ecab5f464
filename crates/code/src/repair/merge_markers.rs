//! Conflicts that a merge left behind: one side is kept, or both.

use crate::edit::Edit;

use super::proposal::Proposal;
use super::region::lines;

const ONE_SIDE: f64 = 1.0;
const MIXED: f64 = 3.0;
const BOTH: f64 = 4.0;
const MARKERS_ONLY: f64 = 5.0;
/// Conflicts for which every choice of sides is proposed.
const MAX_MIXED: usize = 4;

/// The bytes of one conflict: the markers' lines included, and each side without them.
struct Conflict {
    start: usize,
    end: usize,
    ours: String,
    theirs: String,
}

/// Every way to settle the conflicts of a text.
pub(crate) fn proposals(text: &str) -> Vec<Proposal> {
    let (conflicts, stray) = conflicts(text);
    let mut proposals = Vec::new();
    if !conflicts.is_empty() {
        let settle = |choose: &dyn Fn(usize, &Conflict) -> String| -> Vec<Edit> {
            let chosen = conflicts
                .iter()
                .enumerate()
                .map(|(index, conflict)| Edit::replace(conflict.start..conflict.end, choose(index, conflict)));
            chosen.collect()
        };
        let sides = [("our", 0_usize), ("their", usize::MAX)];
        for (whose, mask) in sides {
            let edits = settle(&|_, conflict| if mask == 0 { conflict.ours.clone() } else { conflict.theirs.clone() });
            proposals.push(Proposal::new(edits, ONE_SIDE, format!("settle the merge conflict by {whose} side")));
        }
        if (2..=MAX_MIXED).contains(&conflicts.len()) {
            for mask in 1..(1_usize << conflicts.len()) - 1 {
                let edits = settle(&|index, conflict| {
                    if mask >> index & 1 == 0 { conflict.ours.clone() } else { conflict.theirs.clone() }
                });
                proposals.push(Proposal::new(edits, MIXED, "settle the merge conflicts by either side".to_owned()));
            }
        }
        let both = settle(&|_, conflict| format!("{}{}", conflict.ours, conflict.theirs));
        proposals.push(Proposal::new(both, BOTH, "settle the merge conflict by both sides".to_owned()));
        let both = settle(&|_, conflict| format!("{}{}", conflict.theirs, conflict.ours));
        proposals.push(Proposal::new(both, BOTH + 2.0, "settle the merge conflict by both sides".to_owned()));
    }
    if !stray.is_empty() {
        let edits = stray.into_iter().map(|(start, end)| Edit::delete(start..end)).collect();
        proposals.push(Proposal::new(edits, MARKERS_ONLY, "remove the merge markers".to_owned()));
    }
    proposals
}

fn marks(line: &str, mark: char) -> bool {
    let rest = line.trim_start_matches(mark);
    line.len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))
}

/// The complete conflicts, and the lines of markers that belong to none.
fn conflicts(text: &str) -> (Vec<Conflict>, Vec<(usize, usize)>) {
    let mut conflicts = Vec::new();
    let mut open: Vec<(char, usize, usize)> = Vec::new();
    let mut stray = Vec::new();
    let mut position = 0;
    for (start, line) in lines(text) {
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline + 1);
        position = end.max(position);
        let Some(mark) = ['<', '|', '=', '>'].into_iter().find(|mark| marks(line, *mark)) else { continue };
        if mark == '<' {
            stray.extend(open.drain(..).map(|(_, start, end)| (start, end)));
        }
        open.push((mark, start, end));
        if mark != '>' {
            continue;
        }
        let kinds: String = open.iter().map(|(mark, ..)| *mark).collect();
        if kinds == "<=>" || kinds == "<|=>" {
            let (first, second, middle, last) = (open[0], open[1], open[open.len() - 2], open[open.len() - 1]);
            conflicts.push(Conflict {
                start: first.1,
                end: last.2,
                ours: text[first.2..second.1].to_owned(),
                theirs: text[middle.2..last.1].to_owned(),
            });
            open.clear();
        }
    }
    stray.extend(open.into_iter().map(|(_, start, end)| (start, end)));
    (conflicts, stray)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::applied;
    use crate::fix_example::{check_fix, pytest};
    use crate::python::fix::syntax::SyntaxRepair;

    fn settled(text: &str) -> Vec<String> {
        let apply = |proposal: Proposal| applied(text, &proposal.edits);
        proposals(text).into_iter().map(|proposal| apply(proposal).unwrap()).collect()
    }

    #[test]
    fn keeps_one_side_of_conflict() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 2
    <<<<<<< HEAD
    ^^
SyntaxError: invalid syntax"#,
            ),
            r"
 def total(prices):
-<<<<<<< HEAD
     count = 0
-=======
-    count = prices[0]
->>>>>>> feature
     for price in prices:
         count += price
     return count
",
        );
    }

    #[test]
    fn each_side_and_both() {
        let text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\nd\n";
        assert_eq!(settled(text), ["a\nb\nd\n", "a\nc\nd\n", "a\nb\nc\nd\n", "a\nc\nb\nd\n"]);
    }

    #[test]
    fn the_common_ancestor_is_dropped() {
        let text = "<<<<<<< HEAD\r\nb\r\n||||||| base\r\nx\r\n=======\r\nc\r\n>>>>>>> main\r\n";
        assert_eq!(settled(text)[..2], ["b\r\n", "c\r\n"]);
    }

    #[test]
    fn a_stray_marker_is_removed_and_a_ruler_stays() {
        assert_eq!(settled("a\n>>>>>>> main\nb\n"), ["a\nb\n"]);
        assert!(settled("Title\n========\n").is_empty());
    }
}
