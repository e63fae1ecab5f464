//! The recipes of a `Makefile` or a `justfile` as commands in words.

use std::collections::BTreeMap;

use super::recognise::Context;
use super::script::{self, Command};
use super::{join, read_text};

/// Maximum depth of targets that need each other, and of variables that name each other.
const DEEPEST: usize = 8;

/// Maximum length of a line after its variables are expanded, in bytes.
const LONGEST_LINE: usize = 4_000;

/// Notation of a program that runs recipes.
pub(super) struct Notation {
    /// Names of its file, the first one that is there counts.
    files: &'static [&'static str],
    /// Text before and after the name of a variable.
    around: &'static [(&'static str, &'static str)],
    /// Signs of an assignment, each before those that it ends with.
    assigns: &'static [&'static str],
}

pub(super) const MAKE: Notation = Notation {
    files: &["GNUmakefile", "makefile", "Makefile"],
    around: &[("$(", ")"), ("${", "}")],
    assigns: &["::=", ":=", "?=", "="],
};

pub(super) const JUST: Notation =
    Notation { files: &["justfile", "Justfile", ".justfile"], around: &[("{{", "}}")], assigns: &[":="] };

/// The commands of the targets that are named, with those of the targets that they need; without a target, of the first.
pub(super) fn commands(notation: &Notation, arguments: &[String], context: &Context<'_>) -> Option<Vec<Command>> {
    let text = notation.files.iter().find_map(|name| read_text(context.tree, &join(context.directory, name)))?;
    let text = text.replace("\\\n", " ");
    let mut variables = assignments(notation, &text);
    let (given, named): (Vec<&String>, Vec<&String>) =
        arguments.iter().filter(|word| !word.starts_with('-')).partition(|word| word.contains('='));
    let given = given.into_iter().filter_map(|word| word.split_once('='));
    variables.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut targets: Vec<&str> = named.into_iter().map(String::as_str).collect();
    if targets.is_empty() {
        let is_target =
            |name: &&str| !name.is_empty() && !name.starts_with(['.', '\t', ' ', '#']) && !name.contains('%');
        let rules = text.lines().filter_map(|line| rule(notation, line)).map(|(names, _)| names);
        targets.extend(rules.filter(is_target).find_map(|names| names.split_whitespace().next()));
    }
    let mut lines = Vec::new();
    for target in targets {
        recipe(notation, &text, target, DEEPEST, &mut lines);
    }
    let expanded = lines.into_iter().map(|line| expand(notation, line, &variables));
    Some(expanded.flat_map(|line| of_line(line.trim_start_matches(['@', '-', '+']))).collect())
}

/// The commands of a line, which has a shell of its own: what it changes the folder to holds for it alone.
fn of_line(line: &str) -> Vec<Command> {
    let mut commands = script::commands(line);
    let entered = commands.iter().filter_map(|command| match command {
        Command::Words(words) => words.get(1).filter(|_| words.first().is_some_and(|word| word == "cd")),
        Command::NeedsShell(_) => None,
    });
    let entered: usize = entered.flat_map(|folder| folder.split('/')).filter(|part| !matches!(*part, "" | ".")).count();
    if entered > 0 {
        commands.push(Command::Words(vec!["cd".to_owned(), vec![".."; entered].join("/")]));
    }
    commands
}

/// The names and the needs of a line that begins a rule.
fn rule<'a>(notation: &Notation, line: &'a str) -> Option<(&'a str, &'a str)> {
    assignment(notation, line).is_none().then(|| line.split_once(':')).flatten()
}

/// The name and the value of a line that sets a variable for all recipes.
fn assignment<'a>(notation: &Notation, line: &'a str) -> Option<(&'a str, &'a str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let found = notation.assigns.iter().find_map(|sign| line.split_once(sign));
    let (name, value) = found.map(|(name, value)| (name.trim_end(), value.trim()))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_name.then_some((name, value.split(" #").next().unwrap_or_default().trim_end()))
}

fn assignments(notation: &Notation, text: &str) -> BTreeMap<String, String> {
    let quoted = |value: &str| {
        let inner = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        // Quotes are part of the notation of just, and of the value in make.
        inner.filter(|_| notation.around == JUST.around).unwrap_or(value).to_owned()
    };
    let found = text.lines().filter_map(|line| assignment(notation, line));
    found.map(|(name, value)| (name.to_owned(), quoted(value))).collect()
}

/// The line with the values of its variables; names that are not known here stay, and need a shell.
fn expand(notation: &Notation, line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut text = line.to_owned();
    for _ in 0..DEEPEST {
        let before = text.clone();
        for (name, value) in variables {
            for (opening, closing) in notation.around {
                for inner in [name.clone(), format!(" {name} ")] {
                    text = text.replace(&format!("{opening}{inner}{closing}"), value);
                }
            }
            // Values that name each other twice would double it with each name.
            if text.len() > LONGEST_LINE {
                return before;
            }
        }
        if text == before {
            break;
        }
    }
    text
}

/// Collects the lines of a target, after those of the targets that it needs.
fn recipe<'a>(notation: &Notation, text: &'a str, target: &str, depth: usize, found: &mut Vec<&'a str>) {
    let is_of = |line: &&str| {
        rule(notation, line).is_some_and(|(names, _)| names.split_whitespace().any(|name| name == target))
    };
    let mut lines = text.lines().skip_while(|line| !is_of(line));
    let Some((_, needed)) = lines.next().and_then(|line| rule(notation, line)) else { return };
    if depth > 0 {
        for needed in needed.split('#').next().unwrap_or_default().split_whitespace() {
            recipe(notation, text, needed, depth - 1, found);
        }
    }
    let own = lines.take_while(|line| line.starts_with(['\t', ' ']) || line.trim().is_empty());
    found.extend(own.map(str::trim));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(notation: &Notation, text: &str, target: &str) -> Vec<String> {
        let mut found = Vec::new();
        recipe(notation, text, target, DEEPEST, &mut found);
        let variables = assignments(notation, text);
        found.into_iter().map(|line| expand(notation, line, &variables)).collect()
    }

    #[test]
    fn targets_are_read_with_what_they_need_and_their_variables() {
        let make = "PYTHON ?= python3 # any\nPYTEST := $(PYTHON) -m pytest\n.PHONY: test ci\n\nci lint: compile test\n\t@ruff check\n\n\
                    compile:\n\t${PYTHON} -m compileall shop\n\ntest:\n\t$(PYTEST) $(UNKNOWN)\n";
        assert_eq!(
            lines(&MAKE, make, "ci"),
            ["python3 -m compileall shop", "", "python3 -m pytest $(UNKNOWN)", "@ruff check", ""]
                .map(str::to_owned)
                .to_vec()
        );
        let just = "python := \"python3\"\n\ntest:\n    {{ python }} -m pytest\n";
        assert_eq!(lines(&JUST, just, "test"), ["python3 -m pytest"]);
    }

    #[test]
    fn a_line_leaves_the_folder_that_it_entered() {
        let words = |text: &str| Command::Words(text.split(' ').map(str::to_owned).collect());
        assert_eq!(of_line("cd libs/geo && pytest -q"), ["cd libs/geo", "pytest -q", "cd ../.."].map(words));
        assert_eq!(of_line("pytest -q"), [words("pytest -q")]);
    }

    #[test]
    fn variables_that_name_themselves_end() {
        let text = "A = $(A) $(B)\nB = $(A)$(A)\nall:\n\t$(A)\n";
        assert!(lines(&MAKE, text, "all")[0].len() <= LONGEST_LINE);
        let next = |number| format!("V{number} = $(V{0})$(V{0})\n", number + 1);
        let chain = (10..60).map(next).collect::<Vec<String>>().concat();
        assert!(lines(&MAKE, &format!("{chain}all:\n\t$(V10)\n"), "all")[0].len() <= LONGEST_LINE);
    }
}
