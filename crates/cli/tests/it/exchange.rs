//! Export of sources to files, and their import.

use std::fs;

use serde_json::{Value, json};

use crate::scraper::{PAGE, Scraper};

#[tokio::test]
async fn what_was_exported_is_imported_elsewhere_and_changes_are_versions() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    let folder = scraper.home.path().join("sources");
    let folder_text = folder.to_str().unwrap();
    assert_eq!(scraper.run(&["export", folder_text]).code, Some(0));
    let file = folder.join("news.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("[recipe.fields.title]"), "{text}");
    let message = |scraper: &Scraper| scraper.json(&["import", folder_text])[0]["message"].clone();
    assert_eq!(message(&scraper), "unchanged");
    fs::write(&file, text.replace("interval_seconds = 21600", "interval_seconds = 60")).unwrap();
    assert_eq!(message(&scraper), "changed; its next run shows whether it works");
    let shown = scraper.json(&["show", "news"]);
    assert_eq!((&shown["definition"]["interval_seconds"], &shown["recipe_version"]), (&60.into(), &2.into()));
    // Another machine, which knows nothing yet; the site is the same.
    assert_eq!(scraper.run(&["remove", "news"]).code, Some(0));
    assert_eq!(message(&scraper), "added");
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    scraper.run(&["export", folder_text]);
    let again = fs::read_to_string(&file).unwrap();
    assert_eq!(again, text.replace("interval_seconds = 21600", "interval_seconds = 60"));
}

#[tokio::test]
async fn a_list_of_addresses_is_added_and_what_fails_does_not_stop_the_rest() {
    let scraper = Scraper::new().await;
    let list = scraper.home.path().join("list.txt");
    let [good, bad] = [PAGE, "/nowhere"].map(|path| scraper.site.url(path));
    fs::write(&list, format!("# mine\nlost {bad}\n\nnews {good}\n")).unwrap();
    let imported = scraper.run(&["import", list.to_str().unwrap(), "--json"]);
    assert_eq!(imported.code, Some(1), "{}", imported.told());
    let results: Value = serde_json::from_str(&imported.stdout).unwrap();
    assert_eq!((&results[0]["imported"], &results[1]["imported"]), (&false.into(), &true.into()), "{results}");
    assert_eq!(scraper.health(), "ACTIVE");
}

#[tokio::test]
async fn files_that_make_no_sense_are_refused_before_anything_is_added() {
    let scraper = Scraper::new().await;
    let folder = scraper.home.path().join("sources");
    fs::create_dir(&folder).unwrap();
    let good = format!("url = \"{}\"\n", scraper.site.url(PAGE));
    fs::write(folder.join("a.toml"), &good).unwrap();
    for (name, text, told) in [
        ("..x.toml", good.as_str(), "cannot be the name"),
        ("Big.toml", &good, "cannot be the name"),
        ("z.toml", &good.replace("url", "adress"), "line 1"),
    ] {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        let imported = scraper.run(&["import", folder.to_str().unwrap()]);
        assert_eq!(imported.code, Some(2), "{}", imported.told());
        assert!(imported.stderr.contains(told) && imported.stderr.contains(name), "{}", imported.stderr);
        fs::remove_file(file).unwrap();
    }
    assert_eq!(scraper.json(&["list"]), Value::Array(Vec::new()));
}

#[tokio::test]
async fn what_is_decided_about_a_source_can_be_changed() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    let other = scraper.site.url("/article/2");
    let set = scraper.run(&["set", "news", "--add-page", other.as_str(), "--heal-policy", "review"]);
    assert_eq!(set.code, Some(0), "{}", set.told());
    let definition = &scraper.json(&["show", "news"])["definition"];
    assert_eq!((&definition["more"][0], &definition["heal_policy"]), (&other.as_str().into(), &"review".into()));
    let first = scraper.site.url(PAGE);
    assert_eq!(scraper.run(&["set", "news", "--remove-page", first.as_str()]).code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["definition"]["url"], other.as_str());
    let last = scraper.run(&["set", "news", "--remove-page", other.as_str()]);
    assert_eq!(last.code, Some(2), "{}", last.told());
    assert_eq!(scraper.run(&["set", "news"]).code, Some(2), "nothing to set");

    let refused = scraper.run(&["set", "news", "--schedule", "every day"]);
    assert_eq!(refused.code, Some(2), "{}", refused.told());
    assert!(refused.stderr.contains("`0 6 * * *`"), "{}", refused.stderr);
    assert_eq!(scraper.run(&["set", "news", "--schedule", "0 6 * * *"]).code, Some(0));
    let folder = scraper.home.path().join("exported");
    assert_eq!(scraper.run(&["export", folder.to_str().unwrap()]).code, Some(0));
    let file = fs::read_to_string(folder.join("news.toml")).unwrap();
    assert!(file.contains("schedule = \"0 6 * * *\""), "{file}");
    assert_eq!(scraper.run(&["set", "news", "--interval", "60"]).code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["definition"]["schedule"], Value::Null);
    assert_eq!(scraper.run(&["import", folder.to_str().unwrap()]).code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["definition"]["schedule"], "0 6 * * *");
}

#[tokio::test]
async fn a_sitemap_of_another_tool_becomes_a_source() {
    let scraper = Scraper::new().await;
    let sitemap = scraper.home.path().join("sitemap.json");
    let selector = json!({
        "id": "title", "type": "SelectorText", "parentSelectors": ["_root"], "selector": "h1", "multiple": false, "regex": "",
    });
    let url = scraper.site.url(PAGE);
    let document = json!({ "_id": "news", "startUrl": [url], "selectors": [selector] });
    fs::write(&sitemap, document.to_string()).unwrap();
    let imported = scraper.run(&["import", sitemap.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{}", imported.told());
    let data = scraper.run(&["data", "news"]);
    assert!(data.stdout.contains(scraper.site.values(PAGE)["title"].as_str().unwrap()), "{}", data.told());
}
