//! Arguments of `autoheal mcp` and `autoheal serve`.

use std::net::SocketAddr;

use autoheal_sandbox::Choice;
use clap::Args;

const MCP_EXAMPLES: &str = "\
Examples:
  autoheal mcp                                    for an assistant that starts it, as its settings say:
  { \"mcpServers\": { \"autoheal\": { \"command\": \"autoheal\", \"args\": [\"mcp\"] } } }

Tools: navigate, extract, source_list, source_run, heal. Standard output is the protocol's; what is logged goes to standard error.";

/// Tools for an assistant, over the Model Context Protocol on standard input and output.
#[derive(Debug, Args)]
#[command(after_help = MCP_EXAMPLES)]
pub(crate) struct Mcp {
    /// Sandbox for repository code: auto, docker, bubblewrap, or none [default: auto]
    #[arg(long)]
    pub(crate) sandbox: Option<Choice>,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  autoheal serve
  AUTOHEAL_TOKEN=... autoheal serve --addr 0.0.0.0:8080
  curl -H \"Authorization: Bearer $(cat ~/.local/share/autoheal/server-token)\" http://127.0.0.1:8080/api/tools

Every request needs the token: the one in AUTOHEAL_TOKEN, or one that is generated, printed at the end of the address, and kept in the
file server-token of the data folder. With a generated token only this machine can ask.";

/// The same tools over HTTP.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct Serve {
    /// Address to listen at [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) addr: Option<SocketAddr>,
    /// Sandbox for repository code: auto, docker, bubblewrap, or none [default: auto]
    #[arg(long)]
    pub(crate) sandbox: Option<Choice>,
}
