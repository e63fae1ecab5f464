//! A private PostgreSQL cluster for the tests of one process, which ends with that process however it ends.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use url::Url;
use uuid::Uuid;

use crate::skip;

/// The environment variable that names a running server for tests, `postgres://...`, of a user who may make databases.
pub const SERVER: &str = "AUTOHEAL_TEST_POSTGRES";

/// The address of a fresh, empty database; `None`, said loudly, where there is no PostgreSQL.
///
/// The server is the one that [`SERVER`] names; else one is started for this process.
pub fn database() -> Option<String> {
    static CLUSTER: LazyLock<Result<Server, String>> = LazyLock::new(Server::find_or_start);
    let made = CLUSTER.as_ref().map_err(Clone::clone).and_then(Server::create_database);
    made.inspect_err(|reason| skip("PostgreSQL", reason)).ok()
}

/// Dumps a database into a file in `folder`, as an administrator would; `None`, said loudly, where there is no `pg_dump`.
///
/// # Panics
///
/// When the dump fails.
pub fn dump(database: &str, folder: &Path) -> Option<PathBuf> {
    let file = folder.join("dump");
    let program = administrator("pg_dump")?;
    run(command(&program).args(["--format", "custom", "--dbname", database, "--file"]).arg(&file));
    Some(file)
}

/// A new database with what [`dump`] wrote; `None`, said loudly, where there is no `pg_restore`.
///
/// # Panics
///
/// When that fails.
pub fn restore(dump: &Path) -> Option<String> {
    let program = administrator("pg_restore")?;
    let database = database()?;
    run(command(&program).args(["--exit-on-error", "--no-owner", "--dbname", &database]).arg(dump));
    Some(database)
}

fn administrator(program: &str) -> Option<PathBuf> {
    let found = programs().map(|folder| folder.join(program)).filter(|program| program.is_file());
    if found.is_none() {
        skip("backup of PostgreSQL", &format!("{program} is not installed"));
    }
    found
}

fn run(command: &mut Command) {
    let done = command.output();
    assert!(
        done.as_ref().is_ok_and(|done| done.status.success()),
        "{}: {:?}",
        command.get_program().display(),
        done.map(|done| String::from_utf8_lossy(&done.stderr).into_owned())
    );
}

struct Server {
    address: Url,
    psql: PathBuf,
    /// Holds the pipe whose closing stops the server.
    _keeper: Option<Child>,
}

/// Starts a server in the folder `$2` with the programs in `$1`, says so, and stops it when standard input closes; a line there is the mode of
/// a restart. No network port, unless `$3` is an address: the socket lies in the folder. Tests kill processes, never the machine, so nothing is waited for to reach
/// the disk; a bench turns `fsync` on with `ALTER SYSTEM`.
const KEEPER: &str = r#"
    stop() {
        "$1/pg_ctl" --pgdata "$2/data" --mode immediate stop >>"$2/log" 2>&1
        rm -rf "$2"
    }
    # Also when the test is gone before the server is there: saying so to nobody must not end the keeper.
    trap '' PIPE
    "$1/initdb" --pgdata "$2/data" --username postgres --auth trust --encoding UTF8 --locale C --no-sync >"$2/log" 2>&1 &&
        echo "fsync = off" >>"$2/data/postgresql.conf" &&
        { [ -z "$3" ] || echo "host all all $3/24 trust" >>"$2/data/pg_hba.conf"; } &&
        "$1/pg_ctl" --pgdata "$2/data" --log "$2/log" --wait \
            --options "-k '$2' -c listen_addresses='$3' -c max_connections=300" start >>"$2/log" 2>&1 &&
        echo ready || echo "$(tail -n 1 "$2/log")"
    while read -r mode; do
        "$1/pg_ctl" --pgdata "$2/data" --log "$2/log" --mode "$mode" --wait restart >>"$2/log" 2>&1 && echo ready || echo failed
    done
    stop "$1" "$2"
"#;

impl Server {
    fn find_or_start() -> Result<Self, String> {
        if let Ok(address) = std::env::var(SERVER) {
            let address = Url::parse(&address).map_err(|error| format!("{SERVER} is not an address: {error}"))?;
            let psql = programs().map_or_else(|| PathBuf::from("psql"), |folder| folder.join("psql"));
            return Ok(Self { address, psql, _keeper: None });
        }
        let programs = programs().ok_or("initdb is not installed (Debian: postgresql)")?;
        // Short: a socket's path has a limit of about 100 bytes.
        let folder = PathBuf::from(format!("/tmp/autoheal-postgres-{}", Uuid::now_v7().simple()));
        let (keeper, _) = start(&programs, &folder, None)?;
        let mut address = Url::parse("postgres:///postgres").map_err(|error| error.to_string())?;
        address.query_pairs_mut().append_pair("host", &folder.to_string_lossy()).append_pair("user", "postgres");
        Ok(Self { address, psql: programs.join("psql"), _keeper: Some(keeper) })
    }

    fn create_database(&self) -> Result<String, String> {
        let name = format!("test_{}", Uuid::now_v7().simple());
        let done = command(&self.psql)
            .args(["--no-psqlrc", "--quiet", "--dbname", self.address.as_str(), "--command"])
            .arg(format!("CREATE DATABASE {name}"))
            .output()
            .map_err(|error| format!("psql could not be started: {error}"))?;
        if !done.status.success() {
            return Err(format!("psql: {}", String::from_utf8_lossy(&done.stderr).trim()));
        }
        let mut address = self.address.clone();
        address.set_path(&name);
        Ok(address.into())
    }
}

/// A private server on the network that can be restarted; it ends when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    address: Url,
    keeper: Child,
    said: BufReader<ChildStdout>,
}

impl Cluster {
    /// Starts a server at the usual port that any client may use that can connect to `address`. Returns `None`, with a prominent notice,
    /// if PostgreSQL is not installed.
    ///
    /// # Panics
    ///
    /// Panics if PostgreSQL is installed and the server does not start.
    #[expect(clippy::panic, reason = "a test that cannot set itself up has failed")]
    pub fn start(address: IpAddr) -> Option<Self> {
        let Some(programs) = programs() else {
            skip("PostgreSQL", "initdb is not installed (Debian: postgresql)");
            return None;
        };
        let started = || {
            let folder = PathBuf::from(format!("/tmp/autoheal-postgres-{}", Uuid::now_v7().simple()));
            let (keeper, said) = start(&programs, &folder, Some(address))?;
            let address = Url::parse(&format!("postgres://postgres@{address}/postgres"));
            Ok(Self { address: address.map_err(|error| error.to_string())?, keeper, said })
        };
        Some(started().unwrap_or_else(|reason: String| panic!("{reason}")))
    }

    /// The address of its database.
    pub fn url(&self) -> &str {
        self.address.as_str()
    }

    /// Disconnects all clients and restarts the server.
    ///
    /// # Panics
    ///
    /// When the server does not start again.
    pub fn restart(&mut self) {
        let asked = self.keeper.stdin.as_mut().map(|input| input.write_all(b"fast\n"));
        assert!(matches!(asked, Some(Ok(()))), "the keeper is gone");
        let mut line = String::new();
        let answered = self.said.read_line(&mut line);
        assert!(answered.is_ok() && line.trim() == "ready", "PostgreSQL did not start again: {line:?}");
    }
}

fn start(programs: &Path, folder: &Path, listen: Option<IpAddr>) -> Result<(Child, BufReader<ChildStdout>), String> {
    let failed = |error: std::io::Error| format!("PostgreSQL could not be started: {error}");
    std::fs::create_dir(folder).map_err(failed)?;
    // PostgreSQL refuses to run as root.
    let as_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let mut keeper = if as_root {
        let given = command(Path::new("chown")).arg("postgres").arg(folder).status().map_err(failed)?;
        if !given.success() {
            return Err("there is no user postgres to run the server as".to_owned());
        }
        let mut runuser = command(Path::new("runuser"));
        runuser.args(["-u", "postgres", "--", "sh"]);
        runuser
    } else {
        command(Path::new("sh"))
    };
    let mut keeper = keeper
        .args(["-c", KEEPER, "keeper"])
        .arg(programs)
        .arg(folder)
        .arg(listen.map_or_else(String::new, |address| address.to_string()))
        .current_dir(folder)
        // A signal to the test's group ends the test, and with it the keeper's input: the keeper still has to clean up.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Not the test's own: a reader that waits for the end of the test's output would wait for the server too.
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut line = String::new();
    let mut said = BufReader::new(keeper.stdout.take().ok_or("the keeper has no standard output")?);
    said.read_line(&mut line).map_err(failed)?;
    // Dropping the keeper closes its input, at which it cleans up.
    if line.trim() == "ready" { Ok((keeper, said)) } else { Err(format!("PostgreSQL did not start: {}", line.trim())) }
}

/// The folder of the server's programs: on the path, or where Debian puts them, the newest version.
fn programs() -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|folders| folders.flatten().map(|folder| folder.path().join("bin")).collect())
        .unwrap_or_default();
    debian.sort();
    debian
        .into_iter()
        .rev()
        .chain(on_path.unwrap_or_default())
        .find(|folder| ["initdb", "pg_ctl", "psql"].iter().all(|program| folder.join(program).is_file()))
}

#[expect(clippy::disallowed_methods, reason = "for tests only, with programs and arguments of our own")]
fn command(program: &Path) -> Command {
    Command::new(program)
}
