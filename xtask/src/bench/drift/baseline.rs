//! Results of other tools on the same fields: read from the table in the corpus' own description, never copied here.

use std::fmt::Write as _;
use std::path::Path;

/// The file next to a part of the corpus that describes it.
const DESCRIPTION: &str = "README.md";

/// A line for each tool, or one that says that nothing is recorded.
pub(super) fn recorded(corpus: &Path) -> String {
    let corpus = corpus.canonicalize().unwrap_or_else(|_| corpus.to_path_buf());
    let part = corpus.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let description = corpus.parent().map(|folder| folder.join(DESCRIPTION));
    let text = description.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    of_part(&text, part).unwrap_or_else(|| "no baselines recorded\n".to_owned())
}

/// The row of all kinds of a part, in the table whose heading speaks of `correct / wrong / nothing`.
fn of_part(description: &str, part: &str) -> Option<String> {
    let mut lines = description.lines();
    let names = cells(lines.find(|line| line.starts_with('|') && line.contains("correct / wrong / nothing"))?);
    let row = lines.take_while(|line| line.starts_with('|')).map(cells).find(|row| {
        let is = |place: usize, wanted: &str| row.get(place).is_some_and(|cell| cell.trim_matches('*') == wanted);
        is(0, part) && is(1, "all")
    })?;
    let total = number(row.get(2)?)?;
    let mut text = format!("baselines recorded for {total} broken fields   right         wrong         nothing\n");
    for (name, cell) in names.iter().zip(&row).filter(|(name, _)| name.contains("correct / wrong / nothing")) {
        let counts: Vec<u32> = cell.split('/').filter_map(number).collect();
        let [right, wrong, nothing] = counts.as_slice() else { continue };
        let tool = name.split(':').next().unwrap_or(name);
        let share = |part: &u32| 100.0 * f64::from(*part) / f64::from(total.max(1));
        let _ = write!(text, "  {tool:<38}");
        for count in [right, wrong, nothing] {
            let _ = write!(text, "  {count:>4} {:>5.1} %", share(count));
        }
        text.push('\n');
    }
    Some(text)
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The number that a cell begins with.
fn number(cell: &str) -> Option<u32> {
    let digits = cell.trim().trim_start_matches('*');
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "text\n\n| split | kind | broken | A: correct / wrong / nothing | note | B exact: correct / wrong / nothing |\n\
        |---|---|---|---|---|---|\n| dev | article | 2 (1) | 1 / 1 / 0 | x | 0 / 0 / 2 |\n\
        | **dev** | all | 10 (3) | 4 (40%) / 5 / 1 (n=10) | x | 1 (10%) / 2 / 7 |\n\nend";

    #[test]
    fn the_row_of_the_part_is_read() {
        let text = of_part(TABLE, "dev").unwrap();
        assert!(
            text.contains("10 broken fields") && text.contains("   4  40.0 %     5  50.0 %     1  10.0 %"),
            "{text}"
        );
        assert!(text.contains("B exact") && text.contains("   7  70.0 %"), "{text}");
    }

    #[test]
    fn nothing_is_made_up() {
        assert_eq!(of_part(TABLE, "final"), None);
        assert_eq!(of_part("", "dev"), None);
        assert_eq!(recorded(Path::new("/nowhere/dev")), "no baselines recorded\n");
    }
}
