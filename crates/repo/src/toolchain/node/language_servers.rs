//! Language servers for JavaScript and TypeScript.

use crate::language_server::server::Server;

/// Known servers, in the order in which they are queried.
pub(super) static KNOWN: [Server; 2] = [
    Server {
        name: "typescript-language-server",
        arguments: &["--stdio"],
        is_package: true,
        since: None,
        // There is no network to fetch types with.
        options: r#"{"disableAutomaticTypingAcquisition": true}"#,
        // Without it nothing is said of JavaScript that a project does not want checked.
        settings: r#"{"implicitProjectConfiguration": {"checkJs": true}}"#,
    },
    Server {
        name: "tsc",
        arguments: &["--lsp", "--stdio"],
        is_package: true,
        since: Some(("typescript", 7)),
        options: "null",
        settings: "null",
    },
];
