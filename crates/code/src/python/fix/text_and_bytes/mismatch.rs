//! Messages of Python about texts and bytes that were taken for each other.

use super::To;

/// Words of messages about a text where bytes are wanted.
pub(super) const GIVEN_TEXT: [&str; 14] = [
    "a bytes-like object is required, not 'str'",
    "can't concat str to byte",
    "first arg must be bytes or a tuple of bytes, not str",
    "must be encoded before hashing",
    "expected a bytes-like object, str found",
    "integer or bytes-like object, not 'str'",
    "requires a bytes-like object, or an object that implements __bytes__, not 'str'",
    "string argument without an encoding",
    "cannot use a string pattern on a bytes-like object",
    "cannot convert 'str' object to bytes",
    "expected bytes, str found",
    "expected bytes or bytearray, but got 'str'",
    "must be a bytes object",
    "must be bytes, not str",
];

/// Words of messages about bytes where text is wanted.
pub(super) const GIVEN_BYTES: [&str; 9] = [
    "can only concatenate str (not \"bytes\") to str",
    "must be str, not bytes",
    "must be str or None, not bytes",
    "first arg must be str or a tuple of str, not bytes",
    "requires string as left operand, not bytes",
    "cannot use a bytes pattern on a string-like object",
    "string argument expected, got 'bytes'",
    "expected str instance, bytes found",
    "Object of type bytes is not JSON serializable",
];

/// Words of messages about both.
pub(super) const EITHER: [&str; 3] = [
    "not supported between instances of 'bytes' and 'str'",
    "not supported between instances of 'str' and 'bytes'",
    "Can't mix strings and bytes in path components",
];

/// Returns whether a message is about texts and bytes that were taken for each other.
pub(in super::super) fn is_about(message: &str) -> bool {
    Mismatch::read(message).is_some()
}

/// The type of a value that a message complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The type that was wanted in place of the given one; `None`: the message does not tell which of two values is wrong.
    pub(super) wanted: Option<To>,
    /// True if a method may have said it of its argument, so that the value of the method may be the wrong one.
    pub(super) is_of_method: bool,
}

/// Words of messages of functions, and of methods of values that are neither text nor bytes.
pub(super) const OF_FUNCTIONS: [&str; 5] = ["hashing", "pattern", "memoryview", "JSON", "write()"];

impl Mismatch {
    pub(super) fn read(message: &str) -> Option<Self> {
        let has = |words: &[&str]| words.iter().any(|words| message.contains(words));
        let wanted = match (has(&GIVEN_TEXT), has(&GIVEN_BYTES), has(&EITHER)) {
            (true, ..) => Some(To::Bytes),
            (false, true, _) => Some(To::Text),
            (false, false, true) => None,
            (false, false, false) => return None,
        };
        Some(Self { wanted, is_of_method: !has(&OF_FUNCTIONS) })
    }
}
