//! Navigation of a manual over HTTP, by search and by a model.

mod by_search;
mod manual_site;
