//! Texts that are most relevant to a goal, in limited room.

use autoheal_llm::prompt::cut;

use crate::goal::Goal;
use crate::page_state::PageState;
use crate::relevance::Relevance;

/// Mark between passages that are not neighbours on the page.
const GAP: &str = "[...]";

/// The places of the texts that are most relevant to the goal, as many as fit, in their order.
pub(crate) fn nearest(texts: &[String], goal: &Goal, size: impl Fn(&str) -> usize, most: usize) -> Vec<usize> {
    let context: Vec<&str> = goal.context.iter().map(|(_, value)| value.as_str()).collect();
    let mut relevance = Relevance::of(&format!("{} {}", goal.text, context.join(" ")));
    let read: Vec<_> = texts.iter().map(|text| relevance.read(text)).collect();
    for text in &read {
        relevance.learn(*text);
    }
    let mut ranked: Vec<(f64, usize)> = read
        .iter()
        .enumerate()
        .map(|(place, text)| (relevance.weight(text.found) * relevance.by_length(text.length), place))
        .collect();
    // A stable sort: of equals the first.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut left = most;
    let mut kept = Vec::new();
    for (_, place) in ranked {
        let size = texts.get(place).map_or(0, |text| size(text));
        if size > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        kept.push(place);
        if left == 0 {
            break;
        }
    }
    kept.sort_unstable();
    kept
}

/// Returns the text of a page, in at most `most` characters: of a longer one, the passages that are most relevant to the goal,
/// in the order of the page, with a mark where others are left out. The caption of a table is written once.
pub(crate) fn excerpt(page: &PageState, goal: &Goal, most: usize) -> String {
    if page.content_text.chars().count() <= most {
        return page.content_text.clone();
    }
    let texts: Vec<String> = page.passages.iter().map(|passage| passage.text.clone()).collect();
    let kept = nearest(&texts, goal, |text| text.chars().count() + GAP.len() + 2, most);
    let mut text = String::new();
    let mut before: Option<usize> = None;
    for place in kept {
        let is_neighbour = before.map_or(place == 0, |before| before + 1 == place);
        if !is_neighbour {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(GAP);
        }
        let lines: Vec<&str> = texts[place].lines().collect();
        let above: Vec<&str> = before.map(|before| texts[before].lines().collect()).unwrap_or_default();
        // All lines of a row but its last say which table it is of.
        let heads = lines.len().min(above.len()).saturating_sub(1);
        let same = lines.iter().zip(&above).take(heads).take_while(|(one, other)| one == other).count();
        for line in &lines[same..] {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
        }
        before = Some(place);
    }
    cut(&text, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_page_has_each_caption_once_and_marks_its_gaps() {
        let rows: Vec<String> = (0..40).map(|row| format!("<tr><td>size {row}<td>{row} bytes")).collect();
        let rows = rows.concat();
        let html =
            format!("<p>Nothing of it.</p><table><caption>Sizes</caption>{rows}</table><p>size 7 at the end</p>");
        let page = PageState::parse(html.as_bytes(), &"http://manual.example/".parse().unwrap());
        let text = excerpt(&page, &Goal::new("size 7"), 200);
        assert_eq!(text.matches("Sizes").count(), 1, "{text}");
        assert!(text.starts_with("[...]\nSizes\n") && text.contains("size 7 | 7 bytes"), "{text}");
        assert!(text.contains("\n[...]\n"), "{text}");
        assert_eq!(excerpt(&page, &Goal::new("size 7"), 10_000), page.content_text);
    }
}
