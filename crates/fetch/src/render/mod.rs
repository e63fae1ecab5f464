//! Pages that scripts build: the document as a headless Chromium shows it.
//!
//! The browser gets a new profile each time and no way to the network but a [`proxy`] of ours on the loopback interface,
//! which looks names up by the same guard as every other request: a page cannot make the browser ask what the fetcher
//! would not. It ends, with everything it started, when the document is there, the time is up, or nobody waits any more.
//!
//! # Layout
//!
//! - [`process`]: the one place that starts the browser
//! - [`proxy`]: its way to the network

mod process;
mod proxy;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nix::unistd::{AccessFlags, access, geteuid};
use tokio::sync::Semaphore;
use url::Url;

use crate::FetchError;
use crate::address::AddressGuard;
use crate::error::{Phase, shown};
use crate::resolve::GuardedResolver;

use process::Launch;
use proxy::Proxy;

/// The names under which distributions install it.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// In the page that Chromium shows instead of one that it could not load.
const ERROR_PAGE: &[u8] = b"id=\"main-frame-error\"";

/// The browser's own wall between a page's processes and the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BrowserSandbox {
    /// Up, but for root, for whom the browser has none.
    #[default]
    WherePossible,
    /// Down: where the kernel does not let ordinary users make namespaces, as in many containers.
    Off,
}

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderSettings {
    /// The browser; `None`: the first of `chromium`, `chromium-browser`, `google-chrome` on `PATH`.
    pub program: Option<PathBuf>,
    /// The browser's own sandbox.
    pub sandbox: BrowserSandbox,
    /// How long one page may take, from the start of the browser to its end.
    pub time: Duration,
    /// The longest document in bytes.
    pub document_limit: u64,
    /// How much one page may load, everything together, in bytes.
    pub traffic_limit: u64,
    /// How many browsers may run at once; zero counts as one.
    pub at_once: usize,
}

impl Default for RenderSettings {
    /// Forty seconds, 20 MiB of document, 100 MiB of traffic, one browser.
    fn default() -> Self {
        Self {
            program: None,
            sandbox: BrowserSandbox::WherePossible,
            time: Duration::from_secs(40),
            document_limit: 20 << 20,
            traffic_limit: 100 << 20,
            at_once: 1,
        }
    }
}

/// Where the browser is, as the settings name it or `PATH` has it.
///
/// # Errors
///
/// [`FetchError::BrowserMissing`].
pub fn browser_program(settings: &RenderSettings) -> Result<PathBuf, FetchError> {
    let is_program = |file: &Path| file.is_absolute() && file.is_file() && access(file, AccessFlags::X_OK).is_ok();
    if let Some(named) = &settings.program {
        let reason = "the settings name a program that is not there; give its absolute path";
        return if is_program(named) { Ok(named.clone()) } else { Err(FetchError::BrowserMissing { reason }) };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let reason = "no Chromium on PATH; install the package `chromium`, or name its path in the settings";
    candidates.find(|file| is_program(file)).ok_or(FetchError::BrowserMissing { reason })
}

/// What is wanted of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// Its document.
    Document,
    /// A picture of it.
    Picture,
}

/// How wide and high a picture is, in pixels.
const PICTURE: (u32, u32) = (1280, 1600);

/// The picture that the browser left, unless it left none or too much.
async fn read_picture(path: &Path, limit: u64) -> Result<Bytes, String> {
    let no_picture = |error: std::io::Error| format!("it took no picture: {error}");
    let length = tokio::fs::metadata(path).await.map_err(no_picture)?.len();
    if length > limit {
        return Err(format!("its picture has {length} bytes, and {limit} are allowed"));
    }
    tokio::fs::read(path).await.map(Bytes::from).map_err(no_picture)
}

/// Renders pages.
#[derive(Debug)]
pub(crate) struct Browser {
    settings: RenderSettings,
    user_agent: String,
    resolver: GuardedResolver,
    running: Semaphore,
}

impl Browser {
    pub(crate) fn new(settings: RenderSettings, user_agent: String, guard: Arc<AddressGuard>) -> Self {
        let running = Semaphore::new(settings.at_once.max(1));
        Self { settings, user_agent, resolver: GuardedResolver::new(guard), running }
    }

    /// The document at `url` after its scripts ran for `settle`, in the browser's time.
    pub(crate) async fn document(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        self.shown(url, settle, View::Document).await
    }

    /// A picture of the document, as PNG.
    pub(crate) async fn picture(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        self.shown(url, settle, View::Picture).await
    }

    async fn shown(&self, url: &Url, settle: Duration, view: View) -> Result<Bytes, FetchError> {
        let program = browser_program(&self.settings)?;
        let failed = |reason: String| FetchError::RenderFailed { url: shown(url), reason };
        // Nobody closes it, so there is always a permit to wait for.
        let _permit = self.running.acquire().await.ok();
        let profile = tempfile::Builder::new()
            .prefix("autoheal-browser-")
            .tempdir()
            .map_err(|error| failed(format!("no folder for its profile: {error}")))?;
        let proxy = Proxy::start(self.resolver.clone(), self.settings.traffic_limit)
            .await
            .map_err(|error| failed(format!("no port for its proxy: {error}")))?;
        let mut arguments = self.arguments(url, settle, profile.path(), proxy.port());
        let picture = profile.path().join("picture.png");
        if view == View::Picture {
            // The address stays the last. The document comes as well: it tells whether there was a page at all.
            let (width, height) = PICTURE;
            let of_picture = [format!("--screenshot={}", picture.display()), format!("--window-size={width},{height}")];
            arguments.splice(0..0, of_picture);
        }
        let launch =
            Launch { program: &program, arguments, home: profile.path(), output_limit: self.settings.document_limit };
        let ran = tokio::time::timeout(self.settings.time, process::run(launch)).await;
        let timed_out = |_| FetchError::TimedOut { url: shown(url), phase: Phase::Render, limit: self.settings.time };
        let output = ran.map_err(timed_out)?.map_err(|error| failed(error.to_string()))?;
        if output.is_cut {
            return Err(FetchError::TooLarge { url: shown(url), limit: self.settings.document_limit });
        }
        if output.document.is_empty() {
            return Err(failed(output.said));
        }
        if output.document.windows(ERROR_PAGE.len()).any(|window| window == ERROR_PAGE) {
            return Err(failed("it could not load the page, or was led to a forbidden address".to_owned()));
        }
        match view {
            View::Document => Ok(output.document),
            View::Picture => read_picture(&picture, self.settings.document_limit).await.map_err(failed),
        }
    }

    fn arguments(&self, url: &Url, settle: Duration, profile: &Path, proxy_port: u16) -> Vec<String> {
        let mut arguments: Vec<String> = [
            "--headless",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--disable-breakpad",
            // It looks for screens in the local network.
            "--disable-features=MediaRouter,DialMediaRouteProvider",
            "--disable-dev-shm-usage",
            "--metrics-recording-only",
            "--mute-audio",
            "--password-store=basic",
            "--hide-scrollbars",
            // The proxy is the only way out: also for the loopback interface, which is exempt by default, for names, and
            // for WebRTC, which would go past it.
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--dump-dom",
        ]
        .map(str::to_owned)
        .into();
        let is_sandboxed = match self.settings.sandbox {
            BrowserSandbox::WherePossible => !geteuid().is_root(),
            BrowserSandbox::Off => false,
        };
        if !is_sandboxed {
            arguments.push("--no-sandbox".to_owned());
        }
        arguments.push(format!("--proxy-server=http://127.0.0.1:{proxy_port}"));
        arguments.push(format!("--user-data-dir={}", profile.display()));
        arguments.push(format!("--user-agent={}", self.user_agent));
        arguments.push(format!("--virtual-time-budget={}", settle.as_millis()));
        // Every process of the machine can read arguments: credentials stay out.
        arguments.push(shown(url));
        arguments
    }
}
