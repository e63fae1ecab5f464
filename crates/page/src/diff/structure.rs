//! A page as lines: the nearest steps of the way to each element, and the beginning of the text of those that hold text alone.

use std::collections::HashMap;

use crate::document::{Document, NodeId, first_characters};

/// How many steps of the way are part of a line. With all of them one wrapper would change every line below it, and a deep page
/// would have lines of its depth.
const STEPS: usize = 4;
/// How much of a text is part of a line, in characters.
const LEAD: usize = 50;
/// How much of a step's name is part of a line, in characters.
const LONGEST_STEP: usize = 80;

/// Elements that are left out with everything in them.
const LEFT_OUT: &[&str] = &["script", "style", "svg", "noscript", "template"];

/// A step of a way, such as `ul.list`, by number.
type Step = u32;

/// A line before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Entry<'a> {
    /// The element's own step last.
    steps: [Option<Step>; STEPS],
    lead: &'a str,
}

/// The element of a line and what its line is called: equal keys are equal lines.
pub(super) struct Placed<'a> {
    pub(super) node: NodeId,
    entry: Entry<'a>,
    key: u32,
}

/// Two pages as lines.
pub(super) struct Structures<'a> {
    pub(super) old: Vec<Placed<'a>>,
    pub(super) new: Vec<Placed<'a>>,
    steps: Steps<'a>,
}

/// The names of steps. Two classes in another order are another step.
#[derive(Default)]
struct Steps<'a> {
    numbers: HashMap<(&'a str, &'a str), Step>,
    names: Vec<(&'a str, &'a str)>,
}

impl<'a> Steps<'a> {
    fn number(&mut self, tag: &'a str, classes: &'a str) -> Option<Step> {
        if let Some(number) = self.numbers.get(&(tag, classes)) {
            return Some(*number);
        }
        let number = Step::try_from(self.names.len()).ok()?;
        self.names.push((tag, classes));
        self.numbers.insert((tag, classes), number);
        Some(number)
    }

    fn write(&self, step: Step, text: &mut String) {
        let Some((tag, classes)) = usize::try_from(step).ok().and_then(|step| self.names.get(step)) else { return };
        text.push_str(tag);
        let mut rest = LONGEST_STEP;
        for class in classes.split_ascii_whitespace() {
            let class = first_characters(class, rest);
            if class.is_empty() {
                break;
            }
            text.push('.');
            text.push_str(class);
            rest -= class.chars().count();
        }
    }
}

impl<'a> Structures<'a> {
    pub(super) fn of(old: &'a Document, new: &'a Document) -> Self {
        let mut steps = Steps::default();
        let mut keys: HashMap<Entry<'a>, u32> = HashMap::new();
        let old = lines_of(old, &mut steps, &mut keys);
        let new = lines_of(new, &mut steps, &mut keys);
        Self { old, new, steps }
    }

    pub(super) fn old_keys(&self) -> Vec<u32> {
        self.old.iter().map(|placed| placed.key).collect()
    }

    pub(super) fn new_keys(&self) -> Vec<u32> {
        self.new.iter().map(|placed| placed.key).collect()
    }

    pub(super) fn old_text(&self, line: usize) -> String {
        self.old.get(line).map(|placed| self.text(&placed.entry)).unwrap_or_default()
    }

    pub(super) fn new_text(&self, line: usize) -> String {
        self.new.get(line).map(|placed| self.text(&placed.entry)).unwrap_or_default()
    }

    fn text(&self, entry: &Entry<'_>) -> String {
        let mut text = String::new();
        for step in entry.steps.iter().flatten() {
            if !text.is_empty() {
                text.push_str(" > ");
            }
            self.steps.write(*step, &mut text);
        }
        if !entry.lead.is_empty() {
            text.push_str(": ");
            text.push_str(entry.lead);
        }
        text
    }
}

fn lines_of<'a>(page: &'a Document, steps: &mut Steps<'a>, keys: &mut HashMap<Entry<'a>, u32>) -> Vec<Placed<'a>> {
    // The line of an element begins with the last steps of its parent's, which came before it.
    let mut ways: Vec<[Option<Step>; STEPS]> = vec![[None; STEPS]; page.len()];
    let mut lines = Vec::with_capacity(page.len());
    let mut left_out_until = 0;
    for node in page.nodes() {
        if node.index() < left_out_until {
            continue;
        }
        let tag = page.tag(node);
        if LEFT_OUT.contains(&tag) {
            left_out_until = page.close(node);
            continue;
        }
        let above = page.parent(node).and_then(|parent| ways.get(parent.index())).copied().unwrap_or_default();
        let own = steps.number(tag, page.attribute(node, "class").unwrap_or_default());
        let way = [above[1], above[2], above[3], own];
        if let Some(place) = ways.get_mut(node.index()) {
            *place = way;
        }
        let is_leaf = page.close(node) == node.index() + 1;
        let lead = if !is_leaf {
            ""
        } else if page.is_skipped(node) {
            page.raw_text(node).trim()
        } else {
            page.visible_text(node)
        };
        let entry = Entry { steps: way, lead: first_characters(lead, LEAD) };
        let next = keys.len();
        let key = *keys.entry(entry).or_insert_with(|| u32::try_from(next).unwrap_or(u32::MAX));
        lines.push(Placed { node, entry, key });
    }
    lines
}
