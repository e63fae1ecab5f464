//! The recipes of a `Makefile` or a `justfile`, with the variables in them replaced by their values.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Context;
use super::script::{self, Command};
use crate::project::{join, read_text};

/// Maximum number of times that a value is put in the place of a variable, in one line.
const MOST_REPLACED: usize = 100;

/// Maximum length in bytes of a line with its variables replaced; longer ones are left as they are.
const LONGEST: usize = 16 * 1024;

/// Maximum length in bytes of all lines that are followed, with their variables replaced: a file is hostile, and each of its lines may
/// name a long value.
const LONGEST_IN_ALL: usize = 1024 * 1024;

/// The program that reads the recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// make: `$(NAME)`.
    Make,
    /// just: `{{ name }}`.
    Just,
}

impl Program {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "make" => Some(Self::Make),
            "just" => Some(Self::Just),
            _ => None,
        }
    }

    const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Make => &["GNUmakefile", "makefile", "Makefile"],
            Self::Just => &["justfile", "Justfile", ".justfile"],
        }
    }

    const fn marks(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Make => &[("$(", ")"), ("${", "}")],
            Self::Just => &[("{{", "}}")],
        }
    }
}

/// A rule, for one or several targets.
struct Rule {
    needs: Vec<String>,
    lines: Vec<String>,
}

/// A file of recipes as it is read.
struct Recipes {
    program: Program,
    variables: BTreeMap<String, String>,
    rules: Vec<Rule>,
    /// The places of a target's rules in `rules`.
    targets: BTreeMap<String, Vec<usize>>,
    first: Option<String>,
}

/// The recipes of the targets that `arguments` name, with those of the targets that they need; without a target, of the first.
/// Each list of commands is a line, which a shell of its own runs. `environment`: variables that are set already.
pub(super) fn commands(
    program: Program,
    arguments: &[String],
    environment: &BTreeMap<String, String>,
    context: &Context<'_>,
) -> Option<Vec<Vec<Command>>> {
    let text = program.files().iter().find_map(|name| read_text(context.tree, &join(context.directory, name)))?;
    let given: BTreeMap<&str, &str> =
        arguments.iter().filter(|word| !word.starts_with('-')).filter_map(|word| word.split_once('=')).collect();
    let recipes = Recipes::read(program, &text, environment, &given);
    let named = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains('='));
    let mut targets: Vec<&str> = named.map(String::as_str).collect();
    if targets.is_empty() {
        targets.extend(recipes.first.as_deref());
    }
    Some(recipes.lines(&targets)?.iter().map(|line| script::commands(line)).collect())
}

impl Recipes {
    fn read(
        program: Program,
        text: &str,
        environment: &BTreeMap<String, String>,
        given: &BTreeMap<&str, &str>,
    ) -> Self {
        let (rules, targets) = (Vec::new(), BTreeMap::new());
        let mut recipes = Self { program, variables: environment.clone(), rules, targets, first: None };
        recipes.variables.insert("MAKE".to_owned(), "make".to_owned());
        recipes.variables.extend(given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let joined = text.replace("\r\n", "\n").replace("\\\n", " ");
        // Whether the lines of the last rule go on.
        let mut is_open = false;
        for line in joined.lines() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('\t') || line.starts_with(' ') && is_open {
                if let Some(rule) = recipes.rules.last_mut().filter(|_| is_open) {
                    rule.lines.push(line.trim().to_owned());
                }
            } else if let Some((name, how, value)) = assignment(program, line) {
                is_open = false;
                if !given.contains_key(name) {
                    recipes.assign(name, how, value);
                }
            } else if let Some((names, needs)) = line.split_once(':') {
                is_open = true;
                recipes.rule(names, needs);
            } else {
                // What stands inside a condition (`ifeq`) is read in any case.
                is_open &= ["if", "else", "endif"].iter().any(|word| line.starts_with(word));
            }
        }
        recipes
    }

    fn assign(&mut self, name: &str, how: char, value: &str) {
        let quotes = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let value = if self.program == Program::Just { quotes(value) } else { value.to_owned() };
        match (how, self.variables.get_mut(name)) {
            ('?', Some(_)) => {}
            ('+', Some(old)) => {
                if !old.is_empty() {
                    old.push(' ');
                }
                old.push_str(&value);
            }
            (_, Some(old)) => *old = value,
            (_, None) => {
                self.variables.insert(name.to_owned(), value);
            }
        }
    }

    /// Takes in the head of a rule.
    fn rule(&mut self, names: &str, needs: &str) {
        let needs = needs.trim_start_matches(':').split(" #").next().unwrap_or_default();
        let (needs, first_line) = match needs.split_once(';') {
            Some((needs, line)) if self.program == Program::Make => (needs, Some(line.trim().to_owned())),
            Some(_) | None => (needs, None),
        };
        let names: Vec<String> = match self.program {
            Program::Make => self.expanded(names, "").split_whitespace().map(str::to_owned).collect(),
            // A recipe's parameters stand after its name.
            Program::Just => {
                names.split_whitespace().take(1).map(|name| name.trim_start_matches('@').to_owned()).collect()
            }
        };
        // A variable that only this target has, a pattern: no names of targets.
        let needs: Vec<String> = if needs.contains('=') {
            Vec::new()
        } else {
            self.expanded(needs, "").split_whitespace().filter(|name| *name != "|").map(str::to_owned).collect()
        };
        for name in names {
            let is_goal = !name.starts_with('.') && !name.contains('%');
            if is_goal && self.first.is_none() {
                self.first = Some(name.clone());
            }
            self.targets.entry(name).or_default().push(self.rules.len());
        }
        self.rules.push(Rule { needs, lines: first_line.into_iter().collect() });
    }

    /// The lines of these targets, each behind those of the targets that it needs; `None`: they are too long. A rule counts once.
    fn lines(&self, targets: &[&str]) -> Option<Vec<String>> {
        let (mut lines, mut length, mut seen) = (Vec::new(), 0, BTreeSet::new());
        // The rules that are begun, each with its target and the number of its needs that were followed. No recursion: files are hostile.
        let mut open: Vec<(usize, &str, usize)> = Vec::new();
        for target in targets.iter().rev() {
            open.extend(self.unseen_rules(target, &mut seen));
        }
        while let Some((index, target, followed)) = open.pop() {
            let Some(rule) = self.rules.get(index) else { continue };
            if let Some(needed) = rule.needs.get(followed) {
                open.push((index, target, followed + 1));
                open.extend(self.unseen_rules(needed, &mut seen));
                continue;
            }
            for line in &rule.lines {
                let line = self.expanded(line.trim_start_matches(['@', '-', '+', ' ']), target);
                length += line.len();
                if length > LONGEST_IN_ALL {
                    return None;
                }
                lines.push(line);
            }
        }
        Some(lines)
    }

    /// The rules of a target as a stack: those that only say what it needs are on top.
    fn unseen_rules<'a>(&self, target: &'a str, seen: &mut BTreeSet<usize>) -> Vec<(usize, &'a str, usize)> {
        let all = self.targets.get(target).into_iter().flatten().copied();
        let (with, without): (Vec<usize>, Vec<usize>) = all
            .filter(|index| seen.insert(*index))
            .partition(|index| self.rules.get(*index).is_some_and(|rule| !rule.lines.is_empty()));
        with.into_iter().chain(without).map(|index| (index, target, 0)).collect()
    }

    /// A line with the values of its variables; what is not a plain variable (`$(shell ...)`) stays and needs a shell.
    fn expanded(&self, line: &str, target: &str) -> String {
        const DOLLAR: char = '\u{1}';
        let is_make = self.program == Program::Make;
        let mut text = line.to_owned();
        if is_make {
            text = text.replace("$$", &DOLLAR.to_string()).replace("$@", target);
        }
        let mut from = 0;
        for _ in 0..MOST_REPLACED {
            let marks = self.program.marks();
            let next = marks.iter().filter_map(|mark| Some((from + text.get(from..)?.find(mark.0)?, *mark))).min();
            let Some((at, (open, close))) = next else { break };
            let inside = at + open.len();
            let Some(length) = text.get(inside..).and_then(|rest| rest.find(close)) else { break };
            let name = text.get(inside..inside + length).unwrap_or_default().trim();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
            if !is_name {
                from = inside;
                continue;
            }
            // make takes an unknown variable for an empty one; just's are parameters, which are seldom given.
            let value = self.variables.get(name).map(String::as_str).unwrap_or_default();
            let end = inside + length + close.len();
            if text.len() + value.len() > LONGEST {
                break;
            }
            let value = value.replace("$$", &DOLLAR.to_string());
            text.replace_range(at..end, &value);
            from = at;
        }
        text.replace(DOLLAR, "$")
    }
}

/// The name, the kind (`?`, `+`, or `=`) and the value that a line gives a variable.
fn assignment(program: Program, line: &str) -> Option<(&str, char, &str)> {
    let (head, value) = match program {
        Program::Make => line.split_once('=')?,
        Program::Just => line.split_once(":=")?,
    };
    let (head, how) = match head.trim_end() {
        head if head.ends_with(['?', '+']) => (head.trim_end_matches(['?', '+']), head.chars().last()?),
        head => (head.trim_end_matches(':'), '='),
    };
    let name = head.split_whitespace().last()?;
    let before = head.trim().strip_suffix(name)?;
    let are_modifiers = before.split_whitespace().all(|word| matches!(word, "export" | "override" | "private"));
    let is_name = !name.contains([':', '$', '%']);
    let value = value.split(" #").next().unwrap_or_default().trim();
    (are_modifiers && is_name).then_some((name, how, value))
}

/// The folder that `make -C folder` starts in, relative to where it is called, and the arguments without that option.
pub(super) fn folder(arguments: &[String]) -> (Option<&str>, Vec<String>) {
    let (mut folder, mut rest) = (None, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--directory=").or_else(|| word.strip_prefix("-C").filter(|joined| !joined.is_empty()))
        {
            Some(joined) => folder = Some(joined),
            None if word == "-C" || word == "--directory" => folder = words.next().map(String::as_str),
            // The number of jobs is no target.
            None if word == "-j" && words.clone().next().is_some_and(|next| next.parse::<u32>().is_ok()) => {
                words.next();
            }
            None => rest.push(word.clone()),
        }
    }
    (folder, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(program: Program, text: &str, target: &str) -> Option<Vec<String>> {
        Recipes::read(program, text, &BTreeMap::new(), &BTreeMap::new()).lines(&[target])
    }

    #[test]
    fn targets_are_read_with_what_they_need_and_their_variables() {
        let make = "PYTHON ?= python3 # any\nFLAGS = -q\nFLAGS += -x\n.PHONY: test ci\n\nci lint: compile test\n\t@ruff check\n\n\
                    compile:\n\t${PYTHON} -m compileall shop\n\ntest:\n\t$(PYTEST) $(FLAGS) $@ $$HOME $(shell date)\n\n\
                    PYTEST = $(PYTHON) -m pytest\n";
        let expected = ["python3 -m compileall shop", "python3 -m pytest -q -x test $HOME $(shell date)", "ruff check"];
        assert_eq!(lines(Program::Make, make, "ci").unwrap(), expected);
        let just =
            "python := \"python3\"\n\ntest *args: lint\n    {{ python }} -m pytest {{args}}\n\nlint:\n    @flake8\n";
        assert_eq!(lines(Program::Just, just, "test").unwrap(), ["flake8", "python3 -m pytest "]);
    }

    #[test]
    fn variables_and_targets_that_name_themselves_end() {
        let text = "A = $(A) $(B)\nB = $(A)$(A)\nall: other\n\t$(A)\nother: all\n";
        assert!(lines(Program::Make, text, "all").unwrap()[0].len() <= LONGEST);
        let next = |number| format!("V{number} = $(V{0})$(V{0})\n", number + 1);
        let chain = (10..60).map(next).collect::<Vec<String>>().concat();
        assert!(lines(Program::Make, &format!("{chain}all:\n\t$(V10)\n"), "all").unwrap()[0].len() <= LONGEST);
        let long = format!("A = {}\nall:\n{}", "x".repeat(1000), "\t$(A)\n".repeat(5000));
        assert_eq!(lines(Program::Make, &long, "all"), None);
    }
}
