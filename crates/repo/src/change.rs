//! Changes as text, and texts by their hash.

use autoheal_code::{Candidate, FileEdit, Sources};
use sha2::{Digest as _, Sha256};

use crate::state::FileText;

/// Returns the hash that identifies a file's text.
pub(crate) fn hash_of(file: &FileText) -> String {
    let mut hasher = Sha256::new();
    hasher.update(file.file.as_bytes());
    hasher.update([0]);
    hasher.update(file.text.as_bytes());
    autoheal_engine::hexadecimal(&hasher.finalize())
}

/// Returns the changes that a candidate would make, as a unified diff.
pub(crate) fn change_of(candidate: &Candidate, sources: &Sources) -> String {
    let change = |edit: &FileEdit| {
        let old = sources.text(&edit.file)?.to_owned();
        let new = edit.apply(&old).ok()?;
        let of = |text| FileText { file: edit.file.clone(), text };
        Some(unified_diff(&of(old), &of(new)))
    };
    candidate.files.iter().filter_map(change).collect()
}

/// Returns the changes between two texts of a file, as a unified diff.
pub(crate) fn unified_diff(old: &FileText, new: &FileText) -> String {
    similar::TextDiff::from_lines(old.text.as_str(), new.text.as_str())
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{}", old.file), &format!("b/{}", new.file))
        .to_string()
}
