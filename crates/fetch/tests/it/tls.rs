use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::Arc;

use autoheal_fetch::{FetchError, FetchSettings, RobotsPolicy};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use url::Url;

use crate::{fetch, settings};

/// The variable by which a test tells the test that it starts where the server is.
const SERVER: &str = "AUTOHEAL_TEST_TLS_SERVER";

/// Starts a server with a self-signed certificate for these names. Returns its port and the certificate.
async fn server(names: &[&str]) -> (u16, String) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let _ = stream.read(&mut [0; 4096]).await;
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecure";
                let _ = stream.write_all(answer).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    (port, cert.pem())
}

fn without_robots() -> FetchSettings {
    FetchSettings { robots: RobotsPolicy::Ignore, ..settings() }
}

#[tokio::test]
async fn a_certificate_that_nobody_signed_is_refused() {
    let (port, _) = server(&["localhost"]).await;
    let url = Url::parse(&format!("https://localhost:{port}/")).unwrap();
    let error = fetch(without_robots(), url).await.unwrap_err();
    assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("the issuer of its certificate is not trusted here"), "{error}");
    assert!(!error.may_pass());
}

/// The roots come from the machine, and a test must not change its own environment: it starts itself anew to fetch.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "this test starts itself anew with other roots")]
async fn a_certificate_of_a_root_that_the_machine_trusts_is_accepted() {
    if let Ok(port) = std::env::var(SERVER) {
        return fetch_from(&port).await;
    }
    let (port, certificate) = server(&["localhost"]).await;
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, certificate).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tls::a_certificate_of_a_root_that_the_machine_trusts_is_accepted"])
        .env("SSL_CERT_FILE", roots)
        .env(SERVER, port.to_string())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

async fn fetch_from(port: &str) {
    let page = fetch(without_robots(), Url::parse(&format!("https://localhost:{port}/")).unwrap()).await.unwrap();
    assert_eq!(&page.body[..], b"secure");
    let error = fetch(without_robots(), Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap()).await.unwrap_err();
    assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("its certificate is for another name"), "{error}");
}
