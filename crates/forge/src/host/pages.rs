//! Links to the next page of a list (RFC 8288, `Link`).

use url::Url;

/// The address of the next page, if there is one and it is at the origin of this one.
pub(crate) fn next(link: &str, here: &Url) -> Option<Url> {
    let target = link.split(',').find_map(|entry| {
        let (target, parameters) = entry.split_once(';')?;
        let is_next = parameters.split(';').any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let mut relations = value.trim().trim_matches('"').split_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
        });
        let target = target.trim().strip_prefix('<')?.strip_suffix('>')?;
        is_next.then_some(target)
    })?;
    here.join(target).ok().filter(|url| url.origin() == here.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next_of(link: &str) -> Option<String> {
        next(link, &Url::parse("https://api.github.com/repos/o/r/pulls?page=1").unwrap()).map(|url| url.to_string())
    }

    #[test]
    fn the_next_page_is_the_one_that_says_so() {
        let link = "<https://api.github.com/a?page=1>; rel=\"prev\", <https://api.github.com/a?page=3>; rel=\"next\", \
                    <https://api.github.com/a?page=9>; rel=\"last\"";
        assert_eq!(next_of(link).as_deref(), Some("https://api.github.com/a?page=3"));
        assert_eq!(next_of("</a?page=2>; rel=next").as_deref(), Some("https://api.github.com/a?page=2"));
        assert_eq!(next_of("<https://api.github.com/a?page=1>; rel=\"last\""), None);
        assert_eq!(next_of(""), None);
    }

    #[test]
    fn another_origin_is_not_asked() {
        assert_eq!(next_of("<https://evil.example/a?page=2>; rel=\"next\""), None);
        assert_eq!(next_of("<http://api.github.com/a?page=2>; rel=\"next\""), None);
    }
}
