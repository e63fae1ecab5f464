//! The Dockerfile and the compose file describe this program correctly; and killed runs leave no container.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use autoheal_testkit::repository::TestRepository;
use serde_json::Value;

use crate::binary::{Ended, Home};
use crate::github::{FILES, IMAGE, docker_works};

const DOCKERFILE: &str = include_str!("../../../../Dockerfile");
const COMPOSE: &str = include_str!("../../../../compose.yaml");
const MANUAL: &str = include_str!("../../../../docs/containers.md");

fn compose() -> Value {
    serde_saphyr::from_str(COMPOSE).unwrap()
}

/// Substitutes variables in a value as compose does, with chosen values for secrets: `${NAME:-default}`, `${NAME:?why}`.
fn substituted(value: &str) -> String {
    let mut text = value.to_owned();
    while let Some((before, rest)) = text.split_once("${") {
        let (inside, after) = rest.split_once('}').unwrap();
        let chosen = inside.split_once(":-").map_or("chosen", |(_, default)| default);
        text = format!("{before}{chosen}{after}");
    }
    text
}

fn environment(service: &Value) -> BTreeMap<String, String> {
    let lines = service["environment"].as_object().unwrap();
    lines.iter().map(|(name, value)| (name.clone(), substituted(value.as_str().unwrap()))).collect()
}

/// The services that are this program, by name.
fn own_services() -> Vec<(String, Value)> {
    let services = compose()["services"].as_object().unwrap().clone();
    let own: Vec<_> = services.into_iter().filter(|(_, service)| service.get("command").is_some()).collect();
    assert_eq!(own.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["server", "worker"]);
    own
}

#[test]
fn the_dockerfile_builds_with_the_rust_that_the_workspace_asks_for() {
    let asked: Vec<&str> = env!("CARGO_PKG_RUST_VERSION").split('.').take(2).collect();
    let line = format!("ARG BUILD_IMAGE=rust:{}-", asked.join("."));
    assert!(
        DOCKERFILE.lines().any(|found| found.starts_with(&line)),
        "the Dockerfile has no line that begins with {line}"
    );
}

/// The linter of the image is the one that is tested with.
#[test]
fn the_image_has_the_ruff_that_the_tests_run_with() {
    let tested = include_str!("../../../../scripts/requirements-test.txt");
    let ruff = DOCKERFILE.split_whitespace().find(|word| word.starts_with("ruff==")).unwrap();
    assert!(tested.lines().any(|line| line == ruff), "{ruff} is not in scripts/requirements-test.txt");
}

/// Every setting goes through the reader of settings, which refuses a name that it does not know and a value that it cannot read.
#[test]
fn the_settings_of_both_files_are_settings() {
    let of_image = DOCKERFILE.lines().filter_map(|line| line.strip_prefix("ENV ")?.split_once('='));
    let of_image: BTreeMap<String, String> =
        of_image.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    assert!(of_image.contains_key("AUTOHEAL_DATA_DIR"));
    let of_services = own_services().into_iter().map(|(_, service)| environment(&service));
    for settings in of_services.chain([of_image]) {
        let ended = Ended::of(Home::new().command(&["explain", "CI_TIMEOUT"]).envs(&settings));
        assert_eq!(ended.code, Some(0), "{settings:?}: {}", ended.told());
    }
    let misspelled = BTreeMap::from([("AUTOHEAL_DATA_DIRECTORY", "/data")]);
    assert_eq!(Ended::of(Home::new().command(&["explain", "CI_TIMEOUT"]).envs(&misspelled)).code, Some(2));
}

#[test]
fn the_services_are_commands_of_the_program_that_find_their_database() {
    let database = compose()["services"]["postgres"].clone();
    let of_database = environment(&database);
    for (name, service) in own_services() {
        let command: Vec<&str> =
            service["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let ended = Home::new().run(&[&command[..], &["--help"]].concat());
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.told());
        let expected = format!(
            "postgres://{}:{}@postgres/{}",
            of_database["POSTGRES_USER"], of_database["POSTGRES_PASSWORD"], of_database["POSTGRES_DB"]
        );
        assert_eq!(environment(&service)["AUTOHEAL_DATABASE_URL"], expected);
    }
}

/// The compose file and the manual both list the options that bubblewrap needs.
#[test]
fn the_manual_names_what_the_compose_file_allows() {
    for (_, service) in own_services() {
        let allowed = service["security_opt"].as_array().unwrap();
        assert!(!allowed.is_empty());
        for option in allowed {
            let flag = format!("--security-opt {}", option.as_str().unwrap());
            assert!(MANUAL.contains(&flag), "docs/containers.md does not name {flag}");
        }
        assert_eq!(service["cap_drop"], serde_json::json!(["ALL"]));
    }
    assert!(MANUAL.contains("--cap-drop ALL"));
}

/// Returns the result of `autoheal check` for bubblewrap, as an ordinary user in a container with these options and this machine's programs.
#[expect(clippy::disallowed_methods, reason = "starts a container as an operator does")]
fn bubblewrap_in_container(program: &Path, options: &[String]) -> Value {
    let home = "/home/autoheal";
    let output = Command::new("docker")
        .args(["run", "--rm", "--network", "none", "--cap-drop", "ALL", "--user", "10001:10001"])
        .args(options)
        .args(["--volume", "/usr:/usr:ro", "--volume", &format!("{}:/opt/autoheal:ro", program.display())])
        .args(["--tmpfs", &format!("{home}:rw,exec,uid=10001,gid=10001,mode=0700"), "--env", &format!("HOME={home}")])
        .args(["--env", "AUTOHEAL_SANDBOX=bubblewrap", "--env", "AUTOHEAL_ALLOW_WEAK_LIMITS=true"])
        .args(["--entrypoint", "/opt/autoheal", IMAGE, "check", "--json"])
        .output()
        .unwrap();
    assert!(!output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let parts: Value = serde_json::from_slice(&output.stdout).unwrap();
    parts.as_array().unwrap().iter().find(|part| part["name"] == "bubblewrap").unwrap().clone()
}

/// The flags of the compose file are what bubblewrap needs: with them its ways out are shut, and without the profile it does not start.
#[test]
fn bubblewrap_works_in_a_container_with_the_flags_of_the_compose_file() {
    if !docker_works("bubblewrap in a container") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("autoheal");
    std::fs::copy(env!("CARGO_BIN_EXE_autoheal"), &program).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let options_with = |replace: &dyn Fn(&str) -> Option<String>| -> Vec<String> {
        let (_, service) = own_services().remove(0);
        let options = service["security_opt"].as_array().unwrap().clone();
        let kept = options.iter().filter_map(|option| replace(option.as_str().unwrap()));
        kept.flat_map(|option| ["--security-opt".to_owned(), option]).collect()
    };
    let free = options_with(&|option| {
        Some(if option.starts_with("seccomp=") { "seccomp=unconfined".to_owned() } else { option.to_owned() })
    });
    let free = bubblewrap_in_container(&program, &free);
    if free["usable"] != true {
        return autoheal_testkit::skip("bubblewrap in a container", free["detail"].as_str().unwrap());
    }
    let profiled = options_with(&|option| Some(option.replace("seccomp=", &format!("seccomp={root}"))));
    let profiled = bubblewrap_in_container(&program, &profiled);
    assert_eq!(profiled["usable"], true, "{profiled}");
    for door in profiled["doors"].as_array().unwrap() {
        assert!(door["state"] == "shut" || door["state"] == "weak", "{door}");
        assert!(door["name"] != "user" || door["state"] == "shut", "{door}");
    }
    let default = options_with(&|option| (!option.starts_with("seccomp=")).then(|| option.to_owned()));
    let default = bubblewrap_in_container(&program, &default);
    assert_eq!(default["usable"], false, "Docker's own profile would do: {default}");
}

fn heal_in_docker(home: &Home, repository: &TestRepository) -> Command {
    let path = repository.path().display().to_string();
    let mut command = home.command(&["heal", &path, "--sandbox", "docker", "--no-push", "--json"]);
    command.env("AUTOHEAL_PYTHON_IMAGE", IMAGE);
    command
}

/// The containers that these processes made.
#[expect(clippy::disallowed_methods, reason = "asks the engine what a stranger could ask")]
fn containers_of(processes: &[u32]) -> Vec<String> {
    let format = "{{.ID}} {{.Label \"autoheal.owner\"}}";
    let listed = Command::new("docker").args(["ps", "--all", "--format", format]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let is_theirs = |line: &&str| {
        let owner = line.split_once(' ').and_then(|(_, owner)| owner.split('-').next()?.parse().ok());
        owner.is_some_and(|owner: u32| processes.contains(&owner))
    };
    listed.lines().filter(is_theirs).map(str::to_owned).collect()
}

#[test]
fn after_a_kill_at_any_moment_the_next_start_leaves_no_container() {
    if !docker_works("killing runs in Docker") {
        return;
    }
    let repository = TestRepository::with_files(&FILES[..5]);
    let mut killed = Vec::new();
    for life in (0..8).map(|number| Duration::from_millis(100 + number * 350)) {
        let home = Home::new();
        let mut command = heal_in_docker(&home, &repository);
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(life);
        process.kill().unwrap();
        process.wait().unwrap();
        killed.push(process.id());
    }
    // What the engine was still about to make when the first of these started is for the second.
    for _ in 0..2 {
        let ended = Ended::of(&mut heal_in_docker(&Home::new(), &repository));
        assert_eq!(ended.code, Some(0), "{}", ended.told());
    }
    assert_eq!(containers_of(&killed), Vec::<String>::new());
}
