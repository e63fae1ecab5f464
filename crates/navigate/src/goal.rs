//! Goals: the questions that navigation answers.

/// A question, and its subject: the vehicle, or another subject by which the manual is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The question, such as `oil capacity`, or a whole sentence.
    pub text: String,
    /// Names and values in the order in which the manual lists them, such as make, year, model. The answer is below pages that
    /// name every value.
    pub context: Vec<(String, String)>,
}

impl Goal {
    /// Creates a question about a manual with a single subject.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), context: Vec::new() }
    }

    /// Adds the name and value of the subject, for manuals about several.
    #[must_use]
    pub fn with_context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.context.push((name.into(), value.into()));
        self
    }
}
