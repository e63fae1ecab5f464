//! Conversation with a language server: it opens files and requests their diagnostics.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use autoheal_code::report::lsp::Encoding;
use ls_types::{
    Diagnostic, DocumentDiagnosticReport, DocumentDiagnosticReportKind, PositionEncodingKind, PublishDiagnosticsParams,
    RegistrationParams, Uri,
};
use serde_json::{Value, json};

use super::wire::{Failure, Message, Wire};

/// Silence after which the diagnostics of a server that sends them by itself are complete: it may send them piece by piece.
const SETTLED: Duration = Duration::from_secs(2);

/// Time after which files without diagnostics count as clean, once the server has reported on others: they
/// may be excluded.
const LEFT_OUT: Duration = Duration::from_secs(6);

/// A server that is busy with something else may say so, so often for each file.
const MOST_TRIES: usize = 3;

/// The answer to a goodbye is not waited for any longer.
const GOODBYE: Duration = Duration::from_secs(2);

/// The numbers of the first request and of the last; those for files are greater.
const INITIALIZE: u64 = 0;
const SHUTDOWN: u64 = 1;

/// A request for the diagnostics of a file.
const DIAGNOSTIC: &str = "textDocument/diagnostic";

/// A file as it is sent to a server.
pub(super) struct Document {
    pub(super) address: Uri,
    /// The name of its language in the protocol.
    pub(super) language: &'static str,
    pub(super) text: String,
}

/// Input of a conversation: the folder, its files, and the server's settings.
pub(super) struct Told<'a> {
    /// The folder that it works in.
    pub(super) root: &'a Path,
    pub(super) documents: Vec<Document>,
    /// Options that the server gets at initialization, as JSON.
    pub(super) options: Value,
    /// Settings that it gets afterwards.
    pub(super) settings: Value,
}

/// Information received from the server so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Unit in which the server counts columns.
    pub(super) encoding: Option<Encoding>,
    /// Latest diagnostics of each file.
    pub(super) files: BTreeMap<Uri, Vec<Diagnostic>>,
}

/// Talks to the server until it has reported on every document, or cannot continue. Diagnostics received by then are kept.
pub(super) async fn talk(wire: &mut Wire, told: &Told<'_>, heard: &mut Heard) -> Result<(), Failure> {
    let (has_told, tries) = (BTreeSet::new(), BTreeMap::new());
    let mut talk = Talk { wire, told, heard, has_told, pulls: None, tries, refusals: Vec::new() };
    talk.begin().await?;
    talk.open().await;
    talk.listen().await?;
    talk.end().await;
    let (count, all) = (talk.refusals.len(), told.documents.len());
    match talk.refusals.first() {
        None => Ok(()),
        Some(why) => Err(Failure::Refused { method: DIAGNOSTIC, why: format!("{why} ({count} of {all} files)") }),
    }
}

struct Talk<'a> {
    wire: &'a mut Wire,
    told: &'a Told<'a>,
    heard: &'a mut Heard,
    /// Documents for which the server sent diagnostics by itself.
    has_told: BTreeSet<Uri>,
    /// Indices of the documents by the ids of pending requests; `None`: the server sends diagnostics by itself.
    pulls: Option<BTreeMap<u64, usize>>,
    /// Number of requests for each document.
    tries: BTreeMap<usize, usize>,
    /// Reasons for which the server refused to report on requested documents.
    refusals: Vec<String>,
}

impl Talk<'_> {
    async fn begin(&mut self) -> Result<(), Failure> {
        let address = Uri::from_file_path(self.told.root);
        let folder = json!({ "uri": address, "name": "repository" });
        let capabilities = json!({
            "general": { "positionEncodings": [PositionEncodingKind::UTF8, PositionEncodingKind::UTF16] },
            "textDocument": {
                "synchronization": {}, "publishDiagnostics": {},
                "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
            },
            "window": { "workDoneProgress": true },
            "workspace": { "configuration": true, "workspaceFolders": true },
        });
        let params = json!({
            // It cannot see us, and is ended with its sandbox.
            "processId": null, "clientInfo": { "name": "autoheal" },
            "rootUri": address, "workspaceFolders": [folder], "capabilities": capabilities,
            "initializationOptions": self.told.options,
        });
        self.wire.request(INITIALIZE, "initialize", params).await;
        let answer = loop {
            if let Some((INITIALIZE, answer)) = self.receive().await? {
                break answer;
            }
        };
        let answer = answer.map_err(|(_, why)| Failure::Refused { method: "initialize", why })?;
        let capability = |name: &str| answer.get("capabilities")?.get(name).filter(|value| !value.is_null());
        let encoding = capability("positionEncoding").map(|kind| serde_json::from_value(kind.clone()));
        let encoding: Option<PositionEncodingKind> = encoding.transpose().map_err(|error| unreadable(&error))?;
        self.heard.encoding = Encoding::chosen(encoding.as_ref());
        if capability("diagnosticProvider").is_some() {
            self.pulls = Some(BTreeMap::new());
        }
        Ok(())
    }

    async fn open(&mut self) {
        self.wire.notify("initialized", json!({})).await;
        if !self.told.settings.is_null() {
            self.wire.notify("workspace/didChangeConfiguration", json!({ "settings": self.told.settings })).await;
        }
        for Document { address, language, text } in &self.told.documents {
            let document = json!({ "uri": address, "languageId": language, "version": 1, "text": text });
            self.wire.notify("textDocument/didOpen", json!({ "textDocument": document })).await;
        }
        if self.pulls.is_some() {
            self.ask_for_all().await;
        }
    }

    async fn ask_for_all(&mut self) {
        for number in 0..self.told.documents.len() {
            self.ask_for(number).await;
        }
    }

    async fn ask_for(&mut self, number: usize) {
        let Some(document) = self.told.documents.get(number) else { return };
        let tries = self.tries.entry(number).or_default();
        *tries += 1;
        let asked: usize = self.tries.values().sum();
        let id = SHUTDOWN + u64::try_from(asked).unwrap_or_default();
        self.pulls.get_or_insert_default().insert(id, number);
        self.wire.request(id, DIAGNOSTIC, json!({ "textDocument": { "uri": document.address } })).await;
    }

    /// Hears what is wrong with the documents.
    async fn listen(&mut self) -> Result<(), Failure> {
        loop {
            if self.pulls.as_ref().is_some_and(BTreeMap::is_empty) {
                return Ok(());
            }
            let received = match self.patience() {
                Some(patience) => {
                    let Ok(received) = tokio::time::timeout(patience, self.receive()).await else { return Ok(()) };
                    received?
                }
                None => self.receive().await?,
            };
            if let Some((id, answer)) = received {
                self.take_answer(id, answer).await?;
            }
        }
    }

    /// Returns the silence after which the diagnostics are complete; `None`: a response is pending, or nothing was reported yet.
    fn patience(&self) -> Option<Duration> {
        let mut documents = self.told.documents.iter().map(|document| self.has_told.contains(&document.address));
        match self.pulls {
            Some(_) => None,
            None if documents.clone().all(|has_told| has_told) => Some(SETTLED),
            None => documents.any(|has_told| has_told).then_some(LEFT_OUT),
        }
    }

    async fn take_answer(&mut self, id: u64, answer: Result<Value, (i64, String)>) -> Result<(), Failure> {
        // The content was modified, or the server or somebody else has cancelled: the protocol wants to be asked again.
        const AGAIN: [i64; 3] = [-32800, -32801, -32802];
        let Some(number) = self.pulls.as_mut().and_then(|pulls| pulls.remove(&id)) else { return Ok(()) };
        let Some(document) = self.told.documents.get(number) else { return Ok(()) };
        match answer {
            Ok(Value::Null) => {}
            Ok(report) => {
                if let DocumentDiagnosticReport::Full(report) =
                    serde_json::from_value(report).map_err(|error| unreadable(&error))?
                {
                    for (address, related) in report.related_documents.unwrap_or_default() {
                        if let DocumentDiagnosticReportKind::Full(related) = related {
                            self.heard.files.entry(address).or_insert(related.items);
                        }
                    }
                    let items = report.full_document_diagnostic_report.items;
                    self.heard.files.insert(document.address.clone(), items);
                }
            }
            Err((code, why)) => {
                if !AGAIN.contains(&code) || self.tries.get(&number).is_some_and(|tries| *tries >= MOST_TRIES) {
                    // What it says of the others is worth as much as before.
                    self.refusals.push(why);
                } else {
                    self.ask_for(number).await;
                }
            }
        }
        Ok(())
    }

    /// Receives the next message. Returns responses, and handles everything else.
    async fn receive(&mut self) -> Result<Option<(u64, Result<Value, (i64, String)>)>, Failure> {
        match self.wire.receive().await? {
            Message::Response { id, answer } => return Ok(Some((id, answer))),
            Message::Notification { method, params } => {
                if method == "textDocument/publishDiagnostics" {
                    let published: PublishDiagnosticsParams =
                        serde_json::from_value(params).map_err(|error| unreadable(&error))?;
                    self.has_told.insert(published.uri.clone());
                    // What it says when it is asked is all that it knows.
                    if self.pulls.is_none() {
                        self.heard.files.insert(published.uri, published.diagnostics);
                    }
                }
            }
            Message::Request { id, method, params } => self.serve(id, &method, params).await?,
        }
        Ok(None)
    }

    /// Responds to a request of the server with an empty or negative result; unknown methods are refused.
    async fn serve(&mut self, id: Value, method: &str, params: Value) -> Result<(), Failure> {
        match method {
            "workspace/configuration" => {
                let count = params.get("items").and_then(Value::as_array).map_or(0, Vec::len);
                self.wire.respond(id, Value::Array(vec![Value::Null; count])).await;
            }
            "client/registerCapability" => {
                self.wire.respond(id, Value::Null).await;
                let asked: RegistrationParams = serde_json::from_value(params).map_err(|error| unreadable(&error))?;
                if self.pulls.is_none() && asked.registrations.iter().any(|one| one.method == DIAGNOSTIC) {
                    self.heard.files.clear();
                    self.ask_for_all().await;
                }
            }
            "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest"
            | "workspace/workspaceFolders"
            | "workspace/diagnostic/refresh" => {
                self.wire.respond(id, Value::Null).await;
            }
            "workspace/applyEdit" => self.wire.respond(id, json!({ "applied": false })).await,
            _ => self.wire.refuse(id, method).await,
        }
        Ok(())
    }

    /// Says goodbye. What does not go by itself is ended with its sandbox.
    async fn end(&mut self) {
        self.wire.request(SHUTDOWN, "shutdown", Value::Null).await;
        let answer = async { while !matches!(self.receive().await, Ok(Some((SHUTDOWN, _))) | Err(_)) {} };
        if tokio::time::timeout(GOODBYE, answer).await.is_ok() {
            self.wire.notify("exit", Value::Null).await;
        }
    }
}

fn unreadable(error: &serde_json::Error) -> Failure {
    Failure::Unreadable(error.to_string())
}
