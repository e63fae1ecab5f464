//! Current state of the site, and the requests it received.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::change::{Change, Instead, Scope, Switches};
use super::record::{Entry, Record};
use super::render::render;
use crate::http::Request;

/// Response to a request.
pub(super) enum Reply {
    Page { content_type: &'static str, text: String },
    Instead(Instead),
}

/// The site, shared by its server and its owner.
#[derive(Debug, Default)]
pub(super) struct State {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pages: BTreeMap<String, Record>,
    whole: Switches,
    single: BTreeMap<String, Switches>,
    robots: Option<String>,
    asked: BTreeMap<String, usize>,
    last: BTreeMap<String, Request>,
}

impl State {
    pub(super) fn new(pages: BTreeMap<String, Record>) -> Self {
        Self { inner: Mutex::new(Inner { pages, ..Inner::default() }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request and says what its answer is, and how long to wait before giving it.
    pub(super) fn reply(&self, request: Request) -> (Option<Duration>, Reply) {
        let mut inner = self.lock();
        let path = request.path.clone();
        let host = request.headers.get("host").cloned().unwrap_or_default();
        *inner.asked.entry(path.clone()).or_default() += 1;
        inner.last.insert(path.clone(), request);
        inner.reply(&path, &host)
    }

    pub(super) fn apply(&self, scope: Scope, change: Change) {
        let mut inner = self.lock();
        match scope {
            Scope::Whole => inner.whole.apply(change),
            Scope::Path(path) => inner.single.entry(path).or_default().apply(change),
        }
    }

    pub(super) fn reset(&self, scope: &Scope) {
        let mut inner = self.lock();
        match scope {
            Scope::Whole => {
                inner.whole = Switches::default();
                inner.single.clear();
            }
            Scope::Path(path) => {
                inner.single.remove(path);
            }
        }
    }

    pub(super) fn set_robots(&self, text: Option<&str>) {
        self.lock().robots = text.map(str::to_owned);
    }

    pub(super) fn put(&self, path: &str, record: Record) {
        self.lock().pages.insert(path.to_owned(), record);
    }

    /// Moves a page and the links to it.
    pub(super) fn rename(&self, from: &str, to: &str) -> bool {
        let mut inner = self.lock();
        let Some(record) = inner.pages.remove(from) else { return false };
        inner.pages.insert(to.to_owned(), record);
        for record in inner.pages.values_mut() {
            if let Record::Listing(listing) = record {
                let links = listing.items.iter_mut().map(|Entry { url, .. }| url).chain(&mut listing.next);
                for link in links.filter(|link| *link == from) {
                    to.clone_into(link);
                }
            }
        }
        true
    }

    /// The record at a path, without the fields that vanished.
    pub(super) fn values(&self, path: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
        let inner = self.lock();
        let mut values = inner.pages.get(path)?.values();
        let switches = inner.switches(path);
        values.retain(|name, _| !switches.deleted.contains(name));
        Some(values)
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.lock().pages.keys().cloned().collect()
    }

    pub(super) fn asked(&self, path: &str) -> usize {
        self.lock().asked.get(path).copied().unwrap_or_default()
    }

    pub(super) fn asked_in_all(&self) -> usize {
        self.lock().asked.values().sum()
    }

    pub(super) fn last(&self, path: &str) -> Option<Request> {
        self.lock().last.get(path).cloned()
    }
}

impl Inner {
    fn switches(&self, path: &str) -> Switches {
        self.single.get(path).map_or_else(|| self.whole.clone(), |page| self.whole.overlaid_by(page))
    }

    fn reply(&mut self, path: &str, host: &str) -> (Option<Duration>, Reply) {
        let switches = self.switches(path);
        let of_page = self.single.get_mut(path).and_then(Switches::take_instead);
        // A switch for pages does not change robots.txt.
        let instead = if path == "/robots.txt" { of_page } else { of_page.or_else(|| self.whole.take_instead()) };
        let reply = match instead {
            Some(instead) => Reply::Instead(instead),
            None => self.page(path, host, &switches).unwrap_or_else(not_found),
        };
        (switches.delay, reply)
    }

    fn page(&self, path: &str, host: &str, switches: &Switches) -> Option<Reply> {
        let html = |text| Reply::Page { content_type: "text/html; charset=utf-8", text };
        match path {
            "/robots.txt" => {
                let text = self.robots.clone()?;
                Some(Reply::Page { content_type: "text/plain; charset=utf-8", text })
            }
            "/sitemap.xml" => Some(Reply::Page { content_type: "application/xml", text: self.sitemap(host) }),
            "/" => Some(html(self.root())),
            _ => self.pages.get(path).map(|record| html(render(record, switches))),
        }
    }

    /// The root names every page by its title, so that one that moved can be found again.
    fn root(&self) -> String {
        let mut text = "<!doctype html>\n<title>Example House</title>\n<h1>Example House</h1>\n<ul>\n".to_owned();
        for (path, record) in &self.pages {
            let _ = writeln!(text, "<li><a href=\"{path}\">{}</a></li>", record.title());
        }
        text.push_str("</ul>\n");
        text
    }

    fn sitemap(&self, host: &str) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        text.push_str("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for path in self.pages.keys() {
            let _ = writeln!(text, "<url><loc>http://{host}{path}</loc></url>");
        }
        text.push_str("</urlset>\n");
        text
    }
}

fn not_found() -> Reply {
    Reply::Instead(Instead::Status { status: 404, headers: Vec::new(), times: None })
}
