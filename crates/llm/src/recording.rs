//! Answers of models in a file: recorded from a model, or replayed without requests. The file has JSON lines, one for each
//! request, without keys or headers. Each line names its origin: a line written by hand is never labelled as recorded.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::connection::{ChatModel, OnReceived};
use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest};
use crate::provider::ModelName;

/// Origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Recorded from a model.
    Recorded,
    /// Written by hand.
    Scripted,
}

/// One request and its answer, as a line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Origin of the line.
    pub origin: Origin,
    /// Model that answered, or that a scripted line imitates.
    pub model: ModelName,
    /// Hash of the request; a scripted line may omit it and then answers the next request for which no line
    /// has the hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The request, for the reader of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ChatRequest>,
    /// Answer of the model.
    pub answer: ChatAnswer,
}

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read or written.
    #[error("the recording {path} cannot be used: {source}")]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Cause of the failure.
        #[source]
        source: std::io::Error,
    },
    /// A line cannot be parsed.
    #[error("the recording {path} line {line}: {source}")]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the fault in the line.
        #[source]
        source: serde_json::Error,
    },
    /// It has no line at all.
    #[error("the recording {0} is empty: record one with --record")]
    Empty(PathBuf),
}

/// Sends requests to a model, and records its answers.
pub struct Recorder {
    model: Arc<dyn ChatModel>,
    path: PathBuf,
    /// Lock held during a write, so that lines of several tasks do not mix.
    writing: Mutex<()>,
}

impl Recorder {
    /// Creates a recorder that appends to the file. The file is created with access for this user only, because it contains
    /// requests.
    pub fn new(model: Arc<dyn ChatModel>, path: PathBuf) -> Self {
        Self { model, path, writing: Mutex::new(()) }
    }

    fn record(&self, request: &ChatRequest, answer: &ChatAnswer) -> Result<(), ChatError> {
        let line = Line {
            origin: Origin::Recorded,
            model: self.name().clone(),
            hash: Some(crate::question::hash_of(request)),
            request: Some(request.clone()),
            answer: answer.clone(),
        };
        self.write(&line).map_err(|error| ChatError::Ledger(format!("{}: {error}", self.path.display())))
    }

    fn write(&self, line: &Line) -> std::io::Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        writeln!(file, "{}", serde_json::to_string(line)?)
    }
}

#[async_trait]
impl ChatModel for Recorder {
    fn name(&self) -> &ModelName {
        self.model.name()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        self.chat_reporting(request, &|_| {}).await
    }

    async fn chat_reporting(
        &self,
        request: &ChatRequest,
        on_received: OnReceived<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        let answer = self.model.chat_reporting(request, on_received).await?;
        self.record(request, &answer)?;
        Ok(answer)
    }

    fn note_known(&self, request: &ChatRequest, answer: &ChatAnswer) -> Result<(), ChatError> {
        self.record(request, answer)
    }
}

/// A model that replays answers from a file and makes no requests.
pub struct Replay {
    name: ModelName,
    /// Answers by the hash of their request; several for one request in reverse order.
    known: Mutex<BTreeMap<String, Vec<ChatAnswer>>>,
    /// Answers to requests without a recorded hash, in reverse order.
    any: Mutex<Vec<ChatAnswer>>,
}

impl Replay {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`RecordingError`].
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| RecordingError::File { path: path.to_owned(), source })?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines = lines.map(|(index, line)| {
            let wrong = |source| RecordingError::Line { path: path.to_owned(), line: index + 1, source };
            serde_json::from_str::<Line>(line).map_err(wrong)
        });
        let lines: Vec<Line> = lines.collect::<Result<_, _>>()?;
        let name = lines.first().ok_or_else(|| RecordingError::Empty(path.to_owned()))?.model.clone();
        let (mut known, mut any) = (BTreeMap::<String, Vec<ChatAnswer>>::new(), Vec::new());
        for line in lines {
            match line.hash {
                Some(hash) => known.entry(hash).or_default().push(line.answer),
                None => any.push(line.answer),
            }
        }
        for answers in known.values_mut() {
            answers.reverse();
        }
        any.reverse();
        Ok(Self { name, known: Mutex::new(known), any: Mutex::new(any) })
    }

    /// Returns the next answer to a request. The last one is repeated, because a resumed run sends the same request again.
    fn next(&self, hash: &str) -> Option<ChatAnswer> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = known.get_mut(hash) {
            return if answers.len() > 1 { answers.pop() } else { answers.first().cloned() };
        }
        self.any.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

#[async_trait]
impl ChatModel for Replay {
    fn name(&self) -> &ModelName {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        let hash = crate::question::hash_of(request);
        self.next(&hash).ok_or(ChatError::NotRecorded { hash })
    }
}
