//! A local GitLab: the paths, status codes and headers of the REST API as far as autoheal asks for them, and git over HTTP from
//! the same host, with the same token. CI is scripted by what a commit holds. Every request and answer is kept, so that a test can
//! hold them against a table of what GitLab documents ([`shapes`]).

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

mod api;
mod ci;
mod documents;
mod plan;
mod server;
pub mod shapes;
mod state;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;

pub use crate::github::{Commit, Exchange, Fault};
pub use plan::{CiPlan, JobPlan, PipelinePlan};
pub use state::{MergeRequest, Note, Status};

use crate::github::branch_tip;
use crate::repository::TestRepository;
use state::State;

/// Says what CI does for a commit.
pub type Ci = Box<dyn Fn(&Commit<'_>) -> CiPlan + Send + Sync>;

/// Behaviour of the host.
pub struct Behaviour {
    /// The token that it knows.
    pub token: String,
    /// The header in which the token comes, and the text before it there.
    pub header: (&'static str, &'static str),
    /// True if the token may push.
    pub may_push: bool,
    /// The most entries of a page.
    pub page_size: usize,
    /// Origin of the pages that responses name, where it is not the host's own.
    pub pages_at: Option<String>,
    /// Plan of CI for each commit.
    pub ci: Ci,
}

impl std::fmt::Debug for Behaviour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Behaviour").field("may_push", &self.may_push).finish_non_exhaustive()
    }
}

impl Behaviour {
    /// The token, an access token, may do everything, and CI does what `ci` says.
    pub fn new(token: &str, ci: impl Fn(&Commit<'_>) -> CiPlan + Send + Sync + 'static) -> Self {
        let (token, header) = (token.to_owned(), ("private-token", ""));
        Self { token, header, may_push: true, page_size: 100, pages_at: None, ci: Box::new(ci) }
    }
}

/// A running host with one project, `octo/tools/shop`; it ends when this is dropped.
#[derive(Debug)]
pub struct FakeGitLab {
    address: SocketAddr,
    shared: Arc<Shared>,
    folder: tempfile::TempDir,
}

/// State that the threads of the server share.
#[derive(Debug)]
struct Shared {
    root: PathBuf,
    behaviour: Behaviour,
    origin: String,
    state: Mutex<State>,
    is_over: AtomicBool,
}

/// The group of the project, and its group.
pub const GROUPS: &str = "octo/tools";

/// Name of the project.
pub const NAME: &str = "shop";

impl FakeGitLab {
    /// Serves a copy of the repository.
    pub fn serve(repository: &TestRepository, behaviour: Behaviour) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let groups = folder.path().join(GROUPS);
        std::fs::create_dir_all(&groups).expect("the folder of the groups");
        repository.bare_copy(&groups, NAME);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on the loopback interface");
        let address = listener.local_addr().expect("the port");
        let shared = Arc::new(Shared {
            root: folder.path().to_owned(),
            behaviour,
            origin: format!("http://{address}"),
            state: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if accepting.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let answering = Arc::clone(&accepting);
                // A client that goes away in the middle is its own business.
                thread::spawn(move || drop(answering.answer(stream)));
            }
        });
        Self { address, shared, folder }
    }

    /// The address of the host.
    pub fn origin(&self) -> &str {
        &self.shared.origin
    }

    /// The address of the project.
    pub fn url(&self) -> String {
        format!("{}/{GROUPS}/{NAME}", self.shared.origin)
    }

    /// Returns the folder of the bare repository.
    pub fn repository(&self) -> PathBuf {
        self.shared.bare()
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

    /// Returns the merge requests, in the order in which they were added.
    pub fn merge_requests(&self) -> Vec<MergeRequest> {
        self.shared.state().merge_requests.clone()
    }

    /// Adds a merge request, as a user would.
    pub fn put_merge_request(&self, request: MergeRequest) {
        self.shared.state().merge_requests.push(request);
    }

    /// Closes every merge request without merging it.
    pub fn close_merge_requests(&self) {
        for request in &mut self.shared.state().merge_requests {
            "closed".clone_into(&mut request.state);
        }
    }

    /// Returns the notes on merge requests.
    pub fn notes(&self) -> Vec<Note> {
        self.shared.state().notes.clone()
    }

    /// The statuses that were set, in their order.
    pub fn statuses(&self) -> Vec<Status> {
        self.shared.state().statuses.clone()
    }

    /// The branches for which a pipeline was started.
    pub fn starts(&self) -> Vec<String> {
        self.shared.state().starts.clone()
    }

    /// Returns the commit at the tip of a branch.
    pub fn branch(&self, branch: &str) -> Option<String> {
        branch_tip(&self.repository(), branch)
    }

    /// Holds every request and answer against what GitLab documents.
    ///
    /// # Panics
    ///
    /// When something is not as documented.
    pub fn check_against_shapes(&self) {
        let wrong: Vec<String> = self.exchanges().iter().flat_map(shapes::faults).collect();
        assert!(wrong.is_empty(), "not as GitLab documents it:\n{}", wrong.join("\n"));
    }
}

impl Drop for FakeGitLab {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next client.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bare(&self) -> PathBuf {
        self.root.join(GROUPS).join(format!("{NAME}.git"))
    }

    fn page_url(&self, rest: &str) -> String {
        let origin = self.behaviour.pages_at.as_deref().unwrap_or(&self.origin);
        format!("{origin}/{GROUPS}/{NAME}{rest}")
    }
}

/// Body of a response.
enum Body {
    Document(Value),
    Text(String),
    Empty,
}

/// A response: status, headers and body.
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
}

impl Answer {
    fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Body::Document(body) }
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
