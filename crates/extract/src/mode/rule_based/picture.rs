//! The main picture of a page: the largest of those that the page states.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use url::Url;

use super::View;
use super::about::About;
use super::found::Found;
use crate::item::{PageType, Source};

/// Names of `meta` elements that state a picture for sharing.
const SHARED: [&str; 5] = ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"];

/// Maximum number of pictures that are compared.
const MOST: usize = 100;

/// A stated picture with its width and height in pixels, as far as the page states them.
struct Picture {
    address: String,
    width: Option<u64>,
    height: Option<u64>,
    source: Source,
}

impl Picture {
    /// The number of pixels, 0 if it is unknown. A picture with one known side counts as a square.
    fn size(&self) -> u64 {
        let stated = self.width.or(self.height).zip(self.height.or(self.width));
        let (width, height) = stated.or_else(|| size_in(&self.address)).unwrap_or_default();
        width.min(100_000) * height.min(100_000)
    }
}

/// Returns the URL of the page's picture, absolute if the URL of the page is known.
pub(super) fn find(view: &View<'_>, about: &About<'_>) -> Option<Found<String>> {
    let of_thing = of_thing(about);
    let shared = shared(view);
    // Of equal ones, the picture for sharing is the main picture of an article; that of a recipe or product is its own.
    let is_own = matches!(about.page_type.value, PageType::Recipe | PageType::Product);
    let (first, second) = if is_own { (of_thing, shared) } else { (shared, of_thing) };
    let mut pictures: Vec<Picture> = first.into_iter().chain(second).collect();
    pictures.retain(|picture| is_address(&picture.address));
    let has_other = pictures.iter().any(|picture| !is_of_site(&picture.address));
    let candidates = pictures.iter().filter(|picture| !has_other || !is_of_site(&picture.address));
    let best = candidates.reduce(|best, other| if other.size() > best.size() { other } else { best })?;
    Some(Found::stated(absolute(view, secure(&pictures, &best.address)), best.source))
}

/// The pictures of the thing that the page is about.
fn of_thing(about: &About<'_>) -> Vec<Picture> {
    let Some(thing) = about.thing.as_ref() else { return Vec::new() };
    let number = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.trim_end_matches("px").trim().parse().ok(),
        Some(value) => value.as_u64(),
        None => None,
    };
    let picture = |value: &Value| {
        let address = ["url", "contentUrl", "@id"].iter().find_map(|name| {
            let address = value.get(name)?;
            address.as_str().or_else(|| address.as_array()?.first()?.as_str())
        });
        let address = value.as_str().or(address)?.trim().to_owned();
        let (width, height) = (number(value.get("width")), number(value.get("height")));
        Some(Picture { address, width, height, source: thing.source })
    };
    let values = thing.values(&["image", "thumbnailUrl"]);
    values.into_iter().take(MOST).filter_map(picture).collect()
}

/// The pictures for sharing, in the order of [`SHARED`].
fn shared(view: &View<'_>) -> Vec<Picture> {
    let mut pictures: Vec<(usize, Picture)> = Vec::new();
    for (name, content) in view.stated.all_metas() {
        if let Some(rank) = SHARED.iter().position(|shared| *shared == name) {
            let address = content.to_owned();
            pictures.push((rank, Picture { address, width: None, height: None, source: Source::OpenGraph }));
        }
        // The size follows its picture.
        if let Some((_, last)) = pictures.last_mut() {
            match name {
                "og:image:width" => last.width = content.parse().ok(),
                "og:image:height" => last.height = content.parse().ok(),
                _ => {}
            }
        }
        if pictures.len() >= MOST {
            break;
        }
    }
    pictures.sort_by_key(|(rank, _)| *rank);
    pictures.into_iter().map(|(_, picture)| picture).collect()
}

/// The width and height in an address: `soup-1200x630.jpg`, `soup.jpg?w=1200&h=630`.
fn size_in(address: &str) -> Option<(u64, u64)> {
    static SIZE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\D)(\d{3,5})[xX](\d{3,5})(?:\D|$)").ok());
    static SIDES: LazyLock<[Option<Regex>; 2]> = LazyLock::new(|| {
        [r"(?i)[?&](?:w|width)=(\d{3,5})", r"(?i)[?&](?:h|height)=(\d{3,5})"].map(|side| Regex::new(side).ok())
    });
    if let Some(size) = SIZE.as_ref().and_then(|size| size.captures(address)) {
        return size[1].parse().ok().zip(size[2].parse().ok());
    }
    let [width, height] = SIDES.each_ref().map(|side| side.as_ref()?.captures(address)?[1].parse::<u64>().ok());
    width.zip(height)
}

/// Returns whether an address is that of a picture of the site instead of the page: a logo or an icon.
fn is_of_site(address: &str) -> bool {
    static LOGO: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)(?:^|[/._-])(?:favicon|apple-touch-icon|icon|logo)(?:[/._?-]|$)").ok());
    LOGO.as_ref().is_some_and(|logo| logo.is_match(address))
}

/// Returns the same address with encryption, if the page states it as well.
fn secure<'a>(pictures: &'a [Picture], address: &'a str) -> &'a str {
    let Some(plain) = address.strip_prefix("http:") else { return address };
    let mut addresses = pictures.iter().map(|picture| picture.address.as_str());
    addresses.find(|other| other.strip_prefix("https:") == Some(plain)).unwrap_or(address)
}

fn is_address(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.contains(['/', '.']) && !text.starts_with("data:")
}

/// An address as seen from the page.
fn absolute(view: &View<'_>, address: &str) -> String {
    let joined = match view.url {
        Some(url) => url.join(address).ok(),
        None => Url::parse(address).ok(),
    };
    joined.map_or_else(|| address.to_owned(), |url| url.to_string())
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::super::rule_based;

    fn image_of(html: &str) -> Option<String> {
        rule_based(&Document::parse(html), None).image
    }

    fn stated(kind: &str, images: &str) -> String {
        format!(r#"<script type="application/ld+json">{{"@type":"{kind}","name":"Soup","image":{images}}}</script>"#)
    }

    #[test]
    fn the_largest_picture_is_the_main_one() {
        let small = "<meta property=og:image content='https://kitchen.example/shared.jpg'>
            <meta property=og:image:width content=600><meta property=og:image:height content=315>";
        let sizes = r#"[{"@type":"ImageObject","url":"https://kitchen.example/a.jpg","width":200,"height":200},
            {"@type":"ImageObject","url":"https://kitchen.example/b.jpg","width":"1200 px","height":900}]"#;
        for (images, main) in [
            (sizes, "b.jpg"),
            (r#""https://kitchen.example/soup-1200x900.jpg""#, "soup-1200x900.jpg"),
            (
                r#"["https://kitchen.example/a.jpg?w=100&h=100","https://kitchen.example/b.jpg?w=900&h=700"]"#,
                "b.jpg?w=900&h=700",
            ),
            (r#""https://kitchen.example/unknown.jpg""#, "shared.jpg"),
        ] {
            let found = image_of(&format!("{small}{}", stated("Recipe", images)));
            assert_eq!(found, Some(format!("https://kitchen.example/{main}")), "{images}");
        }
    }

    #[test]
    fn of_pictures_of_unknown_size_a_recipe_has_its_own_and_an_article_the_shared_one() {
        let shared = "<meta property=og:image content='https://kitchen.example/shared.jpg'>";
        let images = r#"["https://kitchen.example/soup.jpg","https://kitchen.example/b.jpg"]"#;
        let image = |kind: &str| image_of(&format!("{shared}{}", stated(kind, images)));
        assert_eq!(image("Recipe").as_deref(), Some("https://kitchen.example/soup.jpg"));
        assert_eq!(image("Article").as_deref(), Some("https://kitchen.example/shared.jpg"));
        assert_eq!(image_of(shared).as_deref(), Some("https://kitchen.example/shared.jpg"));
    }

    #[test]
    fn logos_are_chosen_only_if_there_is_nothing_else() {
        let logo = "<meta property=og:image content='https://kitchen.example/logo.png'>";
        assert_eq!(image_of(logo).as_deref(), Some("https://kitchen.example/logo.png"));
        let both = format!("{logo}{}", stated("Article", r#""https://kitchen.example/soup.jpg""#));
        assert_eq!(image_of(&both).as_deref(), Some("https://kitchen.example/soup.jpg"));
    }

    #[test]
    fn an_encrypted_address_of_the_same_picture_is_preferred() {
        let pair = |secure: &str| {
            format!(
                "<meta property=og:image content='http://kitchen.example/a.jpg'><meta property=og:image:secure_url content='{secure}'>"
            )
        };
        let same = image_of(&pair("https://kitchen.example/a.jpg"));
        assert_eq!(same.as_deref(), Some("https://kitchen.example/a.jpg"));
        let other = image_of(&pair("https://elsewhere.example/a.jpg"));
        assert_eq!(other.as_deref(), Some("http://kitchen.example/a.jpg"));
    }
}
