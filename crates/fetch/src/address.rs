//! Guard on the network addresses that requests may go to.
//!
//! Pages decide where their redirects and links lead, so a program that follows them from inside a network can be made to
//! send requests that only that network should be able to send (server-side request forgery, OWASP A10:2021). Requests
//! therefore go only to addresses of the public internet, unless the settings allow others.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

/// Kind of a network address, for deciding about requests to it (IANA special-purpose address registries, RFC 6890).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// An address of the public internet.
    Public,
    /// This machine: `127.0.0.0/8`, `::1`.
    Loopback,
    /// Addresses of a private network: RFC 1918, `fc00::/7`, and the long abolished `fec0::/10`.
    Private,
    /// Addresses that are valid only on the local link: `169.254.0.0/16`, `fe80::/10`.
    LinkLocal,
    /// Behind a provider's address translation: `100.64.0.0/10`.
    SharedProvider,
    /// Metadata service of a cloud, which hands out credentials to any caller.
    Metadata,
    /// Group of machines, or all of them: multicast and broadcast.
    Multicast,
    /// No address (`0.0.0.0/8`, `::`), or one kept for documentation, benchmarks, protocols or the future.
    Reserved,
}

impl AddressKind {
    /// The kind of `address`. An IPv6 address that carries an IPv4 address (mapped, compatible, translated, 6to4, Teredo) is
    /// of the kind of the address it carries, when that one is not public.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::SharedProvider => "provider-internal",
            Self::Metadata => "cloud metadata",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
        })
    }
}

/// Metadata services outside the link-local range: Alibaba Cloud, Oracle Cloud, and Azure's host channel, which is an
/// otherwise public address.
const METADATA_V4: &[Ipv4Addr] = &[
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

/// Amazon's metadata service over IPv6, and Google's.
const METADATA_V6: &[Ipv6Addr] =
    &[Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

fn of_v4(address: Ipv4Addr) -> AddressKind {
    if METADATA_V4.contains(&address) {
        return AddressKind::Metadata;
    }
    match address.octets() {
        [127, ..] => AddressKind::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressKind::Private,
        [169, 254, ..] => AddressKind::LinkLocal,
        [100, 64..=127, ..] => AddressKind::SharedProvider,
        [224..=239, ..] | [255, 255, 255, 255] => AddressKind::Multicast,
        [0 | 240..=255, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => AddressKind::Reserved,
        _ => AddressKind::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressKind {
    if METADATA_V6.contains(&address) {
        return AddressKind::Metadata;
    }
    if address == Ipv6Addr::LOCALHOST {
        return AddressKind::Loopback;
    }
    if address == Ipv6Addr::UNSPECIFIED {
        return AddressKind::Reserved;
    }
    if let Some(carried) = carried_v4(address) {
        return of_v4(carried);
    }
    match address.segments() {
        [0xff00..=0xffff, ..] => AddressKind::Multicast,
        [0xfe80..=0xfebf, ..] => AddressKind::LinkLocal,
        // 64:ff9b:1::/48 leads to the IPv4 addresses that a network's own translator accepts (RFC 8215).
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] | [0x64, 0xff9b, 1, ..] => AddressKind::Private,
        // Documentation, benchmarks and other protocol assignments; then all that was never given out for hosts.
        [0x2001, 0x0db8 | 0x0002 | 0x0010..=0x002f, ..] | [0x3fff, 0..=0x0fff, ..] => AddressKind::Reserved,
        [0x2000..=0x3fff, ..] => AddressKind::Public,
        _ => AddressKind::Reserved,
    }
}

/// Returns the IPv4 address that is embedded in an IPv6 address.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match address.segments() {
        // Mapped (::ffff:0:0/96), compatible (::/96), translated (::ffff:0:0:0/96 and 64:ff9b::/96), 6to4 (2002::/16).
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(from(high, low)),
        // Teredo (2001::/32) carries the client's address with every bit turned.
        [0x2001, 0, .., high, low] => Some(from(!high, !low)),
        _ => None,
    }
}

/// A destination outside the public internet to which requests may go: an address, a network (`10.1.0.0/16`), or a host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedPlace {
    /// Every address of a network.
    Network(IpNet),
    /// Every address to which this name resolves.
    Host(String),
}

/// The text is neither an address, a network nor the name of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a place: write an address (192.0.2.1), a network (192.0.2.0/24) or the name of a host")]
pub struct InvalidPlace {
    /// The text as it was written.
    pub text: String,
}

impl FromStr for AllowedPlace {
    type Err = InvalidPlace;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
        if let Ok(network) = bare.parse::<IpNet>() {
            return Ok(Self::Network(network));
        }
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(Self::Network(IpNet::from(address)));
        }
        match Host::parse(bare) {
            Ok(Host::Domain(name)) => Ok(Self::Host(name)),
            Ok(Host::Ipv4(_) | Host::Ipv6(_)) | Err(_) => Err(InvalidPlace { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for AllowedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) => network.fmt(f),
            Self::Host(name) => f.write_str(name),
        }
    }
}

/// Decides whether requests may go to an address.
#[derive(Debug, Clone, Default)]
pub(crate) struct AddressGuard {
    allowed: Vec<AllowedPlace>,
}

impl AddressGuard {
    pub(crate) fn new(allowed: &[AllowedPlace]) -> Self {
        Self { allowed: allowed.to_vec() }
    }

    /// Checks an address that `host` resolved to, or an IP address that a URL contains directly.
    ///
    /// # Errors
    ///
    /// The kind of the address, if requests may not go to it.
    pub(crate) fn check(&self, host: &str, address: IpAddr) -> Result<(), AddressKind> {
        let kind = AddressKind::of(address);
        let is_named = |place: &AllowedPlace| match place {
            AllowedPlace::Network(network) => network.contains(&address) || network.contains(&address.to_canonical()),
            AllowedPlace::Host(name) => name.eq_ignore_ascii_case(host.trim_end_matches('.')),
        };
        if kind == AddressKind::Public || self.allowed.iter().any(is_named) { Ok(()) } else { Err(kind) }
    }
}
