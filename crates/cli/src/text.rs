//! Text for the terminal: pieces with styles. Everything in a text may come from a hostile repository or page, so rendering makes it
//! harmless, and only the styles of this program remain.

use console::{Style, measure_text_width};

/// Meaning of a piece of text, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    /// A name or a label that structures the output.
    Label,
    Good,
    Caution,
    Bad,
}

impl Tone {
    fn style(self) -> Style {
        let style = Style::new();
        match self {
            Self::Plain => style,
            Self::Strong => style.bold(),
            Self::Faint => style.dim(),
            Self::Label => style.cyan(),
            Self::Good => style.green(),
            Self::Caution => style.yellow().bold(),
            Self::Bad => style.red().bold(),
        }
    }
}

/// A text as it arrived, with the tones of its pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pieces: Vec<(Tone, String)>,
}

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends a piece.
    #[must_use]
    pub(crate) fn with(mut self, tone: Tone, piece: impl Into<String>) -> Self {
        self.pieces.push((tone, piece.into()));
        self
    }

    /// Appends a piece without a style.
    #[must_use]
    pub(crate) fn plain(self, piece: impl Into<String>) -> Self {
        self.with(Tone::Plain, piece)
    }

    /// Appends another text.
    pub(crate) fn push(&mut self, other: impl Into<Self>) {
        self.pieces.extend(other.into().pieces);
    }

    /// Returns the number of columns that the text takes.
    pub(crate) fn width(&self) -> usize {
        measure_text_width(&self.harmless())
    }

    /// Returns the text without styles, harmless.
    pub(crate) fn harmless(&self) -> String {
        harmless(&self.pieces.iter().map(|(_, piece)| piece.as_str()).collect::<String>())
    }

    /// Returns the harmless text, with styles if `colours` is set.
    pub(crate) fn render(&self, colours: bool) -> String {
        // Made harmless as a whole, because two harmless pieces can join to one that is not.
        let whole = self.harmless();
        let (mut rest, mut rendered) = (whole.as_str(), String::new());
        for (tone, piece) in &self.pieces {
            // Every character became exactly one.
            let end = rest.char_indices().nth(piece.chars().count()).map_or(rest.len(), |(end, _)| end);
            let (shown, after) = rest.split_at(end);
            rest = after;
            if colours && *tone != Tone::Plain && !shown.is_empty() {
                rendered.push_str(&tone.style().force_styling(true).apply_to(shown).to_string());
            } else {
                rendered.push_str(shown);
            }
        }
        rendered
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new().plain(text)
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::new().plain(text.as_str())
    }
}

/// The text without what would steer the terminal, or the runner of a job, which takes lines for commands: it may come from a hostile
/// repository. The number of characters stays the same.
pub(crate) fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(harmless_line).collect();
    lines.join("\n")
}

fn harmless_line(line: &str) -> String {
    let shown: String = line
        .chars()
        .map(|character| match character {
            '\t' => ' ',
            character if character.is_control() => '\u{fffd}',
            // Marks that reverse the direction of what follows.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            character => character,
        })
        .collect();
    // A command for the runner begins a line, or has its older form anywhere.
    let shown = if shown.trim_start().starts_with("::") { shown.replacen(':', "\u{fffd}", 1) } else { shown };
    shown.replace("##[", "#\u{fffd}[")
}

#[cfg(test)]
mod tests {
    use console::strip_ansi_codes;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_escape_sequence_survives(text in any::<String>()) {
            let shown = harmless(&text);
            prop_assert!(shown.chars().all(|character| character == '\n' || !character.is_control()));
            prop_assert_eq!(shown.lines().count(), text.lines().count());
            prop_assert_eq!(shown.chars().count(), text.chars().count());
        }

        #[test]
        fn styles_change_nothing_but_the_colours(pieces in proptest::collection::vec("[ -~\n\t\u{1b}:\u{e9}\u{4e2d}]{0,9}", 0..6)) {
            let text = pieces.iter().fold(Text::new(), |text, piece| text.with(Tone::Label, piece.as_str()));
            prop_assert_eq!(text.render(false), harmless(&pieces.concat()));
            let coloured = text.render(true);
            prop_assert_eq!(strip_ansi_codes(&coloured), text.render(false));
        }
    }

    #[test]
    fn no_line_is_a_command_for_a_runner() {
        assert_eq!(harmless("a ::b\n \t::error::c"), "a ::b\n  \u{fffd}:error::c");
        assert_eq!(harmless("x ##[add-mask]y"), "x #\u{fffd}[add-mask]y");
        assert_eq!(Text::from(":").plain(":error::c").render(true), "\u{fffd}:error::c");
    }

    #[test]
    fn colours_of_others_are_not_shown() {
        let text = Text::from("\u{1b}[31mred").with(Tone::Good, "\u{1b}[0mgreen");
        assert_eq!(text.render(true), "\u{fffd}[31mred\u{1b}[32m\u{fffd}[0mgreen\u{1b}[0m");
    }
}
