//! What is looked for.

/// A question, and what it is about: the vehicle, or whatever else a manual is divided by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The question, such as `oil capacity`, or a whole sentence.
    pub text: String,
    /// Names and values in the order in which a manual asks for them, such as make, year, model. What is answered stands below pages that
    /// name every value.
    pub context: Vec<(String, String)>,
}

impl Goal {
    /// A question about a manual that is about one thing.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), context: Vec::new() }
    }

    /// The same question about one of the things that the manual is about.
    #[must_use]
    pub fn with_context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.context.push((name.into(), value.into()));
        self
    }
}
