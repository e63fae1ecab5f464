//! Conversion of an item to Markdown.

use std::fmt::Write as _;

use super::{PageType, Price, ScrapedItem, Table};

impl ScrapedItem {
    /// Returns the item as Markdown: its title, its fields as a list, and its text. Text of the page stays text: it cannot become
    /// markup, and only `http` addresses become links.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        section(&mut text, self.title.as_deref().map(|title| format!("# {}", line(title))));
        section(&mut text, self.description.as_deref().map(line));
        let facts: Vec<String> =
            self.facts().into_iter().map(|(name, value)| format!("- **{name}:** {}", line(&value))).collect();
        section(&mut text, joined(&facts));
        let image = self.image.as_deref().filter(|image| is_web(image));
        section(&mut text, image.map(|image| format!("![](<{image}>)")));
        let bullets =
            |items: &[String]| joined(&items.iter().map(|item| format!("- {}", line(item))).collect::<Vec<_>>());
        if let Some(items) = bullets(&self.ingredients) {
            section(&mut text, Some(format!("## Ingredients\n\n{items}")));
        }
        let steps: Vec<String> =
            self.instructions.iter().zip(1..).map(|(step, number)| format!("{number}. {}", line(step))).collect();
        if let Some(steps) = joined(&steps) {
            section(&mut text, Some(format!("## Instructions\n\n{steps}")));
        }
        // The text of a recipe is the text around it, and tables are already in the text.
        if self.page_type != PageType::Recipe {
            section(&mut text, self.text.as_deref().map(paragraphs));
        }
        for table in &self.tables {
            section(&mut text, rows(table));
        }
        text
    }

    /// Returns the short facts of the item, each as a name and a value.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let minutes = |minutes: Option<u32>| minutes.map(|minutes| format!("{minutes} minutes"));
        let salary = self.salary.as_ref().map(|salary| {
            let amounts = [salary.minimum, salary.maximum].into_iter().flatten().map(|amount| amount.to_string());
            let mut amounts: Vec<String> = amounts.collect();
            amounts.dedup();
            let rest = [salary.currency.clone(), salary.per.as_ref().map(|per| format!("per {per}"))];
            std::iter::once(amounts.join("–")).chain(rest.into_iter().flatten()).collect::<Vec<_>>().join(" ")
        });
        let rating = self.rating.as_ref().map(|rating| {
            let best = rating.best.map(|best| format!(" of {best}")).unwrap_or_default();
            let count = rating.count.map(|count| format!(" ({count})")).unwrap_or_default();
            format!("{}{best}{count}", rating.value)
        });
        let facts = [
            ("author", self.author.clone()),
            ("published", self.published_at.map(|date| date.to_string())),
            ("modified", self.modified_at.map(|date| date.to_string())),
            ("price", self.price.as_ref().map(Price::to_string)),
            ("availability", self.availability.clone()),
            ("brand", self.brand.clone()),
            ("sku", self.sku.clone()),
            ("rating", rating),
            ("company", self.company.clone()),
            ("location", self.location.clone()),
            ("salary", salary),
            ("employment", self.employment_type.clone()),
            ("yields", self.yields.clone()),
            ("preparation", minutes(self.prep_minutes)),
            ("cooking", minutes(self.cook_minutes)),
            ("total", minutes(self.total_minutes)),
            ("start", self.start.map(|date| date.to_string())),
            ("end", self.end.map(|date| date.to_string())),
            ("venue", self.venue.clone()),
            ("url", self.url.clone()),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

fn section(text: &mut String, section: Option<String>) {
    if let Some(section) = section {
        let between = if text.is_empty() { "" } else { "\n" };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{between}{section}");
    }
}

fn joined(lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn is_web(address: &str) -> bool {
    let is_plain = !address.contains(['<', '>', '\n', '\r', '\\']);
    is_plain && (address.starts_with("https://") || address.starts_with("http://"))
}

/// Text as one line in which nothing is markup.
fn line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => {
                escaped.push('\\');
                escaped.push(character);
            }
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Paragraphs, and lists where lines begin with `- `.
fn paragraphs(text: &str) -> String {
    let lines = text.lines().map(|of_text| match of_text.strip_prefix("- ") {
        Some(item) => format!("- {}", line(item)),
        None => start(&line(of_text)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Escapes the beginning of a line that would start a list or an underlined heading.
fn start(line: &str) -> String {
    let is_markup = line.starts_with(['-', '+', '=']) || line.starts_with(|first: char| first.is_ascii_digit());
    if !is_markup {
        return line.trim_start().to_owned();
    }
    // After a number it is the point that makes a list.
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    if digits == 0 || rest.starts_with(['.', ')']) { format!("{number}\\{rest}") } else { line.to_owned() }
}

fn rows(table: &Table) -> Option<String> {
    let columns = table.rows.iter().chain(std::iter::once(&table.header)).map(Vec::len).max()?;
    let row = |cells: &[String]| {
        let cells = (0..columns).map(|column| cells.get(column).map(|cell| line(cell)).unwrap_or_default());
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let caption = table.caption.as_deref().map(|caption| format!("{}\n\n", line(caption))).unwrap_or_default();
    let lines = [row(&table.header), format!("|{}", " --- |".repeat(columns))].into_iter();
    Some(format!("{caption}{}", lines.chain(table.rows.iter().map(|cells| row(cells))).collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_a_page_of_markdown() {
        let item = ScrapedItem {
            page_type: PageType::Product,
            title: Some("Pot *large*".to_owned()),
            price: Some(Price { amount: "12.50".parse().unwrap(), currency: Some("EUR".to_owned()) }),
            text: Some("For soup.\n\n- holds 5 l\n- <b>red</b>".to_owned()),
            tables: vec![Table {
                caption: None,
                header: vec!["a".to_owned(), "b".to_owned()],
                rows: vec![vec!["1|2".to_owned()]],
            }],
            ..ScrapedItem::default()
        };
        let wanted = "# Pot \\*large\\*\n\n- **price:** 12.50 EUR\n\nFor soup.\n\n- holds 5 l\n- \\<b\\>red\\</b\\>\n\n\
            | a | b |\n| --- | --- |\n| 1\\|2 |  |\n";
        assert_eq!(item.to_markdown(), wanted);
    }

    #[test]
    fn text_of_the_page_does_not_become_markup() {
        let text = Some("# no heading\n- an item\n1. no list\n--- \n<script>x</script> [a](javascript:b)".to_owned());
        let item = ScrapedItem { text, image: Some("javascript:alert(1)".to_owned()), ..ScrapedItem::default() };
        let markdown = item.to_markdown();
        assert_eq!(
            markdown,
            "\\# no heading\n- an item\n1\\. no list\n\\--- \n\\<script\\>x\\</script\\> \\[a\\](javascript:b)\n"
        );
    }
}
