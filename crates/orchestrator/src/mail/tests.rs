use autoheal_engine::Timestamp;
use autoheal_store::Channel;
use autoheal_testkit::mail::MailServer;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn settings(server: &Url) -> MailSettings {
    MailSettings {
        server: server.clone(),
        from: "autoheal <autoheal@example.com>".to_owned(),
        to: vec!["ada@example.com".to_owned(), "Bob <bob@example.com>".to_owned()],
        user: None,
        password: None,
    }
}

fn notice(target: &str, message: &str) -> NoticeRow {
    NoticeRow {
        notice: 7,
        target: target.to_owned(),
        channel: Channel::Mail,
        alert: Some(3),
        address: None,
        body: json!({ "kind": "QUARANTINE", "message": message, "at": "2026-11-01T00:00:00Z" }),
        created_at: Timestamp::from_millis(1_793_491_200_000),
        tries: 1,
        last_error: None,
    }
}

#[tokio::test]
async fn an_alert_arrives_as_one_message_for_all() {
    let server = MailServer::start().await;
    let mailer = Mailer::new(&settings(&server.url())).unwrap();
    mailer.send(&notice("news", "it broke.\n.\nand a line with a dot alone")).await.unwrap();
    let [mail] = server.mails().try_into().unwrap();
    assert_eq!(
        (mail.from.as_str(), mail.to),
        ("autoheal@example.com", vec!["ada@example.com".into(), "bob@example.com".into()])
    );
    for expected in [
        "Subject: autoheal: QUARANTINE news\r\n",
        "From: autoheal <autoheal@example.com>\r\n",
        "Message-ID: <notice.7.1793491200000@autoheal>\r\n",
        "Auto-Submitted: auto-generated\r\n",
        "it broke.\r\n.\r\nand a line with a dot alone\r\n",
    ] {
        assert!(mail.data.contains(expected), "{expected:?} is missing in {}", mail.data);
    }
}

#[tokio::test]
async fn a_server_that_refuses_is_quoted() {
    let server = MailServer::start().await;
    server.refuse("451 the mailbox is full");
    let refused = Mailer::new(&settings(&server.url())).unwrap().send(&notice("news", "x")).await.unwrap_err();
    assert!(refused.contains("the mailbox is full"), "{refused}");
}

#[tokio::test]
async fn a_password_never_goes_over_a_connection_that_is_not_encrypted() {
    let server = MailServer::start().await;
    let login = MailSettings {
        user: Some("autoheal".to_owned()),
        password: Some("a password of mine".into()),
        ..settings(&server.url())
    };
    let refused = Mailer::new(&login).unwrap().send(&notice("news", "x")).await.unwrap_err();
    assert!(!refused.contains("password of mine"), "{refused}");
    let heard = server.heard();
    assert!(!heard.is_empty() && !heard.iter().any(|line| line.to_uppercase().starts_with("AUTH")), "{heard:?}");
}

#[test]
fn invalid_settings_are_refused() {
    let url = |text: &str| Url::parse(text).unwrap();
    let good = settings(&url("smtp://mail.example.com"));
    assert!(Mailer::new(&good).is_ok());
    assert!(Mailer::new(&settings(&url("smtps://mail.example.com"))).is_ok());
    let refused = |settings: MailSettings| Mailer::new(&settings).err().unwrap().to_string();
    for server in
        ["http://mail.example.com", "smtp://", "smtp://ada:secret@mail.example.com", "smtp://mail.example.com/x?tls=no"]
    {
        let message = refused(settings(&url(server)));
        assert!(message.contains("smtps://HOST:465"), "{message}");
    }
    assert!(refused(MailSettings { to: vec!["nobody".to_owned()], ..good.clone() }).contains("not a mail address"));
    assert!(refused(MailSettings { to: Vec::new(), ..good.clone() }).contains("alerts.mail.to"));
    assert!(refused(MailSettings { user: Some("ada".to_owned()), ..good }).contains("AUTOHEAL_SMTP_PASSWORD"));
}

proptest! {
    #[test]
    fn nothing_in_an_alert_adds_a_header(target in any::<String>(), message in any::<String>()) {
        let mailer = Mailer::new(&settings(&Url::parse("smtp://localhost").unwrap())).unwrap();
        let hostile = notice(&format!("{target}\r\nBcc: eve@example.com\r\n\r\n{target}"), &message);
        let written = mailer.message(&hostile).unwrap().formatted();
        let text = String::from_utf8(written).unwrap();
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        let names: Vec<&str> = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t'])).filter_map(|line| line.split(':').next()).collect();
        let mut known = vec!["Auto-Submitted", "Content-Transfer-Encoding", "Content-Type", "Date", "From", "Message-ID", "Subject", "To"];
        let mut found = names.clone();
        found.retain(|name| *name != "MIME-Version");
        found.sort_unstable();
        known.sort_unstable();
        prop_assert_eq!(found, known);
    }
}
