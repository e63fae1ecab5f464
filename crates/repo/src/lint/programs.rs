//! The programs of linters, where they are installed.

use std::path::Path;

use super::tools;
use crate::setup::{LintCommand, Setup};
use crate::toolchains;

/// Finds the programs of all linters again. A linter whose program is missing now keeps the old path.
pub(crate) fn find_programs(setup: &mut Setup, tree: &Path) {
    let find = |linter: &LintCommand| {
        let tool = tools::of(linter.linter)?;
        tool.homes.iter().find_map(|home| {
            let interpreter = &setup.tools_of(*home).interpreter;
            Some((*home, toolchains::of(*home).program(tool.program, &linter.directory, interpreter, tree)?))
        })
    };
    let found: Vec<_> = setup.linters.iter().map(find).collect();
    for (linter, found) in setup.linters.iter_mut().zip(found) {
        if let Some((home, program)) = found {
            (linter.language, linter.program) = (home, program);
        }
    }
}
