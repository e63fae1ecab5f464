//! A recording answers the requests that were recorded, and no others.

use std::path::PathBuf;
use std::sync::Arc;

use autoheal_llm::recording::{Recorder, RecordingError, Replay};
use autoheal_llm::{ChatError, ChatModel, ChatRequest, Message, Models};
use autoheal_testkit::model_server::{ModelServer, Scripted};

use crate::ledger::{connection, hasty, models};

fn question(text: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::user(text)])
}

#[tokio::test]
async fn a_recording_answers_what_was_asked_and_holds_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.jsonl");
    let server =
        ModelServer::start([Scripted::openai("one"), Scripted::openai("two"), Scripted::openai("three")]).await;
    let recorder = Recorder::new(connection("openai/gpt-4o-mini", &server), path.clone());
    for text in ["a", "b", "a"] {
        recorder.chat(&question(text)).await.unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("a-secret-key") && written.contains("\"origin\":\"recorded\""), "{written}");
    let replay = Replay::open(&path).unwrap();
    let mut answers = Vec::new();
    for text in ["b", "a", "a", "a"] {
        answers.push(replay.chat(&question(text)).await.unwrap().text);
    }
    assert_eq!(answers, ["two", "one", "three", "three"]);
    assert!(matches!(replay.chat(&question("c")).await, Err(ChatError::NotRecorded { .. })));
}

#[tokio::test]
async fn answers_known_from_earlier_runs_are_recorded_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.jsonl");
    let server = ModelServer::start([Scripted::openai("yes"), Scripted::openai("no")]).await;
    let plain = connection("openai/gpt-4o-mini", &server);
    let recorder: Arc<dyn ChatModel> = Arc::new(Recorder::new(Arc::clone(&plain), path.clone()));
    let (earlier, accounts) = models(vec![plain], hasty());
    earlier.session(None, None, None).ask_unless_answered("test", &question("a")).await.unwrap();
    assert!(!path.exists());
    let later = Models::new(vec![recorder], accounts, hasty(), str::to_owned);
    let answer = later.session(None, None, None).ask_unless_answered("test", &question("a")).await.unwrap();
    assert_eq!((answer.text.as_str(), server.requests().len()), ("yes", 1));
    let replay = Replay::open(&path).unwrap();
    assert_eq!(replay.chat(&question("a")).await.unwrap().text, "yes");
}

fn opened(text: &str) -> Result<Arc<Replay>, RecordingError> {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("answers.jsonl");
    std::fs::write(&path, text).unwrap();
    Replay::open(&path).map(Arc::new)
}

#[tokio::test]
async fn a_script_answers_in_its_order() {
    let line = |text: &str| {
        format!(
            r#"{{"origin":"scripted","model":"openai/gpt-4o-mini","answer":{{"text":"{text}","finish":"complete","usage":{{"input":1,"output":1,"cached":0}}}}}}"#
        )
    };
    let replay = opened(&format!("{}\n\n{}\n", line("first"), line("second"))).unwrap();
    assert_eq!(replay.chat(&question("x")).await.unwrap().text, "first");
    assert_eq!(replay.chat(&question("x")).await.unwrap().text, "second");
    assert!(replay.chat(&question("x")).await.is_err());
    assert!(matches!(opened("\n"), Err(RecordingError::Empty(_))));
    let wrong = opened(&format!("{}\n{{\"origin\":\"made up\"}}\n", line("first")));
    assert!(matches!(wrong, Err(RecordingError::Line { line: 2, .. })));
}
