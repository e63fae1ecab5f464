//! Identity of clients, by their network, and the number of connections of each.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A client, as the unit of limits: an address, or for IPv6 the network of one subscriber (a /64).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Client(IpAddr);

impl Client {
    /// The client at an address.
    pub(super) fn at(address: IpAddr) -> Self {
        const SUBSCRIBER: u128 = u128::MAX << 64;
        Self(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & SUBSCRIBER).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// The connections of each client that has any.
#[derive(Clone)]
pub(super) struct Connections {
    most: usize,
    open: Arc<Mutex<HashMap<Client, usize>>>,
}

impl Connections {
    /// At most this many for each; 0: as many as it likes.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// The place of one more connection, until that is dropped; `None`: the client has enough.
    pub(super) fn take(&self, client: Client) -> Option<Connection> {
        let mut open = self.lock();
        let count = open.entry(client).or_insert(0);
        if self.most > 0 && *count >= self.most {
            return None;
        }
        *count += 1;
        drop(open);
        Some(Connection { client, of: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's place among those of its client.
pub(super) struct Connection {
    client: Client,
    of: Connections,
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.of.lock();
        if let Some(count) = open.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::at(address.parse().unwrap())
    }

    #[test]
    fn a_network_of_one_subscriber_is_one_client() {
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
    }

    #[test]
    fn a_client_has_its_share_of_connections_and_leaves_nothing_behind() {
        let connections = Connections::new(2);
        let (one, other) = (client("192.0.2.1"), client("192.0.2.2"));
        let first = connections.take(one).unwrap();
        let second = connections.take(one).unwrap();
        assert!(connections.take(one).is_none() && connections.take(other).is_some());
        drop(first);
        let third = connections.take(one).unwrap();
        drop((second, third));
        assert!(connections.lock().is_empty());
        let unlimited = Connections::new(0);
        let many: Vec<_> = (0..100).map(|_| unlimited.take(one).unwrap()).collect();
        assert_eq!(many.len(), 100);
    }
}
