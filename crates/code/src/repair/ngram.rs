//! Naturalness of a piece of code in its project: an n-gram model over tokens, trained on the project's own text.
//!
//! Code repeats itself (Hindle et al., "On the naturalness of software", 2012), and a repair that reads like the rest of the
//! project is likelier the text that stood there before. The estimate backs off twice: from words to classes of tokens, and
//! from long contexts to short ones, each with Dirichlet smoothing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::grammar::Grammar;
use super::tokens::{Kind, Token};

/// Token as the model sees it: its text and its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol {
    word: u64,
    class: u64,
}

/// Number of tokens on each side that an estimate takes into account.
pub(crate) const CONTEXT: usize = 4;

/// Weight of the shorter context, as a number of observations, against the longer context's own.
const SMOOTHING: f64 = 3.0;

/// Bits for one character inside a string: as much as code costs on average, so that no text becomes likelier by being quoted.
const BITS_PER_QUOTED_CHARACTER: f64 = 1.1;

/// Bits for a line inside a string that reads like a statement: most likely the string does not end where it should.
const BITS_PER_QUOTED_LINE_OF_CODE: f64 = 8.0;

impl Symbol {
    pub(crate) const NEWLINE: Self = Self::fixed(1);
    const INDENT: Self = Self::fixed(2);
    const DEDENT: Self = Self::fixed(3);

    const fn fixed(number: u64) -> Self {
        Self { word: number, class: number }
    }

    fn is_open_class(self) -> bool {
        self.word != self.class
    }

    /// The symbol of a visible token; `None` for comments and ends of lines.
    pub(crate) fn of(kind: Kind, text: &str) -> Option<Self> {
        let word = hash(text.as_bytes());
        Some(match kind {
            Kind::Comment | Kind::Newline => return None,
            Kind::Keyword | Kind::Operator | Kind::Open | Kind::Close | Kind::Unknown => Self { word, class: word },
            Kind::Name => Self { word, class: 4 },
            Kind::Number => Self { word, class: 5 },
            // Prefix and quotes are a matter of style: a class of its own for each.
            Kind::String if text.contains('\n') => Self { word: 7, class: 6 },
            Kind::String => Self { word, class: mix(6, hash(opening(text).as_bytes())) },
        })
    }
}

/// A string's prefix and opening quotes.
fn opening(string: &str) -> &str {
    if string.starts_with(['`', '/']) {
        return &string[..1];
    }
    let prefix = string.find(['"', '\'']).unwrap_or(0);
    let quotes = string[prefix..].bytes().take(3).take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    &string[..prefix + if quotes == 3 { 3 } else { quotes.min(1) }]
}

fn hash(bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    mix(state, 8)
}

fn mix(state: u64, value: u64) -> u64 {
    let mixed = (state.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// The keys are hashes already.
#[derive(Default)]
struct Passed(u64);

impl Hasher for Passed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// The symbols of a text: logical lines with their changes of indentation where those mean something.
pub(crate) fn symbols(grammar: &Grammar, text: &str, tokens: &[Token]) -> Vec<Symbol> {
    let mut symbols = Vec::with_capacity(tokens.len());
    let mut levels: Vec<usize> = Vec::new();
    let (mut depth, mut line_is_new, mut line_start) = (0_usize, true, tokens.first().map_or(0, |token| token.start));
    for token in tokens {
        match token.kind {
            Kind::Comment => continue,
            Kind::Newline => {
                if depth == 0 && !line_is_new {
                    symbols.push(Symbol::NEWLINE);
                    line_is_new = true;
                }
                line_start = token.end;
                continue;
            }
            Kind::Open if (grammar.joins_lines)(token.text(text)) => depth += 1,
            Kind::Close if (grammar.joins_lines)(token.text(text)) => depth = depth.saturating_sub(1),
            Kind::Open
            | Kind::Close
            | Kind::Name
            | Kind::Keyword
            | Kind::Number
            | Kind::String
            | Kind::Operator
            | Kind::Unknown => {}
        }
        let was_new = std::mem::take(&mut line_is_new);
        if was_new && grammar.has_layout {
            indentation(token.start.saturating_sub(line_start), &mut levels, &mut symbols);
        }
        symbols.extend(Symbol::of(token.kind, token.text(text)));
    }
    symbols
}

fn indentation(level: usize, levels: &mut Vec<usize>, symbols: &mut Vec<Symbol>) {
    match levels.last() {
        None => levels.push(level),
        Some(current) if level > *current => {
            levels.push(level);
            symbols.push(Symbol::INDENT);
        }
        Some(_) => {
            while levels.len() > 1 && levels.last().is_some_and(|current| level < *current) {
                levels.pop();
                symbols.push(Symbol::DEDENT);
            }
        }
    }
}

/// N-gram model of the code of a project: counts of symbols after their contexts.
pub(crate) struct Model {
    grammar: &'static Grammar,
    counts: HashMap<u64, u32, BuildHasherDefault<Passed>>,
}

impl Model {
    /// Creates a model of that language that has not read any text yet.
    pub(crate) fn new(grammar: &'static Grammar) -> Self {
        Self { grammar, counts: HashMap::default() }
    }

    /// Returns the grammar of the language that the model reads.
    pub(crate) const fn grammar(&self) -> &'static Grammar {
        self.grammar
    }

    /// The symbols of a text.
    pub(crate) fn symbols(&self, text: &str) -> Vec<Symbol> {
        symbols(self.grammar, text, &(self.grammar.scan)(text))
    }

    /// Learns a text, including the code in its strings.
    pub(crate) fn learn(&mut self, text: &str) {
        let tokens = (self.grammar.scan)(text);
        self.learn_symbols(&symbols(self.grammar, text, &tokens));
        for string in tokens.iter().filter(|token| token.kind == Kind::String).map(|token| token.text(text)) {
            for field in (self.grammar.fields)(string) {
                self.learn_symbols(&self.symbols(field));
            }
        }
    }

    fn learn_symbols(&mut self, symbols: &[Symbol]) {
        for position in 0..symbols.len() {
            for key in Keys::at(symbols, position).all() {
                *self.counts.entry(key).or_insert(0) += 1;
            }
        }
    }

    /// Learns the words of a text, but not their contexts.
    pub(crate) fn learn_words(&mut self, text: &str) {
        for symbol in self.symbols(text) {
            let (class, word) = Keys::in_class(symbol);
            *self.counts.entry(class).or_insert(0) += 1;
            *self.counts.entry(word).or_insert(0) += 1;
        }
    }

    fn count(&self, key: u64) -> f64 {
        self.counts.get(&key).copied().map_or(0.0, f64::from)
    }

    /// Bits that the symbol at a position costs after those before it.
    pub(crate) fn bits(&self, symbols: &[Symbol], position: usize) -> f64 {
        let keys = Keys::at(symbols, position);
        self.bits_in(&keys, keys.classes.len(), keys.words.len(), symbols[position].is_open_class())
    }

    /// Returns the cost of a symbol in bits, given only the shortest `classes` class contexts and `words` word contexts.
    fn bits_in(&self, keys: &Keys, classes: usize, words: usize, is_open_class: bool) -> f64 {
        // A new class costs as much as one of a hundred, a new word of a class as one of a thousand more than it has.
        let mut probability = 0.01;
        for (context, event) in keys.classes.into_iter().take(classes) {
            let seen = self.count(context);
            probability = SMOOTHING.mul_add(probability, self.count(event)) / (seen + SMOOTHING);
        }
        if is_open_class {
            let seen = self.count(keys.word_in_class.0);
            probability *= (self.count(keys.word_in_class.1) + 0.2) / (seen + 200.0);
        }
        for (context, event) in keys.words.into_iter().take(words) {
            let seen = self.count(context);
            probability = SMOOTHING.mul_add(probability, self.count(event)) / (seen + SMOOTHING);
        }
        -probability.log2()
    }

    /// Returns whether the model has seen a name.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        Symbol::of(Kind::Name, word).is_some_and(|symbol| self.count(Keys::in_class(symbol).1) > 0.0)
    }

    /// Bits of a token that was chosen blindly.
    pub(crate) fn bits_of_word(&self, kind: Kind, text: &str) -> f64 {
        let Some(symbol) = Symbol::of(kind, text) else { return 0.0 };
        let keys = Keys::at(&[symbol], 0);
        let bits = self.bits_in(&keys, 1, 0, symbol.is_open_class());
        if kind == Kind::String { BITS_PER_QUOTED_CHARACTER.mul_add(length(text.len()), bits) } else { bits }
    }

    /// Bits of the symbols `from..to` in their context.
    pub(crate) fn bits_of(&self, symbols: &[Symbol], from: usize, to: usize) -> f64 {
        (from..to.min(symbols.len())).map(|position| self.bits(symbols, position)).sum()
    }

    /// Bits of a whole text, its strings included.
    pub(crate) fn bits_of_text(&self, text: &str) -> f64 {
        let tokens = (self.grammar.scan)(text);
        let symbols = symbols(self.grammar, text, &tokens);
        let strings = tokens.iter().filter(|token| token.kind == Kind::String);
        let strings: f64 = strings.map(|token| self.bits_of_string(token.text(text))).sum();
        self.bits_of(&symbols, 0, symbols.len()) + strings
    }

    /// Bits of what a string says, and of the code in it.
    fn bits_of_string(&self, string: &str) -> f64 {
        let mut quoted = string.len();
        let mut bits = 0.0;
        for field in (self.grammar.fields)(string) {
            quoted -= field.len();
            let symbols = self.symbols(field);
            bits += self.bits_of(&symbols, 0, symbols.len());
        }
        let is_code = |line: &&str| (self.grammar.looks_like_code)(line.trim());
        bits += BITS_PER_QUOTED_LINE_OF_CODE * length(string.lines().skip(1).filter(is_code).count());
        BITS_PER_QUOTED_CHARACTER.mul_add(length(quoted), bits)
    }
}

fn length(bytes: usize) -> f64 {
    u32::try_from(bytes).map_or(f64::MAX, f64::from)
}

const WORD_IN_CLASS: u64 = 90;

/// The keys under which an event and its contexts are counted.
struct Keys {
    classes: [(u64, u64); 4],
    word_in_class: (u64, u64),
    words: [(u64, u64); 2],
}

impl Keys {
    fn at(symbols: &[Symbol], position: usize) -> Self {
        let symbol = symbols[position];
        let before = |distance: usize| position.checked_sub(distance).map_or(Symbol::NEWLINE, |at| symbols[at]);
        let mut context = 10;
        let mut classes = [(0, 0); 4];
        for (order, keys) in classes.iter_mut().enumerate() {
            if order > 0 {
                context = mix(context, before(order).class);
            }
            *keys = (mix(context, 11), mix(context, symbol.class));
        }
        let mut context = 50;
        let mut words = [(0, 0); 2];
        for (order, keys) in words.iter_mut().enumerate() {
            context = mix(context, before(order + 1).word);
            *keys = (mix(context, 51), mix(context, symbol.word));
        }
        Self { classes, word_in_class: Self::in_class(symbol), words }
    }

    fn in_class(symbol: Symbol) -> (u64, u64) {
        let word = mix(symbol.class, symbol.word);
        (mix(WORD_IN_CLASS, symbol.class), mix(WORD_IN_CLASS, word))
    }

    fn all(&self) -> impl Iterator<Item = u64> + '_ {
        let pairs = self.classes.iter().chain([&self.word_in_class]).chain(&self.words);
        pairs.flat_map(|(context, event)| [*context, *event])
    }
}
