//! A page as lines: the nearest steps of the way to each element, and the beginning of the text of those that hold text alone.

use std::collections::HashMap;
use std::fmt;

use crate::document::{Document, first_characters};

/// Number of path steps that are part of a line. With all steps, one new wrapper would change every line
/// below it, and the lines of a deep page would be as long as the page is deep.
const STEPS: usize = 4;
/// Maximum length of the text in a line, in characters.
const LEAD: usize = 50;
/// Maximum length of a step's name in a line, in characters.
const LONGEST_STEP: usize = 80;

/// A page as the structural diff sees it, without scripts, styles, drawings and `noscript`.
#[derive(Debug, Clone, Default)]
pub struct Outline<'p> {
    /// The tag and the classes of every step, such as `ul.list`, as the page has them. Two classes in another order are another step.
    pub(super) steps: Vec<(&'p str, &'p str)>,
    pub(super) lines: Vec<OutlineLine<'p>>,
}

/// The number of a step in its outline, from 1.
pub(super) type StepNumber = u32;

/// Placeholder for a step above the page's root.
pub(super) const NO_STEP: StepNumber = 0;

/// A line before it is written.
#[derive(Debug, Clone)]
pub(super) struct OutlineLine<'p> {
    /// The element's own step last.
    pub(super) steps: [StepNumber; STEPS],
    /// The beginning of its text.
    pub(super) lead: &'p str,
    id: &'p str,
    /// The line of the region that it is in.
    pub(super) region: Option<usize>,
}

impl<'p> OutlineLine<'p> {
    pub(super) fn id(&self) -> Option<&'p str> {
        Some(self.id).filter(|id| !id.is_empty())
    }

    /// The place of the element's own step in its outline.
    pub(super) fn own_step(&self) -> Option<usize> {
        place_of(self.steps[STEPS - 1])
    }
}

impl<'p> Outline<'p> {
    /// The outline of a page.
    pub fn of(page: &'p Document) -> Self {
        let mut outline = Self::default();
        let mut numbers = HashMap::new();
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
            let attribute = |name| page.attribute(node, name).unwrap_or_default();
            let number = *numbers.entry((tag, attribute("class"))).or_insert_with_key(|step| {
                outline.steps.push(*step);
                number_of(outline.steps.len() - 1)
            });
            let place = outline.lines.len();
            lines[node.index()] = place;
            // The line of an element begins with the last steps of its parent's, which came before it.
            let parent = page.parent(node).and_then(|parent| outline.lines.get(lines[parent.index()]));
            let above = parent.map(|line| line.steps).unwrap_or_default();
            let steps = [above[1], above[2], above[3], number];
            let region = if is_region(tag) { Some(place) } else { parent.and_then(|line| line.region) };
            let lead = first_characters(text, LEAD);
            outline.lines.push(OutlineLine { steps, lead, id: attribute("id"), region });
        }
        outline
    }

    /// The names of all steps, as lines have them.
    pub(super) fn step_names(&self) -> Vec<String> {
        self.steps.iter().map(|(tag, classes)| step_name(tag, classes)).collect()
    }

    /// A line as it is written, with the names of all steps.
    pub(super) fn write(&self, line: usize, step_names: &[String]) -> String {
        let Some(line) = self.lines.get(line) else { return String::new() };
        let names = || line.steps.iter().filter_map(|number| step_names.get(place_of(*number)?));
        let lead = line.lead;
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
impl fmt::Display for Outline<'_> {
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
