//! Labelled values: `<dt>` and `<dd>`, tables and rows of two, and those of `text_labels`. The label is the field's name.

use std::collections::BTreeMap;

use autoheal_page::recipe::{Field, NodeTake, Source};
use autoheal_page::relocate::is_known;
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::{Document, NodeId, Selector};

use super::conversion::conversion_of;
use super::labelled_value::{Labelled, labelled};
use super::naming::field_name;
use super::text_labels::{of_text_before, of_texts, several_or_known};
use super::zones::Zones;

/// A page with more labels is a table of everything.
const MOST: usize = 100;
/// Maximum number of elements in a list of labels or a table: lists may be nested in lists thousands of times.
const MOST_ELEMENTS: usize = 3000;

/// Returns a field for each label that the page has exactly once. The fields are optional, since labelled values may come and go.
pub(crate) fn by_labels(page: &Document, zones: &Zones) -> Vec<Field> {
    let (mut found, mut before) = (Vec::new(), Vec::new());
    for node in page.nodes().filter(|node| !zones.is_beside(*node)) {
        if found.len() + before.len() > MOST {
            return Vec::new();
        }
        match page.tag(node) {
            "dl" | "table" if page.descendants(node).len() > MOST_ELEMENTS => {}
            "dl" => found.extend(of_description_list(page, node)),
            "table" => found.extend(of_rows(page, &table_rows(page, node), true)),
            // Their labels are looked at with the whole.
            "dt" | "dd" | "tr" | "td" | "th" | "thead" | "tbody" => {}
            _ => {
                found.extend(of_rows(page, &alike_children(page, node), false));
                before.extend(page.parent(node).zip(of_text_before(page, node)));
            }
        }
    }
    found.extend(several_or_known(page, before));
    found.extend(of_texts(page, zones));
    fields(page, &found)
}

fn fields(page: &Document, found: &[Labelled]) -> Vec<Field> {
    let mut by_name: BTreeMap<String, Vec<&Labelled>> = BTreeMap::new();
    let mut order = Vec::new();
    for labelled in found {
        let Some(name) = field_name(&labelled.label) else { continue };
        let all = by_name.entry(name.as_str().to_owned()).or_default();
        if all.is_empty() {
            order.push(name);
        }
        // One value may be found in two ways.
        if all.iter().all(|other| !page.contains(other.node, labelled.node)) {
            all.push(labelled);
        }
    }
    let field = |name: autoheal_page::recipe::FieldName| {
        // A label that occurs twice labels two things, and nothing distinguishes them.
        let [only] = by_name.get(name.as_str())?.as_slice() else { return None };
        let source = Source::Nodes { select: selector(page, only)?, take: NodeTake::Text };
        let conversion = conversion_of(&std::iter::once(only.text.as_str()));
        Some(Field {
            steps: only.steps.clone(),
            conversion,
            required: false,
            example: vec![only.text.clone()],
            ..Field::new(name, source)
        })
    };
    order.into_iter().filter_map(field).collect()
}

/// Returns a selector for the value: by a name, else by its label, else by its position.
fn selector(page: &Document, labelled: &Labelled) -> Option<Selector> {
    let robust = robust_selector(&[(page, &[labelled.node])]);
    if robust.as_ref().is_some_and(|selector| !is_by_position(selector.source())) {
        return robust;
    }
    let by_label = labelled.by_label.as_deref().and_then(|path| Selector::parse(&format!("xpath:{path}")).ok());
    by_label.filter(|selector| page.select(selector) == [labelled.node]).or(robust)
}

/// Returns whether a selector depends on positions or on tags alone: another row would change what it gives.
pub(crate) fn is_by_position(selector: &str) -> bool {
    !selector.starts_with("xpath:") && (selector.contains(":nth-") || !is_by_name(selector))
}

/// Returns whether a selector has a class, id or attribute in it, and not only tags.
fn is_by_name(selector: &str) -> bool {
    selector.contains(['.', '#', '['])
}

fn of_description_list(page: &Document, list: NodeId) -> Vec<Labelled> {
    // Rows may be wrapped: `<dl><div><dt>…<dd>…</div></dl>`.
    let parts: Vec<NodeId> = page
        .descendants(list)
        .filter(|node| matches!(page.tag(*node), "dt" | "dd"))
        .filter(|node| page.ancestors(*node).find(|above| page.tag(*above) == "dl") == Some(list))
        .collect();
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let next = |offset: usize| parts.get(index + offset).filter(|node| page.tag(**node) == "dd");
        // A term with several descriptions is a list, and a list of terms is an explanation of words.
        if page.tag(*part) == "dt"
            && let (Some(value), None) = (next(1), next(2))
        {
            found.extend(labelled(page, *part, *value, "following-sibling::dd[1]", true));
        }
    }
    found
}

/// The rows of a table, when it has two columns.
fn table_rows(page: &Document, table: NodeId) -> Vec<NodeId> {
    let rows: Vec<NodeId> = page
        .descendants(table)
        .filter(|node| page.tag(*node) == "tr")
        .filter(|node| page.ancestors(*node).find(|above| page.tag(*above) == "table") == Some(table))
        .collect();
    let of_two = rows.iter().filter(|row| page.children(**row).count() == 2).count();
    let has_tables = page.descendants(table).any(|node| page.tag(node) == "table");
    if of_two * 10 >= rows.len() * 8 && !has_tables { rows } else { Vec::new() }
}

/// The children with one tag and the same class names, of elements that make rows without being a table.
pub(super) fn alike_children(page: &Document, node: NodeId) -> Vec<NodeId> {
    let rows: Vec<NodeId> = page.children(node).filter(|child| is_row(page, *child)).collect();
    let alike = |row: &NodeId| {
        rows.first().is_some_and(|first| {
            page.tag(*first) == page.tag(*row) && page.attribute(*first, "class") == page.attribute(*row, "class")
        })
    };
    if rows.len() >= 2 && rows.iter().all(alike) { rows } else { Vec::new() }
}

fn is_row(page: &Document, node: NodeId) -> bool {
    let mut children = page.children(node);
    let (first, second, third) = (children.next(), children.next(), children.next());
    first.is_some() && second.is_some() && third.is_none() && page.own_text(node).is_empty()
}

/// Rows of two cells, the first of which labels the second. Without `<th>` or colons something must be known by its name, or two
/// columns of anything would do.
fn of_rows(page: &Document, rows: &[NodeId], is_table: bool) -> Vec<Labelled> {
    let mut found = Vec::new();
    let (mut told, mut cells) = (0_usize, 0_usize);
    for row in rows {
        let mut children = page.children(*row);
        let (Some(label), Some(value), None) = (children.next(), children.next(), children.next()) else { continue };
        cells += 1;
        if page.tag(value) == "th" {
            // A row of headers: the table has columns, not labels.
            return Vec::new();
        }
        let Some(one) = labelled(page, label, value, "following-sibling::*[1]", false) else { continue };
        let is_told = page.tag(label) == "th" || one.label.ends_with(':') || is_known(one.label.as_str());
        told += usize::from(is_told);
        found.push(one);
    }
    let is_enough = told > 0 && told * 2 >= cells && (is_table || cells >= 2);
    if is_enough { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use autoheal_page::recipe::Recipe;

    use super::*;

    /// Name, type, value and selector of each field.
    fn found(html: &str) -> Vec<(String, String, String, String)> {
        let page = Document::parse(html);
        let fields = by_labels(&page, &Zones::of(&page));
        let Ok(recipe) = Recipe::new(fields) else { return Vec::new() };
        let extraction = recipe.apply(&page, None);
        let one = |field: &Field| {
            let outcome = extraction.records[0].field(field.name.as_str()).unwrap();
            let value =
                outcome.values.first().map_or_else(|| format!("{:?}", outcome.misses), |one| one.value.to_string());
            let select = field.select().unwrap().source().to_owned();
            (field.name.to_string(), field.value_type().to_string(), value, select)
        };
        recipe.fields().iter().map(one).collect()
    }

    fn values(html: &str) -> Vec<String> {
        found(html).into_iter().map(|(name, kind, value, _)| format!("{name} {kind} {value}")).collect()
    }

    const TERMS: &str =
        "<dl><dt>Price</dt><dd>12,50 €</dd><dt>Released</dt><dd>5 March 2026</dd><dt>Weight</dt><dd>2 kg</dd></dl>";

    #[test]
    fn terms_and_their_descriptions() {
        assert_eq!(values(TERMS), ["price money 12.50 EUR", "released date 2026-03-05", "weight text 2 kg"]);
        let wrapped =
            "<dl><div><dt>Size:</dt><dd><span>40</span></dd></div><div><dt>Tags</dt><dd>a</dd><dd>b</dd></div></dl>";
        assert_eq!(values(wrapped), ["size number 40"], "a list is not one value");
    }

    #[test]
    fn a_value_without_a_name_is_found_by_its_label() {
        let page = Document::parse(&TERMS.replace("<dl>", "<dl><dt>Maker</dt><dd>Ada</dd>"));
        for (name, _, value, select) in found(TERMS) {
            assert!(select.starts_with("xpath://dt[normalize-space()="), "{select}");
            let nodes = page.select(&Selector::parse(&select).unwrap());
            assert_eq!(nodes.len(), 1, "{name}");
            assert!(value != "Ada" && page.text(nodes[0]) != "Ada");
        }
        let named = "<p>Number: <span class=sku>SKU-1</span></p>";
        assert_eq!(found(named)[0].3, ".sku", "a name is better");
    }

    #[test]
    fn tables_and_rows_of_two() {
        let table = "<table><tr><th>Maker</th><td>Ada</td></tr><tr><th>Year</th><td>1999</td></tr></table>";
        assert_eq!(values(table), ["maker text Ada", "year number 1999"]);
        let rows = "<div><div class=row><div>Price</div><div><b>3 €</b></div></div>
            <div class=row><div>Part number</div><div>A-1</div></div></div>";
        assert_eq!(values(rows), ["price money 3 EUR", "part_number text A-1"]);
    }

    #[test]
    fn labels_within_a_text() {
        assert_eq!(
            values("<ul><li>Servings: 4</li><li>Level: easy</li></ul>"),
            ["servings number 4", "level text easy"]
        );
        assert_eq!(
            values("<ul><li><b>Servings:</b> 4</li><li><b>Level:</b> easy</li></ul>"),
            ["servings number 4", "level text easy"]
        );
        assert_eq!(values("<p><span>Author:</span> <span>Ada</span></p>"), ["author text Ada"]);
    }

    #[test]
    fn what_labels_nothing_is_left_alone() {
        for html in [
            "<p>Note: this is what somebody says about it.</p>",
            "<h2>Breaking: <b>News</b></h2>",
            "<nav><dl><dt>Home</dt><dd>Start</dd></dl></nav>",
            "<table><tr><th>Name</th><th>Price</th></tr><tr><td>Lamp</td><td>3 €</td></tr></table>",
            "<table><tr><td>Lamp</td><td>3 €</td></tr><tr><td>Chair</td><td>4 €</td></tr></table>",
            "<ul><li><a href=1>Lamp</a><span>3 €</span></li><li><a href=2>Chair</a><span>4 €</span></li></ul>",
            "<dl><dt>Price</dt><dd>1 €</dd></dl><dl><dt>Price</dt><dd>2 €</dd></dl>",
            "<p>12:30: <b>Start</b></p>",
            "<p>On the judge's closing words: <em>a report</em></p>",
            "<div><b>On the judge's words:</b> <i>a report</i></div>",
            "<p>On the defence: <em>calm and slow</em></p>",
        ] {
            assert_eq!(found(html), Vec::new(), "{html}");
        }
    }
}
