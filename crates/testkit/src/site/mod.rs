//! A small site on the loopback interface that changes while it runs, as real ones do.
//!
//! Its pages are made from typed records: the same values in every [`Layout`], so a test knows what is true whatever the
//! page looks like. A page or the whole site can get another layout, other class names or tags, lose a field, show the
//! wrong thing, become slow, refuse, redirect, move, or go away.
//!
//! The server runs on a separate thread: a test may block, and the program under test may be another process.
//!
//! # Example
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! use autoheal_testkit::site::{Change, Layout, Scope, Site};
//!
//! let site = Site::start().await;
//! assert!(site.values("/article/1")["title"].is_string());
//! site.set("/article/1", Change::Layout(Layout::Table));
//! site.set(Scope::Whole, Change::RenameClasses(7));
//! assert!(site.url("/article/1").as_str().starts_with("http://127.0.0.1:"));
//! assert_eq!(site.requests("/article/1"), 0);
//! # }
//! ```
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

mod change;
mod element;
mod http;
mod layout;
mod mutate;
pub mod record;
mod render;
mod state;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use crate::background::{Background, loopback};
pub use crate::http::Request;
pub use change::{Change, RawAnswer, Scope};
pub use layout::Layout;
pub use render::MONTHS;

use record::Record;
use state::State;

/// Number of pages of each kind: `/article/1`, `/product/1`, `/list/1` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Number of articles.
    pub articles: usize,
    /// Number of products.
    pub products: usize,
    /// Pages of the list of products; each links to the next one.
    pub lists: usize,
    /// Entries on each page of the list.
    pub entries: usize,
}

impl Default for Plan {
    /// Ten articles, twelve products, three pages of the list with four entries each.
    fn default() -> Self {
        Self { articles: 10, products: 12, lists: 3, entries: 4 }
    }
}

impl Plan {
    fn pages(self) -> BTreeMap<String, Record> {
        let articles =
            (1..=self.articles).map(|number| (format!("/article/{number}"), Record::Article(record::article(number))));
        let products =
            (1..=self.products).map(|number| (format!("/product/{number}"), Record::Product(record::product(number))));
        let lists = (1..=self.lists).map(|number| {
            (format!("/list/{number}"), Record::Listing(record::listing(number, self.lists, self.entries)))
        });
        articles.chain(products).chain(lists).collect()
    }
}

/// A running site; it ends when this is dropped.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    state: Arc<State>,
    server: Option<Background>,
}

impl Site {
    /// A site of the usual size.
    pub async fn start() -> Self {
        Self::with(Plan::default()).await
    }

    /// A site of the usual size at another address of this machine.
    pub async fn start_at(address: IpAddr) -> Self {
        Self::at(SocketAddr::from((address, 0)), Plan::default()).await
    }

    /// A site of this size.
    pub async fn with(plan: Plan) -> Self {
        Self::at(loopback(), plan).await
    }

    async fn at(address: SocketAddr, plan: Plan) -> Self {
        let state = Arc::new(State::new(plan.pages()));
        let (address, server) = serve(address, &state).await;
        Self { address, state, server: Some(server) }
    }

    /// The URL of a path, which may have a query.
    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).expect("a path begins with a slash")
    }

    /// Returns the host and port of the site, `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The paths of all pages, without the root, the sitemap and robots.txt.
    pub fn paths(&self) -> Vec<String> {
        self.state.paths()
    }

    /// The true values of a page, without fields that were deleted (see [`Record::values`]).
    ///
    /// # Panics
    ///
    /// When there is no such page.
    pub fn values(&self, path: &str) -> Map<String, Value> {
        self.state.values(path).expect("the site has this page")
    }

    /// Applies a change to a page or to the whole site.
    pub fn set(&self, scope: impl Into<Scope>, change: Change) {
        self.state.apply(scope.into(), change);
    }

    /// Takes every change to a page back, or every change there is.
    pub fn reset(&self, scope: impl Into<Scope>) {
        self.state.reset(&scope.into());
    }

    /// Sets the content of robots.txt; `None`: there is no such file, as at the start.
    pub fn set_robots(&self, text: Option<&str>) {
        self.state.set_robots(text);
    }

    /// Puts a page at a path, or replaces what is there: the same page with other values.
    pub fn put(&self, path: &str, record: Record) {
        self.state.put(path, record);
    }

    /// Moves a page: its old path is gone, the root, the sitemap and the lists link to the new one. A redirect, where there
    /// shall be one, is set like any other change.
    ///
    /// # Panics
    ///
    /// When there is no such page.
    pub fn move_page(&self, from: &str, to: &str) {
        assert!(self.state.rename(from, to), "the site has no page {from}");
    }

    /// Counts the requests for a path.
    pub fn requests(&self, path: &str) -> usize {
        self.state.asked(path)
    }

    /// Counts the requests for all paths.
    pub fn requests_in_all(&self) -> usize {
        self.state.asked_in_all()
    }

    /// The last request for a path.
    pub fn last_request(&self, path: &str) -> Option<Request> {
        self.state.last(path)
    }

    /// Stops listening and disconnects all clients: the port refuses connections.
    pub fn go_away(&mut self) {
        self.server = None;
    }

    /// Listens again on the same port.
    pub async fn come_back(&mut self) {
        if self.server.is_none() {
            let (_, server) = serve(self.address, &self.state).await;
            self.server = Some(server);
        }
    }
}

async fn serve(address: SocketAddr, state: &Arc<State>) -> (SocketAddr, Background) {
    let state = Arc::clone(state);
    Background::start("site", address, move |listener| http::serve(listener, state)).await
}
