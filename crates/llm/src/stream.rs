//! The events of a streamed response. Both formats are lines of text: server-sent events (HTML standard, section 9.2), of
//! which providers use `data` alone, and one JSON document for each line.

use reqwest::header::{CONTENT_TYPE, HeaderMap};

/// Format of a streamed response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    ServerSentEvents,
    JsonLines,
}

/// Splits the pieces of a response into its events. It holds at most one event, whose length the reader of the response
/// bounds.
#[derive(Debug)]
pub(crate) struct Events {
    format: Format,
    /// Beginning of a line whose end has not arrived.
    line: Vec<u8>,
    /// Data of an event whose end has not arrived.
    data: Option<String>,
}

impl Events {
    /// Returns a splitter for a response with these headers; `None`: it is not streamed.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let media_type = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
        let format = match media_type.as_str() {
            "text/event-stream" => Format::ServerSentEvents,
            "application/x-ndjson" | "application/jsonl" => Format::JsonLines,
            _ => return None,
        };
        Some(Self { format, line: Vec::new(), data: None })
    }

    /// Returns the events that end in the next piece of the response.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                events.extend(self.end_line());
            }
        }
        events
    }

    /// Returns the last event, if the response ends without the end of its line.
    pub(crate) fn finish(&mut self) -> Option<String> {
        self.end_line().or_else(|| self.data.take())
    }

    fn end_line(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim_end_matches(['\r', '\n']);
        match self.format {
            Format::JsonLines => (!line.trim().is_empty()).then(|| line.to_owned()),
            Format::ServerSentEvents if line.is_empty() => self.data.take(),
            Format::ServerSentEvents => {
                let (field, value) = line.split_once(':').unwrap_or((line, ""));
                if field == "data" {
                    let value = value.strip_prefix(' ').unwrap_or(value);
                    match &mut self.data {
                        Some(data) => data.extend(["\n", value]),
                        None => self.data = Some(value.to_owned()),
                    }
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    fn events(media_type: &'static str) -> Events {
        Events::of(&HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))])).unwrap()
    }

    fn all(media_type: &'static str, pieces: &[&[u8]]) -> Vec<String> {
        let mut events = events(media_type);
        let mut found: Vec<String> = pieces.iter().flat_map(|piece| events.push(piece)).collect();
        found.extend(events.finish());
        found
    }

    const STREAM: &str = ": a comment\r\nevent: delta\r\ndata: {\"a\": \"\u{e9}\u{6c64}\"}\r\n\r\nid: 1\ndata:one\ndata: two\n\n\nretry: 1\n\ndata: [DONE]";

    #[test]
    fn reads_events_and_lines() {
        let read = all("text/event-stream; charset=utf-8", &[STREAM.as_bytes()]);
        assert_eq!(read, ["{\"a\": \"\u{e9}\u{6c64}\"}", "one\ntwo", "[DONE]"]);
        assert_eq!(
            all("application/x-ndjson", &[b"{\"a\":1}\n\n{\"b\":2}\r\n{\"c\""]),
            ["{\"a\":1}", "{\"b\":2}", "{\"c\""]
        );
        let plain = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        assert!(Events::of(&plain).is_none() && Events::of(&HeaderMap::new()).is_none());
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(cuts in prop::collection::vec(0..STREAM.len(), 0..12)) {
            let mut cuts = cuts;
            cuts.extend([0, STREAM.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &STREAM.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(all("text/event-stream", &pieces), all("text/event-stream", &[STREAM.as_bytes()]));
        }
    }
}
