//! Pages that do not change, served on the loopback interface: a folder of files, or pages made for a test. Requests are counted.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::background::{Background, loopback};
use crate::http::{read_request, write};

/// Origin of the pages.
#[derive(Debug)]
enum Pages {
    /// Pages in memory, by request path.
    Made(BTreeMap<String, String>),
    /// Files in a folder.
    Folder(PathBuf),
}

impl Pages {
    fn page(&self, path: &str) -> Option<Vec<u8>> {
        match self {
            Self::Made(pages) => pages.get(path).map(|text| text.clone().into_bytes()),
            Self::Folder(folder) => {
                let relative = path.trim_start_matches('/');
                // Files outside the folder are not served.
                let is_inside = !relative.split('/').any(|part| part == "..");
                is_inside.then(|| std::fs::read(folder.join(relative)).ok()).flatten()
            }
        }
    }
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct StaticSite {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    _server: Background,
}

impl StaticSite {
    /// Serves these pages, by their paths.
    pub async fn of(pages: BTreeMap<String, String>) -> Self {
        Self::start(Pages::Made(pages)).await
    }

    /// Serves the files below a folder.
    pub async fn of_folder(folder: &Path) -> Self {
        Self::start(Pages::Folder(folder.to_owned())).await
    }

    async fn start(pages: Pages) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&asked);
        let serve = move |listener| accept(listener, Arc::new(pages), shared);
        let (address, server) = Background::start("static site", loopback(), serve).await;
        Self { address, asked, _server: server }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> Url {
        format!("http://{}{path}", self.address).parse().expect("a path begins with a slash")
    }

    /// Returns the paths of the requests, in order, including robots.txt.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, pages: Arc<Pages>, asked: Arc<Mutex<Vec<String>>>) {
    loop {
        // A connection that fails is its client's concern.
        if let Ok((stream, _)) = listener.accept().await {
            let (pages, asked) = (Arc::clone(&pages), Arc::clone(&asked));
            tokio::spawn(async move {
                let _: io::Result<()> = converse(stream, &pages, &asked).await;
            });
        }
    }
}

async fn converse(stream: TcpStream, pages: &Pages, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let page = pages.page(&request.path);
        asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.path);
        let headers = [("Content-Type".to_owned(), "text/html".to_owned())];
        let without_body = request.method == "HEAD";
        match page {
            Some(body) => write(&mut stream, 200, &headers, &body, without_body).await?,
            None => write(&mut stream, 404, &headers, b"<title>404</title>", without_body).await?,
        }
    }
    Ok(())
}
