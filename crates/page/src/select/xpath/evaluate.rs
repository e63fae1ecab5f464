//! An expression on a document.

use super::super::effort::Effort;
use super::page::Page;
use super::{Axis, Comparison, Expression, Function, Path, Start, Step, Test};
use crate::document::{Document, NodeId, normalise};

/// Item that a path matches.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// The parent of the page's root element.
    Root,
    Element(NodeId),
    /// The element's text node of this number.
    Text(NodeId, usize, String),
    Attribute(NodeId, String, String),
}

#[derive(Debug, Clone)]
enum Value {
    Items(Vec<Item>),
    Text(String),
    Number(f64),
    Boolean(bool),
}

/// Cost of an item that is kept, in steps.
const STEPS_OF_AN_ITEM: usize = 8;

/// Evaluation context of an expression: an item, its position among the items of the step, and their number.
struct Context<'a> {
    item: &'a Item,
    position: usize,
    last: usize,
}

/// Returns the elements that an expression selects, in document order. A text or an attribute counts as its element.
pub(in super::super) fn evaluate(expression: &Expression, page: &Document, effort: &Effort) -> Vec<NodeId> {
    let page = &Page { document: page, effort };
    let context = Context { item: &Item::Root, position: 1, last: 1 };
    let expression = match expression {
        // As a selector, `normalize-space(//p)` means the `p`.
        Expression::Call(Function::NormalizeSpace | Function::String, arguments) => {
            arguments.first().unwrap_or(expression)
        }
        other => other,
    };
    let Value::Items(items) = value(expression, page, &context) else { return Vec::new() };
    let mut found: Vec<_> = items.iter().filter_map(element_of).collect();
    found.sort_unstable();
    found.dedup();
    found
}

const fn element_of(item: &Item) -> Option<NodeId> {
    match item {
        Item::Root => None,
        Item::Element(node) | Item::Text(node, ..) | Item::Attribute(node, ..) => Some(*node),
    }
}

fn value(expression: &Expression, page: &Page<'_>, context: &Context<'_>) -> Value {
    match expression {
        Expression::Or(left, right) => {
            Value::Boolean(truth(&value(left, page, context)) || truth(&value(right, page, context)))
        }
        Expression::And(left, right) => {
            Value::Boolean(truth(&value(left, page, context)) && truth(&value(right, page, context)))
        }
        Expression::Compare(comparison, left, right) => {
            let (left, right) = (value(left, page, context), value(right, page, context));
            Value::Boolean(compare(*comparison, &left, &right, page))
        }
        Expression::Union(all) => {
            let mut items = Vec::new();
            for one in all {
                if let Value::Items(more) = value(one, page, context) {
                    items.extend(more);
                }
            }
            in_order(&mut items);
            Value::Items(items)
        }
        Expression::Literal(text) => Value::Text(text.clone()),
        Expression::Number(number) => Value::Number(*number),
        Expression::Matches(text, pattern) => {
            Value::Boolean(pattern.is_match(&string(&value(text, page, context), page)))
        }
        Expression::Call(function, arguments) => call(*function, arguments, page, context),
        Expression::Path(path) => Value::Items(walk(path, page, context)),
    }
}

fn walk(path: &Path, page: &Page<'_>, context: &Context<'_>) -> Vec<Item> {
    let mut items = match &path.start {
        Start::Root => vec![Item::Root],
        Start::Here => vec![context.item.clone()],
        Start::Filtered(inner, predicates) => match value(inner, page, context) {
            Value::Items(items) => filter(items, predicates, page),
            Value::Text(_) | Value::Number(_) | Value::Boolean(_) => Vec::new(),
        },
    };
    for step in &path.steps {
        items = take_step(step, &items, page);
    }
    items
}

fn take_step(step: &Step, from: &[Item], page: &Page<'_>) -> Vec<Item> {
    let mut found = Vec::new();
    let mut covered = 0;
    for item in from {
        let before = found.len();
        let reached = reached(step, item, page);
        if step.axis == Axis::DescendantOrSelf && step.predicates.is_empty() {
            // Nested starting points reach the same elements: each is taken once.
            found
                .extend(reached.into_iter().filter(|item| element_of(item).is_none_or(|node| node.index() >= covered)));
            covered = covered.max(match item {
                Item::Root => page.len(),
                Item::Element(node) => page.close(*node),
                Item::Text(..) | Item::Attribute(..) => 0,
            });
        } else {
            found.extend(filter(reached, &step.predicates, page));
        }
        // From each item the same may be reached again.
        if !page.effort.spend((found.len() - before) * STEPS_OF_AN_ITEM) {
            break;
        }
    }
    in_order(&mut found);
    found
}

/// Returns the items that an axis reaches from an item, the nearest first.
fn reached(step: &Step, item: &Item, page: &Page<'_>) -> Vec<Item> {
    let Item::Element(node) = item else {
        return match (item, step.axis) {
            (Item::Root, Axis::Child) => elements(page.nodes().take(1), step, page),
            (Item::Root, Axis::Descendant) => elements(page.nodes(), step, page),
            (Item::Root, Axis::DescendantOrSelf) => {
                let mut all = elements(page.nodes(), step, page);
                if step.test == Test::Node {
                    all.insert(0, Item::Root);
                }
                all
            }
            (Item::Text(node, ..) | Item::Attribute(node, ..), Axis::Parent) => {
                elements(std::iter::once(*node), step, page)
            }
            (_, Axis::Itself) if step.test == Test::Node => vec![item.clone()],
            _ => Vec::new(),
        };
    };
    let node = *node;
    match step.axis {
        Axis::Child if step.test == Test::Text => {
            let texts = page.text_children(node).into_iter().enumerate().take_while(|(_, text)| page.read(text));
            texts.map(|(number, text)| Item::Text(node, number, text)).collect()
        }
        Axis::Child => elements(page.children(node), step, page),
        Axis::Descendant => elements(page.descendants(node), step, page),
        Axis::DescendantOrSelf => elements(std::iter::once(node).chain(page.descendants(node)), step, page),
        Axis::Parent => elements(page.parent(node).into_iter(), step, page),
        Axis::Ancestor => elements(page.ancestors(node), step, page),
        Axis::AncestorOrSelf => elements(std::iter::once(node).chain(page.ancestors(node)), step, page),
        Axis::FollowingSibling => {
            elements(std::iter::successors(page.next_sibling(node), |&next| page.next_sibling(next)), step, page)
        }
        Axis::PrecedingSibling => {
            let parent = page.parent(node);
            let before = parent.into_iter().flat_map(|parent| page.children(parent));
            let mut before: Vec<_> = before.take_while(|sibling| *sibling < node && page.effort.spend(1)).collect();
            before.reverse();
            elements(before.into_iter(), step, page)
        }
        Axis::Following => elements((page.close(node)..page.len()).map(NodeId), step, page),
        Axis::Preceding => {
            let before = page.nodes().take(node.index()).rev();
            let before = before.take_while(|_| page.effort.spend(1)).filter(|other| !page.contains(*other, node));
            elements(before, step, page)
        }
        Axis::Itself => elements(std::iter::once(node), step, page),
        Axis::Attribute => {
            let attributes = page.attributes(node).take_while(|(_, text)| page.read(text));
            let matching = attributes.filter(|(name, _)| match &step.test {
                Test::Any | Test::Node => true,
                Test::Name(wanted) => name == wanted,
                Test::Text => false,
            });
            matching.map(|(name, text)| Item::Attribute(node, name.to_owned(), text.to_owned())).collect()
        }
    }
}

fn elements(nodes: impl Iterator<Item = NodeId>, step: &Step, page: &Page<'_>) -> Vec<Item> {
    // Of `dd[1]` no more than the first is looked for.
    let wanted = match step.predicates.first() {
        Some(Expression::Number(number)) => *number,
        _ => f64::INFINITY,
    };
    nodes
        .take_while(|_| page.effort.spend(1))
        .filter(|node| match &step.test {
            Test::Any | Test::Node => true,
            Test::Name(name) => page.tag(*node) == name,
            Test::Text => false,
        })
        .enumerate()
        .map_while(|(place, node)| (as_number(place) < wanted).then_some(Item::Element(node)))
        .collect()
}

fn filter(mut items: Vec<Item>, predicates: &[Expression], page: &Page<'_>) -> Vec<Item> {
    for predicate in predicates {
        let last = items.len();
        let mut position = 0;
        items.retain(|item| {
            position += 1;
            match value(predicate, page, &Context { item, position, last }) {
                Value::Number(number) => same_number(number, as_number(position)),
                other => truth(&other),
            }
        });
    }
    items
}

fn call(function: Function, arguments: &[Expression], page: &Page<'_>, context: &Context<'_>) -> Value {
    let argument = |place: usize| match arguments.get(place) {
        Some(expression) => value(expression, page, context),
        None => Value::Items(vec![context.item.clone()]),
    };
    let text = |place: usize| string(&argument(place), page);
    match function {
        Function::Contains => Value::Boolean(text(0).contains(&text(1))),
        Function::StartsWith => Value::Boolean(text(0).starts_with(&text(1))),
        Function::EndsWith => Value::Boolean(text(0).ends_with(&text(1))),
        Function::NormalizeSpace => Value::Text(normalise(&text(0))),
        Function::String => Value::Text(text(0)),
        Function::StringLength => Value::Number(as_number(text(0).chars().count())),
        Function::LowerCase => Value::Text(text(0).to_lowercase()),
        Function::Translate => Value::Text(translate(&text(0), &text(1), &text(2))),
        Function::Not => Value::Boolean(!truth(&argument(0))),
        Function::Count => Value::Number(match argument(0) {
            Value::Items(items) => as_number(items.len()),
            Value::Text(_) | Value::Number(_) | Value::Boolean(_) => 0.0,
        }),
        Function::Position => Value::Number(as_number(context.position)),
        Function::Last => Value::Number(as_number(context.last)),
        Function::Name => Value::Text(match argument(0) {
            Value::Items(items) => items.first().map(|item| name(item, page)).unwrap_or_default(),
            Value::Text(_) | Value::Number(_) | Value::Boolean(_) => String::new(),
        }),
        Function::True => Value::Boolean(true),
        Function::False => Value::Boolean(false),
        Function::Concat => Value::Text((0..arguments.len()).map(text).collect()),
    }
}

fn name(item: &Item, page: &Page<'_>) -> String {
    match item {
        Item::Element(node) => page.tag(*node).to_owned(),
        Item::Attribute(_, name, _) => name.clone(),
        Item::Root | Item::Text(..) => String::new(),
    }
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let to: Vec<char> = to.chars().collect();
    text.chars()
        .filter_map(|character| match from.chars().position(|other| other == character) {
            Some(place) => to.get(place).copied(),
            None => Some(character),
        })
        .collect()
}

fn truth(value: &Value) -> bool {
    match value {
        Value::Items(items) => !items.is_empty(),
        Value::Text(text) => !text.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Boolean(boolean) => *boolean,
    }
}

fn string(value: &Value, page: &Page<'_>) -> String {
    match value {
        Value::Items(items) => items.first().map(|item| item_text(item, page)).unwrap_or_default(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(boolean) => boolean.to_string(),
    }
}

fn item_text(item: &Item, page: &Page<'_>) -> String {
    let text = match item {
        Item::Root => page.page_text().to_owned(),
        Item::Element(node) => page.text(*node).into_owned(),
        Item::Text(_, _, text) | Item::Attribute(_, _, text) => text.clone(),
    };
    if page.read(&text) { text } else { String::new() }
}

fn number(value: &Value, page: &Page<'_>) -> f64 {
    match value {
        Value::Number(number) => *number,
        Value::Boolean(boolean) => f64::from(u8::from(*boolean)),
        Value::Items(_) | Value::Text(_) => string(value, page).trim().parse().unwrap_or(f64::NAN),
    }
}

/// As XPath 1.0, section 3.4: a set of items compares as true when one of its items does.
fn compare(comparison: Comparison, left: &Value, right: &Value, page: &Page<'_>) -> bool {
    if let Value::Items(items) = left
        && !matches!(right, Value::Boolean(_))
    {
        return items.iter().any(|item| compare(comparison, &Value::Text(item_text(item, page)), right, page));
    }
    if let Value::Items(items) = right
        && !matches!(left, Value::Boolean(_))
    {
        return items.iter().any(|item| compare(comparison, left, &Value::Text(item_text(item, page)), page));
    }
    let is_boolean = matches!(left, Value::Boolean(_)) || matches!(right, Value::Boolean(_));
    let is_number = matches!(left, Value::Number(_)) || matches!(right, Value::Number(_));
    let equal = if is_boolean {
        truth(left) == truth(right)
    } else if is_number {
        same_number(number(left, page), number(right, page))
    } else {
        string(left, page) == string(right, page)
    };
    match comparison {
        Comparison::Equal => equal,
        Comparison::Unequal => !equal,
        Comparison::Less => number(left, page) < number(right, page),
        Comparison::LessOrEqual => number(left, page) <= number(right, page),
        Comparison::Greater => number(left, page) > number(right, page),
        Comparison::GreaterOrEqual => number(left, page) >= number(right, page),
    }
}

fn same_number(left: f64, right: f64) -> bool {
    (left - right).abs() < f64::EPSILON
}

fn as_number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Document order, each once: the root, then elements, their attributes and texts.
fn in_order(items: &mut Vec<Item>) {
    fn key(item: &Item) -> (usize, usize, usize, &str) {
        match item {
            Item::Root => (0, 0, 0, ""),
            Item::Element(node) => (node.index() + 1, 0, 0, ""),
            Item::Attribute(node, name, _) => (node.index() + 1, 1, 0, name),
            Item::Text(node, number, _) => (node.index() + 1, 2, *number, ""),
        }
    }
    items.sort_by(|left, right| key(left).cmp(&key(right)));
    items.dedup_by(|left, right| key(left) == key(right));
}

#[cfg(test)]
mod tests {
    use crate::{Document, Selector};

    const PAGE: &str = "<div class='list big'><dl><dt>Price:</dt><dd>12</dd><dt> Size: </dt><dd>M</dd></dl>\
        <p>one<b>x</b></p><p><b>two</b></p><p class=note>MORE: three</p></div><div><p>four</p></div>";

    fn texts(selector: &str) -> Vec<String> {
        let page = Document::parse(PAGE);
        let selector = Selector::parse(&format!("xpath:{selector}")).unwrap();
        page.select(&selector).into_iter().map(|node| page.text(node).into_owned()).collect()
    }

    #[test]
    fn paths_lead_where_they_say() {
        assert_eq!(texts("//dt[normalize-space()='Size:']/following-sibling::dd[1]"), ["M"]);
        assert_eq!(texts("//div[contains(@class,'list')]/p[text()]"), ["onex", "MORE: three"]);
        assert_eq!(texts("//div[@class='list big']//p[not(@class) and not(text())]"), ["two"]);
        assert_eq!(texts("(//div)[2]/p"), ["four"]);
        assert_eq!(texts("//div/p[1]"), ["onex", "four"]);
        assert_eq!(texts("//p[last()]|//dt[1]"), ["Price:", "MORE: three", "four"]);
        assert_eq!(texts("//b/.."), ["onex", "two"]);
        assert_eq!(texts("//p[position()>1 and not(re:test(string(), '^MORE:'))]"), ["two"]);
        assert_eq!(texts("//dd[preceding-sibling::dd]"), ["M"]);
        assert_eq!(texts("//p[ancestor::div[@class]][string-length(text()) > 5]"), ["MORE: three"]);
        assert_eq!(texts("normalize-space(//dd[.='12']/text()[last()])"), ["12"]);
        assert_eq!(texts("/html/body/div[2]/p"), ["four"]);
        assert_eq!(texts("//dl/*[3][self::dt]|//p[2][b]|//p[1.5]|//b[0]"), ["Size:", "two"]);
        assert_eq!(texts("//p[count(b)=1 or starts-with(., 'four')]"), ["onex", "two", "four"]);
        assert_eq!(texts("//div//div"), Vec::<String>::new());
    }

    #[test]
    fn errors_say_where() {
        let error = Selector::parse("xpath://p[foo(1)]").unwrap_err().to_string();
        assert!(error.contains("character 5"), "{error}");
        assert!(Selector::parse(&format!("xpath://p{}", "[p".repeat(500))).is_err());
    }
}
