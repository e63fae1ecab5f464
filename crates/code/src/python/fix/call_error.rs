//! Errors about the arguments of a call, as Python words them.

use super::blame::quoted;

/// Fault of the arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Missing(Vec<String>),
    TooMany,
    TooFew,
    UnexpectedKeyword(String),
    Repeated(String),
}

/// Error about the arguments of a call.
pub(super) struct Problem {
    /// The function's name without its class; empty when the message names none.
    pub(super) function: String,
    /// The class before it.
    pub(super) class: Option<String>,
    pub(super) fault: Fault,
}

impl Problem {
    /// Reads an error message; `None` when it is about something else.
    pub(super) fn read(message: &str) -> Option<Self> {
        let name = message.split("()").next().filter(|name| !name.contains(' ') && name.len() < message.len());
        let fault = if message.contains("missing") && message.contains("required") {
            Fault::Missing(quoted(message).iter().map(|name| (*name).to_owned()).collect())
        } else if message.contains("unexpected keyword argument") || message.contains("invalid keyword argument") {
            Fault::UnexpectedKeyword(quoted(message).first()?.to_string())
        } else if message.contains("multiple values for") {
            Fault::Repeated(quoted(message).first()?.to_string())
        } else if message.contains("takes no arguments")
            || message.contains("takes no keyword")
            || message.contains("were given")
            || message.contains("was given")
        {
            Fault::TooMany
        } else {
            by_counts(message)?
        };
        let qualified = name.or_else(|| message.split_whitespace().next()).unwrap_or_default();
        let mut parts = qualified.rsplit('.');
        let function = parts.next().unwrap_or_default().trim_end_matches("()").to_owned();
        let class = parts.next().filter(|class| *class != "<locals>").map(str::to_owned);
        Some(Self { function, class, fault })
    }
}

/// `expected 2 arguments, got 1`, `takes exactly one argument (2 given)`, `expected at least 1 argument, got 0`.
fn by_counts(message: &str) -> Option<Fault> {
    let is_about_arguments = message.contains("argument") || message.contains("parameter");
    let given: u32 = if let Some(before) = message.split(" given").next().filter(|before| before.len() < message.len())
    {
        before.rsplit('(').next()?.trim().parse().ok()?
    } else if message.contains("expected") && message.contains("got ") {
        message.rsplit("got ").next()?.trim_end_matches('.').trim().parse().ok()?
    } else {
        return None;
    };
    let word_number = |word: &str| match word {
        "no" => Some(0),
        "one" => Some(1),
        "two" => Some(2),
        _ => word.trim_matches(|char: char| !char.is_ascii_digit()).parse::<u32>().ok(),
    };
    let wanted = message.split(" argument").next()?.rsplit(' ').next().and_then(word_number)?;
    is_about_arguments.then_some(if given > wanted { Fault::TooMany } else { Fault::TooFew })
}
