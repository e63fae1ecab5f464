//! Tables that hold data.

use autoheal_page::{Document, NodeId};

use super::found::Found;
use crate::item::Table;

/// Maximum number of tables of a page, and of rows of a table.
const MOST: usize = 50;
const MOST_ROWS: usize = 2000;

/// The page's tables of at least two rows and two columns; those that only lay the page out are left out.
pub(super) fn find(page: &Document) -> Option<Found<Vec<Table>>> {
    let tables = page.nodes().filter(|&node| page.tag(node) == "table" && is_innermost(page, node));
    let tables: Vec<Table> = tables.filter_map(|node| table(page, node)).take(MOST).collect();
    (!tables.is_empty()).then(|| Found::heuristic(tables, 0.8))
}

fn is_innermost(page: &Document, node: NodeId) -> bool {
    page.attribute(node, "role") != Some("presentation")
        && !page.descendants(node).any(|inner| page.tag(inner) == "table")
}

fn table(page: &Document, node: NodeId) -> Option<Table> {
    let inside = |tag: &'static str| page.descendants(node).filter(move |&inner| page.tag(inner) == tag);
    let caption = inside("caption").map(|caption| page.visible_text(caption).to_owned()).find(|text| !text.is_empty());
    let cells = |row: NodeId| page.children(row).filter(|&cell| matches!(page.tag(cell), "td" | "th"));
    let texts = |row: NodeId| cells(row).map(|cell| page.visible_text(cell).to_owned()).collect::<Vec<_>>();
    let mut rows = inside("tr").take(MOST_ROWS).filter(|&row| cells(row).count() > 0).peekable();
    let is_header = rows.peek().is_some_and(|&row| cells(row).all(|cell| page.tag(cell) == "th"));
    let header = if is_header { rows.next().map(texts).unwrap_or_default() } else { Vec::new() };
    let rows: Vec<Vec<String>> = rows.map(texts).filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
    let columns = rows.iter().chain(std::iter::once(&header)).map(Vec::len).max().unwrap_or(0);
    let is_data = columns >= 2 && rows.len() + usize::from(is_header) >= 2 && !rows.is_empty();
    is_data.then_some(Table { caption, header, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_their_captions_headers_and_rows() {
        let html = "<table><caption>Sizes</caption><tr><th>Name<th>cm<tr><td>S<td>10<tr><td>M<td>20</table>";
        let found = find(&Document::parse(html)).unwrap().value;
        let row = |one: &str, other: &str| vec![one.to_owned(), other.to_owned()];
        let table = Table {
            caption: Some("Sizes".to_owned()),
            header: row("Name", "cm"),
            rows: vec![row("S", "10"), row("M", "20")],
        };
        assert_eq!(found, [table]);
    }

    #[test]
    fn tables_that_lay_a_page_out_are_left_out() {
        for html in [
            "<table><tr><td>one column<tr><td>x</table>",
            "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
            "<table></table>",
        ] {
            assert_eq!(find(&Document::parse(html)), None, "{html}");
        }
    }
}
