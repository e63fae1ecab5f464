//! Tables as they are read: the caption, which cells are headers, and spans resolved.

use autoheal_page::{Document, NodeId};

use super::shortened;

/// No larger tables are read.
const MOST_ROWS: usize = 5000;
const MOST_COLUMNS: usize = 60;

/// A row that one cell fills names the rows below it: no longer than this, in characters.
const LONGEST_GROUP: usize = 150;
const LONGEST_CAPTION: usize = 300;

/// A table that holds data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) caption: String,
    /// Header of each column.
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// A row of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Text of the row above that names a group of rows; empty if there is no such row.
    pub(super) group: String,
    /// A text for each column; a cell that spans rows is repeated in each of them.
    pub(super) cells: Vec<String>,
    /// Texts that may name the row's topic: its cells; of a cell with several paragraphs, the first one.
    pub(super) keys: Vec<String>,
}

impl Table {
    /// The table at a node; `None` where it only lays the page out, or leads elsewhere.
    pub(super) fn read(page: &Document, node: NodeId) -> Option<Self> {
        let is_layout = page.attribute(node, "role") == Some("presentation")
            || page.descendants(node).any(|inner| page.tag(inner) == "table")
            || page.linked_letters(node) * 5 > page.letters(node) * 4;
        if is_layout {
            return None;
        }
        let rows = page.descendants(node).filter(|&row| page.tag(row) == "tr").take(MOST_ROWS);
        let mut table = Self { caption: caption(page, node), ..Self::default() };
        let mut group = String::new();
        // Cells of earlier rows that span this row, by column: the text, and the number of remaining rows.
        let mut reaching: Vec<(String, usize)> = Vec::new();
        for row in rows {
            let cells: Vec<NodeId> =
                page.children(row).filter(|&cell| matches!(page.tag(cell), "td" | "th")).take(MOST_COLUMNS).collect();
            let is_single = cells.len() == 1 && reaching.iter().all(|(_, left)| *left == 0);
            let spans_all = is_single && cells.first().is_some_and(|&cell| span(page, cell, "colspan") > 1);
            let is_header = !cells.is_empty()
                && table.rows.is_empty()
                && (cells.iter().all(|&cell| page.tag(cell) == "th")
                    || page.parent(row).is_some_and(|part| page.tag(part) == "thead"));
            let texts = texts(page, &cells, &mut reaching);
            if texts.iter().all(String::is_empty) {
                continue;
            }
            if is_header && !spans_all {
                add_header(&mut table.header, texts);
            } else if spans_all {
                // The rows above it belong to another group, or to none.
                shortened(texts.first().map_or("", String::as_str), LONGEST_GROUP).clone_into(&mut group);
            } else {
                let keys = keys(page, &cells, &texts);
                table.rows.push(Row { group: group.clone(), cells: texts, keys });
            }
        }
        (!table.rows.is_empty()).then_some(table)
    }

    /// Returns a row in readable form: the header cell before each cell.
    pub(super) fn shown(&self, row: &Row) -> String {
        let cells = row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| match self.header.get(column).filter(|header| !header.is_empty()) {
            Some(header) => format!("{header}: {cell}"),
            None => cell.clone(),
        });
        cells.collect::<Vec<_>>().join(" | ")
    }

    /// Returns the whole table in readable form.
    pub(super) fn text(&self) -> String {
        let mut lines = Vec::new();
        if !self.caption.is_empty() {
            lines.push(self.caption.clone());
        }
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                group = &row.group;
                lines.push(group.to_owned());
            }
            lines.push(self.shown(row));
        }
        lines.join("\n")
    }
}

/// The texts of a row by column, with those that reach down from rows above.
fn texts(page: &Document, cells: &[NodeId], reaching: &mut Vec<(String, usize)>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut cells = cells.iter();
    loop {
        let column = texts.len();
        if column >= MOST_COLUMNS {
            break;
        }
        if let Some((text, left)) = reaching.get_mut(column).filter(|(_, left)| *left > 0) {
            *left -= 1;
            texts.push(text.clone());
            continue;
        }
        let Some(&cell) = cells.next() else { break };
        let text = page.visible_text(cell).to_owned();
        let rows = span(page, cell, "rowspan");
        for place in 0..span(page, cell, "colspan") {
            // The text of a cell that spans columns is used once.
            let text = if place == 0 { text.clone() } else { String::new() };
            let column = texts.len();
            if column >= MOST_COLUMNS {
                break;
            }
            if rows > 1 {
                reaching.resize(reaching.len().max(column + 1), (String::new(), 0));
                reaching[column] = (text.clone(), rows - 1);
            }
            texts.push(text);
        }
    }
    texts
}

fn keys(page: &Document, cells: &[NodeId], texts: &[String]) -> Vec<String> {
    let first_of = |cell: NodeId| {
        let paragraph = page.children(cell).next().filter(|&first| matches!(page.tag(first), "p" | "div"));
        paragraph.map_or("", |paragraph| page.visible_text(paragraph)).to_owned()
    };
    let firsts = cells.iter().map(|&cell| first_of(cell));
    firsts.chain(texts.iter().cloned()).filter(|text| !text.is_empty()).collect()
}

fn span(page: &Document, cell: NodeId, name: &str) -> usize {
    page.attribute(cell, name).and_then(|text| text.trim().parse().ok()).unwrap_or(1).clamp(1, MOST_ROWS)
}

/// A second row of headers refines the columns of the first.
fn add_header(header: &mut Vec<String>, texts: Vec<String>) {
    header.resize(header.len().max(texts.len()), String::new());
    for (above, text) in header.iter_mut().zip(texts) {
        if !above.is_empty() && !text.is_empty() && *above != text {
            above.push(' ');
            above.push_str(&text);
        } else if above.is_empty() {
            *above = text;
        }
    }
}

/// The caption: the element of that name, or a title that shares an otherwise empty box with the table, or the summary.
fn caption(page: &Document, node: NodeId) -> String {
    let inside = page.descendants(node).find(|&inner| page.tag(inner) == "caption");
    let inside = inside.map(|caption| page.visible_text(caption)).filter(|text| !text.is_empty());
    let beside = || {
        let title = page.ancestors(node).take(2).filter(|&above| page.tag(above) != "body").find_map(|above| {
            let first = page.children(above).next().filter(|&first| first < node && !page.contains(first, node))?;
            let is_title = page.classes(first).any(|class| ["title", "caption"].contains(&class))
                || page.tag(first) == "figcaption";
            is_title.then(|| page.visible_text(first))
        });
        title.filter(|text| !text.is_empty())
    };
    let summary = || page.attribute(node, "summary");
    shortened(inside.or_else(beside).or_else(summary).unwrap_or_default(), LONGEST_CAPTION).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Option<Table> {
        let page = Document::parse(html);
        let node = page.nodes().find(|&node| page.tag(node) == "table").unwrap();
        Table::read(&page, node)
    }

    #[test]
    fn captions_headers_groups_and_spans_are_resolved() {
        let table =
            of("<div class=table><p class=title>Table 1. Codes</p><div><table><thead><tr><th>Code<th>Name</thead>\
             <tr><td colspan=2>Class 40<tr><td rowspan=2>40001<td>first<tr><td>second</table></div></div>")
            .unwrap();
        assert_eq!(table.text(), "Table 1. Codes\nClass 40\nCode: 40001 | Name: first\nCode: 40001 | Name: second");
    }

    #[test]
    fn two_rows_of_headers_are_one() {
        let table = of("<table><tr><th>Size<th>Size<tr><th>cm<th>inch<tr><td>1<td>2</table>").unwrap();
        assert_eq!(table.text(), "Size cm: 1 | Size inch: 2");
    }

    #[test]
    fn what_leads_elsewhere_or_lays_out_is_no_data() {
        assert_eq!(of("<table><tr><td><a href=x>Next</a><td><a href=y>Back</a></table>"), None);
        assert_eq!(of("<table role=presentation><tr><td>a<td>b</table>"), None);
        assert_eq!(of("<table><tr><td><table><tr><td>a</table></table>"), None);
        assert_eq!(of("<table></table>"), None);
    }

    #[test]
    fn spans_without_end_end() {
        let table = of("<table><tr><td colspan=999999999 rowspan=999999999>x<td>y<tr><td>z</table>").unwrap();
        assert!(table.rows.iter().all(|row| row.cells.len() <= MOST_COLUMNS), "{table:?}");
    }
}
