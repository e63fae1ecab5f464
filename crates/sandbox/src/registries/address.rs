//! Classification of IP addresses: public internet or not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not: of the IANA registry of special-purpose addresses those that networks use, multicast, and what
/// is reserved. Documentation blocks are left out: nothing private can be there, and test networks have their registries there.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),      // this network, unspecified
    ([10, 0, 0, 0], 8),     // private
    ([100, 64, 0, 0], 10),  // shared by carriers
    ([127, 0, 0, 0], 8),    // loopback
    ([169, 254, 0, 0], 16), // link-local, metadata services
    ([172, 16, 0, 0], 12),  // private
    ([192, 0, 0, 0], 24),   // protocol assignments
    ([192, 88, 99, 0], 24), // 6to4 relays
    ([192, 168, 0, 0], 16), // private
    ([198, 18, 0, 0], 15),  // benchmarks
    ([224, 0, 0, 0], 4),    // multicast
    ([240, 0, 0, 0], 4),    // reserved, broadcast
];

/// Blocks of IPv6 inside of global unicast that are not.
const SPECIAL_V6: &[([u16; 8], u32)] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments, Teredo
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4: an IPv4 address in disguise
];

/// The only block of IPv6 that is handed out for the public internet.
const GLOBAL_UNICAST: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The block in which a network without IPv4 shows it (RFC 6052): the last four bytes are the address.
const NAT64: ([u16; 8], u32) = ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// Returns whether a connection to this address goes to the public internet: not to this machine, its network, or a cloud's
/// metadata service, however the address is written.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if is_in_v6(address, NAT64) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            is_in_v6(address, GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(|block| is_in_v6(address, *block))
        }
    }
}

/// Returns whether it is one of the addresses that companies give to their own machines (RFC 1918, RFC 4193, RFC 6598):
/// neither this machine nor a cloud's metadata service.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            address.is_private() || (first == 100 && (64..128).contains(&second) && address != METADATA_V4)
        }
        IpAddr::V6(address) => address.is_unique_local() && address != METADATA_V6,
    }
}

/// Metadata services that have addresses like a company's.
const METADATA_V4: Ipv4Addr = Ipv4Addr::new(100, 100, 100, 200);
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4
        .iter()
        .any(|(block, length)| (address.to_bits() ^ Ipv4Addr::from_octets(*block).to_bits()).leading_zeros() >= *length)
}

fn is_in_v6(address: Ipv6Addr, (block, length): ([u16; 8], u32)) -> bool {
    (address.to_bits() ^ Ipv6Addr::from_segments(block).to_bits()).leading_zeros() >= length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_company_has_its_own_addresses_and_no_others() {
        for text in ["10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd12:3456::1"] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        let others = [
            "127.0.0.1",
            "169.254.169.254",
            "100.100.100.200",
            "fd00:ec2::254",
            "::1",
            "fe80::1",
            "0.0.0.0",
            "8.8.8.8",
        ];
        for text in others {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn well_known_addresses() {
        let public = ["151.101.0.223", "8.8.8.8", "2a04:4e42::223", "64:ff9b::808:808"];
        let special = [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "fe80::1",
            "fd00:ec2::254",
            "fc00::1",
            "ff02::1",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
        ];
        assert!(public.iter().all(|address| is_public(address.parse().unwrap())));
        let let_through: Vec<_> = special.iter().filter(|address| is_public(address.parse().unwrap())).collect();
        assert!(let_through.is_empty(), "{let_through:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_the_standard_library_calls_special_is_not_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_unspecified() || address.is_multicast() || address.is_broadcast();
            prop_assert!(!(special && is_public(address.into())));
        }

        #[test]
        fn no_disguise_makes_an_address_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = address.octets().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            prop_assert!(!is_public(address.to_ipv6_mapped().into()));
            prop_assert!(!is_public(Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low).into()));
            prop_assert!(!is_public(Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1).into()));
            let nat64 = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low);
            prop_assert_eq!(is_public(nat64.into()), is_public(address.into()));
        }

        #[test]
        fn local_addresses_of_version_6_are_not_public(bits: u128, block in 0usize..4) {
            let (prefix, length) = [(0xfc00_u128, 7), (0xfe80, 10), (0xff00, 8), (0, 16)][block];
            let address = Ipv6Addr::from_bits(prefix << 112 | bits & (u128::MAX >> length));
            prop_assert!(!is_public(address.into()));
        }
    }
}
