use autoheal_page::recipe::Recipe;

use super::*;
use crate::facts::PageFacts;
use crate::scout;
use crate::validation::validate;

const NAMES: [&str; 12] = [
    "Blue chair",
    "Oak stool",
    "Round table",
    "Desk lamp",
    "Wool rug",
    "Wall clock",
    "Tall shelf",
    "Linen sofa",
    "Ash bench",
    "Glass vase",
    "Steel rack",
    "Pine crate",
];

/// A thing on the page, by its number.
struct Thing {
    name: &'static str,
    price: String,
    link: String,
    image: String,
}

fn things() -> Vec<Thing> {
    let thing = |(number, name): (usize, &&'static str)| Thing {
        name,
        price: format!("{}.50 EUR", 12 + number * 7),
        link: format!("/item/{number}"),
        image: format!("/img/{number}.jpg"),
    };
    NAMES.iter().enumerate().map(thing).collect()
}

fn page(items: &str) -> String {
    format!(
        "<html><head><title>Shop</title></head><body><header><a href=/>Shop</a><nav><a href=/a>Chairs</a><a href=/b>Tables</a></nav>
        </header><main><h1>All things</h1>{items}</main><aside class=sidebar><h2>Seen last</h2><ul><li><a href=/item/3>Desk lamp</a></li>
        <li><a href=/item/1>Oak stool</a></li></ul></aside><footer><p>Shipping from 4.90 EUR</p></footer></body></html>"
    )
}

fn list(item: impl Fn(&Thing) -> String) -> String {
    things().iter().map(item).collect::<Vec<_>>().concat()
}

fn before() -> String {
    let item = |thing: &Thing| {
        format!(
            "<article class=product><a class=product-link href={}>{}</a><span class=product-price>{}</span><img src={}></article>",
            thing.link, thing.name, thing.price, thing.image
        )
    };
    page(&format!("<div class=products>{}</div>", list(item)))
}

fn url() -> Url {
    Url::parse("https://shop.example/list").unwrap()
}

/// The recipe that is proposed for a list page, healed for another.
fn healed(before: &str, after: &str) -> Result<Recipe, Miss> {
    let old = Document::parse(before);
    let recipe = scout::by_page(&old, None).unwrap().recipe;
    assert!(recipe.items().is_some());
    healed_recipe(&recipe, before, after)
}

fn healed_recipe(recipe: &Recipe, before: &str, after: &str) -> Result<Recipe, Miss> {
    let old = [(Document::parse(before), Some(url()))];
    relocated(recipe, &old, &Document::parse(after), Some(&url())).map(|found| found.recipe)
}

/// Title, link, price and image of each item.
fn values(recipe: &Recipe, html: &str) -> Vec<[String; 4]> {
    let extraction = recipe.apply(&Document::parse(html), Some(&url()));
    let value = |record: &Record, name: &str| {
        record
            .field(name)
            .and_then(|outcome| outcome.values.first())
            .map(|found| found.value.to_string())
            .unwrap_or_default()
    };
    extraction
        .records
        .iter()
        .map(|record| ["title", "link", "price", "image"].map(|name| value(record, name)))
        .collect()
}

fn expected() -> Vec<[String; 4]> {
    let absolute = |path: &str| format!("https://shop.example{path}");
    let thing =
        |thing: &Thing| [thing.name.to_owned(), absolute(&thing.link), thing.price.clone(), absolute(&thing.image)];
    things().iter().map(thing).collect()
}

fn redesigns() -> Vec<(&'static str, String)> {
    let simple = |title: &'static str, price: &'static str| {
        move |thing: &Thing| {
            format!(
                "<article class=tile><a class={title} href={}>{}</a><span class={price}>{}</span><img src={}></article>",
                thing.link, thing.name, thing.price, thing.image
            )
        }
    };
    let card = |thing: &Thing| {
        format!(
            "<li class=tile><a href={}><img src={}><h3>{}</h3><div><span>New</span><span>{}</span></div></a></li>",
            thing.link, thing.image, thing.name, thing.price
        )
    };
    let heading = |thing: &Thing| {
        format!(
            "<li><div class=pic><img src={}></div><div class=text><h3><a href={}>{}</a></h3><p class=cost>{}</p>
            <a href=/cart?add={}>Add to cart</a></div></li>",
            thing.image, thing.link, thing.name, thing.price, thing.link
        )
    };
    let row = |thing: &Thing| {
        format!(
            "<tr><td><img src={}></td><td><a href={}>{}</a></td><td>1 piece</td><td>{}</td></tr>",
            thing.image, thing.link, thing.name, thing.price
        )
    };
    let unclassed = |thing: &Thing| {
        format!(
            "<div><div><img src={}></div><div><div><a href={}>{}</a></div><div><s>99.00 EUR</s> <b>{}</b></div></div></div>",
            thing.image, thing.link, thing.name, thing.price
        )
    };
    let row_of =
        |things: &[Thing]| format!("<div class=row>{}</div>", things.iter().map(card).collect::<Vec<_>>().concat());
    let rows = things().chunks(3).map(row_of).collect::<Vec<_>>().concat();
    let hashed = |thing: &Thing| {
        format!(
            "<div class=css-1x2y3z><img class=css-9k8j7h src={} alt='{}'><a class=css-aa11bb href={}>{}</a><p class=css-q1w2e3>{}</p></div>",
            thing.image, thing.name, thing.link, thing.name, thing.price
        )
    };
    vec![
        ("class names", page(&format!("<div class=tiles>{}</div>", list(simple("name", "amount"))))),
        (
            "wrapper",
            page(&format!(
                "<section><div class=wide><div class=inner>{}</div></div></section>",
                list(simple("name", "amount"))
            )),
        ),
        ("article to li, h3 > a", page(&format!("<ul>{}</ul>", list(heading)))),
        ("link around the card", page(&format!("<ul class=grid>{}</ul>", list(card)))),
        (
            "table",
            page(&format!(
                "<table><thead><tr><th></th><th>Thing</th><th>Unit</th><th>Price</th></tr></thead><tbody>{}</tbody></table>",
                list(row)
            )),
        ),
        ("no classes", page(&format!("<div>{}</div>", list(unclassed)))),
        ("rows of three", page(&rows)),
        ("generated names", page(&format!("<div class=css-zzz111>{}</div>", list(hashed)))),
    ]
}

#[test]
fn list_redesigns_are_healed_in_all_items() {
    for (name, after) in redesigns() {
        let recipe = healed(&before(), &after).unwrap_or_else(|miss| panic!("{name}: {miss:?}"));
        assert_eq!(values(&recipe, &after), expected(), "{name}: {recipe:?}");
    }
}

#[test]
fn healed_list_is_healed_again_by_each_other_redesign() {
    let all = redesigns();
    for (name, from) in &all {
        let recipe = healed(&before(), from).unwrap();
        for (other, to) in all.iter().filter(|(other, _)| other != name) {
            let again = healed_recipe(&recipe, from, to).unwrap_or_else(|miss| panic!("{name} to {other}: {miss:?}"));
            assert_eq!(values(&again, to), expected(), "{name} to {other}: {again:?}");
        }
    }
}

#[test]
fn headers_in_a_table_are_not_items() {
    let (name, after) = redesigns().remove(4);
    assert_eq!(name, "table");
    let after = after.replace("<thead>", "").replace("</thead><tbody>", "");
    let recipe = healed(&before(), &after).unwrap();
    assert_eq!(values(&recipe, &after), expected());
    assert_eq!(recipe.items().unwrap().source(), "tr:has(> td)");
}

#[test]
fn parts_that_only_some_items_have_do_not_move_the_others() {
    let item = |thing: &Thing| {
        let badge = if thing.name.starts_with('W') { "<span>New</span>" } else { "" };
        format!(
            "<li><a href={}><img src={}><h3>{}</h3></a><p>{badge}<span>{}</span></p></li>",
            thing.link, thing.image, thing.name, thing.price
        )
    };
    let after = page(&format!("<ul>{}</ul>", list(item)));
    let recipe = healed(&before(), &after).unwrap();
    assert_eq!(values(&recipe, &after), expected(), "{recipe:?}");
}

#[test]
fn missing_field_is_reported_and_its_neighbour_is_not_taken() {
    for (field, cut) in [
        ("price", vec![("<span class=amount>", "<span class=shipping>Shipping 4.90 EUR</span><i>")]),
        ("image", vec![("<img src=/img/", "<img src=/icons/cart.svg alt=")]),
        ("link", vec![("<a class=name href=/item/", "<a class=name title=")]),
        ("title", vec![("<a class=name", "<a class=name title='"), ("</a><span", "'>Details</a><span")]),
    ] {
        let (_, mut after) = redesigns().remove(0);
        if field == "price" {
            for thing in things() {
                after = after
                    .replace(&format!("<span class=amount>{}", thing.price), "<span class=amount>Shipping 4.90 EUR");
            }
        }
        if field == "title" {
            for thing in things() {
                after = after.replace(&format!(">{}</a>", thing.name), ">Details</a>");
            }
        } else {
            for (from, to) in cut {
                after = after.replace(from, to);
            }
        }
        match healed(&before(), &after) {
            Err(Miss::Gone(reason)) => assert!(reason.contains(&format!("`{field}` is gone")), "{field}: {reason}"),
            Err(Miss::Unknown(reason)) => assert_eq!(field, "title", "{reason}"),
            Ok(recipe) => panic!("{field}: {:?}", values(&recipe, &after)),
        }
    }
}

#[test]
fn changed_addresses_prices_and_items_are_found_with_the_others() {
    let (_, mut after) = redesigns().remove(2);
    // Another way to write addresses, four new things in place of old ones, three new prices.
    after = after.replace("/item/", "/p/thing-").replace("/img/", "https://cdn.example/");
    for (from, to) in [
        ("Desk lamp", "Floor lamp"),
        ("Wool rug", "Jute rug"),
        ("Wall clock", "Egg timer"),
        ("Pine crate", "Fir crate"),
    ] {
        after = after.replace(&format!("{from}</a></h3>"), &format!("{to}</a></h3>"));
    }
    for (from, to) in [("12.50 EUR", "9.99 EUR"), ("19.50 EUR", "18.00 EUR"), ("26.50 EUR", "30.00 EUR")] {
        after = after.replace(from, to);
    }
    let recipe = healed(&before(), &after).unwrap();
    let found = values(&recipe, &after);
    assert_eq!(found.len(), 12);
    assert_eq!(found[0], ["Blue chair", "https://shop.example/p/thing-0", "9.99 EUR", "https://cdn.example/0.jpg"]);
    assert_eq!(found[3], ["Floor lamp", "https://shop.example/p/thing-3", "33.50 EUR", "https://cdn.example/3.jpg"]);
}

#[test]
fn another_list_is_not_taken_for_the_list() {
    let other = |thing: &Thing| {
        format!("<li class=tile><h3><a href=/other{}>Other {}</a></h3><b>3.00 EUR</b></li>", thing.link, thing.name)
    };
    let after = page(&format!("<ul>{}</ul>", list(other)));
    assert!(matches!(healed(&before(), &after), Err(Miss::Unknown(_))));
}

#[test]
fn facts_of_a_healed_list_are_the_same() {
    let (_, after) = redesigns().remove(3);
    let old = Document::parse(&before());
    let recipe = scout::by_page(&old, None).unwrap().recipe;
    let healed = healed(&before(), &after).unwrap();
    let facts = PageFacts::of(&recipe.apply(&old, Some(&url())));
    let extraction = healed.apply(&Document::parse(&after), Some(&url()));
    assert!(validate(&healed, &extraction, &[facts]).passed);
}

#[test]
fn lists_within_items_are_healed() {
    let tags = |thing: &Thing, class: &str| {
        let words = thing.name.split(' ').map(|word| format!("<i class={class}>{word}</i>"));
        words.collect::<Vec<_>>().concat()
    };
    let item = |class: &'static str, tag: &'static str| {
        move |thing: &Thing| {
            format!("<li class={class}><h3>{}</h3><p>{}</p><i>new</i></li>", thing.name, tags(thing, tag))
        }
    };
    let before = page(&format!("<ul>{}</ul>", list(item("entry", "tag"))));
    let after = page(&format!("<ul>{}</ul>", list(item("post", "topic"))));
    let recipe = r#"{"version": 1, "items": {"select": ".entry"}, "fields": {
        "title": {"select": "h3"}, "tags": {"select": ".tag", "many": true}}}"#;
    let recipe = healed_recipe(&Recipe::parse(recipe, "test").unwrap(), &before, &after).unwrap();
    let extraction = recipe.apply(&Document::parse(&after), None);
    assert_eq!(extraction.records.len(), 12);
    assert_eq!(extraction.records[11].field("tags").unwrap().texts(), ["Pine", "crate"]);
}

#[test]
fn pages_made_to_be_slow_end_in_an_answer() {
    let repeated =
        list(|thing| format!("<div class='a b c d e f g h'><i>{}</i><a href={}>x</a></div>", thing.name, thing.link));
    let nested = list(|thing| format!("<div><p>{}</p>", thing.name)).repeat(20);
    let classes = (0..3000)
        .map(|number| format!("<b class='{} c{number}'>Blue chair</b>", "x y z ".repeat(20)))
        .collect::<Vec<_>>()
        .concat();
    let amounts = "<p><span>12.50 EUR</span> <span>19.50 EUR</span></p>".repeat(3000);
    for html in [repeated.repeat(300), nested, classes, amounts] {
        assert!(healed(&before(), &page(&html)).is_err());
    }
}
