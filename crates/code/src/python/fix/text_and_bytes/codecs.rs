//! Codecs that the code names.

use std::collections::BTreeMap;

use super::super::blame::Blame;
use crate::python::module::Module;

/// Codecs of Python 2 that make no text of bytes.
pub(super) const NO_TEXT_CODECS: [&str; 10] =
    ["base64", "bz2", "hex", "quopri", "rot-13", "rot13", "string-escape", "unicode-escape", "uu", "zip"];

/// A codec, as far as texts tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    /// All that is ASCII, or another text as well: the bytes are the same in ASCII and UTF-8.
    Ascii,
    Utf8,
    Other,
}

impl Codec {
    /// The codec that arguments of `.decode()` name.
    pub(super) fn of(arguments: &str) -> Self {
        match normal(arguments.trim_matches(['"', '\''])).as_str() {
            "" | "utf-8" => Self::Utf8,
            "ascii" => Self::Ascii,
            _ => Self::Other,
        }
    }

    /// Returns whether this codec may be used where values show another.
    pub(super) fn fits(self, shown: Self) -> bool {
        match shown {
            Self::Ascii => true,
            Self::Utf8 | Self::Other => self == shown,
        }
    }
}

/// The name of a codec in one of its spellings.
pub(super) fn normal(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['_', ' '], "-");
    match name.as_str() {
        "utf8" | "u8" => "utf-8".to_owned(),
        "us-ascii" => "ascii".to_owned(),
        "latin1" | "iso-8859-1" | "iso8859-1" | "l1" => "latin-1".to_owned(),
        _ => name,
    }
}

/// Codecs that a file names, by their common names, each in the spelling that is used most.
pub(super) fn named(text: &str, module: &Module) -> BTreeMap<String, String> {
    let mut spellings: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for call in &module.calls {
        let by_name =
            call.arguments.iter().find(|one| one.keyword.as_ref().is_some_and(|(name, _)| name == "encoding"));
        let is_conversion = matches!(call.name.as_str(), "encode" | "decode");
        let positional = call.arguments.first().filter(|one| is_conversion && one.keyword.is_none());
        let Some(argument) = by_name.or(positional) else { continue };
        let code = argument.value.text(text);
        let name = normal(code.trim_matches(['"', '\'']));
        let is_name = code.len() == name.len() + 2 || code.trim_matches(['"', '\'']).len() + 2 == code.len();
        if is_name && !NO_TEXT_CODECS.contains(&name.as_str()) {
            *spellings.entry(name).or_default().entry(code).or_default() += 1;
        }
    }
    let most = |spellings: BTreeMap<&str, usize>| {
        let most = spellings.into_iter().max_by_key(|(code, count)| (*count, std::cmp::Reverse(*code)));
        most.map(|(code, _)| code.to_owned()).unwrap_or_default()
    };
    spellings.into_iter().map(|(name, spellings)| (name, most(spellings))).collect()
}

/// Arguments for `.encode()` and `.decode()`, the likeliest first. See [`TextAndBytes`].
pub(super) fn codecs(blame: &Blame<'_>, file: &str, module: &Module) -> Vec<String> {
    let mut known = named(blame.text(file), module);
    if known.is_empty() {
        for (file, module) in blame.index.modules() {
            for (name, spelling) in named(blame.text(file), module) {
                known.entry(name).or_insert(spelling);
            }
        }
    }
    // ASCII is a part of UTF-8.
    let is_foreign = |name: &&String| !matches!(name.as_str(), "ascii" | "utf-8");
    let foreign = known.keys().filter(is_foreign).count();
    match (foreign, known.len()) {
        (0, 0) => vec![String::new()],
        (0, _) => vec![known.remove("utf-8").or_else(|| known.remove("ascii")).unwrap_or_default()],
        (1, 1) => known.into_values().chain([String::new()]).collect(),
        (_, _) => Vec::new(),
    }
}
