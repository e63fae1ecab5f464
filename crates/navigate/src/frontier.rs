//! The pages to visit next, the most relevant one first.

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::without_fragment;
use crate::contents;
use crate::page_state::{Link, PageState};
use crate::relevance::{Found, Read, Relevance};
use crate::words::{is_silent, terms, words};

/// Weights of the text of a link, of the hints above it, of the text around it, and of its address.
const TEXT: f64 = 1.0;
const HINT: f64 = 0.9;
const AROUND: f64 = 0.4;
const ADDRESS: f64 = 0.5;

/// Share of a link's score that depends on the share of its label that is in the goal.
const SHARE: f64 = 0.5;

/// Weight of the terms in other links to the same page, divided by the number of links: a page with hundreds of entries in an
/// index has something of everything.
const OTHERS: f64 = 0.5;

/// Weights for a part of the manual: of the rarest word, for titles that are not known yet, and of the terms in the
/// titles of its chapters. The score decreases with each part visited, so that parts do not use up all steps.
const PART_RAREST: f64 = 0.3;
const PART_CHAPTERS: f64 = 0.5;

/// Score of a list of all topics of a manual, relative to a link that has every word of the goal.
const DIRECTORY: f64 = 0.45;

/// Titles of such lists.
const DIRECTORIES: &[&str] = &[
    "a-z",
    "alphabetical index",
    "all topics",
    "book index",
    "contents",
    "full index",
    "general index",
    "index",
    "keyword index",
    "list of tables",
    "master index",
    "site map",
    "sitemap",
    "subject index",
    "table of contents",
    "topics",
];

/// Returns whether a text is the title of a list of everything in a manual.
pub(crate) fn is_directory_name(text: &str) -> bool {
    DIRECTORIES.contains(&text.trim().to_lowercase().as_str())
}

/// A link, as it is compared with the goal.
#[derive(Debug, Clone, Copy)]
struct Lead {
    /// Share of its label that is in the goal: of its text, or of the entry that contains it.
    share: f64,
    text: Read,
    hint: Read,
    around: Read,
    address: Read,
}

/// A page that was not looked at yet.
struct Target {
    leads: Vec<Lead>,
    /// The text of its first link, for the path.
    name: String,
    is_directory: bool,
    order: usize,
}

/// The pages to visit, and the parts of the goal found so far.
pub(crate) struct Frontier {
    /// Terms of the goal with which links are compared.
    relevance: Relevance,
    targets: HashMap<Url, Target>,
    pub(crate) seen: HashSet<Url>,
    /// The words of the manual's name.
    manual: HashSet<String>,
    /// First letters of the words to search for: lists are often divided by them.
    initials: HashSet<char>,
    /// The parts of the manual that were not visited yet, with the parts of the goal in the titles of their chapters.
    parts: HashMap<Url, Found>,
    /// Number of parts that were visited.
    parts_seen: f64,
    /// The page at which the search begins.
    pub(crate) base: Option<Url>,
}

impl Frontier {
    pub(crate) fn new(goal: &str, home: Option<&PageState>) -> Self {
        let manual = home.map_or("", |home| home.title.as_str());
        let initials = terms(goal).iter().filter_map(|term| term.word.chars().next()).collect();
        let relevance = Relevance::of_way(goal);
        // Words that name the manual lead to every page of it.
        let everywhere = relevance.read_name(manual);
        let relevance = relevance.without(everywhere);
        let parts = home.map(|home| contents::parts(home, &relevance)).unwrap_or_default();
        Self {
            relevance,
            targets: HashMap::new(),
            seen: HashSet::new(),
            manual: words(manual).into_iter().collect(),
            initials,
            parts,
            parts_seen: 0.0,
            base: None,
        }
    }

    /// Takes note of a page that was visited, and of where it leads.
    pub(crate) fn visited(&mut self, page: &PageState) {
        self.seen.insert(page.url.clone());
        self.targets.remove(&page.url);
        self.add(page);
    }

    /// Takes note of where a page leads.
    fn add(&mut self, page: &PageState) {
        for link in &page.links {
            let address = without_fragment(&link.href);
            let lead = self.lead(link);
            if self.seen.contains(&address) {
                continue;
            }
            let order = self.targets.len();
            let is_directory = self.is_directory(&link.text);
            let target = self.targets.entry(address).or_insert_with(|| Target {
                leads: Vec::new(),
                name: link.text.clone(),
                is_directory: false,
                order,
            });
            target.is_directory |= is_directory;
            target.leads.push(lead);
            let both =
                Read { found: lead.text.found.and(lead.hint.found), length: lead.text.length + lead.hint.length };
            self.relevance.learn(both);
        }
    }

    fn lead(&self, link: &Link) -> Lead {
        let entry = link.path_hint.rsplit(" > ").next().unwrap_or_default();
        Lead {
            share: self.share(&link.text).max(self.share(entry)),
            text: self.relevance.read(&link.text),
            hint: self.relevance.read(&link.path_hint),
            around: self.relevance.read(&link.around),
            address: self.relevance.read(&spoken(&link.href)),
        }
    }

    /// Returns the share of a label's words that are in the goal, without numbers of chapters and the name of the manual.
    fn share(&self, label: &str) -> f64 {
        let words = words(label);
        let counts = |word: &&String| {
            !is_silent(word)
                && word.chars().count() > 1
                && word.chars().any(char::is_alphabetic)
                && !self.manual.contains(*word)
        };
        let label: Vec<&str> = words.iter().filter(counts).map(String::as_str).collect();
        let asked = label.iter().filter(|word| !self.relevance.read(word).found.is_none()).count();
        let number = |count: usize| u32::try_from(count).map_or(f64::INFINITY, f64::from);
        number(asked) / number(label.len().max(1))
    }

    fn is_directory(&self, text: &str) -> bool {
        let text = text.trim().to_lowercase();
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => self.initials.contains(&letter),
            _ => is_directory_name(&text),
        }
    }

    /// Returns the most relevant page of the queue; `None` if no link matches the goal.
    fn most_relevant(&self) -> Option<&Url> {
        let scored = self.targets.iter().map(|(url, target)| (url, target, self.score(url, target)));
        let best = scored.filter(|(.., score)| *score > 0.0).max_by(|(_, one, score), (_, other, other_score)| {
            // Of equals the one that was seen first.
            score.total_cmp(other_score).then(other.order.cmp(&one.order))
        });
        best.map(|(url, ..)| url)
    }

    /// Returns the page to visit if no link matches the goal: the first one below the page at which the search began, then any. A
    /// section may be called `Repair and Diagnosis` whatever is in it.
    fn first_below(&self) -> Option<&Url> {
        let folder = self.base.as_ref().and_then(|base| base.join(".").ok());
        let is_below = |url: &Url| folder.as_ref().is_some_and(|folder| url.path().starts_with(folder.path()));
        self.targets.iter().min_by_key(|(url, target)| (!is_below(url), target.order)).map(|(url, _)| url)
    }

    /// Returns whether the label of a link has at least half of the goal, so that its page may have a better answer than the one that
    /// was found.
    pub(crate) fn is_promising(&self) -> bool {
        let Some(target) = self.most_relevant().and_then(|url| self.targets.get(url)) else { return false };
        let required = self.relevance.required();
        let (_, said) = self.best_lead(target);
        self.relevance.weight(said.both(required)) * 2.0 >= self.relevance.weight(required)
    }

    /// Takes the next page to visit from the queue.
    pub(crate) fn next(&mut self) -> Option<(Url, String)> {
        let url = self.most_relevant().or_else(|| self.first_below())?.clone();
        let target = self.targets.remove(&url)?;
        let (_, led) = self.best_lead(&target);
        if self.parts.remove(&url).is_some() {
            self.parts_seen += 1.0;
        }
        self.relevance.was_misled(led);
        Some((url, target.name))
    }

    fn score(&self, url: &Url, target: &Target) -> f64 {
        let weight = |found: Found| self.relevance.weight(found);
        let (best, said) = self.best_lead(target);
        let all = target.leads.iter().fold(Found::default(), |all, lead| all.and(lead.text.found).and(lead.hint.found));
        let others = u32::try_from(target.leads.len()).map_or(f64::INFINITY, f64::from);
        let score = best + OTHERS * weight(all.without(said)) / others;
        let part = self.parts.get(url).map_or(0.0, |said| {
            (PART_RAREST * self.relevance.rarest() + PART_CHAPTERS * weight(*said)) / (1.0 + self.parts_seen)
        });
        let directory = if target.is_directory { DIRECTORY * weight(self.relevance.required()) } else { 0.0 };
        score.max(part).max(directory)
    }

    /// Returns the score of the best link to a page, and the terms of the goal in it.
    fn best_lead(&self, target: &Target) -> (f64, Found) {
        let weight = |found: Found| self.relevance.weight(found);
        let mut best = (0.0_f64, Found::default());
        for lead in &target.leads {
            let hint = lead.hint.found.without(lead.text.found);
            let said = lead.text.found.and(hint);
            let address = lead.address.found.without(said);
            let around = lead.around.found.without(said).without(address);
            let by_length = self.relevance.by_length(lead.text.length + lead.hint.length);
            let named = by_length * (TEXT * weight(lead.text.found) + HINT * weight(hint));
            let score =
                named * (1.0 - SHARE + 2.0 * SHARE * lead.share) + ADDRESS * weight(address) + AROUND * weight(around);
            if score > best.0 {
                best = (score, said);
            }
        }
        best
    }
}

/// The words of an address.
fn spoken(url: &Url) -> String {
    let path = percent_decode_str(url.path()).decode_utf8_lossy().into_owned();
    let fragment = url.fragment().unwrap_or_default();
    format!("{path} {fragment}").replace(['/', '-', '+', '='], " ")
}
