//! Repairs of one token: put one in, take one out, replace one, swap two, split or join words.

use crate::edit::Edit;

use super::grammar::{Described, Grammar};
use super::ngram::{CONTEXT, Model, Symbol};
use super::proposal::Proposal;
use super::region::Region;
use super::tokens::{Kind, Token};

/// Costs of the kinds of slip, in bits: how unlikely each is before the text is considered.
mod slip {
    pub(super) const MISSING: f64 = 5.0;
    /// An invented operand: the code does not show which one is missing.
    pub(super) const INVENTED: f64 = 8.0;
    /// A name that others look for here.
    pub(super) const WANTED: f64 = 0.0;
    pub(super) const EXTRA: f64 = 5.0;
    pub(super) const DOUBLED: f64 = 3.0;
    pub(super) const REPLACED: f64 = 6.0;
    pub(super) const REPEATED: f64 = 4.0;
    /// Any sign instead of any other.
    pub(super) const MISTYPED: f64 = 9.0;
    pub(super) const MISSPELLED: f64 = 1.5;
    pub(super) const SWAPPED: f64 = 6.0;
    pub(super) const SPACED: f64 = 3.0;
    /// Per token between the edit and the place where the parser noticed.
    pub(super) const DISTANCE: f64 = 0.08;
}

/// Weight of the choice of an extra token that is removed: as much as the model's opinion has elsewhere.
const CHOSEN: f64 = 0.5;

/// Delimiters may be missing anywhere in the window; other tokens only this close to the fault.
const NEAR: usize = 24;
/// Maximum distance from the fault, in tokens, at which a sign may be replaced by any other.
const AT_FOCUS: usize = 2;
/// Maximum distance from the fault, in tokens, at which names are tried as missing operands.
const VERY_NEAR: usize = 8;

/// The tokens of a window as the model sees them, and what an edit there costs.
pub(crate) struct TokenEdits<'site> {
    site: &'site Region<'site>,
    grammar: &'static Grammar,
    model: &'site Model,
    /// One per visible token or end of line: the index in the site's tokens.
    places: Vec<usize>,
    /// The last place at or before which a repair must begin.
    focus: usize,
}

impl<'site> TokenEdits<'site> {
    pub(crate) fn new(site: &'site Region<'site>, model: &'site Model) -> Self {
        let tokens = &site.tokens;
        let places: Vec<usize> = (0..tokens.len()).filter(|index| tokens[*index].kind != Kind::Comment).collect();
        let focus = places.iter().rposition(|place| tokens[*place].start < site.focus).unwrap_or(0);
        Self { site, grammar: model.grammar(), model, places, focus }
    }

    fn token(&self, place: usize) -> Option<&Token> {
        self.places.get(place).and_then(|index| self.site.tokens.get(*index))
    }

    fn text(&self, place: usize) -> &'site str {
        self.token(place).map_or("", |token| token.text(self.site.text))
    }

    fn described(&self, place: Option<usize>) -> Described<'site> {
        Grammar::described(place.and_then(|place| self.token(place)), self.site.text)
    }

    fn depth(&self, place: usize) -> usize {
        self.places.get(place).and_then(|index| self.site.depths.get(*index)).copied().unwrap_or(0)
    }

    /// Every repair of one token; `wanted` are names that should occur in the file and do not.
    pub(crate) fn proposals(&self, wanted: &[&str]) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        let last = (self.focus + 2).min(self.places.len());
        for place in 0..last {
            self.deletion(place, &mut proposals);
            self.swap(place, &mut proposals);
            self.replacements(place, &mut proposals);
            self.spaces(place, &mut proposals);
        }
        self.torn_operators(last, &mut proposals);
        let words = self.words();
        for place in 0..=last.min(self.places.len()) {
            self.insertions(place, &words, wanted, &mut proposals);
        }
        proposals
    }

    /// Returns names that may replace a missing one, the window's own first.
    fn words(&self) -> Vec<&'site str> {
        let mut words: Vec<&str> = Vec::new();
        let text = self.site.text;
        let near = (self.grammar.scan)(&text[self.site.chunk.clone()]);
        let chunk = &text[self.site.chunk.clone()];
        let mut seen = std::collections::HashSet::new();
        let own = self.site.tokens.iter().filter(|token| token.kind == Kind::Name).map(|token| token.text(text));
        let others = near.iter().filter(|token| token.kind == Kind::Name).map(|token| token.text(chunk));
        for word in own.chain(others) {
            if seen.insert(word) {
                words.push(word);
            }
            if words.len() >= 300 {
                break;
            }
        }
        words
    }

    fn insertions(&self, place: usize, words: &[&str], wanted: &[&str], proposals: &mut Vec<Proposal>) {
        let distance = self.focus.abs_diff(place);
        let begins_line = self.described(place.checked_sub(1)).0 == Kind::Newline;
        let mut put = |token: &str, slip: f64| {
            if begins_line && self.grammar.never_first.contains(&token) {
                return;
            }
            let edit = self.insertion(place, token);
            let depth_change = usize::from((self.grammar.kind_of)(token) == Kind::Close);
            let reading = self.difference(place, place, &[((self.grammar.kind_of)(token), token)], depth_change);
            let description = format!("insert the missing `{token}`");
            proposals.push(Proposal::new(vec![edit], slip + self.far(place), description).reading(reading));
        };
        for token in self.grammar.delimiters {
            put(token, slip::MISSING);
        }
        if distance <= NEAR {
            let words = self.grammar.keywords.iter().filter(|word| !self.grammar.values.contains(word));
            for token in self.grammar.operators.iter().chain(words) {
                put(token, slip::MISSING);
            }
        }
        if distance <= VERY_NEAR {
            for token in words.iter().chain(self.grammar.operands).chain(self.grammar.values) {
                put(token, slip::INVENTED);
            }
            for token in wanted {
                put(token, slip::WANTED);
            }
        }
    }

    fn insertion(&self, place: usize, token: &str) -> Edit {
        let text = self.site.text;
        let previous = place.checked_sub(1);
        let left = self.described(previous);
        let right = self.described(Some(place));
        let start = previous.and_then(|place| self.token(place)).map_or(self.site.window.start, |token| token.end);
        let end = self.token(place).map_or(start, |token| token.start.max(start));
        let gap = text.get(start..end).unwrap_or_default();
        let depth = self.depth(place);
        let middle = ((self.grammar.kind_of)(token), token);
        let tight = (self.grammar.is_sign)(Some(left), token);
        let space_before = (self.grammar.is_spaced)(left, middle, depth);
        let space_after = (self.grammar.is_spaced)(middle, right, depth) && !tight;
        if left.0 == Kind::Newline {
            // After the indentation; when that is odd, the space belongs to the token that is missing.
            if space_after && gap.ends_with(' ') && gap.trim_start_matches(['\n', '\r']).len() % 2 == 1 {
                return Edit::insert(end - 1, token.to_owned());
            }
            return Edit::insert(end, if space_after { format!("{token} ") } else { token.to_owned() });
        }
        if right.0 == Kind::Newline || gap.contains(['\n', '\\', '#']) {
            return Edit::insert(start, if space_before { format!(" {token}") } else { token.to_owned() });
        }
        let before = if space_before { " " } else { "" };
        let after = if space_after { " " } else { "" };
        match gap.len() {
            0 => Edit::insert(start, format!("{before}{token}{after}")),
            1 if space_before => Edit::insert(end, format!("{token}{after}")),
            1 => Edit::insert(start, token.to_owned()),
            _ => Edit::insert(start + 1, token.to_owned()),
        }
    }

    fn deletion(&self, place: usize, proposals: &mut Vec<Proposal>) {
        let Some(token) = self.token(place) else { return };
        if token.kind == Kind::Newline {
            return;
        }
        let word = self.text(place);
        let is_copy = word == self.text(place + 1) || place > 0 && self.text(place - 1) == word;
        // Whoever put it in chose it among all words, unless it is a copy of its neighbour.
        let slip =
            if is_copy { slip::DOUBLED } else { slip::EXTRA + CHOSEN * self.model.bits_of_word(token.kind, word) };
        let reading = self.difference(place, place + 1, &[], 0);
        let described = format!("remove the extra `{}`", shown(word));
        proposals.push(Proposal::new(vec![self.removal(place)], slip + self.far(place), described).reading(reading));
    }

    fn removal(&self, place: usize) -> Edit {
        let Some(token) = self.token(place) else { return Edit::delete(0..0) };
        let (previous, next) = (place.checked_sub(1), place + 1);
        let before = previous.and_then(|place| self.token(place)).map_or(self.site.window.start, |token| token.end);
        let after = self.token(next).map_or(token.end, |token| token.start.max(token.start));
        let (left, right) = (self.described(previous), self.described(Some(next)));
        let gap = self.site.text.get(token.end..after).unwrap_or_default();
        if left.0 == Kind::Newline {
            return Edit::delete(token.start..if gap.trim().is_empty() { after } else { token.end });
        }
        if right.0 == Kind::Newline || !gap.trim().is_empty() {
            return Edit::delete(before..token.end);
        }
        if before == token.start || after == token.end {
            let spaced = (self.grammar.is_spaced)(left, right, self.depth(place));
            let range = if spaced { token.start..token.end } else { before..after };
            return if spaced && before == token.start && after == token.end {
                Edit::replace(range, " ")
            } else {
                Edit::delete(range)
            };
        }
        if (self.grammar.is_spaced)(left, right, self.depth(place)) {
            Edit::delete(token.start..after)
        } else {
            Edit::delete(before..after)
        }
    }

    fn swap(&self, place: usize, proposals: &mut Vec<Proposal>) {
        let (Some(first), Some(second)) = (self.token(place), self.token(place + 1)) else { return };
        if first.kind == Kind::Newline || second.kind == Kind::Newline || self.text(place) == self.text(place + 1) {
            return;
        }
        let (one, two) = (self.text(place), self.text(place + 1));
        let touches = |before: usize, after: usize| {
            let (before, after) = (self.token(before), self.token(after));
            let are_words = |one: &Token, two: &Token| {
                let is_word = |kind: Kind| matches!(kind, Kind::Name | Kind::Keyword | Kind::Number | Kind::String);
                is_word(one.kind) && is_word(two.kind)
            };
            before.zip(after).is_some_and(|(one, two)| are_words(one, two))
        };
        let adjoins = |before: usize, after: usize| {
            self.token(before).zip(self.token(after)).is_some_and(|(one, two)| one.end == two.start)
        };
        let fuses = place > 0 && adjoins(place - 1, place) && touches(place - 1, place + 1)
            || adjoins(place + 1, place + 2) && touches(place, place + 2);
        if fuses {
            return;
        }
        let gap = self.site.text.get(first.end..second.start).unwrap_or_default();
        let reading = self.difference(place, place + 2, &[(second.kind, two), (first.kind, one)], 0);
        let edit = Edit::replace(first.start..second.end, format!("{two}{gap}{one}"));
        let description = format!("swap `{}` and `{}`", shown(one), shown(two));
        proposals.push(Proposal::new(vec![edit], slip::SWAPPED + self.far(place), description).reading(reading));
    }

    fn replacements(&self, place: usize, proposals: &mut Vec<Proposal>) {
        let Some(token) = self.token(place) else { return };
        let old = self.text(place);
        let mut put = |new: &str, slip: f64| {
            let reading = self.difference(place, place + 1, &[((self.grammar.kind_of)(new), new)], 0);
            let edit = Edit::replace(token.start..token.end, new);
            let description = format!("replace `{}` by `{new}`", shown(old));
            proposals.push(Proposal::new(vec![edit], slip + self.far(place), description).reading(reading));
        };
        for new in self.grammar.confused.iter().filter(|group| group.contains(&old)).flat_map(|group| group.iter()) {
            // `=` for `==`: the same key, pressed too rarely.
            let is_repeated = new.len() > old.len() && old.len() == 1 && new.chars().all(|sign| old.contains(sign));
            if *new != old {
                put(new, if is_repeated { slip::REPEATED } else { slip::REPLACED });
            }
        }
        // A key beside the one that was meant.
        let is_sign = matches!(token.kind, Kind::Operator | Kind::Unknown);
        if is_sign && self.focus.abs_diff(place) <= AT_FOCUS {
            for new in self.grammar.delimiters.iter().filter(|new| **new != old) {
                put(new, slip::MISTYPED);
            }
        }
        if matches!(token.kind, Kind::Name | Kind::Keyword) && old.len() > 1 {
            for keyword in self.grammar.keywords {
                let distance = strsim::osa_distance(old, keyword);
                let allowed = if keyword.len() <= 3 { 1 } else { 2 };
                if distance > 0 && distance <= allowed {
                    let slip = if distance == 1 { slip::MISSPELLED } else { slip::MISSPELLED + 4.0 };
                    put(keyword, slip);
                }
            }
        }
    }

    /// A delimiter or space that is missing within a word, or a space too many.
    fn spaces(&self, place: usize, proposals: &mut Vec<Proposal>) {
        let Some(token) = self.token(place) else { return };
        let old = self.text(place);
        if matches!(token.kind, Kind::Name | Kind::Number) {
            for (at, _) in old.char_indices().skip(1) {
                let (one, two) = old.split_at(at);
                if self.is_known(one) && self.is_known(two) {
                    self.splits(place, one, two, proposals);
                }
            }
        }
        self.joined(place, proposals);
    }

    /// The parts of an operator that stand apart behind the place where the parser noticed: it names what they begin with, or what stands
    /// before them.
    fn torn_operators(&self, from: usize, proposals: &mut Vec<Proposal>) {
        let is_sign = |place: usize| self.token(place).is_some_and(|token| token.kind == Kind::Operator);
        for place in (from..self.places.len()).filter(|place| is_sign(*place) && is_sign(place + 1)) {
            self.joined(place, proposals);
        }
    }

    /// A word or an operator in place of its two parts with a space between them.
    fn joined(&self, place: usize, proposals: &mut Vec<Proposal>) {
        let Some(token) = self.token(place) else { return };
        let old = self.text(place);
        let Some(next) = self.token(place + 1) else { return };
        let joinable =
            |kind: Kind| matches!(kind, Kind::Name | Kind::Keyword | Kind::Operator | Kind::Number | Kind::Unknown);
        let gap = self.site.text.get(token.end..next.start).unwrap_or_default();
        if !gap.is_empty() && gap.trim_matches(' ').is_empty() && joinable(token.kind) && joinable(next.kind) {
            let joined = format!("{old}{}", self.text(place + 1));
            let is_word = (self.grammar.kind_of)(&joined) != Kind::Operator;
            if (self.grammar.scan)(&joined).len() == 1 && (!is_word || self.is_known(&joined)) {
                let reading = self.difference(place, place + 2, &[((self.grammar.kind_of)(&joined), &joined)], 0);
                let edit = Edit::delete(token.end..next.start);
                let description = format!("join the parts of `{joined}`");
                proposals.push(Proposal::new(vec![edit], slip::SPACED + self.far(place), description).reading(reading));
            }
        }
    }

    fn is_known(&self, word: &str) -> bool {
        match (self.grammar.kind_of)(word) {
            Kind::Keyword => true,
            Kind::Number => word.bytes().all(|byte| byte.is_ascii_digit()),
            Kind::Name => self.model.has_word(word),
            _ => false,
        }
    }

    /// Proposes delimiters and spaces that may be missing between two words that are written as one.
    fn splits(&self, place: usize, one: &str, two: &str, proposals: &mut Vec<Proposal>) {
        let Some(token) = self.token(place) else { return };
        let (left, right) = (((self.grammar.kind_of)(one), one), ((self.grammar.kind_of)(two), two));
        for between in ["", "(", "[", "{", ".", ",", "=", ":"] {
            let new: Vec<(Kind, &str)> = [left, ((self.grammar.kind_of)(between), between), right]
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .collect();
            let reading = self.difference(place, place + 1, &new, 0);
            let gap = match between {
                "" | "," | ":" => format!("{between} "),
                "=" if self.depth(place) == 0 => " = ".to_owned(),
                _ => between.to_owned(),
            };
            let edit = Edit::insert(token.start + one.len(), gap);
            let slip = if between.is_empty() { slip::SPACED } else { slip::MISSING };
            let shown = if between.is_empty() { " " } else { between };
            let description = format!("insert the missing `{shown}` after `{one}`");
            proposals.push(Proposal::new(vec![edit], slip + self.far(place), description).reading(reading));
        }
    }

    fn far(&self, place: usize) -> f64 {
        slip::DISTANCE * f64::from(u32::try_from(self.focus.abs_diff(place)).unwrap_or(u32::MAX))
    }

    /// Returns the additional cost, in bits, when `new` replaces the tokens `from..to`: of those tokens and of their neighbours.
    fn difference(&self, from: usize, to: usize, new: &[(Kind, &str)], closed: usize) -> f64 {
        let mut before = Vec::with_capacity(CONTEXT);
        let mut place = from;
        while before.len() < CONTEXT && place > 0 {
            place -= 1;
            push(&mut before, self.symbol(place, 0));
        }
        before.reverse();
        let collect = |middle: &mut dyn Iterator<Item = Symbol>, closed: usize| {
            let mut symbols = before.clone();
            middle.for_each(|symbol| push(&mut symbols, Some(symbol)));
            let mut place = to;
            let end = symbols.len() + 3;
            while symbols.len() < end && place < self.places.len() {
                push(&mut symbols, self.symbol(place, closed));
                place += 1;
            }
            self.model.bits_of(&symbols, before.len(), symbols.len())
        };
        let old = collect(&mut (from..to).filter_map(|place| self.symbol(place, 0)), 0);
        let new = collect(&mut new.iter().filter_map(|(kind, text)| Symbol::of(*kind, text)), closed);
        new - old
    }

    fn symbol(&self, place: usize, closed: usize) -> Option<Symbol> {
        let token = self.token(place)?;
        if token.kind == Kind::Newline {
            return (self.depth(place) <= closed).then_some(Symbol::NEWLINE);
        }
        Symbol::of(token.kind, self.text(place))
    }
}

/// Adds a symbol; blank lines are none, as in what the model learns.
fn push(symbols: &mut Vec<Symbol>, symbol: Option<Symbol>) {
    symbols.extend(symbol.filter(|symbol| *symbol != Symbol::NEWLINE || symbols.last() != Some(symbol)));
}

/// A token as a one-line description shows it.
fn shown(token: &str) -> String {
    let first: String = token.lines().next().unwrap_or_default().chars().take(20).collect();
    if first.len() < token.len() { format!("{first}…") } else { first }
}

#[cfg(test)]
mod tests {
    use crate::fix_example::{check_fix, pytest};
    use crate::python::fix::syntax::SyntaxRepair;

    #[test]
    fn corrects_keyword() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 2
    retrun width * height
           ^^^^^
SyntaxError: invalid syntax"#,
            ),
            r"
 def area(width, height):
-    retrun width * height
+    return width * height
",
        );
    }

    #[test]
    fn removes_doubled_word() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 3
    for price price in prices:
              ^^^^^
SyntaxError: invalid syntax"#,
            ),
            r"
 def total(prices):
     count = 0
-    for price price in prices:
+    for price in prices:
         count += price
     return count
",
        );
    }
}
