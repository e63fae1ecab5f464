//! Lists with optional conditions. The statement contains only the conditions in use, so an engine that plans it once for all
//! arguments finds the index.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, SqlSafeStr as _};

use crate::database::Statement;
use crate::row::storable;

/// Value that a column is compared with.
pub(crate) enum Argument {
    Text(String),
    Number(i64),
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Text(storable(text))
    }
}

impl From<i64> for Argument {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// A list in the making.
pub(crate) struct Filter {
    sql: String,
    arguments: Vec<Argument>,
}

impl Filter {
    /// Every row of a table.
    pub(crate) fn of(table: &'static str) -> Self {
        Self { sql: format!("SELECT * FROM {table} WHERE 1 = 1"), arguments: Vec::new() }
    }

    /// The rows of a statement that ends in a condition.
    pub(crate) fn of_statement(statement: &'static str) -> Self {
        Self { sql: statement.to_owned(), arguments: Vec::new() }
    }

    /// Restricts the rows to those in which a column has one of these values.
    pub(crate) fn and_any(mut self, column: &'static str, values: &[String]) -> Self {
        let _ = write!(self.sql, " AND {column} IN (");
        for (place, value) in values.iter().enumerate() {
            self.arguments.push(value.as_str().into());
            let _ = write!(self.sql, "{}${}", if place == 0 { "" } else { ", " }, self.arguments.len());
        }
        self.sql.push(')');
        self
    }

    /// Adds the end of the statement.
    pub(crate) fn and_then(mut self, end: &'static str) -> Self {
        self.sql.push_str(end);
        self
    }

    /// Restricts the rows to those whose `condition`, a column and an operator, is true for the argument, if there is one.
    pub(crate) fn and<A: Into<Argument>>(mut self, condition: &'static str, argument: Option<A>) -> Self {
        if let Some(argument) = argument {
            self.arguments.push(argument.into());
            // Writing to a string does not fail.
            let _ = write!(self.sql, " AND {condition} ${}", self.arguments.len());
        }
        self
    }

    /// Restricts the rows to those in which an expression contains the text, in upper or lower case, if there is one.
    pub(crate) fn and_contains(mut self, expression: &'static str, text: Option<&str>) -> Self {
        if let Some(text) = text {
            let pattern = format!("%{}%", literal_pattern(&text.to_lowercase()));
            self.arguments.push(Argument::from(pattern.as_str()));
            let _ = write!(self.sql, " AND LOWER({expression}) LIKE ${} ESCAPE '\\'", self.arguments.len());
        }
        self
    }

    /// Restricts the rows to those for which `condition` is true, if there is one.
    pub(crate) fn and_that(mut self, condition: Option<&'static str>) -> Self {
        if let Some(condition) = condition {
            let _ = write!(self.sql, " AND {condition}");
        }
        self
    }

    /// Completes the statement: at most `limit` rows, those with the highest `key` first.
    pub(crate) fn newest(mut self, key: &'static str, limit: u32) -> Statement {
        self.arguments.push(Argument::Number(i64::from(limit)));
        let _ = write!(self.sql, " ORDER BY {key} DESC LIMIT ${}", self.arguments.len());
        self.statement()
    }

    /// Completes the statement: at most `limit` rows after the first `offset`, in this order.
    pub(crate) fn page(mut self, order: &'static str, offset: u32, limit: u32) -> Statement {
        self.arguments.extend([i64::from(limit), i64::from(offset)].map(Argument::Number));
        let count = self.arguments.len();
        let _ = write!(self.sql, " ORDER BY {order} LIMIT ${} OFFSET ${count}", count - 1);
        self.statement()
    }

    /// The complete statement.
    pub(crate) fn statement(self) -> Statement {
        // Made of constants alone.
        let statement = sqlx::query(AssertSqlSafe(self.sql).into_sql_str());
        self.arguments.into_iter().fold(statement, |statement, argument| match argument {
            Argument::Text(text) => statement.bind(text),
            Argument::Number(number) => statement.bind(number),
        })
    }
}

/// Returns the pattern of `LIKE` that matches a text itself, with the backslash as the escape character.
pub(crate) fn literal_pattern(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
