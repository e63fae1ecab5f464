//! Two outlines side by side: which of their lines are equal.

use std::collections::HashMap;

use super::outline::{NO_STEP, Outline, StepNumber, number_of};

/// Two pages as lines.
pub(super) struct Structures<'a> {
    pub(super) old: &'a Outline<'a>,
    pub(super) new: &'a Outline<'a>,
    /// Keys of the lines: equal keys are equal lines. A key is less than the number of lines of both pages.
    pub(super) old_keys: Vec<u32>,
    pub(super) new_keys: Vec<u32>,
    old_names: Vec<String>,
    new_names: Vec<String>,
}

impl<'a> Structures<'a> {
    pub(super) fn of(old: &'a Outline<'a>, new: &'a Outline<'a>) -> Self {
        let mut numbers: HashMap<(&str, &str), StepNumber> = HashMap::with_capacity(old.steps.len() * 2);
        let mut keys = HashMap::with_capacity(old.lines.len() + new.lines.len() / 2);
        let mut keys_of = |outline: &'a Outline<'a>| -> Vec<u32> {
            // The steps of both pages under the same numbers.
            let mut steps = vec![NO_STEP];
            steps.extend(outline.steps.iter().map(|step| {
                let number = number_of(numbers.len());
                *numbers.entry(*step).or_insert(number)
            }));
            let step = |number: StepNumber| steps[usize::try_from(number).unwrap_or_default()];
            outline
                .lines
                .iter()
                .map(|line| {
                    let count = keys.len();
                    let entry = (line.steps.map(step), line.lead);
                    *keys.entry(entry).or_insert_with(|| u32::try_from(count).unwrap_or(u32::MAX))
                })
                .collect()
        };
        let (old_keys, new_keys) = (keys_of(old), keys_of(new));
        Self { old, new, old_keys, new_keys, old_names: old.step_names(), new_names: new.step_names() }
    }

    pub(super) fn old_text(&self, line: usize) -> String {
        self.old.write(line, &self.old_names)
    }

    pub(super) fn new_text(&self, line: usize) -> String {
        self.new.write(line, &self.new_names)
    }
}
