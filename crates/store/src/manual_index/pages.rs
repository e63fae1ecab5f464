//! Pages of an index, and the crawl that fills it: it can be interrupted after every page, and continues where it was.

use serde::Serialize;
use sqlx::{Row as _, SqliteConnection};

use super::{ManualIndex, hash};
use crate::StoreError;

/// No more pages of one manual are listed: a site that is made of links has no end.
const MOST_PAGES: i64 = 200_000;

/// A page that has to be requested, with the validators of the stored version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePage {
    /// URL of the page.
    pub url: String,
    /// `ETag` of the stored version.
    pub etag: Option<String>,
    /// `Last-Modified` of the stored version.
    pub last_modified: Option<String>,
}

/// Outcome of the request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawledPage {
    /// URL of the page.
    pub url: String,
    /// Outcome of the request.
    pub outcome: PageOutcome,
}

/// Outcome of the request for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageOutcome {
    /// The page was read.
    Read(Box<PageContent>),
    /// The page is as it was.
    Unchanged,
    /// The address has no page of the manual: its text is removed.
    Gone(String),
    /// The request failed. The text of an earlier version stays.
    Failed(String),
}

/// Content of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageContent {
    /// `ETag` of the response.
    pub etag: Option<String>,
    /// `Last-Modified` of the response.
    pub last_modified: Option<String>,
    /// Body of the response; only its hash is stored.
    pub body: Vec<u8>,
    /// Title of the page.
    pub title: String,
    /// Place of the page in the manual, from the outside in.
    pub breadcrumb: Vec<String>,
    /// Texts of the page, in its order.
    pub units: Vec<IndexUnit>,
    /// Abbreviations that the page explains.
    pub abbreviations: Vec<Abbreviation>,
    /// URLs of pages of the manual that the page links to.
    pub links: Vec<String>,
}

/// A text that can be an answer, with its words in the form in which they are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexUnit {
    /// Kind of the text, as the caller names it.
    pub kind: &'static str,
    /// Text in readable form.
    pub text: String,
    /// Text without the parts that only apply to it.
    pub own: String,
    /// Texts that may name its topic.
    pub keys: Vec<String>,
    /// Texts that apply to it: headings, caption, header cells.
    pub above: Vec<String>,
    /// The paragraph before its table.
    pub before: String,
    /// Words of the text and its keys, divided by spaces.
    pub own_words: String,
    /// Words of everything that applies to it, divided by spaces.
    pub around_words: String,
}

/// An abbreviation and the words that it is short for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Abbreviation {
    /// The abbreviation, as it is compared.
    pub short: String,
    /// Words that it is short for, divided by spaces.
    pub long: String,
}

/// Size and state of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of pages with text.
    pub pages: u64,
    /// Number of texts that can be an answer.
    pub units: u64,
    /// Number of pages that have to be requested.
    pub due: u64,
    /// Number of pages whose last request failed.
    pub failed: u64,
    /// True if a crawl has reached its end.
    pub is_complete: bool,
}

impl ManualIndex {
    /// Adds pages to request. Known ones are ignored.
    pub async fn enqueue(&self, urls: &[String]) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        add(&mut connection, urls).await
    }

    /// Returns the first `limit` pages to request, in the order in which they were found.
    pub async fn due(&self, limit: u32) -> Result<Vec<DuePage>, StoreError> {
        let rows = sqlx::query("SELECT url, etag, last_modified FROM page WHERE due = 1 ORDER BY id LIMIT ?1")
            .bind(limit)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(due_page).collect()
    }

    /// Returns all pages that were read.
    pub async fn read_pages(&self) -> Result<Vec<DuePage>, StoreError> {
        let rows = sqlx::query("SELECT url, etag, last_modified FROM page WHERE hash IS NOT NULL ORDER BY id")
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(due_page).collect()
    }

    /// Makes these pages due, or all pages.
    pub async fn make_due(&self, urls: Option<&[String]>) -> Result<(), StoreError> {
        let statement = match urls {
            Some(urls) => sqlx::query("UPDATE page SET due = 1 WHERE url IN (SELECT value FROM json_each(?1))")
                .bind(serde_json::to_string(urls).unwrap_or_default()),
            None => sqlx::query("UPDATE page SET due = 1"),
        };
        statement.execute(&self.pool).await?;
        self.set_complete(false).await
    }

    /// Makes the pages due whose last request failed.
    pub async fn retry_failed(&self) -> Result<(), StoreError> {
        sqlx::query("UPDATE page SET due = 1 WHERE failure IS NOT NULL").execute(&self.pool).await?;
        Ok(())
    }

    /// Stores the outcomes of requests, all in one transaction.
    pub async fn record(&self, pages: &[CrawledPage]) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        for page in pages {
            match &page.outcome {
                PageOutcome::Read(content) => read(&mut transaction, &page.url, content).await?,
                PageOutcome::Unchanged => finish(&mut transaction, &page.url, None).await?,
                PageOutcome::Failed(reason) => finish(&mut transaction, &page.url, Some(reason)).await?,
                PageOutcome::Gone(_) => {
                    clear(&mut transaction, &page.url).await?;
                    finish(&mut transaction, &page.url, None).await?;
                }
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Records whether the crawl has reached its end.
    pub async fn set_complete(&self, is_complete: bool) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO property (name, value) VALUES ('complete', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
        )
        .bind(if is_complete { "yes" } else { "no" })
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Merges the parts of the full-text index, after many pages have changed.
    pub async fn optimize(&self) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO unit_words (unit_words) VALUES ('optimize')").execute(&self.pool).await?;
        Ok(())
    }

    /// Returns the size and the state of the index.
    pub async fn summary(&self) -> Result<Summary, StoreError> {
        const COUNTS: &str = "SELECT
            (SELECT count(*) FROM page WHERE hash IS NOT NULL) AS pages, (SELECT count(*) FROM unit) AS units,
            (SELECT count(*) FROM page WHERE due = 1) AS due, (SELECT count(*) FROM page WHERE failure IS NOT NULL) AS failed,
            coalesce((SELECT value FROM property WHERE name = 'complete'), 'no') AS complete";
        let row = sqlx::query(COUNTS).fetch_one(&self.pool).await?;
        let count = |column: &str| Ok::<_, StoreError>(u64::try_from(row.try_get::<i64, _>(column)?).unwrap_or(0));
        Ok(Summary {
            pages: count("pages")?,
            units: count("units")?,
            due: count("due")?,
            failed: count("failed")?,
            is_complete: row.try_get::<String, _>("complete")? == "yes",
        })
    }
}

fn due_page(row: &sqlx::sqlite::SqliteRow) -> Result<DuePage, StoreError> {
    Ok(DuePage { url: row.try_get("url")?, etag: row.try_get("etag")?, last_modified: row.try_get("last_modified")? })
}

async fn add(connection: &mut SqliteConnection, urls: &[String]) -> Result<(), StoreError> {
    const ADD: &str = "INSERT OR IGNORE INTO page (url) SELECT value FROM json_each(?1)
        LIMIT max(0, ?2 - coalesce((SELECT max(id) FROM page), 0))";
    sqlx::query(ADD).bind(json(&urls)?).bind(MOST_PAGES).execute(connection).await?;
    Ok(())
}

async fn read(connection: &mut SqliteConnection, url: &str, content: &PageContent) -> Result<(), StoreError> {
    add(connection, std::slice::from_ref(&url.to_owned())).await?;
    let hash = hash(&content.body);
    let stored: Option<String> =
        sqlx::query_scalar("SELECT hash FROM page WHERE url = ?1").bind(url).fetch_one(&mut *connection).await?;
    // The same page under two addresses, such as `/` and `/index.html`, is one.
    let other: Option<i64> = sqlx::query_scalar("SELECT id FROM page WHERE hash = ?1 AND url <> ?2 LIMIT 1")
        .bind(&hash)
        .bind(url)
        .fetch_optional(&mut *connection)
        .await?;
    if other.is_some() {
        clear(connection, url).await?;
    } else if stored.as_ref() != Some(&hash) {
        clear(connection, url).await?;
        fill(connection, url, &hash, content).await?;
    }
    sqlx::query("UPDATE page SET etag = ?2, last_modified = ?3 WHERE url = ?1")
        .bind(url)
        .bind(&content.etag)
        .bind(&content.last_modified)
        .execute(&mut *connection)
        .await?;
    add(connection, &content.links).await?;
    finish(connection, url, None).await
}

/// Stores the text of a page.
async fn fill(
    connection: &mut SqliteConnection,
    url: &str,
    hash: &str,
    content: &PageContent,
) -> Result<(), StoreError> {
    const UNITS: &str = "INSERT INTO unit (id, page, kind, text, own, keys, above, before)
        SELECT ?1 + key, ?2, value ->> 'kind', value ->> 'text', value ->> 'own', value -> 'keys', value -> 'above', value ->> 'before'
        FROM json_each(?3)";
    const WORDS: &str = "INSERT INTO unit_words (rowid, own, around)
        SELECT ?1 + key, value ->> 'own_words', value ->> 'around_words' FROM json_each(?2)";
    const ABBREVIATIONS: &str = "INSERT OR IGNORE INTO abbreviation (short, long, page)
        SELECT value ->> 'short', value ->> 'long', ?1 FROM json_each(?2)";
    let page: i64 =
        sqlx::query_scalar("UPDATE page SET hash = ?2, title = ?3, breadcrumb = ?4 WHERE url = ?1 RETURNING id")
            .bind(url)
            .bind(hash)
            .bind(&content.title)
            .bind(json(&content.breadcrumb)?)
            .fetch_one(&mut *connection)
            .await?;
    let first: i64 =
        sqlx::query_scalar("SELECT coalesce(max(id), 0) + 1 FROM unit").fetch_one(&mut *connection).await?;
    let units = json(&content.units)?;
    sqlx::query(UNITS).bind(first).bind(page).bind(&units).execute(&mut *connection).await?;
    sqlx::query(WORDS).bind(first).bind(&units).execute(&mut *connection).await?;
    if !content.abbreviations.is_empty() {
        let abbreviations = json(&content.abbreviations)?;
        sqlx::query(ABBREVIATIONS).bind(page).bind(abbreviations).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Removes the text of a page.
async fn clear(connection: &mut SqliteConnection, url: &str) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM unit_words WHERE rowid IN (SELECT unit.id FROM unit JOIN page ON page.id = unit.page WHERE page.url = ?1)",
        "DELETE FROM unit WHERE page = (SELECT id FROM page WHERE url = ?1)",
        "DELETE FROM abbreviation WHERE page = (SELECT id FROM page WHERE url = ?1)",
        "UPDATE page SET hash = NULL, etag = NULL, last_modified = NULL WHERE url = ?1",
    ] {
        sqlx::query(statement).bind(url).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn finish(connection: &mut SqliteConnection, url: &str, failure: Option<&String>) -> Result<(), StoreError> {
    sqlx::query("UPDATE page SET due = 0, failure = ?2 WHERE url = ?1")
        .bind(url)
        .bind(failure)
        .execute(connection)
        .await?;
    Ok(())
}

fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|error| StoreError::Refused { what: "a page of a manual", reason: error.to_string() })
}
