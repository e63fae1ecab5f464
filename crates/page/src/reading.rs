//! A page that is read only as far as its selectors need: as ranges of its HTML where that is certain, as a [`Document`]
//! otherwise. Both give the same nodes and the same texts; a document takes several times as long.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::apply::flat::FlatPage;
use crate::document::{Document, NodeId};
use crate::select::{Selector, TooMuchWork};

self_cell::self_cell!(
    struct Flat {
        owner: Arc<str>,
        #[covariant]
        dependent: FlatPage,
    }
);

/// A page that is read only as far as its selectors need.
///
/// ```
/// use autoheal_page::Selector;
/// use autoheal_page::reading::Reading;
///
/// let page = Reading::new("<h1>Soup <b>of the</b> day</h1>".into());
/// let found = page.select(&Selector::parse("h1")?)?;
/// assert_eq!(page.text_nodes(found[0]), ["Soup ", " day"]);
/// assert_eq!(page.text(found[0]), "Soup of the day");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reading {
    html: Arc<str>,
    flat: Option<Flat>,
    document: OnceCell<Document>,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reading").field("bytes", &self.html.len()).finish_non_exhaustive()
    }
}

impl Reading {
    /// Reads the HTML of a page. Any input gives a page.
    pub fn new(html: Arc<str>) -> Self {
        let flat = Flat::try_new(Arc::clone(&html), |html| FlatPage::parse(html)).ok();
        Self { html, flat, document: OnceCell::new() }
    }

    /// The HTML of the page.
    pub fn html(&self) -> &Arc<str> {
        &self.html
    }

    /// The page as a document, which is built when it is first wanted.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::parse(&self.html))
    }

    /// The elements that a selector means, in document order, each once.
    ///
    /// # Errors
    ///
    /// As [`Document::try_select`].
    pub fn select(&self, selector: &Selector) -> Result<Vec<NodeId>, TooMuchWork> {
        match self.flat(|flat| flat.matches(selector)) {
            Some(found) => Ok(found),
            None => self.document().try_select(selector),
        }
    }

    /// The text nodes directly in an element, as they are in the source.
    pub fn text_nodes(&self, node: NodeId) -> Vec<String> {
        self.flat(|flat| flat.text_nodes(node, false)).unwrap_or_else(|| self.document().text_children(node))
    }

    /// The text nodes in an element and in those below it, as they are in the source.
    pub fn text_nodes_below(&self, node: NodeId) -> Vec<String> {
        self.flat(|flat| flat.text_nodes(node, true)).unwrap_or_else(|| self.document().text_descendants(node))
    }

    /// The text that a reader sees in an element: see [`Document::text`].
    pub fn text(&self, node: NodeId) -> String {
        self.flat(|flat| flat.text(node)).unwrap_or_else(|| self.document().text(node).into_owned())
    }

    /// The value of an attribute, by its name in lower case.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<String> {
        self.flat(|flat| flat.attribute(node, name).ok())
            .unwrap_or_else(|| self.document().attribute(node, name).map(str::to_owned))
    }

    /// The first place after an element and everything below it.
    pub fn close(&self, node: NodeId) -> usize {
        self.flat(|flat| flat.close(node)).unwrap_or_else(|| self.document().close(node))
    }

    /// Asks the ranges, if the page is read as such and they know.
    fn flat<T>(&self, ask: impl FnOnce(&FlatPage<'_>) -> Option<T>) -> Option<T> {
        self.flat.as_ref().and_then(|flat| ask(flat.borrow_dependent()))
    }
}
