//! Language servers for Python.

use crate::language_server::server::Server;

const fn server(name: &'static str, arguments: &'static [&'static str]) -> Server {
    Server { name, arguments, is_package: false, since: None, options: "null", settings: "null" }
}

/// Known servers, in the order in which they are queried: those that know types come before those that do not.
pub(super) static KNOWN: [Server; 3] = [
    server("pyright-langserver", &["--stdio"]),
    server("basedpyright-langserver", &["--stdio"]),
    server("ruff", &["server"]),
];
