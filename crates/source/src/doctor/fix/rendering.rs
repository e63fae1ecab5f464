//! The page has become a shell that scripts fill: a browser runs them first.

use autoheal_page::recipe::Request;

use super::{Change, Thought};
use crate::loaded::Loaded;

pub(super) fn propose(loaded: &Loaded) -> Thought {
    let request = loaded.recipe.request();
    if request.render {
        return Err("the page is a shell even after its scripts ran".to_owned());
    }
    Ok(Change {
        recipe: loaded.recipe.clone().with_request(Request { render: true, ..request.clone() }),
        evidence: vec!["without its scripts, the page has hardly any text".to_owned()],
        ..Change::of(loaded, "run the page's scripts in a browser first")
    })
}
