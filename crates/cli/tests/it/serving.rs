//! `autoheal serve`: the clients that it answers when no token was chosen (those who can read the file of the one that it made), and the death of
//! its worker processes.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::task::{NewTask, Task, TaskKind, TaskState};
use autoheal_store::TaskFilter;
use autoheal_testkit::repository::TestRepository;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::binary::{Home, descendants, printed_address};

/// The server, and what it printed as its address.
struct Server {
    process: Child,
    printed: String,
}

impl Server {
    fn start(home: &Home) -> Self {
        Self::of(home.command(&["serve", "--addr", "127.0.0.1:0", "--log", "off"]))
    }

    fn of(mut command: Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let printed = printed_address(&mut lines);
        Self { process, printed: printed.unwrap() }
    }

    /// The address, and the token behind it.
    fn entrance(&self) -> (&str, &str) {
        self.printed.split_once("/#token=").unwrap()
    }
}

/// The worker processes that a process, or one that it has started, has started.
fn worker_processes(of: u32) -> Vec<i32> {
    let is_worker_process = |pid: &u32| {
        let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        arguments.split('\0').nth(1) == Some("worker-process")
    };
    descendants(of).into_iter().filter(is_worker_process).map(|pid| i32::try_from(pid).unwrap()).collect()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn heal(address: &str, token: Option<&str>, path: &str, input: &Value) -> (u16, Value) {
    // An error says that another test of this process was first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut request = reqwest::Client::new().post(format!("{address}{path}"));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let answer = request.header("Content-Type", "application/json").body(input.to_string()).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

#[tokio::test]
async fn a_server_makes_a_token_that_only_its_user_can_read_and_answers_nobody_without_it() {
    let home = Home::new();
    let server = Server::start(&home);
    let (address, token) = server.entrance();
    let file = home.path().join(".local/share/autoheal/server-token");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), token);
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_eq!(token.len(), 64);
    let almost = format!("{}{}", &token[..63], if token.ends_with('0') { '1' } else { '0' });

    let of_tool = json!({ "repository": home.path().to_str().unwrap() });
    let of_person = json!({ "repositoryUrl": home.path().to_str().unwrap(), "teamName": "a", "leaderName": "b" });
    for (path, input) in [("/api/tools/heal", &of_tool), ("/api/heal", &of_person)] {
        let (status, refused) = heal(address, None, path, input).await;
        assert_eq!((status, &refused["error"]["code"]), (401, &json!("UNAUTHORIZED")), "{path}: {refused}");
        let (status, refused) = heal(address, Some(&almost), path, input).await;
        assert_eq!(status, 401, "{path}: {refused}");
        // Who may ask still names no folder that the settings do not.
        let (status, refused) = heal(address, Some(token), path, input).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(status == 400 && message.contains("server.repositories"), "{path}: {refused}");
    }
    let before = server.printed.clone();
    drop(server);
    let again = Server::start(&home);
    assert_eq!(again.entrance().1, before.split_once('=').unwrap().1, "an open page outlives the server");
}

#[tokio::test]
async fn users_have_tokens_of_their_own() {
    let home = Home::new();
    let tokens = home.path().join("tokens");
    let start = |text: &str| {
        std::fs::write(&tokens, text).unwrap();
        let mut command = home.command(&["serve", "--addr", "127.0.0.1:0", "--log", "off"]);
        command.env("AUTOHEAL_USER_TOKENS_FILE", &tokens);
        command
    };
    for (text, expected) in [
        ("", "has no tokens"),
        ("ada\n", "line 1: expected a name"),
        ("# people\nada short\n", "line 2: the token has fewer"),
        ("ada 0123456789abcdef\nada fedcba9876543210\n", "line 2: the name or the token"),
    ] {
        let refused = start(text).output().unwrap();
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && told.contains(expected) && !told.contains("fedcba"), "{told}");
    }
    let server = Server::of(start("Ada Lovelace 0123456789abcdef\n"));
    let of_person = json!({ "repositoryUrl": home.path().to_str().unwrap(), "teamName": "a", "leaderName": "b" });
    let address = server.printed.as_str();
    assert!(!address.contains("token"), "{address}");
    assert_eq!(heal(address, Some("0123456789abcdef"), "/api/heal", &of_person).await.0, 400, "she is let in");
    assert_eq!(heal(address, Some("0123456789abcdeg"), "/api/heal", &of_person).await.0, 401);
}

#[tokio::test]
async fn the_browser_is_opened_without_the_token_in_its_arguments() {
    let home = Home::new();
    // What opens addresses on Linux, as a program that keeps what it is given.
    let programs = home.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let opener = programs.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\necho \"$@\" > \"$HOME/given.part\"; mv \"$HOME/given.part\" \"$HOME/given\"\n")
        .unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command(&["serve", "--open", "--addr", "127.0.0.1:0", "--log", "off"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display())).env("DISPLAY", ":0");
    let server = Server::of(command);
    let (address, token) = server.entrance();
    let given = home.path().join("given");
    while !given.exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let file = std::fs::read_to_string(&given).unwrap();
    assert!(!file.contains(token) && file.trim().ends_with("open.html"), "{file}");
    let way = home.path().join(".local/share/autoheal/open.html");
    assert!(std::fs::read_to_string(&way).unwrap().contains(&format!("url={address}/#token={token}")));
    assert_eq!(std::fs::metadata(&way).unwrap().mode() & 0o777, 0o600);
}

/// A container that is started again on the same data folder has another host name.
#[tokio::test]
async fn tasks_of_this_machine_under_another_name_are_taken_over() {
    let home = Home::new();
    let store = home.store().await;
    let far = Timestamp::from_millis(i64::MAX / 2);
    let bound = NewTask { host: Some("container-1".to_owned()), ..NewTask::new(TaskKind::HealRepo, "/srv/shop", far) };
    let id = store.enqueue(&bound).await.unwrap().id;
    let machine = || std::fs::read_to_string(home.path().join(".local/share/autoheal/machine-id")).unwrap();
    drop(Server::start(&home));
    let first = machine();
    assert_eq!(store.task(id).await.unwrap().unwrap().host.as_deref(), Some(first.trim()));
    drop(Server::start(&home));
    assert_eq!(machine(), first, "it stays what it is");
}

#[tokio::test]
async fn the_server_survives_a_worker_process_and_says_what_it_died_of() {
    let home = Home::new();
    // What the worker process has by itself fits into its memory with room to spare: near its limit it would be slow for long before it
    // exceeds it. What it makes of these files never fits.
    let long = "prices = [1, 2, 3]\n".repeat(100_000);
    let repository = TestRepository::with_files(&[
        ("test_it.py", "import unittest\n"),
        ("prices.py", &long),
        ("more.py", &long),
        ("most.py", &long),
    ]);
    let mut command = home.command(&["serve", "--addr", "127.0.0.1:0", "--log", "off"]);
    command.env("AUTOHEAL_WORKER_MEMORY_MIB", "64");
    command.env("AUTOHEAL_REPOSITORIES", json!([repository.path()]).to_string());
    let server = Server::of(command);
    let (address, token) = server.entrance();
    for _ in 0..2 {
        let input = json!({ "repository": repository.path() });
        let (status, refused) = heal(address, Some(token), "/api/tools/heal", &input).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(status == 422 && message.contains("exceeded its memory of 64 MiB"), "{status} {refused}");
        let health = reqwest::get(format!("{address}/healthz")).await.unwrap();
        assert_eq!(health.status(), 200);
    }
}

/// bubblewrap and git inherit the filter, and still work.
#[tokio::test]
async fn a_worker_process_has_a_filter_of_system_calls_and_heals() {
    let home = Home::new();
    let repository = TestRepository::with_files(&[
        ("shop.py", "def vat(amount)\n    return amount / 4\n"),
        (
            "test_it.py",
            "import unittest\nimport shop\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(shop.vat(8), 2)\n",
        ),
    ]);
    let mut command = home.command(&["serve", "--addr", "127.0.0.1:0", "--log", "off"]);
    command.env("AUTOHEAL_REPOSITORIES", json!([repository.path()]).to_string());
    let server = Server::of(command);
    let (address, token) = server.entrance();
    let input = json!({ "repository": repository.path() });
    let healed = heal(address, Some(token), "/api/tools/heal", &input);
    let confined = async {
        loop {
            for worker in worker_processes(server.process.id()) {
                let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
                if status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n") {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let ((status, healed), ()) = tokio::join!(healed, confined);
    assert!(status == 200 && healed.to_string().contains("GREEN"), "{status} {healed}");
}

#[tokio::test]
async fn a_task_whose_worker_process_is_killed_has_failed_once_and_says_of_what() {
    let home = Home::new();
    let repository = TestRepository::with_files(&[("test_it.py", "import unittest\n")]);
    let mut command = home.command(&["serve", "--addr", "127.0.0.1:0", "--log", "off"]);
    command.env("AUTOHEAL_REPOSITORIES", json!([repository.path()]).to_string());
    let server = Server::of(command);
    let (address, token) = server.entrance();
    let input = json!({ "repositoryUrl": repository.path(), "teamName": "a", "leaderName": "b" });
    let (status, accepted) = heal(address, Some(token), "/api/heal", &input).await;
    assert_eq!((status, &accepted["status"]), (200, &json!("queued")));
    let worker = loop {
        if let Some(worker) = worker_processes(server.process.id()).first() {
            break *worker;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    kill(Pid::from_raw(worker), Signal::SIGKILL).unwrap();
    let store = home.store().await;
    let task = loop {
        let tasks = store.tasks(&TaskFilter::default()).await.unwrap();
        if let [task @ Task { error_message: Some(_), .. }] = tasks.as_slice() {
            break task.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((task.state, task.retry_count, task.deaths), (TaskState::Pending, 1, 0), "{task:?}");
    assert!(task.error_message.as_ref().unwrap().contains("was ended by signal 9"), "{task:?}");
}
