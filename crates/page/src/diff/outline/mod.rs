//! A page as lines: the nearest steps of the way to each element, and the beginning of the text of those that hold text alone.
//!
//! # Layout
//!
//! - `tokens`, `raw_text`, `references`: from markup to tokens
//! - `tree`: from tokens to a tree, by the rules that browsers have
//! - here: from a tree or a [`Document`] to lines

mod raw_text;
mod references;
pub(crate) mod tokens;
mod tree;

use std::fmt;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};

use self::tree::{Data, Element, Handle, Tree};
use crate::document::{Document, first_characters, is_skipped, lead};

/// Number of path steps that are part of a line. With all steps, one new wrapper would change every line
/// below it, and the lines of a deep page would be as long as the page is deep.
const STEPS: usize = 4;
/// Maximum length of the text in a line, in characters.
const LEAD: usize = 50;
/// Maximum length of a step's name in a line, in characters.
const LONGEST_STEP: usize = 80;

/// A page as the structural diff sees it, without scripts, styles, drawings and `noscript`.
///
/// To compare two pages takes no more of them than this, and HTML becomes an outline several times as fast as a
/// [`Document`]. Both ways to an outline give the same lines.
#[derive(Debug, Clone)]
pub struct Outline {
    steps: Vec<Step>,
    lines: Vec<OutlineLine>,
    /// The texts of the lines and the names of the steps.
    text: String,
}

/// The number of a step in its outline, from 1.
pub(super) type StepNumber = u32;

/// Placeholder for a step above the page's root.
pub(super) const NO_STEP: StepNumber = 0;

/// A step of a way, such as `ul.list`: places in the outline's text. Two classes in another order are another step.
#[derive(Debug, Clone)]
pub(super) struct Step {
    tag: Range<usize>,
    classes: Range<usize>,
}

/// A line before it is written.
#[derive(Debug, Clone)]
pub(super) struct OutlineLine {
    /// The element's own step last.
    pub(super) steps: [StepNumber; STEPS],
    /// In the outline's text, as is `id`.
    lead: Range<usize>,
    id: Range<usize>,
    /// The line of the region that it is in.
    pub(super) region: Option<usize>,
}

impl OutlineLine {
    /// The place of the element's own step in its outline.
    pub(super) fn own_step(&self) -> Option<usize> {
        place_of(self.steps[STEPS - 1])
    }
}

impl Outline {
    /// The outline of a page in HTML, which is parsed as [`Document::parse`] does.
    pub fn parse(html: &str) -> Self {
        let tree = Tree::parse(html);
        let mut builder = Builder::with_room(tree.len() / 2);
        let mut text = String::new();
        // The lines of the elements around, and whether nobody sees their text. No recursion: pages nest as they like.
        let mut around: Vec<(usize, bool)> = Vec::new();
        let root = 0;
        let mut next = tree.first_child(root);
        while let Some(node) = next {
            let entered = match tree.data(node) {
                Data::Element(element) if !is_left_out(element.tag()) => {
                    let hidden = around.last().is_some_and(|(_, hidden)| *hidden) || is_skipped(element.tag());
                    let child = tree.first_child(node);
                    text.clear();
                    if let Some(child) = child {
                        lead_of(&tree, child, hidden, &mut text);
                    }
                    let parent = around.last().map(|(line, _)| *line);
                    let line = builder.add(parent, &Named::from(element), &text);
                    child.map(|child| (child, (line, hidden)))
                }
                Data::Element(_) | Data::Root | Data::Text(_) | Data::Comment => None,
            };
            if let Some((child, line)) = entered {
                around.push(line);
                next = Some(child);
                continue;
            }
            let mut here = node;
            next = loop {
                if let Some(sibling) = tree.next_sibling(here) {
                    break Some(sibling);
                }
                here = tree.parent(here);
                if here == root {
                    break None;
                }
                around.pop();
            };
        }
        builder.finish()
    }

    /// The outline of a page that was parsed already.
    pub fn of(page: &Document) -> Self {
        let mut builder = Builder::with_room(page.len());
        // The line of each element.
        let mut lines: Vec<usize> = vec![0; page.len()];
        let mut left_out_until = 0;
        for node in page.nodes() {
            if node.index() < left_out_until {
                continue;
            }
            let tag = page.tag(node);
            if is_left_out(tag) {
                left_out_until = page.close(node);
                continue;
            }
            let is_leaf = page.close(node) == node.index() + 1;
            let text = if !is_leaf {
                ""
            } else if page.is_skipped(node) {
                page.raw_text(node).trim()
            } else {
                page.visible_text(node)
            };
            let parent = page.parent(node).and_then(|parent| lines.get(parent.index()).copied());
            let named = Named {
                tag,
                classes: page.attribute(node, "class").unwrap_or_default(),
                id: page.attribute(node, "id").unwrap_or_default(),
            };
            let line = builder.add(parent, &named, text);
            if let Some(place) = lines.get_mut(node.index()) {
                *place = line;
            }
        }
        builder.finish()
    }

    /// The tag and the classes of every step, as the page has them.
    pub(super) fn steps(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.steps.iter().map(|step| self.texts_of(step))
    }

    /// The tag and the classes of one step.
    pub(super) fn step(&self, place: usize) -> Option<(&str, &str)> {
        self.steps.get(place).map(|step| self.texts_of(step))
    }

    fn texts_of(&self, step: &Step) -> (&str, &str) {
        (&self.text[step.tag.clone()], &self.text[step.classes.clone()])
    }

    pub(super) fn lines(&self) -> &[OutlineLine] {
        &self.lines
    }

    pub(super) fn lead(&self, line: &OutlineLine) -> &str {
        &self.text[line.lead.clone()]
    }

    pub(super) fn id(&self, line: &OutlineLine) -> Option<&str> {
        Some(&self.text[line.id.clone()]).filter(|id| !id.is_empty())
    }

    /// The names of all steps, as lines have them.
    pub(super) fn step_names(&self) -> Vec<String> {
        self.steps().map(|(tag, classes)| step_name(tag, classes)).collect()
    }

    /// A line as it is written, with the names of all steps.
    pub(super) fn write(&self, line: usize, step_names: &[String]) -> String {
        let Some(line) = self.lines.get(line) else { return String::new() };
        let names = || line.steps.iter().filter_map(|number| step_names.get(place_of(*number)?));
        let lead = self.lead(line);
        let mut text = String::with_capacity(names().map(|name| name.len() + 3).sum::<usize>() + lead.len() + 2);
        for name in names() {
            if !text.is_empty() {
                text.push_str(" > ");
            }
            text.push_str(name);
        }
        if !lead.is_empty() {
            text.push_str(": ");
            text.push_str(lead);
        }
        text
    }
}

/// Writes all lines of the outline, each with a line break.
impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.step_names();
        (0..self.lines.len()).try_for_each(|line| writeln!(f, "{}", self.write(line, &names)))
    }
}

/// The number of the step at a place.
pub(super) fn number_of(place: usize) -> StepNumber {
    StepNumber::try_from(place + 1).unwrap_or(StepNumber::MAX)
}

/// The place of the step with a number.
pub(super) fn place_of(number: StepNumber) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// A step as lines have it: `ul.list`.
fn step_name(tag: &str, classes: &str) -> String {
    let mut name = String::with_capacity(tag.len() + classes.len() + 1);
    name.push_str(tag);
    if classes.len() <= LONGEST_STEP {
        for class in classes.split_ascii_whitespace() {
            name.push('.');
            name.push_str(class);
        }
        return name;
    }
    let mut rest = LONGEST_STEP;
    for class in classes.split_ascii_whitespace() {
        let class = first_characters(class, rest);
        if class.is_empty() {
            break;
        }
        name.push('.');
        name.push_str(class);
        rest -= class.chars().count();
    }
    name
}

/// Elements that are left out with everything in them.
fn is_left_out(tag: &str) -> bool {
    matches!(tag, "script" | "style" | "svg" | "noscript" | "template")
}

/// Elements that divide a page.
fn is_region(tag: &str) -> bool {
    matches!(tag, "head" | "header" | "nav" | "main" | "article" | "aside" | "footer")
}

/// The text of an element from its first child on, or none when there is an element in it.
fn lead_of(tree: &Tree, first: Handle, hidden: bool, text: &mut String) {
    let children = || std::iter::successors(Some(first), |child| tree.next_sibling(*child));
    if children().any(|child| matches!(tree.data(child), Data::Element(_))) {
        return;
    }
    let pieces = children().filter_map(|child| match tree.data(child) {
        Data::Text(contents) => Some(&**contents),
        Data::Root | Data::Element(_) | Data::Comment => None,
    });
    if hidden {
        text.extend(pieces);
        text.truncate(text.trim_end().len());
        let space = text.len() - text.trim_start().len();
        text.drain(..space);
    } else {
        lead(text, pieces, LEAD);
    }
}

/// Names of an element: its tag, classes and id.
struct Named<'a> {
    tag: &'a str,
    classes: &'a str,
    id: &'a str,
}

impl<'a> From<&'a Element> for Named<'a> {
    fn from(element: &'a Element) -> Self {
        Self { tag: element.tag(), classes: element.class(), id: element.id() }
    }
}

struct Builder<'a> {
    /// The number of each step, and whether it divides the page.
    numbers: HashMap<(&'a str, &'a str), (StepNumber, bool)>,
    steps: Vec<Step>,
    lines: Vec<OutlineLine>,
    text: String,
}

impl<'a> Builder<'a> {
    fn with_room(elements: usize) -> Self {
        Self {
            numbers: HashMap::with_capacity(elements / 8),
            steps: Vec::new(),
            lines: Vec::with_capacity(elements),
            text: String::with_capacity(elements * 16),
        }
    }

    /// Adds the line of an element, and gives its place.
    fn add(&mut self, parent: Option<usize>, element: &Named<'a>, lead: &str) -> usize {
        let (number, is_region) = self.step(element);
        // The line of an element begins with the last steps of its parent's, which came before it.
        let parent = parent.and_then(|line| self.lines.get(line));
        let above = parent.map(|line| line.steps).unwrap_or_default();
        let place = self.lines.len();
        let region = if is_region { Some(place) } else { parent.and_then(|line| line.region) };
        let lead = self.keep(first_characters(lead, LEAD));
        let id = self.keep(element.id);
        self.lines.push(OutlineLine { steps: [above[1], above[2], above[3], number], lead, id, region });
        place
    }

    fn step(&mut self, element: &Named<'a>) -> (StepNumber, bool) {
        if let Some(step) = self.numbers.get(&(element.tag, element.classes)) {
            return *step;
        }
        let number = number_of(self.steps.len());
        let step = Step { tag: self.keep(element.tag), classes: self.keep(element.classes) };
        self.steps.push(step);
        let known = (number, is_region(element.tag));
        self.numbers.insert((element.tag, element.classes), known);
        known
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    fn finish(self) -> Outline {
        Outline { steps: self.steps, lines: self.lines, text: self.text }
    }
}

#[cfg(test)]
mod tests;
