//! `JUnit` XML: what pytest writes with `--junitxml` (either family; `xunit1` also names the files), and our unittest runner.

use std::collections::BTreeSet;
use std::time::Duration;

use roxmltree::{Document, Node, ParsingOptions};

use super::{TestCase, TestOutcome, TestReport, cut_middle};

/// A report larger than this is refused: it is written by the repository's own code.
pub const MAX_BYTES: usize = 128 * 1024 * 1024;
const MAX_NODES: u32 = 4_000_000;
const MAX_TEXT: usize = 64 * 1024;
const MAX_MESSAGE: usize = 4 * 1024;
const MAX_ID: usize = 2 * 1024;
/// Attributes of one tag: the parser compares each with all others. Reports have ten at most.
const MAX_ATTRIBUTES: usize = 200;

/// Reason a report cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JunitError {
    /// Report larger than [`MAX_BYTES`].
    #[error("the test report has {bytes} bytes, more than the {MAX_BYTES} that are read; run fewer tests at once")]
    TooLarge {
        /// Size of the report, in bytes.
        bytes: usize,
    },
    /// Not XML, cut off, or with too many nodes.
    #[error("the test report is not readable XML: {reason}; the run was probably interrupted")]
    Malformed {
        /// Message of the parser.
        reason: String,
    },
    /// XML, and not a `JUnit` report.
    #[error("the document's root is <{root}>, not a JUnit report")]
    NotJunit {
        /// The root element's name.
        root: String,
    },
}

/// Reads a report. Texts are cut to bounded sizes; a test that appears twice keeps both entries (pytest reports an error
/// in a teardown as a second one).
///
/// # Errors
///
/// [`JunitError`] when the document cannot be understood as a report.
pub fn parse(xml: &str) -> Result<TestReport, JunitError> {
    if xml.len() > MAX_BYTES {
        return Err(JunitError::TooLarge { bytes: xml.len() });
    }
    if !has_few_attributes(xml) {
        return Err(JunitError::Malformed { reason: format!("a tag has more than {MAX_ATTRIBUTES} attributes") });
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(xml, options)
        .map_err(|error| JunitError::Malformed { reason: error.to_string() })?;
    let root = document.root_element();
    if !matches!(root.tag_name().name(), "testsuites" | "testsuite") {
        return Err(JunitError::NotJunit { root: root.tag_name().name().chars().take(100).collect() });
    }
    let cases = root.descendants().filter(|node| node.has_tag_name("testcase")).map(case).collect();
    Ok(TestReport { cases })
}

/// Returns whether no tag has more than [`MAX_ATTRIBUTES`], in a single pass over the text.
fn has_few_attributes(xml: &str) -> bool {
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let end = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .into_iter()
            .find(|(start, _)| rest.starts_with(start));
        if let Some((_, end)) = end {
            let Some(at) = rest.find(end) else { return true };
            rest = &rest[at..];
            continue;
        }
        let (mut quote, mut attributes) = (None, 0);
        let end = rest.bytes().position(|byte| {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (Some(open), _) if open == byte => quote = None,
                (None | Some(_), _) => {}
            }
            attributes > MAX_ATTRIBUTES || quote.is_none() && byte == b'>'
        });
        if attributes > MAX_ATTRIBUTES {
            return false;
        }
        let Some(end) = end else { return true };
        rest = &rest[end..];
    }
    true
}

fn case(node: Node<'_, '_>) -> TestCase {
    let class = node.attribute("classname").unwrap_or_default();
    let name = node.attribute("name").unwrap_or_default();
    let id = if class.is_empty() { name.to_owned() } else { format!("{class}::{name}") };
    let problem = node.children().find(|child| ["failure", "error", "skipped"].contains(&child.tag_name().name()));
    let message = problem.and_then(|problem| problem.attribute("message")).unwrap_or_default();
    let text: String = problem
        .map(|problem| problem.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect())
        .unwrap_or_default();
    let outcome = match problem.map(|problem| problem.tag_name().name()) {
        None => TestOutcome::Passed,
        // An expected failure is reported as skipped with its own type: it is as it should be.
        Some("skipped") if problem.and_then(|problem| problem.attribute("type")) == Some("pytest.xfail") => {
            TestOutcome::Passed
        }
        Some("skipped") => TestOutcome::Skipped,
        Some("error") if message == "collection failure" => TestOutcome::CollectionError,
        Some("error") => TestOutcome::Errored,
        Some(_) => TestOutcome::Failed,
    };
    TestCase {
        id: cut_middle(&id, MAX_ID),
        outcome,
        duration: duration(node.attribute("time").unwrap_or_default()),
        message: cut_middle(message, MAX_MESSAGE),
        text: cut_middle(&text, MAX_TEXT),
        file: node.attribute("file").map(|file| file.replace('\\', "/")),
    }
}

fn duration(seconds: &str) -> Duration {
    let seconds = seconds.trim().replace(',', "").parse::<f64>().unwrap_or(0.0);
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO)
}

impl TestReport {
    /// The ids of the tests that ended in one of `outcomes`.
    pub fn ids(&self, outcomes: &[TestOutcome]) -> BTreeSet<&str> {
        self.cases.iter().filter(|case| outcomes.contains(&case.outcome)).map(|case| case.id.as_str()).collect()
    }

    /// Returns whether at least one test passed and none failed.
    pub fn is_green(&self) -> bool {
        self.cases.iter().any(|case| case.outcome == TestOutcome::Passed)
            && !self.cases.iter().any(|case| case.outcome.is_red())
    }
}
