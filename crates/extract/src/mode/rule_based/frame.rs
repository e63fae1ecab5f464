//! The frame of a page: what surrounds its content, such as menus, reviews, advertisements, and links to other pages.

use std::collections::HashSet;
use std::sync::LazyLock;

use autoheal_page::{Document, NodeId};
use regex::Regex;

/// Words in class names and ids that mark a part of the frame.
const NAMES: &str = "nav navbar navigation menu megamenu offcanvas footer sidebar cookie cookies consent newsletter subscribe \
     related recommend recommended recommendation recommendations popup modal banner advert advertisement ad ads signup \
     login promo filter filters facet facets reviews upsell upsells crosssell crosssells wishlist drawer lightbox \
     quickview comments commentlist respond announcement minicart";

/// Words that mark only short parts: a long part with such a name holds more than that.
const SHORT_NAMES: &str = "breadcrumb breadcrumbs share sharing social pagination pager skip toolbar tooltip toast preloader \
     spinner loader swatch swatches signature reactions";

/// Number of letters from which a part is not short.
const LONG: usize = 400;

/// Pairs of words that do so together.
const PAIRS: &str = "sr-only visually-hidden screen-reader cross-sell cross-sells up-sell up-sells quick-view \
     also-like also-bought also-viewed recently-viewed sign-up log-in review-widget related-posts back-to";

/// Words before a name that make it a property of the layout: `no-sidebar`, `with-menu`.
const LAYOUT: [&str; 7] = ["no", "has", "with", "without", "hide", "show", "two"];

/// Words in class names and ids of parts that open on a click.
const PANELS: [&str; 8] =
    ["accordion", "collapse", "collapsible", "tabpanel", "expandable", "toggle", "disclosure", "faq"];

/// Number of elements around a part, and in it, that may have such a name.
const PANEL_DEPTH: usize = 4;

/// Returns whether elements with this tag belong to the frame.
fn is_frame_tag(tag: &str) -> bool {
    matches!(
        tag,
        "nav"
            | "footer"
            | "aside"
            | "form"
            | "button"
            | "select"
            | "dialog"
            | "iframe"
            | "label"
            | "input"
            | "textarea"
            | "menu"
    )
}

/// Returns the outermost elements of the frame in an element. Elements that hold most of it are content,
/// whatever their name.
pub(super) fn frames(page: &Document, root: NodeId) -> Vec<NodeId> {
    let all = page.letters(root);
    let sections: HashSet<NodeId> = other_sections(page, root).into_iter().collect();
    let mut found = Vec::new();
    let mut next = root.index();
    for node in page.descendants(root) {
        if node.index() < next || page.letters(node) == 0 {
            continue;
        }
        if sections.contains(&node) || is_frame(page, node, all) {
            next = page.close(node);
            found.push(node);
        }
    }
    found
}

fn is_frame(page: &Document, node: NodeId, all: usize) -> bool {
    let tag = page.tag(node);
    let letters = page.letters(node);
    // Menus and footers may be longer than the content.
    if matches!(tag, "nav" | "footer") {
        return letters * 10 < all * 9;
    }
    if letters * 2 >= all {
        return false;
    }
    let opens =
        matches!(tag, "aside" | "dialog") || page.attribute(node, "role") == Some("dialog") || is_hidden(page, node);
    if opens && is_in_panel(page, node) {
        return false;
    }
    is_frame_tag(tag)
        || is_hidden(page, node)
        || (tag == "header" || is_called_frame(page, node)) && !has_headline(page, node)
}

/// Returns whether an element is in a part of the content that opens on a click: its text is hidden at first.
fn is_in_panel(page: &Document, node: NodeId) -> bool {
    let inside = page.descendants(node).take(PANEL_DEPTH);
    std::iter::once(node).chain(page.ancestors(node).take(PANEL_DEPTH)).chain(inside).any(|around| {
        let names = ["class", "id"].iter().filter_map(|name| page.attribute(around, name));
        let mut words = names.flat_map(str::split_ascii_whitespace).flat_map(words_of);
        page.attribute(around, "role") == Some("tabpanel") || words.any(|word| PANELS.contains(&word.as_str()))
    })
}

/// Returns whether an element is called a part of the frame, by its tag, role or name.
pub(super) fn is_frame_part(page: &Document, node: NodeId) -> bool {
    matches!(page.tag(node), "nav" | "footer" | "aside") || is_called_frame(page, node)
}

fn has_headline(page: &Document, node: NodeId) -> bool {
    page.descendants(node).any(|inner| page.tag(inner) == "h1")
}

fn is_hidden(page: &Document, node: NodeId) -> bool {
    let style = || page.attribute(node, "style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    page.attribute(node, "hidden").is_some()
        || page.attribute(node, "aria-hidden") == Some("true")
        || style().contains("display:none")
}

/// Returns whether the role or a name of an element marks it as part of the frame.
fn is_called_frame(page: &Document, node: NodeId) -> bool {
    let role = page.attribute(node, "role").unwrap_or_default();
    if matches!(
        role,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "menu" | "alert"
    ) {
        return true;
    }
    let names = ["class", "id"].iter().filter_map(|name| page.attribute(node, name));
    let is_short = page.letters(node) < LONG;
    names.flat_map(str::split_ascii_whitespace).any(|name| is_frame_name(name, is_short))
}

/// Returns whether a class name or id marks a part of the frame, however its words are joined.
fn is_frame_name(name: &str, is_short: bool) -> bool {
    static SINGLE: LazyLock<HashSet<&str>> = LazyLock::new(|| NAMES.split_ascii_whitespace().collect());
    static SHORT: LazyLock<HashSet<&str>> = LazyLock::new(|| SHORT_NAMES.split_ascii_whitespace().collect());
    static PAIRED: LazyLock<HashSet<&str>> = LazyLock::new(|| PAIRS.split_ascii_whitespace().collect());
    let words = words_of(name);
    // `sidebar-first-only` names the columns of the layout.
    if words.iter().any(|word| word == "only") {
        return false;
    }
    let mut before = "";
    for word in &words {
        let is_single = SINGLE.contains(word.as_str()) || is_short && SHORT.contains(word.as_str());
        if is_single && !LAYOUT.contains(&before) || PAIRED.contains(format!("{before}-{word}").as_str()) {
            return true;
        }
        before = word;
    }
    false
}

/// The words of a name in lower case: `relatedProducts`, `related-products`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars().take(200) {
        let is_new = !character.is_alphanumeric() || character.is_uppercase() && was_lower;
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lower = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words
}

/// Beginnings of headings above links to other pages and above the opinions of readers.
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:
        you\ (?:may|might|could|.ll)\ (?:also\ )?(?:like|love|be\ interested) | customers?\ (?:also|who) | people\ (?:also|who)
        | (?:related|similar|recommended)\ (?:products?|items?|articles?|posts?|stories|news|questions?|topics?|threads?|content|reading|recipes?|videos?|pages?|searches|links)
        | explore\ related | recently\ viewed | recommended\ for\ you | more\ (?:from|like)\ | frequently\ bought | complete\ (?:the|your)\ (?:look|set)
        | shop\ the\ look | pairs?\ well | (?:\d+\ )?reviews?(?:\ for\ .*)?(?:\W*\d+\W*)?$ | (?:customer|product|verified|user|guest)\ (?:reviews?|ratings?)
        | ratings?\ (?:and|&)\ reviews?
        | (?:sign\ up|subscribe|join)\ (?:to|for)\ (?:our|the) | newsletter | follow\ us | share\ (?:this|on) | leave\ a\ (?:reply|comment|review) | (?:\d+\ )?comments?(?:\W*\d+\W*)?$
        | das\ könnte\ (?:ihnen|dir|sie|dich|euch) | ähnliche\ (?:artikel|produkte|themen|fragen) | (?:kunden)?bewertungen | kunden\ (?:kauften|haben) | zuletzt\ angesehen | (?:\d+\ )?kommentare$ | weitere\ (?:artikel|produkte|themen)
        | vous\ (?:aimerez|pourriez|pouvez)\ aussi | (?:produits|articles)\ (?:similaires|associés|liés|recommandés) | avis(?:\ clients?)?$ | (?:\d+\ )?commentaires$
        | (?:también|tal\ vez)\ te\ (?:puede|podría|gust) | (?:productos|artículos)\ (?:relacionados|similares) | opiniones | reseñas | (?:\d+\ )?comentarios$
        | (?:ti\ )?potrebbe(?:ro)?\ (?:interessar|piacer|anche) | (?:prodotti|articoli)\ (?:correlati|simili) | recensioni | (?:\d+\ )?commenti$
        | você\ também | (?:produtos|artigos)\ relacionados | avaliações
        | (?:dit\ )?(?:vind|vindt)\ (?:je|u)\ (?:misschien|ook) | gerelateerde\ | (?:klant)?beoordelingen | (?:anderen|klanten)\ (?:bekeken|kochten)
        | podobne\ produkty | opinie(?:\ klientów)?$ | zobacz\ (?:też|również) | liknande\ produkter | (?:kund)?omdömen | du\ kanske\ (?:också|även) | lignende\ produkter | anmeldelser | kundeanmeldelser
        )",
    )
    .ok()
});

/// Maximum length of a heading in characters.
const LONGEST_HEADING: usize = 80;

/// Returns the sections below headings that announce other pages or opinions: the largest box that begins with
/// the heading, or the elements after it up to the next heading of its rank.
fn other_sections(page: &Document, root: NodeId) -> Vec<NodeId> {
    let all = page.letters(root);
    let mut found = Vec::new();
    for heading in page.descendants(root).filter(|&node| rank(page, node).is_some_and(|rank| rank > 1)) {
        let text = page.visible_text(heading);
        let is_other = (3..=LONGEST_HEADING).contains(&page.letters(heading))
            && OTHER.as_ref().is_some_and(|other| other.is_match(text));
        if !is_other {
            continue;
        }
        let begins = |&node: &NodeId| {
            page.letters_before(node) == page.letters_before(heading)
                && page.letters(node) * 2 < all
                && page.contains(root, node)
                && !has_headline(page, node)
        };
        let Some(section) = std::iter::once(heading).chain(page.ancestors(heading).take_while(begins)).last() else {
            continue;
        };
        found.push(section);
        if page.letters(section) == page.letters(heading) {
            found.extend(following(page, section, rank(page, heading), all));
        }
    }
    found
}

/// The elements after a heading up to the next heading of its rank or a higher one.
fn following(page: &Document, heading: NodeId, rank_of: Option<u32>, all: usize) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut letters = 0;
    let mut next = page.next_sibling(heading);
    while let Some(node) = next {
        let ends = |inner: NodeId| rank(page, inner).zip(rank_of).is_some_and(|(rank, of)| rank <= of);
        if std::iter::once(node).chain(page.descendants(node)).any(ends) {
            break;
        }
        letters += page.letters(node);
        found.push(node);
        next = page.next_sibling(node);
    }
    // More than that is the content of the page.
    if letters * 2 < all { found } else { Vec::new() }
}

fn rank(page: &Document, node: NodeId) -> Option<u32> {
    match page.tag(node) {
        "h1" => Some(1),
        "h2" => Some(2),
        "h3" => Some(3),
        "h4" => Some(4),
        "h5" => Some(5),
        "h6" => Some(6),
        _ => None,
    }
}

/// Lines that belong to the controls of a page, reduced to their letters.
const CONTROLS: &str = "addtocart|addtobag|addtobasket|addtowishlist|buynow|quickview|quickadd|quickshop|learnmore|readmore|showmore|seemore|\
     viewmore|loadmore|viewall|seeall|shopnow|shopall|compare|loading|skiptocontent|skiptomaincontent|share|reply|report|\
     notifyme|emailme|subscribe|signin|login|signup|register|back|backtotop|next|previous|previousnext|close|menu|search|\
     filter|filters|sortandfilter|sortby|clearall|apply|reset|submit|quantity|selectoptions|chooseoptions|viewdetails|\
     viewproduct|showless|readless|seeless|print|copylink|zoom|zoomonimage|expand|collapse|\
     indenwarenkorb|mehrerfahren|weiterlesen|mehranzeigen|teilen|antworten|ajouteraupanier|ensavoirplus|liresuite|lirelasuite|voirplus|\
     partager|añadiralcarrito|leermás|vermás|compartir|aggiungialcarrello|leggitutto|scopridipiù|lasmeer|meerlezen|toonmeer|\
     inwinkelwagen|dodajdokoszyka|czytajwięcej|lägtillivarukorgen|läsmer|visamer|læsmere|vismere|læs";

/// Returns whether a line is a control of the page, such as `Add to cart`.
pub(super) fn is_control(text: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| CONTROLS.split('|').collect());
    text.len() < 60 && ALL.contains(super::site::letters(text).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames_of(html: &str) -> Vec<String> {
        let page = Document::parse(html);
        frames(&page, page.body()).into_iter().map(|node| page.visible_text(node).to_owned()).collect()
    }

    #[test]
    fn names_are_read_by_their_words() {
        for name in ["site-footer", "relatedProducts", "product__reviews", "up-sells", "js_modal"] {
            assert!(is_frame_name(name, false), "{name}");
        }
        for name in
            ["no-sidebar", "sidebar-first-only", "main--withSidebar", "menlo", "review-text", "content", "sells"]
        {
            assert!(!is_frame_name(name, true), "{name}");
        }
        assert!(is_frame_name("list-pagination", true) && !is_frame_name("list-pagination", false));
    }

    #[test]
    fn sections_of_other_pages_and_opinions_are_frame() {
        let soup = "<h1>Soup</h1><p>One bowl of leek soup for all of us, and then another one for those who like it. It is served with bread.</p>";
        let boxed = format!("{soup}<div><h2>You may also like</h2><ul><li>Stew</ul></div><p>Keep it cool.</p>");
        assert_eq!(frames_of(&boxed), ["You may also like Stew"]);
        let flat =
            format!("{soup}<h2>Customer reviews (2)</h2><p>Good.</p><p>Hot.</p><h2>Storage</h2><p>Keep it cool.</p>");
        assert_eq!(frames_of(&flat), ["Customer reviews (2)", "Good.", "Hot."]);
        let german = format!("{soup}<section><h3>Ähnliche Produkte</h3><p>Eintopf</p></section>");
        assert_eq!(frames_of(&german), ["Ähnliche Produkte Eintopf"]);
    }

    #[test]
    fn most_of_a_page_is_never_frame() {
        let posts = "<p>The soup of leeks is the best that I have ever had in this house.</p>".repeat(4);
        assert!(frames_of(&format!("<h1>Soup</h1><div class=comments>{posts}</div>")).is_empty());
        assert!(frames_of(&format!("<h1>Soup</h1><h2>Reviews</h2>{posts}")).len() < 2);
        let footer =
            format!("<div><h1>Soup</h1><p>One bowl of leek soup for all of us.</p></div><footer>{posts}</footer>");
        assert_eq!(frames_of(&footer).len(), 1, "a footer may be longer than the content");
    }

    #[test]
    fn controls_are_no_text() {
        assert!(is_control("Add to cart") && is_control("Read more…") && !is_control("Read the manual"));
    }
}
