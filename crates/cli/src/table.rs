//! Tables: on a terminal fitted to its width, elsewhere one line per row with tabs between the full texts, for other programs.

use std::borrow::Cow;

use autoheal_engine::Timestamp;
use console::{measure_text_width, truncate_str};

use crate::text::{Text, Tone, harmless};
use crate::time::relative;

const GAP: usize = 2;
const ELLIPSIS: &str = "…";

/// Width below which a column is not shortened while another one can be left out.
const READABLE: usize = 12;

/// Part of a cell that is left out when the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nothing,
    End,
    /// The end is what tells paths apart.
    Start,
    /// The cell takes several lines instead.
    Wrap,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: Cow<'static, str>,
    cut: Cut,
    is_number: bool,
    is_optional: bool,
}

impl Column {
    /// Returns a column whose cells are never shortened.
    pub(crate) fn new(title: impl Into<Cow<'static, str>>) -> Self {
        Self { title: title.into(), cut: Cut::Nothing, is_number: false, is_optional: false }
    }

    /// Returns a column of numbers.
    pub(crate) fn number(title: &'static str) -> Self {
        Self { is_number: true, ..Self::new(title) }
    }

    /// Allows the end of the cells to be cut off.
    pub(crate) fn cut_end(self) -> Self {
        Self { cut: Cut::End, ..self }
    }

    /// Allows the beginning of the cells to be cut off.
    pub(crate) fn cut_start(self) -> Self {
        Self { cut: Cut::Start, ..self }
    }

    /// Allows the cells to take several lines.
    pub(crate) fn wrap(self) -> Self {
        Self { cut: Cut::Wrap, ..self }
    }

    /// Allows the column to be left out on a narrow terminal; of several, the last one first.
    pub(crate) fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }
}

/// A cell: a short text for a terminal, and the full one.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    tone: Tone,
    short: String,
    full: String,
}

impl Cell {
    pub(crate) fn new(text: &str) -> Self {
        let text = harmless(text).replace('\n', " ");
        Self { tone: Tone::Plain, short: text.clone(), full: text }
    }

    /// Returns a cell whose text on a terminal differs from the full one.
    pub(crate) fn short(short: &str, full: &str) -> Self {
        Self { full: Self::new(full).full, ..Self::new(short) }
    }

    /// Returns a cell of a number, a name, or anything else that has a text.
    pub(crate) fn of(value: &impl ToString) -> Self {
        Self::new(&value.to_string())
    }

    /// Returns a cell of a time: relative to `now` on a terminal, RFC 3339 elsewhere.
    pub(crate) fn time(at: Option<Timestamp>, now: Timestamp) -> Self {
        at.map_or_else(|| Self::new(""), |at| Self::short(&relative(at, now), &at.to_rfc3339()))
    }

    pub(crate) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// Returns the lines of the cell on a terminal, each in exactly this width.
    fn fitted(&self, width: usize, column: &Column) -> Vec<String> {
        let lines = match (self.width() > width, column.cut) {
            (false, _) => vec![self.short.clone()],
            (true, Cut::Start) => vec![cut_start(&self.short, width)],
            (true, Cut::End | Cut::Nothing) => vec![truncate_str(&self.short, width, ELLIPSIS).into_owned()],
            (true, Cut::Wrap) => wrapped(&self.short, width),
        };
        let padded = |text: String| {
            let padding = " ".repeat(width.saturating_sub(measure_text_width(&text)));
            if column.is_number { padding + &text } else { text + &padding }
        };
        lines.into_iter().map(padded).collect()
    }

    fn width(&self) -> usize {
        measure_text_width(&self.short)
    }
}

fn cut_start(text: &str, width: usize) -> String {
    let room = width.saturating_sub(measure_text_width(ELLIPSIS));
    let kept = text.char_indices().map(|(start, _)| &text[start..]).find(|end| measure_text_width(end) <= room);
    format!("{ELLIPSIS}{}", kept.unwrap_or_default())
}

/// Breaks a text into lines between words, and long words where the line ends.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let used = lines.last().map_or(0, |line| measure_text_width(line));
        match lines.last_mut() {
            Some(line) if used > 0 && used + 1 + measure_text_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
                continue;
            }
            Some(_) if used > 0 => lines.push(String::new()),
            _ => {}
        }
        for character in word.chars() {
            let used = lines.last().map_or(0, |line| measure_text_width(line));
            if used > 0 && used + measure_text_width(character.encode_utf8(&mut [0; 4])) > width {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push(character);
            }
        }
    }
    lines
}

/// Rows of cells under titles.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Appends a row, with a cell for each column.
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the table with tabs between the cells, which are complete.
    pub(crate) fn separated(&self) -> String {
        let titles = self.columns.iter().map(|column| column.title.as_ref()).collect::<Vec<_>>().join("\t");
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.full.as_str()).collect::<Vec<_>>().join("\t"));
        std::iter::once(titles).chain(rows).map(|line| line + "\n").collect()
    }

    /// Returns the table for a terminal of this width.
    pub(crate) fn fitted(&self, width: usize) -> Text {
        let widths = self.widths(width);
        let mut text = Text::new();
        let titles: Vec<_> = self.columns.iter().map(|column| Cell::new(&column.title).tone(Tone::Faint)).collect();
        let has_titles = titles.iter().any(|title| title.width() > 0);
        for row in std::iter::once(&titles).filter(|_| has_titles).chain(&self.rows) {
            let shown: Vec<(Tone, usize, Vec<String>)> = row
                .iter()
                .zip(&self.columns)
                .zip(&widths)
                .filter_map(|((cell, column), width)| Some((cell.tone, (*width)?, cell.fitted((*width)?, column))))
                .collect();
            let height = shown.iter().map(|(_, _, lines)| lines.len()).max().unwrap_or(0);
            for line in 0..height {
                let cell = |(tone, width, lines): &(Tone, usize, Vec<String>)| {
                    (*tone, lines.get(line).cloned().unwrap_or_else(|| " ".repeat(*width)))
                };
                let mut cells: Vec<_> = shown.iter().map(cell).collect();
                // No line ends with spaces.
                while cells.pop_if(|(_, cell)| cell.trim().is_empty()).is_some() {}
                let last = cells.len().saturating_sub(1);
                for (position, (tone, cell)) in cells.into_iter().enumerate() {
                    let cell = if position == last { cell.trim_end().to_owned() } else { cell + &" ".repeat(GAP) };
                    text = text.with(tone, cell);
                }
                text = text.plain("\n");
            }
        }
        text
    }

    /// Returns the width of each column on a terminal of this width; `None` for a column that is left out.
    fn widths(&self, available: usize) -> Vec<Option<usize>> {
        let mut widths: Vec<Option<usize>> = (0..self.columns.len()).map(|index| self.natural_width(index)).collect();
        loop {
            self.shorten(&mut widths, available, READABLE);
            if total(&widths) <= available {
                return widths;
            }
            let left_out = (0..widths.len()).rev().find(|index| {
                self.columns.get(*index).is_some_and(|column| column.is_optional)
                    && widths.get(*index).is_some_and(Option::is_some)
            });
            match left_out.and_then(|index| widths.get_mut(index)) {
                Some(width) => *width = None,
                None => break,
            }
            for (index, width) in widths.iter_mut().enumerate().filter(|(_, width)| width.is_some()) {
                *width = self.natural_width(index);
            }
        }
        self.shorten(&mut widths, available, 1);
        widths
    }

    /// Returns the width that shows every cell of a column; `None` if all of them are empty.
    fn natural_width(&self, index: usize) -> Option<usize> {
        let cells = self.rows.iter().filter_map(|row| row.get(index)).map(Cell::width).max().unwrap_or(0);
        let title = self.columns.get(index).map_or(0, |column| column.title.len());
        (cells > 0 || self.rows.is_empty()).then(|| cells.max(title))
    }

    /// Makes the widest columns narrower, down to `least`, until the table fits.
    fn shorten(&self, widths: &mut [Option<usize>], available: usize, least: usize) {
        while total(widths) > available {
            let can_shrink = |(index, width): &(usize, &mut Option<usize>)| {
                let column_can = self.columns.get(*index).is_some_and(|column| column.cut != Cut::Nothing);
                column_can && width.is_some_and(|width| width > least)
            };
            let widest = widths.iter_mut().enumerate().filter(can_shrink).max_by_key(|(_, width)| **width);
            let Some((_, Some(width))) = widest else { return };
            *width -= 1;
        }
    }
}

fn total(widths: &[Option<usize>]) -> usize {
    let shown: Vec<usize> = widths.iter().flatten().copied().collect();
    shown.iter().sum::<usize>() + GAP * shown.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let columns = [Column::number("N"), Column::new("PATH").cut_start(), Column::new("NOTE").cut_end().optional()];
        let mut table = Table::new(columns);
        for row in rows {
            table.push(row.map(Cell::new));
        }
        table
    }

    const ROWS: [[&str; 3]; 2] =
        [["1", "/home/ada/work/parcel", "as it should be"], ["12", "/srv/中文", "\u{1b}[31m and\tmore\nlines"]];

    #[test]
    fn wide_table_is_complete() {
        assert_eq!(
            table(&ROWS).fitted(80).render(false),
            " N  PATH                   NOTE\n 1  /home/ada/work/parcel  as it should be\n12  /srv/中文              \u{fffd}[31m and more lines\n"
        );
    }

    #[test]
    fn narrow_table_shortens_then_leaves_out() {
        assert_eq!(
            table(&ROWS).fitted(36).render(false),
            " N  PATH             NOTE\n 1  …da/work/parcel  as it should be\n12  /srv/中文        \u{fffd}[31m and more…\n"
        );
        assert_eq!(table(&ROWS).fitted(20).render(false), " N  PATH\n 1  …ada/work/parcel\n12  /srv/中文\n");
    }

    #[test]
    fn wrapped_cells_take_several_lines() {
        let mut table = Table::new([Column::new("KEY"), Column::new("TEXT").wrap()]);
        table.push([Cell::new("one"), Cell::new("a few words of text, andaverylongwordthatdoesnotfit")]);
        table.push([Cell::new("two"), Cell::new("")]);
        assert_eq!(
            table.fitted(18).render(false),
            "KEY  TEXT\none  a few words\n     of text,\n     andaverylongw\n     ordthatdoesno\n     tfit\ntwo\n"
        );
    }

    #[test]
    fn other_programs_get_everything() {
        assert_eq!(
            table(&ROWS).separated(),
            "N\tPATH\tNOTE\n1\t/home/ada/work/parcel\tas it should be\n12\t/srv/中文\t\u{fffd}[31m and more lines\n"
        );
    }

    proptest! {
        #[test]
        fn lines_fit_the_terminal(width in 20_usize..200, cells in proptest::collection::vec("[a-z/中\u{1b}\n ]{0,60}", 2..12)) {
            let mut table = table(&[]);
            for pair in cells.chunks_exact(2) {
                table.push([Cell::of(&7), Cell::new(&pair[0]), Cell::new(&pair[1])]);
            }
            let text = table.fitted(width).render(false);
            prop_assert_eq!(text.lines().count(), cells.len() / 2 + 1);
            for line in text.lines() {
                prop_assert!(measure_text_width(line) <= width, "{:?}", line);
            }
        }
    }
}
