//! A command as lines of text for the script that waits in a process tree.

use std::collections::BTreeMap;
use std::path::Path;

use crate::outcome::SandboxError;
use crate::spec::Command;

/// The script: `sh -c WAITING_SCRIPT`.
pub(crate) const WAITING_SCRIPT: &str = include_str!("waiting.sh");

/// Encodes a command's arguments and its external variables for the script; `before` is put before its program.
pub(crate) fn words_of(
    directory: &Path,
    command: &Command,
    environment: &BTreeMap<String, String>,
    before: Vec<String>,
) -> Result<Vec<u8>, SandboxError> {
    let refuse = |reason: &str| SandboxError::Failed { doing: "reading the command", source: reason.into() };
    let program = command.argv.first().ok_or_else(|| refuse("no program was named"))?;
    if program.contains('=') {
        return Err(refuse("the name of a program must not hold `=`"));
    }
    let directory = directory.join(&command.directory);
    let directory = directory.to_str().ok_or_else(|| refuse("the folder's name is not text"))?;
    let mut all = environment.clone();
    all.extend(command.environment.clone());
    if all.keys().any(|name| name.is_empty() || name.contains('=')) {
        return Err(refuse("the name of an environment variable must not hold `=`"));
    }
    let mut words = vec![directory.to_owned(), "env".to_owned(), "-i".to_owned()];
    words.extend(all.into_iter().map(|(name, value)| format!("{name}={value}")));
    words.extend(before);
    words.extend(command.argv.iter().cloned());
    if words.iter().any(|word| word.contains('\0')) {
        return Err(refuse("a word holds a NUL byte"));
    }
    let mut lines = encode(words.iter().map(String::as_str));
    lines.extend_from_slice(&command.stdin);
    Ok(lines)
}

/// Encodes the arguments as [`WAITING_SCRIPT`] reads them.
fn encode<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut lines = Vec::new();
    for word in words {
        lines.push(b'=');
        for byte in word.bytes() {
            match byte {
                b' '..=b'[' | b']'..=b'~' => lines.push(byte),
                _ => lines.extend_from_slice(format!("\\0{byte:03o}").as_bytes()),
            }
        }
        lines.push(b'\n');
    }
    lines.extend_from_slice(b".\n");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_printable_lines() {
        assert_eq!(encode(["/w", "a\\b\nc", "é"]), b"=/w\n=a\\0134b\\0012c\n=\\0303\\0251\n.\n");
    }
}
