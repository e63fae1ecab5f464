//! Language servers of this machine, which are queried about a few files. Their diagnostics are not a judgement: a program that runs
//! well may be wrong for a type checker. They are shown to users and models, as a hint where to search.
//!
//! A server is a program like any other that reads a repository: it runs in its sandbox, without network, and its output is not
//! trusted to have any form.
//!
//! # Layout
//!
//! - `server`: what is known of a server; `known`: how one is found
//! - `conversation`: the conversation with a server; `wire`: its messages

mod conversation;
mod known;
pub(crate) mod server;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use autoheal_code::LanguageId;
use autoheal_code::report::lsp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepError;
use ls_types::Uri;

use crate::project;
use crate::session::Session;
use crate::setup::LanguageServer;
use crate::toolchains;

use conversation::{Document, Heard, Told, talk};
use wire::{Failure, Wire};

pub(crate) use known::{find, names};

/// Diagnostics of a server.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Errors in the files, and in other files of the repository.
    pub(crate) findings: Vec<Finding>,
    /// Number of files outside the repository that have errors, too.
    pub(crate) elsewhere: usize,
    /// Reason for which the diagnostics may be incomplete; `None`: they are complete.
    pub(crate) cut_short: Option<String>,
    /// Further remarks for the user.
    pub(crate) remarks: Vec<String>,
}

/// Queries a server about files of a tree, which may be the one before the last commit. `time`: maximum duration of all of it.
pub(crate) async fn ask(
    session: &mut Session,
    server: &LanguageServer,
    tree: &Path,
    files: &[String],
    time: Duration,
) -> Result<Answer, StepError> {
    // Without an end that some server may take for another folder's name.
    let root: PathBuf = tree.join(&session.setup().suite().directory).components().collect();
    let document = |file: &String| {
        let text = if tree == session.tree() { None } else { Some(project::read_text(tree, file)?) };
        let text = text.or_else(|| session.sources().text(file).map(str::to_owned))?;
        Some(Document {
            address: Uri::from_file_path(tree.join(file))?,
            language: toolchains::of(LanguageId::of(file)?).protocol_name(file)?,
            text,
        })
    };
    let documents: Vec<Document> = files.iter().filter_map(document).collect();
    if documents.is_empty() {
        return Ok(Answer::default());
    }
    let told = Told { root: &root, documents, options: server.options.clone(), settings: server.settings.clone() };
    let mut heard = Heard::default();
    let talked = async {
        let mut wire = Wire::new(session.converse_in(&root, server.words.clone(), time).await?);
        let talked = talk(&mut wire, &told, &mut heard).await;
        let closed = wire.close().await;
        Ok::<_, StepError>(talked.and(closed))
    };
    // Given up, it is dropped: that ends everything it started.
    let cut_short = match tokio::time::timeout(time, talked).await {
        Ok(talked) => talked?.err().map(|failure: Failure| failure.to_string()),
        Err(_) => Some(format!("it had not said everything after {:.0} s", time.as_secs_f64())),
    };
    let look = lsp::Look { tree, sources: session.sources(), encoding: heard.encoding };
    let mut answer = Answer { cut_short, ..Answer::default() };
    for (address, diagnostics) in &heard.files {
        match look.file(address) {
            Some(file) => answer.findings.extend(look.findings(&file, diagnostics)),
            None => answer.elsewhere += usize::from(lsp::has_errors(diagnostics)),
        }
    }
    Ok(answer)
}
