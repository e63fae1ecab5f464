//! The dashboard: files in the binary. Every address that is neither a file nor part of the API is one of its pages.

use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::ServerState;
use crate::api::error::{ApiCode, ApiError};
use crate::marked;

#[derive(RustEmbed)]
#[folder = "$DASHBOARD_FOLDER"]
struct Files;

const START: &str = "index.html";

/// Returns whether the dashboard is built into this program.
pub fn has_dashboard() -> bool {
    Files::get(START).is_some()
}

/// Folder of files whose names contain a hash of their content, so that they never change.
const HASHED: &str = "assets/";

const NOT_BUILT: &str =
    "<!doctype html><meta charset=utf-8><title>autoheal</title><h1>The dashboard is not built in</h1>
<p>The API is there: <a href=/api/openapi.json>/api/openapi.json</a>. For the page, Node 20 is needed:
<pre>(cd dashboard && npm ci && npm run build) && cargo build --release -p autoheal-cli</pre>";

/// Headers and markup that the dashboard's files are served with.
pub(super) struct Page {
    /// Content security policy of the dashboard's pages.
    policy: HeaderValue,
    /// `<meta>` tag with the address for crash reports.
    sink: Option<String>,
}

impl Page {
    /// Builds the headers. The page runs only its own scripts, and connects only to this server and to the recipient of crash reports. Besides
    /// its own styles, only the style sheet of stored pages is allowed, which the page displays in frames.
    pub(super) fn new(error_sink: Option<&Url>) -> Self {
        let style = STANDARD.encode(Sha256::digest(marked::STYLE));
        let asked = error_sink.map(|sink| format!(" {}", sink.origin().ascii_serialization())).unwrap_or_default();
        let policy = format!(
            "default-src 'self'; connect-src 'self'{asked}; style-src 'self' 'sha256-{style}'; img-src 'self' data:; object-src 'none'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        // An address contains no quotes: they are escaped in it.
        let sink = error_sink.map(|sink| sink.as_str().replace('&', "&amp;"));
        let sink = sink.map(|sink| format!("<meta name=\"autoheal-error-sink\" content=\"{sink}\">"));
        // An origin is text that a header can hold.
        let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'self'"));
        Self { policy, sink }
    }

    /// A file in the binary: in the form that the build has compressed, where there is one and the client takes it.
    fn file(&self, path: &str, file: EmbeddedFile, asked: &HeaderMap) -> Response {
        let kind = file.metadata.mimetype();
        let Some(compressed) = Files::get(&format!("{path}.gz")) else {
            return self.answer(path, kind, file.data.into_owned(), asked);
        };
        let mut response = if takes_gzip(asked) {
            let mut response = self.answer(path, kind, compressed.data.into_owned(), asked);
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        } else {
            self.answer(path, kind, file.data.into_owned(), asked)
        };
        response.headers_mut().insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
        response
    }

    fn answer(&self, path: &str, kind: &str, content: Vec<u8>, asked: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", STANDARD.encode(Sha256::digest(&content)));
        let kept = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let is_known = asked.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(header::CONTENT_TYPE, kind)], content).into_response()
        };
        let set = response.headers_mut();
        set.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        set.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        if let Ok(tag) = HeaderValue::try_from(tag) {
            set.insert(header::ETAG, tag);
        }
        response
    }

    /// The start page knows where crashes are reported.
    fn start(&self, html: &[u8]) -> Vec<u8> {
        let head = format!("<head>{}", self.sink.as_deref().unwrap_or_default());
        String::from_utf8_lossy(html).replacen("<head>", &head, 1).into_bytes()
    }
}

/// A file of the dashboard, its start page, or that there is nothing.
pub(super) async fn serve(
    State(state): State<ServerState>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Response {
    let page = &state.page;
    let path = uri.path().trim_start_matches('/');
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let nothing =
        ApiError::new(ApiCode::NotFound, "there is nothing at this address: GET /api/openapi.json says what there is");
    if !is_read || path.starts_with("api/") {
        return nothing.into_response();
    }
    if let Some(file) = Files::get(path).filter(|_| path != START) {
        return page.file(path, file, request.headers());
    }
    // A name with an ending is that of a file that is not there.
    if path.rsplit('/').next().is_some_and(|name| name.contains('.'))
        || !(path.is_empty() || wants_page(request.headers()))
    {
        return nothing.into_response();
    }
    match Files::get(START) {
        Some(file) => page.answer(START, "text/html", page.start(&file.data), request.headers()),
        None => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
    }
}

/// Returns whether a client takes gzip (RFC 9110, section 12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.contains("text/html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        let takes = |accepted: &'static str| {
            takes_gzip(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]))
        };
        assert!(takes("gzip") && takes("br, GZIP;q=0.5, deflate") && takes("deflate,gzip;q=1.0"));
        assert!(!takes("") && !takes("br, gzip;q=0") && !takes("identity, gzip;q=0.0") && !takes("xgzip"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn crashes_are_reported_where_the_setting_says_and_nowhere_else() {
        let html = b"<!doctype html><html><head><title>autoheal</title></head></html>";
        let silent = Page::new(None);
        assert_eq!(silent.start(html), html);
        assert!(silent.policy.to_str().unwrap().contains("connect-src 'self';"), "{:?}", silent.policy);
        let sink = Url::parse("https://errors.example/report?team=a&key=\"><script>x</script>").unwrap();
        let telling = Page::new(Some(&sink));
        assert!(telling.policy.to_str().unwrap().contains("connect-src 'self' https://errors.example;"));
        let start = String::from_utf8(telling.start(html)).unwrap();
        let expected = "<head><meta name=\"autoheal-error-sink\" content=\"https://errors.example/report?team=a&amp;key=%22%3E%3Cscript%3Ex%3C/script%3E\"><title>";
        assert!(start.contains(expected), "{start}");
    }
}
