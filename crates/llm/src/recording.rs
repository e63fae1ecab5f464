//! Answers in a file: written down while a model is asked, or given from it instead of asking. JSON lines, one for each question; no key
//! and no header is in it. Each line says where it is from: what was written by hand is never called a recording.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::connection::ChatModel;
use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest};
use crate::provider::ModelName;

/// Where a line is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A model has answered so.
    Recorded,
    /// A person has written it.
    Scripted,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Where it is from.
    pub origin: Origin,
    /// Which model answered, or is meant to have.
    pub model: ModelName,
    /// What the question is known by; a scripted line may leave it out and answers the next question that no line is known for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The question, for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ChatRequest>,
    /// The answer.
    pub answer: ChatAnswer,
}

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read or written.
    #[error("the recording {path} cannot be used: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line is none.
    #[error("the recording {path} line {line}: {source}")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// It has no line at all.
    #[error("the recording {0} is empty: record one with --record")]
    Empty(PathBuf),
}

/// Asks a model, and writes down what it answers.
pub struct Recorder {
    model: Arc<dyn ChatModel>,
    path: PathBuf,
    /// What was written, so that lines of several tasks do not mix.
    writing: Mutex<()>,
}

impl Recorder {
    /// Lines are added at the end of the file, which is made for this user alone: it holds what was asked.
    pub fn new(model: Arc<dyn ChatModel>, path: PathBuf) -> Self {
        Self { model, path, writing: Mutex::new(()) }
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
        let answer = self.model.chat(request).await?;
        let line = Line {
            origin: Origin::Recorded,
            model: self.name().clone(),
            hash: Some(crate::session::hash_of(request)),
            request: Some(request.clone()),
            answer: answer.clone(),
        };
        self.write(&line).map_err(|error| ChatError::Ledger(format!("{}: {error}", self.path.display())))?;
        Ok(answer)
    }
}

/// Answers from a file, and asks nobody.
pub struct Replay {
    name: ModelName,
    /// Answers by what their questions are known by; of several to one question, in their order.
    known: Mutex<BTreeMap<String, Vec<ChatAnswer>>>,
    /// Those to whatever is asked, the next one last.
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

    /// The next answer to a question; the last one answers for ever, as a run that is resumed asks again.
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
        let hash = crate::session::hash_of(request);
        self.next(&hash).ok_or(ChatError::NotRecorded { hash })
    }
}
