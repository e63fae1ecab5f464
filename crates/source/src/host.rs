//! Whether names can be looked up at all from here: a site is not dead because this machine's network is.

/// Names that exist as long as there is an internet (RFC 2606 and the root servers' own).
const CONTROL: [&str; 2] = ["example.com:443", "a.root-servers.net:53"];

/// Whether one of them is known now.
pub(crate) async fn control_is_known() -> bool {
    for name in CONTROL {
        if tokio::net::lookup_host(name).await.is_ok() {
            return true;
        }
    }
    false
}
