use autoheal_store::ManualIndex;
use autoheal_store::manual_index::{Abbreviation, CrawledPage, IndexUnit, PageContent, PageOutcome};
use sqlx::{Connection as _, Executor as _};

fn unit(text: &str) -> IndexUnit {
    IndexUnit {
        kind: "text",
        text: text.to_owned(),
        own: text.to_owned(),
        keys: Vec::new(),
        above: vec!["Heading".to_owned()],
        before: String::new(),
        own_words: text.to_lowercase(),
        around_words: "heading".to_owned(),
    }
}

fn read(url: &str, texts: &[&str], links: &[&str]) -> CrawledPage {
    let content = PageContent {
        body: texts.concat().into_bytes(),
        title: format!("Title of {url}"),
        units: texts.iter().map(|text| unit(text)).collect(),
        abbreviations: vec![Abbreviation { short: "wal".to_owned(), long: "write ahead log".to_owned() }],
        links: links.iter().map(|link| (*link).to_owned()).collect(),
        etag: Some("1".to_owned()),
        ..PageContent::default()
    };
    CrawledPage { url: url.to_owned(), outcome: PageOutcome::Read(Box::new(content)) }
}

fn group(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

async fn texts(index: &ManualIndex, groups: &[Vec<String>]) -> Vec<String> {
    index.find(groups, true, 10).await.unwrap().into_iter().map(|unit| unit.text).collect()
}

#[tokio::test]
async fn pages_are_found_by_their_words_and_replaced_when_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("manual.db");
    let index = ManualIndex::create(&file).await.unwrap();
    index.enqueue(&["a".to_owned()]).await.unwrap();
    index.record(&[read("a", &["oil pump", "fuel pump"], &["b"])]).await.unwrap();
    assert_eq!(texts(&index, &[group(&["pump"]), group(&["gas", "fuel"])]).await, ["fuel pump"]);
    assert_eq!(texts(&index, &[group(&["heading"]), group(&["oil"])]).await, ["oil pump"]);
    let due: Vec<String> = index.due(10).await.unwrap().into_iter().map(|page| page.url).collect();
    assert_eq!(due, ["b"], "links are requested later");

    index.record(&[read("a", &["water pump"], &[])]).await.unwrap();
    assert_eq!(texts(&index, &[group(&["pump"])]).await, ["water pump"]);
    assert!(index.known_words(&["fuel".to_owned()]).await.unwrap().is_empty(), "words of the old version are gone");

    let again = ManualIndex::open(&file).await.unwrap().unwrap();
    assert_eq!(texts(&again, &[group(&["pump"])]).await, ["water pump"]);
}

#[tokio::test]
async fn the_same_page_under_two_addresses_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
    index.record(&[read("/", &["oil pump"], &[]), read("/index.html", &["oil pump"], &[])]).await.unwrap();
    let summary = index.summary().await.unwrap();
    assert_eq!((summary.pages, summary.units, summary.due), (1, 1, 0));
}

#[tokio::test]
async fn a_failure_keeps_the_text_and_a_page_that_is_gone_loses_it() {
    let folder = tempfile::tempdir().unwrap();
    let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
    index.record(&[read("a", &["oil pump"], &[])]).await.unwrap();
    let outcome = |outcome| [CrawledPage { url: "a".to_owned(), outcome }];
    index.record(&outcome(PageOutcome::Failed("503".to_owned()))).await.unwrap();
    assert_eq!((index.summary().await.unwrap().failed, texts(&index, &[group(&["oil"])]).await.len()), (1, 1));
    index.retry_failed().await.unwrap();
    assert_eq!(index.due(10).await.unwrap()[0].etag.as_deref(), Some("1"));
    index.record(&outcome(PageOutcome::Gone("404".to_owned()))).await.unwrap();
    assert!(texts(&index, &[group(&["oil"])]).await.is_empty());
    assert!(index.long_forms("wal").await.unwrap().is_empty());
}

#[tokio::test]
async fn words_of_a_query_are_words_and_no_expression() {
    let folder = tempfile::tempdir().unwrap();
    let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
    index.record(&[read("a", &["oil pump"], &[])]).await.unwrap();
    for word in ["\" OR oil", "oil*", "own:oil", "NEAR(", "'; DROP TABLE unit", ""] {
        let found = index.find(&[group(&[word]), group(&["gas"])], true, 10).await.unwrap();
        assert!(found.is_empty(), "{word}");
    }
    assert_eq!(texts(&index, &[group(&["oil"])]).await.len(), 1);
    assert_eq!(index.long_forms("wal").await.unwrap(), ["write ahead log"]);
    assert_eq!(index.short_forms("write ahead log").await.unwrap(), ["wal"]);
}

#[tokio::test]
async fn a_file_of_another_version_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("manual.db");
    assert!(ManualIndex::open(&file).await.unwrap().is_none());
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut other = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    other.execute("PRAGMA user_version = 99; CREATE TABLE page (x)").await.unwrap();
    other.close().await.unwrap();
    let index = ManualIndex::create(&file).await.unwrap();
    assert_eq!(index.summary().await.unwrap().pages, 0);
}
