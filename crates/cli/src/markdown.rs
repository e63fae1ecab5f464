//! Markdown for a terminal: headings are bold, tables aligned, code is as it is.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::table::{Cell, Column, Table};
use crate::text::{Text, Tone};

/// Indentation of each level of a list, and of code.
const INDENT: usize = 2;

/// Returns the Markdown as it appears on a terminal of this width.
pub(crate) fn render(markdown: &str, width: usize) -> Text {
    let mut page = Page { width, ..Page::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.text
}

/// Returns a unified diff as it appears on a terminal.
pub(crate) fn diff(text: &str) -> Text {
    let mut shown = Text::new();
    for line in text.lines() {
        shown.push(diff_line(line).plain("\n"));
    }
    shown
}

fn diff_line(line: &str) -> Text {
    let tone = match line.chars().next() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => Tone::Strong,
        Some('+') => Tone::Good,
        Some('-') => Tone::Bad,
        Some('@') => Tone::Label,
        _ => Tone::Plain,
    };
    Text::new().with(tone, line)
}

#[derive(Default)]
struct Page {
    width: usize,
    text: Text,
    /// The current block, not yet broken into lines.
    block: Vec<(Tone, String)>,
    tone: Option<Tone>,
    /// Number of the lists around the block.
    depth: usize,
    /// Set at the beginning of an item.
    is_bullet: bool,
    /// Language of the code around the text.
    code: Option<String>,
    table: Vec<Vec<String>>,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.code_lines(&text),
            Event::Text(text)
            | Event::Code(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.inline(&text),
            Event::SoftBreak => self.inline(" "),
            Event::HardBreak => self.end_block(),
            Event::Rule => self.text.push("---\n\n"),
            Event::TaskListMarker(is_done) => self.inline(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn inline(&mut self, text: &str) {
        if let Some(cell) = self.table.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(text);
        } else {
            self.block.push((self.tone.unwrap_or(Tone::Plain), text.to_owned()));
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } | Tag::Strong => self.tone = Some(Tone::Strong),
            Tag::List(_) => {
                self.end_block();
                self.depth += 1;
            }
            Tag::Item => self.is_bullet = true,
            Tag::CodeBlock(kind) => {
                self.end_block();
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(language) => language.into_string(),
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            Tag::TableCell => {
                if let Some(row) = self.table.last_mut() {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.tone = None,
            TagEnd::Heading(_) | TagEnd::Paragraph => {
                self.end_block();
                self.tone = None;
                if self.depth == 0 {
                    self.text.push("\n");
                }
            }
            TagEnd::Item => self.end_block(),
            TagEnd::List(_) => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.text.push("\n");
                }
            }
            TagEnd::CodeBlock => {
                self.code = None;
                self.text.push("\n");
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    fn code_lines(&mut self, code: &str) {
        let is_diff = self.code.as_deref() == Some("diff");
        for line in code.lines() {
            let line = if is_diff { diff_line(line) } else { Text::from(line) };
            self.text.push(Text::new().plain(" ".repeat(INDENT)));
            self.text.push(line.plain("\n"));
        }
    }

    /// Breaks the block into lines between words.
    fn end_block(&mut self) {
        let hang = self.depth * INDENT;
        let bullet = if std::mem::take(&mut self.is_bullet) { "- " } else { "" };
        let mut line = Text::new().plain(" ".repeat(hang.saturating_sub(bullet.len())) + bullet);
        // True between two words, where a line can end.
        let (mut is_empty, mut is_between) = (true, false);
        for (tone, piece) in std::mem::take(&mut self.block) {
            for word in piece.split_inclusive(' ') {
                let text = word.trim_end();
                if is_between && !text.is_empty() {
                    if line.width() + 1 + Text::from(text).width() > self.width {
                        line.push("\n");
                        self.text.push(std::mem::replace(&mut line, Text::new().plain(" ".repeat(hang))));
                    } else {
                        line.push(" ");
                    }
                    is_between = false;
                }
                line.push(Text::new().with(tone, text));
                is_empty &= text.is_empty();
                is_between |= word.ends_with(' ') && !is_empty;
            }
        }
        if !is_empty {
            line.push("\n");
            self.text.push(line);
        }
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.table).into_iter();
        let mut table = Table::new(rows.next().unwrap_or_default().into_iter().map(|title| Column::new(title).wrap()));
        for row in rows {
            table.push(row.iter().map(|cell| Cell::new(cell)));
        }
        self.text.push(table.fitted(self.width));
        self.text.push("\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# `parcel`: healed

**GREEN**: every check that CI requires passes, and it is long enough.

| | |
| --- | --- |
| Branch | `A_B_AI_Fix` |
| Tests | 3 passed |

| Time | Open |
| --- | --- |
| 0m 1s | 2 |

- Why: `'(' was never closed` \u{1b}[31m
- Others:
  - a **b** c

```diff
-x = (1
+x = (1)
```
";

    #[test]
    fn report_is_readable() {
        insta::assert_snapshot!(render(PAGE, 40).render(false), @r"
        parcel: healed

        GREEN: every check that CI requires
        passes, and it is long enough.

        Branch  A_B_AI_Fix
        Tests   3 passed

        Time   Open
        0m 1s  2

        - Why: '(' was never closed �[31m
        - Others:
          - a b c

          -x = (1
          +x = (1)
        ");
    }

    #[test]
    fn headings_and_differences_have_tones() {
        let text = render(PAGE, 80).render(true);
        for coloured in ["\u{1b}[1mparcel\u{1b}[0m", "\u{1b}[1mGREEN\u{1b}[0m", "\u{1b}[32m+x = (1)\u{1b}[0m"] {
            assert!(text.contains(coloured), "{text:?}");
        }
    }
}
