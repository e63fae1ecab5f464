//! Pages that are built by scripts, as a headless Chromium renders them.
//!
//! Each browser gets a new profile, in namespaces without access to the user's files and the network. Its only connection is
//! a [`proxy`], which checks addresses with the same guard as every other request: a page cannot make the browser send
//! requests that the fetcher would not. The browser and everything it started ends when the document is complete, the time
//! limit expires, the caller drops the future, or this process dies.
//!
//! # Layout
//!
//! - [`container`]: sandbox of the browser
//! - [`process`]: start of the browser, and its output
//! - [`proxy`]: the browser's connection to the network; [`relay`]: the connection to the proxy
//! - [`watch`]: its memory

mod container;
mod process;
mod proxy;
mod relay;
mod watch;

use std::ffi::OsString;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use autoheal_process::{OwnedFolder, Program, is_program};
use bytes::Bytes;
use nix::fcntl::OFlag;
use tokio::io::AsyncReadExt as _;
use tokio::sync::Semaphore;
use url::Url;

use crate::FetchError;
use crate::address::AddressGuard;
use crate::error::{Phase, shown};
use crate::resolve::GuardedResolver;

use container::Inside;
use process::{Excess, Launch, Output};
use proxy::{Allowance, Proxy};
pub use relay::relay;

/// The names under which distributions install it.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// In the page that Chromium shows instead of one that it could not load.
const ERROR_PAGE: &[u8] = b"id=\"main-frame-error\"";

/// Message of Chromium when the kernel does not let it make namespaces.
const NO_SANDBOX: &str = "No usable sandbox";

/// Isolation of the browser from the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BrowserSandbox {
    /// On: namespaces made by bubblewrap, and the browser's own sandbox within.
    #[default]
    Bubblewrap,
    /// Off: the browser can access the user's files and network, and is only configured to use the proxy.
    Off,
}

/// Program that runs [`relay`] with the arguments that follow its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayProgram {
    /// Absolute path of the program, which needs nothing but the system's libraries.
    pub program: PathBuf,
    /// Arguments that make the program a relay.
    pub arguments: Vec<String>,
}

/// Settings for rendering pages in a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderSettings {
    /// The browser; `None`: the first of `chromium`, `chromium-browser`, `google-chrome` on `PATH`.
    pub program: Option<PathBuf>,
    /// Sandbox of the browser.
    pub sandbox: BrowserSandbox,
    /// The way out of [`BrowserSandbox::Bubblewrap`]; `None`: pages are rendered only without it.
    pub relay: Option<RelayProgram>,
    /// Time limit of one page, from the start of the browser to its end.
    pub time: Duration,
    /// The longest document in bytes.
    pub document_limit: u64,
    /// Maximum traffic that one page may load in all, in bytes.
    pub traffic_limit: u64,
    /// Maximum traffic that one page may send in all, in bytes.
    pub upload_limit: u64,
    /// Memory of the browser, all its processes together, in bytes.
    pub memory: u64,
    /// Maximum number of browsers that run at once; zero counts as one.
    pub at_once: usize,
}

impl Default for RenderSettings {
    /// Forty seconds, 20 MiB of document, 100 MiB to load, 5 MiB to send, 2 GiB of memory, one browser.
    fn default() -> Self {
        Self {
            program: None,
            sandbox: BrowserSandbox::Bubblewrap,
            relay: None,
            time: Duration::from_secs(40),
            document_limit: 20 << 20,
            traffic_limit: 100 << 20,
            upload_limit: 5 << 20,
            memory: 2 << 30,
            at_once: 1,
        }
    }
}

/// Returns the path of the browser, from the settings or else from `PATH`.
///
/// # Errors
///
/// [`FetchError::BrowserMissing`].
pub fn browser_program(settings: &RenderSettings) -> Result<PathBuf, FetchError> {
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

/// The page that every browser has.
const EMPTY: &str = "about:blank";

/// Tries the browser with these settings. Returns a description of the browser and its sandbox, for display.
///
/// # Errors
///
/// The reason no page can be rendered here.
pub async fn check(settings: &RenderSettings) -> Result<String, FetchError> {
    let program = browser_program(settings)?;
    let guard = Arc::new(AddressGuard::new(&[]));
    let unparsed =
        |error: url::ParseError| FetchError::RenderFailed { url: EMPTY.to_owned(), reason: error.to_string() };
    let empty = Url::parse(EMPTY).map_err(unparsed)?;
    let browser = Browser::new(settings.clone(), "autoheal".to_owned(), guard);
    browser.document(&empty, Duration::ZERO).await?;
    let contained = match settings.sandbox {
        BrowserSandbox::Bubblewrap => "contained by bubblewrap",
        BrowserSandbox::Off => "not contained: `fetch.browser_sandbox` is false",
    };
    Ok(format!("{}, {contained}", program.display()))
}

/// Result that is wanted of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// HTML document of the page after its scripts ran.
    Document,
    /// Screenshot of the page.
    Picture,
}

/// Path of the picture in the folder of a browser.
const PICTURE_NAME: &str = "pictures/picture.png";

/// Error of a program without a relay.
const NO_RELAY: &str = "this program has no relay to the browser's namespace; take the wall down with the setting \
                        `fetch.browser_sandbox = false`";

/// Width and height of a picture, in pixels.
const PICTURE: (u32, u32) = (1280, 1600);

/// The picture that the browser left, unless it left none or too much. The browser could write its folder, so a link or a pipe
/// in its place is not followed.
async fn read_picture(path: &Path, limit: u64) -> Result<Bytes, String> {
    let no_picture = |error: std::io::Error| format!("it took no picture: {error}");
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).map_err(no_picture)?;
    if !opened.metadata().map_err(no_picture)?.is_file() {
        return Err("its picture is no file".to_owned());
    }
    let mut picture = Vec::new();
    let mut file = tokio::fs::File::from_std(opened).take(limit.saturating_add(1));
    file.read_to_end(&mut picture).await.map_err(no_picture)?;
    if u64::try_from(picture.len()).is_ok_and(|length| length > limit) {
        return Err(format!("its picture is larger than the {limit} bytes that are allowed"));
    }
    Ok(picture.into())
}

/// The words for the browser when its own sandbox cannot be had within ours.
const WITHOUT_OWN_SANDBOX: &str = "--no-sandbox";

/// Browser that renders pages, each in a separate process.
#[derive(Debug)]
pub(crate) struct Browser {
    settings: RenderSettings,
    user_agent: String,
    resolver: GuardedResolver,
    running: Semaphore,
    /// Set when the browser was unable to have its own sandbox within the namespaces, as on some hardened kernels.
    is_without_own: AtomicBool,
}

/// Page to render, with the result that is wanted of it.
struct Page<'page> {
    url: &'page Url,
    settle: Duration,
    view: View,
}

impl Browser {
    pub(crate) fn new(settings: RenderSettings, user_agent: String, guard: Arc<AddressGuard>) -> Self {
        let running = Semaphore::new(settings.at_once.max(1));
        let resolver = GuardedResolver::new(guard);
        Self { settings, user_agent, resolver, running, is_without_own: AtomicBool::new(false) }
    }

    /// The document at `url` after its scripts ran for `settle`, in the browser's time.
    pub(crate) async fn document(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        self.shown(&Page { url, settle, view: View::Document }).await
    }

    /// A picture of the document, as PNG.
    pub(crate) async fn picture(&self, url: &Url, settle: Duration) -> Result<Bytes, FetchError> {
        self.shown(&Page { url, settle, view: View::Picture }).await
    }

    async fn shown(&self, page: &Page<'_>) -> Result<Bytes, FetchError> {
        let url = page.url;
        let failed = |reason: String| FetchError::RenderFailed { url: shown(url), reason };
        // It is never closed, so a permit becomes free eventually.
        let _permit = self.running.acquire().await.ok();
        let folder = OwnedFolder::new("autoheal-browser")
            .map_err(|error| failed(format!("no folder for its profile: {error}")))?;
        let timed_out = |_| FetchError::TimedOut { url: shown(url), phase: Phase::Render, limit: self.settings.time };
        let output =
            tokio::time::timeout(self.settings.time, self.run(page, folder.path())).await.map_err(timed_out)??;
        match output.excess {
            Some(Excess::Document) => {
                return Err(FetchError::TooLarge { url: shown(url), limit: self.settings.document_limit });
            }
            Some(Excess::Memory) => {
                return Err(failed(format!("the page needs more than {} bytes of memory", self.settings.memory)));
            }
            None => {}
        }
        if output.document.is_empty() {
            return Err(failed(explained(output.said)));
        }
        if output.document.windows(ERROR_PAGE.len()).any(|window| window == ERROR_PAGE) {
            return Err(failed("it could not load the page, or was led to a forbidden address".to_owned()));
        }
        match page.view {
            View::Document => Ok(output.document),
            View::Picture => {
                read_picture(&folder.path().join(PICTURE_NAME), self.settings.document_limit).await.map_err(failed)
            }
        }
    }

    /// Runs the browser, a second time when its own sandbox cannot be had within ours.
    async fn run(&self, page: &Page<'_>, folder: &Path) -> Result<Output, FetchError> {
        let output = self.run_once(page, folder).await?;
        let is_contained = self.settings.sandbox == BrowserSandbox::Bubblewrap;
        if is_contained && output.document.is_empty() && output.said.contains(NO_SANDBOX) {
            self.is_without_own.store(true, Ordering::Relaxed);
            return self.run_once(page, folder).await;
        }
        Ok(output)
    }

    async fn run_once(&self, page: &Page<'_>, folder: &Path) -> Result<Output, FetchError> {
        let failed = |reason: String| FetchError::RenderFailed { url: shown(page.url), reason };
        let program = browser_program(&self.settings)?;
        let allowance = Allowance::new(self.settings.traffic_limit, self.settings.upload_limit);
        let no_proxy = |error| failed(format!("no way for its proxy: {error}"));
        let (start, arguments, home, proxy) = match self.settings.sandbox {
            BrowserSandbox::Bubblewrap => {
                let relay = self.settings.relay.as_ref().ok_or(FetchError::BrowserMissing { reason: NO_RELAY })?;
                let (sockets, pictures) = (folder.join("sockets"), folder.join("pictures"));
                for place in [&sockets, &pictures] {
                    tokio::fs::create_dir_all(place).await.map_err(no_proxy)?;
                }
                let inside = Inside { socket_folder: &sockets, socket_name: "proxy", pictures: &pictures, relay };
                let words = container::words(&program, &inside)?;
                let socket = sockets.join(inside.socket_name);
                let proxy = Proxy::at_socket(&socket, self.resolver.clone(), allowance).map_err(no_proxy)?;
                let picture = Path::new(container::PICTURES).join("picture.png");
                let home = PathBuf::from(container::HOME);
                let own = self.arguments(page, &home, &picture, relay::PORT);
                let words = words.into_iter().chain(own.into_iter().map(OsString::from)).collect();
                (container::bubblewrap()?, words, home, proxy)
            }
            BrowserSandbox::Off => {
                let proxy = Proxy::at_port(self.resolver.clone(), allowance).await.map_err(no_proxy)?;
                let (home, picture) = (folder.join("profile"), folder.join(PICTURE_NAME));
                for place in [&home, &folder.join("pictures")] {
                    tokio::fs::create_dir_all(place).await.map_err(no_proxy)?;
                }
                let own = self.arguments(page, &home, &picture, proxy.port());
                (Program::at(program), own.into_iter().map(OsString::from).collect(), home, proxy)
            }
        };
        let directory = if home.exists() { home.as_path() } else { folder };
        let (output_limit, memory) = (self.settings.document_limit, self.settings.memory);
        let launch = Launch { program: start, arguments, home: &home, directory, output_limit, memory };
        let output = process::run(launch).await.map_err(|error| failed(error.to_string()));
        drop(proxy);
        output
    }

    fn arguments(&self, page: &Page<'_>, home: &Path, picture: &Path, proxy_port: u16) -> Vec<String> {
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
            // for WebRTC, which would bypass it. The namespace ensures this; these lines are for a browser without one, and
            // save pages the wait for unreachable hosts. The second spelling is for older versions.
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--dump-dom",
        ]
        .map(str::to_owned)
        .into();
        let is_without_own = match self.settings.sandbox {
            BrowserSandbox::Bubblewrap => self.is_without_own.load(Ordering::Relaxed),
            BrowserSandbox::Off => true,
        };
        if is_without_own {
            arguments.push(WITHOUT_OWN_SANDBOX.to_owned());
        }
        if page.view == View::Picture {
            // The document is fetched as well: it shows whether there was a page at all.
            let (width, height) = PICTURE;
            arguments.push(format!("--screenshot={}", picture.display()));
            arguments.push(format!("--window-size={width},{height}"));
        }
        arguments.push(format!("--proxy-server=http://127.0.0.1:{proxy_port}"));
        arguments.push(format!("--user-data-dir={}", home.display()));
        arguments.push(format!("--user-agent={}", self.user_agent));
        // With a budget of nothing it never ends.
        arguments.push(format!("--virtual-time-budget={}", page.settle.as_millis().max(1)));
        // Every process of the machine can read arguments: credentials stay out.
        arguments.push(shown(page.url));
        arguments
    }
}

/// Returns the browser's message, with the remedy when the browser could not be contained.
fn explained(said: String) -> String {
    if said.starts_with("bwrap:") {
        let remedy = "it needs bubblewrap 0.8 or later, and a kernel that lets this user make namespaces; where that cannot be had, \
                      the setting `fetch.browser_sandbox = false` takes the wall down";
        format!("{said}; {remedy}")
    } else {
        said
    }
}
