//! Relay between a browser in an isolated network namespace and the proxy outside.
//!
//! In the namespace only the loopback interface exists, and no other program uses it. The relay listens there, forwards
//! each connection to the unix socket of the proxy, which is mounted inside, and starts the browser, which cannot connect to
//! a unix socket. The relay exits when the browser does.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

/// The port of the relay. The network is empty, so it is free.
pub(super) const PORT: u16 = 3128;

/// Runs a program, and meanwhile the relay: `SOCKET PROGRAM ARGUMENTS...`. Returns as the program ends.
///
/// The program of this process calls it, for nothing else: it is started inside of the browser's namespace.
pub fn relay(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match serve(arguments) {
        Ok(code) => code,
        Err(error) => {
            use std::io::Write as _;
            // The caller reads standard error if there is no document.
            let _ = writeln!(io::stderr(), "the way to the proxy: {error}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the relay starts the browser, inside of its namespace")]
fn serve(arguments: impl IntoIterator<Item = OsString>) -> io::Result<ExitCode> {
    let mut arguments = arguments.into_iter();
    let (Some(socket), Some(program)) = (arguments.next().map(PathBuf::from), arguments.next()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a socket and a program are needed"));
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))?;
    thread::Builder::new().spawn(move || accept(&listener, &socket))?;
    let status = Command::new(program).args(arguments).status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

fn accept(listener: &TcpListener, socket: &Path) {
    for client in listener.incoming().flatten() {
        let socket = socket.to_owned();
        // A connection without a thread is closed, which the browser notices.
        let _ = thread::Builder::new().spawn(move || {
            let _: io::Result<()> = connect(&client, &socket);
        });
    }
}

fn connect(client: &TcpStream, socket: &Path) -> io::Result<()> {
    let proxy = UnixStream::connect(socket)?;
    thread::scope(|both| {
        both.spawn(|| {
            let _: io::Result<u64> = io::copy(&mut &proxy, &mut &*client);
            let _ = client.shutdown(Shutdown::Write);
        });
        let _: io::Result<u64> = io::copy(&mut &*client, &mut &proxy);
        let _ = proxy.shutdown(Shutdown::Write);
    });
    Ok(())
}
