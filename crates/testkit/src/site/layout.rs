//! The layouts of the site.

/// Markup in which a page presents its values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Semantic elements and speaking class names: `article > h1.headline`, `time`, `ul.items`.
    #[default]
    Plain,
    /// Nested `div`s with utility classes, `data-testid`, labels next to values.
    Cards,
    /// Tables for everything, as around the year 2000; no classes worth the name.
    Table,
    /// A portal: navigation, teasers of other pages with the same markup, side columns; microdata on the real thing.
    Portal,
}

impl Layout {
    /// All layouts, for tests that run with each of them.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Cards, Self::Table, Self::Portal];
}
