//! The addresses that belong to a manual.

use url::Url;

/// The folder of the page at which a manual starts.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    folder: Url,
    /// True if addresses with a query are pages of it: lists that are sorted in each way have no end.
    has_queries: bool,
}

impl Scope {
    pub(super) fn of(start: &Url) -> Self {
        let mut folder = start.join(".").unwrap_or_else(|_| start.clone());
        folder.set_query(None);
        folder.set_fragment(None);
        Self { folder, has_queries: start.query().is_some() }
    }

    pub(super) fn contains(&self, url: &Url) -> bool {
        let is_same_site = url.scheme() == self.folder.scheme()
            && url.host() == self.folder.host()
            && url.port_or_known_default() == self.folder.port_or_known_default();
        is_same_site && url.path().starts_with(self.folder.path()) && (self.has_queries || url.query().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_is_the_folder_of_its_first_page() {
        let of = |start: &str, url: &str| Scope::of(&start.parse().unwrap()).contains(&url.parse().unwrap());
        assert!(of("http://a.example/doc/index.html", "http://a.example/doc/b/c.html#x"));
        assert!(of("http://a.example/", "http://a.example:80/b"));
        assert!(!of("http://a.example/doc/", "http://a.example/docs/"), "another folder");
        assert!(!of("http://a.example/doc/", "https://a.example/doc/"), "another site");
        assert!(!of("http://a.example/", "http://a.example/?sort=name"));
        assert!(of("http://a.example/page?id=1", "http://a.example/page?id=2"));
    }
}
