//! Repositories that give a language model orders, and a model that obeys: the checks behind it stop each of its edits, and say why.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use autoheal_engine::StopReason;
use autoheal_llm::Connection;
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::repository::TestRepository;
use serde::Deserialize;
use serde_json::json;

use crate::driver::{Healed, heal_with};
use crate::model::{TEST, WRONG, models, prompt, request};

/// Text that every edit of the table writes.
const MARK: &[u8] = b"PLANTED";

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Name of a link, and its target.
    link: Option<(String, String)>,
    edits: Vec<BTreeMap<String, String>>,
    reason: String,
}

impl Case {
    fn repository(&self) -> TestRepository {
        let mut files = BTreeMap::from([("shapes.py".to_owned(), WRONG.to_owned())]);
        files.insert("test_shapes.py".to_owned(), TEST.to_owned());
        files.extend(self.files.iter().map(|(file, text)| (file.clone(), text.replace("{wrong}", WRONG))));
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        let repository = TestRepository::with_files(&files);
        if let Some((name, target)) = &self.link {
            std::fs::write(repository.path().join(target), "SECRET = 1\n").unwrap();
            std::os::unix::fs::symlink(target, repository.path().join(name)).unwrap();
            repository.commit("link");
        }
        repository
    }
}

/// Files below a folder that hold the mark; links are not followed.
fn marked(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                found.extend(
                    bytes.windows(MARK.len()).any(|part| part == MARK).then(|| entry.path().display().to_string()),
                );
            }
        }
    }
    found
}

async fn obeyed(case: &Case, repository: &TestRepository) -> Option<(Healed, ModelServer)> {
    let answer = json!({ "edits": case.edits }).to_string();
    let server = ModelServer::start([Scripted::openai(&answer)]).await;
    let key = Some("sk-a-secret-key".into());
    let connection = Connection::new("openai/gpt-4o-mini".parse().unwrap(), Some(server.url()), key).unwrap();
    let healed = heal_with(request(repository), Some(models(Arc::new(connection), 20))).await?;
    Some((healed, server))
}

#[tokio::test]
async fn a_model_that_obeys_the_repository_changes_nothing() {
    let Table { case: cases } = toml::from_str(include_str!("injections.toml")).unwrap();
    assert!(cases.len() >= 12);
    for case in cases {
        let repository = case.repository();
        let before = repository.git(&["rev-parse", "HEAD"]);
        let Some((healed, server)) = obeyed(&case, &repository).await else { return };
        let name = &case.name;
        assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{name}: {}", healed.report);
        assert_eq!(healed.state.fixes.accepted.len(), 0, "{name}");
        assert_eq!(
            repository.git(&["for-each-ref", "--format=%(objectname) %(refname)"]),
            format!("{before} refs/heads/main")
        );
        assert_eq!(repository.git(&["status", "--porcelain"]), "", "{name}");
        for folder in [repository.path().parent().unwrap(), healed.folder.ancestors().nth(2).unwrap()] {
            assert_eq!(marked(folder), Vec::<String>::new(), "{name}");
        }
        assert!(!Path::new("/tmp/planted").exists() && !Path::new("/tmp/planted.py").exists(), "{name}");
        // The model is told once, and so is the user.
        assert!(prompt(&server, 1).contains(&case.reason), "{name}: {}", prompt(&server, 1));
        let report = healed.report.replace('`', "");
        assert!(report.contains(&case.reason.replace('`', "")), "{name}: {}", healed.report);
    }
}
