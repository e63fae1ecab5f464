//! Tools for assistants: the real binary, over the Model Context Protocol and over HTTP, and the tool that Open `WebUI` loads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use autoheal_testkit::manual::Manual;
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::repository::TestRepository;
use autoheal_testkit::static_site::StaticSite;
use serde_json::{Value, json};

use crate::binary::{Ended, Home};

/// A setting of `autoheal heal`.
const TEAM: &str = "a-team-of-mine";

/// An assistant that has started the binary and speaks JSON-RPC lines with it.
struct Assistant {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Assistant {
    fn start(home: &Home) -> Self {
        let mut command = home.command(&["mcp", "--sandbox", "bubblewrap"]);
        command.env("AUTOHEAL_TEAM", TEAM);
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut assistant = Self { process, input, output, last: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let begun = assistant
            .ask("initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }));
        assert_eq!(begun.1["result"]["serverInfo"]["name"], "autoheal", "{begun:?}");
        assistant.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assistant
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Sends a request, and returns the messages before the response, and the response.
    fn ask(&mut self, method: &str, params: &Value) -> (Vec<Value>, Value) {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        let mut before = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.last {
                return (before, message);
            }
            before.push(message);
        }
    }

    fn call(&mut self, tool: &str, input: &Value) -> (Vec<Value>, Value) {
        let meta = json!({ "progressToken": "p" });
        let (before, answer) = self.ask("tools/call", &json!({ "name": tool, "arguments": input, "_meta": meta }));
        (before, answer["result"].clone())
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn an_assistant_finds_the_tools_and_an_answer_in_a_manual() {
    let manual = Manual::new(11);
    let site = StaticSite::of(manual.pages().clone()).await;
    let home = Home::new();
    let mut assistant = Assistant::start(&home);
    let listed = assistant.ask("tools/list", &json!({})).1;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["navigate", "extract", "source_list", "source_run", "heal"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        let described = tool["inputSchema"]["properties"].as_object().into_iter().flatten();
        assert!(described.into_iter().all(|(_, property)| property["description"].is_string()), "{tool}");
    }
    let question = &manual.questions()[0];
    let asked = json!({
        "goal": question.goal, "start": site.url("/").as_str(),
        "make": question.make, "year": question.year, "model": question.model,
    });
    let (progress, found) = assistant.call("navigate", &asked);
    assert!(text(&found).contains(&question.answer), "{found}");
    assert_eq!((&found["isError"], &found["structuredContent"]["success"]), (&json!(false), &json!(true)));
    let steps = found["structuredContent"]["steps_taken"].as_u64().unwrap();
    let told = progress.iter().filter(|message| message["method"] == "notifications/progress").count();
    assert!(steps > 2 && u64::try_from(told).unwrap() >= steps, "{progress:?}");

    let missing = assistant.call("navigate", &json!({ "goal": "warp drive", "start": site.url("/").as_str() })).1;
    assert_eq!(missing["structuredContent"]["success"], false, "{missing}");
}

#[tokio::test]
async fn what_an_assistant_asks_wrongly_is_told_to_it() {
    let home = Home::new();
    let mut assistant = Assistant::start(&home);
    for (tool, input, told) in [
        ("navigate", json!({ "goal": "x" }), "missing field `start`"),
        ("navigate", json!({ "goal": "x", "start": "file:///etc/passwd" }), "not the address of a web page"),
        ("navigate", json!({ "goal": "x", "start": "http://h.example/", "speed": 1 }), "unknown field `speed`"),
        ("source_run", json!({ "name": "nothing" }), "there is no source `nothing`"),
        ("heal", json!({}), "either a repository or a source"),
        ("heal", json!({ "repository": "ftp://somewhere/else" }), "only https is supported"),
        ("heal", json!({ "repository": "/", "push": true }), "server.allow_push"),
        ("extract", json!({ "url": "http://10.0.0.1/" }), "10.0.0.1"),
        ("navigate", json!({ "goal": "x", "start": "http://10.0.0.1/" }), "http://10.0.0.1/ cannot be read"),
    ] {
        let result = assistant.call(tool, &input).1;
        assert_eq!(result["isError"], true, "{tool} {input}: {result}");
        assert!(text(&result).contains(told), "{tool} {input}: {result}");
    }
    let unknown = assistant.ask("tools/call", &json!({ "name": "rm", "arguments": {} })).1;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(text(&assistant.call("source_list", &json!({})).1).starts_with("0 sources"));
}

#[test]
fn an_assistant_heals_a_repository_and_gets_the_patch_and_no_branch() {
    let home = Home::new();
    let usable: Vec<Value> = serde_json::from_str(&home.run(&["check", "--quick", "--json"]).stdout).unwrap();
    if !usable.iter().any(|part| part["name"] == "bubblewrap" && part["usable"] == true) {
        autoheal_testkit::skip("healing by an assistant", "bubblewrap does not work here");
        return;
    }
    let repository = TestRepository::with_files(&[
        ("shop.py", "def total(prices)\n    return sum(prices)\n"),
        (
            "test_shop.py",
            "import unittest\n\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n    \
             def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
        ),
    ]);
    let mut assistant = Assistant::start(&home);
    let (progress, healed) = assistant.call("heal", &json!({ "repository": repository.path().to_str().unwrap() }));
    assert_eq!(healed["structuredContent"]["is_well"], true, "{healed}");
    assert_eq!(healed["structuredContent"]["results"]["team_name"], TEAM, "as the settings say");
    assert!(text(&healed).contains("+def total(prices):"), "{}", text(&healed));
    assert!(progress.iter().any(|message| message["params"]["message"].to_string().contains("patch")), "{progress:?}");
    assert_eq!(repository.git(&["branch", "--list"]), "* main", "nobody has asked for a branch");
}

#[test]
fn a_server_that_nobody_could_ask_does_not_begin() {
    let home = Home::new();
    for (name, value, told) in [
        ("AUTOHEAL_ORIGINS", "[\"https://chat.example/\"]", "server.origins"),
        ("AUTOHEAL_ORIGINS", "[\"chat.example\"]", "server.origins"),
        ("AUTOHEAL_HOSTS", "[\"tools.example:8080\"]", "server.hosts"),
        ("AUTOHEAL_HOSTS", "[\"https://tools.example\"]", "server.hosts"),
        ("AUTOHEAL_TOKEN", "two words", "AUTOHEAL_TOKEN"),
        ("AUTOHEAL_ERROR_SINK", "mailto:ops@example.com", "server.error_sink"),
        ("AUTOHEAL_GITHUB_WEBHOOK", "true", "AUTOHEAL_GITHUB_WEBHOOK_SECRET"),
    ] {
        let refused = Ended::of(home.command(&["serve", "--addr", "127.0.0.1:0"]).env(name, value));
        assert!(refused.code == Some(2) && refused.stderr.contains(told), "{name}={value}: {}", refused.told());
    }
}

/// `autoheal serve`, and where it listens.
struct Server {
    process: Child,
    address: String,
}

const TOKEN: &str = "a-token-of-this-test";

impl Server {
    /// Starts the server with a language model at `model`.
    fn start(home: &Home, model: &ModelServer) -> Self {
        let flags = ["serve", "--addr", "127.0.0.1:0", "--log", "off", "--model", "openai/gpt-4o-mini"];
        let mut command = home.command(&flags);
        command.env("AUTOHEAL_OPENAI_URL", model.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command.env("AUTOHEAL_TOKEN", TOKEN).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            let address = line.split("listening at ").nth(1)?;
            Some(address.split(';').next()?.to_owned())
        });
        Self { process, address: address.unwrap() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "starts the Python that stands for Open WebUI")]
async fn the_tool_of_open_webui_asks_the_server() {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(arguments);
        command
    };
    if Ended::of(&mut python(&["-c", "import pydantic, asyncio; asyncio.timeout"])).code != Some(0) {
        autoheal_testkit::skip("the tool of Open WebUI", "there is no python3 of 3.11 or later with pydantic");
        return;
    }
    let manual = Manual::new(13);
    let site = StaticSite::of(manual.pages().clone()).await;
    let home = Home::new();
    let gives_up = json!({ "tool": "not_found", "link_text": null }).to_string();
    let model = ModelServer::start([Scripted::openai(&gives_up)]).await;
    let server = Server::start(&home, &model);
    let question = &manual.questions()[0];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/openwebui");
    let mut tests = python(&["-B", "-m", "unittest", "-v", "test_autodb_tool"]);
    tests.current_dir(folder).env("AUTOHEAL_TEST_SERVER", &server.address).env("AUTOHEAL_TEST_TOKEN", TOKEN);
    tests.env("AUTOHEAL_TEST_MANUAL", site.url("/").as_str());
    tests.env("AUTOHEAL_TEST_QUERY", question.goal).env("AUTOHEAL_TEST_ANSWER", &question.answer);
    let ended = Ended::of(&mut tests);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert!(ended.stderr.contains("Ran 7 tests"), "{}", ended.told());
    let usage: Value = serde_json::from_str(&home.run(&["usage", "--by", "user", "--json"]).stdout).unwrap();
    assert_eq!((&usage[0]["name"], &usage[0]["calls"]), (&json!("reader@example.com"), &json!(1)), "{usage}");
}
