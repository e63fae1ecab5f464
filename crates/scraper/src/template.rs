//! Knowledge about the pages that one function of a program reads: its fields, and a few pages on which they were found.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use autoheal_page::recipe::{Field as RecipeField, FieldName, NodeTake, Recipe, Source, Take};
use autoheal_page::{Document, Selector};
use autoheal_source::CallSite;
use url::Url;

use crate::memory::{Lesson, Page, Stored, unknown_address};
use crate::place::Place;
use crate::query::{Part, Query};

/// Maximum number of fields of a function's pages; further ones are read, but not learnt.
const MOST_FIELDS: usize = 200;

/// Number of pages that are kept of each layout: relocation uses three.
const PAGES: usize = 3;

/// Maximum number of characters of a page that is kept.
const LONGEST_PAGE: usize = 4_000_000;

/// Number of pages after which a page is kept anew.
const REFRESH: u32 = 200;

/// Number of values of a field that are remembered.
const VALUES: usize = 5;

/// Number of places in which a field is found again in one process, after which further ones are not remembered: pages of many layouts
/// would make a version of the recipe each.
const MOST_PLACES: u32 = 10;

/// Number of layouts of which is remembered what was found out about the fields in them; those of further ones are compared on each page.
const MOST_LAYOUTS: usize = 100;

/// Number of pages of an intact layout without a field, from which it is optional: it is not looked for each time.
const OPTIONAL_FROM: u32 = 2;

/// Place where a field was found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Healed {
    pub(crate) selector: Selector,
    pub(crate) part: Part,
}

/// A selector that finds something for a field on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Finder {
    /// The program's own.
    Own,
    /// That of the place where it was found again.
    Healed,
    /// Neither.
    Nothing,
}

/// The selectors that find something for the fields that pages must have. Pages with the same have the same layout.
pub(crate) type Layout = Arc<[Finder]>;

/// A place of the program that reads a field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) site: CallSite,
    pub(crate) query: Query,
    /// The list whose items it is read from.
    pub(crate) within: Option<usize>,
    /// True if the program takes more than the first match.
    pub(crate) takes_list: bool,
    /// True if it takes more than the first match, and there were several.
    pub(crate) is_list: bool,
    /// The place where it was found again, if its own selector broke.
    pub(crate) healed: Option<Healed>,
    /// Number of different places where this process has found it again.
    places: u32,
    /// First values of the last pages, the latest first.
    pub(crate) values: VecDeque<String>,
    /// Number of pages of an intact layout without it.
    pub(crate) missing: u32,
    /// True if this process has seen its place in the program.
    is_seen: bool,
}

impl Field {
    /// Returns whether its selector has ever found something.
    pub(crate) fn is_known(&self) -> bool {
        !self.values.is_empty()
    }

    /// Returns whether pages may lack it.
    pub(crate) const fn is_optional(&self) -> bool {
        self.missing >= OPTIONAL_FROM
    }

    /// Remembers the place where it was found again. Returns whether that is news.
    pub(crate) fn found_again(&mut self, healed: Healed) -> bool {
        let is_news = self.healed.as_ref() != Some(&healed) && self.places < MOST_PLACES;
        if is_news {
            self.places += 1;
            self.healed = Some(healed);
        }
        is_news
    }

    /// Adds a value to those that are remembered.
    pub(crate) fn learn(&mut self, value: &str) {
        self.values.push_front(value.to_owned());
        self.values.truncate(VALUES);
    }
}

/// A page on which fields were found.
#[derive(Debug)]
pub(crate) struct KeptPage {
    html: Arc<str>,
    document: OnceLock<Document>,
    /// True if its layout is one in which fields were found again.
    pub(crate) is_healed: bool,
}

impl KeptPage {
    pub(crate) const fn new(html: Arc<str>, is_healed: bool) -> Self {
        Self { html, document: OnceLock::new(), is_healed }
    }

    pub(crate) fn document(&self) -> &Document {
        self.document.get_or_init(|| Document::parse(&self.html))
    }
}

/// Knowledge about the pages that one function reads.
#[derive(Debug)]
pub(crate) struct Template {
    source: String,
    pub(crate) fields: Vec<Field>,
    /// The newest first.
    pub(crate) pages: Vec<KeptPage>,
    /// The selectors that were found right in layouts where the program's own do not find all fields.
    compared: HashMap<Layout, HashMap<usize, Finder>>,
    /// Address of the last page.
    url: Option<Url>,
    since_kept: u32,
    good: u64,
    failed: u64,
}

impl Template {
    /// Takes over what is stored of the source.
    pub(crate) fn of(source: String, stored: Option<Stored>) -> Self {
        let mut template = Self {
            source,
            fields: Vec::new(),
            pages: Vec::new(),
            compared: HashMap::new(),
            url: None,
            since_kept: 0,
            good: 0,
            failed: 0,
        };
        let Some(stored) = stored else { return template };
        template.url = Some(stored.url.clone());
        for site in &stored.sites {
            // A selector that this version cannot read is learnt anew when the program asks for it.
            let Ok(query) = Query::parse(&site.selector, site.language) else { continue };
            let within = site.within.as_ref().and_then(|outer| template.position(outer));
            if site.within.is_some() && within.is_none() {
                continue;
            }
            template.fields.push(Field {
                site: site.clone(),
                query,
                within,
                takes_list: false,
                is_list: false,
                healed: None,
                places: 0,
                values: VecDeque::new(),
                missing: 0,
                is_seen: false,
            });
        }
        for number in 0..template.fields.len() {
            template.take_over(number, &stored);
        }
        for page in stored.pages {
            let has_healed = template.fields.iter().any(|field| field.healed.is_some());
            let is_healed = has_healed && template.is_healed_layout(&Document::parse(&page.html));
            template.pages.push(KeptPage::new(page.html.into(), is_healed));
        }
        template
    }

    fn take_over(&mut self, number: usize, stored: &Stored) {
        let own = self.own_selector(number);
        let field = &mut self.fields[number];
        if let Some(rule) = stored.recipe.field(field.site.field.as_str()) {
            field.is_list = rule.many && field.within.is_none();
            field.missing = if rule.required { 0 } else { OPTIONAL_FROM };
            if let Source::Nodes { select, take } = &rule.source {
                let part = field.query.part().found_again(&Take::Node(take.clone()));
                let is_other = own.is_none_or(|own| own != *select);
                field.healed = part.filter(|_| is_other).map(|part| Healed { selector: select.clone(), part });
            }
            field.values = rule.example.iter().take(VALUES).cloned().collect();
        }
        for page in stored.pages.iter().rev() {
            if let Some(value) = page.first_value(&field.site.field) {
                field.learn(&value);
            }
        }
    }

    /// Returns whether most fields that were found again are where they were found again.
    fn is_healed_layout(&self, page: &Document) -> bool {
        let healed = self.fields.iter().enumerate().filter_map(|(number, field)| {
            let healed = field.healed.as_ref()?;
            let own = self.own_selector(number).is_some_and(|own| !page.select(&own).is_empty());
            Some((own, !page.select(&healed.selector).is_empty()))
        });
        let (mut new, mut old) = (0, 0);
        for (own, healed) in healed {
            new += usize::from(healed && !own);
            old += usize::from(own);
        }
        new > old
    }

    fn position(&self, name: &FieldName) -> Option<usize> {
        self.fields.iter().position(|field| field.site.field == *name)
    }

    /// The field that a place of the program reads; `None`: there are too many.
    pub(crate) fn field_at(&mut self, place: &Place, query: &Query, within: Option<usize>) -> Option<usize> {
        let is_it = |field: &Field| {
            field.query.written() == query.written()
                && field.within == within
                && field.site.function == place.function
                && field.query.language() == query.language()
        };
        if let Some(number) = self.fields.iter().position(is_it) {
            let field = &mut self.fields[number];
            field.is_seen = true;
            field.site.line = place.line;
            return Some(number);
        }
        let name = field_name(&place.name, query.written())?;
        let namesake = self.position(&name).filter(|number| {
            let field = &self.fields[*number];
            !field.is_seen && field.within == within && field.site.function == place.function
        });
        let outer = within.map(|outer| self.fields[outer].site.field.clone());
        let field = |name: FieldName| Field {
            site: CallSite {
                field: name,
                file: place.file.clone(),
                line: place.line,
                function: place.function.clone(),
                selector: query.written().to_owned(),
                language: query.language(),
                within: outer.clone(),
            },
            query: query.clone(),
            within,
            takes_list: false,
            is_list: false,
            healed: None,
            places: 0,
            values: VecDeque::new(),
            missing: 0,
            is_seen: true,
        };
        // The program was changed there: what it found before is still what its values are like.
        if let Some(number) = namesake {
            let values = std::mem::take(&mut self.fields[number].values);
            self.fields[number] = Field { values, ..field(name) };
            return Some(number);
        }
        if self.fields.len() >= MOST_FIELDS {
            return None;
        }
        let name = (1..=MOST_FIELDS + 1).find_map(|count| {
            let name = if count == 1 { name.clone() } else { numbered(&name, count)? };
            self.position(&name).is_none().then_some(name)
        })?;
        self.fields.push(field(name));
        Some(self.fields.len() - 1)
    }

    /// The selector of a field as the program writes it, from the page as a whole; `None` if it cannot be written as one.
    pub(crate) fn own_selector(&self, number: usize) -> Option<Selector> {
        let field = &self.fields[number];
        match field.within {
            None => Some(field.query.selector().clone()),
            Some(outer) => field.query.within(&self.fields[outer].query),
        }
    }

    /// The fields that pages must have, with their numbers.
    pub(crate) fn required(&self) -> impl Iterator<Item = (usize, &Field)> {
        let is_required = |field: &Field| field.is_known() && !field.is_optional() && field.within.is_none();
        self.fields.iter().enumerate().filter(move |(_, field)| is_required(field))
    }

    /// The selector that is right for a field in a layout, as far as it was found out: in a layout in which all own selectors find
    /// something, these; in others after a comparison.
    pub(crate) fn right_in(&self, layout: &Layout, number: usize) -> Option<Finder> {
        if layout.iter().all(|finder| *finder == Finder::Own) {
            return Some(Finder::Own);
        }
        self.compared.get(layout)?.get(&number).copied()
    }

    /// Remembers which selector is right for a field in a layout.
    pub(crate) fn compared(&mut self, layout: &Layout, number: usize, right: Finder) {
        if self.compared.len() < MOST_LAYOUTS || self.compared.contains_key(layout) {
            self.compared.entry(Arc::clone(layout)).or_default().insert(number, right);
        }
    }

    /// Returns whether the program reads other fields from a field's elements.
    pub(crate) fn holds_fields(&self, number: usize) -> bool {
        self.fields.iter().any(|inner| inner.within == Some(number) && inner.is_known())
    }

    /// The rule of a field, with its own selector, or with that of the place where it was found again.
    fn rule(&self, number: usize, with_healed: bool) -> Option<RecipeField> {
        let field = &self.fields[number];
        let healed = field.healed.as_ref().filter(|_| with_healed);
        let (select, take) = match healed {
            Some(healed) => (healed.selector.clone(), healed.part.take()),
            None => (self.own_selector(number)?, field.query.part().take()),
        };
        let source = Source::Nodes { select, take };
        let mut rule = RecipeField::new(field.site.field.clone(), source);
        rule.many = field.is_list || field.within.is_some();
        rule.required = !field.is_optional();
        rule.example = field.values.iter().take(1).filter(|value| !value.trim().is_empty()).cloned().collect();
        Some(rule)
    }

    /// The recipe of all fields that have been found before, with their numbers.
    pub(crate) fn recipe(&self, with_healed: bool) -> Option<(Recipe, Vec<usize>)> {
        let known = (0..self.fields.len()).filter(|number| self.fields[*number].is_known());
        let (numbers, rules): (Vec<usize>, Vec<RecipeField>) =
            known.filter_map(|number| Some((number, self.rule(number, with_healed)?))).unzip();
        Some((Recipe::new(rules).ok()?, numbers))
    }

    /// The recipe of the items of a list, with the numbers of its fields.
    pub(crate) fn items(&self, outer: usize) -> Option<(Recipe, Vec<usize>)> {
        let items = self.own_selector(outer)?;
        let inside = (0..self.fields.len())
            .filter(|number| self.fields[*number].within == Some(outer) && self.fields[*number].is_known());
        let (numbers, rules): (Vec<usize>, Vec<RecipeField>) = inside
            .map(|number| {
                let field = &self.fields[number];
                // Known values are compared as wholes: a text may be in an element of its own on the new page.
                let take = match field.query.part() {
                    Part::Text => NodeTake::Text,
                    part => part.take(),
                };
                let source = Source::Nodes { select: field.query.selector().clone(), take };
                let rule = RecipeField::new(field.site.field.clone(), source);
                (number, RecipeField { required: !field.is_optional(), ..rule })
            })
            .unzip();
        Some((Recipe::new(rules).and_then(|recipe| recipe.with_items(Some(items))).ok()?, numbers))
    }

    /// Returns whether the page is to be kept: something on it is new, or it is time to.
    pub(crate) fn wants_page(&self, is_healed: bool, has_news: bool) -> bool {
        let kept = self.pages.iter().filter(|page| page.is_healed == is_healed).count();
        has_news || kept < PAGES || self.since_kept >= REFRESH
    }

    /// Counts a page that was read.
    pub(crate) fn count(&mut self, is_good: bool) {
        self.since_kept = self.since_kept.saturating_add(1);
        if is_good {
            self.good += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Keeps a page, with the values on it.
    pub(crate) fn keep(
        &mut self,
        html: &Arc<str>,
        url: Option<&Url>,
        values: serde_json::Value,
        is_healed: bool,
    ) -> Lesson {
        self.url = url.cloned().or(self.url.take());
        if html.len() > LONGEST_PAGE {
            return self.lesson(None);
        }
        self.since_kept = 0;
        self.pages.insert(0, KeptPage::new(Arc::clone(html), is_healed));
        let mut count = 0;
        self.pages.retain(|page| {
            count += usize::from(page.is_healed == is_healed);
            page.is_healed != is_healed || count <= PAGES
        });
        let url = self.url.as_ref().map_or_else(unknown_address, Url::to_string);
        self.lesson(Some(Page { html: html.to_string(), url, values: Some(values) }))
    }

    pub(crate) const fn has_counts(&self) -> bool {
        self.good + self.failed > 0
    }

    /// The counts since the last lesson, without a page.
    pub(crate) fn counts(&mut self) -> Lesson {
        self.lesson(None)
    }

    fn lesson(&mut self, page: Option<Page>) -> Lesson {
        Lesson {
            source: self.source.clone(),
            url: self.url.clone(),
            sites: self.fields.iter().filter(|field| field.is_known()).map(|field| field.site.clone()).collect(),
            recipe: self.recipe(true).map(|(recipe, _)| recipe),
            page,
            good: std::mem::take(&mut self.good),
            failed: std::mem::take(&mut self.failed),
        }
    }
}

/// The name of a field: that of the variable that takes it, or the selector in plain characters.
fn field_name(name: &str, selector: &str) -> Option<FieldName> {
    let plain = |text: &str| -> String {
        let mut plain = String::new();
        for char in text.chars().take(40) {
            let char = if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
            if char != '_' || !plain.ends_with('_') {
                plain.push(char);
            }
        }
        plain.trim_matches(['_', '-']).to_owned()
    };
    let selector = selector.split("::").next().unwrap_or_default();
    let candidates = [plain(name), plain(selector), "field".to_owned()];
    candidates.into_iter().find_map(|name| FieldName::parse(&name).ok())
}

fn numbered(name: &FieldName, count: usize) -> Option<FieldName> {
    FieldName::parse(&format!("{name}_{count}")).ok()
}
