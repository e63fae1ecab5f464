//! Sitemaps of webscraper.io, as its browser extension exports them: selectors that name the selectors they are below.

use std::cell::Cell;

use autoheal_page::recipe::{NextPage, NodeTake};
use serde::Deserialize;
use serde_json::Value;

use super::addresses::addresses_of;
use super::draft::{Draft, Part};
use super::scope::Scope;
use super::sitemap::{Addresses, Document, Entry, Kind, ROOT};
use super::{Format, ImportError, Imported};

/// Elements may be nested so deep.
const DEEPEST: usize = 8;
/// Maximum number of visits to selectors in total: a selector may have several parents, and each of these as well.
const MOST_VISITS: usize = 5000;
/// Maximum number of pages that a rule for the next page leads to; a sitemap has no such limit.
const NEXT_PAGES: u32 = 10;

pub(super) fn read(value: &Value) -> Result<Imported, ImportError> {
    let format = Format::WebScraper;
    let document = Document::deserialize(value)
        .map_err(|error| ImportError::NotUnderstood { format, message: error.to_string() })?;
    let mut draft = Draft::new(format);
    draft.name = document.id.filter(|id| !id.trim().is_empty());
    let addresses = match document.start_url {
        Addresses::One(one) => vec![one],
        Addresses::Several(several) => several,
        Addresses::None => Vec::new(),
    };
    for address in addresses {
        match addresses_of(&address) {
            Some((urls, are_more)) => {
                draft.urls.extend(urls);
                if are_more {
                    draft.note(format!("{address:?} represents more pages than are imported"));
                }
            }
            None => draft.note(format!("{address:?} is not the address of a page")),
        }
    }
    Sitemap { entries: &document.selectors, visits: Cell::new(0) }.take_over(&mut draft)?;
    draft.finished()
}

struct Sitemap<'a> {
    entries: &'a [Entry],
    visits: Cell<usize>,
}

impl Sitemap<'_> {
    fn take_over(&self, draft: &mut Draft) -> Result<(), ImportError> {
        for entry in self.entries {
            if entry.kind().is_none() {
                let kind = &entry.kind;
                return Err(draft.wrong(&entry.id, format!("the type of selector `{kind}` is unknown; remove it")));
            }
            let is_waiting = match &entry.delay {
                Value::Number(number) => number.as_f64().is_some_and(|delay| delay > 0.0),
                Value::String(text) => !matches!(text.trim(), "" | "0"),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
            };
            if is_waiting {
                draft.note(format!("`{}` does not wait: a recipe's `request.wait` is for the whole page", entry.id));
            }
        }
        // Selectors below a rule for the next page apply to each of the pages.
        let mut roots = vec![ROOT];
        for entry in self.entries.iter().filter(|entry| is_next(entry)) {
            next_page(draft, entry)?;
            roots.push(&entry.id);
        }
        let is_root =
            |entry: &&Entry| roots.iter().any(|root| entry.is_below(root)) && !roots.contains(&entry.id.as_str());
        let top: Vec<&Entry> = self.entries.iter().filter(is_root).collect();
        let page = Scope::parse("body", false).map_err(|problem| draft.wrong(ROOT, problem))?;
        let is_items = |entry: &&&Entry| {
            let has_fields = self.entries.iter().any(|other| other.is_below(&entry.id));
            entry.multiple && has_fields && matches!(entry.kind(), Some(Kind::Element(_)))
        };
        let mut lists = top.iter().filter(is_items);
        let table = top.iter().find(|entry| entry.kind() == Some(Kind::Table));
        if let Some(items) = lists.next() {
            for other in top.iter().filter(|entry| entry.id != items.id) {
                draft.note(format!(
                    "`{}` is left out: it is not below the items `{}`; make it a separate source",
                    other.id, items.id
                ));
            }
            let scope = page.below(&items.selector).map_err(|problem| draft.wrong(&items.id, problem))?;
            draft.items = Some(scope.clone());
            note_kind(draft, items);
            self.children(draft, &scope, &scope, &items.id, 0)
        } else if let (Some(table), [_]) = (table, top.as_slice()) {
            rows_of_table(draft, &page, table)
        } else {
            for entry in top {
                self.entry(draft, &page, &page, entry, 0)?;
            }
            Ok(())
        }
    }

    fn children(
        &self,
        draft: &mut Draft,
        items: &Scope,
        scope: &Scope,
        id: &str,
        depth: usize,
    ) -> Result<(), ImportError> {
        for child in self.entries.iter().filter(|entry| entry.is_below(id) && entry.id != id) {
            self.entry(draft, items, scope, child, depth)?;
        }
        Ok(())
    }

    /// One selector below a scope, which is the page, its items, or an element in them.
    fn entry(
        &self,
        draft: &mut Draft,
        items: &Scope,
        scope: &Scope,
        entry: &Entry,
        depth: usize,
    ) -> Result<(), ImportError> {
        self.visits.set(self.visits.get() + 1);
        if self.visits.get() > MOST_VISITS {
            return Err(draft.wrong(&entry.id, "the selectors are below each other too often: simplify the sitemap"));
        }
        let Some(kind) = entry.kind() else { return Ok(()) };
        let is_itself = entry.selector.trim() == "_parent_";
        let selected = match kind {
            Kind::Unknown(_) => Ok(scope.clone()),
            _ if is_itself => Ok(scope.clone()),
            Kind::Element(_) => scope.around(&entry.selector),
            _ if scope == items => scope.below(&entry.selector),
            _ => scope.around(&entry.selector),
        };
        let selected = selected.map_err(|problem| draft.wrong(&entry.id, problem))?;
        let part = Part { many: entry.multiple, ..Part::text(&entry.id, selected.clone()) };
        match kind {
            Kind::Element(_) if depth >= DEEPEST || entry.multiple => {
                draft.note(format!(
                    "`{}` is left out: a list within a list; make its items a separate source",
                    entry.id
                ));
                Ok(())
            }
            Kind::Element(_) => {
                note_kind(draft, entry);
                self.children(draft, items, &selected, &entry.id, depth + 1)
            }
            Kind::Text => match pattern(draft, entry) {
                None => Ok(()),
                Some(steps) => draft.add(Part { steps, ..part }),
            },
            Kind::Html => match pattern(draft, entry) {
                None => Ok(()),
                Some(steps) => draft.add(Part { take: NodeTake::Html, steps, ..part }),
            },
            Kind::Attribute | Kind::Image | Kind::Group => {
                let by_kind = if kind == Kind::Image { Some("src") } else { None };
                let attribute =
                    entry.extract_attribute.as_deref().or(by_kind).map(str::trim).filter(|name| !name.is_empty());
                let many = entry.multiple || kind == Kind::Group;
                match attribute {
                    Some(name)
                        if name
                            .chars()
                            .all(|character| character.is_ascii_alphanumeric() || "-_:.".contains(character)) =>
                    {
                        let is_address = matches!(name, "src" | "href");
                        let take = NodeTake::Attribute(name.to_ascii_lowercase());
                        draft.add(Part { take, many, is_address, ..part })
                    }
                    None if kind == Kind::Group => draft.add(Part { many, ..part }),
                    Some(_) | None => {
                        Err(draft.wrong(&entry.id, "its `extractAttribute` is missing or not the name of an attribute"))
                    }
                }
            }
            Kind::Link => {
                for behind in self.entries.iter().filter(|other| other.is_below(&entry.id) && other.id != entry.id) {
                    draft.note(format!(
                        "`{}` is left out: it is on the pages behind `{}`; make these a separate source",
                        behind.id, entry.id
                    ));
                }
                let address = format!("{}-href", entry.id);
                let link = Part {
                    take: NodeTake::Attribute("href".to_owned()),
                    is_address: true,
                    many: entry.multiple,
                    ..Part::text(&address, selected)
                };
                draft.add(part)?;
                draft.add(link)
            }
            Kind::Table => {
                draft.note(format!(
                    "`{}` is left out: a table next to other selectors; make its rows a separate source",
                    entry.id
                ));
                Ok(())
            }
            // Looked at with the page.
            Kind::Pagination => Ok(()),
            Kind::Unknown(reason) => {
                draft.note(format!("`{}` is left out: {reason}", entry.id));
                Ok(())
            }
        }
    }
}

/// Returns whether a selector leads to the next page: by its type, or, as in older sitemaps, as a link below itself.
fn is_next(entry: &Entry) -> bool {
    entry.kind() == Some(Kind::Pagination) || (entry.kind() == Some(Kind::Link) && entry.is_below(&entry.id))
}

fn next_page(draft: &mut Draft, entry: &Entry) -> Result<(), ImportError> {
    if matches!(entry.pagination_type.as_deref(), Some("clickMore" | "clickOnce" | "scrollDown")) {
        draft.note(format!("`{}` is left out: nothing is clicked or scrolled; only the first page is read", entry.id));
    } else if draft.next.is_some() {
        draft.note(format!("`{}` is left out: there is one rule for the next page", entry.id));
    } else {
        let page = Scope::parse("body", false).and_then(|page| page.below(&entry.selector));
        let select = page.and_then(|scope| scope.selector()).map_err(|problem| draft.wrong(&entry.id, problem))?;
        draft.next = Some(NextPage { select, take: NodeTake::Attribute("href".to_owned()), limit: NEXT_PAGES });
        draft.note(format!("`{}` leads to at most {NEXT_PAGES} pages", entry.id));
    }
    Ok(())
}

fn note_kind(draft: &mut Draft, entry: &Entry) {
    if let Some(Kind::Element(Some(action))) = entry.kind() {
        draft.note(format!("`{}` is what the page shows without {action}", entry.id));
    }
}

/// The rows of a table as items. Its columns are known by their places.
fn rows_of_table(draft: &mut Draft, page: &Scope, table: &Entry) -> Result<(), ImportError> {
    let rows = table.table_data_row_selector.as_deref().filter(|rows| !rows.trim().is_empty()).unwrap_or("tbody tr");
    let scope = page.below(&table.selector).and_then(|table| table.around(rows));
    let scope = scope.map_err(|problem| draft.wrong(&table.id, problem))?;
    draft.items = Some(scope.clone());
    for (place, column) in table.columns.iter().enumerate().filter(|(_, column)| column.extract) {
        let name = if column.name.trim().is_empty() { &column.header } else { &column.name };
        let cell =
            scope.below(&format!("td:nth-child({})", place + 1)).map_err(|problem| draft.wrong(name, problem))?;
        draft.add(Part::text(name, cell))?;
    }
    if draft.has_fields() {
        draft.note(format!("the columns of `{}` are known by their places", table.id));
    }
    Ok(())
}

/// The pattern of a selector; its whole match counts, whatever groups it has. None when it cannot be used, which is a note.
fn pattern(draft: &mut Draft, entry: &Entry) -> Option<Vec<autoheal_page::transform::TextStep>> {
    match entry.regex.as_deref().filter(|pattern| !pattern.is_empty()) {
        None => Some(Vec::new()),
        Some(pattern) => draft.pattern(&entry.id, &format!("({pattern})")).map(|step| vec![step]),
    }
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;
    use serde_json::json;

    use super::*;
    use crate::import::recipe_of;

    const SITEMAP: &str = r#"{"_id": "lamps", "startUrl": ["https://example.org/lamps?page=[1-2]"], "selectors": [
        {"id": "pages", "parentSelectors": ["_root", "pages"], "paginationType": "auto", "selector": "a.next", "type": "SelectorPagination"},
        {"id": "lamp", "parentSelectors": ["_root", "pages"], "type": "SelectorElement", "selector": "li.lamp", "multiple": true, "delay": 0},
        {"id": "title", "parentSelectors": ["lamp"], "type": "SelectorText", "selector": "h3", "multiple": false, "regex": "", "delay": 0},
        {"id": "watts", "parentSelectors": ["lamp"], "type": "SelectorText", "selector": "p", "multiple": false, "regex": "(\\d)+", "delay": 500},
        {"id": "link", "parentSelectors": ["lamp"], "type": "SelectorLink", "selector": "a", "multiple": false},
        {"id": "Höhe", "parentSelectors": ["lamp"], "type": "SelectorElementAttribute", "selector": "_parent_", "multiple": false, "extractAttribute": "data-height"},
        {"id": "box", "parentSelectors": ["lamp"], "type": "SelectorElement", "selector": ".box", "multiple": false},
        {"id": "picture", "parentSelectors": ["box"], "type": "SelectorImage", "selector": "img", "multiple": false},
        {"id": "text", "parentSelectors": ["link"], "type": "SelectorText", "selector": ".text", "multiple": false},
        {"id": "zoom", "parentSelectors": ["lamp"], "type": "SelectorPopupLink", "selector": ".zoom", "multiple": false}]}"#;

    const PAGE: &str = "<ul><li class=lamp data-height=10><h3><a href=/1>One</a></h3><p>40 W</p><div class=box><img src=1.png></div></li>
        <li class=lamp data-height=20><h3><a href=/2>Two</a></h3><p>60 W</p><div class=box><img src=2.png></div></li></ul>
        <a class=next href='?page=2'>Next</a>";

    fn values(imported: &Imported, page: &str) -> Value {
        let base = url::Url::parse("https://example.org/").ok();
        crate::validation::values(&imported.recipe, &imported.recipe.apply(&Document::parse(page), base.as_ref()))
    }

    #[test]
    fn a_sitemap_gives_what_it_gave() {
        let imported = recipe_of(SITEMAP).unwrap();
        assert_eq!(
            (imported.format, imported.name.as_deref(), imported.urls.len()),
            (Format::WebScraper, Some("lamps"), 2)
        );
        let item = |n: u32, name: &str, watts: &str| {
            json!({"title": name, "watts": watts, "link": name, "link-href": format!("https://example.org/{n}"),
                "hohe": format!("{n}0"), "picture": format!("https://example.org/{n}.png")})
        };
        assert_eq!(values(&imported, PAGE), json!([item(1, "One", "40"), item(2, "Two", "60")]));
        let next = imported.recipe.next().unwrap();
        assert_eq!((next.select.source(), next.limit), ("a.next", 10));
        for told in
            ["10 pages", "`watts` does not wait", "`Höhe` is called `hohe`", "`text` is left out", "`zoom` is left out"]
        {
            assert!(imported.notes.iter().any(|note| note.contains(told)), "{told}: {:?}", imported.notes);
        }
    }

    #[test]
    fn selectors_of_the_page_are_a_page_about_one_thing() {
        let sitemap = r#"{"_id": "one", "startUrl": "https://example.org/1", "selectors": [
            {"id": "title", "parentSelectors": ["_root"], "type": "SelectorText", "selector": "h3", "multiple": false},
            {"id": "all", "parentSelectors": ["_root"], "type": "SelectorText", "selector": "h3", "multiple": true}]}"#;
        assert_eq!(values(&recipe_of(sitemap).unwrap(), PAGE), json!({"title": "One", "all": ["One", "Two"]}));
    }

    #[test]
    fn a_table_is_a_list_of_its_rows() {
        let sitemap = r#"{"_id": "t", "selectors": [{"id": "t", "parentSelectors": ["_root"], "type": "SelectorTable", "selector": "table",
            "multiple": true, "tableDataRowSelector": "tr:nth-of-type(n+2)", "tableHeaderRowSelector": "tr:nth-of-type(1)",
            "columns": [{"header": "Name", "name": "Name", "extract": true}, {"header": "x", "name": "x", "extract": false},
                        {"header": "Year", "name": "Year", "extract": true}]}]}"#;
        let page = "<table><tr><th>Name<th>x<th>Year<tr><td>Ada<td>1<td>1815<tr><td>Alan<td>2<td>1912</table>";
        assert_eq!(
            values(&recipe_of(sitemap).unwrap(), page),
            json!([{"Name": "Ada", "Year": "1815"}, {"Name": "Alan", "Year": "1912"}])
        );
    }

    #[test]
    fn what_cannot_be_said_is_refused_with_its_name() {
        let with = |entry: &str| format!(r#"{{"_id": "a", "startUrl": ["nowhere"], "selectors": [{entry}]}}"#);
        for (entry, told) in [
            (
                r#"{"id": "title", "type": "SelectorText", "parentSelectors": ["_root"], "selector": "h3:first"}"#,
                "the field `title`",
            ),
            (
                r#"{"id": "x", "type": "SelectorDance", "parentSelectors": ["_root"], "selector": "a"}"#,
                "`SelectorDance`",
            ),
            (
                r#"{"id": "x", "type": "SelectorElementAttribute", "parentSelectors": ["_root"], "selector": "a"}"#,
                "extractAttribute",
            ),
            (
                r#"{"id": "x", "type": "SelectorPopupLink", "parentSelectors": ["_root"], "selector": "a"}"#,
                "`x` is left out: a window",
            ),
            (
                r#"{"id": "x", "type": "SelectorText", "parentSelectors": ["_root"], "selector": "a", "regex": "(?!x)"}"#,
                "`x` is left out",
            ),
            (
                r#"{"id": "x", "type": "SelectorElement", "parentSelectors": ["_root"], "selector": "a", "multiple": true}"#,
                "no part of",
            ),
            (r#"{"type": "SelectorText"}"#, "missing field `id`"),
        ] {
            let error = recipe_of(&with(entry)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn selectors_in_a_circle_end() {
        let sitemap = r#"{"_id": "a", "selectors": [
            {"id": "a", "type": "SelectorElement", "parentSelectors": ["_root", "b"], "selector": "div"},
            {"id": "b", "type": "SelectorElement", "parentSelectors": ["a"], "selector": "p"}]}"#;
        assert!(recipe_of(sitemap).is_err());
    }

    #[test]
    fn selectors_that_are_all_below_each_other_end() {
        let ids: Vec<String> = (0..30).map(|n| format!("\"e{n}\"")).collect();
        let parents = format!("[\"_root\", {}]", ids.join(", "));
        let entry = |id: &String| {
            format!(r#"{{"id": {id}, "type": "SelectorElement", "parentSelectors": {parents}, "selector": "div"}}"#)
        };
        let entries: Vec<String> = ids.iter().map(entry).collect();
        let error = recipe_of(&format!(r#"{{"_id": "a", "selectors": [{}]}}"#, entries.join(", "))).unwrap_err();
        assert!(error.to_string().contains("too often"), "{error}");
    }
}
