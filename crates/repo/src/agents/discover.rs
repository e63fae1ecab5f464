//! The test discovery agent: finds the test files by the spec's patterns; without any, files of the program that contain tests.

use std::path::Path;

use autoheal_code::test_regions::TestRegions;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_engine::{ErrorCode, counted};

use crate::discovery;
use crate::state::HealState;
use crate::toolchains;
use crate::tree;

/// Finds the test files once; in later rounds they are known.
pub(crate) fn run(state: &mut HealState, folder: &Path, context: &StepContext) -> Result<(), StepError> {
    if !state.analysis.test_files.is_empty() {
        return Ok(());
    }
    state.analysis.test_files = discovery::test_files(folder);
    if state.analysis.test_files.is_empty()
        && let Some(setup) = &state.analysis.setup
    {
        let sources = tree::read(folder, setup);
        let holds_tests = |file: &&str| sources.test_regions(file).is_some_and(TestRegions::hold_tests);
        state.analysis.test_files =
            sources.iter().map(|(file, _)| file).filter(holds_tests).map(str::to_owned).collect();
    }
    let language = state.analysis.setup.as_ref().map(|setup| setup.main_tools.language);
    let finds_by_name = language.is_none_or(|language| toolchains::of(language).finds_tests_by_name());
    // A command of the user's knows where the tests are, too.
    let is_named = state.request.test_command.is_some() || !finds_by_name;
    if state.analysis.test_files.is_empty() && !is_named {
        return Err(StepError::Permanent {
            code: ErrorCode::TestDiscoveryFailed,
            message: "no test files found: without tests nothing can show that a fix is right; add tests named \
                      test_*.py or *_test.py, or in a folder tests/"
                .to_owned(),
        });
    }
    context.note("discovered", counted(state.analysis.test_files.len(), "test file"));
    Ok(())
}
