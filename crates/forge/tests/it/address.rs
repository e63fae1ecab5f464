use std::path::Path;

use autoheal_engine::ErrorCode;
use autoheal_forge::gitlab::site_of;
use autoheal_forge::{RepositoryAddress, SafeUrl};
use proptest::prelude::*;
use url::Url;

#[test]
fn github_addresses_are_exactly_owner_and_name() {
    for text in [
        "https://github.com/psf/requests",
        "https://github.com/psf/requests.git",
        "https://github.com/psf/requests/",
        "https://github.com/some-org/some.dotted_name-1",
    ] {
        let address = RepositoryAddress::parse(text).unwrap();
        assert!(matches!(address, RepositoryAddress::Hosted { .. }), "{text}");
    }
    assert_eq!(
        RepositoryAddress::parse("https://github.com/a/b.c.git").unwrap().to_string(),
        "https://github.com/a/b.c"
    );
}

#[test]
fn gitlab_addresses_name_all_groups() {
    for (text, path) in [
        ("https://gitlab.com/group/shop", "group/shop"),
        ("https://gitlab.com/group/sub.group/deeper/shop.git", "group/sub.group/deeper/shop"),
        ("https://gitlab.com/_group/shop-1/", "_group/shop-1"),
    ] {
        let address = RepositoryAddress::parse(text).unwrap();
        assert_eq!(address.to_string(), format!("https://gitlab.com/{path}"));
    }
    let site = |text: &str| site_of(&Url::parse(text).unwrap()).unwrap();
    let sites = [site("https://gitlab.example"), site("https://example.org/gitlab")];
    for (text, host, path) in [
        ("https://gitlab.example/group/sub/repo", &sites[0], "group/sub/repo"),
        ("https://example.org/gitlab/group/repo.git", &sites[1], "group/repo"),
    ] {
        let address = RepositoryAddress::parse_on(text, &sites).unwrap();
        assert_eq!(address.on(host).unwrap().to_string(), path);
        assert!(RepositoryAddress::parse(text).is_err(), "{text}: no setting names the host");
        let others = sites.iter().filter(|other| *other != host);
        assert!(others.into_iter().all(|other| address.on(other).is_none()), "a token is for its own host");
    }
    for text in [
        "https://gitlab.example",
        "https://gitlab.example/group",
        "https://gitlab.example/group//repo",
        "https://gitlab.example/group/repo/-/merge_requests/1",
        "https://gitlab.example/group/../repo",
        "https://gitlab.example/-group/repo",
        "https://gitlab.example/group/re%70o",
        "https://gitlab.example/group/repo?x=y",
        "https://gitlab.example:8443/group/repo",
        "https://gitlab.example.evil.org/group/repo",
        "http://gitlab.example/group/repo",
        "https://token@gitlab.example/group/repo",
        "https://example.org/group/repo",
        "https://example.org/gitlabs/group/repo",
        "git@gitlab.example:group/repo.git",
    ] {
        assert!(RepositoryAddress::parse_on(text, &sites).is_err(), "{text}");
    }
    let error = RepositoryAddress::parse_on("https://other.example/a/b", &sites).unwrap_err().to_string();
    assert!(error.contains("https://gitlab.example/GROUP/NAME"), "{error}");
}

#[test]
fn other_addresses_are_refused() {
    for text in [
        "",
        "https://github.com",
        "https://github.com/",
        "https://github.com/owner",
        "https://github.com/owner/",
        "https://github.com/owner//name",
        "https://github.com/owner/name/tree/main",
        "https://github.com/owner/name?tab=x",
        "https://github.com/owner/name#x",
        "https://github.com/owner/..",
        "https://github.com/owner/.git",
        "https://github.com/-owner/name",
        "https://github.com/own er/name",
        "https://github.com/owner/na%6De",
        "https://github.com/owner/name\n",
        "https://github.com:8443/owner/name",
        "https://GitHub.com.evil.org/owner/name",
        "https://bitbucket.org/owner/name",
        "http://github.com/owner/name",
        "ssh://git@github.com/owner/name",
        "git@github.com:owner/name.git",
        "git://github.com/owner/name",
        "ext::sh -c touch% /tmp/x",
        "http://169.254.169.254/owner/name",
        "http://localhost.evil.org/owner/name",
    ] {
        let error = RepositoryAddress::parse(text).unwrap_err();
        assert!(matches!(error.code(), ErrorCode::InvalidInput | ErrorCode::RepoNotFound), "{text}: {error}");
    }
}

#[test]
fn an_address_survives_being_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    for text in ["https://github.com/a/b", "http://127.0.0.1:8080/a.git", path.to_str().unwrap()] {
        let address = RepositoryAddress::parse(text).unwrap();
        let stored = serde_json::to_string(&address).unwrap();
        assert_eq!(serde_json::from_str::<RepositoryAddress>(&stored).unwrap(), address);
    }
}

#[test]
fn folders_without_a_repository_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let checked =
        |path: &Path| RepositoryAddress::from_path(path).unwrap().check_folder().map_err(|error| error.to_string());
    assert!(checked(folder.path()).unwrap_err().contains("is not a git repository"));
    let (inner, bare) = (folder.path().join("inner"), folder.path().join("bare"));
    for made in [folder.path().join(".git"), inner.clone(), bare.join("objects")] {
        std::fs::create_dir_all(made).unwrap();
    }
    std::fs::write(bare.join("HEAD"), "").unwrap();
    assert_eq!((checked(folder.path()), checked(&bare)), (Ok(()), Ok(())));
    assert!(checked(&inner).unwrap_err().contains("name that folder"));
}

#[test]
fn a_uri_is_given_for_folders_too() {
    let folder = tempfile::tempdir().unwrap();
    let address = RepositoryAddress::from_path(folder.path()).unwrap();
    assert!(Url::parse(&address.uri()).unwrap().to_file_path().unwrap().is_absolute());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn parsing_any_text_gives_an_address_or_a_reason(text in ".{0,80}") {
        if let Err(error) = RepositoryAddress::parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    // Feature: autoheal-ci-agent, Property 30: Token Exclusion from Logs
    #[test]
    fn a_url_with_credentials_is_refused_without_repeating_them(
        user in "[a-z]{4,12}-user",
        secret in "gh[pousr]_[A-Za-z0-9]{20,40}",
        query in any::<bool>(),
    ) {
        let text = if query {
            format!("https://github.com/owner/name?access_token={secret}")
        } else {
            format!("https://{user}:{secret}@github.com/owner/name")
        };
        let error = RepositoryAddress::parse(&text).unwrap_err();
        let told = format!("{error} {error:?}");
        prop_assert!(!told.contains(&secret), "{}", told);

        let url = SafeUrl::new(Url::parse(&text).unwrap());
        let told = format!("{url} {url:?}");
        prop_assert!(!told.contains(&secret), "{}", told);
    }
}
