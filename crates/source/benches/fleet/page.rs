//! A page of the fleet: what has happened to it, what stands there in truth, and whether values agree with that.

use autoheal_engine::Timestamp;
use autoheal_testkit::site::record::{self, Record};
use autoheal_testkit::site::{Change, Layout, MONTHS, Site};
use serde_json::Value;
use std::time::Duration;

use crate::mix::{Event, look_alike, other_layout, other_text};
use crate::random::Random;

/// Response time of a slow page; the fleet's patience is a fifth shorter (see `main`).
pub(crate) const SLOW: Duration = Duration::from_secs(1);

/// The page of a source, on a site of its own.
pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) site: Site,
    pub(crate) path: String,
    pub(crate) is_article: bool,
    /// Active changes, each with the number of its event.
    active: Vec<(usize, Change)>,
    layout: Layout,
    /// Last event other than new values, and its time.
    pub(crate) last: Option<(Event, Timestamp)>,
    /// Counted up whenever something is done to the page that is not new values.
    pub(crate) dressing: usize,
    /// The dressing at the last good run.
    pub(crate) good_dressing: usize,
    record: usize,
    moves: usize,
}

impl Page {
    pub(crate) async fn new(index: usize, random: &mut Random) -> Self {
        let is_article = index.is_multiple_of(2);
        let number = 1 + index % 10;
        let (name, path) = if is_article {
            (format!("article-{index:03}"), format!("/article/{number}"))
        } else {
            (format!("product-{index:03}"), format!("/product/{number}"))
        };
        let site = Site::start().await;
        let layout = Layout::ALL[random.below(Layout::ALL.len())];
        site.set(path.as_str(), Change::Layout(layout));
        let record = 1000 + index * 50;
        let page = Self {
            name,
            site,
            path,
            is_article,
            active: Vec::new(),
            layout,
            last: None,
            dressing: 0,
            good_dressing: 0,
            record,
            moves: 0,
        };
        page.put();
        page
    }

    fn put(&self) {
        let record = if self.is_article {
            Record::Article(record::article(self.record))
        } else {
            // The same thing at another price.
            let first = self.record / 50 * 50;
            Record::Product(record::Product { price: record::product(self.record).price, ..record::product(first) })
        };
        self.site.put(&self.path, record);
    }

    /// Returns whether the last event is one that only a user can resolve.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.last, Some((Event::FieldGone | Event::PageGone, _)))
    }

    /// Lets an event happen.
    pub(crate) fn begin(&mut self, id: usize, event: Event, now: Timestamp, random: &mut Random) {
        if event == Event::NewValues {
            self.record += 1;
            self.put();
            return;
        }
        self.last = Some((event, now));
        self.dressing += 1;
        let change = match event {
            Event::NewValues => return,
            Event::RenamedClasses => Change::RenameClasses(random.number()),
            Event::Wrapped => Change::Wrap,
            Event::Retagged => Change::Retag,
            Event::Redesign => {
                self.layout = other_layout(self.layout, random);
                Change::Layout(self.layout)
            }
            Event::TrialLayout => Change::Layout(other_layout(self.layout, random)),
            Event::FieldAway | Event::FieldGone => {
                let fields = if self.is_article { ["author", "date", "tags"] } else { ["price", "sku", "items"] };
                Change::DeleteField(fields[random.below(fields.len())].to_owned())
            }
            Event::OtherText => other_text(self.is_article, random),
            Event::LookAlike => look_alike(self.is_article),
            Event::Moved | Event::Redirected => return self.travel(event == Event::Redirected, random),
            Event::PageGone => Change::Status(404),
            Event::Slow => Change::Delay(SLOW),
            Event::RateLimited => Change::RateLimit { retry_after: Some("3600".to_owned()), times: None },
            Event::ShortOutage | Event::LongOutage => Change::Status(503),
        };
        self.active.push((id, change));
        self.dress();
    }

    /// Takes an event back.
    pub(crate) fn end(&mut self, id: usize) {
        self.active.retain(|(other, _)| *other != id);
        self.dressing += 1;
        self.dress();
    }

    fn travel(&mut self, with_redirect: bool, random: &mut Random) {
        self.moves += 1;
        let moves = self.moves;
        let last = self.path.rsplit('/').next().unwrap_or_default().to_owned();
        let kind = if self.is_article { "article" } else { "product" };
        let to = match random.below(3) {
            0 => format!("/archive-{moves}{}", self.path),
            1 => format!("/{kind}s-{moves}/{kind}/{last}"),
            _ => format!("/en-{moves}/{kind}/view/{last}"),
        };
        self.site.reset(self.path.as_str());
        self.site.move_page(&self.path, &to);
        if with_redirect {
            self.site.set(self.path.as_str(), Change::RedirectPermanently(to.clone()));
        }
        self.path = to;
        self.dress();
    }

    fn dress(&self) {
        let path = self.path.as_str();
        self.site.reset(path);
        self.site.set(path, Change::Layout(self.layout));
        for (_, change) in &self.active {
            self.site.set(path, change.clone());
        }
    }

    /// The fields that a source of this page has.
    pub(crate) fn fields(&self) -> &'static [&'static str] {
        if self.is_article { &["title", "author", "date", "tags"] } else { &["title", "price", "sku", "items"] }
    }

    /// Returns the examples that teach the page: for each field its values as they stand in the HTML.
    pub(crate) fn examples(&self, html: &str) -> Vec<(String, String)> {
        let truth = self.site.values(&self.path);
        let mut examples = Vec::new();
        for field in self.fields() {
            for value in listed(&truth[*field]) {
                let shown = ways_to_write(field, &value).into_iter().find(|text| html.contains(&format!(">{text}<")));
                examples.push(((*field).to_owned(), shown.unwrap()));
            }
        }
        examples
    }

    /// The fields of accepted values that are not what the page says in truth, each with what was accepted.
    pub(crate) fn wrong(&self, values: &Value) -> Vec<(String, Vec<String>, Vec<String>)> {
        let truth = self.site.values(&self.path);
        let mut wrong = Vec::new();
        for field in self.fields() {
            let plain = |value: &Value| listed(value).iter().map(|text| canonical(field, text)).collect::<Vec<_>>();
            let (got, wanted) = (plain(&values[*field]), truth.get(*field).map(plain).unwrap_or_default());
            if got != wanted {
                wrong.push(((*field).to_owned(), got, wanted));
            }
        }
        wrong
    }
}

fn listed(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(listed).collect(),
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![value.to_string()],
    }
}

/// Returns the forms in which layouts write a value.
fn ways_to_write(field: &str, value: &str) -> Vec<String> {
    let mut ways = vec![value.to_owned()];
    if field == "date" {
        let parts: Vec<&str> = value.split('-').collect();
        let (year, month, day) = (parts[0], parts[1], parts[2].trim_start_matches('0'));
        let name = MONTHS[month.parse::<usize>().unwrap() - 1];
        ways.extend([format!("{day} {name} {year}"), format!("{name} {day}, {year}")]);
        ways.extend([format!("{day}.{month}.{year}"), format!("{}. {day}, {year}", &name[..3])]);
    }
    if field == "price" {
        ways.extend([format!("\u{20ac}{value}"), format!("{value} EUR"), value.replace('.', ",")]);
    }
    ways
}

/// A value without the manner of its layout.
fn canonical(field: &str, text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match field {
        "date" => date(&text).unwrap_or(text),
        "price" => {
            let bare = text.trim_start_matches("EUR").trim_end_matches("EUR").trim().trim_start_matches('\u{20ac}');
            bare.replace(',', ".")
        }
        _ => text,
    }
}

/// `2026-03-05` of a date in one of the manners that [`ways_to_write`] knows, and of nothing else.
fn date(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let [one, two, three] = words[..] else { return None };
    let month = |word: &str| {
        let named = MONTHS.iter().position(|name| word.len() >= 3 && name.starts_with(word)).map(|index| index + 1);
        named.or_else(|| word.parse().ok().filter(|_| word.len() == 2))
    };
    let (year, month, day) = if one.len() == 4 && one.parse::<u32>().is_ok() {
        (one, month(two)?, three)
    } else if let Ok(day) = one.parse::<u32>() {
        (three, month(two)?, if day < 32 { one } else { return None })
    } else {
        (three, month(one)?, two)
    };
    let (year, day) = (year.parse::<u32>().ok()?, day.parse::<u32>().ok()?);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}
