//! Secure connections: whose certificates are trusted, and what is wrong with those that are not.

use std::sync::Arc;

use rustls::{CertificateError, ClientConfig, Error, RootCertStore};

use crate::FetchError;

/// The reason for a server that does not take part in the handshake.
pub(crate) const NO_TLS: &str = "the server does not answer with TLS; if it is an http address, write http://";

/// Returns the TLS configuration with the root certificates of the system, or else those of Mozilla.
pub(crate) fn config() -> Result<ClientConfig, FetchError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|source| FetchError::Settings {
        reason: "this build has no version of TLS in common with its cryptography",
        source: source.into(),
    })?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Says what is wrong, and what to do about it.
pub(crate) fn reason(error: &Error) -> &'static str {
    match error {
        Error::InvalidCertificate(fault) => reason_of_certificate(fault),
        Error::InvalidMessage(_) => NO_TLS,
        Error::AlertReceived(_) => "the server refused the handshake; check the address",
        Error::PeerIncompatible(_) => "the server offers no version of TLS, or no cipher, that is still secure",
        _ => "the handshake failed; try again later",
    }
}

const fn reason_of_certificate(fault: &CertificateError) -> &'static str {
    match fault {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; check this machine's clock, else the site has to renew it"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check this machine's clock"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name; check the address"
        }
        CertificateError::UnknownIssuer => {
            "the issuer of its certificate is not trusted here; if you trust it, add its certificate to the system's"
        }
        CertificateError::Revoked => "its certificate was revoked; the site has to replace it",
        _ => "its certificate is not valid; it may be one that the server signed itself",
    }
}
