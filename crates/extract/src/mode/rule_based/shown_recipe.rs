//! Ingredients and steps as a page shows them: lists below headings that say so.

use std::sync::LazyLock;

use autoheal_page::{Document, NodeId};
use regex::Regex;

use super::recipe_lines::{lines, without_numbers};

/// Ingredients and instructions that a page shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) ingredients: Vec<String>,
    pub(super) instructions: Vec<String>,
}

/// Signs that a page shows before the items of a list.
const BULLETS: [char; 9] = ['•', '▢', '□', '☐', '▪', '‣', '◦', '·', '✓'];

/// Maximum length of an ingredient's line.
const LONGEST_INGREDIENT: usize = 200;

static INGREDIENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\W*(?:(?:the|your|recipe|les|die|de)\s+)?(ingredients?|zutaten(liste)?|ingrédients|ingredientes|ingredienti|ingrediënten|ingredienser|ingrediente|składniki|składniki|hozzávalók|malzemeler|what you.ll need|you will need|du skal bruge|ainekset|sastojci|материалы|продукти|ингредиенты|材料|食材|재료)\b",
    )
    .ok()
});

static INSTRUCTIONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\W*(?:(?:the|cooking|recipe|la|les|die|de|så)\s+)?(instructions?|directions?|method|preparation|steps|procedure|how to (make|prepare|cook)|zubereitung|anleitung|préparation|étapes|preparación|elaboración|preparazione|procedimento|preparo|modo de (preparo|preparação|fazer)|bereiding(swijze)?|tillagning|gör så här|fremgangsmåde|fremgangsmåte|sådan gør du|przygotowanie|elkészítés|yapılışı|valmistus|priprema|postup|приготвяне|приготовление|作り方|做法|만드는 법)\b",
    )
    .ok()
});

/// The lists of a page that are a recipe's.
pub(super) fn find(page: &Document) -> Shown {
    let mut best = Shown::default();
    for (start, heading) in headings(page, INGREDIENTS.as_ref()) {
        let ingredients = below(page, heading, INGREDIENTS.as_ref(), INSTRUCTIONS.as_ref(), LONGEST_INGREDIENT);
        if ingredients.len() < 2 {
            continue;
        }
        let after = headings(page, INSTRUCTIONS.as_ref()).filter(|(place, _)| *place > start);
        let instructions = after
            .map(|(_, heading)| below(page, heading, INSTRUCTIONS.as_ref(), None, usize::MAX))
            .find(|steps| !steps.is_empty())
            .unwrap_or_default();
        // The first with both is the recipe; later ones are other recipes.
        if !instructions.is_empty() {
            return Shown { ingredients, instructions: without_numbers(instructions) };
        }
        if best.ingredients.is_empty() {
            best.ingredients = ingredients;
        }
    }
    best
}

/// Elements that are short and begin with such a word: where their text begins, and which.
fn headings<'a>(page: &'a Document, words: Option<&'a Regex>) -> impl Iterator<Item = (usize, NodeId)> + use<'a> {
    page.nodes()
        .filter(|&node| (3..50).contains(&page.letters(node)) && !matches!(page.tag(node), "a" | "button" | "li"))
        .filter(move |&node| words.is_some_and(|words| words.is_match(page.visible_text(node))))
        // A short box that begins with a heading is not the heading.
        .filter(|&node| !page.descendants(node).any(|inner| matches!(page.tag(inner), "li" | "p" | "tr")))
        // The innermost element is the heading.
        .filter(|&node| !page.children(node).any(|child| page.visible_text(child) == page.visible_text(node)))
        .map(|node| (page.letters_before(node), node))
}

/// The lines of the nearest list after a heading: the items of lists up to the next heading of another kind, or paragraphs.
fn below(page: &Document, heading: NodeId, words: Option<&Regex>, stop: Option<&Regex>, longest: usize) -> Vec<String> {
    // The list is a sibling of the heading, or of one of the boxes around it: those that hold nothing else, and a few more.
    let is_bare = |&node: &NodeId| page.letters(node) == page.letters(heading);
    let mut around = std::iter::once(heading).chain(page.ancestors(heading).take_while(is_bare)).last();
    for _ in 0..4 {
        let Some(node) = around else { break };
        let mut lines = Vec::new();
        let mut next = page.next_sibling(node);
        while let Some(sibling) = next {
            let text = page.visible_text(sibling);
            let ends = stop.is_some_and(|stop| stop.is_match(text))
                || is_heading(page, sibling) && ends_list(page, sibling, heading);
            // `Ingredients for the sauce`, `For the sauce` continue the list.
            if ends && !lines.is_empty() && !goes_on(text, words) {
                break;
            }
            lines.extend(lines_of(page, sibling, stop));
            next = page.next_sibling(sibling);
        }
        lines.retain(|line| !line.is_empty() && line.chars().count() <= longest);
        if !lines.is_empty() {
            return lines;
        }
        around = page.parent(node);
    }
    Vec::new()
}

/// Returns whether a heading begins another part of the same list.
fn goes_on(text: &str, words: Option<&Regex>) -> bool {
    static FOR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)^\W*(for|to|für|zum|pour|para|per|til|till|voor)\s").ok());
    [words, FOR.as_ref()].into_iter().flatten().any(|words| words.is_match(text))
}

fn is_heading(page: &Document, node: NodeId) -> bool {
    matches!(page.tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Returns whether a heading has the same rank as the one before the list, or a higher one.
fn ends_list(page: &Document, node: NodeId, heading: NodeId) -> bool {
    !is_heading(page, heading) || page.tag(node) <= page.tag(heading)
}

/// Items of lists and rows of tables; without any, paragraphs.
fn lines_of(page: &Document, node: NodeId, stop: Option<&Regex>) -> Vec<String> {
    let inside = || std::iter::once(node).chain(page.descendants(node));
    let end = inside()
        .find(|&inner| stop.is_some_and(|stop| page.letters(inner) < 50 && stop.is_match(page.visible_text(inner))))
        .map_or(usize::MAX, NodeId::index);
    let of_tag = |tag: &str| -> Vec<String> {
        let nodes = inside().filter(|&inner| inner.index() < end && page.tag(inner) == tag);
        // The innermost: lists nest.
        let nodes = nodes.filter(|&inner| !page.descendants(inner).any(|below| page.tag(below) == tag));
        // A row of one cell may hold several lines.
        let has_lines =
            |row: NodeId| page.children(row).count() == 1 && page.descendants(row).any(|inner| page.tag(inner) == "p");
        let nodes = nodes.filter(|&inner| tag != "tr" || !has_lines(inner));
        nodes.flat_map(|inner| broken(page, inner)).collect()
    };
    ["li", "tr", "p"].into_iter().map(of_tag).find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// The text of an element, a line for each that it is broken into.
fn broken(page: &Document, node: NodeId) -> Vec<String> {
    if page.tag(node) != "li" && page.descendants(node).any(|inner| page.tag(inner) == "br") {
        return lines(&page.html(node));
    }
    let text = page.visible_text(node).trim_start_matches(BULLETS).trim_start();
    if text.is_empty() { Vec::new() } else { vec![text.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_below_their_headings_are_found() {
        for html in [
            "<h2>Ingredients</h2><ul><li>1 leek<li>salt</ul><h2>Method</h2><ol><li>Cut.<li>Boil.</ol><h2>More</h2><ul><li>x</ul>",
            "<div><div><h3>Zutaten</h3></div><div><ul><li>1 leek<li>salt</ul></div></div>
             <div><div><h3>Zubereitung:</h3></div><div><p>Cut.</p><p>Boil.</p></div></div>",
            "<div><div><div><div><div><h2><div>Ingredienser</div></h2></div></div></div></div></div><div><ul><li><i>•</i><p>1 leek</p><li><p>salt</p></ul></div>
             <div><div><div><div><div><h2>Fremgangsmåde</h2></div></div></div></div></div><div><div><p>Cut.</p></div><div><p>Boil.</p></div></div>",
            "<p><b>Ingredients:</b></p><table><tr><td>1 leek<tr><td>salt</table><p><b>Directions</b></p><p>Cut.<p>Boil.",
        ] {
            let shown = find(&Document::parse(html));
            assert_eq!(shown.ingredients, ["1 leek", "salt"], "{html}");
            assert_eq!(shown.instructions, ["Cut.", "Boil."], "{html}");
        }
    }

    #[test]
    fn a_page_without_both_shows_no_recipe() {
        let shown = find(&Document::parse("<h2>Our ingredients</h2><p>Only the best.</p><ul><li>a<li>b</ul>"));
        assert_eq!(shown, Shown::default());
    }
}
