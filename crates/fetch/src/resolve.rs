//! Resolver that returns only addresses to which requests may go.
//!
//! The check runs between the lookup and the connection. Connections use exactly the addresses that passed, and the name is
//! not looked up again, so a name that resolves differently each time (DNS rebinding) gains nothing.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use dns_lookup::{AddrInfoHints, LookupErrorKind, SockType, getaddrinfo};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::AddressKind;
use crate::address::AddressGuard;
use crate::error::Cause;

/// Reason a name has no address to which requests may go.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("there is no such name")]
    UnknownName,
    #[error("the name could not be looked up")]
    Unanswered(#[source] Cause),
    #[error("{address} is a {kind} address")]
    Forbidden { address: IpAddr, kind: AddressKind },
}

/// Looks up names and returns the addresses to which requests may go.
#[derive(Debug, Clone)]
pub(crate) struct GuardedResolver {
    guard: Arc<AddressGuard>,
}

impl GuardedResolver {
    pub(crate) fn new(guard: Arc<AddressGuard>) -> Self {
        Self { guard }
    }

    /// Returns the addresses of `host` to which requests may go: at least one.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in look_up(host).await? {
            match self.guard.check(host, address) {
                Ok(()) => allowed.push(address),
                Err(kind) => refused = Some(ResolveError::Forbidden { address, kind }),
            }
        }
        if allowed.is_empty() { Err(refused.unwrap_or(ResolveError::UnknownName)) } else { Ok(allowed) }
    }
}

#[cfg(feature = "render")]
impl GuardedResolver {
    /// Returns an IP address from a URL if requests may go to it.
    pub(crate) fn literal(&self, address: IpAddr) -> Result<Vec<IpAddr>, ResolveError> {
        match self.guard.check(&address.to_string(), address) {
            Ok(()) => Ok(vec![address]),
            Err(kind) => Err(ResolveError::Forbidden { address, kind }),
        }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            let with_ports: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(with_ports)
        })
    }
}

/// Every address that the machine's resolver knows for a name.
async fn look_up(host: &str) -> Result<Vec<IpAddr>, ResolveError> {
    // RFC 6761: names below `invalid` never exist, so no lookup is needed.
    if host.trim_end_matches('.').rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("invalid")) {
        return Err(ResolveError::UnknownName);
    }
    let name = host.to_owned();
    tokio::task::spawn_blocking(move || ask_system(&name))
        .await
        .map_err(|error| ResolveError::Unanswered(error.into()))?
}

/// Looks up a name with the system's resolver. The standard library reports only that a lookup failed; the error code
/// tells a dead domain from a broken network, so a crate is used that keeps it.
fn ask_system(host: &str) -> Result<Vec<IpAddr>, ResolveError> {
    let hints = AddrInfoHints { socktype: SockType::Stream.into(), ..AddrInfoHints::default() };
    match getaddrinfo(Some(host), None, Some(hints)) {
        Ok(found) => Ok(found.filter_map(Result::ok).map(|entry| entry.sockaddr.ip()).collect()),
        Err(error) => match error.kind() {
            LookupErrorKind::NoName | LookupErrorKind::NoData => Err(ResolveError::UnknownName),
            LookupErrorKind::Again
            | LookupErrorKind::Badflags
            | LookupErrorKind::Fail
            | LookupErrorKind::Family
            | LookupErrorKind::Socktype
            | LookupErrorKind::Service
            | LookupErrorKind::Memory
            | LookupErrorKind::System
            | LookupErrorKind::Unknown
            | LookupErrorKind::IO => Err(ResolveError::Unanswered(Box::new(std::io::Error::from(error)))),
        },
    }
}
