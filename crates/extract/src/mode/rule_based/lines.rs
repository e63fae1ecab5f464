//! The text of a page as lines, with marks for headings and the cells of tables.

use std::fmt::Write as _;

use autoheal_page::{Document, NodeId};

use super::blocks::{blocks, leaves};
use super::is_readable;
use super::main_text::unscripted;

/// A longer row of a table lays the page out, in letters.
const LONGEST_ROW: usize = 400;

/// Number of elements around a block that are searched for its heading or row.
const MOST_AROUND: usize = 12;

/// Number of consecutive lines that lead elsewhere from which they are a menu.
const SHORTEST_MENU: usize = 3;

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// True if it leads elsewhere, as the lines around it do.
    pub(crate) is_menu: bool,
}

/// Returns the page's text with a line for each block or row of a table, without its frame; for pages that are mostly frame, and
/// for unreadable ones, all text.
pub(crate) fn lines_of(page: &Document) -> Vec<Line> {
    if !is_readable(page) {
        return vec![Line { text: page.page_text().to_owned(), is_menu: false }];
    }
    let unscripted = unscripted(page);
    let page = unscripted.as_ref().unwrap_or(page);
    let all = page.page_text();
    let own = lines(page, &blocks(page));
    let length: usize = own.iter().map(|line| line.text.len()).sum();
    if length * 2 < all.len() { lines(page, &leaves(page)) } else { own }
}

fn lines(page: &Document, blocks: &[NodeId]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // The row and the cell of the line before.
    let mut before: Option<(NodeId, NodeId)> = None;
    for &node in blocks {
        let text = page.visible_text(node);
        if text.is_empty() {
            continue;
        }
        let place = row_of(page, node);
        match (place, before, lines.last_mut()) {
            (Some((row, cell)), Some((last_row, last_cell)), Some(line)) if row == last_row => {
                line.text.push_str(if cell == last_cell { " " } else { " | " });
                line.text.push_str(text);
                before = Some((row, cell));
                continue;
            }
            _ => before = place,
        }
        let level = heading_of(page, node);
        let mark = level.map_or_else(String::new, |level| format!("{} ", "#".repeat(level)));
        let is_menu = level.is_none() && page.linked_letters(node) * 2 >= page.letters(node);
        lines.push(Line { text: format!("{mark}{text}"), is_menu });
    }
    // A single link among text, such as a byline, is not a menu.
    for run in lines.chunk_by_mut(|one, other| one.is_menu == other.is_menu) {
        if run.len() < SHORTEST_MENU {
            for line in run {
                line.is_menu = false;
            }
        }
    }
    lines
}

/// The level of the heading that a block is, or is in.
fn heading_of(page: &Document, node: NodeId) -> Option<usize> {
    let mut around = std::iter::once(node).chain(page.ancestors(node).take(2));
    around.find_map(|node| match page.tag(node).as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(usize::from(level - b'0')),
        _ => None,
    })
}

/// The row and the cell of a table of data that a block is in.
fn row_of(page: &Document, node: NodeId) -> Option<(NodeId, NodeId)> {
    let mut around = std::iter::once(node).chain(page.ancestors(node)).take(MOST_AROUND);
    let cell = around.find(|&node| matches!(page.tag(node), "td" | "th"))?;
    let row = page.parent(cell).filter(|&row| page.tag(row) == "tr")?;
    (page.letters(row) <= LONGEST_ROW).then_some((row, cell))
}

/// Joins lines to a text of at most `most` characters. Menus are left out first, then the last lines.
pub(crate) fn joined(lines: &[Line], most: usize) -> String {
    let mut left = most;
    let mut is_kept = vec![false; lines.len()];
    let mut cut: Option<(usize, usize)> = None;
    for menus in [false, true] {
        for (place, line) in lines.iter().enumerate().filter(|(_, line)| line.is_menu == menus) {
            let length = line.text.chars().count() + 1;
            if length <= left {
                is_kept[place] = true;
                left -= length;
            } else {
                if !menus {
                    cut = Some((place, left));
                }
                left = 0;
                break;
            }
        }
    }
    let whole: usize = lines.iter().map(|line| line.text.chars().count()).sum();
    let mut text = String::new();
    let mut shown = 0;
    for (place, line) in lines.iter().enumerate() {
        let length = match cut {
            Some((last, length)) if last == place => length,
            _ if is_kept[place] => usize::MAX,
            _ => continue,
        };
        let part: String = line.text.chars().take(length).collect();
        shown += part.chars().count();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part);
    }
    if shown < whole {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n[... {} characters left out ...]", whole - shown);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_cells_are_marked() {
        let page = Document::parse(
            "<h1>Soups</h1><p>For all of us, and for those who like it.</p><h2>Sizes</h2>\
             <table><tr><th>Name<th>Litres<tr><td>large<td><p>5<p>or 6</table>",
        );
        let lines = lines_of(&page);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let wanted =
            ["# Soups", "For all of us, and for those who like it.", "## Sizes", "Name | Litres", "large | 5 or 6"];
        assert_eq!(texts, wanted);
    }

    #[test]
    fn several_lines_that_lead_elsewhere_are_a_menu_and_a_byline_is_not() {
        let page = Document::parse(
            "<h1>Soups</h1><p><a href=/ada>By Ada</a><p>For all of us, and for those who like it.\
             <div><div><a href=/1>One</a></div><div><a href=/2>Two</a></div><div><a href=/3>Three</a></div></div>",
        );
        let menus: Vec<bool> = lines_of(&page).iter().map(|line| line.is_menu).collect();
        assert_eq!(menus, [false, false, false, true, true, true]);
    }

    #[test]
    fn menus_are_left_out_before_anything_else_and_what_is_left_out_is_counted() {
        let line = |text: &str, is_menu| Line { text: text.to_owned(), is_menu };
        let lines = [line("Home", true), line("One", false), line("Two", false), line("Next", true)];
        assert_eq!(joined(&lines, 100), "Home\nOne\nTwo\nNext");
        assert_eq!(joined(&lines, 8), "One\nTwo\n[... 8 characters left out ...]");
        assert_eq!(joined(&lines, 13), "Home\nOne\nTwo\n[... 4 characters left out ...]");
        assert_eq!(joined(&lines, 6), "One\nTw\n[... 9 characters left out ...]");
        assert_eq!(joined(&[], 6), "");
    }
}
