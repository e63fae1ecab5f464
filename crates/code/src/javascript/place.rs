//! Places that the parser complains about.

use oxc_span::LabeledSpan;

/// A fault's message, its first byte and one past its last.
pub(super) type Place = (String, usize, usize);

/// Returns the place of a complaint.
pub(super) fn place(message: &str, label: Option<&LabeledSpan>) -> Place {
    let (start, length) = label.map_or((0, 0), |label| (label.offset(), label.len()));
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    (message.to_owned(), size(start), size(start) + size(length))
}
