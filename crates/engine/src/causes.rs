//! An error with its causes in one line, for logs and reports.

use std::error::Error;

/// Returns the message of an error, followed by those of its causes that it does not hold already: `cannot push: the host refused`.
pub fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !line.contains(&more) {
            line.push_str(": ");
            line.push_str(&more);
        }
        cause = error.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{message}")]
    struct Failed {
        message: &'static str,
        source: Option<Box<Self>>,
    }

    fn failed(messages: &[&'static str]) -> Failed {
        let (first, rest) = messages.split_first().unwrap();
        Failed { message: first, source: (!rest.is_empty()).then(|| Box::new(failed(rest))) }
    }

    #[test]
    fn each_cause_is_named_once() {
        assert_eq!(with_causes(&failed(&["cannot push"])), "cannot push");
        assert_eq!(with_causes(&failed(&["cannot push", "refused", "by a hook"])), "cannot push: refused: by a hook");
        assert_eq!(
            with_causes(&failed(&["cannot push: refused", "refused", "by a hook"])),
            "cannot push: refused: by a hook"
        );
    }
}
