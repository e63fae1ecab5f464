//! Tokens to an expression.

use regex::RegexBuilder;

use super::lexer::{self, Kind, Token};
use super::{Axis, Comparison, Expression, Function, Path, Start, Step, Test};
use crate::select::SelectorError;
use crate::transform::PATTERN_MEMORY;

/// Maximum nesting depth of parentheses and predicates.
const DEPTH: usize = 40;

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// Parses an XPath expression, without the `xpath:` prefix.
pub(in super::super) fn parse(source: &str) -> Result<Expression, SelectorError> {
    let tokens = lexer::tokens(source).map_err(|(position, expected)| SelectorError::XPath {
        selector: source.to_owned(),
        position,
        expected,
    })?;
    let mut parser = Parser { source, tokens, next: 0, depth: 0 };
    let expression = parser.either()?;
    if parser.next < parser.tokens.len() {
        return Err(parser.wrong("nothing more is expected"));
    }
    Ok(expression)
}

impl Parser<'_> {
    fn wrong(&self, expected: &str) -> SelectorError {
        let end = self.source.chars().count() + 1;
        let position = self.tokens.get(self.next).map_or(end, |token| token.position);
        SelectorError::XPath { selector: self.source.to_owned(), position, expected: expected.to_owned() }
    }

    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn follows(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.tokens.get(self.next + ahead).map(|token| &token.kind), Some(Kind::Sign(found)) if *found == sign)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let accepted = self.follows(0, sign);
        self.next += usize::from(accepted);
        accepted
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let accepted = matches!(self.peek(), Some(Kind::Name(name)) if name == word);
        self.next += usize::from(accepted);
        accepted
    }

    fn require(&mut self, sign: &str) -> Result<(), SelectorError> {
        if self.accept(sign) { Ok(()) } else { Err(self.wrong(&format!("`{sign}` is expected"))) }
    }

    fn either(&mut self) -> Result<Expression, SelectorError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong("it nests too deep"));
        }
        let mut left = self.both()?;
        while self.accept_word("or") {
            left = Expression::Or(Box::new(left), Box::new(self.both()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, SelectorError> {
        let mut left = self.comparison()?;
        while self.accept_word("and") {
            left = Expression::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expression, SelectorError> {
        const SIGNS: &[(&str, Comparison)] = &[
            ("=", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let left = self.union()?;
        for (sign, comparison) in SIGNS {
            if self.accept(sign) {
                return Ok(Expression::Compare(*comparison, Box::new(left), Box::new(self.union()?)));
            }
        }
        Ok(left)
    }

    fn union(&mut self) -> Result<Expression, SelectorError> {
        let first = self.operand()?;
        if !self.follows(0, "|") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept("|") {
            all.push(self.operand()?);
        }
        Ok(Expression::Union(all))
    }

    fn operand(&mut self) -> Result<Expression, SelectorError> {
        match self.peek() {
            Some(Kind::Literal(text)) => {
                let literal = Expression::Literal(text.clone());
                self.next += 1;
                Ok(literal)
            }
            Some(Kind::Number(number)) => {
                let number = Expression::Number(*number);
                self.next += 1;
                Ok(number)
            }
            Some(Kind::Sign("(")) => {
                self.next += 1;
                let inner = self.either()?;
                self.require(")")?;
                let predicates = self.predicates()?;
                let steps = self.further_steps()?;
                if predicates.is_empty() && steps.is_empty() {
                    return Ok(inner);
                }
                Ok(Expression::Path(Path { start: Start::Filtered(Box::new(inner), predicates), steps }))
            }
            Some(Kind::Name(name)) if self.follows(1, "(") && name != "text" && name != "node" => self.call(),
            Some(Kind::Name(_) | Kind::Sign(_)) => self.path(),
            None => Err(self.wrong("an expression is expected")),
        }
    }

    fn call(&mut self) -> Result<Expression, SelectorError> {
        let Some(Kind::Name(name)) = self.peek().cloned() else { return Err(self.wrong("a function is expected")) };
        let unknown = self.wrong("this function is not in the subset; `contains`, `normalize-space`, `re:test` are");
        self.next += 2;
        let mut arguments = Vec::new();
        while !self.accept(")") {
            if !arguments.is_empty() {
                self.require(",")?;
            }
            arguments.push(self.either()?);
        }
        if name == "re:test" || name == "matches" {
            return self.pattern(arguments);
        }
        let known = Function::ALL.iter().find(|(known, ..)| *known == name);
        let (_, function, least, most) = known.ok_or(unknown)?;
        if !(*least..=*most).contains(&arguments.len()) {
            return Err(self.wrong(&format!("`{name}` takes {least} to {most} arguments")));
        }
        Ok(Expression::Call(*function, arguments))
    }

    fn pattern(&mut self, arguments: Vec<Expression>) -> Result<Expression, SelectorError> {
        let mut arguments = arguments.into_iter();
        let (Some(text), Some(Expression::Literal(pattern))) = (arguments.next(), arguments.next()) else {
            return Err(self.wrong("`re:test` takes a text and a quoted pattern"));
        };
        let ignores_case = matches!(arguments.next(), Some(Expression::Literal(flags)) if flags.contains('i'));
        let regex = RegexBuilder::new(&pattern).case_insensitive(ignores_case).size_limit(PATTERN_MEMORY).build();
        let regex = regex.map_err(|_| {
            self.wrong("the pattern is no regular expression (look-around is not supported), or takes too much memory")
        })?;
        Ok(Expression::Matches(Box::new(text), regex))
    }

    fn path(&mut self) -> Result<Expression, SelectorError> {
        let start = if self.follows(0, "/") || self.follows(0, "//") { Start::Root } else { Start::Here };
        let mut steps = Vec::new();
        if matches!(start, Start::Here) {
            steps.push(self.step()?);
        }
        steps.extend(self.further_steps()?);
        if steps.is_empty() {
            return Err(self.wrong("a step is expected"));
        }
        Ok(Expression::Path(Path { start, steps }))
    }

    fn further_steps(&mut self) -> Result<Vec<Step>, SelectorError> {
        let mut steps = Vec::new();
        loop {
            if self.accept("//") {
                steps.push(Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates: Vec::new() });
            } else if !self.accept("/") {
                return Ok(steps);
            }
            steps.push(self.step()?);
        }
    }

    fn step(&mut self) -> Result<Step, SelectorError> {
        if self.accept("..") {
            return Ok(Step { axis: Axis::Parent, test: Test::Node, predicates: Vec::new() });
        }
        if self.accept(".") {
            return Ok(Step { axis: Axis::Itself, test: Test::Node, predicates: Vec::new() });
        }
        let axis = self.axis()?;
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn axis(&mut self) -> Result<Axis, SelectorError> {
        if self.accept("@") {
            return Ok(Axis::Attribute);
        }
        if !self.follows(1, "::") {
            return Ok(Axis::Child);
        }
        let Some(Kind::Name(name)) = self.peek() else { return Err(self.wrong("an axis is expected")) };
        let known = Axis::ALL.iter().find(|(known, _)| known == name).map(|(_, axis)| *axis);
        let axis = known.ok_or_else(|| self.wrong("this is no axis"))?;
        self.next += 2;
        Ok(axis)
    }

    fn test(&mut self) -> Result<Test, SelectorError> {
        if self.accept("*") {
            return Ok(Test::Any);
        }
        let Some(Kind::Name(name)) = self.peek().cloned() else {
            return Err(self.wrong("the name of an element is expected"));
        };
        self.next += 1;
        if !self.accept("(") {
            return Ok(Test::Name(name));
        }
        self.require(")")?;
        match name.as_str() {
            "text" => Ok(Test::Text),
            "node" => Ok(Test::Node),
            _ => Err(self.wrong("only `text()` and `node()` test for kinds")),
        }
    }

    fn predicates(&mut self) -> Result<Vec<Expression>, SelectorError> {
        let mut predicates = Vec::new();
        while self.accept("[") {
            predicates.push(self.either()?);
            self.require("]")?;
        }
        Ok(predicates)
    }
}
