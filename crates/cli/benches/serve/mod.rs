//! The real binary as a server, for the benches that send it requests.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub(crate) const TOKEN: &str = "a-token-of-this-bench";

/// The kind of build that is measured.
pub(crate) fn build() -> &'static str {
    if env!("CARGO_BIN_EXE_autoheal").contains("/debug/") { "a dev build" } else { "a release build" }
}

/// The server, which does not outlive the bench.
pub(crate) struct Serve {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
}

impl Serve {
    /// Starts it with a home folder and further settings.
    pub(crate) fn start(home: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_autoheal"));
        command
            .args(["serve", "--addr", "127.0.0.1:0", "--log", "off"])
            .env_clear()
            .env("HOME", home)
            .current_dir(home);
        command.env("AUTOHEAL_TOKEN", TOKEN).env("AUTOHEAL_CONNECTIONS_PER_CLIENT", "0");
        command.env("AUTOHEAL_REQUESTS_PER_SECOND", "0").env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(settings.iter().copied());
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.split("listening at http://").nth(1)?.split(';').next()?.parse().ok());
        // Nobody may be stopped by a pipe that is full.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address: address.unwrap() }
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
