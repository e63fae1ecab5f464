//! A fake GitHub: the paths, status codes and headers of the REST API that autoheal uses, and git over HTTP from the same host, with
//! the same token. The contents of a commit script its CI. Every request and response is kept, so that a test can
//! hold them against GitHub's own description of its API ([`description`]).

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

mod api;
mod ci;
pub mod description;
mod documents;
mod plan;
mod server;
mod state;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::Value;

pub use ci::Commit;
pub(crate) use ci::{branch_tip, commit_facts, default_branch};
pub use plan::{CiPlan, JobPlan, RunPlan};
pub use state::{Comment, Exchange, Fault, Pull, Status};

use crate::repository::{TestRepository, git};
use state::State;

/// Says what CI does for a commit.
pub type Ci = Box<dyn Fn(&Commit<'_>) -> CiPlan + Send + Sync>;

/// Behaviour of the host.
pub struct Behaviour {
    /// The token that it knows.
    pub token: String,
    /// True if the token may push.
    pub may_push: bool,
    /// True if the token may write pull requests, comments and statuses.
    pub may_write: bool,
    /// The most entries of a page.
    pub page_size: usize,
    /// Plan of CI for each commit.
    pub ci: Ci,
}

impl std::fmt::Debug for Behaviour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Behaviour").field("may_push", &self.may_push).finish_non_exhaustive()
    }
}

impl Behaviour {
    /// The token may do everything, and CI does what `ci` says.
    pub fn new(token: &str, ci: impl Fn(&Commit<'_>) -> CiPlan + Send + Sync + 'static) -> Self {
        Self { token: token.to_owned(), may_push: true, may_write: true, page_size: 100, ci: Box::new(ci) }
    }
}

/// A running host with one repository, `octo/shop`; it ends when this is dropped.
#[derive(Debug)]
pub struct FakeGitHub {
    address: SocketAddr,
    logs: SocketAddr,
    shared: Arc<Shared>,
    folder: tempfile::TempDir,
}

/// State that the threads of the server share.
#[derive(Debug)]
struct Shared {
    root: PathBuf,
    behaviour: Behaviour,
    origin: String,
    logs_origin: String,
    state: Mutex<State>,
    is_over: AtomicBool,
}

/// The owner of the repository.
pub const OWNER: &str = "octo";

/// Name of the repository.
pub const NAME: &str = "shop";

impl FakeGitHub {
    /// Serves a copy of the repository.
    pub fn serve(repository: &TestRepository, behaviour: Behaviour) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let owner = folder.path().join(OWNER);
        std::fs::create_dir(&owner).expect("the owner's folder");
        repository.bare_copy(&owner, NAME);
        let listen = || TcpListener::bind("127.0.0.1:0").expect("a port on the loopback interface");
        let (listener, logs_listener) = (listen(), listen());
        let address = listener.local_addr().expect("the port");
        let logs = logs_listener.local_addr().expect("the port");
        let shared = Arc::new(Shared {
            root: folder.path().to_owned(),
            behaviour,
            origin: format!("http://{address}"),
            logs_origin: format!("http://{logs}"),
            state: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        accept(listener, &shared, Shared::answer);
        accept(logs_listener, &shared, Shared::answer_for_logs);
        Self { address, logs, shared, folder }
    }

    /// The address of the repository.
    pub fn url(&self) -> String {
        format!("{}/{OWNER}/{NAME}", self.shared.origin)
    }

    /// The address of the API.
    pub fn api(&self) -> String {
        format!("{}/api/v3", self.shared.origin)
    }

    /// Returns the folder of the bare repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.path().join(OWNER).join(format!("{NAME}.git"))
    }

    /// The folder that holds everything the host keeps.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lets the next requests whose path holds a text fail, in this order.
    pub fn fail_next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.shared.state().faults.extend(faults);
    }

    /// Returns the requests to the API and its responses, in order.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.state().exchanges.clone()
    }

    /// Returns the requests to the host of the logs: the path, and whether a token came with it.
    pub fn log_requests(&self) -> Vec<(String, bool)> {
        self.shared.state().log_requests.clone()
    }

    /// Returns the pull requests, in the order in which they were added.
    pub fn pulls(&self) -> Vec<Pull> {
        self.shared.state().pulls.clone()
    }

    /// Adds a pull request, open or closed, as a user would.
    pub fn put_pull(&self, pull: Pull) {
        self.shared.state().pulls.push(pull);
    }

    /// Closes every pull request without merging it.
    pub fn close_pulls(&self) {
        for pull in &mut self.shared.state().pulls {
            pull.is_open = false;
        }
    }

    /// Merges every open pull request as a reviewer does, and deletes its branch.
    pub fn merge_pulls(&self) {
        let repository = self.repository();
        for pull in self.shared.state().pulls.iter_mut().filter(|pull| pull.is_open) {
            let Pull { number, head, base, .. } = &*pull;
            let tip = git(&repository, &["rev-parse", head]);
            let (tree, message) = (format!("{head}^{{tree}}"), format!("Merge pull request #{number}"));
            let merged = git(&repository, &["commit-tree", "-p", base, "-p", head, "-m", &message, &tree]);
            git(&repository, &["update-ref", &format!("refs/heads/{base}"), &merged]);
            git(&repository, &["branch", "--quiet", "-D", head]);
            pull.is_open = false;
            pull.merged = Some(tip);
        }
    }

    /// Returns the comments on pull requests.
    pub fn comments(&self) -> Vec<Comment> {
        self.shared.state().comments.clone()
    }

    /// The statuses of commits, in the order in which they were set.
    pub fn statuses(&self) -> Vec<Status> {
        self.shared.state().statuses.clone()
    }

    /// The branches for which a workflow was started.
    pub fn dispatches(&self) -> Vec<String> {
        self.shared.state().dispatches.clone()
    }

    /// Returns the commit at the tip of a branch.
    pub fn branch(&self, branch: &str) -> Option<String> {
        ci::branch_tip(&self.repository(), branch)
    }

    /// Holds every request and answer against GitHub's description of its API; skips loudly where that is missing.
    ///
    /// # Panics
    ///
    /// When something is not as described.
    pub fn check_against_description(&self) {
        let Some(description) = description::Description::find() else {
            crate::skip("GitHub's description of its API", "it is not in the cache: ./test fetches it");
            return;
        };
        let wrong: Vec<String> = self.exchanges().iter().flat_map(|exchange| description.faults(exchange)).collect();
        assert!(wrong.is_empty(), "not as GitHub describes it:\n{}", wrong.join("\n"));
    }
}

impl Drop for FakeGitHub {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        for address in [self.address, self.logs] {
            // Wakes the thread that waits for the next client.
            let _ = TcpStream::connect(address);
        }
    }
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bare(&self) -> PathBuf {
        self.root.join(OWNER).join(format!("{NAME}.git"))
    }

    /// The path of the repository in the API.
    fn api_url(&self, rest: &str) -> String {
        format!("{}/api/v3/repos/{OWNER}/{NAME}{rest}", self.origin)
    }

    fn page_url(&self, rest: &str) -> String {
        format!("{}/{OWNER}/{NAME}{rest}", self.origin)
    }
}

fn accept(listener: TcpListener, shared: &Arc<Shared>, answer: fn(&Shared, TcpStream) -> std::io::Result<()>) {
    let accepting = Arc::clone(shared);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if accepting.is_over.load(Ordering::SeqCst) {
                break;
            }
            let answering = Arc::clone(&accepting);
            // A client that goes away in the middle is its own business.
            thread::spawn(move || drop(answer(&answering, stream)));
        }
    });
}

/// A document as bytes and the headers that go with it.
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

impl Answer {
    fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Some(body) }
    }

    fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
