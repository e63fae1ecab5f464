use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use autoheal_fetch::{AddressKind, AllowedPlace, FetchError, FetchRequest, FetchSettings, Fetcher};
use autoheal_testkit::site::{Change, Site};
use proptest::prelude::*;

use crate::{fetch, settings};

fn closed() -> FetchSettings {
    FetchSettings { allow_private: Vec::new(), ..settings() }
}

#[tokio::test]
async fn addresses_outside_the_public_internet_are_refused_however_they_are_written() {
    let fetcher = Fetcher::new(closed()).unwrap();
    for (address, kind) in [
        ("http://127.0.0.1/", AddressKind::Loopback),
        ("http://127.1/", AddressKind::Loopback),
        ("http://2130706433/", AddressKind::Loopback),
        ("http://0x7f.0.0.1/", AddressKind::Loopback),
        ("http://0177.0.0.1/", AddressKind::Loopback),
        ("http://127.0.0.1./", AddressKind::Loopback),
        ("http://①②⑦.⓪.⓪.①/", AddressKind::Loopback),
        ("http://user@127.0.0.1:80@10.0.0.1/", AddressKind::Private),
        ("http://[::1]/", AddressKind::Loopback),
        ("http://[::127.0.0.1]/", AddressKind::Loopback),
        ("http://[::ffff:127.0.0.1]/", AddressKind::Loopback),
        ("http://[::ffff:7f00:1]/", AddressKind::Loopback),
        ("http://[64:ff9b::10.0.0.1]/", AddressKind::Private),
        ("http://[2002:7f00:1::]/", AddressKind::Loopback),
        ("http://0.0.0.0/", AddressKind::Reserved),
        ("http://10.1.2.3/", AddressKind::Private),
        ("http://172.16.0.1/", AddressKind::Private),
        ("http://192.168.1.1/", AddressKind::Private),
        ("http://[fd00::1]/", AddressKind::Private),
        ("http://100.64.0.1/", AddressKind::SharedProvider),
        ("http://169.254.1.1/", AddressKind::LinkLocal),
        ("http://[fe80::1]/", AddressKind::LinkLocal),
        ("http://169.254.169.254/latest/meta-data/", AddressKind::Metadata),
        ("http://[::ffff:169.254.169.254]/", AddressKind::Metadata),
        ("http://[fd00:ec2::254]/", AddressKind::Metadata),
        ("http://224.0.0.1/", AddressKind::Multicast),
        ("http://255.255.255.255/", AddressKind::Multicast),
        ("http://[ff02::1]/", AddressKind::Multicast),
    ] {
        let error = fetcher.fetch(&FetchRequest::parse(address).unwrap()).await.unwrap_err();
        assert!(
            matches!(error, FetchError::AddressForbidden { kind: told, .. } if told == kind),
            "{address}: {error:?}"
        );
    }
}

#[tokio::test]
async fn names_that_lead_inside_are_refused() {
    let error = fetch(closed(), "http://localhost:9/".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, FetchError::AddressForbidden { kind: AddressKind::Loopback, .. }), "{error:?}");
}

#[tokio::test]
async fn a_redirect_inside_is_refused_before_anybody_is_asked() {
    let (outside, inside) = (Site::start().await, Site::start().await);
    let port = inside.url("/").port().unwrap();
    for to in [
        format!("http://127.0.0.2:{port}/article/1"),
        format!("http://[::1]:{port}/"),
        "http://169.254.169.254/".into(),
    ] {
        outside.set("/article/1", Change::RedirectTemporarily(to.clone()));
        let error = fetch(settings(), outside.url("/article/1")).await.unwrap_err();
        assert!(matches!(error, FetchError::AddressForbidden { .. }), "{to}: {error:?}");
    }
    assert_eq!(inside.requests_in_all(), 0);
}

#[tokio::test]
async fn what_the_settings_name_is_allowed() {
    let site = Site::start().await;
    let mut by_name = site.url("/article/1");
    by_name.set_host(Some("localhost")).unwrap();
    for (place, url) in [
        ("127.0.0.1", site.url("/article/1")),
        ("127.0.0.0/8", site.url("/article/1")),
        ("localhost", by_name.clone()),
        ("LOCALHOST", by_name),
    ] {
        let allow_private = vec![place.parse().unwrap()];
        let page = fetch(FetchSettings { allow_private, ..settings() }, url).await.unwrap();
        assert!(page.is_success(), "{place}");
    }
    let other = vec!["10.0.0.0/8".parse().unwrap(), "localhost".parse().unwrap()];
    let error = fetch(FetchSettings { allow_private: other, ..settings() }, site.url("/article/1")).await.unwrap_err();
    assert!(
        matches!(error, FetchError::AddressForbidden { .. }),
        "a name allows what it leads to under that name only"
    );
}

#[test]
fn places_are_addresses_networks_or_names() {
    for text in ["10.0.0.0/8", "fd00::/8", "intranet.example.org"] {
        assert_eq!(text.parse::<AllowedPlace>().unwrap().to_string(), text);
    }
    assert_eq!("[::1]".parse::<AllowedPlace>().unwrap(), "::1".parse().unwrap());
    for text in ["", "10.0.0.0/33", "http://example.org/", "a b"] {
        assert!(text.parse::<AllowedPlace>().is_err(), "{text:?}");
    }
}

/// Returns whether an address is special by the rules of the standard library; written apart from the table under test.
fn is_special(address: Ipv4Addr) -> bool {
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_unspecified()
        || address.octets()[0] == 0
        || address.octets()[0] >= 240
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_special_is_never_public(number in any::<u32>(), first in prop::sample::select(vec![0_u8, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255])) {
        let [_, b, c, d] = number.to_be_bytes();
        for address in [Ipv4Addr::from(number), Ipv4Addr::new(first, b, c, d)] {
            if is_special(address) {
                prop_assert_ne!(AddressKind::of(address.into()), AddressKind::Public, "{}", address);
            }
        }
    }

    #[test]
    fn an_address_is_of_one_kind_in_every_dress(number in any::<u32>()) {
        let address = Ipv4Addr::from(number);
        let [a, b, c, d] = address.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let kind = AddressKind::of(address.into());
        for dressed in [
            address.to_ipv6_mapped(),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0, 0x4136, 0xe378, 0x8000, 0x63bf, !high, !low),
        ] {
            prop_assert_eq!(AddressKind::of(IpAddr::V6(dressed)), kind, "{} as {}", address, dressed);
        }
    }

    #[test]
    fn only_the_global_range_of_ipv6_is_public(segments in any::<[u16; 8]>()) {
        let address = Ipv6Addr::from(segments);
        if AddressKind::of(address.into()) == AddressKind::Public {
            prop_assert!(segments[0] & 0xe000 == 0x2000 || segments[0] == 0x64 || segments[..4] == [0; 4]);
        }
    }
}
