use autoheal_engine::ErrorCode;
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
        assert!(matches!(address, RepositoryAddress::GitHub { .. }), "{text}");
    }
    assert_eq!(
        RepositoryAddress::parse("https://github.com/a/b.c.git").unwrap().to_string(),
        "https://github.com/a/b.c"
    );
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
        "https://gitlab.com/owner/name",
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
