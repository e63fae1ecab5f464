use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path};

use autoheal_fetch::{FetchError, FetchSettings, Provenance, snapshot_path};
use proptest::prelude::*;
use url::Url;

use crate::{fetch, settings};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn from_snapshots(folder: &Path) -> FetchSettings {
    FetchSettings { snapshots: Some(folder.to_owned()), ..settings() }
}

#[tokio::test]
async fn a_folder_stands_for_the_web() {
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().join("example.com");
    fs::create_dir_all(host.join("news")).unwrap();
    fs::write(host.join("index.html"), "root").unwrap();
    fs::write(host.join("page.html"), "page").unwrap();
    fs::write(host.join("news/index.html"), "news").unwrap();
    fs::write(host.join("list@page=2"), "second").unwrap();
    for (address, body, content_type) in [
        ("https://example.com", "root", Some("text/html")),
        ("http://example.com/page", "page", Some("text/html")),
        ("https://example.com/page.html#part", "page", Some("text/html")),
        ("https://example.com/news", "news", Some("text/html")),
        ("https://example.com/news/", "news", Some("text/html")),
        ("https://example.com/list?page=2", "second", None),
        ("https://example.com/a/../page", "page", Some("text/html")),
    ] {
        let page = fetch(from_snapshots(folder.path()), url(address)).await.unwrap();
        assert_eq!((&page.body[..], page.provenance), (body.as_bytes(), Provenance::Snapshot), "{address}");
        assert_eq!((page.status, page.headers.content_type.as_deref()), (200, content_type), "{address}");
    }
    let error = fetch(from_snapshots(folder.path()), url("https://example.com/none")).await.unwrap_err();
    assert!(
        matches!(&error, FetchError::SnapshotMissing { path, .. } if path.ends_with("example.com/none")),
        "{error:?}"
    );
}

#[tokio::test]
async fn nothing_outside_the_folder_is_read() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().join("example.com");
    fs::create_dir_all(&host).unwrap();
    symlink(outside.path().join("secret"), host.join("link")).unwrap();
    symlink(outside.path(), host.join("folder")).unwrap();
    for path in ["link", "folder/secret"] {
        let error =
            fetch(from_snapshots(folder.path()), url("https://example.com").join(path).unwrap()).await.unwrap_err();
        assert!(matches!(error, FetchError::FileRefused { .. }), "{path}: {error:?}");
    }
    for path in ["..%2f..%2fetc/hostname", "%2e%2e/%2e%2e/etc/hostname", "..;/x", "%00"] {
        let address = url(&format!("https://example.com/{path}"));
        let error = fetch(from_snapshots(folder.path()), address).await.unwrap_err();
        assert!(matches!(error, FetchError::SnapshotMissing { .. }), "{path}: {error:?}");
    }
}

#[test]
fn a_host_of_dots_is_no_folder() {
    for text in ["http://../etc/hostname", "http://./a", "http://...", "foo://../a", "file:///a"] {
        assert_eq!(Url::parse(text).ok().as_ref().and_then(snapshot_path), None, "{text}");
    }
}

#[tokio::test]
async fn files_are_read_where_the_settings_allow_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, "page").unwrap();
    let address = Url::from_file_path(&file).unwrap();
    let error = fetch(settings(), address.clone()).await.unwrap_err();
    assert!(matches!(error, FetchError::FileRefused { .. }), "{error:?}");

    let allowed = || FetchSettings { allow_files: vec![folder.path().to_owned()], ..settings() };
    let page = fetch(allowed(), address.clone()).await.unwrap();
    assert_eq!((&page.body[..], page.provenance), (&b"page"[..], Provenance::File));
    let beside = FetchSettings { snapshots: Some(folder.path().to_owned()), ..allowed() };
    assert!(fetch(beside, address.clone()).await.is_ok(), "files are offline as they are");
    let missing = fetch(allowed(), address.join("other.html").unwrap()).await.unwrap_err();
    assert!(matches!(missing, FetchError::FileMissing { .. }), "{missing:?}");
    let elsewhere = fetch(allowed(), url("file:///etc/hostname")).await.unwrap_err();
    assert!(matches!(elsewhere, FetchError::FileRefused { .. }), "{elsewhere:?}");
    let small = FetchSettings { body_limit: 3, ..allowed() };
    assert!(matches!(fetch(small, address).await, Err(FetchError::TooLarge { .. })));
}

#[tokio::test]
async fn a_device_is_not_a_page() {
    let allowed = FetchSettings { allow_files: vec!["/dev".into()], ..settings() };
    let error = fetch(allowed, url("file:///dev/zero")).await.unwrap_err();
    assert!(matches!(error, FetchError::FileRefused { .. }), "{error:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_snapshot_lies_in_the_folder_whatever_the_url(scheme in "https?|ftp|foo", host in "[a-z.%]{1,8}|\\[::1\\]", path in "[/.%2fFeE\\\\a?#@:]{0,24}") {
        if let Some(path) = Url::parse(&format!("{scheme}://{host}{path}")).ok().as_ref().and_then(snapshot_path) {
            let stays = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            prop_assert!(stays, "{}", path.display());
        }
    }
}
