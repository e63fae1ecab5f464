//! A certificate authority that exists for one install and is trusted only by its commands.
//!
//! The proxy terminates TLS so that it can see the requests: the name in `CONNECT` alone does not identify the destination
//! of a connection through a large network of caches.

use std::io;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// The only protocol that is spoken within TLS.
const PROTOCOL: &[u8] = b"http/1.1";

/// Makes certificates for the hosts of the list. Its key never leaves this process.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn new() -> io::Result<Self> {
        let mut about = CertificateParams::default();
        about.distinguished_name.push(DnType::CommonName, "autoheal: the way to the registries");
        about.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        about.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(about, KeyPair::generate().map_err(io::Error::other)?);
        Ok(Self { issuer: issuer.map_err(io::Error::other)? })
    }

    /// The certificate to be trusted.
    pub(super) fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Ends TLS in the name of a host.
    pub(super) fn acceptor(&self, host: &str) -> io::Result<TlsAcceptor> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut about = CertificateParams::new([host.to_owned()]).map_err(io::Error::other)?;
        about.distinguished_name.push(DnType::CommonName, "autoheal: a registry");
        about.use_authority_key_identifier_extension = true;
        about.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        about.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = about.signed_by(&key, &self.issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(io::Error::other)?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
