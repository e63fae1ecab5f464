//! Texts that are hard to read: what takes a parser to its knees when it recurses, looks ahead too far, or compares everything with
//! everything. Each is made as long as the caller likes.
//!
//! # Layout
//!
//! - `python`, `javascript`: program text, by the name of its file
//! - `pages`: HTML
//! - `documents`: reports, settings, answers and other texts that are data

mod documents;
mod javascript;
mod pages;
mod python;

pub use documents::documents;
pub use javascript::javascript;
pub use pages::pages;
pub use python::python;

/// A family of texts that are hard in the same way.
#[derive(Debug, Clone, Copy)]
pub struct Pill {
    /// A name to report it by, without spaces.
    pub name: &'static str,
    /// The name of the file that holds it; its extension tells in which language it is.
    pub file: &'static str,
    before: &'static str,
    /// Part that is repeated; `{#}` in it is a number that differs each time.
    unit: &'static str,
    after: &'static str,
    /// Part at the end, repeated as often as the unit.
    closing: &'static str,
}

impl Pill {
    /// A text whose unit is repeated, and nothing closes it.
    const fn new(name: &'static str, file: &'static str, before: &'static str, unit: &'static str) -> Self {
        Self { name, file, before, unit, after: "", closing: "" }
    }

    /// With a text behind all units.
    const fn then(self, after: &'static str) -> Self {
        Self { after, ..self }
    }

    /// With something that closes each unit.
    const fn closed_by(self, closing: &'static str) -> Self {
        Self { closing, ..self }
    }

    /// Returns a text of at most about this many bytes.
    pub fn text(&self, bytes: usize) -> String {
        self.repeated(bytes / (self.unit.len() + self.closing.len()).max(1))
    }

    /// Returns a text with this many units.
    pub fn repeated(&self, units: usize) -> String {
        let mut text = self.before.to_owned();
        match self.unit.split_once("{#}") {
            None => text.push_str(&self.unit.repeat(units)),
            Some((head, tail)) => {
                for number in 0..units {
                    text.push_str(head);
                    text.push_str(&number.to_string());
                    text.push_str(tail);
                }
            }
        }
        text.push_str(self.after);
        text.push_str(&self.closing.repeat(units));
        text
    }
}

/// Returns every pill for a worker that heals repositories: its name, its file name, and a text of at most about `bytes` bytes.
pub fn program_texts(bytes: usize) -> impl Iterator<Item = (&'static str, &'static str, String)> {
    python().iter().chain(javascript()).map(move |pill| (pill.name, pill.file, pill.text(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_texts_as_long_as_asked_for() {
        let all: Vec<&Pill> = [python(), javascript(), pages(), documents()].into_iter().flatten().collect();
        let mut names: Vec<&str> = all.iter().map(|pill| pill.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for pill in all {
            let length = pill.text(10_000).len();
            assert!((2_000..=20_000).contains(&length), "{}: {length}", pill.name);
        }
    }
}
