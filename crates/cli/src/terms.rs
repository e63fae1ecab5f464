//! Explanations of the terms that the program uses: error codes, stop reasons, outcomes, categories of faults.

use std::fmt::Write as _;

use autoheal_engine::diagnostics::Category;
use autoheal_engine::{ErrorCode, Outcome, StopReason};

/// A term that can be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Term {
    Code(ErrorCode),
    Reason(StopReason),
    Category(Category),
    Outcome(Outcome),
}

impl Term {
    /// Returns the term with this name, in upper or lower case, with `_`, `-` or spaces. Where a reason and an outcome have the same
    /// name, it is the reason, whose explanation names the outcome.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().replace(['-', ' '], "_").to_ascii_uppercase();
        let category = || Category::ALL.into_iter().find(|category| category.name() == name);
        ErrorCode::from_name(&name)
            .map(Self::Code)
            .or_else(|| StopReason::from_name(&name).map(Self::Reason))
            .or_else(|| category().map(Self::Category))
            .or_else(|| Outcome::from_name(&name.to_ascii_lowercase()).map(Self::Outcome))
    }

    /// Returns all terms, by kind.
    fn all() -> impl Iterator<Item = Self> {
        let codes = ErrorCode::ALL.iter().copied().map(Self::Code);
        let reasons = StopReason::ALL.iter().copied().map(Self::Reason);
        let outcomes = Outcome::ALL.iter().copied().map(Self::Outcome);
        codes.chain(reasons).chain(outcomes).chain(Category::ALL.map(Self::Category))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Code(code) => code.name(),
            Self::Reason(reason) => reason.name(),
            Self::Category(category) => category.name(),
            Self::Outcome(outcome) => outcome.name(),
        }
    }

    const fn summary(self) -> &'static str {
        match self {
            Self::Code(code) => code.summary(),
            Self::Reason(reason) => reason.explanation(),
            Self::Category(category) => meaning(category).0,
            Self::Outcome(outcome) => outcome.meaning(),
        }
    }

    /// The heading of its kind in the list.
    const fn kind(self) -> &'static str {
        match self {
            Self::Code(_) => "Error codes",
            Self::Reason(_) => "Reasons for which a run ends",
            Self::Category(_) => "Categories of faults in repositories",
            Self::Outcome(_) => "Outcomes of runs",
        }
    }

    /// Returns the page about the term, Markdown.
    pub(crate) fn page(self) -> String {
        match self {
            Self::Code(code) => page(code).to_owned(),
            Self::Reason(reason) => reason_page(reason),
            Self::Category(category) => {
                let (meaning, healing) = meaning(category);
                format!("# {}\n\n{meaning}.\n\n## How it is fixed\n\n{healing}\n", category.name())
            }
            Self::Outcome(outcome) => {
                let mut text = format!("# {}\n\n{}\n\n## Reasons\n\n", outcome.name(), outcome.meaning());
                let ends_so = |reason: &&StopReason| [0, 1].map(|fixes| reason.outcome(fixes)).contains(&outcome);
                for reason in StopReason::ALL.iter().filter(ends_so) {
                    let _ = writeln!(text, "- `{reason}`: {}", reason.explanation());
                }
                text
            }
        }
    }
}

fn reason_page(reason: StopReason) -> String {
    let outcome = reason.outcome(0);
    let mut text = format!("# {reason}\n\nOutcome: {outcome}. {}\n", outcome.meaning());
    if reason.outcome(1) != outcome {
        let partly = reason.outcome(1);
        let _ = writeln!(text, "If some fixes were accepted before: {partly}.");
    }
    let next = if reason.next().is_empty() { "Nothing." } else { reason.next() };
    let _ = write!(text, "\n## Why\n\n{}.\n\n## What to do next\n\n{next}\n", reason.explanation());
    text
}

/// The meaning of a category, and who fixes it how.
const fn meaning(category: Category) -> (&'static str, &'static str) {
    match category {
        Category::Syntax => (
            "The file does not parse",
            "Rules put in, take out or exchange a few characters near the place of the error, and the parser chooses. This is fixed first: \
             nothing else of the file can be seen before.",
        ),
        Category::Indentation => (
            "The file does not parse because of its indentation",
            "Rules indent the lines near the error as their neighbours are, and the tests choose where several ways parse.",
        ),
        Category::Import => (
            "A module, or a name in a module, cannot be imported",
            "Rules correct the spelling, find the module that has the name, follow a file that was moved, or add a dependency that the lock \
             file holds.",
        ),
        Category::TypeError => (
            "An operation met a value of the wrong kind, or a name that does not exist",
            "Rules correct the spelling of names and attributes, restore arguments, and convert values.",
        ),
        Category::Logic => (
            "The code runs and does the wrong thing",
            "No message names the fault: a search tries small changes to the lines that the failing tests execute. The tests alone vouch for \
             what it finds; the report lists what else they allow.",
        ),
        Category::Linting => (
            "A linter's rule is violated",
            "The linter's own safe fixes first, then rules. A finding is never silenced.",
        ),
    }
}

macro_rules! pages {
    ($($code:ident = $name:literal),+ $(,)?) => {
        /// The page about a code, Markdown. A code without a page does not compile.
        const fn page(code: ErrorCode) -> &'static str {
            match code {
                $(ErrorCode::$code => include_str!(concat!("../../../docs/errors/", $name, ".md")),)+
            }
        }
    };
}

pages! {
    RepoCloneFailed = "REPO_CLONE_FAILED",
    RepoNotFound = "REPO_NOT_FOUND",
    RepoAccessDenied = "REPO_ACCESS_DENIED",
    TestDiscoveryFailed = "TEST_DISCOVERY_FAILED",
    TestExecutionFailed = "TEST_EXECUTION_FAILED",
    DockerBuildFailed = "DOCKER_BUILD_FAILED",
    DockerRunFailed = "DOCKER_RUN_FAILED",
    LlmApiError = "LLM_API_ERROR",
    LlmTimeout = "LLM_TIMEOUT",
    PatchApplyFailed = "PATCH_APPLY_FAILED",
    SyntaxValidationFailed = "SYNTAX_VALIDATION_FAILED",
    GitPushFailed = "GIT_PUSH_FAILED",
    CiTimeout = "CI_TIMEOUT",
    RetryLimitReached = "RETRY_LIMIT_REACHED",
    InvalidInput = "INVALID_INPUT",
    StoreUnavailable = "STORE_UNAVAILABLE",
    DiskFailed = "DISK_FAILED",
    StepFailed = "STEP_FAILED",
}

/// Returns the list of all terms, under headings.
pub(crate) fn list() -> String {
    let (mut text, mut kind) = (String::new(), "");
    for term in Term::all() {
        if term.kind() != kind {
            kind = term.kind();
            let _ = writeln!(text, "{}{kind}:", if text.is_empty() { "" } else { "\n" });
        }
        let _ = writeln!(text, "  {:<26} {}", term.name(), term.summary());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_is_about_its_own_term() {
        for term in Term::all() {
            let page = term.page();
            assert!(page.starts_with(&format!("# {}\n", term.name())), "{page}");
            assert!(Term::from_name(term.name()).is_some_and(|found| found.name().eq_ignore_ascii_case(term.name())));
        }
        assert_eq!(Term::from_name("no-progress"), Some(Term::Reason(StopReason::NoProgress)));
        assert_eq!(Term::from_name("could not fix"), Some(Term::Outcome(Outcome::CouldNotFix)));
        assert_eq!(Term::from_name("nonsense"), None);
    }

    fn outcomes_page() -> String {
        let mut text = "# Outcomes of runs\n\n\
            Every interface uses the same words for how a run ended: what happened (the outcome), why (the stop\n\
            reason), and what to do next. `autoheal explain NAME` prints the same for one of them.\n\n\
            <!-- Generated: UPDATE_DOCS=1 cargo nextest run -p autoheal-cli outcomes_page -->\n\n\
            ## Outcomes\n\n| outcome | meaning |\n| --- | --- |\n"
            .to_owned();
        for outcome in Outcome::ALL {
            let _ = writeln!(text, "| `{}` | {} |", outcome.name(), outcome.meaning());
        }
        text.push_str(
            "\nA run that could not fix everything is `partly_fixed` if it fixed something.\n\n\
             ## Stop reasons\n\n| reason | outcome | explanation | next |\n| --- | --- | --- | --- |\n",
        );
        for &reason in StopReason::ALL {
            let outcome = reason.outcome(0).name();
            let _ = writeln!(text, "| `{reason}` | `{outcome}` | {} | {} |", reason.explanation(), reason.next());
        }
        text
    }

    #[test]
    fn outcomes_page_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/outcomes.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, outcomes_page()).unwrap();
        }
        let stale = "docs/outcomes.md is stale: UPDATE_DOCS=1 cargo nextest run -p autoheal-cli outcomes_page";
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == outcomes_page(), "{stale}");
    }
}
