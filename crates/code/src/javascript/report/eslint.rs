//! The output of `eslint --format json` as findings.

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use serde::Deserialize;

use crate::report::Look;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    #[serde(default)]
    severity: u32,
    #[serde(rename = "message")]
    text: String,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    column: Option<u32>,
}

/// Errors are severity 2; warnings do not make a run red.
const ERROR: u32 = 2;

/// Reason the linter's output cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("eslint's output is not the JSON it was asked for: {reason}; its standard error tells why")]
pub struct EslintError {
    /// Message of the JSON parser.
    reason: String,
}

/// The errors, one finding each: `no-unused-vars 'x' is defined but never used.` A file that does not parse is SYNTAX, rules about indentation
/// are INDENTATION, everything else LINTING.
///
/// # Errors
///
/// [`EslintError`] when the output is not JSON of the expected shape.
pub fn findings(output: &str, look: &Look<'_>) -> Result<Vec<Finding>, EslintError> {
    // A repository's configuration may print before the linter does.
    let start = output.find("[{").or_else(|| output.find("[]")).unwrap_or_default();
    let text = output.get(start..).unwrap_or_default().trim();
    let files: Vec<File> = serde_json::from_str(text).map_err(|error| EslintError { reason: error.to_string() })?;
    let mut findings = Vec::new();
    for file in files {
        let name = look.file(&file.file_path);
        for message in file.messages.into_iter().filter(|message| message.severity >= ERROR) {
            findings.push(finding(message, name.clone()));
        }
    }
    Ok(findings)
}

fn finding(message: Message, file: Option<String>) -> Finding {
    let category = match message.rule_id.as_deref() {
        None => Category::Syntax,
        Some(rule) if is_about_indentation(rule) => Category::Indentation,
        Some(_) => Category::Linting,
    };
    Finding {
        source: Source::Lint,
        category,
        location: file
            .as_ref()
            .and(message.line)
            .map(|line| Location { line: line.max(1), column: message.column.filter(|column| *column > 0) }),
        file,
        message: match message.rule_id {
            Some(rule) => format!("{rule} {}", message.text),
            None => message.text,
        },
        stack: None,
    }
}

fn is_about_indentation(rule: &str) -> bool {
    matches!(rule.rsplit('/').next(), Some("indent" | "indent-legacy" | "no-tabs" | "no-mixed-spaces-and-tabs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Sources;

    #[test]
    fn errors_are_findings_and_warnings_are_not() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/a.js", "", false);
        let look = Look { prefixes: &["/w".to_owned()], directory: "", sources: &sources };
        let output = r#"loading
[{"filePath":"/w/src/a.js","messages":[
 {"ruleId":"no-unused-vars","severity":2,"message":"'x' is defined but never used.","line":1,"column":7},
 {"ruleId":"semi","severity":1,"message":"Missing semicolon.","line":2,"column":7},
 {"ruleId":"@stylistic/indent","severity":2,"message":"Expected 2 spaces.","line":3,"column":1},
 {"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":4,"column":1}]}]"#;
        let found = findings(output, &look).unwrap();
        let seen: Vec<_> = found.iter().map(|one| (one.category, one.location.map(|at| at.line))).collect();
        assert_eq!(seen, [(Category::Linting, Some(1)), (Category::Indentation, Some(3)), (Category::Syntax, Some(4))]);
        assert_eq!(found[0].message, "no-unused-vars 'x' is defined but never used.");
        assert!(findings("Oops!", &look).is_err());
        assert!(findings("[]", &look).unwrap().is_empty());
    }
}
