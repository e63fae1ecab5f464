//! The help of every command: a snapshot of it, and the rules that its texts follow.

use clap::Command;

use crate::args;

/// Returns every command with its path, such as `autoheal-source-add`. Hidden commands are included.
fn commands() -> Vec<(String, Command)> {
    fn collect(command: &Command, path: String, into: &mut Vec<(String, Command)>) {
        let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
        for subcommand in subcommands {
            collect(subcommand, format!("{path}-{}", subcommand.get_name()), into);
        }
        into.push((path, command.clone()));
    }
    let mut root = args::command().term_width(110);
    root.build();
    let mut all = Vec::new();
    collect(&root, root.get_name().to_owned(), &mut all);
    all
}

#[test]
fn help_of_every_command() {
    insta::with_settings!({ omit_expression => true, snapshot_path => "help", prepend_module_to_snapshot => false }, {
        for (path, command) in commands() {
            // Once is enough for the options of every command.
            let is_root = path == "autoheal";
            let mut command = command.mut_args(|argument| {
                let is_hidden = argument.is_hide_set() || (!is_root && argument.is_global_set());
                argument.hide(is_hidden)
            });
            insta::assert_snapshot!(path, command.render_long_help().to_string());
        }
    });
}

/// Asserts that a text follows the rules: it opens like a phrase, and avoids words that have a plainer equivalent.
pub(crate) fn assert_plain(subject: &str, text: &str) {
    const OPENINGS: [&str; 9] = ["What", "How", "Which", "Whether", "Who", "When", "Where", "Why", "If"];
    const AVOIDED: [&str; 12] = [
        "so many",
        "a person",
        "is told",
        "any more",
        "beside",
        "stands",
        "somebody",
        "nobody",
        "whoever",
        "no longer than",
        "is asked",
        "in force",
    ];
    let first = text.split_whitespace().next().unwrap_or_default();
    assert!(
        first.starts_with(|first: char| first.is_ascii_uppercase()),
        "{subject} does not begin with a capital: {text}"
    );
    assert!(!OPENINGS.contains(&first), "{subject} opens with `{first}`: {text}");
    assert!(!text.ends_with('.'), "{subject} ends with a full stop: {text}");
    for avoided in AVOIDED {
        assert!(!text.contains(avoided), "{subject} has `{avoided}`: {text}");
    }
}

#[test]
fn help_is_written_in_plain_english() {
    for (path, command) in commands() {
        assert_plain(&path, &command.get_about().map(ToString::to_string).unwrap_or_default());
        for argument in command.get_arguments() {
            let name = argument.get_long().unwrap_or(argument.get_id().as_str());
            let subject = format!("{path} {name}");
            assert_plain(&subject, &argument.get_help().map(ToString::to_string).unwrap_or_default());
            for value in argument.get_possible_values() {
                if let Some(help) = value.get_help() {
                    assert_plain(&format!("{subject} {}", value.get_name()), &help.to_string());
                }
            }
        }
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(after.is_empty() || after.starts_with("Examples"), "{path}: {after}");
    }
}

#[test]
fn every_command_with_json_is_documented() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command-line.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (path, command) in commands() {
        let mut arguments = command.get_arguments();
        let json = arguments.find(|argument| argument.get_id() == "json");
        // A subcommand inherits it from its command.
        let is_own = |argument: &clap::Arg| !argument.is_global_set() || path.matches('-').count() == 1;
        if json.is_some_and(is_own) {
            let row = format!("\n| `{}` |", path.replace('-', " "));
            assert!(page.contains(&row), "docs/command-line.md has no row{row}");
        }
    }
}
