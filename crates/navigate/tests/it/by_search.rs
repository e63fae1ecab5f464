use autoheal_navigate::{FetchedPages, Goal, Guide, Navigator, Settings};

use crate::manual_site::{ManualSite, goal_of, navigate, small_site};

#[tokio::test]
async fn the_three_vehicles_are_found_with_their_answers() {
    for question in ManualSite::start().await.manual.questions() {
        let site = ManualSite::start().await;
        let result = site.navigate(&goal_of(question), Guide::Search, Settings::default()).await;
        assert!(result.success, "{result:#?}");
        assert!(result.content.contains(&question.answer), "{} in {result:#?}", question.answer);
        assert!(result.url.ends_with(&question.path), "{result:#?}");
        assert!(result.breadcrumb.starts_with("Home > ") && result.breadcrumb.contains(question.year), "{result:#?}");
        assert!(!result.path_taken.is_empty() && result.tokens_used.calls == 0 && result.error.is_empty());
        let asked = site.site.asked();
        let pages = asked.iter().filter(|path| *path != "/robots.txt").count();
        assert_eq!(pages, usize::try_from(result.fetches).unwrap(), "each page once: {asked:?}");
        assert!(result.fetches <= result.steps_taken + 1);
    }
}

#[tokio::test]
async fn a_vehicle_in_the_question_is_found_as_well() {
    let site = ManualSite::start().await;
    let question = &site.manual.questions()[0];
    let result = site
        .navigate(&Goal::new("engine oil capacity of a 2012 Jeep Liberty"), Guide::Search, Settings::default())
        .await;
    assert!(result.success && result.content.contains(&question.answer), "{result:#?}");
}

#[tokio::test]
async fn what_the_manual_does_not_hold_is_not_found() {
    let site = ManualSite::start().await;
    let jeep = |goal: &str| {
        Goal::new(goal).with_context("make", "Jeep").with_context("year", "2012").with_context("model", "Liberty")
    };
    for goal in [
        jeep("alternator output"),
        jeep("coolant capacity"),
        jeep("torque of the oil drain plug"),
        // Another vehicle has an answer; this one is not in the manual.
        Goal::new("engine oil capacity")
            .with_context("make", "Jeep")
            .with_context("year", "1999")
            .with_context("model", "Liberty"),
        Goal::new("engine oil capacity").with_context("make", "Volvo"),
        Goal::new("engine oil capacity of a 2012 Volvo"),
        Goal::new(""),
    ] {
        let result = site.navigate(&goal, Guide::Search, Settings::default()).await;
        assert!(!result.success && result.content.is_empty(), "{goal:?}: {result:#?}");
        assert!(result.error.starts_with("not found"), "{result:#?}");
    }
}

#[tokio::test]
async fn the_steps_that_there_are_are_not_exceeded() {
    let site = ManualSite::start().await;
    let settings = Settings { max_steps: 3, ..Settings::default() };
    let result = site.navigate(&goal_of(&site.manual.questions()[0]), Guide::Search, settings).await;
    assert!(!result.success, "{result:#?}");
    assert_eq!((result.steps_taken, result.path_taken.len()), (3, 3));
    assert!(result.error.contains("steps"), "{}", result.error);
}

#[tokio::test]
async fn links_in_a_circle_end_and_dead_links_are_told() {
    let site = small_site(&[
        ("/", "<title>Home</title><a href=/a>Pump pressure</a><a href=/gone>Pump</a>"),
        ("/a", "<title>A</title><a href=/>Pump</a><a href=/b>Pump</a>"),
        ("/b", "<title>B</title><a href=/a#x>Pump pressure</a><a href=/b#y>Pump pressure</a>"),
    ])
    .await;
    let result = navigate(&site, &Goal::new("pump pressure"), Guide::Search, Settings::default()).await;
    assert!(!result.success, "{result:#?}");
    assert_eq!(result.steps_taken, 4, "{result:#?}");
    assert!(result.path_taken.iter().any(|step| step.result_hint.contains("404")), "{result:#?}");
}

#[tokio::test]
async fn the_nearest_thing_is_no_answer() {
    let table = "<table><caption>Pressures</caption><tr><th>Part<th>Pressure<tr><td>oil pump<td>4 bar<tr><td>fuel pump<td>3 bar</table>";
    let site = small_site(&[
        ("/", "<title>Manual</title><a href=/pumps>Pumps and pressures</a><a href=/index>Index</a>"),
        ("/pumps", &format!("<title>Pumps</title><p>The water pump is described elsewhere.</p>{table}")),
        ("/index", "<title>Index</title><dl><dt>pumps, <a href=/pumps>Pumps</a></dl>"),
    ])
    .await;
    let ask = |goal: &'static str| {
        let site = &site;
        async move { navigate(site, &Goal::new(goal), Guide::Search, Settings::default()).await }
    };
    let found = ask("What is the pressure of the fuel pump?").await;
    assert_eq!(found.content, "Pressures\nPart: fuel pump | Pressure: 3 bar");
    for goal in [
        "What is the pressure of the water pump?",
        "What is the pressure of the steering pump?",
        "What is the fuel pump made of?",
    ] {
        let result = ask(goal).await;
        assert!(!result.success, "{goal}: {result:#?}");
    }
}

#[tokio::test]
async fn a_start_that_cannot_be_had_says_why() {
    let site = small_site(&[]).await;
    let result = navigate(&site, &Goal::new("oil"), Guide::Search, Settings::default()).await;
    assert!(!result.success && result.path_taken[0].result_hint.contains("404"), "{result:#?}");
    assert!(result.is_unavailable() && !result.error.contains("not found"), "{result:#?}");
}

#[tokio::test]
async fn steps_that_are_left_are_used_for_links_that_say_nothing() {
    let table = "<table><tr><th>Item<th>Capacity<tr><td>Engine oil<td>5.7 L</table>";
    let site = small_site(&[
        ("/jeep/", "<title>Jeep</title><a href=/jeep/parts>Parts and Labor</a><a href=/about>About</a><a href=/jeep/repair>Repair</a>"),
        ("/about", "<title>About</title><p>About us."),
        ("/jeep/parts", "<title>Parts</title><p>None."),
        ("/jeep/repair", "<title>Repair</title><a href=/jeep/data>Data</a>"),
        ("/jeep/data", &format!("<title>Data</title>{table}")),
    ])
    .await;
    let start = site.url("/jeep/");
    let fetcher = crate::manual_site::fetcher();
    let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout);
    let goal = Goal::new("engine oil capacity");
    let result = Navigator::new(&pages, Settings::default()).navigate(&start, &goal, Guide::Search).await;
    assert!(result.success && result.content.contains("5.7 L"), "{result:#?}");
    assert!(!result.path_taken.iter().any(|step| step.action.contains("About")), "those below come first: {result:#?}");
}

#[tokio::test]
async fn a_search_stops_at_the_answer() {
    let site = small_site(&[
        ("/", "<title>Home</title><a href=/codes>Codes</a><a href=/about>About codes</a><a href=/jeep>Jeep</a>"),
        ("/codes", "<title>Codes</title><h1>Trouble codes</h1><p>Code P0420 means that the catalyst is weak.</p>"),
        ("/about", "<title>About</title><p>About us."),
        ("/jeep", "<title>Jeep</title><p>A make."),
    ])
    .await;
    let result = navigate(&site, &Goal::new("code P0420"), Guide::Search, Settings::default()).await;
    assert!(result.success && result.content.contains("catalyst"), "{result:#?}");
    assert!(result.steps_taken <= 3, "{result:#?}");
}

#[tokio::test]
async fn a_value_or_word_that_is_not_there_is_named_with_the_nearest() {
    let site = ManualSite::start().await;
    let goal = |make: &str, year: &str| {
        Goal::new("engine oil capacity")
            .with_context("make", make)
            .with_context("year", year)
            .with_context("model", "Liberty")
    };
    let settings = Settings { max_steps: 40, ..Settings::default() };
    let year = site.navigate(&goal("Jeep", "2013"), Guide::Search, settings).await;
    assert!(year.error.contains("names \"2013\"; similar are \"2012\", \"2010\", \"2008\""), "{}", year.error);
    let make = site.navigate(&goal("Jep", "2012"), Guide::Search, settings).await;
    assert!(make.error.contains("names \"jep\"") && make.error.contains("\"Jeep\""), "{}", make.error);
    let word = navigate(
        &small_site(&[("/", "<title>Home</title><p>The capacity of the tank.")]).await,
        &Goal::new("capasity of the tank"),
        Guide::Search,
        Settings::default(),
    )
    .await;
    assert!(word.error.contains("\"capasity\": did you mean \"capacity\"?"), "{}", word.error);
}

#[tokio::test]
async fn the_kind_of_a_question_and_the_parts_of_a_manual_show_the_way() {
    let decoys: Vec<String> = (0..20)
        .map(|place| format!("<dt>condition {place}, <a href=/decoy/{place}>The condition number {place}</a>"))
        .collect();
    let index = format!("<title>Index</title><dl>{}</dl>", decoys.concat());
    let part = "<title>II. Tables</title><ul><li><a href=/codes>Error Codes</a><li><a href=/colours>Colours</a></ul>";
    let codes = "<title>Error Codes</title><table><tr><th>Code<th>Condition Name<tr><td>40Q01<td>tyre_flat<tr><td>40Q02<td>tyre_lost</table>";
    let home = "<title>Manual</title><a href=/index>Index</a><dl><dt><a href=/two>II. Tables</a><dd><dl><dt><a href=/a>Errors</a>\
        <dt><a href=/b>Colours</a><dt><a href=/c>Sounds</a></dl></dl>";
    let site = small_site(&[("/", home), ("/index", &index), ("/two", part), ("/codes", codes)]).await;
    let few = Settings { max_steps: 6, ..Settings::default() };
    let found = navigate(&site, &Goal::new("What is the condition name of 40Q01?"), Guide::Search, few).await;
    assert_eq!(found.content, "Code: 40Q01 | Condition Name: tyre_flat", "{found:#?}");
    let none = navigate(&site, &Goal::new("What is the condition name of 40Q09?"), Guide::Search, few).await;
    assert!(!none.success, "{none:#?}");
}
