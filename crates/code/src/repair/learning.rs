//! The model of how natural text reads in a project.

use std::ops::Range;

use super::grammar::Grammar;
use super::ngram::Model;
use super::region::floor;
use crate::sources::Sources;

/// Number of bytes that the model learns: a bound on the time of a call.
const BUDGET: usize = 256 << 10;

/// The model of a project, with the texts nearest to a file first. Of the file itself it learns all but the first of the windows, which are
/// broken, and of each window the words.
pub(crate) fn learn(
    grammar: &'static Grammar,
    extensions: &'static [&'static str],
    sources: &Sources,
    file: &str,
    text: &str,
    windows: &[Range<usize>],
) -> Model {
    let mut model = Model::new(grammar);
    let mut left = BUDGET;
    let first = windows.first().cloned().unwrap_or(0..0);
    let folder = |path: &str| path.rfind('/').map_or(String::new(), |slash| path[..slash].to_owned());
    let own_folder = folder(file);
    let others = sources.with_extension(extensions).filter(|(other, _)| *other != file);
    let (near, far): (Vec<_>, Vec<_>) = others.partition(|(other, _)| folder(other) == own_folder);
    let others = near.into_iter().chain(far).map(|(_, text)| text);
    for text in [&text[first.end..], &text[..first.start]].into_iter().chain(others) {
        let end = floor(text, left.min(text.len()));
        left -= end;
        model.learn(&text[..end]);
    }
    for window in windows {
        model.learn_words(&text[window.clone()]);
    }
    model
}
