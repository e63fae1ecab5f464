//! The lines of a file: where they begin and end, and how they are indented.

/// A text with what its lines look like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub(crate) text: &'a str,
    /// White space that makes up one level of indentation.
    pub(crate) unit: &'a str,
    pub(crate) newline: &'static str,
}

impl<'a> Layout<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Self { text, unit: unit(text), newline }
    }

    /// The first byte of the line that contains a byte.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    /// The end of the line that contains a byte, its newline not included.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// Returns the first byte of the next line, or the end of the text after the last line.
    pub(crate) fn next_line(&self, at: usize) -> usize {
        let end = self.line_end(at);
        self.text.get(end..).and_then(|rest| rest.find('\n')).map_or(self.text.len(), |newline| end + newline + 1)
    }

    /// The white space at the beginning of the line that contains a byte.
    pub(crate) fn indentation(&self, at: usize) -> &'a str {
        let line = self.text.get(self.line_start(at)..).unwrap_or_default();
        let length = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..length).unwrap_or_default()
    }
}

/// Returns the white space of one level of indentation in the text: that of its first indented line.
fn unit(text: &str) -> &str {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let width = indented.map_or(0, |line| line.len() - line.trim_start().len());
    indented.and_then(|line| line.get(..width)).filter(|unit| unit.len() <= 8).unwrap_or("    ")
}
