//! Queries of an index.

use sqlx::Row as _;

use super::ManualIndex;
use crate::StoreError;

/// A text of the manual that has the words of a query, with its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundUnit {
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Place of the page in the manual.
    pub breadcrumb: Vec<String>,
    /// Kind of the text.
    pub kind: String,
    /// Text in readable form.
    pub text: String,
    /// Text without the parts that only apply to it.
    pub own: String,
    /// Texts that may name its topic.
    pub keys: Vec<String>,
    /// Texts that apply to it.
    pub above: Vec<String>,
    /// The paragraph before its table.
    pub before: String,
}

/// A word of the manual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordCount {
    /// The word, as it is compared.
    pub word: String,
    /// Number of units that have it, or to which a text with it applies.
    pub units: u64,
}

impl ManualIndex {
    /// Returns units that have one word of each group, at most `limit` with the best ones by BM25, in the order of the manual. If
    /// `needs_all` is false, units with words of some groups are returned.
    pub async fn find(
        &self,
        groups: &[Vec<String>],
        needs_all: bool,
        limit: u32,
    ) -> Result<Vec<FoundUnit>, StoreError> {
        // Words of a unit count more than those that apply to it.
        const FIND: &str = "SELECT page.url, page.title, page.breadcrumb, unit.kind, unit.text, unit.own, unit.keys, unit.above, unit.before
            FROM (SELECT rowid AS id FROM unit_words WHERE unit_words MATCH ?1 ORDER BY bm25(unit_words, 2.0, 1.0) LIMIT ?2) AS hit
            JOIN unit ON unit.id = hit.id JOIN page ON page.id = unit.page ORDER BY unit.page, unit.id";
        if groups.is_empty() || groups.iter().any(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let groups: Vec<String> = groups.iter().map(|words| format!("({})", any_of(words))).collect();
        let expression = groups.join(if needs_all { " AND " } else { " OR " });
        let rows = sqlx::query(FIND).bind(expression).bind(limit).fetch_all(&self.pool).await?;
        rows.iter().map(found).collect()
    }

    /// Returns all units of a page.
    pub async fn units_of(&self, url: &str) -> Result<Vec<FoundUnit>, StoreError> {
        const UNITS: &str = "SELECT page.url, page.title, page.breadcrumb, unit.kind, unit.text, unit.own, unit.keys, unit.above, unit.before
            FROM page JOIN unit ON unit.page = page.id WHERE page.url = ?1 ORDER BY unit.id";
        let rows = sqlx::query(UNITS).bind(url).fetch_all(&self.pool).await?;
        rows.iter().map(found).collect()
    }

    /// Returns the words that begin with `prefix`, at most `limit`.
    pub async fn words_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<WordCount>, StoreError> {
        let last = format!("{prefix}\u{10ffff}");
        let rows = sqlx::query("SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term <= ?2 LIMIT ?3")
            .bind(prefix)
            .bind(last)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(word_count).collect()
    }

    /// Returns those of these words that are in the manual.
    pub async fn known_words(&self, words: &[String]) -> Result<Vec<WordCount>, StoreError> {
        let mut known = Vec::new();
        for word in words {
            let row = sqlx::query("SELECT term, doc FROM vocabulary WHERE term = ?1")
                // The tokenizer of the index does not distinguish case.
                .bind(word.to_ascii_lowercase())
                .fetch_optional(&self.pool)
                .await?;
            if let Some(row) = row {
                known.push(WordCount { word: word.clone(), ..word_count(&row)? });
            }
        }
        Ok(known)
    }

    /// Returns the texts that an abbreviation is short for according to the manual.
    pub async fn long_forms(&self, short: &str) -> Result<Vec<String>, StoreError> {
        const LONG: &str =
            "SELECT long FROM abbreviation WHERE short = ?1 GROUP BY long ORDER BY count(*) DESC LIMIT 3";
        Ok(sqlx::query_scalar(LONG).bind(short).fetch_all(&self.pool).await?)
    }

    /// Returns the abbreviations of a text according to the manual.
    pub async fn short_forms(&self, long: &str) -> Result<Vec<String>, StoreError> {
        const SHORT: &str =
            "SELECT short FROM abbreviation WHERE long = ?1 GROUP BY short ORDER BY count(*) DESC LIMIT 3";
        Ok(sqlx::query_scalar(SHORT).bind(long).fetch_all(&self.pool).await?)
    }

    /// Returns an upper bound of the number of units: the highest number that was given to one.
    pub async fn unit_count(&self) -> Result<u64, StoreError> {
        let count: i64 = sqlx::query_scalar("SELECT coalesce(max(id), 0) FROM unit").fetch_one(&self.pool).await?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Returns the title and place of a page; `None` if it was not read.
    pub async fn place_of(&self, url: &str) -> Result<Option<(String, Vec<String>)>, StoreError> {
        let row = sqlx::query("SELECT title, breadcrumb FROM page WHERE url = ?1 AND hash IS NOT NULL")
            .bind(url)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| Ok((row.try_get("title")?, list(&row, "breadcrumb")?))).transpose()
    }
}

/// Returns the expression for one of these words. A quotation mark in a word cannot end the quotation.
fn any_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    quoted.join(" OR ")
}

fn found(row: &sqlx::sqlite::SqliteRow) -> Result<FoundUnit, StoreError> {
    Ok(FoundUnit {
        url: row.try_get("url")?,
        title: row.try_get("title")?,
        breadcrumb: list(row, "breadcrumb")?,
        kind: row.try_get("kind")?,
        text: row.try_get("text")?,
        own: row.try_get("own")?,
        keys: list(row, "keys")?,
        above: list(row, "above")?,
        before: row.try_get("before")?,
    })
}

fn list(row: &sqlx::sqlite::SqliteRow, column: &'static str) -> Result<Vec<String>, StoreError> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|_| StoreError::Corrupt { column, found: text })
}

fn word_count(row: &sqlx::sqlite::SqliteRow) -> Result<WordCount, StoreError> {
    let units = u64::try_from(row.try_get::<i64, _>("doc")?).unwrap_or(0);
    Ok(WordCount { word: row.try_get("term")?, units })
}
