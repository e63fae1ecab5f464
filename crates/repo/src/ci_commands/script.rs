//! A step's script as commands in words, as far as no shell is needed to read it.

/// One command of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// Words of the command, as argv.
    Words(Vec<String>),
    /// The line needs a shell: a pipe, a redirection, a variable, a loop.
    NeedsShell(String),
}

/// Placeholder for an expression of the workflow (`${{ matrix.python }}`) while the words are split. A
/// character of no other use, so that a word that holds it can be left out.
pub(crate) const EXPRESSION: char = '\u{fffc}';

/// The commands of a script, in order. `a && b` and `a; b` are two commands.
pub(crate) fn commands(script: &str) -> Vec<Command> {
    read(script, false)
}

/// The same, where words may be patterns of file names (`test/*.js`): programs of JavaScript projects read those themselves.
pub(crate) fn commands_with_patterns(script: &str) -> Vec<Command> {
    read(script, true)
}

fn read(script: &str, may_have_patterns: bool) -> Vec<Command> {
    let joined = without_expressions(script).replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(|line| line_commands(line, may_have_patterns)).collect()
}

/// Replaces each `${{ ... }}`.
fn without_expressions(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("${{") {
        text.push_str(before);
        text.push(EXPRESSION);
        rest = after.split_once("}}").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text
}

fn line_commands(line: &str, may_have_patterns: bool) -> Vec<Command> {
    let Some(parts) = split(line, may_have_patterns) else { return vec![Command::NeedsShell(line.to_owned())] };
    let commands = parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
        .map(|part| shell_words::split(part).map_or_else(|_| Command::NeedsShell(part.to_owned()), Command::Words));
    commands.filter(|command| *command != Command::Words(Vec::new())).collect()
}

/// Splits a line at `&&` and `;` outside of quotes; `None` when a shell would do more with it than split words.
fn split(line: &str, may_have_patterns: bool) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some('\''), _) if character != '\'' => {}
            (None, '&') if characters.peek() == Some(&'&') => {
                characters.next();
                parts.push(String::new());
                continue;
            }
            (None, ';') => {
                parts.push(String::new());
                continue;
            }
            (None, '*' | '?' | '[' | ']' | '{' | '}') if may_have_patterns => {}
            (_, '$' | '`') | (None, '|' | '<' | '>' | '&' | '(' | ')' | '{' | '}' | '*' | '?' | '[' | ']' | '~') => {
                return None;
            }
            (None, '#') if parts.last().is_none_or(|part| part.is_empty() || part.ends_with(char::is_whitespace)) => {
                break;
            }
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None | Some(_), _) => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
            if character == '\\' && quote != Some('\'') {
                part.extend(characters.next());
            }
        }
    }
    let keyword = |part: &String| {
        let first = part.split_whitespace().next().unwrap_or_default();
        matches!(
            first,
            "if" | "for"
                | "while"
                | "until"
                | "case"
                | "function"
                | "then"
                | "else"
                | "elif"
                | "fi"
                | "do"
                | "done"
                | "!"
        )
    };
    if quote.is_some() || parts.iter().any(keyword) { None } else { Some(parts) }
}
