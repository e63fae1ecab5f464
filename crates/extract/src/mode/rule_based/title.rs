//! The headline, and its element.

use autoheal_page::{Document, NodeId};

use super::View;
use super::found::Found;
use super::site::{letters, site_names};
use super::stated::Thing;

/// Longer headlines are something else.
const LONGEST: usize = 300;

/// Separators between the parts of a page's title.
const CUTS: [&str; 12] = [" | ", " » ", " « ", " :: ", " • ", " // ", " ‹ ", " › ", " · ", " - ", " – ", " — "];

/// Number of leading [`CUTS`] that separate the name of the site even if there are weaker separators between words.
const STRONG: usize = 9;

/// Returns whether two headlines are the same, apart from additional text in one of them.
pub(super) fn agree(one: &str, other: &str) -> bool {
    let (one, other) = (letters(one), letters(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    // One or two words occur in many headlines.
    !short.is_empty() && (short == long || (short.len() * 2 >= long.len() && long.contains(&short)))
}

/// Returns the headline; `thing` is the page's statement about its subject.
pub(super) fn find(view: &View<'_>, thing: Option<&Thing<'_>>) -> Option<Found<String>> {
    let named =
        thing.and_then(|thing| thing.text(&["name", "headline", "title"])).map(|found| found.map(|name| clean(&name)));
    let is_text = thing.is_some_and(|thing| {
        thing.kinds().iter().any(|kind| kind.contains("article") || kind.ends_with("posting") && kind != "jobposting")
    });
    let site = site_names(view);
    let is_site = |text: &str| site.contains(&letters(text));
    let is_recipe = thing.is_some_and(|thing| thing.kinds().iter().any(|kind| kind == "recipe"));
    let named = named.filter(|named| !is_text && !named.value.is_empty() && !is_site(&named.value));
    if let Some(named) = named.clone().filter(|_| is_recipe) {
        return Some(Found { value: without_site(view, &named.value), ..named });
    }
    let titles = titles(view);
    let headings = headings(view.page);
    let supported =
        |text: &str, place: fn(&str, &str) -> bool| titles.iter().any(|title| place(&letters(title), &letters(text)));
    let tests: [fn(&str, &str) -> bool; 2] =
        [|title, heading| title.starts_with(heading), |title, heading| title.contains(heading)];
    for (test, confidence) in tests.into_iter().zip([0.95, 0.9]) {
        let shown = headings.iter().find(|heading| {
            let is_only = headings.len() == 1 && is_word(heading, &titles);
            let says_enough = words(heading).len() > 1 || is_only || is_part(heading, &titles);
            !is_site(heading) && !is_last_part(heading, &titles) && says_enough && supported(heading, test)
        });
        if let Some(heading) = shown {
            return Some(Found::heuristic(without_site(view, heading), confidence));
        }
    }
    if let Some(named) = named {
        return Some(Found { value: without_site(view, &named.value), ..named });
    }
    let named = thing.and_then(|thing| thing.text(&["headline", "name"])).map(|found| found.map(|name| clean(&name)));
    let mut others = headings.iter().filter(|heading| !is_site(heading) && !is_last_part(heading, &titles));
    let is_article = is_text || view.stated.meta(&["og:type"]).is_some_and(|kind| kind.value.contains("article"));
    // Headlines are rewritten for search engines; they still share words.
    let like = others.clone().find(|heading| titles.iter().any(|title| shares(heading, title, is_article)));
    if let Some(heading) = like {
        return Some(Found::heuristic(without_site(view, heading), 0.8));
    }
    if let Some(named) = named.filter(|named| !named.value.is_empty() && !is_site(&named.value)) {
        return Some(Found { value: without_site(view, &named.value), ..named });
    }
    let open_graph = view.stated.meta(&["og:title", "twitter:title", "dc.title"]);
    if let Some(stated) = open_graph {
        return Some(stated.map(|title| without_site(view, &clean(&title))));
    }
    if let Some(title) = page_title(view.page) {
        return Some(Found::heuristic(without_site(view, &title), 0.6));
    }
    others.next().map(|heading| Found::heuristic(heading.clone(), 0.5))
}

/// Its words in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns whether a heading shares enough words with the page's title: all of its words if it has several;
/// for an article, at least three and a third of them.
fn shares(heading: &str, title: &str, is_article: bool) -> bool {
    let (heading, title) = (words(heading), words(title));
    let common = heading.iter().filter(|word| title.contains(word)).count();
    heading.len() > 1 && common == heading.len() || is_article && common > 2 && common * 3 >= heading.len()
}

/// Returns whether a heading is a word of the page's title.
fn is_word(heading: &str, titles: &[String]) -> bool {
    titles.iter().any(|title| words(title).contains(&heading.to_lowercase()))
}

/// Returns whether a heading is a part of the page's title.
fn is_part(heading: &str, titles: &[String]) -> bool {
    let heading = letters(heading);
    titles.iter().any(|title| parts(title).iter().any(|part| letters(part) == heading))
}

/// The element that shows the headline.
pub(super) fn place(page: &Document, title: &str) -> Option<NodeId> {
    let is_heading = |node: &NodeId| matches!(page.tag(*node), "h1" | "h2" | "h3");
    let shows = |node: &NodeId| agree(page.visible_text(*node), title);
    let headings = || page.nodes().filter(is_heading);
    headings().find(|node| page.tag(*node) == "h1" && shows(node)).or_else(|| headings().find(shows))
}

/// Returns the page's own titles: `title`, `og:title`.
fn titles(view: &View<'_>) -> Vec<String> {
    let stated = view.stated.meta(&["og:title"]).map(|found| clean(&found.value));
    page_title(view.page).into_iter().chain(stated).collect()
}

fn page_title(page: &Document) -> Option<String> {
    // Drawings have titles too.
    let is_drawn = |node: NodeId| page.ancestors(node).any(|above| page.tag(above) == "svg");
    let mut titles = page.nodes().filter(|&node| page.tag(node) == "title" && !page.text(node).is_empty());
    let node = titles.find(|&node| !is_drawn(node))?;
    Some(clean(&page.text(node))).filter(|title| !title.is_empty())
}

/// The first headings that a reader sees.
fn headings(page: &Document) -> Vec<String> {
    let nodes = page.nodes().filter(|&node| page.tag(node) == "h1");
    let texts = nodes.map(|node| clean(page.visible_text(node)));
    texts.filter(|text| !text.is_empty() && text.len() <= LONGEST && !text.contains("${")).take(5).collect()
}

/// A headline without the signs of links to itself, spaces collapsed.
fn clean(text: &str) -> String {
    let text = text.trim().trim_end_matches(['¶', '#', '\u{f0c1}', '🔗']);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parts(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for cut in CUTS {
        parts = parts.into_iter().flat_map(|part| part.split(cut)).collect();
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Returns whether a heading is the last part of the page's title: the name of the site or of a book.
fn is_last_part(heading: &str, titles: &[String]) -> bool {
    let heading = letters(heading);
    titles.iter().any(|title| {
        let parts = parts(title);
        parts.len() > 1 && parts.last().is_some_and(|last| letters(last) == heading)
    })
}

/// Returns a title without the name of the site; if the page does not state that name, only the first part of the title.
fn without_site(view: &View<'_>, title: &str) -> String {
    let parts = parts(title);
    let (Some(first), true) = (parts.first(), parts.len() > 1) else { return title.to_owned() };
    let names = site_names(view);
    let is_site = |part: &str| {
        let part = letters(part);
        names.iter().any(|name| {
            *name == part || name.len() > 3 && (part.contains(name) || part.len() > 3 && name.contains(&part))
        })
    };
    // From the end, then from the beginning.
    let end = parts.iter().rposition(|part| !is_site(part)).map_or(parts.len(), |last| last + 1);
    let begin = parts[..end].iter().position(|part| !is_site(part)).unwrap_or(0);
    let kept = &parts[begin..end];
    let is_shown = headings(view.page).iter().any(|heading| letters(heading) == letters(title));
    match kept {
        [] => (*first).to_owned(),
        [only] => (*only).to_owned(),
        // A heading gives the page's title: without a known name nothing is cut.
        _ if is_shown => {
            let (from, to) = (span(title, kept[0]), span(title, kept[kept.len() - 1]));
            from.zip(to).and_then(|(from, to)| title.get(from.0..to.1)).unwrap_or(title).to_owned()
        }
        [first, ..] => {
            let strong = CUTS[..STRONG].iter().filter_map(|cut| title.split_once(cut)).map(|(before, _)| before.trim());
            strong
                .filter(|before| before.starts_with(first))
                .min_by_key(|before| before.len())
                .unwrap_or(first)
                .to_owned()
        }
    }
}

fn span(title: &str, part: &str) -> Option<(usize, usize)> {
    title.find(part).map(|start| (start, start + part.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::rule_based::stated::Stated;

    fn title_of(html: &str) -> Option<String> {
        let page = Document::parse(html);
        let stated = Stated::of(&page);
        let url = url::Url::parse("https://www.kitchen.example/a/b").ok();
        find(&View { page: &page, stated: &stated, url: url.as_ref(), is_readable: true }, None)
            .map(|found| found.value)
    }

    #[test]
    fn the_heading_that_the_page_is_called_by_is_its_title() {
        let html = "<title>Soup of leeks | Kitchen</title><h1>Kitchen</h1><h1>Soup of leeks ¶</h1>";
        assert_eq!(title_of(html).as_deref(), Some("Soup of leeks"));
    }

    #[test]
    fn the_name_of_the_site_is_cut_off() {
        assert_eq!(title_of("<title>Soup - with leeks - Kitchen</title>").as_deref(), Some("Soup"));
        assert_eq!(title_of("<title>Kitchen » Soup</title>").as_deref(), Some("Soup"));
        assert_eq!(title_of("<title>Kitchen</title>").as_deref(), Some("Kitchen"));
        let html = "<title>Soup - with leeks - Kitchen</title><h1>Soup - with leeks</h1>";
        assert_eq!(title_of(html).as_deref(), Some("Soup - with leeks"));
    }

    #[test]
    fn a_heading_that_only_names_the_site_is_no_title() {
        let html = "<title>Prices - Kitchen</title><h1>Kitchen</h1>";
        assert_eq!(title_of(html).as_deref(), Some("Prices"));
        assert_eq!(title_of("<p>nothing"), None);
    }

    #[test]
    fn the_only_heading_may_be_one_word_of_the_title() {
        let html = "<title>All bowls in wood and clay // The House</title><h1>BOWLS</h1>";
        assert_eq!(title_of(html).as_deref(), Some("BOWLS"));
        let html = "<title>All bowls in wood and clay // The House</title><h1>BOWLS</h1><h1>LIDS</h1>";
        assert_eq!(title_of(html).as_deref(), Some("All bowls in wood and clay"));
    }

    #[test]
    fn headlines_agree_beyond_their_signs() {
        assert!(agree("Soup — of “leeks”", "Soup of leeks"));
        assert!(agree("Soup of leeks and more", "Soup of leeks"));
        assert!(!agree("Soup", "How to cook a soup of leeks"));
        assert!(!agree("", ""));
    }
}
