//! Machines that share only a network: processes in separate network namespaces, joined by cables that can be pulled.
//!
//! Everything happens in a namespace that the test makes for itself ([`enter`]); it ends with the test, and so does everything in it. The
//! machine that the test runs on sees nothing of it.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::skip;

/// Address at which the test serves the resources that the machines share.
pub const HUB: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 77, 0, 1));

/// Set in a test that has a separate network.
const INSIDE: &str = "TESTKIT_INSIDE_A_NETWORK";

/// The programs that are needed.
const PROGRAMS: [&str; 4] = ["ip", "unshare", "nsenter", "python3"];

/// Relay script: forwards connections to 127.0.0.1 to the hub.
const RELAY: &str = r#"
import asyncio, sys

port, hub = int(sys.argv[1]), sys.argv[2]

async def pass_on(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()

async def serve(reader, writer):
    try:
        hub_reader, hub_writer = await asyncio.open_connection(hub, port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pass_on(reader, hub_writer), pass_on(hub_reader, writer))

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()

asyncio.run(main())
"#;

/// Returns `true` inside a network of the test's own, where the test continues. Outside, it runs the test of this name again
/// inside one, which must pass, and returns `false`; if this machine cannot make networks, it reports a skipped test.
pub fn enter(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        ip(&["link", "set", "lo", "up"]);
        ip(&["addr", "add", &format!("{HUB}/32"), "dev", "lo"]);
        return true;
    }
    if let Some(reason) = why_not() {
        skip("machines in networks of their own", &reason);
        return false;
    }
    let this = std::env::current_exe().expect("the test's own program");
    let mut inside = command("unshare");
    inside.args(["--net", "--"]).arg(this).args([test, "--exact", "--nocapture"]).env(INSIDE, "1");
    let done = inside.status().expect("unshare starts");
    assert!(done.success(), "the test failed in a network of its own: {done}");
    false
}

fn why_not() -> Option<String> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root {
        return Some("only root makes networks".to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |program: &&&str| !std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if let Some(missing) = PROGRAMS.iter().find(is_there) {
        return Some(format!("{missing} is not installed"));
    }
    let tried = command("unshare")
        .args(["--net", "--", "ip", "link", "add", "ah0", "type", "veth", "peer", "name", "ah1"])
        .output();
    match tried {
        Ok(done) if done.status.success() => None,
        Ok(done) => Some(format!("no network can be made: {}", String::from_utf8_lossy(&done.stderr).trim())),
        Err(error) => Some(format!("no network can be made: {error}")),
    }
}

/// A program on a separate machine; both end when this is dropped.
#[derive(Debug)]
pub struct Machine {
    cable: String,
    address: String,
    program: Child,
    /// Standard output of the program, kept open so that its writes do not fail.
    _said: BufReader<ChildStdout>,
    relays: Vec<Child>,
}

impl Machine {
    /// A machine with this number (up to 200), on which `program` is about to start; what it says on standard error goes into `log`.
    pub fn new(number: u8, program: &Command, log: &Path) -> Self {
        let mut waiting = command("unshare");
        waiting.args(["--net", "--", "sh", "-c", "echo ready; read -r line && exec \"$@\"", "machine"]);
        waiting.arg(program.get_program()).args(program.get_args()).env_clear();
        for (name, value) in program.get_envs() {
            if let Some(value) = value {
                waiting.env(name, value);
            }
        }
        if let Some(folder) = program.get_current_dir() {
            waiting.current_dir(folder);
        }
        let log = File::create(log).expect("the log");
        let waiting = waiting.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut program = waiting.spawn().expect("unshare starts");
        let mut said = BufReader::new(program.stdout.take().expect("its standard output"));
        hear_ready(&mut said);
        let (cable, address) = (format!("ah{number}"), format!("10.77.0.{}", 10 + u16::from(number)));
        let machine = Self { cable, address, program, _said: said, relays: Vec::new() };
        machine.plug_in();
        machine
    }

    fn plug_in(&self) {
        let (pid, hub) = (self.program.id().to_string(), HUB.to_string());
        let peer = |address: &str| format!("{address}/32");
        ip(&["link", "add", &self.cable, "type", "veth", "peer", "name", "eth0", "netns", &pid]);
        ip(&["addr", "add", &hub, "peer", &peer(&self.address), "dev", &self.cable]);
        ip(&["link", "set", &self.cable, "up"]);
        self.run(&["ip", "link", "set", "lo", "up"]);
        self.run(&["ip", "addr", "add", &self.address, "peer", &peer(&hub), "dev", "eth0"]);
        self.run(&["ip", "link", "set", "eth0", "up"]);
    }

    /// Lets a port of the machine's own loopback interface lead to the same port of the hub.
    #[must_use]
    pub fn with_relay(mut self, port: u16) -> Self {
        let mut relay = self.inside(&["python3", "-c", RELAY, &port.to_string(), &HUB.to_string()]);
        let mut relay = relay.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("python3 starts");
        hear_ready(&mut BufReader::new(relay.stdout.take().expect("its standard output")));
        self.relays.push(relay);
        self
    }

    /// Lets the program begin its work.
    pub fn begin(&mut self) {
        self.program.stdin.as_mut().expect("its standard input").write_all(b"go\n").expect("it listens");
    }

    /// Returns the process id of the program.
    pub fn pid(&self) -> u32 {
        self.program.id()
    }

    /// Sends the program a signal, such as `KILL`, `STOP`, `CONT`, `TERM`.
    pub fn signal(&self, signal: &str) {
        let sent = command("sh").args(["-c", &format!("kill -{signal} {}", self.pid())]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "the program is gone");
    }

    /// Cuts the machine off from the network.
    pub fn cut_off(&self) {
        ip(&["link", "set", &self.cable, "down"]);
    }

    /// Reconnects the machine to the network.
    pub fn reconnect(&self) {
        ip(&["link", "set", &self.cable, "up"]);
    }

    /// Waits for the program to end; its exit code, unless a signal ended it.
    pub fn wait(&mut self) -> Option<i32> {
        self.program.wait().expect("it was started").code()
    }

    /// Returns whether the program runs, or is frozen.
    pub fn is_alive(&mut self) -> bool {
        self.program.try_wait().expect("it was started").is_none()
    }

    fn inside(&self, words: &[&str]) -> Command {
        let mut inside = command("nsenter");
        inside.arg(format!("--net=/proc/{}/ns/net", self.pid())).arg("--").args(words);
        inside
    }

    fn run(&self, words: &[&str]) {
        succeed(&mut self.inside(words));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for child in self.relays.iter_mut().chain([&mut self.program]) {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn hear_ready(output: &mut BufReader<ChildStdout>) {
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n", "a machine did not start");
}

fn ip(words: &[&str]) {
    succeed(command("ip").args(words));
}

fn succeed(command: &mut Command) {
    let done = command.output().expect("a program that is installed");
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[expect(clippy::disallowed_methods, reason = "for tests only, with programs and arguments of our own")]
fn command(program: &str) -> Command {
    Command::new(program)
}
