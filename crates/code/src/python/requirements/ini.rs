//! Lists in INI files: `install_requires` of `setup.cfg`, `deps` of `tox.ini`.

use std::ops::Range;

use super::{Manifest, indentation, newline_of, requirement};
use crate::edit::Edit;

/// An INI file, with the lists in it that state requirements.
pub(super) struct Ini {
    /// Returns the purpose of a list, by its section and key; `None`: it states no requirements.
    purpose: fn(&str, &str) -> Option<Purpose>,
}

/// Purpose of a list of requirements.
enum Purpose {
    /// It is always installed.
    Always,
    /// It is installed when it is named.
    Named(String),
    /// It is installed for something else.
    Other,
}

/// `setup.cfg`, as setuptools reads it.
pub(super) const SETUP_CFG: Ini = Ini {
    purpose: |section, key| match (section, key) {
        ("options.extras_require", key) => Some(Purpose::Named(key.to_owned())),
        ("options", "install_requires") => Some(Purpose::Always),
        ("options", "tests_require") => Some(Purpose::Other),
        _ => None,
    },
};

/// `tox.ini`.
pub(super) const TOX: Ini = Ini {
    purpose: |section, key| match (section, key) {
        ("testenv", "deps") => Some(Purpose::Always),
        (section, "deps") if section.starts_with("testenv:") => Some(Purpose::Other),
        _ => None,
    },
};

/// A value of a section, with its lines.
struct List {
    purpose: Purpose,
    /// The parts of the value without the indentation of each line, comments left out.
    lines: Vec<Range<usize>>,
}

impl Ini {
    fn lists(&self, text: &str) -> Vec<List> {
        let mut lists: Vec<List> = Vec::new();
        let (mut section, mut is_inside, mut start) = (String::new(), false, 0);
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            let at = start + (line.len() - line.trim_start().len());
            start += line.len();
            if content.is_empty() || content.starts_with(['#', ';']) {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                if let Some(list) = lists.last_mut().filter(|_| is_inside) {
                    list.lines.push(at..at + content.len());
                }
                continue;
            }
            is_inside = false;
            if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                name.trim().clone_into(&mut section);
            } else if let Some(equals) = content.find(['=', ':'])
                && let Some(purpose) = (self.purpose)(&section, content[..equals].trim())
            {
                is_inside = true;
                let value = content[equals + 1..].trim_start();
                let at = at + content.len() - value.len();
                let first = at..at + value.len();
                lists.push(List { purpose, lines: Vec::from([first]) });
            }
        }
        lists
    }
}

impl Manifest for Ini {
    fn requirements(&self, text: &str) -> Vec<Range<usize>> {
        let lines = self.lists(text).into_iter().flat_map(|list| list.lines);
        lines.filter(|line| requirement::is_requirement(&text[line.clone()])).collect()
    }

    fn added(
        &self,
        text: &str,
        requirement: &str,
        reason: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Vec<Edit>> {
        let rank = |list: &List| match &list.purpose {
            Purpose::Named(name) => is_wanted(name).then_some(0),
            Purpose::Always => Some(1),
            Purpose::Other => None,
        };
        let ranked = self.lists(text).into_iter().filter_map(|list| Some((rank(&list)?, list)));
        let (_, best) = ranked.min_by_key(|(rank, _)| *rank)?;
        let last = best.lines.last()?;
        let newline = newline_of(text);
        let indentation = if best.lines.len() > 1 { indentation(text, last.start) } else { "    " };
        let lines = format!("{newline}{indentation}# {reason}{newline}{indentation}{requirement}");
        Some(vec![Edit::insert(last.end, lines)])
    }
}
