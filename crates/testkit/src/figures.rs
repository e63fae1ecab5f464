//! The figures of a bench, in one form for all, with a reference of the same session and the goal.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A figure that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name of the figure.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its unit, such as `/s` or `ms`; empty for a number.
    pub unit: String,
    /// The name of what was measured for comparison in the same session, and its figure.
    pub reference: Option<(String, f64)>,
    /// The goal.
    pub goal: Option<Goal>,
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Goal {
    /// This, or more.
    AtLeast(f64),
    /// This, or less.
    AtMost(f64),
}

impl Figure {
    /// A figure without reference and goal.
    pub fn new(what: impl Into<String>, value: f64, unit: &str) -> Self {
        Self { what: what.into(), value, unit: unit.to_owned(), reference: None, goal: None }
    }

    /// Sets the reference.
    #[must_use]
    pub fn next_to(mut self, reference: impl Into<String>, value: f64) -> Self {
        self.reference = Some((reference.into(), value));
        self
    }

    /// Sets the goal.
    #[must_use]
    pub fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Returns whether the goal is met; `None`: it has no goal.
    pub fn is_met(&self) -> Option<bool> {
        self.goal.map(|goal| match goal {
            Goal::AtLeast(least) => self.value >= least,
            Goal::AtMost(most) => self.value <= most,
        })
    }
}

impl Display for Figure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.what, amount(self.value, &self.unit))?;
        if let Some((name, value)) = &self.reference {
            write!(formatter, ", {:.2} x {name} ({})", self.value / value, amount(*value, &self.unit))?;
        }
        match self.goal {
            None => Ok(()),
            Some(goal) => {
                let verdict = if self.is_met() == Some(true) { "met" } else { "MISSED" };
                write!(formatter, ", goal {} {verdict}", goal.in_unit(&self.unit))
            }
        }
    }
}

impl Goal {
    /// The goal in words, such as `>= 3000/s`.
    pub fn in_unit(self, unit: &str) -> String {
        match self {
            Self::AtLeast(least) => format!(">= {}", amount(least, unit)),
            Self::AtMost(most) => format!("<= {}", amount(most, unit)),
        }
    }
}

/// A number with its unit, in as many digits as say something.
pub fn amount(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        medium if medium >= 10.0 => 1,
        _ => 2,
    };
    let space = if unit.is_empty() || unit.starts_with('/') { "" } else { " " };
    format!("{value:.digits$}{space}{unit}")
}

/// Writes the figures of a bench to a file, as JSON.
///
/// # Errors
///
/// Returns the error of the file system.
pub fn write(file: &Path, figures: &[Figure]) -> io::Result<()> {
    std::fs::write(file, serde_json::to_vec(figures)?)
}

/// Reads the figures that a bench wrote.
///
/// # Errors
///
/// Returns the error of the file system, or of JSON that is something else.
pub fn read(file: &Path) -> io::Result<Vec<Figure>> {
    Ok(serde_json::from_slice(&std::fs::read(file)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_says_its_reference_and_whether_its_goal_is_met() {
        let figure = Figure::new("claim", 1500.0, "/s").next_to("a commit", 3000.0).with_goal(Goal::AtLeast(2000.0));
        assert_eq!(figure.to_string(), "claim: 1500/s, 0.50 x a commit (3000/s), goal >= 2000/s MISSED");
        let figure = Figure::new("memory", 12.34, "MiB").with_goal(Goal::AtMost(40.0));
        assert_eq!(figure.to_string(), "memory: 12.3 MiB, goal <= 40.0 MiB met");
        assert_eq!(Figure::new("sources", 3.0, "").to_string(), "sources: 3.00");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("figures.json");
        write(&file, std::slice::from_ref(&figure)).unwrap();
        assert_eq!(read(&file).unwrap(), [figure]);
    }
}
