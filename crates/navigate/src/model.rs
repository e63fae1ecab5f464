//! placeholder
use crate::{cache::Cache, goal::Goal, result::NavigationResult, settings::Settings, trace::Trace};
use autoheal_llm::Session;
use url::Url;
pub(crate) async fn navigate(
    _: &Url,
    _: &Goal,
    _: &Session,
    _: &Settings,
    _: &mut Cache<'_>,
    _: &mut Trace<'_>,
) -> NavigationResult {
    NavigationResult::default()
}
