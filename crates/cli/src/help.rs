//! The help of every command: a snapshot of it, and the rules that its texts follow.

use clap::{Command, CommandFactory as _};

use crate::args::Arguments;

/// Returns every command with its path, such as `autoheal-source-add`. Hidden commands are included.
fn commands() -> Vec<(String, Command)> {
    fn collect(command: &Command, path: String, into: &mut Vec<(String, Command)>) {
        let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
        for subcommand in subcommands {
            collect(subcommand, format!("{path}-{}", subcommand.get_name()), into);
        }
        into.push((path, command.clone()));
    }
    let mut root = Arguments::command().term_width(100);
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
