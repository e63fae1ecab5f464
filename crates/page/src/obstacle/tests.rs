use super::*;

fn told(html: &str, asked: &str, url: &str, content_type: Option<&str>) -> Option<Obstacle> {
    let page = Document::parse(html);
    let (asked, url) = (asked.parse().unwrap(), url.parse().unwrap());
    Response { html, page: &page, content_type, asked: &asked, url: &url }.obstacle()
}

const HERE: &str = "https://shop.example/chairs/7";

fn kind(html: &str) -> Option<ObstacleKind> {
    told(html, HERE, HERE, Some("text/html; charset=utf-8")).map(|obstacle| obstacle.kind)
}

/// Pages of our own, by kind.
const OBSTACLES: &[(ObstacleKind, &str)] = &[
    (ObstacleKind::BotCheck, "<title>Just a moment...</title><div id=challenge-form><p>One second, please.</div>"),
    (
        ObstacleKind::BotCheck,
        "<title>Checking your browser</title><h1>Checking your browser before you visit shop.example</h1>",
    ),
    (
        ObstacleKind::BotCheck,
        "<title>shop.example</title><h1>Are you a robot?</h1><form action=/captcha><input name=answer></form>",
    ),
    (
        ObstacleKind::BotCheck,
        "<title>Access Denied</title><h1>Access Denied</h1>You have no permission to see this. Reference 18.2f",
    ),
    (
        ObstacleKind::BotCheck,
        "<title>shop.example</title><body><script src=https://ct.datadome.example/c.js></script><p>Please wait",
    ),
    (ObstacleKind::BotCheck, "<title>Sicherheitsüberprüfung</title><p>Bitte lösen Sie die Aufgabe, um fortzufahren."),
    (
        ObstacleKind::BotCheck,
        "<title>Pardon Our Interruption</title><p>As you were browsing, something about your browser made us think you were a bot.",
    ),
    (
        ObstacleKind::LogIn,
        "<title>Log in | Shop</title><h1>Log in</h1><form><input name=user><input type=password><button>Log in</button></form>",
    ),
    (
        ObstacleKind::LogIn,
        "<title>Shop</title><h2>Welcome back!</h2><form method=post><input type=email><input type=PASSWORD></form>",
    ),
    (ObstacleKind::LogIn, "<title>Anmelden – Laden</title><form><label>Passwort<input type=password></label></form>"),
    (
        ObstacleKind::LogIn,
        "<title>Annual report</title><h1>Annual report</h1><p>Please log in to read this document.</p>",
    ),
    (
        ObstacleKind::Consent,
        "<title>Before you continue</title><div><p>We and our partners use cookies for personalised ads.</p><button>Accept all</button><button>Reject all</button></div>",
    ),
    (
        ObstacleKind::Consent,
        "<title>Nachrichten</title><section><h2>Ihre Privatsphäre</h2><p>Mit Ihrer Einwilligung setzen wir Cookies.</p><a href=#>Zustimmen und weiter</a></section><p>Impressum",
    ),
    (ObstacleKind::Empty, ""),
    (ObstacleKind::Empty, "<html><head></head><body>  </body></html>"),
    (ObstacleKind::Scripts, "<title>Shop</title><div id=root></div><script src=/main.js></script>"),
    (
        ObstacleKind::Scripts,
        "<title>Shop</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=x>Loading…</div><script src=/a.js></script>",
    ),
    (ObstacleKind::Scripts, "<body><script>document.write('<h1>Chair</h1>')</script>"),
    (ObstacleKind::NotFound, "<title>Page not found - Shop</title><h1>Oops! Page not found</h1><p>Try our search.</p>"),
    (ObstacleKind::NotFound, "<title>404</title><h1>404</h1><ul><li><a href=/>Home</a></ul>"),
    (ObstacleKind::NotFound, "<title>Seite nicht gefunden</title><p>Die Seite gibt es nicht."),
    (ObstacleKind::NotFound, "<title>Shop</title><h1>This product is no longer available</h1><p>See other chairs."),
    (ObstacleKind::Maintenance, "<title>Shop</title><h1>We'll be back soon!</h1><p>We are improving the shop."),
    (ObstacleKind::Maintenance, "<title>503 Service Unavailable</title><h1>Service Unavailable</h1>"),
    (
        ObstacleKind::Maintenance,
        "<title>Wartungsarbeiten</title><h1>Wartungsarbeiten</h1><p>Ab 18 Uhr sind wir wieder da.",
    ),
    (ObstacleKind::Maintenance, "<title>Error</title><h1>Error establishing a database connection</h1>"),
];

#[test]
fn pages_that_are_not_the_page_are_recognised() {
    for (expected, html) in OBSTACLES {
        assert_eq!(kind(html), Some(*expected), "{html}");
    }
}

fn article(words: &str) -> String {
    format!(
        "<article>{}</article>",
        format!("<p>{words} and the rest of a long story about wood, chairs and people.</p>").repeat(40)
    )
}

/// Ordinary pages with the words of the others.
#[test]
fn ordinary_pages_are_the_page() {
    let ordinary = [
        "<title>Blue chair</title><h1>Blue chair</h1><p class=price>12 EUR</p>".to_owned(),
        "<title>Blue chair</title><nav><form><input name=u><input type=password><button>Log in</button></form></nav><h1>Blue chair</h1><p>12 EUR".to_owned(),
        "<title>Blue chair</title><h1>Blue chair</h1><p>12 EUR<div>We use cookies. See our privacy notice.<button>Accept</button></div>".to_owned(),
        "<title>Blue chair</title><h1>Blue chair</h1><p>12 EUR</p><form action=/comment><div class=g-recaptcha></div><textarea></textarea></form><script src=https://captcha.example/api.js></script>".to_owned(),
        format!("<title>What a captcha is</title><h1>Captcha</h1>{}", article("A captcha asks whether you are human")),
        format!("<title>How to fix \"404 not found\" in nginx</title><h1>How to fix \"404 not found\" in nginx</h1>{}", article("A server says not found")),
        format!("<title>Maintenance of an engine</title><h1>Maintenance</h1>{}", article("Change the oil")),
        format!("<title>News</title><div id=root><h1>News</h1>{}</div><script src=/a.js></script><noscript>Enable JavaScript</noscript>", article("Today")),
        "<title>Blue chair</title><h1>Blue chair</h1><p>Currently unavailable</p><p>12 EUR".to_owned(),
        "<title>Gallery</title><img src=a.png><img src=b.png>".to_owned(),
        "<title>Access control systems</title><h1>Access control systems</h1><p>Doors and keys for offices of all sizes.".to_owned(),
        "<title>Sign in stages: how signatures are made</title><h1>How signatures are made</h1><p>Ink, first.".to_owned(),
        "<title>Area 404</title><h1>Area 404 is a book by Jane Doe</h1><p>12 EUR".to_owned(),
    ];
    for html in ordinary {
        assert_eq!(kind(&html), None, "{}", &html[..html.len().min(200)]);
    }
}

#[test]
fn a_redirect_to_a_log_in_page_is_told_by_its_address() {
    let html = "<title>Shop</title><form><input type=password></form>";
    assert_eq!(kind(html), None, "a form alone says nothing");
    let led = told(html, HERE, "https://shop.example/account/login?next=/chairs/7", None).unwrap();
    assert_eq!(
        (led.kind, led.evidence.as_str()),
        (ObstacleKind::LogIn, "the site leads to /account/login, which asks for a password")
    );
    assert_eq!(told(html, "https://shop.example/login", "https://shop.example/login", None), None);
}

#[test]
fn files_are_not_pages() {
    let content = |body: &str, kind| told(body, HERE, HERE, kind).map(|obstacle| (obstacle.kind, obstacle.evidence));
    for (body, kind) in [
        ("{\"a\": [1]}", Some("application/json")),
        ("{\"a\": [1]}", Some("text/html")),
        ("%PDF-1.7 x", None),
        ("\u{fffd}PNG\r\n", Some("image/png")),
        ("a,b\n1,2", Some("text/csv; charset=utf-8")),
    ] {
        assert_eq!(content(body, kind).unwrap().0, ObstacleKind::OtherContent, "{body}");
    }
    for (body, kind) in [
        ("<p>a", Some("application/json")),
        ("[sic] is a word of editors", Some("text/html")),
        ("plain text of a page", None),
    ] {
        assert_eq!(content(body, kind).filter(|(kind, _)| *kind == ObstacleKind::OtherContent), None, "{body}");
    }
}

#[test]
fn a_language_is_detected_by_its_text() {
    let page = |text: &str| language(&Document::parse(&format!("<html lang=EN-gb><p>{}", text.repeat(6)))).unwrap();
    let english = page("The chair is made of oak, and its seat is covered with blue wool from the hills. ");
    let german = page("Der Stuhl ist aus Eiche gemacht, und sein Sitz ist mit blauer Wolle aus den Bergen bezogen. ");
    assert_eq!((english.detected.as_str(), german.detected.as_str()), ("eng", "deu"));
    assert_eq!(english.declared.as_deref(), Some("en"));
    assert!(english.may_be(&german), "both say that they are English");
    assert!(!english.may_be(&Language { declared: None, ..german }));
    assert_eq!(language(&Document::parse("<p>Chair")), None, "a word tells nothing");
}

#[test]
fn every_kind_says_what_it_is_and_what_to_do() {
    for kind in ObstacleKind::ALL {
        assert!(!kind.words().is_empty() && kind.advice().ends_with('.'));
    }
}

#[test]
fn any_input_is_classified_in_bounded_time() {
    for html in [
        "<".repeat(100_000),
        "<div id=root>".repeat(50_000),
        "a".repeat(1 << 20),
        "<title>".repeat(10_000),
        "404 ".repeat(100_000),
    ] {
        let _ = kind(&html);
    }
}
